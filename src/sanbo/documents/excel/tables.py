"""Tables of a sheet: columns by their headers, under titles and through merged cells, rows by their
keys, and rows that sum up others.

A row of sums that we put below a table is marked by a hidden name; Excel moves the name with the
row. Whoever adds rows takes the sums off first, and puts them back below; whoever reads rows leaves
that one out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sanbo.documents.excel.book import (
    WORKBOOK_ORDER,
    AddTotals,
    Book,
    Change,
    Column,
    Header,
    Letter,
    TakeTotalsOff,
)
from sanbo.documents.excel.references import (
    Area,
    Cell,
    Reference,
    column_number,
    first_area,
    letters,
    moved,
    quoted,
    references,
    within,
    words,
)
from sanbo.documents.excel.sheet import VALUE, Formula, Sheet
from sanbo.documents.excel.values import stored
from sanbo.documents.model import Source
from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import MAIN, Element, child, discard, element, number
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.kernel.text import listed, matching_form
from sanbo.tables.values import Key, key_of

# Headers stand near the top: below so many rows, the same word is somebody's data.
_SEARCHED_ROWS = 200
_ROWS_OF_GROUPS = 5
# A merged area longer than this is a decorated column; then only the rows with cells count.
_ROWS_OF_A_KEY = 10_000

RowKey = tuple[Key | None, ...]


@dataclass(frozen=True)
class Found:
    """Columns of one table: their numbers in the order asked for, and where the table begins."""

    columns: tuple[int, ...]
    header_row: int | None
    """None when all columns were given by letter."""
    bottom: int
    """The last row of the headers, 0 without any."""


def find_columns(sheet: Sheet, wanted: Sequence[Column]) -> Found:
    headers = [column for column in wanted if isinstance(column, Header)]
    if not headers:
        return Found(tuple(map(_by_letter, wanted)), None, 0)
    row = _header_row(sheet, headers)
    columns: list[int] = []
    bottom = row
    for column in wanted:
        if isinstance(column, Letter):
            columns.append(_by_letter(column))
            continue
        at = Cell(row, _by_header(sheet, row, column))
        area = sheet.merged_at(at)
        bottom = max(bottom, at.row if area is None else area.bottom)
        columns.append(at.column)
    return Found(tuple(columns), row, bottom)


def labels(sheet: Sheet, row: int) -> dict[int, str]:
    """What a person reads in this row, by column; a merged label stands in its first column."""
    columns = {at.column for at, _ in sheet.grid.in_row(row)}
    columns |= {area.left for area in sheet.merged if area.top <= row <= area.bottom}
    found: dict[int, str] = {}
    for column in sorted(columns):
        at = Cell(row, column)
        area = sheet.merged_at(at)
        value = sheet.seen(at)
        if value not in (None, "") and (area is None or area.left == column):
            found[column] = str(value)
    return found


def rows_by_key(sheet: Sheet, found: Found, keys: int) -> dict[RowKey, list[int]]:
    """The rows below the headers by what the first `keys` of the columns show."""
    rows: dict[RowKey, list[int]] = {}
    numbers = {row for row in sheet.grid.row_numbers if row > found.bottom}
    # A key that spans merged rows counts for each of them, also where the file mentions no cell.
    for area in sheet.merged:
        if area.left in found.columns[:keys] and area.bottom - area.top < _ROWS_OF_A_KEY:
            numbers.update(range(max(area.top, found.bottom + 1), area.bottom + 1))
    for row in sorted(numbers):
        key = tuple(key_of(sheet.seen(Cell(row, column))) for column in found.columns[:keys])
        if any(key):
            rows.setdefault(key, []).append(row)
    return rows


def block_columns(sheet: Sheet, found: Found) -> tuple[int, int]:
    """The first and last column of the headers that stand side by side with those found."""
    row = found.header_row
    if row is None:
        return min(found.columns), max(found.columns)
    taken = {
        column
        for first in labels(sheet, row)
        for column in range(first, _right(sheet, Cell(row, first)) + 1)
    }
    left, right = min(found.columns), max(found.columns)
    while left - 1 in taken:
        left -= 1
    while right + 1 in taken:
        right += 1
    return left, right


def _right(sheet: Sheet, at: Cell) -> int:
    area = sheet.merged_at(at)
    return at.column if area is None else area.right


def _by_letter(column: Column) -> int:
    assert isinstance(column, Letter)
    return column_number(column.letter)


def _header_row(sheet: Sheet, headers: Sequence[Header]) -> int:
    """The row that names most of them; a title alone in its row only when no other does."""
    given = {header.row for header in headers if header.row is not None}
    if len(given) > 1:
        raise InvalidInput("excel_header_rows_differ", sheet=sheet.name)
    if given:
        return within(Cell(given.pop(), 1)).row
    wanted = {matching_form(header.path[-1]) for header in headers}
    best: tuple[int, bool, int] | None = None
    for row in _searched(sheet):
        texts = labels(sheet, row)
        named = len(wanted & {matching_form(text) for text in texts.values()})
        rank = (-named, len(texts) == 1, row)
        if named and (best is None or rank < best):
            best = rank
    if best is None:
        raise _missing(sheet, headers[0], _likely_headers(sheet))
    return best[2]


def _by_header(sheet: Sheet, row: int, header: Header) -> int:
    texts = labels(sheet, row)
    name = matching_form(header.path[-1])
    columns = [
        column
        for column, text in texts.items()
        if matching_form(text) == name and _stands_under(sheet, Cell(row, column), header.path)
    ]
    if not columns:
        raise _missing(sheet, header, texts.values())
    if len(columns) > 1:
        raise InvalidInput(
            "excel_header_duplicate",
            sheet=sheet.name,
            header=" / ".join(header.path),
            row=row,
            columns=listed(map(letters, columns)),
        )
    return columns[0]


def _stands_under(sheet: Sheet, at: Cell, path: tuple[str, ...]) -> bool:
    """Whether the groups of the path stand above, from the nearest up."""
    row = at.row
    for group in reversed(path[:-1]):
        rows = range(row - 1, max(0, at.row - 1 - _ROWS_OF_GROUPS), -1)
        above = (
            r for r in rows if matching_form(_group_at(sheet, r, at.column)) == matching_form(group)
        )
        found = next(above, None)
        if found is None:
            return False
        row = found
    return True


def _group_at(sheet: Sheet, row: int, column: int) -> str:
    """The label over this column: its own, or without merged cells the nearest to the left."""
    over = [text for first, text in labels(sheet, row).items() if first <= column]
    return over[-1] if over else ""


def _searched(sheet: Sheet) -> list[int]:
    return sheet.grid.row_numbers[:_SEARCHED_ROWS]


def _likely_headers(sheet: Sheet) -> Iterable[str]:
    """The row with most texts, for hints."""
    rows = [labels(sheet, row) for row in _searched(sheet)]
    return max(rows, key=len).values() if rows else ()


def _missing(sheet: Sheet, header: Header, known: Iterable[str]) -> NotFound:
    name = header.path[-1]
    return NotFound(
        "excel_header_missing",
        sheet=sheet.name,
        header=" / ".join(header.path),
        nearest=alternatives(name, known),
    )


NAME = "Sanbo_Totals"


def add_totals(book: Book, update: AddTotals) -> Change:
    """With what each sum is, so that nobody has to calculate before the file can be read."""
    sheet = book.sheet(update.sheet)
    columns = sorted({column_number(letter) for letter in update.sums} | {update.first_column})
    at = Area(update.bottom + 1, columns[0], update.bottom + 1, columns[-1])
    if update.label:
        cell = Cell(at.top, update.first_column)
        place = f"{sheet.name}!{cell}"
        sheet.write(cell, stored(update.label, since_1904=book.since_1904, place=place))
    for letter, total in update.sums.items():
        column = column_number(letter)
        cell = Cell(at.top, column)
        area = Area(update.top, column, update.bottom, column)
        sheet.write(cell, Formula(f"SUM({area})"))
        node = sheet.grid.node(cell)
        if total is not None and node is not None:
            node.append(element(VALUE, text=repr(total)))
        book.changed_cells[sheet.name].add(cell)
    book.changed_sheets.add(sheet.name)
    book.formulas_changed = True
    first, last = Cell(at.top, at.left), Cell(at.top, at.right)
    place = f"{quoted(sheet.name)}!{_fixed(first)}:{_fixed(last)}"
    named = {"name": NAME, "localSheetId": str(_index(book, sheet)), "hidden": "1"}
    child(book.root, "definedNames", WORKBOOK_ORDER).append(
        element(f"{MAIN}definedName", named, place)
    )
    book.touch()
    return Change(kind=update.kind, area=str(at))


def take_totals_off(book: Book, update: TakeTotalsOff) -> Change:
    sheet = book.sheet(update.sheet)
    if (area := totals_on(book, sheet)) is None:
        return Change(kind=update.kind)
    for at, node in list(sheet.grid.in_row(area.top)):
        if at in area:
            book.changed_cells[sheet.name].add(at)
            discard(node)
    for name in _names(book, sheet):
        discard(name)
    sheet.changed()
    book.formulas_changed = True
    book.touch()
    return Change(kind=update.kind, area=str(area))


def totals_on(book: Book, sheet: Sheet) -> Area | None:
    """Where they stand; None where there are none, or people have made something else of them."""
    for name in _names(book, sheet):
        for found in references(name.text or ""):
            row = found.area.top
            below = [each for each in sheet.grid.row_numbers if each > row]
            is_last = all(sheet.is_empty(at) for each in below for at, _ in sheet.grid.in_row(each))
            sums = any(sheet.formula(at) for at, _ in sheet.grid.in_row(row) if at in found.area)
            if is_last and sums:
                return found.area
    return None


def summed_columns(sheet: Sheet, area: Area) -> list[int]:
    return [at.column for at, _ in sheet.grid.in_row(area.top) if at in area and sheet.formula(at)]


def rows_of_totals(data: bytes) -> dict[str, int]:
    """By the sheet's name, for those who only read."""
    if not data.startswith(b"PK"):
        return {}
    package = Package(Source(name="", data=data), whole=False)
    root = package.xml(package.main_part("xl/workbook.xml"))
    sheets = [node.get("name") or "" for node in root.findall(f"{MAIN}sheets/{MAIN}sheet")]
    found: dict[str, int] = {}
    for name in root.findall(f"{MAIN}definedNames/{MAIN}definedName"):
        index = number(name, "localSheetId", -1)
        if name.get("name") == NAME and 0 <= index < len(sheets):
            rows = [each.area.top for each in references(name.text or "")]
            if rows:
                found[sheets[index]] = rows[0]
    return found


