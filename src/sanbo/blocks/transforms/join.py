"""The rows of two tables side by side, where their keys are the same (`transforms.join`); fields of
a second table, found by a key, beside the rows of the first (`transforms.lookup`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import Option, chosen_fields, read_as
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.rows import (
    Row,
    Rows,
    fields_in,
    grouped,
    known_as,
    require_field,
    shared_key,
    value_at,
)
from sanbo.tables.values import Key, Match, Vocabulary

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
    lacking: Sequence[InvalidInput] = ()
    """Fields that were selected and no row has: they are empty."""

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
    return Columns(columns, lacking=choice.lacking)


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
        self.lacking: list[InvalidInput] = []

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
        source = known_as(self._rows[side], source)
        try:
            require_field(self._rows[side], source, "select")
        except InvalidInput as lacking:
            self.lacking.append(lacking)
        own = next((column.name for column in of_side if column.source == source), source)
        return [Column(name or own, side, source, source in self._shared)]


def _check_names(columns: Sequence[Column]) -> None:
    names = Counter(column.name for column in columns)
    for name, count in names.items():
        if count > 1:
            raise InvalidInput("transform_columns_clash", name=name)


Strategy = Literal["first", "inner", "left", "right", "outer", "anti", "semi"]
_STRATEGIES = Vocabulary[Strategy](
    {
        "first": "",
        "inner": "all",
        "left": "left_outer",
        "right": "right_outer",
        "outer": "full full_outer",
        "anti": "left_anti",
        "semi": "left_semi",
    }
)
MOST_ROWS = 1_000_000

Keys = tuple[Key, ...]
Pair = tuple[int | None, int | None]
"""Rows of left and right by number; None where there is no partner."""


class Options(Option):
    match: Match = "matching"
    duplicates: Literal["all", "first", "fail"] = "all"
    """Where one left row has several partners: all of them, the first, or a problem."""
    left_prefix: str = ""
    right_prefix: str = ""
    suffix: str = "_right"


class Join(Transform[Given]):
    needed = ("left", "right")

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        options = read_as(Options, given.options, "options")
        strategy = _STRATEGIES.find(given.strategy)
        if strategy is None:
            raise InvalidInput(
                "transform_strategy_unknown", given=given.strategy, known=str(_STRATEGIES)
            )
        if strategy == "first":
            strategy, options = "inner", options.model_copy(update={"duplicates": "first"})
        left_names, right_names = key_fields(given.left_key, given.right_key)
        left_names = [known_as(given.left, name) for name in left_names]
        right_names = [known_as(given.right, name) for name in right_names]
        left_keys = keys_of(given.left, left_names, options.match, "left_key")
        right_keys = keys_of(given.right, right_names, options.match, "right_key")
        partners = _by_key(right_keys)
        _check_duplicates(left_keys, partners, options)
        if options.duplicates == "first":
            partners = {key: numbers[:1] for key, numbers in partners.items()}
        pairs = _pairs(strategy, left_keys, right_keys, partners)
        columns = columns_of(
            given.left,
            given.right,
            shared=[
                one for one, other in zip(left_names, right_names, strict=True) if one == other
            ],
            select=given.select,
            prefixes=(options.left_prefix, options.right_prefix),
            suffix=options.suffix,
            left_only=strategy in ("anti", "semi"),
        )
        for lacking in columns.lacking:
            context.warn(lacking)
        rows = [_row(columns, given, pair) for pair in pairs]
        return {"rows": rows, "summary": _summary(given, rows, left_keys, right_keys, columns)}


def key_fields(left: JsonValue, right: JsonValue) -> tuple[list[str], list[str]]:
    """Field names of both sides, as many on the one as on the other."""
    left_names = _names(left, "left_key")
    right_names = left_names if right in (None, "", []) else _names(right, "right_key")
    if len(left_names) != len(right_names):
        raise InvalidInput("transform_keys_uneven", left=len(left_names), right=len(right_names))
    return left_names, right_names


def _names(value: JsonValue, port: str) -> list[str]:
    names = read_as(list[str], value if isinstance(value, list) else [value], port)
    if not names or not all(names):
        raise InvalidInput("transform_keys_empty", port=port)
    return names


def keys_of(rows: Rows, names: Sequence[str], match: Match, port: str) -> list[Keys | None]:
    """None where a part of the key is empty: such a row has no partner."""
    for name in names:
        require_field(rows, name, port)
    keys = [shared_key(row, names, match) for row in rows]
    return [_complete(key) for key in keys]


def _complete(key: tuple[Key | None, ...]) -> Keys | None:
    parts = tuple(part for part in key if part is not None)
    return parts if len(parts) == len(key) else None


def _by_key(keys: Sequence[Keys | None]) -> dict[Keys, list[int]]:
    return {key: numbers for key, numbers in grouped(keys).items() if key is not None}


def _check_duplicates(
    keys: Sequence[Keys | None], partners: Mapping[Keys, list[int]], options: Options
) -> None:
    """Before anything is built: two tables of one repeated key make millions of rows."""
    counts = [len(partners.get(key, ())) if key is not None else 0 for key in keys]
    if options.duplicates == "fail":
        for number, count in enumerate(counts):
            if count > 1:
                shown = ", ".join(str(part[1]) for part in keys[number] or ())
                raise InvalidInput("transform_join_duplicates", key=shown, row=number, count=count)
    elif options.duplicates == "all" and sum(counts) > MOST_ROWS:
        raise LimitExceeded("transform_join_too_large", rows=sum(counts), limit=MOST_ROWS)


def _pairs(
    strategy: Strategy,
    left: Sequence[Keys | None],
    right: Sequence[Keys | None],
    partners: Mapping[Keys, list[int]],
) -> Iterator[Pair]:
    """In the order of the left rows, in a right join of the right ones."""
    if strategy == "right":
        at_left = _by_key(left)
        kept = {number for numbers in partners.values() for number in numbers}
        for number, key in enumerate(right):
            found = at_left.get(key, []) if key is not None and number in kept else []
            yield from ((one, number) for one in found)
            if not found:
                yield None, number
        return
    used: set[int] = set()
    for number, key in enumerate(left):
        found = partners.get(key, []) if key is not None else []
        if strategy in ("anti", "semi"):
            if bool(found) is (strategy == "semi"):
                yield number, None
            continue
        yield from ((number, other) for other in found)
        used.update(found if strategy == "outer" else ())
        if not found and strategy != "inner":
            yield number, None
    if strategy == "outer":
        yield from ((None, number) for number in range(len(right)) if number not in used)


def _row(columns: Columns, given: Given, pair: Pair) -> Row:
    left, right = pair
    return columns.row(
        None if left is None else given.left[left],
        None if right is None else given.right[right],
    )


def _summary(
    given: Given,
    rows: Rows,
    left: Sequence[Keys | None],
    right: Sequence[Keys | None],
    columns: Columns,
) -> Row:
    at_left, at_right = set(left) - {None}, set(right) - {None}
    return {
        "left": len(given.left),
        "right": len(given.right),
        "rows": len(rows),
        "matches": len(rows),
        "matched_left": sum(key in at_right for key in left),
        "matched_right": sum(key in at_left for key in right),
        "unmatched_left": sum(key not in at_right for key in left),
        "unmatched_right": sum(key not in at_left for key in right),
        "empty_keys_left": sum(key is None for key in left),
        "empty_keys_right": sum(key is None for key in right),
        "repeated_keys_right": sum(len(numbers) > 1 for numbers in _by_key(right).values()),
        "renamed": dict(columns.renamed),
    }


# ---- `transforms.lookup` -------------------------------------------------------------------------


class Lookup(Transform[Given]):
    needed = ("items", "table")

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        names, table_names = key_fields(given.key, given.table_key)
        names = [known_as(given.items, name) for name in names]
        table_names = [known_as(given.table, name) for name in table_names]
        keys = keys_of(given.items, names, given.match, "key")
        entries: dict[Any, Row] = {}
        repeated = 0
        for row, key in zip(
            given.table, keys_of(given.table, table_names, given.match, "table_key"), strict=True
        ):
            repeated += key in entries
            if key is not None:
                entries.setdefault(key, row)
        fields = chosen_fields(given.fields, given.table, "fields") or {
            name: name for name in fields_in(given.table) if name not in table_names
        }
        rows: Rows = []
        unmatched: Rows = []
        for row, key in zip(given.items, keys, strict=True):
            found = entries.get(key) if key is not None else None
            if found is None:
                unmatched.append(row)
            added = {
                name: given.default if found is None else value_at(found, field)
                for name, field in fields.items()
            }
            rows.append({**row, **added})
        if unmatched:
            missing = InvalidInput(
                "lookup_unmatched",
                count=len(unmatched),
                first=" / ".join(str(value_at(unmatched[0], name)) for name in names)[:80],
            )
            if given.on_missing == "fail":
                raise missing
            context.warn(missing)
        return {
            "rows": rows,
            "unmatched": unmatched,
            "summary": {
                "input": len(rows),
                "matched": len(rows) - len(unmatched),
                "unmatched": len(unmatched),
                "repeated_keys": repeated,
                "fields": list(fields),
            },
        }
