"""A filled-in form as a person reads it: each value at its place among the printed labels."""

from collections import Counter, defaultdict
from typing import NamedTuple

from sanbo.documents.formats.pdf.lines import Run, around, runs
from sanbo.documents.formats.pdf.page import LINE_BREAK, PLAIN, Box, Field, Glyphs

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
