"""Conditions on time: 2025年以降, 4月から6月, since March."""

import re
from datetime import date

from sanbo.agents.analysis.rules.moments import Moment
from sanbo.agents.analysis.rules.number_conditions import OPPOSITE
from sanbo.agents.analysis.rules.reading import Conditions
from sanbo.agents.analysis.rules.scene import Scene, Table
from sanbo.agents.analysis.rules.wording import bare
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    CompareOp,
    Filter,
)
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import tell

_SINCE = re.compile(
    r"(?:以降|以後|から(?!.{0,12}(?:まで|にかけて|◇))|より後|より後|スタート|"
    r"onwards?| or later|\+)"
)


_UNTIL = re.compile(r"(?:以前|まで|より前|or earlier|末まで)")


_BEFORE = re.compile(r"(?:より前|前の|前は)")


_TO = re.compile(r"\s?(?:から|〜|-|–|to|through|until|till|and)\s?(?:the )?(?:end of )?")


_SINCE_EN = re.compile(
    r"(?:since|from|starting(?: in| from)?|beginning(?: in)?)\s(?:the )?(?:start of )?$"
)


_AFTER_EN = re.compile(r"(?:after|later than)\s(?:the )?(?:end of )?$")


_UNTIL_EN = re.compile(r"(?:until|till|through|up to|by the end of)\s(?:the )?$")


_BEFORE_EN = re.compile(r"(?:before|prior to|earlier than)\s(?:the )?$")


def date_conditions(  # noqa: PLR0912 - one shape after the other
    scene: Scene, table: Table, date_column: str | None, found: Conditions
) -> None:
    whole = [one for one in scene.moments if not one.weekdays]
    _weekdays(scene, found)
    if not whole:
        return
    column = date_column
    if column is None:
        _without_date(scene, whole, table, found)
        return
    is_named = any(column in one.columns for one in scene.columns)
    if not is_named:
        whole = [one for one in whole if not _of_fiscal_column(scene, one, table, found)]
    if whole and not is_named and len(table.columns.times) > 1:
        found.assumptions.append(tell("analysis_rules.assumed.date", column=column))
    for assumed in dict.fromkeys(one.assumed for one in whole if one.assumed):
        if assumed == "newest" and table.newest:
            found.assumptions.append(
                tell("analysis_rules.assumed.newest", date=table.newest.isoformat())
            )
        elif assumed == "fiscal":
            found.assumptions.append(tell("analysis_rules.assumed.fiscal"))
        elif assumed == "calendar_quarter":
            found.assumptions.append(tell("analysis_rules.assumed.calendar_quarter"))
    place = 0
    alternatives: list[Moment] = []
    while place < len(whole):
        one = whole[place]
        following = whole[place + 1] if place + 1 < len(whole) else None
        if (
            following
            and _TO.fullmatch(scene.text[one.end : following.start])
            and _is_stretch(scene, one, following)
        ):
            stretch = _between(column, one, following, table)
            if scene.exclusions.has(following):
                stretch = _outside(stretch, scene, one, following, found)
            found.filters += stretch
            place += 2
            continue
        place += 1
        since = _side(scene, one)
        if scene.exclusions.has(one):
            within = _within(column, [one], table)
            found.filters += _outside(within, scene, one, one, found)
        elif since is None:
            alternatives.append(one)
        else:
            found.filters += _open(column, one, since, table)
    if len(alternatives) > 1:
        found.unit = _unit_of(alternatives)
    if alternatives:
        found.filters += _within(column, alternatives, table)


def _weekdays(scene: Scene, found: Conditions) -> None:
    """土日を除く: the other days."""
    named = [one for one in scene.moments if one.weekdays]
    left_out = {day for one in named if scene.exclusions.has(one) for day in one.weekdays}
    kept = [day for one in named if not scene.exclusions.has(one) for day in one.weekdays]
    days = kept or (range(1, 8) if left_out else ())
    found.weekdays = tuple(day for day in days if day not in left_out)
    if left_out and not found.weekdays:
        found.homeless += [scene.text[one.start : one.end] for one in named]


