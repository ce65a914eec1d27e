"""A PDF through pdfium: how it opens, its outline and title, and what is drawn on each page."""

import ctypes
import logging
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple

import pypdfium2 as pdfium

from sanbo.documents.formats.pdf.drawings import (
    Place,
    look_at_annotations,
    look_at_objects,
    placing,
)
from sanbo.documents.formats.pdf.page import (
    LINE_BREAK,
    NOWHERE,
    PLAIN,
    UNREADABLE,
    Box,
    Glyphs,
    Page,
    Style,
    is_sane,
)
from sanbo.documents.model import Source
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

MAX_PAGES = 5_000
MAX_CHARACTERS = 10_000_000
MAX_OUTLINE = 5_000
PICTURE_PIXELS = 1_600
"""Of the longer side: a model reads print of the usual size in it."""

_HYPHENS = ("\x02", "\ufffe")
"""Stand for a hyphen at the end of a line."""

# What it advises about its own build is nothing that a person can act on.
logging.getLogger("pypdfium2").setLevel(logging.ERROR)

# pdfium is not thread-safe, not even across documents, and ctypes lets other threads run.
_PDFIUM = threading.Lock()
_c: Any = pdfium.raw  # the C interface has no types
_BUILD: Any = pdfium.PDFIUM_INFO


class Bookmark(NamedTuple):
    page: int
    level: int
    title: str


class PdfFile:
    """An open file. Every call takes the lock for itself, so that files are read side by side."""

    def __init__(self, document: Any) -> None:
        self._document = document
        with _PDFIUM:
            self.pages: int = len(document)
            self._characters = 0
            form: int = document.get_formtype()
            self.is_dynamic_form = form == _c.FORMTYPE_XFA_FULL
            if form == _c.FORMTYPE_ACRO_FORM or "XFA" not in _BUILD.flags:
                # Fields and their values only: where pdfium has an engine for XFA, it would run.
                with suppress(pdfium.PdfiumError):
                    document.init_forms()

    def title(self) -> str:
        with _PDFIUM:
            try:
                return str(self._document.get_metadata_value("Title"))
            except ValueError:  # a title that is no UTF-16
                return ""

    def outline(self) -> list[Bookmark]:
        found: list[Bookmark] = []
        with _PDFIUM:
            for entry in islice(self._document.get_toc(max_depth=6), MAX_OUTLINE):
                try:
                    target, title = entry.get_dest(), str(entry.get_title())
                except ValueError:
                    continue
                page = target.get_index() if target else None
                if page is not None:
                    found.append(Bookmark(page + 1, entry.level + 1, title))
        return found

    def page(self, number: int) -> Page | None:
        """None where the page is damaged."""
        with _PDFIUM:
            try:
                return self._page(number)
            except pdfium.PdfiumError:
                return None

    def picture(self, number: int) -> bytes | None:
        """The page as it looks, as PNG; None where it is damaged."""
        with _PDFIUM:
            try:
                with closing(self._document.get_page(number - 1)) as page:
                    scale = PICTURE_PIXELS / max(1.0, *page.get_size())
                    with closing(page.render(scale=scale)) as bitmap:
                        picture = bitmap.to_pil()
            except pdfium.PdfiumError:
                return None
        png = BytesIO()
        picture.save(png, "PNG")
        return png.getvalue()

    def _page(self, number: int) -> Page:
        with (
            closing(self._document.get_page(number - 1)) as page,
            closing(page.get_textpage()) as text,
        ):
            left, bottom, right, top = page.get_bbox()
            turned = page.get_rotation()
            place = placing(left, bottom, right, top, turned)
            width, height = min(max(1.0, right - left), 2e4), min(max(1.0, top - bottom), 2e4)
            if turned in (90, 270):
                width, height = height, width
            found = Page(number, width, height, Glyphs("pdfium"))
            look_at_objects(page.raw, found, place)
            form = self._document.formenv
            look_at_annotations(page.raw, form.raw if form else None, found, place)
            self._count(text.count_chars() + found.laid_over, number)  # before they are read
            _read_glyphs(text.raw, text.count_chars(), found, place, on_side=turned in (90, 270))
            return found

    def _count(self, characters: int, page: int) -> None:
        self._characters += characters
        if self._characters > MAX_CHARACTERS:
            raise LimitExceeded("pdf_too_much_text", page=page, limit=MAX_CHARACTERS)


