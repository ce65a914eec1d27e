"""What is computed and along which groups and time axis, settled against the table."""

import re

from sanbo.agents.analysis.rules.drafts import Draft, NotClear
from sanbo.agents.analysis.rules.reading import Axis, Measure
from sanbo.agents.analysis.rules.wording import bare, form, name_words, words
from sanbo.agents.analysis.spec.filters import AnyOf
from sanbo.agents.analysis.spec.words import NUMERIC_AGGREGATES, TimeUnit
from sanbo.kernel.messages import tell

_NAMED: dict[TimeUnit, tuple[str, ...]] = {
    "year": ("年", "西暦", "year", "対象年"),
    "fiscal_year": ("年度", "会計年度", "fiscal year", "fiscal_year", "fy"),
    "month": ("月", "month", "年月", "対象月", "year_month", "year month"),
    "quarter": ("四半期", "quarter"),
    "weekday": ("曜日", "weekday", "day of week", "day_of_week"),
    "week": ("週", "week"),
    "day": ("日", "day"),
    "hour_of_day": ("時間帯", "時", "hour"),
}


def time_axis(draft: Draft, unit: TimeUnit | None, *, is_needed: bool = False) -> Axis | None:
    """A date by a unit, or a column that holds years or months as they are."""
    columns, reading = draft.columns, draft.reading
    date_column = reading.date_column or next(iter(columns.times), None)
    if unit is not None:
        names = _NAMED.get(unit, ())
        for name in columns.roles:
            if (
                bare(name) in names
                and columns.roles[name] != "time"
                and (date_column is None or columns.can_group(name))
            ):
                return Axis(name)
        if date_column is None and unit in ("year", "fiscal_year") and columns.of("year"):
            return Axis(columns.of("year")[0])
    if date_column is not None:
        _say_which(draft, date_column)
        return Axis(date_column, unit or usual_unit(draft, date_column))
    if unit is None:
        for role in ("year", "cycle"):
            if columns.of(role):
                return Axis(columns.of(role)[0])
    if unit == "hour_of_day" and columns.of("clock"):
        return None
    if is_needed or unit is not None:
        raise NotClear(tell("analysis_rules.ask.no_date", columns=listed(tuple(columns.roles))))
    return None


def _say_which(draft: Draft, column: str) -> None:
    if len(draft.columns.times) > 1 and draft.reading.date_column is None:
        draft.assume(tell("analysis_rules.assumed.date", column=column))


def usual_unit(draft: Draft, column: str) -> TimeUnit:
    """By how long the data is: days of some weeks, months of some years, else years."""
    span = draft.table.span(column)
    if span is None:
        return "month"
    days = (span[1] - span[0]).days
    return "day" if days <= 45 else "month" if days <= 366 * 6 else "year"


def group_axes(draft: Draft) -> tuple[Axis, ...]:
    """Without the time axis; numbers cut into classes become columns of their own."""
    reading, columns = draft.reading, draft.columns
    found: list[Axis] = []
    for axis in reading.axes:
        if axis.width is not None:
            found.append(Axis(draft.classes(axis)))
        elif columns.roles.get(axis.column) != "time":
            found.append(axis)
    for name in (reading.color, reading.facet):
        if name and all(axis.column != name for axis in found) and columns.roles[name] != "time":
            found.append(Axis(name))
    for column in _compared(draft):
        if all(axis.column != column for axis in found):
            found.append(Axis(column))
    return tuple(found)


def _compared(draft: Draft) -> tuple[str, ...]:
    """Columns of which several values are named: 新宿店と渋谷店の売上."""
    seen: dict[str, int] = {}
    for column, _ in draft.reading.values:
        seen[column] = seen.get(column, 0) + 1
    return tuple(column for column, count in seen.items() if count > 1)


def dated(draft: Draft) -> TimeUnit | None:
    """The unit that the question's time axis has; None where it has none."""
    reading = draft.reading
    if reading.unit:
        return reading.unit
    is_by_date = any(draft.columns.roles.get(axis.column) == "time" for axis in reading.axes)
    if is_by_date or "trend" in reading.asks or reading.chart == "line":
        for axis in reading.axes:
            if draft.columns.roles.get(axis.column) in ("year", "cycle"):
                return None
        column = reading.date_column or next(iter(draft.columns.times), None)
        return usual_unit(draft, column) if column else None
    return None


def listed(names: tuple[str, ...], most: int = 12) -> str:
    shown = [tell("analysis_rules.quoted", name=short(name)) for name in names[:most]]
    return tell("analysis_rules.comma").join(shown) + (
        tell("analysis_rules.more", count=len(names) - most) if len(names) > most else ""
    )


