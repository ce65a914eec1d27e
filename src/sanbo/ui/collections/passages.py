"""Passages of documents as HTML in which nothing of a document is HTML.

Everything that comes from outside goes through `escape`, once, at the place where it is put
between our own tags. It is drawn by `st.html`, which reads no Markdown either.
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Literal, NamedTuple

from sanbo.service.collections import Span


class _Line(NamedTuple):
    start: int
    end: int
    kind: Literal["row", "text", "blank"]


def marked(text: str, spans: Sequence[Span] = (), start: int = 0, end: int | None = None) -> str:
    """A part of a text, with the spans of the whole text that fall into it marked."""
    end = len(text) if end is None else end
    pieces: list[str] = []
    at = start
    for span in spans:
        first, last = max(span.start, at), min(span.end, end)
        if first < last:
            pieces += [escape(text[at:first]), "<mark>", escape(text[first:last]), "</mark>"]
            at = last
    return "".join((*pieces, escape(text[at:end])))


def passage(text: str, spans: Sequence[Span] = ()) -> str:
    """Paragraphs with their line breaks; a table's rows, cells parted by tabs, as a table."""
    blocks: list[str] = []
    for kind, group in groupby(_lines(text), key=lambda line: line.kind):
        lines = list(group)
        if kind == "row":
            rows = "".join(f"<tr>{_cells(text, spans, line)}</tr>" for line in lines)
            blocks.append(f'<div class="sanbo-table"><table>{rows}</table></div>')
        elif kind == "text":
            part = marked(text, spans, lines[0].start, lines[-1].end)
            blocks.append(f'<div class="sanbo-text">{part}</div>')
    return "".join(blocks)


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        yield _Line(start, end, "blank" if not line.strip() else "row" if "\t" in line else "text")
        start = end + 1


def _cells(text: str, spans: Sequence[Span], line: _Line) -> str:
    cells: list[str] = []
    start = line.start
    for cell in text[line.start : line.end].split("\t"):
        cells.append(f"<td>{marked(text, spans, start, start + len(cell))}</td>")
        start += len(cell) + 1
    return "".join(cells)