@contextmanager
def opened(source: Source) -> Generator[PdfFile]:
    with _PDFIUM:
        try:
            document = pdfium.PdfDocument(source.data)
        except pdfium.PdfiumError as error:
            raise _refusal(source.name, getattr(error, "err_code", None)) from error
    try:
        file = PdfFile(document)
        if file.pages > MAX_PAGES:
            raise LimitExceeded("pdf_too_many_pages", pages=file.pages, limit=MAX_PAGES)
        yield file
    finally:
        with _PDFIUM:
            document.close()


def _refusal(name: str, code: int | None) -> UnsupportedFormat:
    if code == _c.FPDF_ERR_PASSWORD:
        return UnsupportedFormat("pdf_password", file=name)
    if code == _c.FPDF_ERR_SECURITY:
        return UnsupportedFormat("pdf_encryption_unknown", file=name)
    return UnsupportedFormat("pdf_damaged", file=name)


def _read_glyphs(text: Any, count: int, page: Page, place: Place, *, on_side: bool) -> None:
    """Inside a horizontal line glyphs share its first box, unless every box is needed.

    Boxes would take a third of the time, and such a line is told by its two ends and its gaps.
    """
    found = page.glyphs
    numbers = _shown(text, count, found.characters)
    box_of = _boxes(text, place)
    if page.invisible and not page.is_picture:  # over a picture it is what OCR has read there
        _leave_out(page, numbers, lambda number: _is_invisible(text, number))
    lines = list(_lines(found.characters, numbers))
    ends = [(box_of(numbers[first]), box_of(numbers[last])) for first, last, _ in lines]
    if not all(page.shows(left) and page.shows(right) for left, right in ends):
        _leave_out(page, numbers, lambda number: not page.shows(box_of(number)))
        lines = list(_lines(found.characters, numbers))
        ends = [(box_of(numbers[first]), box_of(numbers[last])) for first, last, _ in lines]
    for first, _, _ in lines:
        found.styles[first] = _style(text, numbers[first], on_side=on_side)
    if page.has_grid or page.fields or not _is_horizontal(lines, ends):
        found.boxes = [box_of(number) if number >= 0 else None for number in numbers]
        return
    found.boxes = [None] * len(numbers)
    for (first, last, _), (left, right) in zip(lines, ends, strict=True):
        for at in range(first, last):
            if numbers[at] >= 0:
                beside_gap = numbers[at - 1] < 0 or numbers[at + 1] < 0
                found.boxes[at] = box_of(numbers[at]) if beside_gap and at > first else left
        found.boxes[last] = right


def _is_invisible(text: Any, number: int) -> bool:
    drawn = _c.FPDFText_GetTextObject(text, number)
    mode = _c.FPDFTextObj_GetTextRenderMode(drawn) if drawn else None
    return mode == _c.FPDF_TEXTRENDERMODE_INVISIBLE


def _leave_out(page: Page, numbers: list[int], is_unseen: Callable[[int], bool]) -> None:
    characters = page.glyphs.characters
    kept = [at for at, number in enumerate(numbers) if number < 0 or not is_unseen(number)]
    unseen = len(numbers) - len(kept)
    page.unseen += unseen
    page.text_objects = max(page.text_objects - unseen, 0)  # nobody is to look for them again
    characters[:] = [characters[at] for at in kept]
    numbers[:] = [numbers[at] for at in kept]


