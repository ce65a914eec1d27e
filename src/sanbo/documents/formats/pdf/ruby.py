"""Ruby: small kana above a line that tell how its kanji are read."""

import re

from sanbo.documents.formats.pdf.lines import Line

SMALLER = 0.6
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・\s]+")
_AROUND = 2


def ruby_last(lines: list[Line]) -> list[Line]:
    """Ruby after everything else of the page: between two lines it would cut a sentence."""
    ruby = {
        number
        for number, line in enumerate(lines)
        if _KANA.fullmatch(line.text)
        and any(
            _stands_above(line, other)
            for other in lines[max(number - _AROUND, 0) : number + _AROUND + 1]
        )
    }
    if not ruby:
        return lines
    last = max(line.order for line in lines)
    for line in (lines[number] for number in sorted(ruby)):
        last += 1
        line.order = last
    return [line for number, line in enumerate(lines) if number not in ruby] + [
        lines[number] for number in sorted(ruby)
    ]


def _stands_above(line: Line, other: Line) -> bool:
    size = other.style.size
    return (
        line.style.size < SMALLER * size
        and line.near < other.near
        and abs(other.near - line.far) < 0.6 * size
        and line.start > other.start - size
        and line.end < other.end + size
    )
