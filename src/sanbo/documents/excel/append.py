"""New rows under the ones that are there: their formats and formulas go on, Excel tables grow.

What covers a list to its last row (rules, filters, print areas) grows with it. Formulas, names and
charts may mean the rows as they were, so they are named, not changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sanbo.documents.excel.book import AppendRows, Book, Change, Header
from sanbo.documents.excel.cells import check, write
from sanbo.documents.excel.recalculation import parts_of
from sanbo.documents.excel.references import (
    Area,
    Cell,
    areas_in,
    column_number,
    first_area,
    moved,
    references,
    with_last_row,
    within,
)
from sanbo.documents.excel.sheet import Formula, Sheet
from sanbo.documents.excel.tables import (
    Table,
    block_columns,
    check_not_a_total,
    extend,
    find_columns,
    goes_on,
    sums_up,
    table_named,
    tables_of,
)
from sanbo.documents.excel.values import Scalar
from sanbo.documents.ooxml.xml import MAIN, local_name, number
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound, Problem
from sanbo.kernel.text import listed, matching_form

_GROWING_NAMES = frozenset({"_xlnm._filterdatabase", "_xlnm.print_area"})


def extend_what_covers(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    """Whatever ends exactly where these rows end goes on down to `bottom`."""
    _extend_rules(book, sheet, rows, bottom)
    _extend_filter(book, sheet, rows, bottom)
    _extend_names(book, sheet, rows, bottom)


def _extend_rules(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    """Conditional formats and input rules of these rows go on, as Excel does it."""
    for section in sheet.root:
        if local_name(section) == "sheetData":
            continue
        for node in section.iter():
            if local_name(node) not in ("conditionalFormatting", "dataValidation"):
                continue
            newer = [part for part in node if local_name(part) == "sqref"]  # in the extensions
            sqref = (newer[0].text if newer else node.get("sqref")) or ""
            extended = _extended(sqref, rows, bottom)
            if extended == sqref:
                continue
            book.package.touch(sheet.part)
            if newer:
                newer[0].text = extended
            else:
                node.set("sqref", extended)


def _extend_filter(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    for node in sheet.root.findall(f"{MAIN}autoFilter"):
        area = first_area(node.get("ref") or "A1")
        if area.bottom == rows.bottom and area.meets(rows):
            node.set("ref", str(area._replace(bottom=bottom)))
            book.package.touch(sheet.part)


def _extend_names(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    """The print area, and the name under which Excel keeps the filter a second time."""
    tabs = book.root.findall(f"{MAIN}sheets/{MAIN}sheet")
    own = next(index for index, tab in enumerate(tabs) if tab.get("name") == sheet.name)
    for name in book.defined_names():
        is_growing = (name.get("name") or "").casefold() in _GROWING_NAMES
        if not is_growing or number(name, "localSheetId", -1) != own:
            continue
        extended = with_last_row(name.text or "", rows, bottom)
        if extended != name.text:
            name.text = extended
            book.touch()


def left_behind(book: Book, sheet: Sheet, rows: Area) -> Iterator[Problem]:
    """Warnings that name the formulas, names and charts which end exactly at these rows' end."""

    def ends_there(text: str, own: str) -> bool:
        return any(
            (found.sheet or own).casefold() == sheet.name.casefold()
            and found.area.bottom == rows.bottom
            and found.area.top < found.area.bottom
            and found.area.meets(rows)
            for found in references(text)
        )

    formulas: list[str] = []
    charts: list[str] = []
    for other in book.sheets():
        for at, text, _ in other.formulas():
            is_inside = other is sheet and at in rows  # a running total
            if not is_inside and ends_there(other.formula(at) or text, other.name):
                formulas.append(f"{other.name}!{at}")
        for text in _chart_formulas(book, other):
            if ends_there(text, other.name):
                charts.append(other.name)
    names = [
        name.get("name") or ""
        for name in book.defined_names()
        if not (name.get("name") or "").startswith("_xlnm.") and ends_there(name.text or "", "")
    ]
    places = {
        "excel_formulas_end_above": formulas,
        "excel_names_end_above": names,
        "excel_charts_end_above": list(dict.fromkeys(charts)),
    }
    for text_id, found in places.items():
        if found:
            yield InvalidInput(
                text_id, sheet=sheet.name, row=rows.bottom, places=listed(found)
            ).problem