def short(text: str, most: int = 40) -> str:
    """Names of columns and cells are data: on one line, and not endless."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


_ROWS = Measure(None)
_PLAIN_COUNT = re.compile(
    r"件数|何件|行数|レコード|データ数|rows|records|(?<![a-z])counts?(?![a-z])"
)


def measures(draft: Draft, *, may_count: bool = True) -> tuple[Measure, ...]:
    """At least one; `Measure(None)` counts rows. Asks where several columns could be meant."""
    reading = draft.reading
    if draft.made and reading.formula and reading.formula.fn != "divide":
        name = next(name for name, role in draft.made.items() if role == "amount")
        made = tuple(Measure(name, aggregate) for aggregate in reading.aggregates or ("sum",))
        is_written_out = reading.formula.left in reading.formula.name
        return made if is_written_out else (*reading.measures, *made)
    if _means_nothing_named(draft):
        _ask_for(tuple(draft.columns.measures), "")
    if "count" in reading.asks and may_count and not _is_computed(draft):
        return (counted(draft),)
    if reading.measures:
        return reading.measures
    if "distinct" in reading.asks and (named := things(draft)):
        return (Measure(named[0], "nunique"),)
    if may_count and not reading.aggregates and names_rows(draft):
        return (counted(draft),)
    return assumed(draft, may_count=may_count)


def _means_nothing_named(draft: Draft) -> bool:
    """平均日数 of what? A plain count would answer another question."""
    reading = draft.reading
    loose = set(reading.aggregates) & (NUMERIC_AGGREGATES - {"sum"})
    return (
        "count" in reading.asks
        and bool(loose)
        and not (reading.measures or reading.period_mean or reading.per or reading.axes)
        and not reading.unit
    )


def _is_computed(draft: Draft) -> bool:
    """売上の合計と件数 names a number beside the count; 売上100以上の件数 does not."""
    named = [one for one in draft.reading.measures if one.aggregate not in (None, "count")]
    return bool(named)


def counted(draft: Draft) -> Measure:
    """Rows, or how many different things where the thing comes back in several rows."""
    if "distinct" in draft.reading.asks and (named := things(draft)):
        return Measure(named[0], "nunique")
    for column in things(draft):
        if draft.columns.is_row_name(column):
            return _ROWS
        profile = draft.columns[column]
        if _PLAIN_COUNT.search(draft.reading.text.lower()) and draft.columns.roles[column] != "id":
            continue
        if draft.columns.is_unique(column):
            return _ROWS
        if any(axis.column == column for axis in draft.reading.axes):
            continue
        draft.assume(tell("analysis_rules.assumed.distinct", column=short(profile.name)))
        return Measure(column, "nunique")
    people = [
        name
        for name in draft.columns.of("id")
        if _PERSON.search(form(name)) and not draft.columns.is_unique(name)
    ]
    if len(people) == 1 and _HOW_MANY_PEOPLE.search(form(draft.reading.text)):
        draft.assume(tell("analysis_rules.assumed.distinct", column=short(people[0])))
        return Measure(people[0], "nunique")
    return _ROWS


_PERSON = re.compile(
    r"顧客|利用者|会員|患者|生徒|学生|社員|従業員|ユーザ|担当者|customer|user|member|patient|"
    r"student|employee"
)
_HOW_MANY_PEOPLE = re.compile(r"何人|何名|人数|how many people|number of people")


def things(draft: Draft) -> tuple[str, ...]:
    """Named columns of words or ids that nothing else is said of."""
    reading, columns = draft.reading, draft.columns
    taken = {axis.column for axis in reading.axes} | {reading.color, reading.facet, reading.per}
    taken |= {column for column, _ in reading.values}
    return tuple(
        column
        for column in reading.columns_seen
        if column not in taken and columns.roles.get(column) in ("category", "id")
    )


def names_rows(draft: Draft) -> bool:
    """`tickets per month`, `orders by device`: what a row is stands where a number would."""
    reading, columns = draft.reading, draft.columns
    if any(columns.roles.get(name) == "id" for name in things(draft)):
        return True
    said = {word.stem for word in words(form(reading.text))}
    nouns = {
        name_words(name)[0]
        for name in columns.of("id")
        if len(name_words(name)) > 1 and columns.is_unique(name)
    }
    return bool(said & nouns)


_SECONDARY = re.compile(
    r"差異|差額|予算|目標|計画|前年|税|送料|手数料|累計|割引|値引|variance|"
    r"difference|budget|target|tax|fee|shipping|discount|freight",
    re.IGNORECASE,
)


def _main(candidates: tuple[str, ...]) -> tuple[str, ...]:
    """Without those that only accompany another number: taxes, budgets, differences."""
    main = tuple(name for name in candidates if not _SECONDARY.search(name))
    return main if len(main) == 1 else candidates


def assumed(draft: Draft, *, may_count: bool = True) -> tuple[Measure, ...]:
    """No column is named: the only one there is, or a question."""
    reading, columns = draft.reading, draft.columns
    aggregates = reading.aggregates or (None,)
    filtered = [
        one.col
        for one in reading.filters
        if not isinstance(one, AnyOf) and one.col in columns and columns.is_measure(one.col)
    ]
    candidates = _main(columns.amounts) or _main(columns.measures)
    if reading.aggregates and not set(reading.aggregates) & NUMERIC_AGGREGATES and not candidates:
        return (_ROWS,)
    if filtered and reading.aggregates:
        candidates = tuple(dict.fromkeys(filtered))
    if reading.unknown_words and not filtered:
        _ask_for(candidates, reading.unknown_words[0])
    if len(candidates) == 1:
        draft.assume(tell("analysis_rules.assumed.only_measure", column=short(candidates[0])))
        return tuple(Measure(candidates[0], aggregate) for aggregate in aggregates)
    if not candidates and may_count:
        return (_ROWS,)
    _ask_for(candidates or tuple(columns.measures), "")
    raise AssertionError


def _ask_for(candidates: tuple[str, ...], word: str) -> None:
    choices = (*candidates[:6], tell("analysis_rules.row_count"))
    options = listed(choices)
    if word:
        raise NotClear(
            tell("analysis_rules.ask.unknown", word=short(word), columns=options), choices
        )
    raise NotClear(tell("analysis_rules.ask.measure", columns=options), choices)
