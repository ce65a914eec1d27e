"""Lists of rows: in another order, without repetitions, fewer, by their place, or several as one
(`transforms.sort`, `.distinct`, `.limit`, `.select_by_indices`, `.union`, `.flatten_items`).
"""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import Option, listed, read_as
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.rows import (
    MISSING,
    Missing,
    Row,
    Rows,
    fields_in,
    in_order,
    known_as,
    path_of,
    require_field,
    shared_key,
    value_at,
)
from sanbo.tables.values import key_of

_SIGN = "-"


class Order(Option):
    field: str
    descending: bool = False
    order: list[JsonValue] | None = None
    """Values in the order wanted, others behind them: `[高, 中, 低]`."""


class Sort(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        orders = _orders(given.by, given.descending)
        rows: Rows = list(given.items)
        for order in reversed(orders):  # the first counts most: it is sorted by last
            field = known_as(given.items, order.field)
            require_field(given.items, field, "by")
            rows = _sorted(rows, field, order)
        names = [order.field for order in orders]
        return {"rows": rows, "summary": {"rows": len(rows), "by": names}}


def _orders(by: JsonValue, descending: bool) -> list[Order]:
    """`金額`, `-金額`, `[部署, -金額]`, `{field: 区分, order: [高, 中, 低]}`."""
    found: list[Order] = []
    for each in listed(by):
        if isinstance(each, str):
            is_turned = each.startswith(_SIGN) and len(each) > 1
            name = each.removeprefix(_SIGN) if is_turned else each
            found.append(Order(field=name, descending=is_turned or descending))
        else:
            found.append(read_as(Order, each, "by"))
    if not found:
        raise InvalidInput("transform_keys_empty", port="by")
    return found


def _sorted(rows: Rows, field: str, order: Order) -> Rows:
    if order.order is None:
        return in_order(rows, lambda row: value_at(row, field), descending=order.descending)
    places = {key_of(value): place for place, value in enumerate(order.order)}
    last = len(places)
    ranked = sorted(rows, key=lambda row: places.get(key_of(value_at(row, field)), last))
    return ranked[::-1] if order.descending else ranked


class Distinct(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        names = [known_as(given.items, name) for name in read_as(list[str], listed(given.by), "by")]
        for name in names:
            require_field(given.items, name, "by")
        rows: Rows = []
        duplicates: Rows = []
        seen: set[Hashable] = set()
        items: Rows = given.items if given.keep == "first" else given.items[::-1]
        every = names or fields_in(given.items)
        for row in items:
            key = shared_key(row, every, given.match) if every else key_of(row)
            (duplicates if key in seen else rows).append(row)
            seen.add(key)
        if given.keep == "last":
            rows, duplicates = rows[::-1], duplicates[::-1]
        return {
            "rows": rows,
            "duplicates": duplicates,
            "summary": {"input": len(items), "rows": len(rows), "duplicates": len(duplicates)},
        }


class Limit(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        items: Rows = given.items
        start = (
            given.offset if given["from"] == "start" else len(items) - given.offset - given.count
        )
        first, last = max(start, 0), max(start + given.count, 0)
        rows = items[first:last]
        rest = [*items[:first], *items[last:]]
        return {
            "rows": rows,
            "rest": rest,
            "summary": {"input": len(items), "rows": len(rows), "left_out": len(rest)},
        }


class Union(Transform[Given]):
    needed = ("tables",)

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        tables = _tables(given.tables)
        columns = _columns([rows for _, rows in tables], given.columns)
        source: str = given.source_field
        if source and source in columns:
            raise InvalidInput("transform_columns_clash", name=source)
        rows: Rows = []
        for name, table in tables:
            for row in table:
                made = {column: row.get(column) for column in columns}
                rows.append({source: name, **made} if source else made)
        counts: dict[str, JsonValue] = {name: len(table) for name, table in tables}
        lacking = {
            name: [column for column in columns if column not in fields_in(table)]
            for name, table in tables
            if table
        }
        return {
            "rows": rows,
            "summary": {
                "rows": len(rows),
                "tables": counts,
                "columns": columns,
                "lacking": {name: missing for name, missing in lacking.items() if missing},
            },
        }


def _tables(given: JsonValue) -> list[tuple[str, Rows]]:
    """By name, or by their place from 1; one that is null has no rows."""
    named = given.items() if isinstance(given, dict) else enumerate(listed(given), start=1)
    return [(str(name), read_as(Rows, rows or [], f"tables.{name}")) for name, rows in named]


def _columns(tables: Sequence[Rows], wanted: Literal["all", "common"]) -> list[str]:
    every = fields_in([row for table in tables for row in table])
    filled = [set(fields_in(table)) for table in tables if table]
    if wanted == "all":
        return every
    return [name for name in every if all(name in names for names in filled)]


# ---- `transforms.select_by_indices` --------------------------------------------------------------


_PART = re.compile(r"(-?\d{1,9})(?:\s*(?:-|\.\.|～|〜|:)\s*(-?\d{1,9}))?")
_MOST = 1_000_000


class SelectByIndices(Transform[Given]):
    is_tried_empty = False

    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        for _ in _ranges(given.get("indices")):
            pass  # not counted through: each may be a million

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        places: list[int] = []
        missing: list[int] = []
        for index in _indices(given.indices):
            place = index - given.start if index >= 0 else index + len(given.items)
            if 0 <= place < len(given.items):
                places.append(place)
            elif given.on_missing == "skip":
                missing.append(index)
            else:
                raise _out_of_range(index, given)
            if len(places) + len(missing) > _MOST:
                raise LimitExceeded("transform_indices_too_many", limit=_MOST)
        if given.exclude:
            left_out = set(places)
            places = [place for place in range(len(given.items)) if place not in left_out]
        rows = [_row(given.items[place]) for place in places]
        if missing:
            context.warn(_out_of_range(missing[0], given))
        return {
            "rows": rows,
            "summary": {"total": len(given.items), "selected": len(rows), "missing": missing},
        }


def _row(item: JsonValue) -> JsonValue:
    return item if isinstance(item, dict) else {"value": item}


def _indices(given: JsonValue) -> Iterator[int]:
    for each in _ranges(given):
        yield from each


def _ranges(given: JsonValue) -> Iterator[range]:
    """`[0, 2]`, `"0, 2-4"`, or entries that have an `index`, such as a search's results."""
    for entry in listed(given):
        one = entry.get("index") if isinstance(entry, dict) else entry
        if isinstance(one, str):
            yield from _written(one)
        elif isinstance(one, int | float) and not isinstance(one, bool) and one == int(one):
            yield range(int(one), int(one) + 1)
        else:
            raise InvalidInput("transform_index_unreadable", given=str(one)[:80])


def _written(text: str) -> Iterator[range]:
    for part in re.split(r"[,、，\s]+", text.strip()):
        found = _PART.fullmatch(part)
        if found is None:
            raise InvalidInput("transform_index_unreadable", given=text[:80])
        first = int(found[1])
        last = int(found[2]) if found[2] else first
        if last - first > _MOST:
            raise LimitExceeded("transform_indices_too_many", limit=_MOST)
        yield range(first, last + 1)


def _out_of_range(index: int, given: Given) -> InvalidInput:
    last = len(given.items) - 1 + given.start
    return InvalidInput(
        "transform_index_missing", index=index, first=given.start, last=last, count=len(given.items)
    )


# ---- `transforms.flatten_items` ------------------------------------------------------------------


_DEEPEST = 20


class FlattenItems(Transform[Given]):
    needed = ("results_list",)

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        results = listed(given.results_list)
        items: list[JsonValue] = []
        empty = dropped = 0
        for index, result in enumerate(results):
            every = list(_items(result, given, 0))
            found = [item for item in every if isinstance(item, dict)]
            dropped += len(every) - len(found)
            empty += not found
            items.extend(_marked(item, result, index, given) for item in found)
        return {
            "items": items,
            "summary": {
                "results": len(results),
                "items": len(items),
                "empty": empty,
                "dropped": dropped,
            },
        }


def _items(
    result: JsonValue, given: Given, depth: int, *, is_inside: bool = False
) -> Iterator[JsonValue]:
    """`is_inside`: below a result's own list, what is a mapping is an item, whatever it holds."""
    if result is None:
        return
    if depth > _DEEPEST:
        raise InvalidInput("transform_flatten_deep", limit=_DEEPEST)
    if isinstance(result, list):
        for one in result:
            yield from _items(one, given, depth + 1, is_inside=is_inside)
        return
    inner = MISSING if is_inside else _inner(result, given.key)
    if isinstance(inner, Missing):
        yield result
    else:
        is_items = isinstance(result, dict) and inner is result.get("items")
        is_own = isinstance(inner, list) and (bool(given.key) or is_items)
        yield from _items(inner, given, depth + 1, is_inside=is_own)


def _inner(result: JsonValue, key: str | None) -> JsonValue | Missing:
    """The list inside a result; a mapping without one is an item itself."""
    if not isinstance(result, dict):
        return MISSING
    if key:
        return path_of(key).of(result)
    if isinstance(result.get("items"), list):
        return result["items"]
    within = [name for name in result if name == "results" or name.endswith("_results")]
    inside = [result[name] for name in within if isinstance(result[name], list | dict)]
    return inside[0] if len(inside) == 1 else inside or MISSING


def _marked(item: JsonValue, result: JsonValue, index: int, given: Given) -> JsonValue:
    """With the fields of its result that are to be kept, and its place in the list."""
    names = [str(name) for name in listed(given.keep)]
    if not isinstance(item, dict) or not (names or given.index_as):
        return item
    marked: Row = {}
    if given.index_as:
        marked[given.index_as] = index
    if isinstance(result, dict):
        marked |= {name: result.get(name) for name in names}
    return {**marked, **item}