def _outside(
    within: list[Filter], scene: Scene, first: Moment, last: Moment, found: Conditions
) -> list[Filter]:
    """The rows that these conditions, all of which hold, leave out."""
    parts: list[Compare] = []
    for one in within:
        if isinstance(one, Among):
            parts += [Compare(col=one.col, op="==", value=value) for value in one.value]
        elif isinstance(one, Compare):
            parts.append(one)
    opposite = [one.model_copy(update={"op": OPPOSITE[one.op]}) for one in parts]
    if all(one.op == "!=" for one in opposite) and opposite:
        return list(opposite)
    if len(opposite) == 2:
        return [AnyOf(any_of=tuple(opposite))]
    found.homeless.append(scene.text[first.start : last.end])
    return []


def _of_fiscal_column(scene: Scene, one: Moment, table: Table, found: Conditions) -> bool:
    """2024年度, where a column says of which 年度 each row is."""
    names = [name for name in table.columns.of("year") if bare(name).endswith("年度")]
    is_whole = one.first and one.last and (one.last - one.first).days >= 364
    if len(names) != 1 or one.assumed != "fiscal" or not is_whole or not one.first:
        return False
    op = "!=" if scene.exclusions.has(one) else _side(scene, one) or "=="
    found.filters.append(Compare(col=names[0], op=op, value=one.first.year))
    return True


def _unit_of(found: list[Moment]) -> TimeUnit | None:
    """The unit in which each of these is one period."""
    if any(one.first is None or one.last is None for one in found):
        return None
    lengths = {(one.last - one.first).days + 1 for one in found if one.first and one.last}
    if min(lengths) >= 365:
        return "fiscal_year" if all(one.first and one.first.month == 4 for one in found) else "year"
    if min(lengths) >= 90 and max(lengths) <= 92:
        return "quarter"
    if min(lengths) >= 28 and max(lengths) <= 31:
        return "month"
    return "day" if lengths == {1} else None


def _is_stretch(scene: Scene, one: Moment, other: Moment) -> bool:
    between = scene.text[one.end : other.start].strip()
    if between == "and":
        return "between" in scene.text[max(0, one.start - 12) : one.start]
    return True


def _side(scene: Scene, one: Moment) -> CompareOp | None:
    after, before = scene.text[one.end : one.end + 12], scene.text[: one.start]
    if _BEFORE.match(after) and not _UNTIL.match(after):
        return "<"
    if _SINCE.match(after) or _SINCE_EN.search(before):
        return ">="
    if _UNTIL.match(after) or _UNTIL_EN.search(before):
        return "<" if after.startswith("より前") else "<="
    if _AFTER_EN.search(before):
        return ">"
    if _BEFORE_EN.search(before):
        return "<"
    return None


def _open(column: str, one: Moment, op: CompareOp, table: Table) -> list[Filter]:
    first, last = _days(one, column, table, is_end=op in ("<=", ">"))
    if first is None or last is None:
        return [_months_filter(column, one.months, table)]
    edge = last if op in ("<=", ">") else first
    return [Compare(col=column, op=_exact(op), value=_edge(edge, op))]


def _exact(op: CompareOp) -> CompareOp:
    return {"<=": "<", ">": ">="}.get(op, op)  # pyright: ignore[reportReturnType]


def _edge(day: date, op: CompareOp) -> str:
    """Ends of days are written as the start of the next: a time of day never falls outside."""
    return (_next(day) if op in ("<=", ">") else day).isoformat()


def _next(day: date) -> date:
    return date.fromordinal(min(day.toordinal() + 1, date.max.toordinal()))


def _days(
    one: Moment, column: str, table: Table, *, is_end: bool
) -> tuple[date | None, date | None]:
    """A month without a year is of the data's only year, or else of its first (last) year."""
    if one.first is not None:
        return one.first, one.last
    span = table.span(column)
    if span is None or not one.months:
        return None, None
    year = span[1].year if is_end else span[0].year
    if span[0].year != span[1].year:
        return None, None
    first = date(year, one.months[0], 1)
    last_month = one.months[-1]
    return first, _next_month(year, last_month)


def _next_month(year: int, month: int) -> date:
    start = date(year + 1, 1, 1) if month == 12 else date(year, month + 1, 1)
    return date.fromordinal(start.toordinal() - 1)


def _between(column: str, one: Moment, other: Moment, table: Table) -> list[Filter]:
    if one.first is None and other.first is None:
        months = _month_run(one.months[0], other.months[-1]) if one.months and other.months else ()
        return [_months_filter(column, months, table)] if months else []
    first, last = one.first, other.last
    if first is None and other.first is not None and one.months:
        first = date(other.first.year, one.months[0], 1)
    if last is None and one.last is not None and other.months:  # 2025年4月から6月
        year = one.last.year + (other.months[-1] < one.last.month)
        last = _next_month(year, other.months[-1])
    if first is None or last is None:
        return []
    return _stretch(column, first, last)


