"""A report for Excel: an overview, each table on a sheet of its own, charts as pictures."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from io import BytesIO
from typing import Any, cast
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook
from openpyxl.drawing.image import Image
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter
from pydantic import JsonValue
from typing_extensions import override

from sanbo.kernel.messages import Language, tell
from sanbo.reports import excel_cells as xml
from sanbo.reports.blocks import Code, Grid, Heading, Item, Line, Paragraph, Picture, text_of
from sanbo.reports.content import (
    Report,
    handed_on,
    header_of,
    names_of,
    new_spans,
    old_spans,
    remarks_of,
    told_part,
)
from sanbo.reports.excel_cells import (
    CENTRED,
    FLAGGED,
    FONTS,
    HEADER,
    SIZE,
    WRAPPED,
    height,
    is_like_formula,
    put,
    set_print,
    sheet_title,
)
from sanbo.reports.letters import Span, plain_text, printable
from sanbo.reports.office_files import Content, wanted, with_content
from sanbo.runs.parts import (
    READING,
    RECIPE,
    CellKind,
    Changes,
    Column,
    Facts,
    Figure,
    Part,
    Sources,
    Table,
    Trouble,
    shown_cell,
)

TEXT_WIDTHS = (26, 100)
"""Of a sheet that is read: labels, and what they say."""
CHANGE_WIDTHS = (6, 12, 58, 58, 16, 34, 9)
CHANGE_COLUMNS = ("number", "kind", "new", "old", "attention", "remarks", "confidence")
NEW_WORDS, OLD_WORDS = "FF1F4E9E", "FFC00000"
LARGEST_EXACT = 10**15
"""Digits beyond it a spreadsheet forgets: such numbers are kept as text."""
WIDEST_PICTURE = 900
"""Pixels."""
_DIMENSION = re.compile("<dimension [^<>]*/>")
_FIRST_DAY = date(1900, 3, 1)
"""Before it the calendar of spreadsheets has a day too many."""
_NO_DAY = datetime(1899, 12, 30)


def written(report: Report) -> bytes:
    return _Book(report).written()


class _Book:
    def __init__(self, report: Report) -> None:
        self._report = report
        self._language: Language = report.language
        self._workbook = Workbook()
        self._looks: dict[tuple[str, str], int] = {}
        self._rows: dict[str, str] = {}
        """By the sheet's title, rows that are written as they are."""

    def written(self) -> bytes:
        overview = self._workbook.worksheets[0]
        overview.title = tell("reports.sheet.overview", self._language)
        parts = handed_on(self._report.parts)
        method = [part for part in parts if part.id in (READING, RECIPE)]
        sources = [part for part in self._report.parts if isinstance(part, Sources)]
        apart = [part for part in parts if isinstance(part, Table | Figure | Changes)]
        told = [part for part in parts if part not in method and part not in apart]
        self._overview(overview, [part for part in told if not isinstance(part, Sources)])
        for part in sorted(apart, key=lambda part: part.is_aside):
            self._part(part)
        for part in sources:
            if not part.interaction_id:
                self._sources(part)
        if method:
            sheet = self._sheet(tell("reports.sheet.method", self._language))
            self._texts(sheet, method, 1)
        self._workbook.properties.title = self._report.title[:255]
        self._workbook.properties.creator = "Sanbo"
        frame = _workbook_bytes(self._workbook)
        sheets = self._workbook.sheetnames
        return with_content(
            frame,
            {
                f"xl/worksheets/sheet{sheets.index(title) + 1}.xml": Content(
                    "</sheetData>", rows, leave_out=_DIMENSION
                )
                for title, rows in self._rows.items()
            },
        )

    def _sheet(self, title: str) -> Worksheet:
        sheet: Worksheet = self._workbook.create_sheet(
            sheet_title(title, self._workbook.sheetnames)
        )
        set_print(sheet)
        return sheet

    def _part(self, part: Table | Figure | Changes) -> None:
        match part:
            case Table():
                self._table(part)
            case Figure():
                self._figure(part)
            case Changes():
                self._changes(part)

    # ---- what is read ----

    def _overview(self, sheet: Worksheet, parts: Sequence[Part]) -> None:
        put(sheet, 1, 1, self._report.title, self._language, bold=True, size=14)
        for row, each in enumerate(self._report.byline, start=2):
            put(sheet, row, 1, each, self._language).font = Font(
                name=FONTS[self._language], size=9, color="FF595959"
            )
        set_print(sheet)
        self._texts(sheet, parts, 5)

    def _texts(self, sheet: Worksheet, parts: Sequence[Part], row: int) -> None:
        for letter, width in zip("AB", TEXT_WIDTHS, strict=True):
            sheet.column_dimensions[letter].width = width
        for part in sorted(parts, key=lambda part: part.is_aside):
            is_trouble = isinstance(part, Trouble)
            name = "warnings" if is_trouble and part.is_warning else "problem"
            title = tell(f"reports.{name}", self._language) if is_trouble else part.title
            if title:
                put(sheet, row, 1, title, self._language, bold=True, size=12)
                row += 1
            if isinstance(part, Facts) and all(fact.tone == "plain" for fact in part.items):
                for fact in part.items:
                    value = shown_cell(fact.value, None, self._language)
                    row = self._pair(sheet, row, fact.label, f"{value} {fact.note}".strip())
            else:
                row = self._blocks(sheet, row, part)
            row += 1

    def _pair(self, sheet: Worksheet, row: int, label: str, value: str) -> int:
        put(sheet, row, 1, label, self._language, bold=True, alignment=WRAPPED, lined=True)
        put(sheet, row, 2, value, self._language, alignment=WRAPPED, lined=True)
        told = zip((label, value), TEXT_WIDTHS, strict=True)
        sheet.row_dimensions[row].height = height(told, self._language)
        return row + 1

    def _blocks(self, sheet: Worksheet, row: int, part: Part) -> int:
        for block in told_part(part, self._language):
            match block:
                case Heading():
                    put(sheet, row, 1, block.text, self._language, bold=True, size=11)
                    row += 1
                case Paragraph():
                    row = self._across(
                        sheet, row, text_of(block.words), is_flagged=block.is_warning
                    )
                case Item():
                    mark = "・" if block.number is None else f"{block.number}. "
                    row = self._across(
                        sheet, row, f"{'　' * block.depth}{mark}{text_of(block.words)}"
                    )
                case Code():
                    row = self._across(sheet, row, block.text)
                case Grid():
                    row = self._grid(sheet, row, block)
                case Picture():
                    pass
        return row

    def _across(self, sheet: Worksheet, row: int, text: str, *, is_flagged: bool = False) -> int:
        """Over both columns."""
        cell = put(sheet, row, 1, text, self._language, alignment=WRAPPED)
        if is_flagged:
            cell.fill = FLAGGED
        sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=2)
        sheet.row_dimensions[row].height = height([(text, sum(TEXT_WIDTHS))], self._language)
        return row + 1

    def _grid(self, sheet: Worksheet, row: int, grid: Grid) -> int:
        lines: list[Sequence[Line | str]] = [grid.header] if grid.header else []
        for at, cells in enumerate([*lines, *grid.rows]):
            for column, cell in enumerate(cells, start=1):
                text = cell if isinstance(cell, str) else text_of(cell)
                is_header = at == 0 and bool(grid.header)
                made = put(
                    sheet,
                    row,
                    column,
                    text,
                    self._language,
                    bold=is_header,
                    alignment=WRAPPED,
                    lined=True,
                )
                if is_header:
                    made.fill = HEADER
            row += 1
        return self._across(sheet, row, grid.note) if grid.note else row

    # ---- tables ----

    def _table(self, part: Table) -> None:
        header = [header_of(column, self._language) for column in part.columns]
        kinds: list[CellKind] = [column.kind for column in part.columns]
        sheet = self._sheet(part.title or header[0])
        looks = [self._look(kind, column) for kind, column in zip(kinds, part.columns, strict=True)]
        shown = [
            [shown_cell(cell, column) for cell, column in zip(row, part.columns, strict=False)]
            for row in part.rows[:200]
        ]
        first = self._head(sheet, part.title, header, wanted(header, shown), len(part.rows))
        left_out = part.total_rows - len(part.rows)
        more = tell("reports.more_rows", self._language, count=f"{left_out:,}") if left_out else ""
        put(sheet, 2, 1, " ".join(each for each in (more, part.note) if each), self._language)
        letters = [get_column_letter(at) for at in range(1, len(header) + 1)]
        self._rows[sheet.title] = "".join(
            _row(
                at,
                [
                    self._cell(f"{letter}{at}", cell, kind, look)
                    for letter, cell, kind, look in zip(letters, row, kinds, looks, strict=False)
                ],
            )
            for at, row in enumerate(part.rows, start=first)
        )

    def _head(
        self,
        sheet: Worksheet,
        title: str,
        header: Sequence[str],
        widths: Sequence[float],
        rows: int,
    ) -> int:
        """The row under it."""
        put(sheet, 1, 1, title, self._language, bold=True, size=14)
        at = 4
        for column, (name, width) in enumerate(zip(header, widths, strict=True), start=1):
            centred = Alignment(horizontal="center", vertical="center", wrap_text=True)
            cell = put(
                sheet, at, column, name, self._language, bold=True, alignment=centred, lined=True
            )
            cell.fill = HEADER
            sheet.column_dimensions[get_column_letter(column)].width = width
        sheet.freeze_panes = f"A{at + 1}"
        sheet.auto_filter.ref = f"A{at}:{get_column_letter(len(header))}{at + rows}"
        sheet.print_title_rows = f"{at}:{at}"
        return at + 1

    def _cell(self, address: str, cell: JsonValue, kind: CellKind, look: int) -> str:
        is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
        if is_number and (isinstance(cell, float) or abs(cast("int", cell)) < LARGEST_EXACT):
            return xml.number_cell(address, look, cast("float", cell))
        if kind == "date" and isinstance(cell, str) and (serial := _serial(cell)) is not None:
            return xml.number_cell(address, self._look("time" if serial % 1 else "date"), serial)
        text = str(cell) if is_number else shown_cell(cell, None, self._language)
        return self._text(address, text)

    def _text(self, address: str, text: str) -> str:
        look = self._look("quoted" if is_like_formula(text) else "text")
        spans = xml.fitting([Span(printable(text), False)], self._language)
        return xml.text_cell(address, look, plain_text(spans))

    def _look(self, name: str, column: Column | None = None) -> int:
        """The number of a look that the workbook keeps: it is given to a cell once for that."""
        form = _number_format(name, column)
        key = (name, form)
        if key not in self._looks:
            sheet = self._workbook.worksheets[0]
            alignment = CENTRED if name in ("centred", "confidence") else WRAPPED
            cell = put(sheet, 1000, 1, "", self._language, alignment=alignment, lined=True)
            cell.quotePrefix = name == "quoted"
            cell.number_format = form
            if name == "flagged":
                cell.fill = FLAGGED
            if name == "grey":
                cell.font = Font(name=FONTS[self._language], size=SIZE, color="FF7F7F7F")
            self._looks[key] = cell.style_id
            sheet.delete_rows(1000)
        return self._looks[key]

    # ---- charts, sources ----

    def _figure(self, part: Figure) -> None:
        data = self._report.pictures.get(part.picture.artifact_id)
        sheet = self._sheet(tell("reports.sheet.figure", self._language, title=part.title))
        put(sheet, 1, 1, part.title, self._language, bold=True, size=14)
        if part.description:
            put(sheet, 2, 1, part.description, self._language)
        if data is not None:
            picture: Any = Image(BytesIO(data))
            scale = min(1.0, WIDEST_PICTURE / picture.width)
            picture.width, picture.height = picture.width * scale, picture.height * scale
            sheet.add_image(picture, "A4")

    def _sources(self, part: Sources) -> None:
        names = ("number", "document", "place", "quote", "check")
        self._table(
            Table(
                id=part.id,
                title=part.title,
                columns=tuple(
                    Column(name=tell(f"reports.column.{name}", self._language)) for name in names
                ),
                rows=tuple(
                    (each.mark, each.document, each.place, each.quote, each.note)
                    for each in part.items
                ),
                total_rows=len(part.items),
            )
        )

    # ---- two documents ----

    def _changes(self, part: Changes) -> None:
        sheet = self._sheet(part.title or tell("reports.sheet.changes", self._language))
        header = [tell(f"reports.column.{name}", self._language) for name in CHANGE_COLUMNS]
        first = self._head(sheet, part.title, header, CHANGE_WIDTHS, len(part.items))
        for row, name in enumerate(names_of(part, self._language), start=2):
            put(sheet, row, 1, name, self._language)
        self._rows[sheet.title] = "".join(self._change_rows(part, first))

    def _change_rows(self, part: Changes, first: int) -> Iterator[str]:
        plain = xml.letters(FONTS[self._language], SIZE)
        number = 0
        for at, item in enumerate(part.items, start=first):
            is_told = item.diff != () or item.change != "unchanged"
            number += is_told
            new = xml.fitting(new_spans(item, self._language), self._language)
            old = xml.fitting(old_spans(item, self._language), self._language)
            flags = tell("reports.between", self._language).join(item.flags)
            untold = item.model_copy(update={"flags": (), "confidence": None})
            remark = "\n".join(remarks_of(untold, self._language))
            cells = [
                xml.number_cell(f"A{at}", self._look("centred"), number)
                if is_told
                else xml.text_cell(f"A{at}", self._look("centred"), ""),
                xml.text_cell(f"B{at}", self._look("centred"), item.label),
                self._side(f"C{at}", new, plain, NEW_WORDS),
                self._side(f"D{at}", old, plain, OLD_WORDS),
                xml.text_cell(
                    f"E{at}", self._look("flagged" if item.tone == "caution" else "text"), flags
                ),
                self._text(f"F{at}", remark),
                xml.text_cell(f"G{at}", self._look("confidence"), "")
                if item.confidence is None
                else xml.number_cell(f"G{at}", self._look("confidence"), round(item.confidence, 3)),
            ]
            texts = ("", item.label, plain_text(new), plain_text(old), flags, remark, "")
            tall = height(zip(texts, CHANGE_WIDTHS, strict=True), self._language)
            yield xml.row(at, tall, cells)

    def _side(self, address: str, spans: Sequence[Span], plain: str, colour: str) -> str:
        look = self._look("quoted" if is_like_formula(plain_text(spans)) else "text")
        marked = xml.letters(FONTS[self._language], SIZE, colour)
        return xml.marked_cell(address, look, spans, plain, marked)


