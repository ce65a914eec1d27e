"""Whether an answer is the one that somebody who looked at the table has written down.

`read_file(path)` gives the questions of a YAML file, `judge(question, result)` what an answer is.
"""

from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, cast

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter

from sanbo.agents.analysis.execution.periods import read_span
from sanbo.agents.analysis.outcome import JsonCell
from sanbo.agents.analysis.results import AnalysisResult, AnswerTable
from sanbo.kernel.messages import Language
from sanbo.kernel.text import matching_form
from sanbo.runs.model import JsonObject

PRECISION = 1e-6
_DATA = "data:"
MOST_ROWS_WITHOUT_LABEL = 20
"""In a longer table any number would be found by chance."""
_TIMES = {"千": 1e3, "万": 1e4, "百万": 1e6, "億": 1e8}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS = frozenset(day[:3] for day in _WEEKDAYS)
_TRUTHS = {
    True: ("true", "yes", "y", "はい", "有", "あり"),
    False: ("false", "no", "n", "いいえ", "無", "なし"),
}
"""How answers of yes or no may be written."""
_KINDS = {
    "histogram": "hist",
    "boxplot": "box",
    "bar_chart": "bar",
    "stacked": "bar",
    "line_chart": "line",
    "pie_chart": "pie",
    "scatter_plot": "scatter",
    "heatmap": "heat",
}


