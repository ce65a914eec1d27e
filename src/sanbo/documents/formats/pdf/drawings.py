"""What a page shows beside its text: ruled lines, pictures, and what was filled into its fields."""

import ctypes
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2 as pdfium

from sanbo.documents.formats.pdf.page import (
    LINE_BREAK,
    PLAIN,
    Box,
    Field,
    Glyphs,
    Page,
    Run,
    around,
    is_sane,
    runs,
)

MAX_OBJECTS = 50_000
"""Drawn objects of one page that are looked at; maps and plans have millions."""
MAX_RULINGS = 4_000
MAX_DEPTH = 5

_RULE_WIDTH = 3.0
_RULE_LENGTH = 4.0

_c: Any = pdfium.raw  # the C interface has no types

Matrix = tuple[float, float, float, float, float, float]
Place = Callable[[float, float, float, float], Box]


def placing(left: float, bottom: float, right: float, top: float, turned: int) -> Place:
    """From the file's coordinates to the page as it is shown."""
    if turned == 90:
        return lambda x0, y0, x1, y1: Box(y0 - bottom, x0 - left, y1 - bottom, x1 - left)
    if turned == 180:
        return lambda x0, y0, x1, y1: Box(right - x1, y0 - bottom, right - x0, y1 - bottom)
    if turned == 270:
        return lambda x0, y0, x1, y1: Box(top - y1, right - x1, top - y0, right - x0)
    return lambda x0, y0, x1, y1: Box(x0 - left, top - y1, x1 - left, top - y0)


def look_at_objects(page: Any, found: Page, place: Place) -> None:
    """Adds to the page what is drawn on it. The caller holds pdfium's lock."""
    left_to_see = MAX_OBJECTS
    mode_of, invisible = _c.FPDFTextObj_GetTextRenderMode, _c.FPDF_TEXTRENDERMODE_INVISIBLE

    def walk(count: int, item: Callable[[int], Any], outer: Matrix, depth: int) -> None:
        nonlocal left_to_see
        for index in range(count):
            left_to_see -= 1
            if left_to_see < 0:
                return
            drawn = item(index)
            kind = _c.FPDFPageObj_GetType(drawn)
            if kind == _c.FPDF_PAGEOBJ_TEXT:
                found.text_objects += 1
                found.invisible += mode_of(drawn) == invisible
            elif kind == _c.FPDF_PAGEOBJ_PATH:
                found.paths += 1
                if len(found.rulings) < MAX_RULINGS:
                    found.rulings.extend(_rulings(drawn, outer, place))
            elif kind == _c.FPDF_PAGEOBJ_IMAGE:
                found.image_share += _share(drawn, outer, place, found)
            elif kind == _c.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
                inner = _times(_matrix(drawn), outer)
                parts = _c.FPDFFormObj_CountObjects(drawn)
                walk(parts, lambda n, f=drawn: _c.FPDFFormObj_GetObject(f, n), inner, depth + 1)

    unit = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    walk(_c.FPDFPage_CountObjects(page), lambda n: _c.FPDFPage_GetObject(page, n), unit, 0)


def _matrix(drawn: Any) -> Matrix:
    matrix = _c.FS_MATRIX()
    _c.FPDFPageObj_GetMatrix(drawn, ctypes.byref(matrix))
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    m, n, o, p, x, y = outer
    return (
        a * m + b * o,
        a * n + b * p,
        c * m + d * o,
        c * n + d * p,
        e * m + f * o + x,
        e * n + f * p + y,
    )


def _at(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _share(image: Any, outer: Matrix, place: Place, page: Page) -> float:
    matrix = _times(_matrix(image), outer)  # an image fills the unit square
    corners = [_at(matrix, x, y) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1))]
    box = place(
        min(x for x, _ in corners),
        min(y for _, y in corners),
        max(x for x, _ in corners),
        max(y for _, y in corners),
    )
    wide = min(box.right, page.width) - max(box.left, 0.0)
    high = min(box.bottom, page.height) - max(box.top, 0.0)
    area = page.width * page.height
    return max(wide, 0.0) * max(high, 0.0) / area if area > 0 else 0.0


