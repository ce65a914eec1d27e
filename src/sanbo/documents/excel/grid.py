"""The rows and cells of a worksheet's XML: found by address, and added in their order.

Of a large sheet, only the rows that someone asks for are taken apart into cells.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from sanbo.documents.excel.references import MAX_ROW, Area, Cell, cell_at, first_area
from sanbo.documents.ooxml.xml import MAIN, Element, element
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
