"""Tables as CSV that a spreadsheet opens as it is, and in which no cell becomes a formula."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from sanbo.agents.analysis.outcome import ResultTable

if TYPE_CHECKING:  # whoever has such a table has loaded it
    import pyarrow as pa

_BOM = b"\xef\xbb\xbf"
# Japanese spreadsheets take the full-width signs for the same.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def csv_bytes(table: "ResultTable | pa.Table", labels: Sequence[str] = ()) -> bytes:
    """UTF-8 with a mark at its start, without which Excel reads it in another encoding."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_text(name) for name in labels or _header(table))
    writer.writerows(map(_row, _rows(table)))
    return _BOM + text.getvalue().encode("utf-8", "replace")


def _header(table: "ResultTable | pa.Table") -> Sequence[str]:
    if isinstance(table, ResultTable):
        return [column.label for column in table.columns]
    return table.column_names


def _rows(table: "ResultTable | pa.Table") -> Iterator[Sequence[object]]:
    if isinstance(table, ResultTable):
        yield from table.rows
        return
    for batch in table.to_batches(max_chunksize=10_000):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _row(cells: Iterable[object]) -> list[object]:
    return [_cell(cell) for cell in cells]


def _cell(cell: object) -> object:
    """Numbers stay numbers, -5 too; only texts could be taken for a formula."""
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, int | float):
        return cell
    if isinstance(cell, datetime):
        # A date is held as its midnight.
        return str(cell.date()) if cell == datetime(cell.year, cell.month, cell.day) else str(cell)
    if isinstance(cell, date):
        return str(cell)
    return _text(str(cell))


def _text(text: str) -> str:
    text = text.replace("\0", "")
    begins = text.lstrip(" \u3000\xa0")
    is_formula = begins.startswith(_FORMULA) and len(begins) > 1
    return f"'{text}" if is_formula else text
