"""Which columns a join gives, and what they are called."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from sanbo.blocks.transforms.options import read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, Rows, fields_in, require_field, value_at

_LEFT, _RIGHT = "left", "right"


@dataclass(frozen=True)
class Column:
    name: str
    side: str
    source: str
    is_key: bool = False
    """A key of both sides under one name: whichever side is there gives it."""


@dataclass(frozen=True)
class Columns:
    columns: Sequence[Column]
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns of the right that gave way to one of the left."""

    def row(self, left: Row | None, right: Row | None) -> Row:
        made: Row = {}
        for column in self.columns:
            source = left if column.side == _LEFT else right
            if source is None and column.is_key:
                source = right if column.side == _LEFT else left
            made[column.name] = None if source is None else value_at(source, column.source)
        return made


def columns_of(
    left: Rows,
    right: Rows,
    *,
    shared: Sequence[str],
    select: JsonValue,
    prefixes: tuple[str, str],
    suffix: str,
    left_only: bool,
) -> Columns:
    """`shared`: keys that are called the same on both sides."""
    if left_only:
        right = []
    every = _every(left, right, shared, prefixes, suffix)
    if select is None or select in ([], {}):
        return every
    choice = _Choice(every, left, right, frozenset(shared))
    columns = [column for name, source in _selected(select) for column in choice.of(name, source)]
    _check_names(columns)
    return Columns(columns)


def _every(
    left: Rows, right: Rows, shared: Sequence[str], prefixes: tuple[str, str], suffix: str
) -> Columns:
    columns = [
        Column(prefixes[0] + name if name not in shared else name, _LEFT, name, name in shared)
        for name in fields_in(left) or shared
    ]
    taken = {column.name for column in columns}
    renamed: dict[str, str] = {}
    for name in fields_in(right):
        if name in shared:
            continue
        free = prefixes[1] + name
        while free in taken:
            free += suffix or "_"
        if free != prefixes[1] + name:
            renamed[name] = free
        taken.add(free)
        columns.append(Column(free, _RIGHT, name))
    return Columns(columns, renamed)


def _selected(select: JsonValue) -> list[tuple[str, str]]:
    """(new name, source); the name is empty where the column keeps its own.

    `[取引先, right.金額]`, `{left: [取引先], right: [金額]}` or `{入金額: right.金額}`.
    """
    if isinstance(select, dict):
        if set(select) <= {_LEFT, _RIGHT} and not any(isinstance(x, str) for x in select.values()):
            return [
                (name, f"{side}.{source}")
                for side, part in select.items()
                for name, source in _selected(part)
            ]
        return list(read_as(dict[str, str], select, "select").items())
    chosen: list[tuple[str, str]] = []
    for one in read_as(list[str | dict[str, str]], select, "select"):
        if isinstance(one, str):
            name, _, new = one.partition(" as ")
            chosen.append((new.strip(), name.strip()))
        elif "field" in one:
            chosen.append((one.get("as", ""), one["field"]))
        else:
            chosen.extend((new, source) for new, source in one.items())
    return chosen


class _Choice:
    """Columns as a `select` names them: `金額`, `right.金額`, `left.*`, `*`."""

    def __init__(self, every: Columns, left: Rows, right: Rows, shared: frozenset[str]) -> None:
        self._every = every.columns
        self._rows = {_LEFT: left, _RIGHT: right}
        self._at_left = frozenset(fields_in(left))
        self._at_right = frozenset(fields_in(right))
        self._shared = shared

    def of(self, name: str, source: str) -> list[Column]:
        side, _, rest = source.partition(".")
        if source == "*":
            return list(self._every)
        if side in (_LEFT, _RIGHT) and rest:
            return self._of_side(name, side, rest)
        for column in self._every:
            if column.name == source:
                return [replace(column, name=name or source)]
        if side in self._at_left:
            return [Column(name or source, _LEFT, source)]
        if self._rows[_RIGHT] and side not in self._at_right:
            require_field([*self._rows[_LEFT], *self._rows[_RIGHT]], source, "select")
        return [Column(name or source, _RIGHT, source)]

    def _of_side(self, name: str, side: str, source: str) -> list[Column]:
        of_side = [column for column in self._every if column.side == side]
        if source == "*":
            return of_side
        require_field(self._rows[side], source, "select")
        own = next((column.name for column in of_side if column.source == source), source)
        return [Column(name or own, side, source, source in self._shared)]


def _check_names(columns: Sequence[Column]) -> None:
    names = Counter(column.name for column in columns)
    for name, count in names.items():
        if count > 1:
            raise InvalidInput("transform_columns_clash", name=name)
