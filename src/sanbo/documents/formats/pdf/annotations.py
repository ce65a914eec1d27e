"""What lies above a page and is no part of its own text: form fields and the notes of readers."""

import ctypes
from typing import Any

import pypdfium2 as pdfium

from sanbo.documents.formats.pdf.drawings import Place
from sanbo.documents.formats.pdf.page import Field, Page

MAX_ANNOTATIONS = 2_000
MAX_BYTES = 100_000

CHECKED, UNCHECKED = "☑", "☐"

_c: Any = pdfium.raw  # the C interface has no types


def look_at_annotations(page: Any, form: Any | None, found: Page, place: Place) -> None:
    """Adds to the page its fields and notes. The caller holds pdfium's lock."""
    hidden = _c.FPDF_ANNOT_FLAG_HIDDEN | _c.FPDF_ANNOT_FLAG_NOVIEW
    for index in range(min(_c.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation = _c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        kind = _c.FPDFAnnot_GetSubtype(annotation)
        if _c.FPDFAnnot_GetFlags(annotation) & hidden:
            pass
        elif kind == _c.FPDF_ANNOT_WIDGET:
            value = _value(form, annotation) if form else ""
            if value:
                rectangle = _c.FS_RECTF()
                _c.FPDFAnnot_GetRect(annotation, ctypes.byref(rectangle))
                box = place(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
                found.fields.append(Field(value, box))
        elif kind not in (_c.FPDF_ANNOT_LINK, _c.FPDF_ANNOT_POPUP):
            note = _text(_c.FPDFAnnot_GetStringValue, annotation, b"Contents")
            if note.strip():
                found.notes.append(note)
        _c.FPDFPage_CloseAnnot(annotation)


def _value(form: Any, field: Any) -> str:
    """As it is shown: what was written or chosen, or a box with or without its tick."""
    kind = _c.FPDFAnnot_GetFormFieldType(form, field)
    if kind in (_c.FPDF_FORMFIELD_CHECKBOX, _c.FPDF_FORMFIELD_RADIOBUTTON):
        return CHECKED if _c.FPDFAnnot_IsChecked(form, field) else UNCHECKED
    if kind in (_c.FPDF_FORMFIELD_TEXTFIELD, _c.FPDF_FORMFIELD_COMBOBOX, _c.FPDF_FORMFIELD_LISTBOX):
        return _text(_c.FPDFAnnot_GetFormFieldValue, form, field)
    return ""


def _text(tell: Any, *arguments: Any) -> str:
    size = tell(*arguments, None, 0)
    if not 2 < size <= MAX_BYTES:
        return ""
    units = (ctypes.c_ushort * (size // 2 + 1))()
    tell(*arguments, units, size)
    return bytes(units)[: size - 2].decode("utf-16-le", "replace")
