"""Hits as cards: which document, where in it, how strongly, and the words that were met."""

from collections.abc import Callable
from html import escape

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.service.collections import AROUND_CHARACTERS, Hit, Place
from sanbo.ui import connection
from sanbo.ui.collections.passages import passage
from sanbo.ui.collections.wording import format_name, place_of
from sanbo.ui.problem_view import draw_problem

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
