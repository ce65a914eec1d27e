"""A YAML text that is edited in places, and names of nodes in it: in references, expressions and
bare paths. All else in it stays byte for byte.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import yaml
from pydantic import JsonValue

from sanbo.blocks.contract.yaml_tree import with_references_hidden
from sanbo.tables.expressions.syntax import closing

OPENING = "${"
_ENDS = " \t\n.[}"
_QUOTES = "\"'"


def in_text(raw: str, old: str, to: str) -> str:
    """`old`: a node, or `node.key`. In every `${…}`; of a bare path, at its beginning."""
    if OPENING not in raw:
        lead = len(raw) - len(raw.lstrip(_QUOTES))
        return raw[:lead] + _at_root(raw[lead:], old, to)
    made, position = "", 0
    while (start := raw.find(OPENING, position)) >= 0:
        end = closing(raw, start)
        if raw[start - 1 : start] == "$" or end < 0:  # `$${` stands for itself
            made += raw[position : start + 2]
            position = start + 2
            continue
        inside = raw[start + 2 : end]
        computed = inside.startswith("=")
        inside = f"={in_code(inside[1:], old, to)}" if computed else _at_root(inside, old, to)
        made += raw[position:start] + OPENING + inside + "}"
        position = end + 1
    return made + raw[position:]


def _at_root(path: str, old: str, to: str) -> str:
    lead = len(path) - len(path.lstrip())
    end = lead + len(old)
    is_whole = path[end : end + 1] in ("", *_ENDS, *_QUOTES)
    return path[:lead] + to + path[end:] if path.startswith(old, lead) and is_whole else path


def in_code(code: str, old: str, to: str) -> str:
    """In an expression: names that stand alone, and references within; not words in quotes."""
    made, position = "", 0
    while position < len(code):
        sign = code[position]
        if code.startswith(OPENING, position) and (end := closing(code, position)) > 0:
            made += in_text(code[position : end + 1], old, to)
            position = end + 1
        elif sign in _QUOTES and position > 0 and (end := code.find(sign, position + 1)) > 0:
            quoted = code[position : end + 1]
            made += in_text(quoted, old, to) if OPENING in quoted else quoted
            position = end + 1
        elif sign.isalnum() or sign == "_":
            end = position
            while end < len(code) and (code[end].isalnum() or code[end] == "_"):
                end += 1
            whole = position + len(old)
            is_key = made.rstrip().endswith(".")
            follows = code[whole : whole + 1]
            is_meant = code.startswith(old, position) and not (follows.isalnum() or follows == "_")
            if is_meant and end <= whole and not is_key:
                made += to
                position = whole
            else:
                made += code[position:end]
                position = end
        else:
            made += sign
            position += 1
    return made


_compose = cast("Any", yaml.compose)
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def composed(text: str) -> Any:
    """PyYAML's nodes, which know where they stand; what is in `${…}` is hidden in their values."""
    return _compose(with_references_hidden(text), Loader=_LOADER)


@dataclass
class Page:
    text: str
    edits: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])

    def edited(self) -> str:
        made = self.text
        for (start, end), new in sorted(self.edits.items(), reverse=True):
            made = made[:start] + new + made[end:]
        return made

    def lines_of(self, node: Any) -> tuple[int, int]:
        """From the beginning of its first line to the end of its last: without what follows."""
        start = self.text.rfind("\n", 0, node.start_mark.index) + 1
        last = max(span_of(each)[1] for each in scalars(node))
        if node.flow_style:
            last = node.end_mark.index
        last = len(self.text[:last].rstrip())
        end = self.text.find("\n", last)
        return start, len(self.text) if end < 0 else end

    def comments(self, node: Any) -> list[str]:
        """What is written beside its values."""
        start, end = self.lines_of(node)
        spans = [span_of(each) for each in scalars(node)]
        found: list[str] = []
        position = start
        while (sign := self.text.find("#", position, end)) >= 0:
            inside = next((span for span in spans if span[0] <= sign < span[1]), None)
            if inside is not None:
                position = inside[1]
                continue
            stop = self.text.find("\n", sign, end)
            stop = end if stop < 0 else stop
            if self.text[sign - 1 : sign] in ("", " ", "\t", "\n"):
                found.append(self.text[sign:stop].rstrip())
            position = stop
        return found


def span_of(scalar: Any) -> tuple[int, int]:
    return scalar.start_mark.index, scalar.end_mark.index


def scalars(node: Any) -> Iterator[Any]:
    match node:
        case yaml.ScalarNode():
            yield node
        case yaml.SequenceNode():
            for each in node.value:
                yield from scalars(each)
        case _:
            for key, value in node.value:
                yield from (*scalars(key), *scalars(value))


def entry(node: Any, *names: str) -> Any:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.value in names:
            return value
    return None


def flow(value: JsonValue) -> str:
    """As YAML on one line: JSON is that, but a plain word needs no quotes."""
    if isinstance(value, str) and value.isidentifier() and value.isascii():
        known = ("true", "false", "null", "yes", "no", "on", "off")
        if value.casefold() not in known:
            return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def shown(value: str) -> str:
    """As it is written, with the signs that were hidden."""
    for index, sign in enumerate("{}[],:#"):
        value = value.replace(chr(0xE000 + index), sign)
    return value
