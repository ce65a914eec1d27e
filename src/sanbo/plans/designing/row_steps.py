"""Steps on one table: rows kept, grouped, ordered, computed, picked."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.row_formula import column_expression
from sanbo.plans.designing.row_reading import Condition, Order

_UNITS = {
    "month": "year_month",
    "year": "year",
    "quarter": "quarter",
    "fiscal_year": "fiscal_year",
    "weekday": "weekday",
}
_SIGNS = {"eq": "==", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def _next(draft: Draft, node: str, port: str, rows: Rows, title: str = "") -> Rows:
    return draft.rows(f"${{{node}.{port}}}", title or rows.title, rows)


def keep(draft: Draft, rows: Rows, conditions: Sequence[Condition], port: str = "filtered") -> Rows:
    given = {"items": rows.ref, "conditions": list(conditions)}
    title = draft.say(f"filter_{port}", conditions=told(draft, conditions))
    return _next(draft, draft.add("filter", "transforms.filter", given, title=title), port, rows)


def told(draft: Draft, conditions: Sequence[Condition]) -> str:
    made: list[str] = []
    for one in conditions:
        if "any" in one or "all" in one:
            made.append(draft.say("combined"))
            continue
        value: Any = one.get("value_field", one.get("value", ""))
        several = cast("list[Any]", value) if isinstance(value, list) else [value]
        shown = draft.say("comma").join(map(str, several))
        shown = "…" if "${" in shown else shown
        name = f"operator.{one['operator']}"
        made.append(draft.say(name, column=one["field"], value=shown))
    return draft.say("comma").join(made)


def group(
    draft: Draft,
    rows: Rows,
    groups: Sequence[tuple[str, str | None]],
    measures: Sequence[tuple[str | None, str]],
) -> Rows:
    rows, by = _with_units(draft, rows, groups)
    measures = measures or [(None, "count")]
    shown: dict[str, dict[str, str]] = {}
    for column, op in measures:
        name = (
            draft.say("measure.count")
            if column is None
            else draft.say(f"measure.{op}", column=column)
        )
        shown[name] = {"op": "count"} if column is None else {"field": column, "op": op}
    for name in _one_to_one(rows, by):
        shown[name] = {"field": name, "op": "first"}
    given: dict[str, Any] = {"items": rows.ref, "aggregations": shown}
    names = draft.say("comma").join(shown)
    if by:
        given["by"] = by
        title = draft.say("group", by=draft.say("comma").join(by), measures=names)
    else:
        title = draft.say("total", measures=names)
    node = draft.add("group" if by else "total", "transforms.group_by_agg", given, title=title)
    return _next(draft, node, "rows", rows, title)


def _one_to_one(rows: Rows, by: Sequence[str]) -> list[str]:
    """社員番号 with 氏名: what names the same groups again stays beside them."""
    if len(by) != 1 or len(rows.sample) < 3:
        return []
    made: list[str] = []
    keys = {str(row.get(by[0])) for row in rows.sample}
    for name in rows.columns:
        values = [row.get(name) for row in rows.sample]
        is_text = all(isinstance(value, str) for value in values)
        if name == by[0] or not is_text or len(keys) < 2:
            continue
        pairs = {(str(row.get(by[0])), str(row.get(name))) for row in rows.sample}
        if len(pairs) == len(keys) == len({str(value) for value in values}) < len(values):
            made.append(name)
    return made


def _with_units(
    draft: Draft, rows: Rows, groups: Sequence[tuple[str, str | None]]
) -> tuple[Rows, list[str]]:
    """Months and years of days become columns first."""
    by: list[str] = []
    features: dict[str, dict[str, str]] = {}
    for column, unit in groups:
        op = _UNITS.get(unit or "", "")
        name = draft.say(f"unit.{op}") if op else column
        by.append(name)
        if op:
            features[name] = {"op": op, "field": column}
    if features:
        title = draft.say("features", names=draft.say("comma").join(features))
        given = {"items": rows.ref, "config": {"features": features, "keep": "all"}}
        rows = _next(
            draft,
            draft.add("units", "transforms.compute_features", given, title=title),
            "features",
            rows,
        )
    return rows, list(dict.fromkeys(by))


def cross(
    draft: Draft, rows: Rows, down: str, across: str, measure: tuple[str | None, str]
) -> Rows:
    column, op = measure
    given: dict[str, Any] = {"rows": rows.ref, "index": down, "columns": across, "fill_value": 0}
    if column is None:
        other = next((name for name in rows.columns if name not in (down, across)), down)
        given |= {"values": other, "aggfunc": "count"}
    else:
        given |= {"values": column, "aggfunc": {"avg": "mean"}.get(op, op)}
    title = draft.say(
        "group", by=f"{down} × {across}", measures=column or draft.say("measure.count")
    )
    return _next(draft, draft.add("pivot", "table.pivot", given, title=title), "rows", rows, title)


def sort(draft: Draft, rows: Rows, order: Order) -> Rows:
    title = draft.say("sort_down" if order.is_down else "sort_up", columns=order.column)
    given = {"items": rows.ref, "by": order.column, "descending": order.is_down}
    return _next(draft, draft.add("sort", "transforms.sort", given, title=title), "rows", rows)


def limit(draft: Draft, rows: Rows, count: int) -> Rows:
    given = {"items": rows.ref, "count": count}
    title = draft.say("limit", count=count)
    return _next(draft, draft.add("limit", "transforms.limit", given, title=title), "rows", rows)


def sample(draft: Draft, rows: Rows, count: int) -> Rows:
    given = {"population": rows.ref, "method": "random", "size": count}
    title = draft.say("sampling", count=count)
    return _next(
        draft, draft.add("sample", "control.sampling", given, title=title), "samples", rows
    )


def pick(draft: Draft, rows: Rows, columns: Mapping[str, str]) -> Rows:
    """Old names with the new ones, in this order."""
    given = {"items": rows.ref, "rename": dict(columns), "mode": "only"}
    title = draft.say("pick", columns=draft.say("comma").join(columns.values()))
    return _next(
        draft, draft.add("columns", "transforms.rename_fields", given, title=title), "rows", rows
    )


def distinct(draft: Draft, rows: Rows, by: Sequence[str], *, is_last: bool = False) -> Rows:
    given: dict[str, Any] = {"items": rows.ref}
    if by:
        given["by"] = list(by)
    if is_last:
        given["keep"] = "last"
    title = draft.say("distinct", by=draft.say("comma").join(by) or draft.say("whole_row"))
    return _next(
        draft, draft.add("distinct", "transforms.distinct", given, title=title), "rows", rows
    )


def repeated(draft: Draft, rows: Rows, column: str) -> Rows:
    """Every row whose value others have too."""
    name = draft.say("repeated", column=column)
    config = {"features": {name: {"op": "occurrences", "field": column}}, "keep": "all"}
    given = {"items": rows.ref, "config": config}
    node = draft.add(
        "occurrences", "transforms.compute_features", given, title=draft.say("find_repeated")
    )
    counted = _next(draft, node, "features", rows)
    return keep(draft, counted, [{"field": name, "operator": "gt", "value": 1}])


def compute(
    draft: Draft, rows: Rows, columns: Mapping[str, str], values: Mapping[str, str] | None = None
) -> Rows:
    given: dict[str, Any] = {"items": rows.ref, "columns": dict(columns)}
    if values:
        given["values"] = dict(values)
    name, expression = next(iter(columns.items()))
    title = draft.say("compute", name=name, expression=expression)
    made = _next(
        draft, draft.add("compute", "transforms.compute", given, title=title), "rows", rows
    )
    if made.sample is rows.sample:  # it waits for what a person enters
        made.sample = [{**row, **dict.fromkeys(columns)} for row in rows.sample]
    return made


def union(draft: Draft, tables: Sequence[Rows], source_field: str = "") -> Rows:
    names = [one.title for one in tables]
    refs: Any = {one.title: one.ref for one in tables}
    if len(refs) < len(tables):
        refs = [one.ref for one in tables]
    given: dict[str, Any] = {"tables": refs}
    if source_field:
        given["source_field"] = source_field
    title = draft.say("union", tables=draft.say("comma").join(names))
    node = draft.add("union", "transforms.union", given, title=title)
    return _next(draft, node, "rows", tables[0], draft.say("union_sheet"))


# ---- conditions as expressions ----


def expression(condition: Condition) -> str:  # noqa: PLR0911 - an operator each
    """What a condition says, for a computed column or for `when`."""
    if "any" in condition:
        return "(" + " || ".join(expression(one) for one in condition["any"]) + ")"
    if "all" in condition:
        return "(" + " && ".join(expression(one) for one in condition["all"]) + ")"
    column = column_expression(condition["field"])
    value: Any = condition.get("value")
    match condition["operator"]:
        case "empty":
            return f"isEmpty({column})"
        case "filled":
            return f"!isEmpty({column})"
        case "contains":
            return f"contains(text({column}), {literal(value)})"
        case "not_contains":
            return f"!contains(text({column}), {literal(value)})"
        case "starts_with":
            return f"startsWith(text({column}), {literal(value)})"
        case "ends_with":
            return f"endsWith(text({column}), {literal(value)})"
        case "in" | "not_in" as operator:
            inside = f"{column} in [{', '.join(literal(one) for one in value)}]"
            return inside if operator == "in" else f"!({inside})"
        case "between" | "not_between" as operator:
            inside = f"({column} >= {literal(value)} && {column} <= {literal(condition['value2'])})"
            return inside if operator == "between" else f"!{inside}"
        case operator:
            other = condition.get("value_field")
            right = column_expression(other) if other else literal(value)
            return f"{column} {_SIGNS[operator]} {right}"


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
