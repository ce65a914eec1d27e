"""A plan's picture: an image that scrolls in a box of its own, and what it shows in words."""

import re
from base64 import b64encode
from collections import Counter
from html import escape

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.progress import figure_of_source, source_of, states_of_run
from sanbo.runs.model import Run
from sanbo.service.plan_pictures import picture
from sanbo.service.plans import PlanSource

# In an image nothing of a picture acts: no script, no link, no style that reaches the page.
_IMAGE = (
    '<div class="sanbo-graph" tabindex="0">'
    '<img alt="{alt}" style="min-width:{narrowest}px" src="data:image/svg+xml;base64,{data}"></div>'
)
_WIDTH = re.compile(rb'<svg[^>]* width="(\d+)')
READABLE = 0.7
"""A picture that is wider than its box is made smaller down to this; then the box scrolls."""


def draw_plan_picture(source: PlanSource) -> None:
    try:
        drawn = picture(source)
    except InvalidInput:
        st.caption(f":material/schema: {literal(tell('ui.plans.picture.none'))}")
        return
    titles = [item.title for item in figure_of_source(source).everything()]
    st.html(_image(drawn, tell("ui.plans.picture.alt", nodes="、".join(titles))))


def draw_run_picture(run: Run) -> None:
    figure, states = states_of_run(run)
    drawn = picture(source_of(run), states)
    counts = Counter(states[item.path].status for item in figure.items)
    words = [f"{tell(f'plan_drawing.status.{status}')} {count}" for status, count in counts.items()]
    st.html(_image(drawn, tell("ui.plans.picture.alt_run", states="、".join(words))))


def _image(svg: bytes, alt: str) -> str:
    found = _WIDTH.match(svg)
    narrowest = int(int(found[1]) * READABLE) if found else 0
    return _IMAGE.format(alt=escape(alt), narrowest=narrowest, data=b64encode(svg).decode())
