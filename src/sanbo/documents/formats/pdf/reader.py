"""PDF: the text of each page in its order of reading, its ruled tables, and its headings.

pdfium reads every page; a page that fails the checks of `quality` is read by pdfminer too,
and the better of the two is kept. Pages without text are named, never passed over.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from sanbo.documents.builder import DocumentBuilder, clean
from sanbo.documents.chunks import SHARE_OF_PAGES, Saying, sayings
from sanbo.documents.formats.pdf.drawings import filled_in
from sanbo.documents.formats.pdf.page import (
    FULL_PAGE,
    Direction,
    Glyphs,
    Line,
    Page,
    PageLines,
    Reader,
    RuledTable,
    fault,
    lines_of,
    set_upright,
    without_unreadable,
)
from sanbo.documents.formats.pdf.paragraphs import Edges, Part, find_headings, parts_of, ruby_last
from sanbo.documents.formats.pdf.pdfium import PdfFile, opened
from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import UnsupportedFormat

if TYPE_CHECKING:
    from sanbo.documents.formats.pdf.pdfminer import SecondReader

FEWEST_PAGES = 5
"""With fewer, what comes again may well be the text itself."""
_MARGIN = 0.1
_SAME_PLACE = 0.02
_STAMP = 20
_DRAWING = 50
_END = b"%%EOF"
_TAIL = 65_536
_NO_TITLE = re.compile(
    r"untitled|無題|名称未設定|microsoft \w+ - |.+\.(docx?|xlsx?|pptx?|pdf|indd|jtd|html?)$|"
    r"(文書|document|book|presentation|プレゼンテーション)\s*\d*$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class PageText:
    """What was read from one page, before the pages are looked at together."""

    number: int
    reader: Reader | None
    """None where the page can't be read at all."""
    text: PageLines
    tables: list[RuledTable] = field(default_factory=list[RuledTable])
    is_garbled: bool = False
    pictures: float = 0.0
    """Share of the page that they cover."""
    notes: list[str] = field(default_factory=list[str])
    has_unseen: bool = False
    """Text was left out that nobody who looks at the page can see."""

    @property
    def characters(self) -> int:
        cells = (cell for table in self.tables for row in table.rows for cell in row)
        return sum(len(line.text) for line in self.text.lines) + sum(map(len, cells))

    @property
    def is_scanned(self) -> bool:
        """A picture in place of text; a stamp or a number on it does not make it text."""
        if self.pictures >= FULL_PAGE:
            return self.characters < _STAMP
        return self.pictures > 0 and not self.characters


def pictures(source: Source, most: int) -> Iterator[Source]:
    """The first pages as they look; damaged ones are left out."""
    with opened(source) as file:
        for number in range(1, min(file.pages, most) + 1):
            if (png := file.picture(number)) is not None:
                yield Source(name=f"{source.name} p.{number}", data=png)


def read(source: Source) -> Document:
    builder = DocumentBuilder(source.name, "pdf")
    with opened(source) as file:
        builder.title = _title(file.title())
        if file.is_dynamic_form:
            builder.warn(UnsupportedFormat("pdf_dynamic_form"))
        outline, pages = file.outline(), list(pages_of(file, source))
    sheets = [page.text for page in pages]
    drop_running_lines(sheets)
    headings = find_headings(sheets, outline)
    edges = Edges(sheets)
    before: RuledTable | None = None
    ranked: list[tuple[int, str]] = []
    for page in pages:
        parts = list(parts_of(page.text, headings.get(page.number, {}), edges))
        ranked += [(part.level, part.text) for part in parts if part.level is not None]
        before = _add(builder, page, parts, before)
    builder.title = builder.title or _over_all(ranked)
    if not builder.length:
        raise _refusal(source, pages)
    _warn(builder, source, pages)
    return builder.build(pages=len(pages))


def pages_of(file: PdfFile, source: Source) -> Iterator[PageText]:
    """Each page by itself, by the reader that understood it best."""
    others = _OtherReaders(source.data)
    for number in range(1, file.pages + 1):
        page = file.page(number)
        if page is None:
            yield PageText(number, None, PageLines(number, 0.0, 0.0, []))
            continue
        yield _page_text(page, others)


