"""What the library that reads XLSX does not tell: the true size, errors, formats, and notes, which
are comments and text boxes beside the cells.

One pass over the sheets' XML before they are read. A sheet is held as a full grid, so two cells
in opposite corners of a tiny file would take gigabytes; and values of formulas are taken from the
file, where programs other than Excel may never have put them. A quick look with patterns suffices
for what spreadsheet programs write. Whatever is written in another way (other quotes, cells without
an address, another encoding) is parsed exactly.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from xml.parsers import expat

from sanbo.documents.model import Source
from sanbo.documents.number_formats import NumberFormat, formats_of_styles
from sanbo.documents.ooxml.package import MAX_TOTAL_BYTES, Package
from sanbo.documents.ooxml.xml import Element, local_name
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat

_MOST_BYTES = 16 << 20
_MOST_NOTES = 5_000
_MOST_CHARACTERS = 500_000
_KINDS = ("threadedComment", "comments", "drawing")
_CELL_OF_NOTE = re.compile(r"[A-Za-z]{1,3}([0-9]{1,7})")


@dataclass(frozen=True)
class SheetNote:
    text: str
    cell: str | None = None
    """The address of the cell that a comment is on; a text box has none."""
    row: int | None = None


@dataclass
class SheetNotes:
    found: list[SheetNote] = field(default_factory=list[SheetNote])
    is_incomplete: bool = False
    """Some could not be read, or there were too many."""


class WorkbookNotes:
    """Reads them sheet by sheet, and no more than the limits for the whole workbook."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._bytes_left = _MOST_BYTES
        self._notes_left = _MOST_NOTES
        self._characters_left = _MOST_CHARACTERS

    def on_sheet(self, sheet_part: str) -> SheetNotes:
        """By row. A damaged drawing does not keep the cells from being read."""
        notes = SheetNotes()
        try:
            self._read(sheet_part, notes)
        except (SanboError, ValueError):
            notes.is_incomplete = True
        notes.found.sort(key=lambda note: note.row or 0)
        return notes

    def _read(self, sheet_part: str, notes: SheetNotes) -> None:
        in_threads: set[str | None] = set()
        for kind, part in self._related(sheet_part):
            for note in _READERS[kind](self._tree(part)):
                if kind == "threadedComment":
                    in_threads.add(note.cell)
                elif note.cell is not None and note.cell in in_threads:
                    continue  # for older programs the thread is repeated as a plain comment
                self._notes_left -= 1
                self._characters_left -= len(note.text)
                if min(self._notes_left, self._characters_left) < 0:
                    notes.is_incomplete = True
                    return
                notes.found.append(note)

    def _related(self, sheet_part: str) -> list[tuple[str, str]]:
        """Kind and part, threads first."""
        found = [
            (each.kind, each.target)
            for each in self._package.relationships(sheet_part)
            if each.kind in _KINDS and self._package.has(each.target)
        ]
        return sorted(found, key=lambda pair: _KINDS.index(pair[0]))

    def _tree(self, part: str) -> Element:
        self._bytes_left -= self._package.size(part)
        if self._bytes_left < 0:
            self._bytes_left = 0
            raise ValueError("too much to read")
        return self._package.xml(part)


def _comments(tree: Element) -> Iterator[SheetNote]:
    for comment in _all(tree, "comment"):
        yield from _comment(comment, _texts(comment, "t"))


def _threads(tree: Element) -> Iterator[SheetNote]:
    for comment in _all(tree, "threadedComment"):
        yield from _comment(comment, _texts(comment, "text"))


def _comment(element: Element, text: str) -> Iterator[SheetNote]:
    cell = (element.get("ref") or "").upper()
    found = _CELL_OF_NOTE.fullmatch(cell)
    if text.strip() and found:
        yield SheetNote(text=text.strip(), cell=cell, row=int(found[1]))


