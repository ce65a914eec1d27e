"""The sheets of a workbook (XLSX, XLSM, XLSB, XLS, ODS) as grids of values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from io import BytesIO

from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from sanbo.documents.builder import limits_in_force
from sanbo.documents.columns import Cell
from sanbo.documents.number_formats import NumberFormat, plain
from sanbo.documents.ooxml.package import has_password
from sanbo.documents.sheet_facts import (
    Formats,
    SheetFacts,
    SheetNotes,
    SheetParts,
    inspect_workbook,
)
from sanbo.kernel.problems import UnsupportedFormat

_LARGEST_WHOLE = 1e15  # where a float no longer tells every whole number


@dataclass(frozen=True)
class MergedCells:
    """First and last row and column, from 1."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


@dataclass(frozen=True)
class Sheet:
    name: str
    is_hidden: bool
    rows: list[list[Cell]]
    """From the first to the last cell in use; None where a cell is empty."""
    first_row: int = 1
    first_column: int = 1
    merged: list[MergedCells] = field(default_factory=list[MergedCells])
    not_calculated: int = 0
    """Formulas whose results the file does not hold: their cells look empty."""
    errors: list[str] = field(default_factory=list[str])
    """#REF! and its like, which stand in the cells as text (XLSX and XLSM only)."""
    formats: Formats = field(default_factory=dict[int, dict[int, NumberFormat]])
    """Of numbers that a person sees in another way, by column and row from 1 (as above)."""
    notes: SheetNotes = field(default_factory=SheetNotes)
    """Comments and text boxes (as above)."""


def read_sheets(data: bytes) -> list[Sheet]:
    """All sheets with cells, hidden ones too, in the workbook's order."""
    if has_password(data):
        raise UnsupportedFormat("tables_workbook_protected")
    parts: dict[str, SheetParts] = {}
    if data.startswith(b"PK"):
        parts = inspect_workbook(data, limits_in_force().cells)
    try:
        with CalamineWorkbook.from_filelike(BytesIO(data)) as workbook:
            return [
                _read_sheet(workbook, about.name, about.visible, parts.get(about.name))
                for about in workbook.sheets_metadata
                if about.typ == SheetTypeEnum.WorkSheet
            ]
    except PasswordError as error:
        raise UnsupportedFormat("tables_workbook_protected") from error
    except (CalamineError, OSError, ValueError) as error:
        raise UnsupportedFormat("tables_workbook_damaged") from error
    except BaseException as error:
        # A panic of the library is no Exception, so that it ends the program: not for a bad file.
        if type(error).__name__ != "PanicException":
            raise
        raise UnsupportedFormat("tables_workbook_damaged") from error


def _read_sheet(
    workbook: CalamineWorkbook, name: str, visible: SheetVisibleEnum, parts: SheetParts | None
) -> Sheet:
    sheet = workbook.get_sheet_by_name(name)
    limits_in_force().check(parts=sheet.height, cells=sheet.height * sheet.width)
    row, column = sheet.start or (0, 0)
    rows = [_cells(values) for values in sheet.to_python()]
    facts = SheetFacts() if parts is None else parts.facts
    if facts.errors:
        _put_errors(rows, facts, row + 1, column + 1)
    return Sheet(
        name=name,
        is_hidden=visible != SheetVisibleEnum.Visible,
        rows=rows,
        first_row=row + 1,
        first_column=column + 1,
        merged=[
            MergedCells(top + 1, left + 1, bottom + 1, right + 1)
            for (top, left), (bottom, right) in sheet.merged_cell_ranges or ()
        ],
        not_calculated=facts.not_calculated,
        errors=list(facts.errors.values()),
        formats=facts.formats,
        notes=SheetNotes() if parts is None else parts.notes,
    )


def _cells(values: Sequence[str | float | bool | date | time | timedelta]) -> list[Cell]:
    # In one piece: a call a cell is felt in a sheet of half a million.
    return [
        # pyrefly: ignore[missing-attribute]
        (int(value) if value.is_integer() and abs(value) < _LARGEST_WHOLE else value)
        if isinstance(value, float)
        else (None if value == "" else value)
        for value in values
    ]


def _put_errors(
    rows: Sequence[list[Cell]], facts: SheetFacts, first_row: int, first_column: int
) -> None:
    """The library reads #REF! and its like as nothing."""
    for (row, column), text in facts.errors.items():
        if first_row <= row < first_row + len(rows):
            cells = rows[row - first_row]
            if first_column <= column < first_column + len(cells):
                cells[column - first_column] = text


def shown_as(cell: Cell, number_format: NumberFormat | None) -> str:
    """A cell's text where the workbook says how its numbers are shown."""
    if number_format is None or not isinstance(cell, int | float) or isinstance(cell, bool):
        return shown(cell)
    return number_format.show(cell) if abs(cell) < _LARGEST_WHOLE else shown(cell)


def shown(cell: Cell) -> str:
    """A cell's text in a document: dates as 2025-04-01, numbers with no digits of noise."""
    match cell:
        case str():  # most cells of most sheets
            text = cell
        case None:
            text = ""
        case bool():
            text = "TRUE" if cell else "FALSE"
        case float():
            text = plain(cell)
        case datetime():
            text = cell.isoformat(" ", "seconds" if cell.second else "minutes")
        case time():
            text = cell.isoformat("seconds" if cell.second else "minutes")
        case timedelta():
            text = _hours(cell)
        case _:
            text = str(cell)
    return text


def _hours(duration: timedelta) -> str:
    """27:30, as hours of work are added up."""
    minutes, seconds = divmod(round(abs(duration.total_seconds())), 60)
    sign = "-" if duration < timedelta() else ""
    text = f"{sign}{minutes // 60}:{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text
