"""Hits as cards: which document, where in it, how strongly; nothing of a document is HTML."""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Literal, NamedTuple

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.service.collections import AROUND_CHARACTERS, Hit, Place, Span
from sanbo.ui import connection
from sanbo.ui.boundary import draw_problem
from sanbo.ui.collections.wording import format_name, place_of


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


_CUT = '<div class="sanbo-text">⋯</div>'


def draw_hit(
    collection: str, hit: Hit, *, best: float, is_open: bool, toggle: Callable[[str], None]
) -> None:
    """`best`: the score of the first hit, which the others are compared with."""
    with st.container(border=True, key=f"hit-{hit.chunk_id}", gap="small"):
        place = None
        if is_open:
            try:
                place = connection.bench().workbench.collections.place(collection, hit.chunk_id)
            except SanboError as error:  # removed or replaced since: the other hits stay
                draw_problem(error.problem)
        st.html(card(hit, best, place))
        st.button(
            tell("ui.collections.place_hide" if is_open else "ui.collections.place_show"),
            icon=":material/unfold_less:" if is_open else ":material/unfold_more:",
            key=f"place:{hit.chunk_id}",
            type="tertiary",
            on_click=toggle,
            args=(hit.chunk_id,),
        )


def card(hit: Hit, best: float, place: Place | None = None) -> str:
    """`place`: shown around the passage, where it is asked for."""
    said = {" ".join(line.split("\t")) for line in hit.text.splitlines()} | {hit.position.sheet}
    path = [heading for heading in hit.position.headings if heading not in said]
    # What the passage stands under and does not say itself: a title, a table's header.
    above = [line for line in hit.context.splitlines() if line not in {*said, *path}]
    known = f'<div class="sanbo-above">{escape(" ／ ".join(above))}</div>' if above else ""
    facts = (place_of(hit.position, hit.format), " › ".join(path))
    where = " ・ ".join(escape(fact) for fact in facts if fact)
    text = passage(hit.text, hit.highlights) if place is None else surroundings(place, hit)
    return (
        '<div class="sanbo-hit"><div class="sanbo-head">'
        f'<span class="sanbo-format">{escape(format_name(hit.format))}</span>'
        f'<span class="sanbo-name">{escape(hit.document_name)}</span>{_score(hit.score, best)}'
        f'</div><div class="sanbo-place">{where}</div>{known}'
        f'<div class="sanbo-passage">{text}</div></div>'
    )


def _score(score: float, best: float) -> str:
    """A bar beside the best one's; the number is the engine's own, and no percentage."""
    share = round(100 * max(0.0, min(1.0, score / best))) if best > 0 else 0
    told = escape(tell("ui.collections.score_help"), quote=True)
    return (
        f'<span class="sanbo-score" title="{told}">{escape(tell("ui.collections.score"))} '
        f'<span class="sanbo-bar"><span style="width: {share}%"></span></span>'
        f" {score:.2f}</span>"
    )


def surroundings(place: Place, hit: Hit) -> str:
    """The page around the passage; what comes before it is scrolled to its end."""
    # Where the document has been read anew meanwhile, the spans would mark something else.
    spans = hit.highlights if place.text == hit.text else ()
    before, after = passage(place.before), passage(place.after)
    if len(place.before) >= AROUND_CHARACTERS:
        before = f"{_CUT}{before}"
    if len(place.after) >= AROUND_CHARACTERS:
        after = f"{after}{_CUT}"
    return (
        f'<div class="sanbo-before"><div>{before}</div></div>'
        f'<div class="sanbo-here">{passage(place.text, spans)}</div>'
        f'<div class="sanbo-after">{after}</div>'
    )
