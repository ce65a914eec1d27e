"""Steps on one table: rows kept, columns computed, groups, order, checks, a sample."""

import re
from collections.abc import Sequence
from typing import Any, cast

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.plans.designing.draft import Draft, Stream
from sanbo.plans.designing.row_formula import formula_in
from sanbo.plans.designing.row_phrases import (
    Condition,
    Grouped,
    Measured,
    amount_column,
    columns_named,
    conditions_in,
    is_descending,
    is_exclusion,
    measures_in,
)
from sanbo.plans.designing.tables import figures, only_columns, with_columns
from sanbo.plans.designing.vocabulary import has

_COUNT = re.compile(
    r"(\d{1,6})\s?(?:件|行|名|人|社|個|つ|点|枚|rows?|items?|records?|entries|lines?|invoices?|"
    r"transactions?|customers?|products?|of them)?"
)
_TOP = re.compile(
    r"(?:上位|下位|ベスト|ワースト|トップ|先頭の?|top|bottom|first|largest|highest|lowest)"
    r" ?(?:の ?)?(\d{1,6})"
    r"|(\d{1,6}) (?:[a-z]{1,20} ){0,4}?(?:largest|highest|smallest|lowest|biggest|most)"
    r"|(?:順に|順で)[^0-9]{0,6}(\d{1,6})件"
)
_UNITS = {
    "month": "year_month", "year": "year", "quarter": "quarter", "fiscal_year": "fiscal_year",
    "fiscal_quarter": "fiscal_quarter", "weekday": "weekday", "month_of_year": "month",
}  # fmt: skip


def filtered(draft: Draft, rows: Stream, text: str, conditions: Sequence[Condition]) -> Stream:
    given: dict[str, Any] = {"items": rows.ref, "conditions": list(conditions)}
    port = "excluded" if is_exclusion(text) else "filtered"
    title = draft.say(f"filter_{port}", conditions=told(draft, conditions))
    node = draft.add("filter", "transforms.filter", given, title=title)
    return Stream(f"${{{node}.{port}}}", rows.profile, rows.title)


def told(draft: Draft, conditions: Sequence[Condition]) -> str:
    said: list[str] = []
    for one in conditions:
        if "any" in one:
            said.append(draft.say("or").join(told(draft, [part]) for part in one["any"]))
        elif "field" not in one:
            said.append(draft.say("combined"))
        else:
            value: Any = one.get("value", "")
            values = cast("list[Any]", value) if isinstance(value, list) else [value]
            shown = draft.say("comma").join(map(str, values))
            said.append(
                f"{one['field']} {draft.say('operator.' + one['operator'])} {shown}".strip()
            )
    return draft.say("comma").join(said)


def keep_rows(draft: Draft, rows: Stream, text: str) -> Stream | None:
    """None: the text says no condition that this table has."""
    if rows.profile is None:
        return None
    found = conditions_in(text, rows.profile)
    if not found.all:
        return None
    return filtered(draft, rows, text, found.all)


def distinct(draft: Draft, rows: Stream, text: str) -> Stream:
    by = columns_named(text, rows.profile) if rows.profile else []
    given: dict[str, Any] = {"items": rows.ref}
    if by:
        given["by"] = by
    if has("last_of_same", text):
        given["keep"] = "last"
    title = draft.say("distinct", by=draft.say("comma").join(by) or draft.say("whole_row"))
    node = draft.add("distinct", "transforms.distinct", given, title=title)
    return Stream(f"${{{node}.rows}}", rows.profile, rows.title)


def pick(draft: Draft, rows: Stream, names: list[str]) -> Stream:
    given = {"items": rows.ref, "rename": {name: name for name in names}, "mode": "only"}
    title = draft.say("pick", columns=draft.say("comma").join(names))
    node = draft.add("pick", "transforms.rename_fields", given, title=title)
    profile = only_columns(rows.profile, names) if rows.profile else None
    return Stream(f"${{{node}.rows}}", profile, rows.title)