def _stretch(column: str, first: date, last: date) -> list[Filter]:
    return [
        Compare(col=column, op=">=", value=first.isoformat()),
        Compare(col=column, op="<", value=_next(last).isoformat()),
    ]


def _month_run(first: int, last: int) -> tuple[int, ...]:
    count = (last - first) % 12 + 1
    return tuple((first - 1 + step) % 12 + 1 for step in range(count))


def _months_filter(column: str, months: tuple[int, ...], table: Table) -> Filter:
    span = table.span(column)
    years = range(span[0].year, span[1].year + 1) if span else range(2000, 2001)
    periods = tuple(f"{year}-{month:02d}" for year in list(years)[-50:] for month in sorted(months))
    if len(periods) == 1:
        return Compare(col=column, op="==", value=periods[0])
    return Among(col=column, op="in", value=periods)


def _within(  # noqa: PLR0911 - one shape after the other
    column: str, found: list[Moment], table: Table
) -> list[Filter]:
    """In one of these: 2024年と2025年. A month beside a year is a month of that year."""
    dated = [one for one in found if one.first is not None]
    cyclic = [one for one in found if one.first is None]
    if (
        len(dated) == 1
        and cyclic
        and dated[0].first
        and dated[0].last
        and dated[0].first.year == dated[0].last.year
    ):
        months = tuple(dict.fromkeys(month for one in cyclic for month in one.months))
        if (dated[0].first.month, dated[0].last.month) == (1, 12):
            periods = tuple(f"{dated[0].first.year}-{month:02d}" for month in months)
            return [_is_one(column, periods)]
        months = (*range(dated[0].first.month, dated[0].last.month + 1), *months)
        return [
            _is_one(
                column,
                tuple(f"{dated[0].first.year}-{month:02d}" for month in dict.fromkeys(months)),
            )
        ]
    if cyclic and not dated:
        return [
            _months_filter(
                column, tuple(dict.fromkeys(month for one in cyclic for month in one.months)), table
            )
        ]
    if len(dated) == 1:
        one = dated[0]
        period = _period(one)
        if period:
            return [Compare(col=column, op="==", value=period)]
        return _stretch(column, one.first, one.last) if one.first and one.last else []
    periods = tuple(period for one in dated if (period := _period(one)))
    if len(periods) == len(dated):
        return [_is_one(column, periods)]
    firsts = [one.first for one in dated if one.first]
    lasts = [one.last for one in dated if one.last]
    return _stretch(column, min(firsts), max(lasts))


def _is_one(column: str, periods: tuple[str, ...]) -> Filter:
    if len(periods) == 1:
        return Compare(col=column, op="==", value=periods[0])
    return Among(col=column, op="in", value=periods)


def _period(one: Moment) -> str | None:
    """2025, 2025-04 or 2025-04-01, where the moment is just that."""
    if one.first is None or one.last is None:
        return None
    if one.first == one.last:
        return one.first.isoformat()
    if one.last == _next_month(one.first.year, one.first.month) and one.first.day == 1:
        return f"{one.first:%Y-%m}"
    if (one.first.month, one.first.day, one.last.month, one.last.day) == (
        1,
        1,
        12,
        31,
    ) and one.first.year == one.last.year:
        return str(one.first.year)
    return None


def _without_date(scene: Scene, found: list[Moment], table: Table, into: Conditions) -> None:
    """Columns 年 and 月 with whole numbers instead of a date."""
    years, cycles = table.columns.of("year"), table.columns.of("cycle")
    for one in found:
        done = False
        if one.first and one.last and years:
            into.filters.append(Compare(col=years[0], op="==", value=one.first.year))
            done = True
        month = (
            one.months[0]
            if one.months
            else one.first.month
            if one.first and one.last and one.first.month == one.last.month
            else None
        )
        months = [name for name in cycles if name.lower() in ("月", "month")]
        if month and months:
            into.filters.append(Compare(col=months[0], op="==", value=month))
            done = True
        if not done or scene.exclusions.has(one):
            into.homeless.append(str(one.first or one.months))
