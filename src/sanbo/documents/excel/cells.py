"""Updates of cells: by address, range, column, matching row or condition; values and formulas.

All are checked first, then all written, so that a refused update changes nothing. Addresses inside
a merged area are refused with the name of the cell that shows. Writing there instead would let two
values of one range meet in one cell, and the last would win unseen.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sanbo.documents.excel.book import (
    Book,
    CellChange,
    Change,
    ClearCells,
    ClearCellsIf,
    Content,
    Match,
    ReplaceInFormulas,
    UpdateCells,
    UpdateCellsIf,
    UpdateColumn,
    UpdateFormula,
    UpdateRange,
    UpdateRowsByMatch,
)
from sanbo.documents.excel.formulas import checked
from sanbo.documents.excel.references import Area, Cell, area_of, cell_at, moved, references, within
from sanbo.documents.excel.sheet import Formula, Sheet, shared_index
from sanbo.documents.excel.tables import Found, block_columns, find_columns, rows_by_key, tables_of
from sanbo.documents.excel.values import MAX_DIGITS, Scalar, Stored, has_furigana, has_runs, stored
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound, PermissionDenied, Problem, SanboError
from sanbo.kernel.text import listed
from sanbo.tables.values import key_of, key_text, text_of

Edits = Mapping[Cell, "Scalar | Formula"]


@dataclass(frozen=True)
class Checked:
    """Edits that may be written."""

    sheet: Sheet
    contents: dict[Cell, Stored | Formula | None]
    values: dict[Cell, Scalar]
    warnings: tuple[Problem, ...]


def check(book: Book, sheet: Sheet, edits: Edits) -> Checked:
    contents: dict[Cell, Stored | Formula | None] = {}
    values: dict[Cell, Scalar] = {}
    known = {name.casefold() for name in book.sheet_names}
    for at, wanted in edits.items():
        within(at)
        area = sheet.merged_at(at)
        if area is not None and at != area.anchor:
            if wanted is None:
                continue
            raise _covered(sheet, at, area)
        if isinstance(wanted, Formula):
            _check_sheets_exist(book, wanted, known)
            contents[at] = wanted
        else:
            place = f"{sheet.name}!{at}"
            contents[at] = stored(wanted, since_1904=book.since_1904, place=place)
            values[at] = wanted
    _check_arrays(sheet, contents)
    _check_table_headers(book, sheet, values, contents)
    return Checked(sheet, contents, values, tuple(_warnings(sheet, contents)))


def formula(book: Book, text: str, table: str | None = None) -> Formula:
    """A formula someone asked for, refused unless Excel would take it; `table` is where it goes."""
    return Formula(checked(text, book.external_links, table))


def write(book: Book, edits: Checked) -> tuple[CellChange, ...]:
    """What already stands there is left as it is, with its furigana and its formats of parts."""
    changes: list[CellChange] = []
    for at, content in edits.contents.items():
        before = content_of(edits.sheet, at)
        if isinstance(content, Formula):
            after = Content(formula=f"={content.text}")
        else:
            after = Content(value=None if content is None else edits.values[at])
        if _is_same(before, after):
            continue
        _write_one(book, edits.sheet, at, content)
        if before.formula is not None or after.formula is not None:
            book.formulas_changed = True
        changes.append(CellChange(sheet=edits.sheet.name, cell=str(at), before=before, after=after))
    return tuple(changes)


def content_of(sheet: Sheet, at: Cell) -> Content:
    text = sheet.formula(at)
    return Content(value=sheet.value(at), formula=None if text is None else f"={text}")


def _is_same(before: Content, after: Content) -> bool:
    if before.formula is not None or after.formula is not None:
        return before.formula == after.formula
    same_kind = isinstance(before.value, bool) == isinstance(after.value, bool)
    return same_kind and before.value == after.value


def _write_one(book: Book, sheet: Sheet, at: Cell, content: Stored | Formula | None) -> None:
    node = sheet.grid.node(at)
    item = sheet.text_item(at)
    if item is not None and has_furigana(item):
        book.losses["excel_loses_furigana"].append(f"{sheet.name}!{at}")
    if item is not None and has_runs(item):
        book.losses["excel_loses_text_formats"].append(f"{sheet.name}!{at}")
    if node is not None and node.get("vm") is not None:
        book.losses["excel_loses_rich_value"].append(f"{sheet.name}!{at}")
    shown = None if node is None else shared_index(node)
    if shown is not None:
        book.overwritten_strings.add(shown)
    book.changed_cells[sheet.name].add(at)
    book.changed_sheets.add(sheet.name)
    sheet.write(at, content)


def _covered(sheet: Sheet, at: Cell, area: Area) -> SanboError:
    return InvalidInput(
        "excel_inside_merged",
        sheet=sheet.name,
        cell=str(at),
        area=str(area),
        anchor=str(area.anchor),
    )


def _check_sheets_exist(book: Book, wanted: Formula, known: Container[str]) -> None:
    for reference in references(wanted.text):
        if reference.sheet and not reference.leads_out and reference.sheet.casefold() not in known:
            book.sheet(reference.sheet)


def _check_arrays(sheet: Sheet, contents: Mapping[Cell, object]) -> None:
    for area in sheet.arrays.values():
        touched = [at for at in contents if at in area]
        if touched and len(touched) < area.size:
            raise InvalidInput(
                "excel_inside_array", sheet=sheet.name, cell=str(touched[0]), area=str(area)
            )


def _check_table_headers(book: Book, sheet: Sheet, values: Edits, cells: Iterable[Cell]) -> None:
    headers = [(table, table.headers) for table in tables_of(book, sheet)]
    for at in cells:
        for table, area in headers:
            if area is None or at not in area:
                continue
            names = dict(enumerate(table.columns, start=area.left))
            if values.get(at) != names.get(at.column):
                raise InvalidInput(
                    "excel_table_header", sheet=sheet.name, cell=str(at), table=table.name
                )


def _warnings(sheet: Sheet, contents: Mapping[Cell, Stored | Formula | None]) -> Iterator[Problem]:
    if sheet.is_protected:
        yield PermissionDenied("excel_sheet_protected", sheet=sheet.name).problem
    values = {at: found for at, found in contents.items() if isinstance(found, Stored)}
    cleaned = [str(at) for at, found in values.items() if found.characters_removed]
    if cleaned:
        yield InvalidInput(
            "excel_characters_removed", sheet=sheet.name, cells=listed(cleaned)
        ).problem
    rounded = [str(at) for at, found in values.items() if found.digits_lost]
    if rounded:
        yield InvalidInput(
            "excel_digits_lost", sheet=sheet.name, cells=listed(rounded), digits=MAX_DIGITS
        ).problem


def update_cells(book: Book, update: UpdateCells) -> Change:
    edits: dict[Cell, Scalar | Formula] = {}
    for address, value in update.cells.items():
        at = cell_at(address)
        if at in edits:
            raise InvalidInput("excel_cell_twice", cell=str(at))
        edits[at] = value
    return _carried_out(book, update.kind, book.sheet(update.sheet), edits)


def update_cells_if(book: Book, update: UpdateCellsIf) -> Change:
    sheet = book.sheet(update.sheet)
    cells = _visible(sheet, area_of(update.range))
    holds = update.condition.check()
    edits: Edits = {at: update.value for at in cells if holds(sheet.value(at))}
    return _carried_out(book, update.kind, sheet, edits)


def update_range(book: Book, update: UpdateRange) -> Change:
    area = area_of(update.range)
    width = max(len(row) for row in update.rows)
    bottom = within(Cell(area.top + len(update.rows) - 1, area.left + max(width, 1) - 1))
    given = area._replace(bottom=bottom.row, right=bottom.column)
    fits = all(len(row) == width for row in update.rows) and area in (given, _first(area))
    if not fits or not width:
        raise InvalidInput(
            "excel_range_mismatch", range=update.range, rows=len(update.rows), columns=width
        )
    edits: Edits = {
        Cell(area.top + down, area.left + right): value
        for down, row in enumerate(update.rows)
        for right, value in enumerate(row)
    }
    sheet = book.sheet(update.sheet)
    return _carried_out(book, update.kind, sheet, edits, tuple(_overwritten_formulas(sheet, edits)))


def update_column(book: Book, update: UpdateColumn) -> Change:
    sheet = book.sheet(update.sheet)
    found = find_columns(sheet, [update.column])
    first = update.first_row or found.bottom + 1
    within(Cell(first + len(update.values) - 1, found.columns[0]))
    edits: Edits = {
        Cell(first + down, found.columns[0]): value for down, value in enumerate(update.values)
    }
    warnings = (*_overwritten_formulas(sheet, edits), *_beyond_the_list(sheet, found, edits))
    return _carried_out(book, update.kind, sheet, edits, warnings)


def update_rows_by_match(book: Book, update: UpdateRowsByMatch) -> Change:
    sheet = book.sheet(update.sheet)
    assigned = [item.column for match in update.rows for item in match.set]
    columns = list(dict.fromkeys([*update.keys, *assigned]))
    found = find_columns(sheet, columns)
    numbers = dict(zip(columns, found.columns, strict=True))
    index = rows_by_key(sheet, found, len(update.keys))
    edits: dict[Cell, Scalar | Formula] = {}
    missing: list[tuple[Scalar, ...]] = []
    for match in update.rows:
        rows = index.get(tuple(map(key_of, match.key)), [])
        if not rows and update.missing == "refuse":
            known = (" / ".join(map(key_text, key)) for key in index)
            near = alternatives(_readable(match), known)
            raise NotFound(
                "excel_row_missing", sheet=sheet.name, key=_readable(match), nearest=near
            )
        if len(rows) > 1 and update.several == "refuse":
            raise InvalidInput(
                "excel_row_ambiguous",
                sheet=sheet.name,
                key=_readable(match),
                rows=listed(map(str, rows)),
            )
        if not rows:
            missing.append(match.key)
        for row in rows:
            for item in match.set:
                at = Cell(row, numbers[item.column])
                if at in edits:
                    raise InvalidInput("excel_cell_twice", cell=str(at))
                edits[at] = item.value
    change = _carried_out(book, update.kind, sheet, edits)
    return change.model_copy(update={"missing": tuple(missing)})


def update_formula(book: Book, update: UpdateFormula) -> Change:
    area = area_of(update.range)
    sheet = book.sheet(update.sheet)
    around = [found.name for found in tables_of(book, sheet) if area.anchor in found.area]
    text = formula(book, update.formula, next(iter(around), None)).text
    edits: Edits = {
        at: Formula(moved(text, at.row - area.top, at.column - area.left)) for at in area.cells()
    }
    return _carried_out(book, update.kind, sheet, edits)


def replace_in_formulas(book: Book, update: ReplaceInFormulas) -> Change:
    sheets = list(book.sheets()) if update.sheet is None else [book.sheet(update.sheet)]
    area = None if update.range is None else area_of(update.range)
    every: list[Checked] = []
    for sheet in sheets:
        edits: dict[Cell, Scalar | Formula] = {}
        for at, _, _ in list(sheet.formulas()):
            before = sheet.formula(at) or ""
            if update.find in before and (area is None or at in area):
                edits[at] = formula(book, before.replace(update.find, update.replace))
        if edits:
            every.append(check(book, sheet, edits))
    return Change(
        kind=update.kind,
        cells=tuple(change for edits in every for change in write(book, edits)),
        warnings=tuple(warning for edits in every for warning in edits.warnings),
    )


def clear_cells(book: Book, update: ClearCells) -> Change:
    sheet = book.sheet(update.sheet)
    cells = _filled(sheet, area_of(update.range), keep_formulas=update.keep_formulas)
    return _carried_out(book, update.kind, sheet, dict.fromkeys(cells))


def clear_cells_if(book: Book, update: ClearCellsIf) -> Change:
    sheet = book.sheet(update.sheet)
    cells = _filled(sheet, area_of(update.range), keep_formulas=update.keep_formulas)
    holds = update.condition.check()
    meant = [at for at in cells if holds(sheet.value(at))]
    return _carried_out(book, update.kind, sheet, dict.fromkeys(meant))


def _carried_out(
    book: Book, kind: str, sheet: Sheet, edits: Edits, warnings: tuple[Problem, ...] = ()
) -> Change:
    checked = check(book, sheet, edits)
    return Change(kind=kind, cells=write(book, checked), warnings=(*checked.warnings, *warnings))


def _overwritten_formulas(sheet: Sheet, edits: Edits) -> Iterator[Problem]:
    """Values laid over a range can meet formulas that nobody thought of."""
    cells = [str(at) for at in edits if sheet.formula(at) is not None]
    if cells:
        yield InvalidInput(
            "excel_formulas_overwritten", sheet=sheet.name, cells=listed(cells)
        ).problem


def _beyond_the_list(sheet: Sheet, found: Found, edits: Edits) -> Iterator[Problem]:
    """More values than the list has rows: what comes after its end stands alone."""
    if found.header_row is None:
        return
    left, right = block_columns(sheet, found)
    end = found.bottom
    while any(not sheet.is_empty(Cell(end + 1, c)) for c in range(left, right + 1)):
        end += 1
    beyond = [str(at) for at, value in edits.items() if at.row > end and value is not None]
    if beyond and end > found.bottom:
        yield InvalidInput(
            "excel_beyond_list", sheet=sheet.name, row=end, cells=listed(beyond)
        ).problem


def _first(area: Area) -> Area:
    return area._replace(bottom=area.top, right=area.left)


def _visible(sheet: Sheet, area: Area) -> Iterator[Cell]:
    """Without the cells that merged areas hide."""
    for at in area.cells():
        merged = sheet.merged_at(at)
        if merged is None or merged.anchor == at:
            yield at


def _filled(sheet: Sheet, area: Area, *, keep_formulas: bool) -> list[Cell]:
    rows = [row for row in sheet.grid.row_numbers if area.top <= row <= area.bottom]
    cells = [at for row in rows for at, _ in sheet.grid.in_row(row) if at in area]
    return [
        at
        for at in cells
        if not sheet.is_empty(at) and not (keep_formulas and sheet.formula(at) is not None)
    ]


def _readable(match: Match) -> str:
    return " / ".join(map(text_of, match.key))