def _rulings(path: Any, outer: Matrix, place: Place) -> Iterator[Box]:
    """The straight lines that a path draws: strokes, and bars so thin that they are lines."""
    count = _c.FPDFPath_CountSegments(path)
    if not 2 <= count <= 400:  # longer ones are drawings
        return
    filled, stroked = ctypes.c_int(), ctypes.c_int()
    _c.FPDFPath_GetDrawMode(path, ctypes.byref(filled), ctypes.byref(stroked))
    matrix = _times(_matrix(path), outer)
    for outline in _outlines(path, count, matrix):
        box = place(
            min(x for x, _ in outline),
            min(y for _, y in outline),
            max(x for x, _ in outline),
            max(y for _, y in outline),
        )
        thin = _thin(box)
        if thin is not None:
            yield thin
        elif stroked.value:
            for (x0, y0), (x1, y1) in pairwise(outline):
                side = _thin(place(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
                if side is not None:
                    yield side


def _outlines(path: Any, count: int, matrix: Matrix) -> list[list[tuple[float, float]]]:
    """Its parts that consist of straight lines, as corner points."""
    found: list[list[tuple[float, float]]] = []
    curved: set[int] = set()
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = _c.FPDFPath_GetPathSegment(path, index)
        kind = _c.FPDFPathSegment_GetType(segment)
        _c.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        if kind == _c.FPDF_SEGMENT_MOVETO or not found:
            found.append([])
        elif kind != _c.FPDF_SEGMENT_LINETO:
            curved.add(len(found) - 1)
        found[-1].append(_at(matrix, x.value, y.value))
        if _c.FPDFPathSegment_GetClose(segment) == 1:
            found[-1].append(found[-1][0])
    return [points for n, points in enumerate(found) if n not in curved and len(points) > 1]


def _thin(box: Box) -> Box | None:
    """The middle line of a box that is long in one direction and hardly there in the other."""
    if not is_sane(box):
        return None
    wide, high = box.right - box.left, box.bottom - box.top
    x, y = box.middle
    if high <= _RULE_WIDTH and wide >= _RULE_LENGTH and wide > 2 * high:
        return Box(box.left, y, box.right, y)
    if wide <= _RULE_WIDTH and high >= _RULE_LENGTH and high > 2 * wide:
        return Box(x, box.top, x, box.bottom)
    return None


MAX_ANNOTATIONS = 2_000
MAX_BYTES = 100_000

CHECKED, UNCHECKED = "☑", "☐"


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


MAX_COMPARISONS = 1_000_000
"""Of fields with printed lines; a crowded form of one page has ten thousand."""

_LINE = 15.0
"""Points; lines of a field stand no further apart, however high it is."""


class _Entry(NamedTuple):
    """One line of a field, within the printed line beside it or on a line of its own."""

    text: str
    box: Box
    within: bool


def filled_in(glyphs: Glyphs, fields: list[Field]) -> Glyphs:
    if not fields:
        return glyphs
    entries = _entries(glyphs, fields)
    usual = Counter(glyphs.styles.values()).most_common(1)
    own_style = usual[0][0] if usual else PLAIN
    filled = Glyphs(glyphs.reader)
    for index in range(len(glyphs.characters) + 1):
        for entry in entries.get(index, ()):
            filled.add(" " if entry.within else LINE_BREAK)
            if not entry.within:
                filled.styles[len(filled.characters)] = own_style
            elif index in glyphs.styles:  # it begins the line now
                filled.styles[len(filled.characters)] = glyphs.styles[index]
            _write(filled, entry)
            filled.add(" " if entry.within else LINE_BREAK)
        if index < len(glyphs.characters):
            if index in glyphs.styles:
                filled.styles[len(filled.characters)] = glyphs.styles[index]
            filled.add(glyphs.characters[index], glyphs.boxes[index])
    return filled


def _entries(glyphs: Glyphs, fields: list[Field]) -> dict[int, list[_Entry]]:
    """By the number of the glyph that they come before."""
    printed = [
        (run, around([box for at in run.drawn if (box := glyphs.boxes[at]) is not None]))
        for run in runs(glyphs)
    ]
    found: dict[int, list[_Entry]] = defaultdict(list)
    lines = [line for field in fields for line in _lines(field)]
    if len(lines) * len(printed) > MAX_COMPARISONS:
        printed = []  # all of them after the page's own text
    for text, box in sorted(lines, key=lambda line: (round(line[1].middle[1]), line[1].left)):
        beside = [(_distance(box, row), run) for run, row in printed if _side_by_side(box, row)]
        if beside:
            _, run = min(beside, key=lambda item: item[0])
            found[_within(glyphs, run, box)].append(_Entry(text, box, True))
            continue
        below = (run.first for run, row in printed if row.top > box.middle[1])
        at = next(below, len(glyphs.characters))
        found[at].append(_Entry(text, box, False))
    return found


def _lines(field: Field) -> list[tuple[str, Box]]:
    lines = field.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    left, top, right, bottom = field.box
    high = bottom - top if len(lines) == 1 else min((bottom - top) / len(lines), _LINE)
    return [
        (line, Box(left, top + number * high, right, top + (number + 1) * high))
        for number, line in enumerate(lines)
        if line.strip()
    ]


def _side_by_side(box: Box, row: Box) -> bool:
    return row.top <= box.middle[1] <= row.bottom or box.top <= row.middle[1] <= box.bottom


def _distance(box: Box, row: Box) -> tuple[float, float]:
    aside = max(row.left - box.right, box.left - row.right, 0.0)
    return aside, abs(row.middle[1] - box.middle[1])


def _within(glyphs: Glyphs, run: Run, box: Box) -> int:
    at = run.drawn[0]
    for index in run.drawn:
        place = glyphs.boxes[index]
        if place is not None and place.middle[0] < box.left:
            at = index + 1
    return at


def _write(filled: Glyphs, entry: _Entry) -> None:
    """Its characters no wider than they are high, from the left of the field."""
    left, top, right, bottom = entry.box
    wide = min((right - left) / len(entry.text), bottom - top)
    for number, character in enumerate(entry.text):
        start = left + number * wide
        place = None if character.isspace() else Box(start, top, start + wide, bottom)
        filled.add(character, place)