def _row(number: int, cells: Sequence[str]) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def _number_format(name: str, column: Column | None) -> str:
    decimals = column.decimals if column else None
    match name:
        case "number":
            return "General" if decimals is None else f"#,##0.{'0' * decimals}".rstrip(".")
        case "share":
            return f"0.{'0' * (1 if decimals is None else decimals)}".rstrip(".") + "%"
        case "confidence":
            return "0%"
        case "date":
            return "yyyy-mm-dd"
        case "time":
            return "yyyy-mm-dd hh:mm:ss"
        case _:
            return "General"


def _serial(text: str) -> float | None:
    """A date as spreadsheets count it; None of what is no date to them."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is not None or moment.date() < _FIRST_DAY:
        return None
    passed = moment - _NO_DAY
    days = passed.days + passed.seconds / 86_400
    return int(days) if days == int(days) else days


def _workbook_bytes(workbook: Workbook) -> bytes:
    buffer = BytesIO()
    _InMemory(workbook, ZipFile(buffer, "w", ZIP_DEFLATED)).save()
    return buffer.getvalue()


class _InMemory(ExcelWriter):
    @override
    def write_worksheet(self, ws: Any) -> None:
        """As the library does it, but for where the sheet is put on its way into the archive."""
        ws._drawing = SpreadsheetDrawing()
        ws._drawing.charts, ws._drawing.images = ws._charts, ws._images
        sheet = BytesIO()
        writer: Any = WorksheetWriter(ws, sheet)
        writer.write()
        ws._rels = writer._rels
        this: Any = self
        this._archive.writestr(ws.path[1:], sheet.getvalue())
        this.manifest.append(ws)