def compute(draft: Draft, rows: Stream, text: str) -> Stream | None:
    if rows.profile is None:
        return None
    formula = formula_in(text, rows.profile)
    if formula is None:
        return None
    given = {"items": rows.ref, "columns": {formula.name: formula.expression}}
    title = draft.say("compute", name=formula.name, expression=formula.expression)
    node = draft.add("compute", "transforms.compute", given, title=title)
    profile = with_columns(rows.profile, figures(formula.name))
    return Stream(f"${{{node}.rows}}", profile, rows.title)


def group(draft: Draft, rows: Stream, text: str, computed: str = "") -> Stream | None:
    """`computed`: the column that was computed before, which is meant where none is named."""
    if rows.profile is None:
        return None
    groups, measures = measures_in(text, rows.profile)
    if computed and rows.profile.column(computed):
        named = columns_named(text, rows.profile)
        ops = [one.op for one in measures if one.column not in named]
        if ops or not measures:
            kept = [one for one in measures if one.column is None or one.column in named]
            measures = [
                *kept,
                *(() if computed in named else (Measured(computed, (ops or ["sum"])[0]),)),
            ]
    if not groups and not measures:
        return None
    amount = amount_column(rows.profile, text)
    is_total = has("totals", text) and all(one.op != "sum" for one in measures)
    if measures and is_total and amount and all(one.column is None for one in measures):
        measures.append(Measured(amount, "sum"))
    if not measures:
        amount = amount_column(rows.profile)
        is_free = amount is not None and all(one.column != amount for one in groups)
        measures = [Measured(amount, "sum")] if is_free else [Measured(None, "count")]
    rows, by = _dated(draft, rows, groups)
    assert rows.profile is not None
    columns = {_measure_name(draft, one, measures): one for one in measures}
    given: dict[str, Any] = {"items": rows.ref}
    if by:
        given["by"] = by
    given["aggregations"] = {
        name: {"op": one.op} if one.column is None else {"field": one.column, "op": one.op}
        for name, one in columns.items()
    }
    title = draft.say(
        "group" if by else "total",
        by=draft.say("comma").join(by),
        measures=draft.say("comma").join(columns),
    )
    node = draft.add("group", "transforms.group_by_agg", given, title=title)
    if not by:
        for name in columns:
            draft.export(f'{node}.rows[0]["{name}"]', name)
    kept = only_columns(rows.profile, by)
    return Stream(
        f"${{{node}.rows}}", with_columns(kept, *(figures(name) for name in columns)), rows.title
    )


def _dated(draft: Draft, rows: Stream, groups: Sequence[Grouped]) -> tuple[Stream, list[str]]:
    """Months and years of a date become a column of their own first."""
    by: list[str] = []
    made: dict[str, Any] = {}
    for one in groups:
        operation = _UNITS.get(one.unit or "")
        if operation is None:
            by.append(one.column)
        else:
            name = draft.say(f"unit.{operation}")
            made[name] = {"op": operation, "field": one.column}
            by.append(name)
    if not made:
        return rows, by
    assert rows.profile is not None
    title = draft.say("features", names=draft.say("comma").join(made))
    given = {"items": rows.ref, "config": made}
    node = draft.add("periods", "transforms.compute_features", given, title=title)
    profile = with_columns(rows.profile, *(figures(name, "text") for name in made))
    return Stream(f"${{{node}.features}}", profile, rows.title), by


def _measure_name(draft: Draft, one: Measured, measures: Sequence[Measured]) -> str:
    if one.column is None:
        return draft.say("measure.count")
    if one.op == "sum" and sum(other.column == one.column for other in measures) == 1:
        return one.column
    return draft.say(f"measure.{one.op}", column=one.column)


_BY_DAY = re.compile("新し|古い|newest|oldest|latest|earliest|recent")


def sort(draft: Draft, rows: Stream, text: str, *, is_grouped: bool = False) -> Stream | None:
    if rows.profile is None:
        return None
    columns = columns_named(text, rows.profile)
    down = is_descending(text)
    days = [one.name for one in rows.profile.columns if one.is_temporal]
    if days and _BY_DAY.search(text) and not set(columns) & set(days):
        columns = days[:1]
    if not columns:
        numeric = [one.name for one in rows.profile.columns if one.is_numeric]
        amount = numeric[0] if is_grouped and numeric else amount_column(rows.profile, text)
        if amount is None or down is None:
            return None
        columns = [amount]
    by = [f"-{name}" if down else name for name in columns]
    title = draft.say("sort_down" if down else "sort_up", columns=draft.say("comma").join(columns))
    given = {"items": rows.ref, "by": by if len(by) > 1 else by[0]}
    node = draft.add("sort", "transforms.sort", given, title=title)
    return Stream(f"${{{node}.rows}}", rows.profile, rows.title)


