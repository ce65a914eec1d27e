"""What people filled into a form: it lies above the page and is no part of the page's own text."""

import ctypes
from typing import Any

import pypdfium2 as pdfium

from sanbo.documents.formats.pdf.drawings import Place
from sanbo.documents.formats.pdf.page import LINE_BREAK, Box, Page

MAX_FIELDS = 2_000
MAX_BYTES = 100_000

_c: Any = pdfium.raw  # the C interface has no types


def add_filled_in(page: Any, form: Any, found: Page, place: Place) -> None:
    """Adds each field's text where the field stands. The caller holds pdfium's lock."""
    written = {_c.FPDF_FORMFIELD_TEXTFIELD, _c.FPDF_FORMFIELD_COMBOBOX, _c.FPDF_FORMFIELD_LISTBOX}
    for index in range(min(_c.FPDFPage_GetAnnotCount(page), MAX_FIELDS)):
        field = _c.FPDFPage_GetAnnot(page, index)
        if not field:
            continue
        if _c.FPDFAnnot_GetFormFieldType(form, field) in written:
            rectangle = _c.FS_RECTF()
            _c.FPDFAnnot_GetRect(field, ctypes.byref(rectangle))
            box = place(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            _add(found, _value(form, field), box)
        _c.FPDFPage_CloseAnnot(field)


def _value(form: Any, field: Any) -> str:
    size = _c.FPDFAnnot_GetFormFieldValue(form, field, None, 0)
    if not 2 < size <= MAX_BYTES:
        return ""
    value = (ctypes.c_ushort * (size // 2 + 1))()
    _c.FPDFAnnot_GetFormFieldValue(form, field, value, size)
    return bytes(value)[: size - 2].decode("utf-16-le", "replace")


def _add(found: Page, text: str, box: Box) -> None:
    """One line for each line of the field, its characters spread over the field's width."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    high = (box.bottom - box.top) / len(lines)
    for number, line in enumerate(lines):
        found.glyphs.add(LINE_BREAK)
        wide = (box.right - box.left) / max(len(line), 1)
        top = box.top + number * high
        for at, character in enumerate(line):
            left = box.left + at * wide
            where = Box(left, top, left + wide, top + high)
            found.glyphs.add(character, None if character.isspace() else where)
