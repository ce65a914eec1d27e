"""YAML as data with positions: nothing in it is code, and nothing in it can grow without bound.

Read event by event, so that depth and size are bounded before anything is built. Scalars follow
YAML 1.2: `no` and `on` are words, `0012` is a code and not a number, a date is its text.
"""

import json
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

_parse = cast("Any", yaml.parse)  # pyright: ignore[reportUnknownMemberType]
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# `{expr: ${a.b}}` is how people write: inside `${…}` brackets, commas and colons are not YAML's.
_REFERENCE = re.compile(r"\$\{[^{}\n]*\}")
_SIGNS = "{}[],:#"
_HIDDEN = {ord(sign): 0xE000 + index for index, sign in enumerate(_SIGNS)}
_SHOWN = {hidden: sign for sign, hidden in _HIDDEN.items()}
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
_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "seq", "map", "timestamp", "merge")
)
_TEXT_TAG = "tag:yaml.org,2002:str"


class YamlRefused(Exception):
    """`code` names the finding."""

    def __init__(self, code: str, place: Place = (1, 1), **params: object) -> None:
        self.code = code
        self.place = place
        self.params = params
        super().__init__(code)


@dataclass(frozen=True)
class Marks:
    """Where in the text each part of a plan stands."""

    keys: dict[Path, Place] = field(default_factory=dict[Path, Place])
    values: dict[Path, Place] = field(default_factory=dict[Path, Place])

    def at(self, *path: str | int) -> Place:
        """Of a key, or of an item of a list; of the nearest part around it that is there."""
        return self.keys.get(self._known(path), (1, 1))

    def value_at(self, *path: str | int) -> Place:
        return self.values.get(self._known(path), (1, 1))

    def _known(self, path: Path) -> Path:
        """Steps that are not written, such as a `plan` that was left out, are passed over."""
        known: Path = ()
        for step in path:
            if (*known, step) in self.keys:
                known = (*known, step)
        return known


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
    hidden = _REFERENCE.sub(lambda found: "$" + found[0][1:].translate(_HIDDEN), text)
    try:
        return _Reader(hidden).read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise YamlRefused("yaml_unreadable", place, reason=error.problem or "YAML") from None
    except (yaml.YAMLError, ValueError) as error:
        raise YamlRefused("yaml_unreadable", reason=str(error).splitlines()[0][:200]) from None


def _place_of(text: str, position: int) -> Place:
    line = text.count("\n", 0, position)
    return line + 1, position - (text.rfind("\n", 0, position) + 1) + 1


@dataclass
class _Written:
    """A part of the file before aliases are expanded."""

    place: Place
    scalar: JsonValue = None
    pairs: "list[tuple[str, Place, _Written]] | None" = None
    items: "list[_Written] | None" = None


class _Composing:
    """Puts parts together as they come; never deeper than is allowed."""

    def __init__(self) -> None:
        self.root: _Written | None = None
        self._around: list[tuple[_Written, tuple[str, Place] | None]] = []
        self._key: tuple[str, Place] | None = None

    def open(self, made: _Written, place: Place) -> None:
        if len(self._around) >= MOST_DEPTH:
            raise YamlRefused("yaml_too_deep", place, limit=MOST_DEPTH)
        if self._around and self._around[-1][0].pairs is not None and self._key is None:
            raise YamlRefused("yaml_key", place)
        self._around.append((made, self._key))
        self._key = None

    def close(self) -> None:
        made, self._key = self._around.pop()
        self.add(made)

    def add(self, made: _Written) -> None:
        if not self._around:
            self.root = made
            return
        around = self._around[-1][0]
        if around.items is not None:
            around.items.append(made)
        elif self._key is None:
            self._key = _key_of(made)
        else:
            assert around.pairs is not None
            around.pairs.append((*self._key, made))
            self._key = None


def _key_of(made: _Written) -> tuple[str, Place]:
    if made.pairs is not None or made.items is not None:
        raise YamlRefused("yaml_key", made.place)
    if isinstance(made.scalar, str):
        return made.scalar, made.place
    return json.dumps(made.scalar), made.place


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._anchors: dict[str, _Written] = {}
        self._count = 0
        self._marks = Marks()
        self._repeated: list[Path] = []

    def read(self) -> Tree:
        root = self._compose()
        value = self._expand(root, (), ())
        return Tree(value, self._marks, tuple(self._repeated))

    def _compose(self) -> _Written:
        composing = _Composing()
        for event in cast("Iterator[Any]", _parse(self._text, Loader=_Loader)):
            if isinstance(event, yaml.DocumentStartEvent) and composing.root is not None:
                raise YamlRefused("yaml_several", _place(event))
            if isinstance(event, yaml.CollectionEndEvent):
                composing.close()
            elif isinstance(event, yaml.CollectionStartEvent):
                composing.open(self._begin(event), _place(event))
            elif isinstance(event, yaml.NodeEvent):
                composing.add(self._begin(event))
        if composing.root is None:
            raise YamlRefused("yaml_empty")
        return composing.root

    def _begin(self, event: Any) -> _Written:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise YamlRefused("yaml_unreadable", _place(event), reason=f"*{event.anchor}")
            return self._anchors[event.anchor]
        if event.tag is not None and event.tag not in _PLAIN_TAGS and event.tag != "!":
            raise YamlRefused("yaml_tag_refused", _place(event), tag=str(event.tag)[:100])
        made = _Written(_place(event))
        if isinstance(event, yaml.MappingStartEvent):
            made.pairs = []
        elif isinstance(event, yaml.SequenceStartEvent):
            made.items = []
        else:
            value = str(event.value).translate(_SHOWN)
            made.scalar = value if _is_text(event) else _scalar(value)
        if event.anchor:
            self._anchors[event.anchor] = made
        return made

    def _expand(self, part: _Written, path: Path, around: tuple[int, ...]) -> JsonValue:
        self._count += 1
        if self._count > MOST_VALUES:
            raise YamlRefused("yaml_expands", part.place, limit=MOST_VALUES)
        if id(part) in around or len(around) > MOST_DEPTH:
            raise YamlRefused("yaml_expands", part.place, limit=MOST_VALUES)
        self._marks.values[path] = part.place
        self._marks.keys.setdefault(path, part.place)
        inside = (*around, id(part))
        if part.items is not None:
            return [self._expand(item, (*path, n), inside) for n, item in enumerate(part.items)]
        if part.pairs is None:
            return part.scalar
        value: dict[str, JsonValue] = {}
        for name, place, item in part.pairs:
            if name == "<<" and (item.pairs is not None or item.items is not None):
                self._merge(item, value, path, inside)
                continue
            here = (*path, name)
            if name in value and here in self._marks.keys:
                self._repeated.append(here)
            self._marks.keys[here] = place
            value[name] = self._expand(item, here, inside)
        return value

    def _merge(
        self, item: _Written, value: dict[str, JsonValue], path: Path, around: tuple[int, ...]
    ) -> None:
        for source in item.items if item.items is not None else [item]:
            for name, place, each in source.pairs or ():
                if name not in value:
                    self._marks.keys[*path, name] = place
                    value[name] = self._expand(each, (*path, name), around)


def _place(event: Any) -> Place:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _is_text(event: Any) -> bool:
    """Quoted, in a block, or tagged as text."""
    return event.tag in (_TEXT_TAG, "!") or bool(event.style) or not event.implicit[0]


def _scalar(text: str) -> JsonValue:
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
