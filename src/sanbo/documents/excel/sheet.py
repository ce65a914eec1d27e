"""One worksheet: its cells read as a person sees them, and written in place.

A written cell keeps its format; a new one takes the format of its row or column, as in Excel. New
texts stand in their own cells, so a string that other cells share never changes. Of a large sheet,
only the rows that someone asks for are taken apart into cells.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from sanbo.documents.excel.formulas import gives_array
from sanbo.documents.excel.references import (
    MAX_ROW,
    Area,
    Cell,
    areas_in,
    cell_at,
    first_area,
    moved,
    stored_cell,
)
from sanbo.documents.excel.values import (
    DATE_AND_TIME,
    SHORT_DATE,
    TEXT,
    TIME,
    Scalar,
    Shows,
    Stored,
    Strings,
    Styles,
    shown_value,
    text_of,
)
from sanbo.documents.ooxml.xml import MAIN, Element, element, is_set
from sanbo.documents.ooxml.xml import number as count
from sanbo.kernel.problems import SanboError, UnsupportedFormat

ROW, CELL = f"{MAIN}row", f"{MAIN}c"


class Grid:
    def __init__(self, root: Element, sheet: str) -> None:
        data = root.find(f"{MAIN}sheetData")
        if data is None:
            raise UnsupportedFormat("excel_sheet_damaged", sheet=sheet)
        self.data = data
        self._dimension = root.find(f"{MAIN}dimension")
        self._sheet = sheet
        self._rows: dict[int, Element] = {}
        self._cells: dict[int, dict[int, Element]] = {}
        self._order: list[int] = []
        self._columns: dict[str, int] = {}
        self.read()

    @property
    def row_numbers(self) -> list[int]:
        """The rows that the file mentions, from the top."""
        return self._order

    def row(self, number: int) -> Element | None:
        return self._rows.get(number)

    def node(self, at: Cell) -> Element | None:
        return self._columns_of(at.row).get(at.column)

    def in_row(self, number: int) -> Iterator[tuple[Cell, Element]]:
        cells = self._cells.get(number)
        if cells is None:
            row = self._rows.get(number)
            cells = {} if row is None else self._read_row(row, number)
        for column, node in sorted(cells.items()):
            yield Cell(number, column), node

    def within(self, area: Area) -> Iterator[Cell]:
        """The cells that the file mentions in this area, however large it is."""
        first = bisect_left(self._order, area.top)
        for number in self._order[first : bisect_right(self._order, area.bottom)]:
            for at, _ in self.in_row(number):
                if at in area:
                    yield at

    def __iter__(self) -> Iterator[tuple[Cell, Element]]:
        for number in self._order:
            yield from self.in_row(number)

    def place(self, at: Cell) -> Element:
        """The cell's element, made between its neighbours where it is missing."""
        row = self.place_row(at.row)
        cells = self._columns_of(at.row)
        if at.column in cells:
            return cells[at.column]
        made = element(CELL, {"r": str(at)})
        before = [column for column in cells if column < at.column]
        if before:
            cells[max(before)].addnext(made)
        else:
            row.insert(0, made)
        cells[at.column] = made
        # Only hints, but wrong ones: some programs read no further than they say.
        row.attrib.pop("spans", None)
        self._widen(at)
        return made

    def place_row(self, number: int) -> Element:
        if number in self._rows:
            return self._rows[number]
        made = element(ROW, {"r": str(number)})
        position = bisect_left(self._order, number)
        if position < len(self._order):
            self._rows[self._order[position]].addprevious(made)
        else:
            self.data.append(made)
        insort(self._order, number)
        self._rows[number] = made
        self._cells[number] = {}
        return made

    def read(self) -> None:
        """From the XML: at first, and when rows were moved in it."""
        self._rows.clear()
        self._cells.clear()
        number = 0
        for row in self.data.findall(ROW):
            # Positions may be left out: then each stands after the one before it.
            number = count(row, "r", number + 1)
            if number in self._rows or not 1 <= number <= MAX_ROW:
                raise UnsupportedFormat("excel_sheet_damaged", sheet=self._sheet)
            row.set("r", str(number))
            self._rows[number] = row
            if len(row) and row[0].get("r") is None:
                self._cells[number] = self._read_row(row, number)
        self._order = sorted(self._rows)

    def _columns_of(self, number: int) -> dict[int, Element]:
        if number not in self._cells:
            row = self._rows.get(number)
            if row is None:
                return {}
            self._cells[number] = self._read_row(row, number)
        return self._cells[number]

    def _read_row(self, row: Element, number: int) -> dict[int, Element]:
        cells: dict[int, Element] = {}
        column = 0
        for node in row.findall(CELL):
            address = node.get("r")
            column = column + 1 if address is None else self._column(address)
            if address is None:
                node.set("r", str(Cell(number, column)))
            cells[column] = node
        return cells

    def _column(self, address: str) -> int:
        name = address.rstrip("0123456789")
        if name not in self._columns:  # one look at each column, not at each cell
            try:
                self._columns[name] = cell_at(address).column
            except SanboError as error:
                raise UnsupportedFormat("excel_sheet_damaged", sheet=self._sheet) from error
        return self._columns[name]

    def _widen(self, at: Cell) -> None:
        reference = None if self._dimension is None else self._dimension.get("ref")
        if self._dimension is None or not reference:
            return
        try:
            area = first_area(reference)
        except SanboError:  # only a hint: damaged, it stays as it is
            return
        wide = Area(
            min(area.top, at.row),
            min(area.left, at.column),
            max(area.bottom, at.row),
            max(area.right, at.column),
        )
        if wide != area:
            self._dimension.set("ref", str(wide))