def _names(book: Book, sheet: Sheet) -> Iterator[Element]:
    own = _index(book, sheet)
    for name in book.defined_names():
        if name.get("name") == NAME and number(name, "localSheetId", -1) == own:
            yield name


def _index(book: Book, sheet: Sheet) -> int:
    tabs = book.root.findall(f"{MAIN}sheets/{MAIN}sheet")
    return next(index for index, tab in enumerate(tabs) if tab.get("name") == sheet.name)


def _fixed(at: Cell) -> str:
    letters = str(at).rstrip("0123456789")
    return f"${letters}${at.row}"


@dataclass
class Table:
    part: str
    root: Element
    sheet: Sheet

    @property
    def name(self) -> str:
        return self.root.get("displayName") or self.root.get("name") or ""

    @property
    def area(self) -> Area:
        return first_area(self.root.get("ref") or "A1")

    @property
    def header_rows(self) -> int:
        return number(self.root, "headerRowCount", 1)

    @property
    def total_rows(self) -> int:
        return number(self.root, "totalsRowCount")

    @property
    def headers(self) -> Area | None:
        """The cells that name its columns: Excel refuses a file where they say something else."""
        if not self.header_rows:
            return None
        return self.area._replace(bottom=self.area.top + self.header_rows - 1)

    @property
    def rows(self) -> Area:
        """Its data, without headers."""
        return self.area._replace(top=self.area.top + self.header_rows)

    @property
    def columns(self) -> list[str]:
        found = self.root.findall(f"{MAIN}tableColumns/{MAIN}tableColumn")
        return [column.get("name") or "" for column in found]

    def column_formulas(self) -> dict[int, str]:
        """The formulas of calculated columns, by column of the sheet."""
        formulas: dict[int, str] = {}
        found = self.root.findall(f"{MAIN}tableColumns/{MAIN}tableColumn")
        for column, node in enumerate(found, start=self.area.left):
            formula = node.find(f"{MAIN}calculatedColumnFormula")
            if formula is not None and formula.text and formula.get("array") is None:
                formulas[column] = formula.text
        return formulas


