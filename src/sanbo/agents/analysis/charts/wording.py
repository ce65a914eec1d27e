"""Titles and axis labels in words."""

from sanbo.agents.analysis.charts.measures import Measure, bare_name
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import tell


def by_words(
    x: str | None, unit: TimeUnit | None, color: str | None = None, facet: str | None = None
) -> str:
    """月別・店舗別, or “month and store”."""
    axis = None
    if x is not None:
        axis = tell(f"chart.time_by.{unit}") if unit else _by_column(x)
    others = [
        _by_column(name) for name in dict.fromkeys((facet, color)) if name is not None and name != x
    ]
    return tell("chart.and").join([*([axis] if axis else []), *others])


def _by_column(name: str) -> str:
    """店舗別, but 性別 as it is."""
    return name if name.endswith("別") else tell("chart.by_column", column=name)


def aggregated_title(measure: Measure, by: str, family: str) -> str:
    match family:
        case "line":
            return tell("chart.title.line", what=measure.label, by=by)
        case "pie" | "share":
            return tell("chart.title.share", what=measure.label, by=by)
        case _:
            return tell("chart.title.bar", what=measure.label, by=by)


def distribution_title(column: str, unit: str, by: str) -> str:
    what = bare_name(column, unit)
    if by:
        return tell("chart.title.distribution_by", what=what, by=by)
    return tell("chart.title.distribution", what=what)


def axis_name(column: str, unit: TimeUnit | None) -> str:
    """日付（月）."""
    if unit is None:
        return column
    return tell("chart.with_unit", text=column, unit=tell(f"chart.time_word.{unit}"))
