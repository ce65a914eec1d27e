"""First questions that a table can answer, made of its own columns."""

import re

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.axes import short
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.kernel.messages import Language, tell

MOST = 5
# What most tables with money in them are about.
_FOREMOST = re.compile("売上|金額|sales|revenue|amount", re.IGNORECASE)


def suggestions(profile: DatasetProfile, language: Language) -> tuple[str, ...]:
    """Each is understood by these rules; at most five."""
    columns = Columns(profile)
    amounts = sorted(columns.amounts, key=lambda name: not _FOREMOST.search(name))
    levels, times = columns.of("level"), columns.times
    groups = columns.dimensions
    numbers = [name for name in (*amounts, *levels) if columns.is_numeric(name)]
    found: list[str] = []

    def add(text_id: str, **names: str) -> None:
        shown = {key: short(name, 30) for key, name in names.items()}
        found.append(tell(f"analysis_rules.suggestion.{text_id}", language, **shown))

    if amounts and groups:
        add("total_by_group", group=groups[0], measure=amounts[0])
    elif levels and groups:
        add("mean_by_group", group=groups[0], measure=levels[0])
    elif groups:
        add("count_by_group", group=groups[0])
    if times and amounts:
        add("trend", measure=amounts[0])
    elif times:
        add("count_trend")
    if groups and amounts:
        add("share", group=groups[-1], measure=amounts[0])
    elif groups:
        add("count_share", group=groups[-1])
    if numbers:
        add("outliers", measure=numbers[0])
    if len(numbers) > 1:
        add("correlation", first=numbers[0], second=numbers[1])
    if profile.rows and any(column.missing for column in profile.columns):
        add("missing")
    add("overview")
    return tuple(dict.fromkeys(found))[:MOST]
