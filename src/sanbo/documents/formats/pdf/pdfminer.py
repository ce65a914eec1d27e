"""The same glyphs through pdfminer: slower, but it reads fonts that pdfium has no map for."""

import logging
from io import BytesIO
from itertools import islice
from typing import Any

from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LAParams, LTChar, LTContainer, LTItem, LTPage, LTTextLine
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager, PDFTextState
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from typing_extensions import override

from sanbo.documents.formats.pdf.page import (
    LINE_BREAK,
    NOWHERE,
    UNREADABLE,
    Box,
    Glyphs,
    Page,
    Style,
    choose,
    is_sane,
)

# One line a glyph for a font without a bounding box; what it could not read, we say ourselves.
logging.getLogger("pdfminer").setLevel(logging.CRITICAL)


MOST_PAGES = 5_000
MOST_GLYPHS = 20_000
"""Of a page that it is asked to read: its time grows with their square."""
MOST_FAILURES = 20

_INVISIBLE = 3
"""The mode of drawing text without ink."""


class SecondReader:
    """Opened only when a page needs it; None from it means that it could not read the page."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._pages: list[PDFPage] | None = None
        self._manager = PDFResourceManager()
        self._failures = 0

    def check(self, page: Page) -> tuple[Glyphs, bool]:
        """The better reading of a doubtful page, and whether it is still not to be trusted."""
        # After so many pages in vain it will not do better on the next, with the same fonts.
        second = self.glyphs(page) if self._failures < MOST_FAILURES else None
        chosen, wrong = choose(page, second)
        self._failures = self._failures + 1 if wrong and chosen is not second else 0
        return chosen, wrong is not None

    def glyphs(self, page: Page) -> Glyphs | None:
        try:
            return self._read(page)
        except Exception:  # noqa: BLE001 - on broken files it raises whatever comes; pdfium's stays
            return None

    def _read(self, shown: Page) -> Glyphs | None:
        if self._pages is None:
            document = PDFDocument(PDFParser(BytesIO(self._data)))
            self._pages = list(islice(PDFPage.create_pages(document), MOST_PAGES))
        if shown.number > len(self._pages):
            return None
        page = self._pages[shown.number - 1]
        page.mediabox = page.cropbox  # places are those of the page as it is shown
        device = _TextOnly(self._manager, laparams=LAParams(detect_vertical=True))
        device.reads_invisible = shown.is_picture
        PDFPageInterpreter(self._manager, device).process_page(page)
        return _flat(device.get_result(), shown)


class _TextOnly(PDFPageAggregator):
    """Stops at too many glyphs, and passes over the drawings."""

    _glyphs = 0
    reads_invisible = False

    @override
    def render_string(self, textstate: PDFTextState, *args: Any, **options: Any) -> None:
        if textstate.render != _INVISIBLE or self.reads_invisible:
            super().render_string(textstate, *args, **options)

    @override
    def render_char(self, *args: Any, **options: Any) -> float:
        self._glyphs += 1
        if self._glyphs > MOST_GLYPHS:
            raise _TooMany
        return super().render_char(*args, **options)

    @override
    def handle_undefined_char(self, *_: Any, **__: Any) -> str:
        return UNREADABLE

    @override
    def paint_path(self, *_: Any, **__: Any) -> None:
        pass

    @override
    def render_image(self, *_: Any, **__: Any) -> None:
        pass


class _TooMany(Exception):
    pass


def _flat(layout: LTPage, page: Page) -> Glyphs:
    found = Glyphs("pdfminer")

    def walk(item: LTItem) -> None:
        if isinstance(item, LTTextLine):
            _add_line(found, item, layout.height, page)
        elif isinstance(item, LTContainer):
            for part in item:
                walk(part)

    walk(layout)
    return found


def _add_line(found: Glyphs, line: LTTextLine, height: float, page: Page) -> None:
    at_start = True
    for part in line:
        text = part.get_text()
        if not isinstance(part, LTChar) or text.isspace():
            if text != LINE_BREAK:
                found.add(text)
            continue
        box = Box(part.x0, height - part.y1, part.x1, height - part.y0)
        if not is_sane(box):
            box = NOWHERE
        if not page.shows(box):
            continue
        if at_start:
            bold = "bold" in part.fontname.lower()
            lies = abs(part.matrix[1]) > abs(part.matrix[0])
            found.styles[len(found.characters)] = Style(part.size, bold, part.fontname, lies)
            at_start = False
        found.add(text, box)
    found.add(LINE_BREAK)
