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
from sanbo.agents.analysis.execution.chart_task import Drawn, Task, no_values
from sanbo.agents.analysis.execution.chart_words import kind_name
from sanbo.agents.analysis.execution.filters import describe
from sanbo.agents.analysis.execution.frames import Frame, listed
from sanbo.agents.analysis.execution.results import convention
from sanbo.agents.analysis.execution.work import Work
from sanbo.agents.analysis.outcome import ROWS_SHOWN, Figure, Outcome
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
    kind = KINDS[spec.kind]
    task = Task(spec, kind, data, work.kinds, work.units)
    made = _MADE[kind.numbers](task)
    if spec.color and spec.color not in (*spec.groups().values(), getattr(spec, "x", None)):
        told = tell("chart.note.colour_unused", kind=kind_name(spec), column=spec.color)
        task.notes.append(convention(told))
    vega = kind.vega(spec, made.marks)
    vega["description"] = made.alt
    # A picture that is passed on alone says what it leaves out.
    foot = [note.text for note in task.notes if note.kind == "caution"]
    if spec.filters:
        conditions = listed([describe(one) for one in spec.filters])
        foot.insert(0, tell("chart.note.conditions", conditions=conditions))
    if foot:
        vega["title"]["subtitle"] = [one_line(each, 120) for each in foot[:4]]
    table = made.table.model_copy(update={"rows": made.table.rows[:ROWS_SHOWN]})
    return Outcome(
        figures=(Figure(title=table.title, alt=made.alt, table=table, vega=vega),),
        notes=(*work.condition_note(), *task.notes),
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
