"""Changes of cells: all checked first, then all written, so that a refused update changes nothing.

Addresses inside a merged area are refused with the name of the cell that shows. Writing there
instead would let two values of one range meet in one cell, and the last would win unseen.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sanbo.documents.excel.addresses import Area, Cell, within
from sanbo.documents.excel.book import Book
from sanbo.documents.excel.formulas import checked
from sanbo.documents.excel.references import references
from sanbo.documents.excel.sheet import Formula, Sheet, shared_index
from sanbo.documents.excel.strings import has_furigana, has_runs
from sanbo.documents.excel.tables import tables_of
from sanbo.documents.excel.updates import CellChange, Content
from sanbo.documents.excel.values import MAX_DIGITS, Scalar, Stored, stored
from sanbo.kernel.problems import InvalidInput, PermissionDenied, Problem, SanboError
from sanbo.kernel.text import listed

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
