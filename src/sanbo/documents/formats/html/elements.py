"""The parts of a page: its tags and text in order, which break lines, tables, form fields."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sanbo.documents.table_heads import first_row_names_columns, joined_names

VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
}  # fmt: skip
BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu",
    "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "ul",
}  # fmt: skip
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
LISTS = ("ul", "ol", "menu", "dir")
CELLS = ("td", "th")
_SECTIONS = ("thead", "tbody", "tfoot")
_TABLE_PARTS = {*CELLS, *_SECTIONS, "table", "tr", "caption"}

# A start tag ends these elements, if they were opened after the nearest of those.
_ENDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "li": (("li",), LISTS),
    "dt": (("dt", "dd"), ("dl",)),
    "dd": (("dt", "dd"), ("dl",)),
    "td": ((*CELLS, "caption"), ("table",)),
    "th": ((*CELLS, "caption"), ("table",)),
    "tr": ((*CELLS, "tr", "caption"), ("table",)),
    **{name: ((*_SECTIONS, "tr", *CELLS, "caption"), ("table",)) for name in _SECTIONS},
    "rt": (("rt", "rp"), ("ruby",)),
    "rp": (("rt", "rp"), ("ruby",)),
    "option": (("option",), ("select",)),
    # A menu that is never closed must not swallow the page.
    "main": (("nav",), ()),
    "article": (("nav",), ()),
    "footer": (("nav",), ()),
}


@dataclass(slots=True)
class Open:
    name: str
    skipped: bool = False
    """What it holds is not for readers."""
    number: int | None = None
    """Of an ordered list: the next item's number."""
    style: str = "decimal"
    outer: int = -1
    """Where the next element of the same name further out stands."""


class OpenElements:
    """A stack that finds the innermost element of a name at once, however deep a page nests."""

    def __init__(self) -> None:
        self.stack: list[Open] = []
        self._places: dict[str, int] = {}

    def push(self, element: Open) -> None:
        element.outer = self._places.get(element.name, -1)
        self._places[element.name] = len(self.stack)
        self.stack.append(element)

    def pop(self) -> Open:
        element = self.stack.pop()
        if element.outer < 0:
            del self._places[element.name]
        else:
            self._places[element.name] = element.outer
        return element

    def is_stray(self, name: str) -> bool:
        """A cell without a table: browsers drop its tag and keep its text."""
        return name in _TABLE_PARTS and name != "table" and "table" not in self._places

    def place(self, *names: str) -> int:
        """Where the innermost of these stands, or -1."""
        innermost = -1
        for name in names:
            if (place := self._places.get(name, -1)) > innermost:
                innermost = place
        return innermost

    def innermost(self, *names: str) -> Open | None:
        place = self.place(*names)
        return None if place < 0 else self.stack[place]

    def ended_by_start(self, name: str) -> int:
        """How many open elements a start tag ends."""
        place = -1
        if name in _ENDS:
            ended, bounds = _ENDS[name]
            place = self.place(*ended)
            if place <= self.place(*bounds):
                place = -1
        if name in BLOCKS:
            wall = self.place("table", *CELLS)
            for inner in ("p", "ruby"):
                if (at := self._places.get(inner, -1)) > wall:
                    place = at if place < 0 else min(place, at)
        return 0 if place < 0 else len(self.stack) - place

    def ended_by_end(self, name: str) -> int:
        """A cell is a wall: a stray `</div>` in it closes nothing outside."""
        place = self._places.get(name, -1)
        if place < 0:
            return 0
        wall = self.place("table") - 1 if name in _TABLE_PARTS else self.place("table", *CELLS)
        return len(self.stack) - place if place > wall else 0


_ATTRIBUTE = (
    r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?+)?+"""
)
_TOKEN = re.compile(
    rf"""<!--(?:-?>|.*?(?:--!?>|\Z))          # a comment
    |<(?:[!?]|/(?![a-zA-Z]))[^>]*+(?:>|\Z)    # a declaration, or what browsers take for a comment
    |<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?P<attributes>(?:[\s/]++|{_ATTRIBUTE})*+)(?:>|\Z)
    """,
    re.DOTALL | re.VERBOSE,
)
_ONE_ATTRIBUTE = re.compile(
    r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"?|'([^']*+)'?|([^\s>"'][^\s>]*+)?))?+"""
)
# Nothing inside these is a tag, whatever it looks like.
_RAW = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
_RAW_WITH_ENTITIES = {"textarea", "title"}


class Start(NamedTuple):
    name: str
    raw_attributes: str

    def attributes(self) -> dict[str, str]:
        """Names in lower case; of an attribute that is there twice, the first counts."""
        found: dict[str, str] = {}
        for match in _ONE_ATTRIBUTE.finditer(self.raw_attributes):
            value = match[2] or match[3] or match[4] or ""
            found.setdefault(match[1].lower(), html.unescape(value))
        return found


class End(NamedTuple):
    name: str


class Text(NamedTuple):
    text: str


def tokens(page: str) -> Iterator[Start | End | Text]:
    at = 0
    is_xml = page[:200].lstrip().startswith("<?xml")
    while match := _TOKEN.search(page, at):
        if match.start() > at:
            yield Text(html.unescape(page[at : match.start()]))
        at = match.end()
        if match["name"] is None:
            continue
        name = match["name"].lower()
        if match["slash"]:
            yield End(name)
            continue
        yield Start(name, match["attributes"])
        if is_xml and match["attributes"].endswith("/"):
            yield End(name)
        elif name in _RAW:
            closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(page, at)
            end = len(page) if closing is None else closing.start()
            raw = page[at:end]
            yield Text(html.unescape(raw) if name in _RAW_WITH_ENTITIES else raw)
            at = end
    if at < len(page):
        yield Text(html.unescape(page[at:]))


_BUTTONS = {"button", "file", "image", "reset", "submit"}
_SECRET = {"hidden", "password"}
_BOXES = {"checkbox", "radio"}
# Programs put the file's name there when nobody described the picture.
_FILE_NAME = re.compile(r"[^\s。、]+\.(?:png|jpe?g|gif|bmp|svg|webp|tiff?|emf|wmf)", re.I)
_PIXEL = {"0", "1", "0px", "1px"}


def text_of_void(name: str, attributes: dict[str, str]) -> str:
    """Of `input` and `img`; set off from what stands beside it, except a box from its label."""
    if name == "img":
        return _set_off(_alternative(attributes))
    if name != "input":
        return ""
    kind = attributes.get("type", "").strip().lower()
    if kind in _SECRET or kind in _BUTTONS:
        return ""
    if kind in _BOXES:
        return " ☑" if "checked" in attributes else " □"
    return _set_off(attributes.get("value", ""))


def is_chosen(option: dict[str, str]) -> bool:
    """Chosen in the page itself; an option without a value only prompts to choose."""
    return "selected" in option and option.get("value") != ""


def _alternative(picture: dict[str, str]) -> str:
    """Empty for ornaments and for pixels that only count visitors."""
    text = picture.get("alt", "").strip()
    is_pixel = picture.get("width") in _PIXEL or picture.get("height") in _PIXEL
    unseen = picture.get("role") in ("presentation", "none") or is_pixel
    return "" if unseen or _FILE_NAME.fullmatch(text) else text


def _set_off(text: str) -> str:
    return f" {text} " if text.strip() else ""


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