def _text_boxes(tree: Element) -> Iterator[SheetNote]:
    for anchor in tree:
        row = next((place.text or "" for place in _all(anchor, "row")), "").strip()
        for body in _all(anchor, "txBody"):
            text = "\n".join(_texts(paragraph, "t") for paragraph in _all(body, "p")).strip()
            if text:
                yield SheetNote(text=text, row=int(row) + 1 if row.isdecimal() else None)


def _texts(element: Element, name: str) -> str:
    return "".join(
        "\n" if part.tag.endswith("}br") else part.text or "" for part in _all(element, name, "br")
    )


def _all(element: Element, *names: str) -> Iterator[Element]:
    """By its name in any namespace, without what is meant for older programs or reading aloud."""
    waiting = [element]
    while waiting:
        current = waiting.pop()
        local = local_name(current)
        if local in names and current is not element:
            yield current
        elif local not in ("Fallback", "rPh"):
            waiting.extend(reversed(current))


_READERS = {"comments": _comments, "threadedComment": _threads, "drawing": _text_boxes}


_MOST_FORMATS = 1_000_000

# Some programs write every name with a prefix.
_ADDRESSED = re.compile(rb"c r=\"([A-Z]{1,3})[0-9]{1,7}\"")
_UNUSUAL = re.compile(rb"<c(?! r=\"[A-Z]{1,3}[0-9]{1,7}\")[\s/>]")
_UNUSUAL_WITH_PREFIX = re.compile(rb"<[^<>/\s]*:c(?! r=\"[A-Z]{1,3}[0-9]{1,7}\")[\s/>]")
_FAR_ROW = re.compile(rb"r=\"[A-Z]{1,3}([0-9]{6,7})\"")
_NEAR_ROWS = 99_999
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml[^<>]*\?>", re.IGNORECASE)
_ENCODING = re.compile(rb"encoding\s*=\s*.(?!utf-8[\"'])", re.IGNORECASE)
_ERROR = re.compile(
    rb"<(?:\w+:)?c\b(?=[^<>]*\bt=\"e\")[^<>]*\br=\"([A-Z]{1,3})(\d{1,7})\"[^<>]*>"
    rb"(?:<(?:\w+:)?f\b[^<>]*/>|<(?:\w+:)?f\b[^<>]*>[^<]*</(?:\w+:)?f>)?<(?:\w+:)?v>([^<]*)<"
)
_NOT_CALCULATED = re.compile(
    rb"<(?:\w+:)?c\b(?![^<>]*\bt=\"str\")[^<>]*>"
    rb"(?:<(?:\w+:)?f\b[^<>]*/>|<(?:\w+:)?f\b[^<>]*>[^<]*</(?:\w+:)?f>)"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
_ADDRESS = re.compile(r"([A-Za-z]{1,7})([0-9]{1,12})")


Formats = dict[int, dict[int, NumberFormat]]
"""Of cells that show another text than their number, by column and row from 1."""


@dataclass
class SheetFacts:
    errors: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    """#REF! and its like, by row and column from 1."""
    not_calculated: int = 0
    formats: Formats = field(default_factory=dict[int, dict[int, NumberFormat]])

    def count_formats(self) -> int:
        return sum(map(len, self.formats.values()))


def look_quickly(
    pieces: Iterator[bytes], formats: Mapping[str, NumberFormat], most_cells: int
) -> SheetFacts | None:
    """None where an exact look is needed: it may be too large, or is written in another way."""
    facts = SheetFacts()
    last_row = _NEAR_ROWS
    columns: set[bytes] = set()
    styled = _styled(formats)
    by_style = {style.encode(): shows for style, shows in formats.items()}
    for piece in pieces:
        if not _is_usual(piece):
            return None
        columns.update(_ADDRESSED.findall(piece))
        last_row = max(last_row, *map(int, set(_FAR_ROW.findall(piece))), 0)
        if b'"e"' in piece:
            for letters, number, value in _ERROR.findall(piece):
                facts.errors[int(number), _column(letters)] = value.decode("ascii", "replace")
        if b"<f" in piece or b":f" in piece:
            facts.not_calculated += len(_NOT_CALCULATED.findall(piece))
        if styled is not None and facts.count_formats() < _MOST_FORMATS:
            for letters, number, style in styled.findall(piece):
                facts.formats.setdefault(_column(letters), {})[int(number)] = by_style[style]
    is_small = last_row * max(map(_column, columns), default=0) <= most_cells
    return facts if is_small else None


def _is_usual(piece: bytes) -> bool:
    declaration = _DECLARATION.match(piece)
    begin = 0 if declaration is None else declaration.end()
    is_utf_8 = b"\0" not in piece and not (declaration and _ENCODING.search(declaration[0]))
    return (
        is_utf_8
        and piece.find(b"='", begin) < 0
        and not _UNUSUAL.search(piece)
        and not (b":c" in piece and _UNUSUAL_WITH_PREFIX.search(piece))
    )


def _styled(formats: Mapping[str, NumberFormat]) -> re.Pattern[bytes] | None:
    if not formats:
        return None
    styles = "|".join(formats).encode()
    return re.compile(rb"c r=\"([A-Z]{1,3})([0-9]{1,7})\"(?: t=\"\w+\")? s=\"(" + styles + rb")\"")


def look_exactly(
    pieces: Iterator[bytes], formats: Mapping[str, NumberFormat], most_cells: int
) -> SheetFacts:
    """LimitExceeded for a grid that is too large; ValueError for what is no XML."""
    cells = _Cells(formats)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_declarations
    parser.StartElementHandler = cells.begin
    parser.EndElementHandler = cells.end
    parser.CharacterDataHandler = cells.text
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ValueError from error
    if cells.count > most_cells:
        raise LimitExceeded("tables_too_large", cells=cells.count, limit=most_cells)
    return cells.facts


def _refuse_declarations(*_: object) -> None:
    raise ValueError("entities are not expanded")


class _Cells:
    """Follows a sheet's cells; those without an address come right after the one before them."""

    def __init__(self, formats: Mapping[str, NumberFormat]) -> None:
        self.facts = SheetFacts()
        self._formats = formats
        self._formats_left = _MOST_FORMATS
        self._row = 1
        self._column = 1
        self._at: tuple[int, int] | None = None
        self._about: dict[str, str] = {}
        self._has_formula = False
        self._is_value = False
        self._value = ""
        self._rows: tuple[int, int] | None = None
        self._columns = (0, 0)

    @property
    def count(self) -> int:
        if self._rows is None:
            return 0
        (top, bottom), (left, right) = self._rows, self._columns
        return (bottom - top + 1) * (right - left + 1)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(":")[2]:
            case "row":
                number = attributes.get("r", "").strip()
                self._row = int(number) if number.isdecimal() else self._row
            case "c":
                self._at = self._place(attributes.get("r"))
                self._about = attributes
                self._has_formula = False
                self._value = ""
            case "f":
                self._has_formula = True
            case "v" | "is" if self._at is not None:
                # A cell that is formatted only takes no room.
                self._is_value = True
                self._widen(*self._at)
            case _:
                pass

    def text(self, text: str) -> None:
        if self._is_value and len(self._value) < 100:
            self._value += text

    def end(self, name: str) -> None:
        match name.rpartition(":")[2]:
            case "row":
                self._row += 1
                self._column = 1
            case "c" if self._at is not None:
                self._note(self._at)
                self._column = self._at[1] + 1
                self._at = None
            case "v" | "is":
                self._is_value = False
            case _:
                pass

    def _place(self, address: str | None) -> tuple[int, int]:
        if address is None:
            return self._row, self._column
        found = _ADDRESS.fullmatch(address.strip())
        if found is None:
            raise ValueError("no address of a cell")
        return int(found[2]), _column(found[1].upper().encode())

    def _widen(self, row: int, column: int) -> None:
        if self._rows is None:
            self._rows, self._columns = (row, row), (column, column)
        self._rows = min(row, self._rows[0]), max(row, self._rows[1])
        self._columns = min(column, self._columns[0]), max(column, self._columns[1])

    def _note(self, at: tuple[int, int]) -> None:
        kind = self._about.get("t")
        if kind == "e" and self._value:
            self.facts.errors[at] = self._value
        if self._has_formula and not self._value and kind != "str":
            self.facts.not_calculated += 1
        shows = self._formats.get(self._about.get("s", ""))
        if shows is not None and self._value and self._formats_left:
            self._formats_left -= 1
            self.facts.formats.setdefault(at[1], {})[at[0]] = shows


@lru_cache(maxsize=20_000)
def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


_LONGEST_TAG = 8 << 20
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.I)
_READ_WHOLE = re.compile(
    r"xl/(worksheets/[^/]+\.bin|(sharedstrings|styles|workbook)\.(xml|bin))", re.I
)
_WORKBOOK = "xl/workbook.xml"
_STYLES = "xl/styles.xml"


