"""References in a plan: `${node.key}`, `${vars.key}`, `${env.KEY}`, `${config.a.b}`, `${item.x}`.

A string that is one reference has the value itself; inside other text the value is written out.
`$${` stands for `${` itself. Keys follow a dot or stand in brackets: `.0`, `[0]`, `["月 次"]`.
`${= node.total * 1.1 }` is computed from what it names.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from pydantic import JsonValue

from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.secrets import protect, redact
from sanbo.tables.expressions.evaluation import Expression
from sanbo.tables.expressions.operations import Failed
from sanbo.tables.expressions.syntax import (
    COMPUTED,
    ExpressionRefused,
    Given,
    Template,
    Tree,
    closing,
    parts_of,
)
from sanbo.tables.expressions.syntax import parse as parse_expression

Key = str | int
ValuePath = tuple[Key, ...]

OPENING = "${"
_ESCAPED = "$${"
_ROOT = re.compile(r"\s*([^\s.${}\[\]/#\"']+)")
_KEY = re.compile(
    r"""\s{0,99}+(?:
        \.\s{0,99}+(?P<name>[^\s.${}\[\]"']+)
      | \[\s{0,99}+(?:(?P<index>\d+)|"(?P<double>[^"]*)"|'(?P<single>[^']*)')\s{0,99}+\]
    )\s*+""",
    re.VERBOSE,
)

LENGTH, BYTES = "length", "bytes"


class BadReference(ValueError):
    """`${…}` that can't be read."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class BadExpression(BadReference):
    """`${= … }` that can't be computed, whatever the values."""

    def __init__(self, text: str, refused: ExpressionRefused, start: int) -> None:
        self.refused = refused
        self.position = start + max(refused.column - 1, 0)
        """Of what is wrong, in the text that holds it."""
        super().__init__(text)


class Unreachable(LookupError):
    """A key that is not there in a value."""

    def __init__(self, key: Key, known: Sequence[str]) -> None:
        self.key = key
        self.known = tuple(known)
        super().__init__(str(key))


@dataclass(frozen=True)
class Reference:
    text: str
    """As written, with `${` and `}`."""
    root: str
    keys: tuple[Key, ...]

    @property
    def path(self) -> str:
        """Without the brackets around it, for messages."""
        return self.text[2:-1].strip()


Lookup = Callable[[Reference], JsonValue]


@dataclass(frozen=True)
class Computed:
    """An expression over what references stand for, which never become part of it."""

    text: str
    """As written, with `${=` and `}`."""
    references: tuple[Reference, ...]
    expression: Expression = field(compare=False)

    def value(self, lookup: Lookup, *, null_is_zero: bool = False) -> JsonValue:
        """`InvalidInput` where the values do not allow it."""
        looked = Looked(lookup)
        try:
            made = self.expression.value(looked, null_is_zero=null_is_zero)
        except Failed as failed:
            raise InvalidInput(
                "plan_expression_failed",
                expression=self.text,
                reason=str(failed),
                details={"kind": failed.kind},
            ) from None
        if looked.is_secret and isinstance(made, str):
            protect(made)
        return made


Part = str | Reference | Computed


class Looked:
    """The names of an expression as what they stand for in a plan."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self.is_secret = False
        """Whether a secret was among them: what is made of it is one too."""

    def value(self, given: Given, /) -> JsonValue:
        found = self._lookup(_named(given)) if given.root else resolve(given.text, self._lookup)
        self.is_secret |= isinstance(found, str) and redact(found) != found
        return found

    def written(self, template: Template, /) -> str:
        found = _joined(parse(template.text), self._lookup)
        self.is_secret |= redact(found) != found
        return found


def _named(given: Given) -> Reference:
    return Reference(f"${{{given.text}}}", given.root, given.keys)


def references_of_tree(tree: Tree) -> tuple[Reference, ...]:
    """`BadReference` for a `${…}` in it that can't be read."""
    found: list[Reference] = []
    for part in parts_of(tree):
        if isinstance(part, Given) and part.root:
            found.append(_named(part))
        elif isinstance(part, Given | Template):
            found.extend(reference for each in parse(part.text) for reference in read_by(each))
    return tuple(dict.fromkeys(found))


def read_by(part: Part) -> tuple[Reference, ...]:
    match part:
        case Reference():
            return (part,)
        case Computed():
            return part.references
        case _:
            return ()


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Part, ...]:
    """The text's parts; `BadReference` for one that can't be read."""
    parts: list[Part] = []
    plain = ""
    position = 0
    while (found := text.find("$", position)) >= 0:
        plain += text[position:found]
        if text.startswith(_ESCAPED, found):
            plain += OPENING
            position = found + len(_ESCAPED)
        elif text.startswith(OPENING, found):
            reference = (
                _compute(text, found) if text.startswith(COMPUTED, found) else _read(text, found)
            )
            if plain:
                parts.append(plain)
            plain = ""
            parts.append(reference)
            position = found + len(reference.text)
        else:
            plain += "$"
            position = found + 1
    plain += text[position:]
    if plain or not parts:
        parts.append(plain)
    return tuple(parts)


def rewritten(text: str, change: Callable[[Reference], str | None]) -> str:
    """The text with what `change` gives for a reference in its place; None leaves it, and so does
    a computed one."""
    made, position = "", 0
    try:
        parts = [part for part in parse(text) if not isinstance(part, str)]
    except BadReference:
        return text
    for part in parts:
        found = text.find(part.text, position)
        while text[found - 1 : found] == "$":  # `$${` stands for itself
            found = text.find(part.text, found + 1)
        instead = change(part) if isinstance(part, Reference) else None
        made += text[position:found] + (part.text if instead is None else instead)
        position = found + len(part.text)
    return made + text[position:]


def _compute(text: str, start: int) -> Computed:
    end = closing(text, start)
    if end < 0:
        raise BadReference(text[start:])
    written, begin = text[start : end + 1], start + len(COMPUTED)
    try:
        tree = parse_expression(text[begin:end])
    except ExpressionRefused as refused:
        raise BadExpression(written, refused, begin) from None
    return Computed(written, references_of_tree(tree), Expression(tree))


def _read(text: str, start: int) -> Reference:
    end = text.find("}", start)
    written = text[start : end + 1] if end >= 0 else text[start:]
    inside = written[2:-1]
    root = _ROOT.match(inside)
    if end < 0 or root is None:
        raise BadReference(written)
    keys: list[Key] = []
    position = root.end()
    while position < len(inside):
        if not inside[position:].strip():
            break
        key = _KEY.match(inside, position)
        if key is None:
            raise BadReference(written)
        if key["index"] is not None:
            keys.append(int(key["index"]))
        else:
            keys.append(
                next(each for each in key.group("name", "double", "single") if each is not None)
            )
        position = key.end()
    return Reference(written, root[1], tuple(keys))


def reference_of(path: str) -> Reference:
    """`node.key` as exports write it, with or without `${}`."""
    bare = path.strip()
    parts = parse(bare if bare.startswith(OPENING) else f"${{{bare}}}")
    if len(parts) != 1 or not isinstance(parts[0], Reference):
        raise BadReference(path)
    return parts[0]


def whole_part(text: str) -> Reference | Computed | None:
    """What a text consists of; None where it is a text, with or without references."""
    if OPENING not in text:
        return None
    try:
        parts = parse(text)
    except BadReference:
        return None
    return None if len(parts) != 1 or isinstance(parts[0], str) else parts[0]


def whole_reference(text: str) -> Reference | None:
    whole = whole_part(text)
    return whole if isinstance(whole, Reference) else None


def can_be_key(name: str) -> bool:
    """Whether it can follow a dot in a reference."""
    found = _KEY.fullmatch(f".{name}")
    return found is not None and found["name"] == name


def references_in(value: JsonValue) -> Iterator[tuple[Reference, ValuePath]]:
    """Every reference in a value, and where in it; a text that can't be read has none."""
    waiting: list[tuple[JsonValue, ValuePath]] = [(value, ())]
    while waiting:
        each, path = waiting.pop()
        match each:
            case str():
                try:
                    parts = parse(each)
                except BadReference:
                    continue
                yield from ((found, path) for part in parts for found in read_by(part))
            case list():
                waiting.extend((item, (*path, index)) for index, item in enumerate(each))
            case dict():
                waiting.extend((item, (*path, key)) for key, item in each.items())
            case _:
                pass


def resolve(value: JsonValue, lookup: Lookup) -> JsonValue:
    """The value with every reference replaced by what it stands for."""
    match value:
        case str():
            if "$" not in value:
                return value
            parts = parse(value)
            return _value(parts[0], lookup) if len(parts) == 1 else _joined(parts, lookup)
        case list():
            return [resolve(item, lookup) for item in value]
        case dict():
            return {key: resolve(item, lookup) for key, item in value.items()}
        case _:
            return value


def _value(part: Part, lookup: Lookup) -> JsonValue:
    match part:
        case Reference():
            return lookup(part)
        case Computed():
            return part.value(lookup)
        case _:
            return part


def _joined(parts: Sequence[Part], lookup: Lookup) -> str:
    return "".join(
        part if isinstance(part, str) else written(_value(part, lookup)) for part in parts
    )


def written(value: JsonValue) -> str:
    """A value inside a text: nothing for null, JSON for what is no text."""
    match value:
        case None:
            return ""
        case str():
            return value
        # pyrefly: ignore[missing-attribute]
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return json.dumps(value, ensure_ascii=False)


def walk(value: JsonValue, keys: Sequence[Key]) -> JsonValue:
    """What stands under these keys; null stays null, however many follow."""
    for key in keys:
        if value is None:
            return None
        value = _step(value, key)
    return value


def _step(value: JsonValue, key: Key) -> JsonValue:
    match value:
        case dict():
            if str(key) in value:
                return value[str(key)]
            if key == BYTES and is_file(value):
                return value
            if key == LENGTH:
                return len(value)
            raise Unreachable(key, list(value))
        case list():
            if key == LENGTH:
                return len(value)
            position = _index(key)
            if position is not None and position < len(value):
                return value[position]
            known = [f"0–{len(value) - 1}"] if value else []
            raise Unreachable(key, [*known, LENGTH])
        case str() if key == LENGTH:
            return len(value)
        case _:
            raise Unreachable(key, [])


def _index(key: Key) -> int | None:
    if isinstance(key, int):
        return key
    return int(key) if key.isascii() and key.isdigit() else None


def is_file(value: JsonValue) -> bool:
    return (
        isinstance(value, dict)
        and {"file_id", "name"} <= cast("dict[str, JsonValue]", value).keys()
    )
