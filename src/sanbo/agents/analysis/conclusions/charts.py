"""What a chart shows, in words, from the numbers behind it."""

from sanbo.agents.analysis.conclusions.groups import by_groups, course, degree, extremes
from sanbo.agents.analysis.conclusions.reading import Reading, short
from sanbo.agents.analysis.conclusions.scope import Scope
from sanbo.agents.analysis.spec.plots import Aggregated, Line, PlotSpec
from sanbo.kernel.messages import tell


def drawn(titles: tuple[str, ...]) -> list[str]:
    return [tell("analysis_conclusion.drawn", title=short(title)) for title in titles]


def chart(spec: PlotSpec, reading: Reading, scope: Scope) -> list[str]:
    """Of charts that put rows together; a histogram or a scatter is for the eye."""
    if not isinstance(spec, Aggregated) or len(reading.names) < 2:
        return []
    place = len(reading.names) - 1
    keys = list(range(place))
    rows = reading.named(place, keys, is_time=spec.x_unit is not None)
    if not rows:
        return []
    subject = scope.about(reading.label(place))
    how = degree(spec.agg or ("sum" if spec.y else None))
    is_time = spec.x_unit is not None or reading.column(0).kind in ("date", "datetime")
    if isinstance(spec, Line) and is_time and len(keys) == 1 and len(rows) > 1:
        return [] if reading.table.is_cut else course(subject, rows, how)
    by = tell("analysis_conclusion.key_separator").join(reading.label(at) for at in keys)
    subject = by_groups(by, subject)
    return [extremes(subject, rows, reading, how=how, by=by)]
