"""What the library that reads XLSX does not tell: the true size, errors, formats, notes.

One pass over the sheets' XML before they are read. A sheet is held as a full grid, so two cells
in opposite corners of a tiny file would take gigabytes; and values of formulas are taken from the
file, where programs other than Excel may never have put them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sanbo.documents.model import Source
from sanbo.documents.number_formats import NumberFormat, formats_of_styles
from sanbo.documents.ooxml.package import MAX_TOTAL_BYTES, Package
from sanbo.documents.ooxml.xml import local_name
from sanbo.documents.sheet_xml import SheetFacts, look_exactly, look_quickly
from sanbo.documents.workbook_notes import SheetNotes, WorkbookNotes
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

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
