"""What a column says that was computed from groups: 利益率 of each store, or of all together."""

from collections.abc import Mapping

from sanbo.agents.analysis.conclusions.groups import by_groups, course, extremes, is_course
from sanbo.agents.analysis.conclusions.reading import Reading, short
from sanbo.agents.analysis.conclusions.scope import Scope
from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.kernel.messages import tell

PREPARING = (op.Derive, op.Cast, op.Impute, op.Dedup)
"""Steps that only make another table."""


def finding_before(result: ResultView, by_id: Mapping[str, ResultView]) -> ResultView | None:
    """The nearest result that says something itself; None where there is only the dataset."""
    seen: set[str] = set()
    current: ResultView | None = result
    while current is not None and isinstance(current.spec, PREPARING):
        if current.result_id in seen:
            return None
        seen.add(current.result_id)
        current = by_id.get(current.spec.input)
    return current


def derived(
    spec: op.Derive, source: op.AnalysisSpec | PlotSpec, reading: Reading, scope: Scope
) -> list[str]:
    """Nothing, where it was not computed from groups, or is no number."""
    if isinstance(source, op.GroupbyAgg):
        names = list(dict.fromkeys(source.group_cols))
    elif isinstance(source, op.Resample):
        names = list(dict.fromkeys((source.date_col, *source.by)))
    else:
        return []
    keys = [at for name in names if (at := reading.position(name)) is not None]
    place = reading.position(spec.name)
    if place is None or place in keys or len(keys) < len(names):
        return []
    is_time = isinstance(source, op.Resample)
    rows = reading.named(place, keys, is_time=is_time)
    if not rows:
        return []
    what = short(spec.name)
    if not keys:
        said = tell("analysis_conclusion.is", what=what, value=rows[0].value)
        return [tell("analysis_conclusion.are", what=scope.about(said))]
    labels = [reading.label(at) for at in keys]
    if isinstance(source, op.Resample):
        labels[0] = tell(f"analysis_conclusion.unit.{source.unit}")
    by = tell("analysis_conclusion.key_separator").join(labels)
    subject = by_groups(by, scope.about(what))
    how = "high" if getattr(spec.expression, "fn", "") == "divide" else "wide"
    if isinstance(source, op.Resample) and is_course(source, len(keys), len(rows), reading):
        return course(subject, rows, how)
    return [extremes(subject, rows, reading, how=how, by="" if is_time else by)]