def tables_of(book: Book, sheet: Sheet) -> list[Table]:
    found = book.package.related(sheet.part, "table")
    return [Table(entry.target, book.package.tree(entry.target), sheet) for entry in found]


def table_named(book: Book, sheet: Sheet, name: str) -> Table:
    tables = tables_of(book, sheet)
    for table in tables:
        if matching_form(table.name) == matching_form(name):
            return table
    known = alternatives(name, [table.name for table in tables])
    raise NotFound("excel_table_missing", table=name, sheet=sheet.name, nearest=known)


def extend(book: Book, table: Table, bottom: int) -> None:
    """Down to this row, with its filter."""
    after = table.area._replace(bottom=bottom)
    table.root.set("ref", str(after))
    for node in table.root.findall(f"{MAIN}autoFilter"):
        node.set("ref", str(first_area(node.get("ref") or str(after))._replace(bottom=bottom)))
    book.package.touch(table.part)


_FUNCTIONS = frozenset({"SUM", "SUBTOTAL", "AGGREGATE", "AVERAGE", "COUNT", "COUNTA"})
_LABELS = frozenset(
    {
        "合計",
        "合計額",
        "合計金額",
        "小計",
        "総計",
        "総合計",
        "計",
        "total",
        "totals",
        "subtotal",
        "subtotals",
        "sub-total",
        "grandtotal",
    }
)