class _OtherReaders:
    """Imported and opened when the first page needs them; together they take half a second."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @cached_property
    def pdfminer(self) -> "SecondReader":
        from sanbo.documents.formats.pdf.pdfminer import (  # noqa: PLC0415 - start-up time
            SecondReader,
        )

        return SecondReader(self._data)

    @cached_property
    def take_tables(self) -> Callable[[Page, Glyphs, Direction], tuple[list[RuledTable], Glyphs]]:
        from sanbo.documents.formats.pdf.tables import (  # noqa: PLC0415 - start-up time
            take_tables,
        )

        return take_tables


def _page_text(page: Page, others: _OtherReaders) -> PageText:
    glyphs, is_garbled = page.glyphs, False
    if fault(page, glyphs):
        glyphs, is_garbled = others.pdfminer.check(page)
    glyphs = filled_in(without_unreadable(glyphs), page.fields)
    glyphs, way = set_upright(page, glyphs)
    tables, glyphs = others.take_tables(page, glyphs, way) if page.has_grid else ([], glyphs)
    reach = page.width if way == "right" else page.height
    lines = PageLines(page.number, page.height, reach, ruby_last(lines_of(page, glyphs, way)))
    # Letters drawn as shapes are as unreadable as a picture of them.
    pictures = max(page.image_share, 0.01 if page.paths >= _DRAWING else 0.0)
    return PageText(
        page.number,
        glyphs.reader,
        lines,
        tables,
        is_garbled,
        pictures,
        page.notes,
        has_unseen=page.unseen > 0,
    )


def _add(
    builder: DocumentBuilder, page: PageText, parts: Iterable[Part], before: RuledTable | None
) -> RuledTable | None:
    """Adds a page; returns the table it ends in, which the next page may go on with."""
    last: RuledTable | None = None
    for item in sorted([*parts, *page.tables], key=lambda item: item.order):
        last = None
        if isinstance(item, RuledTable):
            _add_table(builder, page.number, item, before)
            last = item
        elif item.level is not None:
            builder.heading(item.text, item.level, page=page.number)
        else:
            role = "list_item" if item.is_item else "body"
            builder.paragraph(item.text, role=role, page=page.number)
        before = None
    for note in page.notes:
        builder.paragraph(note, role="note", page=page.number)
    return last


def _add_table(
    builder: DocumentBuilder, page: int, table: RuledTable, before: RuledTable | None
) -> None:
    header: list[str] | None = None
    rows = table.rows
    if before is not None and before.header is not None and table.goes_on_from(before):
        # The names of its columns stand on the page before; printed tables repeat them.
        header = before.header
        rows = rows[1:] if rows[0] == header else rows
    elif table.has_header:
        header, rows = rows[0], rows[1:]
    table.header = header
    builder.table(rows, columns=header, page=page)


def _over_all(headings: list[tuple[int, str]]) -> str | None:
    """The first heading, when all others stand below it: a chapter is no title."""
    if not headings:
        return None
    level, text = headings[0]
    return text if all(other > level for other, _ in headings[1:]) else None


def _title(given: str) -> str | None:
    title = clean(given)
    return None if not title or _NO_TITLE.match(title) else title


def _refusal(source: Source, pages: list[PageText]) -> UnsupportedFormat:
    if all(page.reader is None for page in pages):
        return UnsupportedFormat("pdf_damaged", file=source.name)
    if any(page.is_garbled for page in pages):
        return UnsupportedFormat("pdf_unreadable_text", file=source.name, pages=len(pages))
    unseen = [page.number for page in pages if page.has_unseen]
    if unseen:
        return UnsupportedFormat("pdf_hidden_text", pages=_ranges(unseen))
    return UnsupportedFormat("pdf_no_text", file=source.name, pages=len(pages))


def _warn(builder: DocumentBuilder, source: Source, pages: list[PageText]) -> None:
    damaged = [page.number for page in pages if page.reader is None]
    garbled = [page.number for page in pages if page.is_garbled]
    scanned = [page.number for page in pages if page.is_scanned and not page.is_garbled]
    if scanned:
        builder.warn(UnsupportedFormat("pdf_pages_without_text", pages=_ranges(scanned)))
    if garbled:
        builder.warn(UnsupportedFormat("pdf_pages_unreadable", pages=_ranges(garbled)))
    if damaged:
        builder.warn(UnsupportedFormat("pdf_pages_damaged", pages=_ranges(damaged)))
    unseen = [page.number for page in pages if page.has_unseen]
    if unseen:
        builder.warn(UnsupportedFormat("pdf_hidden_text", pages=_ranges(unseen)))
    if _END not in source.data[-_TAIL:]:
        builder.warn(UnsupportedFormat("pdf_cut_off", pages=len(pages)))


def _ranges(numbers: list[int]) -> str:
    """3, 7–9"""
    found: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda item: item[1] - item[0]):
        run = [number for _, number in group]
        found.append(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}")
    return ", ".join(found)


class _Place(NamedTuple):
    page: int
    line: Line
    height: float


def drop_running_lines(pages: list[PageLines]) -> None:
    """One invoice a page looks much the same on every page, too. So a line goes only if nothing is
    lost with it: its first is kept, unless its only difference is the number of the page."""
    if len(pages) < FEWEST_PAGES:
        return
    seen: dict[Saying, list[_Place]] = defaultdict(list)
    for number, page in enumerate(pages):
        for line in page.lines:
            height = line.box.middle[1] / page.height if page.height else 0.5
            if not _MARGIN < height < 1 - _MARGIN:
                for saying in sayings(line.text, number):
                    seen[saying].append(_Place(number, line, height))
    dropped: set[int] = set()
    for saying, places in seen.items():
        usual = median(place.height for place in places)
        same = [place for place in places if abs(place.height - usual) < _SAME_PLACE]
        if len({place.page for place in same}) >= SHARE_OF_PAGES * len(pages):
            kept = 0 if saying.is_number_only else 1
            dropped.update(id(place.line) for place in same[kept:])
    for page in pages:
        page.lines = [line for line in page.lines if id(line) not in dropped]
