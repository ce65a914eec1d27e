"""What the library that reads XLSX does not tell: the true size, errors, missing results.

One pass over the sheets' XML before they are read. A sheet is held as a full grid, so two cells
in opposite corners of a tiny file would take gigabytes; and values of formulas are taken from the
file, where programs other than Excel may never have put them.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from posixpath import join, normpath
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

_CHUNK = 4 << 20
_MOST_BYTES = 1 << 30
_MOST_BYTES_OF_A_LIST = 16 << 20
_READ_PARTS = re.compile(r"xl/(worksheets/[^/]+|sharedStrings|styles|workbook)\.(xml|bin)", re.I)

# Two quick looks that suffice for nearly every sheet: all columns, and rows far down.
_COLUMN = re.compile(rb"r=\"([A-Z]{1,3})\d")
_FAR_ROW = re.compile(rb"r=\"[A-Z]{1,3}(\d{6,7})\"")
_NEAR_ROWS = 99_999
# The exact look: cells with something in them; a cell that is formatted only closes itself. Some
# programs write every name with a prefix.
_CELL = re.compile(rb"<(?:\w+:)?c\b[^>]*?\br=\"([A-Z]{1,3})(\d{1,7})\"[^>]*?(?<!/)>")
_ERROR = re.compile(
    rb"<(?:\w+:)?c\b(?=[^>]*\bt=\"e\")[^>]*\br=\"([A-Z]{1,3})(\d{1,7})\"[^>]*>"
    rb"(?:<(?:\w+:)?f\b[^>]*/>|<(?:\w+:)?f\b[^>]*>[^<]*</(?:\w+:)?f>)?<(?:\w+:)?v>([^<]*)<"
)
_NOT_CALCULATED = re.compile(
    rb"<(?:\w+:)?c\b(?![^>]*\bt=\"str\")[^>]*>"
    rb"(?:<(?:\w+:)?f\b[^>]*/>|<(?:\w+:)?f\b[^>]*>[^<]*</(?:\w+:)?f>)"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)


@dataclass
class SheetFacts:
    errors: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    """#REF! and its like, by row and column from 1."""
    not_calculated: int = 0


def inspect_workbook(data: bytes, most_cells: int) -> dict[str, SheetFacts]:
    """By the sheets' names. LimitExceeded where reading would take too much memory."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            sizes = _Sizes()
            facts: dict[str, SheetFacts] = {}
            for info in package.infolist():
                if not _READ_PARTS.fullmatch(info.filename):
                    continue
                facts[info.filename.lower()], may_be_large = _look(
                    _chunks(package, info, sizes), most_cells
                )
                if may_be_large:
                    _refuse_large(_chunks(package, info, sizes), most_cells)
            return {name: facts[part] for name, part in _sheets(package) if part in facts}
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,  # an entry under a password
        ValueError,
        EOFError,
        OSError,
        ParseError,
        DefusedXmlException,
    ) as error:
        raise UnsupportedFormat("tables_workbook_damaged") from error


class _Sizes:
    """What has been unpacked in all: counted, as the sizes in a ZIP file's directory may lie."""

    def __init__(self) -> None:
        self.total = 0

    def add(self, size: int) -> None:
        self.total += size
        if self.total > _MOST_BYTES:
            raise LimitExceeded("tables_workbook_too_large", limit_mb=_MOST_BYTES >> 20)


def _chunks(package: zipfile.ZipFile, info: zipfile.ZipInfo, sizes: _Sizes) -> Iterator[bytes]:
    """Pieces that end between cells."""
    rest = b""
    with package.open(info) as file:
        while chunk := file.read(_CHUNK):
            sizes.add(len(chunk))
            chunk = rest + chunk
            end = max(chunk.rfind(b"</c>"), chunk.rfind(b":c>")) + 4
            # Not to grow with a part that holds no cells: these are the shared strings.
            rest = chunk[end:] if end > 3 else b""
            yield chunk[:end] if end > 3 else chunk
    if rest:
        yield rest


def _look(chunks: Iterator[bytes], most_cells: int) -> tuple[SheetFacts, bool]:
    """What there is to know, and whether the grid may be too large."""
    facts = SheetFacts()
    last_row = _NEAR_ROWS
    columns: set[bytes] = set()
    for chunk in chunks:
        columns.update(_COLUMN.findall(chunk))
        last_row = max(last_row, *map(int, set(_FAR_ROW.findall(chunk))), 0)
        if b'"e"' in chunk:
            for letters, number, value in _ERROR.findall(chunk):
                facts.errors[int(number), _column(letters)] = value.decode("ascii", "replace")
        if b"<f" in chunk or b":f" in chunk:
            facts.not_calculated += len(_NOT_CALCULATED.findall(chunk))
    return facts, last_row * max(map(_column, columns), default=0) > most_cells


def _refuse_large(chunks: Iterator[bytes], most_cells: int) -> None:
    rows: set[int] = set()
    columns: set[int] = set()
    for chunk in chunks:
        cells = _CELL.findall(chunk)
        columns.update(map(_column, {letters for letters, _ in cells}))
        numbers = set(map(int, {number for _, number in cells}))
        rows.update((min(numbers), max(numbers)) if numbers else ())
    if not rows:
        return
    count = (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1)
    if count > most_cells:
        raise LimitExceeded("tables_too_large", cells=count, limit=most_cells)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _sheets(package: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """The name of each sheet, and the part that holds it."""
    workbook = _tree(package, "xl/workbook.xml")
    relations = _tree(package, "xl/_rels/workbook.xml.rels")
    if workbook is None or relations is None:
        return
    targets = {relation.get("Id"): relation.get("Target", "") for relation in relations}
    for element in workbook.iter():
        if element.tag.rpartition("}")[2] != "sheet":
            continue
        by_id = next((value for key, value in element.items() if key.endswith("}id")), None)
        target = targets.get(by_id, "")
        part = target[1:] if target.startswith("/") else normpath(join("xl", target))
        yield element.get("name", ""), part.lower()


def _tree(package: zipfile.ZipFile, part: str) -> Element | None:
    if part not in package.namelist():
        return None
    with package.open(part) as file:
        return fromstring(file.read(_MOST_BYTES_OF_A_LIST), forbid_dtd=True)