FORMULA, VALUE = f"{MAIN}f", f"{MAIN}v"
_INLINE = f"{MAIN}is"
_FORMAT_FOR: dict[Shows, int] = {"date": SHORT_DATE, "datetime": DATE_AND_TIME, "time": TIME}


class Formula(NamedTuple):
    """Without `=`, as the file stores it."""

    text: str


class Shared(NamedTuple):
    """Everything the sheets of one workbook have in common."""

    strings: Strings
    styles: Styles
    since_1904: bool


class Sheet:
    def __init__(
        self, name: str, part: str, root: Element, shared: Shared, touch: Callable[[], None]
    ) -> None:
        self.name = name
        self.part = part
        self.root = root
        self.grid = Grid(root, name)
        self.styles = shared.styles
        self._strings = shared.strings
        self._since_1904 = shared.since_1904
        self._touch = touch
        self._shared_formulas: dict[str, tuple[Cell, str]] | None = None

    # What is there

    @cached_property
    def merged(self) -> list[Area]:
        cells = self.root.findall(f"{MAIN}mergeCells/{MAIN}mergeCell")
        return [area for cell in cells for area in areas_in(cell.get("ref") or "")]

    @cached_property
    def _merged_by_column(self) -> dict[int, list[Area]]:
        """From the top, by the column they begin in: those can't overlap, however large."""
        columns: defaultdict[int, list[Area]] = defaultdict(list)
        for area in sorted(self.merged):
            columns[area.left].append(area)
        return columns

    def merged_at(self, at: Cell) -> Area | None:
        for left, areas in self._merged_by_column.items():
            if left > at.column:
                continue
            index = bisect_right(areas, at.row, key=_top)
            if index and at in areas[index - 1]:
                return areas[index - 1]
        return None

    @cached_property
    def arrays(self) -> dict[Cell, Area]:
        """What one array formula or data table fills, by its cell: Excel changes it as a whole."""
        found: dict[Cell, Area] = {}
        for at, formula in self._formula_nodes():
            if formula.get("t") in ("array", "dataTable"):
                area = first_area(formula.get("ref") or str(at))
                if area.size > 1:
                    found[at] = area
        return found

    @property
    def is_protected(self) -> bool:
        protection = self.root.find(f"{MAIN}sheetProtection")
        return is_set(protection, "sheet")

    # What a person sees

    def value(self, at: Cell) -> Scalar:
        """The value, or what the formula last gave; None also where Excel has yet to calculate."""
        node = self.grid.node(at)
        if node is None:
            return None
        inline = node.find(_INLINE)
        if inline is not None:
            return text_of(inline)
        value = node.find(VALUE)
        if value is None or value.text is None:
            return None
        return self._decoded(value.text, node.get("t"), count(node, "s"))

    def seen(self, at: Cell) -> Scalar:
        """The value a person sees there: in a merged area, its first cell's."""
        area = self.merged_at(at)
        return self.value(at if area is None else area.anchor)

    def formula(self, at: Cell) -> str | None:
        node = self.grid.node(at)
        formula = None if node is None else node.find(FORMULA)
        if formula is None:
            return None
        if formula.get("t") != "shared" or formula.text:
            return formula.text or None
        origin, text = self.shared_formulas().get(formula.get("si") or "", (at, ""))
        return moved(text, at.row - origin.row, at.column - origin.column) or None

    def formulas(self) -> Iterator[tuple[Cell, str, Cell]]:
        """Each formula's cell, a text, and the cell for which the text is written."""
        for at, formula in self._formula_nodes():
            if formula.get("t") == "shared" and not formula.text:
                origin, text = self.shared_formulas().get(formula.get("si") or "", (at, ""))
                yield at, text, origin
            else:
                yield at, formula.text or "", at

    def _formula_nodes(self) -> Iterator[tuple[Cell, Element]]:
        for formula in self.grid.data.iter(FORMULA):
            cell = formula.getparent()
            address = None if cell is None else cell.get("r")
            if address is not None:
                yield stored_cell(address), formula

    def is_empty(self, at: Cell) -> bool:
        node = self.grid.node(at)
        if node is None:
            return True
        value = node.find(VALUE)
        has_value = value is not None and bool(value.text)
        return not has_value and node.find(FORMULA) is None and node.find(_INLINE) is None

    def text_item(self, at: Cell) -> Element | None:
        """The `si` or `is` behind a text: it also holds furigana and the formats of parts."""
        node = self.grid.node(at)
        if node is None:
            return None
        index = shared_index(node)
        return node.find(_INLINE) if index is None else self._strings.item(index)

    def style(self, at: Cell) -> int:
        node = self.grid.node(at)
        return self._style_around(at) if node is None else count(node, "s")

    # Changes

    def write(self, at: Cell, content: Stored | Formula | None) -> None:
        """Excel's own rules (merged areas, arrays, tables) are the caller's matter."""
        if content is None and self.grid.node(at) is None:
            return
        node = self._emptied(at)
        if isinstance(content, Formula):
            self._set_look(node, guarded=False)
            self._put_formula(node, content)
        elif content is not None:
            self._set_look(node, guarded=content.guarded, shows=content.shows)
            self._put_value(node, content)

    def set_style(self, at: Cell, style: int) -> None:
        self.grid.place(at).set("s", str(style))
        self._touch()

    def copy_height(self, source: int, target: int) -> None:
        """The height of a row, where someone set it, for a row that the file doesn't mention."""
        row = self.grid.row(source)
        height = None if row is None or not is_set(row, "customHeight") else row.get("ht")
        if height is None or self.grid.row(target) is not None:
            return
        new = self.grid.place_row(target)
        new.set("ht", height)
        new.set("customHeight", "1")
        self._touch()

    def drop_result(self, at: Cell) -> bool:
        """The formula stays, what it last gave goes: it is no longer true."""
        node = self.grid.node(at)
        value = None if node is None else node.find(VALUE)
        if node is None or value is None:
            return False
        node.remove(value)
        node.attrib.pop("t", None)
        self._touch()
        return True

    def formulas_changed(self) -> None:
        """Texts of formulas were changed in the XML itself."""
        self._shared_formulas = None
        self._touch()

    def changed(self) -> None:
        """The XML itself was changed: what was read from it is read again."""
        self.grid.read()
        self._shared_formulas = None
        for name in ("merged", "_merged_by_column", "arrays"):
            self.__dict__.pop(name, None)
        self._touch()

    def stop_sharing(self, group: str | None = None) -> None:
        """Each cell of one or all shared formulas gets its own text."""
        shared = self.shared_formulas()
        for at, formula in list(self._formula_nodes()):
            cell = self.grid.node(at)
            if cell is None or formula.get("t") != "shared":
                continue
            if group in (None, formula.get("si")):
                cell.replace(formula, element(FORMULA, text=self.formula(at)))
                self._touch()
        for name in list(shared) if group is None else [group]:
            shared.pop(name, None)

    def _decoded(self, text: str, kind: str | None, style: int) -> Scalar:
        if kind == "s":
            return self._strings.text(int(text)) if text.isdecimal() else None
        if kind == "b":
            return text.strip() in ("1", "true")
        if kind in ("str", "e", "d"):
            return text
        try:
            found = int(text) if text.lstrip("-").isdecimal() else float(text)
        except ValueError:
            return text
        if not math.isfinite(found):
            return text
        shows = self.styles.shows(style)
        return found if shows is None else shown_value(found, shows, since_1904=self._since_1904)

    def shared_formulas(self) -> dict[str, tuple[Cell, str]]:
        """Shared formulas by their group: where each is written, and how it reads there."""
        if self._shared_formulas is None:
            self._shared_formulas = {}
            for at, formula in self._formula_nodes():
                if formula.get("t") == "shared" and formula.text:
                    self._shared_formulas[formula.get("si") or ""] = (at, formula.text)
        return self._shared_formulas

    def _emptied(self, at: Cell) -> Element:
        """The cell without content, with its format; its neighbours keep a formula they share."""
        self._touch()
        node = self.grid.node(at)
        if node is None:
            node = self.grid.place(at)
            style = self._style_around(at)
            if style:
                node.set("s", str(style))
            return node
        formula = node.find(FORMULA)
        if formula is not None and formula.get("t") == "shared" and formula.text:
            self.stop_sharing(formula.get("si"))
        elif formula is not None and formula.get("t") is not None:
            self.__dict__.pop("arrays", None)
        for part in list(node):
            node.remove(part)
        # `cm` and `vm` point to what the content was: a dynamic array, a picture in the cell.
        for name in ("t", "cm", "vm", "ph"):
            node.attrib.pop(name, None)
        return node

    def _style_around(self, at: Cell) -> int:
        row = self.grid.row(at.row)
        if row is not None and is_set(row, "customFormat"):
            return count(row, "s")
        for column in self.root.findall(f"{MAIN}cols/{MAIN}col"):
            if count(column, "min") <= at.column <= count(column, "max"):
                return count(column, "style")
        return 0

    def _set_look(self, node: Element, *, guarded: bool, shows: Shows | None = None) -> None:
        """As the cell looks, unless a date would show as a number or a text turn into a formula."""
        style = count(node, "s")
        wanted = self.styles.with_quote_prefix(style, guarded)
        if shows is not None and not _fits(shows, self.styles.shows(wanted)):
            wanted = self.styles.with_number_format(wanted, _FORMAT_FOR[shows])
        if wanted != style:
            node.set("s", str(wanted))

    def _put_value(self, node: Element, content: Stored) -> None:
        if content.type is not None:
            node.set("t", content.type)
        if content.type == "inlineStr":
            inline = element(_INLINE)
            inline.append(element(TEXT, text=content.text))
            node.append(inline)
        else:
            node.append(element(VALUE, text=content.text))

    def _put_formula(self, node: Element, content: Formula) -> None:
        array = {"t": "array", "ref": node.get("r") or ""} if gives_array(content.text) else None
        node.append(element(FORMULA, array, content.text))


def shared_index(node: Element) -> int | None:
    """The number of the shared string that this cell shows."""
    value = node.find(VALUE) if node.get("t") == "s" else None
    text = None if value is None else value.text
    return int(text) if text is not None and text.isdecimal() else None


def _top(area: Area) -> int:
    return area.top


def _fits(wanted: Shows, shown: Shows | None) -> bool:
    """A date format shows a moment well enough; a time of day needs one with hours."""
    if wanted == "time":
        return shown in ("time", "datetime")
    return shown in ("date", "datetime")