def _shown(text: Any, count: int, characters: list[str]) -> list[int]:
    """Fills in the characters; returns pdfium's number of each, or -1 where nothing is drawn."""
    unmapped = _c.FPDFText_HasUnicodeMapError
    numbers: list[int] = []
    guessed: list[int] = []
    for index, character in _characters(text, count):
        if unmapped(text, index) == 1 and character != " ":
            guessed.append(len(characters))
            characters.append(_guess(character))
            numbers.append(index)
        elif character in _HYPHENS and _c.FPDFText_IsHyphen(text, index) == 1:
            # pdfium runs a hyphenated word on; here its two lines stay two lines.
            characters += ("-", LINE_BREAK)
            numbers += (index, -1)
        elif character != "\r":
            characters.append(character)
            numbers.append(-1 if character.isspace() else index)
    _doubt_guesses(characters, guessed)
    return numbers


def _lines(characters: list[str], numbers: list[int]) -> Iterator[tuple[int, int, int]]:
    """The first and the last drawn glyph of each line, and how many there are."""
    first, last, many = -1, -1, 0
    for at, number in enumerate(numbers):
        if number >= 0:
            first, last, many = (first if many else at), at, many + 1
        elif many and characters[at] == LINE_BREAK:
            yield first, last, many
            many = 0
    if many:
        yield first, last, many


def _is_horizontal(lines: list[tuple[int, int, int]], ends: list[tuple[Box, Box]]) -> bool:
    across = total = 0
    for (_, _, many), (left, right) in zip(lines, ends, strict=True):
        total += many
        (x0, y0), (x1, y1) = left.middle, right.middle
        across += many if many > 1 and abs(x1 - x0) >= abs(y1 - y0) else 0
    return 2 * across >= total


def _boxes(text: Any, place: Place) -> Callable[[int], Box]:
    bounds, rectangle = _c.FPDFText_GetLooseCharBox, _c.FS_RECTF()
    where = ctypes.byref(rectangle)

    def box_of(number: int) -> Box:
        bounds(text, number, where)
        box = place(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        return box if is_sane(box) else NOWHERE

    return box_of


def _characters(text: Any, count: int) -> Iterator[tuple[int, str]]:
    """Each character with its number; those beyond the first plane are told in two halves."""
    units = (ctypes.c_ushort * (2 * count + 64))()
    codes: Iterable[int]
    if _c.FPDFText_GetText(text, 0, count, units) == count + 1:
        codes = units[:count]
    else:  # some are left out of the text, so their numbers do not fit
        codes = (_c.FPDFText_GetUnicode(text, index) for index in range(count))
    high = 0
    for index, code in enumerate(codes):
        if 0xD800 <= code < 0xDC00:
            high = code
        elif high and 0xDC00 <= code < 0xE000:
            yield index, chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00))
            high = 0
        else:
            yield index, chr(code) if code <= 0x10FFFF else UNREADABLE


def _guess(character: str) -> str:
    """For a glyph without a mapping pdfium gives its number, which is often its Latin letter."""
    return character if "!" <= character <= "~" or "¡" <= character <= "ÿ" else UNREADABLE


def _doubt_guesses(characters: list[str], guessed: list[int]) -> None:
    """Where some numbers are no letters, the others only look like letters."""
    wrong = sum(characters[index] == UNREADABLE for index in guessed)
    if 10 * wrong > len(guessed):
        for index in guessed:
            characters[index] = UNREADABLE


def _style(text: Any, index: int, *, on_side: bool) -> Style:
    matrix = _c.FS_MATRIX()
    _c.FPDFText_GetMatrix(text, index, ctypes.byref(matrix))
    scale = max(abs(matrix.a), abs(matrix.b), abs(matrix.c), abs(matrix.d))
    name = ctypes.create_string_buffer(128)
    _c.FPDFText_GetFontInfo(text, index, name, 128, None)
    font = name.value.decode("utf-8", "replace")
    bold = "bold" in font.lower() or _c.FPDFText_GetFontWeight(text, index) >= 600
    lies = (abs(matrix.b) > abs(matrix.a)) != on_side
    size = _c.FPDFText_GetFontSize(text, index) * (scale or 1.0)
    return Style(size if 0.1 < size < 2_000 else PLAIN.size, bold, sys.intern(font), lies)
