"""transforms.group_by_agg: rows put together by what they have in common, and figures of each."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, BlockInputs
from sanbo.blocks.transforms.aggregations import Figure, figure_of, read_aggregations
from sanbo.blocks.transforms.comparing import Match, key_of
from sanbo.blocks.transforms.options import Option, Row, Rows, read_as, require_field, value_at
from sanbo.blocks.transforms.outlining import Transform
from sanbo.kernel.problems import InvalidInput

_MOST_EXAMPLES = 20


class Options(Option):
    match: Match = "matching"
    drop_empty: bool = False
    """Leave out rows whose group field is empty; else they are a group of their own."""
    sort_by: str = ""
    descending: bool = False


class GroupInputs(BlockInputs):
    items: Rows
    by: JsonValue = None
    aggregations: JsonValue = None
    options: Row = Field(default_factory=Row)


class GroupByAgg(Transform[GroupInputs]):
    Inputs = GroupInputs

    @classmethod
    @override
    def row(cls, given: Mapping[str, JsonValue]) -> Row:
        figures = read_aggregations(given.get("aggregations"))
        groups: Row = dict.fromkeys(_group_fields(given.get("by")).values(), "A")
        return {**groups, **{one.name: figure_of(one, ["1", "2"])[0] for one in figures}}

    @override
    def run(self, given: GroupInputs, context: BlockContext) -> Mapping[str, Any]:
        options = read_as(Options, given.options, "options")
        names = _group_fields(given.by)
        figures = read_aggregations(given.aggregations)
        _check(given.items, names, figures)
        groups, dropped = _grouped(given.items, names, options)
        unreadable: list[Row] = []
        counts = 0
        rows: Rows = []
        for numbers in groups:
            first = given.items[numbers[0]] if numbers else {}
            row: Row = {name: value_at(first, path) for path, name in names.items()}
            for figure in figures:
                values = [value_at(given.items[number], figure.field) for number in numbers]
                row[figure.name], odd = figure_of(figure, values if figure.field else numbers)
                counts += len(odd)
                unreadable.extend(
                    {"row": numbers[place], "field": figure.field, "value": values[place]}
                    for place in odd[: _MOST_EXAMPLES - len(unreadable)]
                )
            rows.append(row)
        return {
            "rows": _sorted(rows, options),
            "summary": {
                "items": len(given.items),
                "groups": len(rows),
                "dropped": dropped,
                "unreadable": counts,
                "unreadable_examples": unreadable,
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
    groups: dict[tuple[object, ...], list[int]] = {}
    dropped = 0
    for number, item in enumerate(items):
        key = tuple(key_of(value_at(item, path), options.match) for path in names)
        if options.drop_empty and None in key:
            dropped += 1
            continue
        groups.setdefault(key, []).append(number)
    return list(groups.values()), dropped


def _sorted(rows: Rows, options: Options) -> Rows:
    if not options.sort_by:
        return rows
    require_field(rows, options.sort_by, "options.sort_by")
    return sorted(rows, key=lambda row: _place(row[options.sort_by]), reverse=options.descending)


def _place(value: JsonValue) -> tuple[str, Any]:
    """Numbers, then texts, days among themselves; what is empty comes first."""
    return key_of(value) or ("", "")
