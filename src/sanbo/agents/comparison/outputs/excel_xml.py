"""Rows of a worksheet, written as its XML: text is text, and white space stays as it is."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape

from sanbo.agents.comparison.outputs.marked import Span, plain_text, printable, shortened
from sanbo.kernel.messages import Language, tell

LONGEST = 32_767
"""Characters that a cell can hold."""
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


def as_text(text: str) -> str:
    """As a spreadsheet holds it: `_x000A_` in a text is not a line break."""
    return _ESCAPE.sub("_x005F_", printable(text)).replace("\t", "　")


def fitting(spans: Sequence[Span], language: Language) -> list[Span]:
    """A text that no cell can hold is shortened, and says so."""
    text = plain_text(spans)
    # No character becomes more than seven, so that most texts need not be written out for this.
    if 7 * len(text) <= LONGEST or len(as_text(text)) <= LONGEST:
        return list(spans)
    note = f"\n{tell('comparison_outputs.cut', language)}"
    return [*shortened(spans, LONGEST // 8), Span(note, False)]


def number_cell(address: str, style: int, value: float) -> str:
    return f'<c r="{address}" s="{style}"><v>{value}</v></c>'


def text_cell(address: str, style: int, text: str) -> str:
    if not text:
        return f'<c r="{address}" s="{style}"/>'
    return f'<c r="{address}" s="{style}" t="inlineStr"><is>{_t(text)}</is></c>'


def marked_cell(address: str, style: int, spans: Sequence[Span], plain: str, marked: str) -> str:
    """`plain` and `marked`: how the letters of either look, as run properties."""
    if not any(span.marked for span in spans):
        return text_cell(address, style, plain_text(spans))
    runs = "".join(f"<r>{marked if span.marked else plain}{_t(span.text)}</r>" for span in spans)
    return f'<c r="{address}" s="{style}" t="inlineStr"><is>{runs}</is></c>'


@cache
def letters(font: str, size: int, colour: str = "") -> str:
    """Run properties; with a colour they are underlined too."""
    marks = f'<u/><sz val="{size}"/><color rgb="{colour}"/>' if colour else f'<sz val="{size}"/>'
    return f'<rPr>{marks}<rFont val="{escape(font)}"/></rPr>'


def row(number: int, height: float, cells: Sequence[str]) -> str:
    return f'<row r="{number}" ht="{height:g}" customHeight="1">{"".join(cells)}</row>'


def _t(text: str) -> str:
    return f'<t xml:space="preserve">{escape(as_text(text), quote=False)}</t>'
