"""Questions that fit a table, from columns that make sense; whoever shows them tries them first."""

from sanbo.agents.analysis.profile import ColumnProfile, TableProfile
from sanbo.kernel.messages import Language, tell

MOST = 6
_FEWEST_VALUES, _MOST_VALUES = 2, 50
_LONGEST_NAME = 30
_YEARS = (1900, 2100)
_TIMES = frozenset(
    ("year", "month", "day", "date", "hour", "week", "weekday", "quarter")
) | frozenset("年月日時週")


def fitting_questions(profile: TableProfile, language: Language) -> tuple[str, ...]:
    """The plainest first: a figure by a group, over time, as a share, the first of a ranking."""
    sums, rates = measures(profile)
    groups = [column for column in profile.columns if is_group(column, profile.rows)]
    times = [column for column in profile.columns if column.is_temporal and column.distinct > 1]
    found: list[str] = []

    def add(text: str, **columns: ColumnProfile) -> None:
        if all(len(column.name) <= _LONGEST_NAME for column in columns.values()):
            names = {role: column.name for role, column in columns.items()}
            found.append(tell(f"analysis_questions.{text}", language, **names))

    for group in groups[:2]:
        if sums:
            add("total_by_group", group=group, measure=sums[0])
        elif not rates:
            add("count_by_group", group=group)
    if times:
        if sums:
            add("total_by_month", measure=sums[0])
        else:
            add("count_by_month")
    if groups and rates:
        add("mean_by_group", group=groups[0], measure=rates[0])
    if groups and sums:
        add("share", group=groups[-1], measure=sums[0])
        if groups[0].distinct > 3:
            add("top", group=groups[0], measure=sums[-1])
    if len([*sums, *rates]) > 1:
        first, second, *_ = [*sums, *rates]
        add("correlation", first=first, second=second)
    if not found:
        for measure in [*sums, *rates][:1]:
            add("distribution", measure=measure)
    return tuple(dict.fromkeys(found))[:MOST]


def measures(profile: TableProfile) -> tuple[list[ColumnProfile], list[ColumnProfile]]:
    """What is added up, and what is averaged only: rates, prices, ages."""
    numbers = [column for column in profile.columns if is_measure(column)]
    numbers.sort(key=_weight, reverse=True)
    return (
        [column for column in numbers if not column.is_rate],
        [column for column in numbers if column.is_rate],
    )


def _weight(column: ColumnProfile) -> tuple[bool, float]:
    """Money before the rest, large figures before small ones: sales before days."""
    return column.type == "currency", float(column.maximum or 0)


def is_measure(column: ColumnProfile) -> bool:
    """A column of figures: no numbers that name things, and no years."""
    low, high = column.minimum, column.maximum
    are_years = (
        column.type == "integer"
        and isinstance(low, int)
        and isinstance(high, int)
        and _YEARS[0] <= low <= high <= _YEARS[1]
    )
    is_varied = column.distinct > 1 and column.name.lower() not in _TIMES
    return column.is_numeric and is_varied and not column.is_identifier and not are_years


def is_group(column: ColumnProfile, rows: int) -> bool:
    """A column of words of which several rows have the same."""
    is_of_words = column.type in ("text", "boolean") and not column.is_identifier
    has_few = _FEWEST_VALUES <= column.distinct <= _MOST_VALUES
    return is_of_words and column.is_whole and has_few and column.distinct < rows - column.missing
