"""A table of an HTML page while its tags go by, and as a grid once it has ended."""

from dataclasses import dataclass, field

from sanbo.documents.formats.header_rows import first_row_names_columns, joined_names

MAX_COLUMNS = 1_000  # the HTML Standard's own limit
_MAX_ROWS_OF_A_CELL = 65_534
_MAX_CELLS = 1_000_000


@dataclass(frozen=True)
class HtmlCell:
    text: str
    columns: int = 1
    rows: int = 1
    is_header: bool = False


@dataclass
class HtmlRow:
    in_head: bool
    cells: list[HtmlCell] = field(default_factory=list[HtmlCell])


@dataclass
class HtmlTable:
    """`is_layout`: only places things on the page, so its cells are read as ordinary text."""

    is_layout: bool = False
    caption: str | None = None
    rows: list[HtmlRow] = field(default_factory=list[HtmlRow])

    def texts(self) -> list[str]:
        return [cell.text for row in self.rows for cell in row.cells]

    def has_one_column(self) -> bool:
        return all(len(row.cells) <= 1 for row in self.rows)

    def grid(self) -> tuple[list[str] | None, list[list[str]]]:
        """Column names, if it has them, and rows."""
        rows = [row for row in self.rows if row.cells]
        placed = _place(rows)
        width = max((line[-1][0] + line[-1][1].columns for line in placed), default=0)
        if width * len(rows) > _MAX_CELLS:  # mostly empty: what is there, without the gaps
            placed = [[(at, cell) for at, (_, cell) in enumerate(line)] for line in placed]
            lines = [[cell.text for _, cell in line] for line in placed]
        else:
            lines = [_line(line, width) for line in placed]
        headers = 0
        while headers < len(rows) and _is_header(rows[headers]):
            headers += 1
        if not headers and not _labels_values(rows) and first_row_names_columns(lines):
            headers = 1
        if not 0 < headers < len(rows):
            return None, lines
        names = [[(at, cell.columns, cell.text) for at, cell in row] for row in placed[:headers]]
        return joined_names(names, width), lines[headers:]


def span(value: str, limit: int) -> int:
    digits = value.strip()[:6]
    return min(max(int(digits), 1), limit) if digits.isascii() and digits.isdigit() else 1


def cell(text: str, attributes: dict[str, str], *, is_header: bool) -> HtmlCell:
    return HtmlCell(
        text=text,
        columns=span(attributes.get("colspan", ""), MAX_COLUMNS),
        rows=span(attributes.get("rowspan", ""), _MAX_ROWS_OF_A_CELL),
        is_header=is_header,
    )


def _is_header(row: HtmlRow) -> bool:
    return row.in_head or all(cell.is_header for cell in row.cells)


def _labels_values(rows: list[HtmlRow]) -> bool:
    """申請者 | 山田: the page marks the label of a row, so the row names no columns."""
    return bool(rows) and rows[0].cells[0].is_header


def _place(rows: list[HtmlRow]) -> list[list[tuple[int, HtmlCell]]]:
    """Each cell with its column: cells that reach down from above take their places first."""
    placed: list[list[tuple[int, HtmlCell]]] = []
    taken: dict[int, int] = {}  # column → rows still to come
    spent = 0
    for row in rows:
        at = 0
        line: list[tuple[int, HtmlCell]] = []
        reaching: dict[int, int] = {}
        for cell in row.cells:
            while taken.get(at):
                at += 1
            if at + cell.columns > MAX_COLUMNS or spent > _MAX_CELLS:
                cell = HtmlCell(cell.text, is_header=cell.is_header)  # noqa: PLW2901
            line.append((at, cell))
            if cell.rows > 1:
                reaching.update(dict.fromkeys(range(at, at + cell.columns), cell.rows))
            at += cell.columns
            spent += cell.columns
        taken = {column: left - 1 for column, left in {**taken, **reaching}.items() if left > 1}
        spent += len(taken)
        if spent > _MAX_CELLS:
            taken = {}
        placed.append(line)
    return placed


def _line(cells: list[tuple[int, HtmlCell]], width: int) -> list[str]:
    texts = [""] * width
    for at, cell in cells:
        texts[at] = cell.text
    return texts
