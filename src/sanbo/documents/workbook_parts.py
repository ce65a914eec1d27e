"""What the library that reads XLSX does not tell: the true size, errors, formats, notes.

One pass over the sheets' XML before they are read. A sheet is held as a full grid, so two cells
in opposite corners of a tiny file would take gigabytes; and values of formulas are taken from the
file, where programs other than Excel may never have put them.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from posixpath import join, normpath
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from sanbo.documents.number_formats import NumberFormat, formats_of_styles
from sanbo.documents.sheet_xml import SheetFacts, look_exactly, look_quickly
from sanbo.documents.workbook_notes import SheetNotes, WorkbookNotes
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

_CHUNK = 4 << 20
_MOST_BYTES = 1 << 30
_MOST_BYTES_OF_A_LIST = 16 << 20
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_READ_WHOLE = re.compile(r"xl/(worksheets/[^/]+\.bin|(sharedstrings|styles|workbook)\.(xml|bin))")


@dataclass(frozen=True)
class SheetParts:
    facts: SheetFacts
    notes: SheetNotes


def inspect_workbook(data: bytes, most_cells: int) -> dict[str, SheetParts]:
    """By the sheets' names. LimitExceeded where reading would take too much memory."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            return _inspect(package, most_cells)
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


def _inspect(package: zipfile.ZipFile, most_cells: int) -> dict[str, SheetParts]:
    sheets = list(_sheets(package))
    styles = _tree(package, "xl/styles.xml")
    formats = {} if styles is None else formats_of_styles(styles)
    named = {part for _, parts in sheets for part in parts}
    sizes = _Sizes()
    facts: dict[str, SheetFacts] = {}
    for info in package.infolist():
        name = info.filename.lower().replace("\\", "/")
        if name in named or _SHEET.fullmatch(name):
            facts[name] = _facts(package, info, sizes, formats, most_cells)
        elif _READ_WHOLE.fullmatch(name):
            for chunk in _chunks(package, info):
                sizes.add(len(chunk))
    notes = WorkbookNotes(package)
    return {
        name: SheetParts(facts[part], notes.on_sheet(part))
        for name, parts in sheets
        if (part := next((part for part in parts if part in facts), None)) is not None
    }


def _facts(
    package: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    sizes: "_Sizes",
    formats: Mapping[str, NumberFormat],
    most_cells: int,
) -> SheetFacts:
    found = look_quickly(_pieces(_chunks(package, info), sizes), formats, most_cells)
    if found is None:
        found = look_exactly(_pieces(_chunks(package, info), sizes), formats, most_cells)
    return found


class _Sizes:
    """What has been unpacked in all: counted, as the sizes in a ZIP file's directory may lie."""

    def __init__(self) -> None:
        self.total = 0

    def add(self, size: int) -> None:
        self.total += size
        if self.total > _MOST_BYTES:
            raise LimitExceeded("tables_workbook_too_large", limit_mb=_MOST_BYTES >> 20)


def _chunks(package: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with package.open(info) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _pieces(chunks: Iterator[bytes], sizes: _Sizes) -> Iterator[bytes]:
    """That end between cells, or between tags where there are none."""
    rest = b""
    for chunk in chunks:
        sizes.add(len(chunk))
        piece = rest + chunk
        end = max(piece.rfind(b"</c>"), piece.rfind(b":c>")) + 4
        if end == 3:
            end = max(piece.rfind(b"<"), 0)
        if len(piece) - end > 2 * _CHUNK:
            raise ValueError("a tag without end")
        rest = piece[end:]
        if end:
            yield piece[:end]
    if rest:
        yield rest


def _sheets(package: zipfile.ZipFile) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The name of each sheet, and the parts that may hold it, as programs read addresses."""
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
        parts = (normpath(join("xl", target)).lstrip("/"), target.lstrip("/"), f"xl/{target}")
        yield element.get("name", ""), tuple(part.lower() for part in parts)


def _tree(package: zipfile.ZipFile, part: str) -> Element | None:
    names = [name for name in package.namelist() if name.lower().replace("\\", "/") == part]
    if not names:
        return None
    with package.open(names[-1]) as file:
        return fromstring(file.read(_MOST_BYTES_OF_A_LIST), forbid_dtd=True)
