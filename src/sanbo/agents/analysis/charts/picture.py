"""A chart before it is a PNG, and the table behind it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from sanbo.agents.analysis.outcome import ROWS_SHOWN, JsonCell, Note, ResultTable, TableColumn


@dataclass
class Remarks:
    """What is to be said beside a chart; `foot` also stands in the picture itself."""

    notes: list[Note] = field(default_factory=list[Note])
    foot: list[str] = field(default_factory=list[str])

    def caution(self, text: str) -> None:
        """Something was left out or put together: the picture says so too."""
        self.notes.append(Note(kind="caution", text=text))
        self.foot.append(text)

    def convention(self, text: str) -> None:
        self.notes.append(Note(kind="convention", text=text))


@dataclass(frozen=True)
class Picture:
    figure: Figure
    title: str
    alt: str
    table: ResultTable
    notes: tuple[Note, ...]


def table_of(
    title: str,
    columns: Sequence[TableColumn],
    rows: Iterable[tuple[JsonCell, ...]],
    row_count: int,
) -> ResultTable:
    """The first of the rows; `row_count` says how many there are."""
    shown: list[tuple[JsonCell, ...]] = []
    for row in rows:
        if len(shown) == ROWS_SHOWN:
            break
        shown.append(row)
    return ResultTable(title=title, columns=tuple(columns), rows=tuple(shown), row_count=row_count)
