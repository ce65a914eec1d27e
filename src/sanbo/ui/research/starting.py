"""The start of a research: once, also when the button is clicked twice."""

import time

import streamlit as st

from sanbo.kernel.messages import current_language
from sanbo.runs.model import JsonObject
from sanbo.service.catalog import RESEARCH
from sanbo.ui import connection

SAME_CLICK_SECONDS = 3.0
_STARTED = "research_started"


def start(question: str, collection: str, session: str = "") -> str:
    """Gives the run's id. With `session`, it goes on in that one."""
    asked = (question, collection, session)
    last = st.session_state.get(_STARTED)
    if last is not None and last[0] == asked and time.monotonic() - last[2] < SAME_CLICK_SECONDS:
        return last[1]
    given: JsonObject = {"question": question, "collection": collection}
    bench = connection.bench()
    work = bench.workbench.start(
        connection.caller(),
        RESEARCH,
        given,
        conversation_id=session or None,
        language=current_language(),
    )
    run_id = bench.call(work).run_id
    st.session_state[_STARTED] = (asked, run_id, time.monotonic())
    return run_id
