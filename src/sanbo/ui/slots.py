"""Places for what comes and goes in a form.

When two parts of a page are drawn again in quick succession, Streamlit's browser side may miss
that something is no longer drawn, and leave it standing. So a form always draws the same places:
what is absent is drawn as an empty one, which replaces whatever stood there.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def slot(*, filled: bool) -> DeltaGenerator:
    """One place: to draw into, or empty."""
    return st.container() if filled else st.empty()


def clear_rest(key: str, count: int) -> None:
    """After `count` lines were drawn: empties those that were there before."""
    most = max(count, int(st.session_state.get(key, 0)))
    st.session_state[key] = most
    for _ in range(most - count):
        st.empty()
