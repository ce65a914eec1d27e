"""transforms.group_by_agg: rows put together by what they have in common, and figures of each."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.contract.schemas import schema_by_example
from sanbo.blocks.spec import Schema
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.aggregates import AGGREGATES, SEPARATOR, Figure, Unreadable
from sanbo.tables.rows import (
    Row,
    Rows,
    grouped,
    in_order,
    known_as,
    require_field,
    shared_key,
    value_at,
)
from sanbo.tables.values import Match, is_blank

_CALL = re.compile(r"\s*+(\w++)\s*+\((.*)\)\s*+")


class Options(Option):
    match: Match = "matching"
    drop_empty: bool = False
    """Leave out rows whose group field is empty; else they are a group of their own."""
    sort_by: str = ""
    descending: bool = False


class GroupByAgg(Transform[Given]):
    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        figures = read_aggregations(given.get("aggregations"))
        groups: Row = dict.fromkeys(_group_fields(given.get("by")).values(), "A")
        row = {**groups, **{one.name: one.of(["1", "2"])[0] for one in figures}}
        return {"rows": schema_by_example([row])}

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        options = read_as(Options, given.options, "options")
        names = _group_fields(given.by)
        figures = read_aggregations(given.aggregations)
        names = {known_as(given.items, path): name for path, name in names.items()}
        figures = [replace(one, field=known_as(given.items, one.field)) for one in figures]
        _check(given.items, names, figures)
        groups, dropped = _grouped(given.items, names, options)
        unreadable = Unreadable()
        rows: Rows = []
        for numbers in groups:
            first: Row = given.items[numbers[0]] if numbers else {}
            row: Row = {name: value_at(first, path) for path, name in names.items()}
            for figure in figures:
                values = [value_at(given.items[number], figure.field) for number in numbers]
                row[figure.name], odd = figure.of(values)
                if figure.kind == "sum" and len(odd) == sum(not is_blank(one) for one in values):
                    row[figure.name] = None  # of nothing: no sum, and not 0
                unreadable.add(figure.field, [(numbers[at], values[at]) for at in odd])
            rows.append(row)
        if unreadable.count:
            context.warn(unreadable.told("transform_unreadable"))
        if options.sort_by:
            require_field(list[JsonValue](rows), options.sort_by, "options.sort_by")
            rows = in_order(rows, lambda row: row[options.sort_by], descending=options.descending)
        return {
            "rows": rows,
            "summary": {
                "items": len(given.items),
                "groups": len(rows),
                "by": list(names.values()),
                "dropped": dropped,
                "unreadable": unreadable.count,
                "unreadable_examples": unreadable.examples,
            },
        }


def _group_fields(by: JsonValue) -> dict[str, str]:
    """Path → name in the result. `取引先`, `[取引先, 月]`, `{field: 取引先.名称, as: 取引先}`."""
    if by is None or by == "":
        return {}
    given = read_as(list[str | dict[str, str]], by if isinstance(by, list) else [by], "by")
    names: dict[str, str] = {}
    for one in given:
        if isinstance(one, str):
            names[one] = one
        elif "field" in one:
            names[one["field"]] = one.get("as", one["field"])
        else:
            raise InvalidInput("transform_option_invalid", port="by", reason="field?")
    return names


def _check(items: Rows, names: Mapping[str, str], figures: list[Figure]) -> None:
    for path in names:
        require_field(items, path, "by")
    for figure in figures:
        if figure.field:
            require_field(items, figure.field, "aggregations")
    taken = set(names.values())
    for figure in figures:
        if figure.name in taken:
            raise InvalidInput("transform_columns_clash", name=figure.name)
        taken.add(figure.name)


def _grouped(
    items: Rows, names: Mapping[str, str], options: Options
) -> tuple[list[list[int]], int]:
    """Numbers of the rows of each group, groups in the order in which they first come up."""
    if not names:
        return [list(range(len(items)))], 0
    groups = grouped(shared_key(item, names, options.match) for item in items)
    kept = [numbers for key, numbers in groups.items() if not (options.drop_empty and None in key)]
    return kept, len(items) - sum(map(len, kept))


class _Written(Option):
    field: str = Field(default="", validation_alias=AliasChoices("field", "column"))
    op: str = Field(
        default="", validation_alias=AliasChoices("op", "agg", "func", "function", "operation")
    )
    as_: str = Field(default="", validation_alias=AliasChoices("as", "name", "alias"))
    separator: str = SEPARATOR


def read_aggregations(given: JsonValue) -> list[Figure]:
    """Without any, the rows are counted."""
    if given is None or given in ([], {}):
        return [Figure("count", "count_all")]
    if isinstance(given, dict):
        return [figure for name, one in given.items() for figure in _named(name, one)]
    entries = given if isinstance(given, list) else [given]
    return [_figure(read_as(_Written, one, "aggregations")) for one in entries]


def _named(name: str, given: JsonValue) -> list[Figure]:
    """`合計: {field: 金額, op: sum}`, `合計: sum(金額)`, `金額: sum`, `金額: [sum, avg]`."""
    if isinstance(given, dict):
        written = read_as(_Written, given, f"aggregations.{name}")
        return [_figure(written.model_copy(update={"as_": written.as_ or name}))]
    if isinstance(given, list):
        ops = read_as(list[str], given, f"aggregations.{name}")
        return [_figure(_Written(field=name, op=op, as_=f"{name}_{op}")) for op in ops]
    word = read_as(str, given, f"aggregations.{name}")
    if found := _CALL.fullmatch(word):
        field = "" if (inside := found[2].strip()) == "*" else inside
        return [_figure(_Written(field=field, op=found[1], as_=name))]
    return [_figure(_Written(field=name, op=word, as_=name))]


def _figure(written: _Written) -> Figure:
    is_of_filled = written.op.strip().lower() == "count_filled"
    kind = "count" if is_of_filled else AGGREGATES.find(written.op or "sum")
    if kind is None:
        raise InvalidInput("transform_aggregation_unknown", given=written.op, known=str(AGGREGATES))
    if kind == "count_all" or (kind == "count" and not is_of_filled):
        named = f"{written.field}_count" if written.field else "count"
        return Figure(written.as_ or named, "count_all")
    if not written.field:
        raise InvalidInput("transform_aggregation_field", op=kind)
    name = written.as_ or f"{written.field}_{kind}"
    return Figure(name, kind, written.field, written.separator)