def _chart_formulas(book: Book, sheet: Sheet) -> Iterator[str]:
    for part in parts_of(book, sheet.part):
        if "/charts/" in part.lower():
            for node in book.package.tree(part).iter():
                if local_name(node) == "f" and node.text:
                    yield node.text


def _extended(sqref: str, rows: Area, bottom: int) -> str:
    areas: list[str] = []
    for text, area in zip(sqref.split(), areas_in(sqref), strict=True):
        # A rule of the last cell alone is about that cell, not about the list.
        covers = area.top <= rows.top or area.top < area.bottom
        inside = rows.left <= area.left and area.right <= rows.right
        goes_on = covers and inside and area.bottom == rows.bottom
        areas.append(str(area._replace(bottom=bottom)) if goes_on else text)
    return " ".join(areas)


Values = dict[int, Scalar]
"""A row's values by column."""


@dataclass(frozen=True)
class _Block:
    """What the rows join: its columns, the last row of its headers, the columns that get values."""

    sheet: Sheet
    left: int
    right: int
    header_bottom: int
    written: frozenset[int]

    def cells(self, row: int) -> Iterator[Cell]:
        for column in range(self.left, self.right + 1):
            yield Cell(row, column)

    def is_free(self, row: int) -> bool:
        """Formats, and formulas in columns that get no value, may be there: a prepared row."""
        return not any(self._is_taken(at) for at in self.cells(row))

    def _is_taken(self, at: Cell) -> bool:
        area = self.sheet.merged_at(at)
        if area is not None and not self.sheet.is_empty(area.anchor):
            return True
        is_prepared = (
            self.sheet.formula(at) is not None
            and at.column not in self.written
            and not sums_up(self.sheet, at, self.header_bottom)
        )
        return not self.sheet.is_empty(at) and not is_prepared


def append_rows(book: Book, update: AppendRows) -> Change:
    sheet = book.sheet(update.sheet)
    table = None if update.table is None else table_named(book, sheet, update.table)
    rows, block = _arranged(sheet, table, update)
    first = _first_row(block, table, update)
    new = range(first, first + len(rows))
    within(Cell(new[-1], block.right))
    _check_room(block, new)
    model = first - 1 if first - 1 > block.header_bottom else None
    if model is not None:
        check_not_a_total(block.sheet, list(block.cells(model)), block.header_bottom)
    growing = [table] if table else _tables_ending_at(book, block, first - 1)
    filled = _filled_down(block, growing, model) if update.fill_formulas else _NOTHING_TO_FILL
    edits: dict[Cell, Scalar | Formula] = {}
    stopped: set[Cell] = set()
    for row, values in zip(new, rows, strict=True):
        edits |= {Cell(row, column): value for column, value in values.items()}
        free = [at for at in block.cells(row) if at.column not in values and sheet.is_empty(at)]
        edits |= {at: filled.formula(at) for at in free if at.column in filled.texts}
        stopped |= {at for at in free if at.column in filled.unclear}
    checked = check(book, sheet, edits)
    warnings = [*checked.warnings, *_unclear(sheet, stopped)]
    if model is not None:
        before = Area(block.header_bottom + 1, block.left, model, block.right)
        warnings.extend(left_behind(book, sheet, before))
        _copy_look(block, model, new)
        extend_what_covers(book, sheet, before, new[-1])
    changes = write(book, checked)
    for grown in growing:
        grown.root.attrib.pop("insertRow", None)
        if grown.area.bottom < new[-1]:
            extend_what_covers(book, sheet, grown.rows, new[-1])
            extend(book, grown, new[-1])
    area = Area(first, block.left, new[-1], block.right)
    return Change(kind=update.kind, cells=changes, area=str(area), warnings=tuple(warnings))


def _arranged(sheet: Sheet, table: Table | None, update: AppendRows) -> tuple[list[Values], _Block]:
    """Each value under its column."""
    by_name = [row for row in update.rows if isinstance(row, Mapping)]
    if not by_name:
        return _in_order(sheet, table, update)
    names = list(dict.fromkeys(name for row in by_name for name in row))
    if table is not None:
        columns = [_table_column(table, name) for name in names]
        block = _block_of(table, columns)
    else:
        found = find_columns(sheet, [Header(header=name) for name in names])
        columns = list(found.columns)
        left, right = block_columns(sheet, found)
        block = _Block(sheet, left, right, found.bottom, frozenset(columns))
    where = dict(zip(names, columns, strict=True))
    return [{where[name]: value for name, value in row.items()} for row in by_name], block


