"""A spec and a table in, a chart with its numbers and words out; the first one made ahead."""

from typing import assert_never

import pyarrow as pa

from sanbo.agents.analysis.charts.bars import draw_bars
from sanbo.agents.analysis.charts.boxes import draw_boxes
from sanbo.agents.analysis.charts.histograms import draw_histogram
from sanbo.agents.analysis.charts.lines import draw_lines
from sanbo.agents.analysis.charts.look import house_style, is_drawable, one_line, png, shortened
from sanbo.agents.analysis.charts.picture import Picture, Remarks, Rows, rows_of
from sanbo.agents.analysis.charts.pies import draw_pie
from sanbo.agents.analysis.charts.scatters import draw_scatter
from sanbo.agents.analysis.execution.frames import TYPE_KEY, Frame, listed
from sanbo.agents.analysis.outcome import Figure, Note, Outcome
from sanbo.agents.analysis.spec.plots import Bar, Box, Hist, Line, Pie, PlotSpec, Scatter
from sanbo.kernel.messages import tell

_LONGEST_TITLE = 300


def draw(spec: PlotSpec, frame: Frame) -> Outcome:
    """One figure; the numbers in it are in its table."""
    rows = rows_of(spec, frame)
    remarks = Remarks()
    if rows.conditions:  # a chart that is passed on alone must say what it leaves out
        remarks.foot.append(tell("chart.note.conditions", conditions=listed(rows.conditions)))
    with house_style():
        made = picture(spec, rows, remarks)
        image = png(made.figure)
    title = _title(made.title)
    table = made.table.model_copy(update={"title": title})
    figure = Figure(title=title, png=image, alt=one_line(made.alt), table=table)
    notes = (*made.notes, *_replaced(made))
    return Outcome(
        figures=(figure,),
        notes=tuple(Note(kind=note.kind, text=one_line(note.text)) for note in notes),
        input_rows=rows.input_rows,
        used_rows=len(rows),
    )


def picture(spec: PlotSpec, rows: Rows, remarks: Remarks) -> Picture:
    """Inside the house style, which its texts and colours are taken from."""
    match spec:
        case Hist():
            return draw_histogram(spec, rows, remarks)
        case Scatter():
            return draw_scatter(spec, rows, remarks)
        case Line():
            return draw_lines(spec, rows, remarks)
        case Bar():
            return draw_bars(spec, rows, remarks)
        case Pie():
            return draw_pie(spec, rows, remarks)
        case Box():
            return draw_boxes(spec, rows, remarks)
        case _:
            assert_never(spec)


def _title(text: str) -> str:
    """Names of columns may be long, and may hold line breaks."""
    return shortened(one_line(text), _LONGEST_TITLE)


def _replaced(made: Picture) -> tuple[Note, ...]:
    """Letters that no font here has stand as 〓 in the picture; the table has them."""
    texts = [made.title, *(column.label for column in made.table.columns)]
    texts += [cell for row in made.table.rows for cell in row if isinstance(cell, str)]
    if all(map(is_drawable, texts)):
        return ()
    return (Note(kind="caution", text=tell("chart.note.letters_replaced")),)


_SPECS: tuple[PlotSpec, ...] = (
    Bar(x="名", y="値", color="色", stacked=True),
    Line(x="日", x_unit="month", y="値"),
    Pie(x="名", y="値"),
    Hist(x="値"),
    Scatter(x="値", y="値", color="色"),
    Box(x="名", y="値"),
)


def warm_up() -> None:
    """One small chart of each kind; nothing is kept of them but what was loaded."""
    frame = _sample()
    for spec in _SPECS:
        draw(spec, frame)


def _sample() -> Frame:
    count = 6
    columns = {
        "名": ("text", pa.array([f"店{index % 3}" for index in range(count)])),
        "色": ("text", pa.array([f"色{index % 2}" for index in range(count)])),
        "値": ("integer", pa.array([100_000 * index for index in range(count)])),
        "日": (
            "date",
            pa.array([index * 86_400_000_000 * 31 for index in range(count)], pa.timestamp("us")),
        ),
    }
    fields = [
        pa.field(name, array.type, metadata={TYPE_KEY: kind.encode()})
        for name, (kind, array) in columns.items()
    ]
    return Frame(pa.table([array for _, array in columns.values()], schema=pa.schema(fields)))
