"""transforms.sort, .distinct, .limit, .union: the same rows in another order, fewer or together."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import Option, listed, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import (
    Rows,
    fields_in,
    in_order,
    known_as,
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