@dataclass(frozen=True)
class SheetParts:
    facts: SheetFacts
    notes: SheetNotes


def inspect_workbook(data: bytes, most_cells: int) -> dict[str, SheetParts]:
    """By the sheets' names. LimitExceeded where reading would take too much memory."""
    try:
        package = Package(Source(name="", data=data), whole=False)
    except LimitExceeded as error:
        limit_mb = MAX_TOTAL_BYTES >> 20
        raise LimitExceeded("tables_workbook_too_large", limit_mb=limit_mb) from error
    except UnsupportedFormat as error:
        raise UnsupportedFormat("tables_workbook_damaged") from error
    try:
        return _inspect(package, most_cells)
    except (UnsupportedFormat, ValueError) as error:
        raise UnsupportedFormat("tables_workbook_damaged") from error


def _inspect(package: Package, most_cells: int) -> dict[str, SheetParts]:
    sheets = list(_sheets(package))
    formats = formats_of_styles(package.xml(_STYLES)) if package.has(_STYLES) else {}
    named = {part.lower() for _, parts in sheets for part in parts}
    facts: dict[str, SheetFacts] = {}
    for name in package.names():
        part = name.lower().replace("\\", "/")
        if part in named or _SHEET.fullmatch(part):
            facts[part] = _facts(package, name, formats, most_cells)
        elif _READ_WHOLE.fullmatch(part):
            for _ in package.pieces(name):  # it holds as much as it claims
                pass
    notes = WorkbookNotes(package)
    return {
        name: SheetParts(facts[part.lower()], notes.on_sheet(part))
        for name, parts in sheets
        if (part := next((part for part in parts if part.lower() in facts), None)) is not None
    }


