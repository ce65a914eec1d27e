"""The start of a comparison: once, also when the button is clicked twice."""

import time
from collections.abc import Mapping

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.messages import current_language
from sanbo.service.catalog import COMPARISON
from sanbo.ui import connection
from sanbo.ui.comparison.given import input_of

SAME_CLICK_SECONDS = 3.0
_STARTED = "comparison_started"


def start(values: Mapping[str, JsonValue]) -> str:
    """Gives the run's id."""
    given = input_of(values)
    last = st.session_state.get(_STARTED)
    if last is not None and last[0] == given and time.monotonic() - last[2] < SAME_CLICK_SECONDS:
        return last[1]
    bench = connection.bench()
    work = bench.workbench.start(
        connection.caller(), COMPARISON, given, language=current_language()
    )
    run_id = bench.call(work).run_id
    st.session_state[_STARTED] = (given, run_id, time.monotonic())
    return run_id