def check_not_a_total(sheet: Sheet, cells: Sequence[Cell], header_bottom: int) -> None:
    """A total of the rows above it would not count what comes below it."""
    # Without known headers, a row of texts alone is one: 合計 is the name of a column there.
    is_header = not header_bottom and all(
        isinstance(sheet.seen(at), str | None) and sheet.formula(at) is None for at in cells
    )
    for at in cells if not is_header else ():
        if _is_label(sheet, at) or sums_up(sheet, at, header_bottom):
            raise InvalidInput("excel_below_total", sheet=sheet.name, row=at.row)


def sums_up(sheet: Sheet, at: Cell, header_bottom: int) -> bool:
    """Whether the cell's formula is about the rows above it."""
    return _has_total(sheet, at) or _breaks_off(sheet, at, header_bottom)


def goes_on(sheet: Sheet, at: Cell, header_bottom: int) -> bool:
    """Whether the formula reads, from its own cell, as the one above it does."""
    text = sheet.formula(at) or ""
    above = Cell(at.row - 1, at.column)
    is_header = above.row <= header_bottom
    before = None if is_header else sheet.formula(above)
    if before is None and (is_header or isinstance(sheet.value(above), str)):
        return True  # nothing to compare with
    if before is not None and moved(before, 1, 0).casefold() == text.casefold():
        return True
    # The first row of a running total has no row to go on from: the second reads otherwise.
    is_second = above.row == header_bottom + 1
    return is_second and _reads_row(text, at.row) and _reads_row(text, above.row)


def _is_label(sheet: Sheet, at: Cell) -> bool:
    value = sheet.seen(at)
    if not isinstance(value, str):
        return False
    bare = "".join(matching_form(value).split())
    # `合計（税込）`, `合計：`
    label = bare.partition("(")[0] if bare.endswith(")") else bare.removesuffix(":")
    return label in _LABELS


def _has_total(sheet: Sheet, at: Cell) -> bool:
    text = sheet.formula(at) or ""
    if not any(call and name.upper() in _FUNCTIONS for name, call in words(text)):
        return False
    areas = [found.area for found in references(text) if found.sheet is None]
    return any(a.left <= at.column <= a.right and a.top < a.bottom < at.row for a in areas)


def _breaks_off(sheet: Sheet, at: Cell, header_bottom: int) -> bool:
    """Another formula than the row above has, about the rows above and not about its own."""
    text = sheet.formula(at)
    if text is None or goes_on(sheet, at, header_bottom):
        return False
    about_above = any(
        _is_here(found) and found.area.top < at.row and found.area.bottom < at.row
        for found in references(text)
    )
    return about_above and not _reads_row(text, at.row)


def _reads_row(text: str, row: int) -> bool:
    return any(
        _is_here(found) and found.area.top <= row <= found.area.bottom for found in references(text)
    )


def _is_here(found: Reference) -> bool:
    return found.sheet is None
