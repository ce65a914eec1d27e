"""YAML as data with positions: nothing in it is code, and nothing in it can grow without bound.

Read event by event, so that depth and size are bounded before anything is built. Scalars follow
YAML 1.2: `no` and `on` are words, `0012` is a code and not a number, a date is its text.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import yaml
from pydantic import JsonValue

Path = tuple[str | int, ...]
Place = tuple[int, int]
"""Line and column, from 1."""

MOST_CHARACTERS = 2_000_000
MOST_DEPTH = 60
MOST_VALUES = 200_000
"""After aliases are expanded."""

_parse = cast("Any", yaml.parse)
# The C loader is ten times as fast, which a person waits for at every command.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# `{expr: ${a.b}}` is how people write: inside `${…}` brackets, commas and colons are not YAML's.
_REFERENCE = re.compile(r"""\$\{(?:[^{}\n'"]|"[^"{}\n]*"|'[^'{}\n]*')*\}""")
_SIGNS = tuple((sign, chr(0xE000 + index)) for index, sign in enumerate("{}[],:#"))
_HIDDEN_OPENING = _SIGNS[0][1]
_PRIVATE = re.compile("[\ue000-\ue006]")

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,300})")
_FLOAT = re.compile(
    r"[-+]?(?:(?:0|[1-9][0-9]*)?\.[0-9]+|(?:0|[1-9][0-9]*)\.?)(?:[eE][-+]?[0-9]{1,3})?"
)
_TEXT_TAGS = frozenset({"tag:yaml.org,2002:str", "!"})
_TAGS = _TEXT_TAGS | {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("int", "float", "bool", "null", "seq", "map", "timestamp", "merge")
}
_MERGE = "<<"


class YamlRefused(Exception):
    """`code` says why: `yaml_unreadable`, `yaml_too_deep`, …"""

    def __init__(self, code: str, place: Place = (1, 1), **params: object) -> None:
        self.code = code
        self.place = place
        self.params = params
        super().__init__(code)


@dataclass(slots=True)
class Part:
    """A value in the file, where it stands, and the parts that it is made of."""

    value: JsonValue
    mark: Any
    """Of the parser; places are asked for seldom, and there are many parts."""
    pairs: "dict[str, tuple[Part, Part]] | None" = None
    """Of a mapping: keys and values."""
    items: "list[Part] | None" = None
    size: int = 1
    """How many values it is, with all inside it."""
    depth: int = 0

    @property
    def place(self) -> Place:
        return self.mark.line + 1, self.mark.column + 1


@dataclass(frozen=True)
class Marks:
    """Where in the text each part of it stands."""

    root: Part | None = None

    def at(self, *path: str | int) -> Place:
        """Of a key, or of an item of a list; of the nearest part around it that is there."""
        return self._reached(path)[0]

    def value_at(self, *path: str | int) -> Place:
        part = self._reached(path)[1]
        return part.place if part else (1, 1)

    def _reached(self, path: Path) -> tuple[Place, Part | None]:
        """Steps that are not written, such as a `plan` that was left out, are passed over."""
        part = self.root
        place = part.place if part else (1, 1)
        for step in path:
            if part is None:
                break
            if isinstance(step, str):
                if part.pairs is not None and step in part.pairs:
                    key, part = part.pairs[step]
                    place = key.place
            elif part.items is not None and 0 <= step < len(part.items):
                part = part.items[step]
                place = part.place
        return place, part


@dataclass(frozen=True)
class Tree:
    value: JsonValue
    marks: Marks
    repeated: tuple[Path, ...]
    """Keys that stand twice in one mapping; the last one counts."""


def read_tree(text: str) -> Tree:
    """`YamlRefused` for what is no YAML, or more than data."""
    if len(text) > MOST_CHARACTERS:
        raise YamlRefused("yaml_too_large", limit=MOST_CHARACTERS)
    if found := _PRIVATE.search(text):
        raise YamlRefused("yaml_unreadable", _place_of(text, found.start()), reason=repr(found[0]))
    try:
        return _Reader().read(with_references_hidden(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if _begins_with_tab(text, place[0]):
            raise YamlRefused("yaml_tab", place) from None
        raise YamlRefused("yaml_unreadable", place, reason=error.problem or "YAML") from None
    except (yaml.YAMLError, ValueError) as error:
        raise YamlRefused("yaml_unreadable", reason=str(error).splitlines()[0][:200]) from None


def with_references_hidden(text: str) -> str:
    """Of the same length: what stands in `${…}` has none of YAML's signs."""
    return _REFERENCE.sub(_hidden, text)


def _begins_with_tab(text: str, line: int) -> bool:
    lines = text.split("\n", line)
    return len(lines) >= line and re.match(r" *\t", lines[line - 1]) is not None


def _hidden(reference: re.Match[str]) -> str:
    text = reference[0]
    for sign, stand_in in _SIGNS:
        text = text.replace(sign, stand_in)
    return text


def _shown(text: str) -> str:
    for sign, stand_in in _SIGNS:
        text = text.replace(stand_in, sign)
    return text


def _place_of(text: str, position: int) -> Place:
    line = text.count("\n", 0, position)
    return line + 1, position - (text.rfind("\n", 0, position) + 1) + 1


@dataclass(slots=True)
class _Open:
    """A mapping or a list whose end has not come yet."""

    part: Part
    key: Part | None = None
    """Of a mapping: the key whose value comes next."""
    merged: set[str] = field(default_factory=set[str])
    """Keys that came in by `<<`: saying them again is no repetition."""


class _Reader:
    def __init__(self) -> None:
        self._root: Part | None = None
        self._around: list[_Open] = []
        self._anchors: dict[str, Part] = {}
        self._repeated: list[Path] = []

    def read(self, text: str) -> Tree:
        for event in cast("Iterator[Any]", _parse(text, Loader=_Loader)):
            kind = cast("type[Any]", type(event))
            if kind is yaml.ScalarEvent:
                self._add(self._named(event, Part(_scalar_of(event), event.start_mark)))
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._add(self._around.pop().part)
            elif kind is yaml.MappingStartEvent:
                self._open(self._named(event, Part({}, event.start_mark, pairs={}, depth=1)))
            elif kind is yaml.SequenceStartEvent:
                self._open(self._named(event, Part([], event.start_mark, items=[], depth=1)))
            elif kind is yaml.AliasEvent:
                self._add(self._meant_by(event))
            elif kind is yaml.DocumentStartEvent and self._root is not None:
                raise YamlRefused("yaml_several", _place(event))
        if self._root is None:
            raise YamlRefused("yaml_empty")
        return Tree(self._root.value, Marks(self._root), tuple(self._repeated))

    def _named(self, event: Any, part: Part) -> Part:
        if event.tag is not None and event.tag not in _TAGS:
            raise YamlRefused("yaml_tag_refused", part.place, tag=str(event.tag)[:100])
        if event.anchor:
            self._anchors[event.anchor] = part
        return part

    def _meant_by(self, alias: Any) -> Part:
        part = self._anchors.get(alias.anchor)
        if part is None:
            raise YamlRefused("yaml_unreadable", _place(alias), reason=f"*{alias.anchor}")
        is_around = any(each.part is part for each in self._around)
        size = sum(each.part.size for each in self._around) + part.size
        if is_around or len(self._around) + part.depth > MOST_DEPTH or size > MOST_VALUES:
            raise YamlRefused("yaml_expands", _place(alias), limit=MOST_VALUES)
        return part

    def _open(self, part: Part) -> None:
        around = self._around
        if len(around) >= MOST_DEPTH:
            raise YamlRefused("yaml_too_deep", part.place, limit=MOST_DEPTH)
        if around and around[-1].part.pairs is not None and around[-1].key is None:
            raise YamlRefused("yaml_key", part.place)
        around.append(_Open(part))

    def _add(self, part: Part) -> None:
        if not self._around:
            self._root = part
            return
        around = self._around[-1]
        holder = around.part
        if holder.items is not None:
            holder.items.append(part)
            # pyrefly: ignore[missing-attribute]
            holder.value.append(part.value)
        elif around.key is None:
            if part.pairs is not None or part.items is not None:
                raise YamlRefused("yaml_key", part.place)
            around.key = part
            return
        else:
            self._put(around, around.key, part)
            around.key = None
        holder.size += part.size
        if holder.size > MOST_VALUES:
            raise YamlRefused("yaml_expands", part.place, limit=MOST_VALUES)
        if part.depth >= holder.depth:
            holder.depth = part.depth + 1

    def _put(self, around: _Open, key: Part, part: Part) -> None:
        value, pairs = around.part.value, around.part.pairs
        assert isinstance(value, dict)
        assert pairs is not None
        name = _name_of(key)
        if name == _MERGE:
            around.merged.update(_merge(part, value, pairs))
            return
        if name in pairs and name not in around.merged:
            self._repeated.append((*self._path(), name))
        around.merged.discard(name)
        value[name] = part.value
        pairs[name] = (key, part)

    def _path(self) -> Path:
        """Of the mapping or list that is being read."""
        steps: list[str | int] = []
        for each in self._around[:-1]:
            if each.part.items is not None:
                steps.append(len(each.part.items))
            elif each.key is not None:
                steps.append(_name_of(each.key))
        return tuple(steps)


def _name_of(key: Part) -> str:
    return key.value if isinstance(key.value, str) else json.dumps(key.value)


def _merge(
    part: Part, value: dict[str, JsonValue], pairs: dict[str, tuple[Part, Part]]
) -> Iterator[str]:
    """`<<: *other`, or a list of such: what the mapping itself says goes first."""
    for source in part.items if part.items is not None else [part]:
        if source.pairs is None:
            raise YamlRefused("yaml_merge", source.place)
        for name, (key, each) in source.pairs.items():
            if name not in value:
                value[name] = each.value
                pairs[name] = (key, each)
                yield name


def _place(event: Any) -> Place:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _scalar_of(event: Any) -> JsonValue:
    text: str = event.value
    if _HIDDEN_OPENING in text:
        text = _shown(text)
    # Quoted, in a block, or tagged as text.
    if event.style or event.tag in _TEXT_TAGS or not event.implicit[0]:
        return text
    return _plain(text)


def _plain(text: str) -> JsonValue:
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text[0] not in "0123456789+-.":
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text