def _facts(
    package: Package, part: str, formats: Mapping[str, NumberFormat], most_cells: int
) -> SheetFacts:
    found = look_quickly(_pieces(package.pieces(part)), formats, most_cells)
    if found is None:
        found = look_exactly(_pieces(package.pieces(part)), formats, most_cells)
    return found


def _pieces(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """That end between cells, or between tags where there are none."""
    rest = b""
    for chunk in chunks:
        piece = rest + chunk
        end = max(piece.rfind(b"</c>"), piece.rfind(b":c>")) + 4
        if end == 3:
            end = max(piece.rfind(b"<"), 0)
        if len(piece) - end > _LONGEST_TAG:
            raise ValueError("a tag without end")
        rest = piece[end:]
        if end:
            yield piece[:end]
    if rest:
        yield rest


def _sheets(package: Package) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The name of each sheet, and the parts that may hold it, as programs read addresses."""
    if not package.has(_WORKBOOK):
        return
    targets = {found.id: found.target for found in package.relationships(_WORKBOOK)}
    for element in package.xml(_WORKBOOK).iter():
        if local_name(element) == "sheet":
            by_id = next(
                (value for key, value in element.attrib.items() if key.endswith("}id")), ""
            )
            target = targets.get(by_id, "")
            yield element.get("name") or "", (target, target.removeprefix("xl/"))
