"""The groups and the time axis of a question, settled against the table."""

from sanbo.agents.analysis.rules.drafts import Draft, NotClear
from sanbo.agents.analysis.rules.reading import Axis
from sanbo.agents.analysis.rules.wording import bare
from sanbo.agents.analysis.spec.words import TimeUnit
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