def _word(value: object) -> object:
    """A label that YAML took for a date, a number or a truth."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float | date) else value


def _some(value: object) -> object:
    return cast("object", [] if value is None else value)


Label = Annotated[str, BeforeValidator(_word)]


class Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Figure(Closed):
    labels: Annotated[tuple[Label, ...], BeforeValidator(_some)] = ()
    value: float | None = None
    """None: the labels stand together in a row."""


Figures = Annotated[tuple[Figure, ...], BeforeValidator(_some)]


class Chart(Closed):
    kind: str
    x: str | None = None
    y: str | None = None


class Question(Closed):
    id: Label
    language: Language
    table: str
    """A path, from the folder of the file of questions or from the one that is worked in."""
    ask: str
    before: Annotated[tuple[str, ...], BeforeValidator(_some)] = ()
    kind: Literal["answer", "ask", "refuse"] = "answer"
    figures: Figures = ()
    complete: bool = False
    """The table has no other rows."""
    ordered: bool = False
    alternatives: Annotated[tuple[Figures, ...], BeforeValidator(_some)] = ()
    """Other answers that are right as well."""
    chart: Chart | None = None
    note: str | None = ""


class Verdict(NamedTuple):
    outcome: Literal["right", "wrong", "asked", "refused"]
    """`wrong`: something else was answered, and nothing says so."""
    reason: str = ""

    @property
    def is_right(self) -> bool:
        return self.outcome == "right"


def read_file(path: Path, data: Path | None = None) -> list[Question]:
    """`data:` in the names of tables stands for this folder; without it they have no table."""
    told = TypeAdapter(list[Question]).validate_python(yaml.safe_load(path.read_text("utf-8")))
    return [one.model_copy(update={"table": _placed(one.table, data)}) for one in told]


def _placed(table: str, data: Path | None) -> str:
    if not table.startswith(_DATA):
        return table
    return "" if data is None else str((data / table.removeprefix(_DATA)).absolute())


def judge(question: Question, result: AnalysisResult) -> Verdict:
    kind = {"report": "answer", "question": "ask", "out_of_scope": "refuse"}[result.kind]
    if kind != question.kind:
        outcome = {"answer": "wrong", "ask": "asked", "refuse": "refused"}[kind]
        return Verdict(
            cast("Literal['wrong', 'asked', 'refused']", outcome),
            f"{kind} instead of {question.kind}",
        )
    if kind != "answer":
        return Verdict("right")
    wanted = [each for each in (question.figures, *question.alternatives) if each]
    if wanted and not any(_found(question, each, result.tables) for each in wanted):
        return Verdict("wrong", "figures")
    if question.chart is not None and not _is_drawn(question.chart, result):
        return Verdict("wrong", "chart")
    return Verdict("right")


# ---- figures ----


def _found(question: Question, figures: Sequence[Figure], tables: Sequence[AnswerTable]) -> bool:
    """In one table; or each alone in its own, where two methods were asked for."""
    if any(_stand_in(table, question, figures) for table in tables):
        return True
    return not any(each.labels for each in figures) and all(
        any(_stand_in(table, question, [each]) for table in tables) for each in figures
    )


def _stand_in(table: AnswerTable, question: Question, figures: Sequence[Figure]) -> bool:
    if len(table.rows) > MOST_ROWS_WITHOUT_LABEL and not all(each.labels for each in figures):
        return False
    places: list[int] = []
    for figure in figures:
        place = _place(table, figure, places if question.complete else ())
        if place is None:
            return False
        places.append(place)
    if question.complete and len(set(places)) != _told_rows(table, figures, places):
        return False
    return not question.ordered or _rises(table, places, figures)


def _told_rows(table: AnswerTable, figures: Sequence[Figure], places: Sequence[int]) -> int:
    """Rows that say something: the first month of a change has none, and is no answer."""
    if any(figure.value is None for figure in figures):
        return table.row_count
    rows = enumerate(table.rows)
    return table.row_count - sum(1 for at, row in rows if at not in places and None in row)


def _rises(table: AnswerTable, places: Sequence[int], figures: Sequence[Figure]) -> bool:
    """From the first row on that says something; those of one value stand in any order.

    Several figures of one row are told one after the other, or column by column.
    """
    first = {place: figure for place, figure in reversed(list(zip(places, figures, strict=True)))}
    order = list(dict.fromkeys(places))
    before = table.rows[: min(order)]
    return all(None in row for row in before) and all(
        later > earlier or first[earlier].value == first[later].value
        for earlier, later in pairwise(order)
    )


def _place(table: AnswerTable, figure: Figure, taken: Sequence[int]) -> int | None:
    """The row of the figure: its labels in the same row, or at the head of its column.

    Two rows that look alike are two figures: one that is not `taken` yet comes first.
    """
    found = (number for number, row in enumerate(table.rows) if _holds(table, row, figure))
    return min(found, key=lambda number: (number in taken, number), default=None)


def _holds(table: AnswerTable, row: Sequence[JsonCell], figure: Figure) -> bool:
    above = [label for label in figure.labels if not any(_is(label, cell) for cell in row)]
    if figure.value is None:
        return bool(figure.labels) and not above
    return any(
        _equals(figure.value, cell, table, place)
        and all(_heads(label, table, place) for label in above)
        for place, cell in enumerate(row)
    )


def _is(label: str, cell: JsonCell) -> bool:
    if cell is None:
        return label == ""
    if isinstance(cell, bool):
        return matching_form(label) in _TRUTHS[cell]
    # pyrefly: ignore[missing-attribute]
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if matching_form(label) in (matching_form(str(cell)), matching_form(str(cell)[:-2])):
        return matching_form(label) == matching_form(str(cell)) or str(cell).endswith("曜日")
    if label.casefold() in _DAYS and str(cell).casefold().startswith(label.casefold()):
        return str(cell).casefold() in _WEEKDAYS
    if label.isdecimal() and str(cell).isdecimal() and str(cell).lstrip("0") == label:
        return True  # 04, a code that somebody has read as a number
    span = read_span(label)  # 2025年4月 is 2025-04
    return isinstance(cell, str) and span is not None and read_span(cell) == span


def _heads(label: str, table: AnswerTable, place: int) -> bool:
    head = matching_form(f"{table.columns[place]} {table.labels[place]}")
    return matching_form(label) in head


def _equals(value: float, cell: JsonCell, table: AnswerTable, place: int) -> bool:
    """A share as ratio or percentage; 12 in a column of 千円 is 12,000."""
    if cell is None or isinstance(cell, bool | str):
        return False
    unit = table.units[place]
    times = next((times for word, times in _TIMES.items() if unit == f"{word}円"), 1.0)
    read = {float(cell), cell * times}
    if table.kinds[place] == "share":
        read.add(cell * 100)
    if unit == "%":
        read.add(cell / 100)
    return any(abs(each - value) <= PRECISION * max(abs(value), PRECISION) for each in read)


# ---- charts ----


def _is_drawn(chart: Chart, result: AnalysisResult) -> bool:
    plots = [spec for spec in result.specs if spec.get("type") == "plot"]
    return any(_shows(chart, plot) for plot in plots)


def _shows(chart: Chart, plot: JsonObject) -> bool:
    kind = chart.kind.lower()
    if plot.get("kind") not in (kind, _KINDS.get(kind)):
        return False
    if kind == "stacked" and not plot.get("stacked"):
        return False
    if chart.x is not None and chart.x.casefold() == plot.get("x_unit"):
        return _is_axis(chart.y, plot.get("y"))  # along months, whatever the dates are called
    across, up = plot.get("x"), plot.get("by" if plot.get("kind") == "heatmap" else "y")
    is_turned = _is_axis(chart.x, up) and _is_axis(chart.y, across) and "by" in plot
    return is_turned or (_is_axis(chart.x, across) and _is_axis(chart.y, up))


def _is_axis(wanted: str | None, given: object) -> bool:
    """売上_sum, a column of a result, is 売上 too, and Rental_Days, of two rows of headings, is
    Days; rows are counted where nothing is named."""
    if wanted is None or matching_form(wanted) in ("count", "件数"):
        return True
    _, _, lowest = str(given or "").partition("_")
    names = [matching_form(str(given or "")), matching_form(lowest)]
    return any(name.startswith(matching_form(wanted)) for name in names)
