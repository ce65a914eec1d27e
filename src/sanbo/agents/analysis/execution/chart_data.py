"""The numbers behind a chart: a spec and a table in, a figure in Vega-Lite with its table out."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.bar import Bar
from sanbo.agents.analysis.charts.histogram import Hist
from sanbo.agents.analysis.charts.kind import Numbers, Plot
from sanbo.agents.analysis.execution.chart_groups import of_groups
from sanbo.agents.analysis.execution.chart_spreads import of_bins, of_points, of_quartiles
from sanbo.agents.analysis.execution.chart_task import Drawn, Remarks, Task, no_values
from sanbo.agents.analysis.execution.chart_words import kind_name
from sanbo.agents.analysis.execution.filters import describe
from sanbo.agents.analysis.execution.frames import Frame, listed
from sanbo.agents.analysis.execution.results import convention
from sanbo.agents.analysis.execution.work import Work
from sanbo.agents.analysis.outcome import Figure, Outcome, ResultTable
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import tell

_MADE: dict[Numbers, Callable[[Task], Drawn]] = {
    "groups": of_groups,
    "bins": of_bins,
    "quartiles": of_quartiles,
    "points": of_points,
}


def draw(spec: Plot, frame: Frame) -> Outcome:
    """One figure; the numbers in it are in its table."""
    if isinstance(spec, Hist) and frame.kinds.get(spec.x, "number") not in (*NUMERIC, "empty"):
        spec = _counted(spec)
    work = Work(frame, spec.filters)
    data = work.rows(_columns(spec))
    for column in data.columns:
        if frame.kinds[column] == "empty" or bool(data[column].isna().all()):
            raise no_values(column)
    remarks = Remarks()
    if spec.filters:
        conditions = listed([describe(one) for one in spec.filters])
        remarks.foot.append(tell("chart.note.conditions", conditions=conditions))
    if spec.color and spec.color not in (*spec.groups().values(), getattr(spec, "x", None)):
        told = tell("chart.note.colour_unused", kind=kind_name(spec), column=spec.color)
        remarks.notes.append(convention(told))
    kind = KINDS[spec.kind]
    made = _MADE[kind.numbers](Task(spec, kind, data, work.kinds, work.units, remarks))
    whole = ResultTable(
        title=made.title, columns=made.columns, rows=tuple(made.rows), row_count=len(made.rows)
    )
    vega = kind.vega(spec, whole)
    vega["description"] = made.alt
    if remarks.foot:
        vega["title"]["subtitle"] = [one_line(each, 120) for each in remarks.foot[:4]]
    figure = Figure(title=made.title, alt=made.alt, table=made.table, vega=vega)
    return Outcome(
        figures=(figure,),
        notes=(*work.condition_note(), *remarks.notes),
        input_rows=frame.rows,
        used_rows=work.used_rows,
    )


def _counted(spec: Hist) -> Bar:
    """Of words and dates: how often each one stands there."""
    shared = spec.model_dump(include={"input", "filters", "x", "color", "facet", "fiscal_start"})
    given = {**shared, "title": spec.title, "stacked": spec.color is not None}
    return Bar.model_validate(given)


def _columns(spec: Plot) -> tuple[str, ...]:
    measured = (getattr(spec, name, None) for name in ("x", "y"))
    return tuple(dict.fromkeys(name for name in (*spec.groups().values(), *measured) if name))