def _in_order(sheet: Sheet, table: Table | None, update: AppendRows) -> tuple[list[Values], _Block]:
    rows = [row for row in update.rows if not isinstance(row, Mapping)]
    left = table.area.left if table else column_number(update.first_column)
    right = left + max(len(row) for row in rows) - 1
    within(Cell(1, right))
    if table is not None and right > table.area.right:
        raise InvalidInput("excel_row_too_wide", table=table.name, columns=len(table.columns))
    columns = range(left, right + 1)
    values = [dict(enumerate(row, start=left)) for row in rows]
    if table is not None:
        return values, _block_of(table, columns)
    return values, _Block(sheet, left, right, 0, frozenset(columns))


def _table_column(table: Table, name: str) -> int:
    for column, known in enumerate(table.columns, start=table.area.left):
        if matching_form(known) == matching_form(name):
            return column
    near = alternatives(name, table.columns)
    raise NotFound("excel_header_missing", sheet=table.sheet.name, header=name, nearest=near)


def _block_of(table: Table, written: Sequence[int]) -> _Block:
    area = table.area
    if table.total_rows:
        raise InvalidInput("excel_table_has_totals", table=table.name, row=area.bottom)
    header_bottom = area.top + table.header_rows - 1
    return _Block(table.sheet, area.left, area.right, header_bottom, frozenset(written))


def _first_row(block: _Block, table: Table | None, update: AppendRows) -> int:
    sheet, top = block.sheet, block.header_bottom
    numbers = [row for row in reversed(sheet.grid.row_numbers) if row > top]
    if table is not None:
        inside = range(table.area.bottom, top, -1)
        used = (row for row in inside if not block.is_free(row))
    elif update.below == "sheet":
        used = (row for row in numbers if _is_used(sheet, row))
    elif update.below != "table":
        column = find_columns(sheet, [update.below]).columns[0]
        used = (row for row in numbers if not sheet.is_empty(Cell(row, column)))
    elif top:
        row = top + 1
        while not block.is_free(row):
            row += 1
        return row
    else:
        used = (row for row in numbers if not block.is_free(row))
    return next(used, top) + 1


def _is_used(sheet: Sheet, row: int) -> bool:
    return any(not sheet.is_empty(at) for at, _ in sheet.grid.in_row(row))


def _check_room(block: _Block, rows: range) -> None:
    for row in rows:
        if not block.is_free(row):
            raise InvalidInput("excel_no_room", sheet=block.sheet.name, first=rows[0], row=row)


def _tables_ending_at(book: Book, block: _Block, row: int) -> list[Table]:
    return [
        table
        for table in tables_of(book, block.sheet)
        if table.area.bottom == row
        and table.area.left <= block.left
        and block.right <= table.area.right
    ]


@dataclass(frozen=True)
class _Filled:
    """Formulas that new rows get, as they read in row `origin`; columns where that is unclear."""

    origin: int
    texts: Mapping[int, str]
    unclear: frozenset[int]

    def formula(self, at: Cell) -> Formula:
        return Formula(moved(self.texts[at.column], at.row - self.origin, 0))


_NOTHING_TO_FILL = _Filled(0, {}, frozenset())


def _filled_down(block: _Block, tables: Sequence[Table], model: int | None) -> _Filled:
    sheet = block.sheet
    texts: dict[int, str] = {}
    unclear: set[int] = set()
    for above in block.cells(model or 0) if model is not None else ():
        text = sheet.formula(above)
        if text is None or any(above in area for area in sheet.arrays.values()):
            continue
        if goes_on(sheet, above, block.header_bottom):
            texts[above.column] = text
        else:
            unclear.add(above.column)
    for table in tables:
        for column, text in table.column_formulas().items():
            if column not in texts and not any(references(text)):
                texts[column] = text
                unclear.discard(column)
    return _Filled(model or 0, texts, frozenset(unclear))


def _unclear(sheet: Sheet, cells: set[Cell]) -> Iterator[Problem]:
    if cells:
        names = listed(map(str, sorted(cells)))
        yield InvalidInput("excel_formulas_not_filled", sheet=sheet.name, cells=names).problem


def _copy_look(block: _Block, model: int, rows: range) -> None:
    """Cells that the file doesn't mention yet take the format of the row above."""
    sheet = block.sheet
    for row in rows:
        sheet.copy_height(model, row)
        for target in block.cells(row):
            source = Cell(model, target.column)
            if sheet.grid.node(target) is None and sheet.grid.node(source) is not None:
                sheet.set_style(target, sheet.style(source))