_NUMBER_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10",
}  # fmt: skip


def count_in(text: str) -> int | None:
    said = " ".join(_NUMBER_WORDS.get(word, word) for word in text.split(" "))
    found = _TOP.search(said)
    return int(next(one for one in found.groups() if one)) if found else None


def limit(draft: Draft, rows: Stream, count: int) -> Stream:
    title = draft.say("limit", count=count)
    given = {"items": rows.ref, "count": count}
    node = draft.add("limit", "transforms.limit", given, title=title)
    return Stream(f"${{{node}.rows}}", rows.profile, rows.title)


def sample(draft: Draft, rows: Stream, text: str) -> Stream | None:
    found = _COUNT.search(text)
    if found is None:
        return None
    given = {"population": rows.ref, "method": "random", "size": int(found[1])}
    title = draft.say("sampling", count=found[1])
    node = draft.add("sampling", "control.sampling", given, title=title)
    return Stream(f"${{{node}.samples}}", rows.profile, rows.title)


# ---- checks ----

_EMPTY = re.compile(
    "空|未入力|漏れ|必須|抜け|ない行|blank|empty|missing|required|without"
    "|needs? an? |lack|must have|has to have"
)
_TWICE = re.compile("重複|だぶ|ダブ|duplicate|unique|twice|repeated")
_NEGATIVE = re.compile("負|マイナス|negative|below zero|less than zero")


def checks_in(text: str, profile: DatasetProfile) -> list[dict[str, Any]]:
    """Rules of the block that checks rows, out of one phrase."""
    columns = columns_named(text, profile)
    if _TWICE.search(text) and columns:
        return [{"id": f"unique_{name}", "type": "unique", "field": name} for name in columns]
    if _EMPTY.search(text) and columns:
        return [
            {"id": f"required_{name}", "type": "required", "fields": [name]} for name in columns
        ]
    amount = amount_column(profile, text)
    if _NEGATIVE.search(text) and amount:
        return [{"id": f"range_{amount}", "type": "range", "field": amount, "min": 0}]
    return []


def checked(
    draft: Draft, rows: Stream, rules: list[dict[str, Any]], wrong: list[Condition]
) -> Stream:
    """Rows that break a rule; `wrong`: conditions that no row may fit."""
    assert rows.profile is not None
    title = draft.say("validate")
    check = draft.add(
        "check", "data.quality.validate_rules", {"items": rows.ref, "rules": rules}, title=title
    )
    draft.export(f"{check}.violations", "violations")
    conditions = [*wrong]
    repeated = [rule["field"] for rule in rules if rule["type"] == "unique"]
    for rule in rules:
        if rule["type"] == "required":
            conditions += [{"field": name, "operator": "empty"} for name in rule["fields"]]
        if rule["type"] == "range" and "min" in rule:
            conditions.append({"field": rule["field"], "operator": "lt", "value": rule["min"]})
        if rule["type"] == "range" and "max" in rule:
            conditions.append({"field": rule["field"], "operator": "gt", "value": rule["max"]})
    source = rows.ref
    if repeated:
        flags = {
            draft.say("repeated", column=name): {"op": "occurrences", "field": name}
            for name in repeated
        }
        given = {"items": rows.ref, "config": flags}
        node = draft.add(
            "repeated", "transforms.compute_features", given, title=draft.say("find_repeated")
        )
        source = f"${{{node}.features}}"
        conditions += [{"field": name, "operator": "gt", "value": 1} for name in flags]
    given = {"items": source, "conditions": conditions, "options": {"logic": "any"}}
    node = draft.add("broken", "transforms.filter", given, title=draft.say("broken_rows"))
    return Stream(f"${{{node}.filtered}}", rows.profile, draft.say("broken_sheet"))
