"""What a person can do with any run from a page: stop it, take it up again."""

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.ui import connection


def draw_cancel(run_id: str) -> None:
    st.button(
        tell("ui.run.cancel"),
        icon=":material/stop_circle:",
        key=f"cancel:{run_id}",
        on_click=_cancel,
        args=(run_id,),
    )


def resume(run_id: str) -> None:
    """A widget's callback."""
    connection.speak()
    bench = connection.bench()
    bench.call(bench.workbench.resume(connection.caller(), run_id))


def _cancel(run_id: str) -> None:
    connection.speak()
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if not run.status.is_final:  # it may have ended while the click was on its way
        bench.call(bench.workbench.cancel(connection.caller(), run_id))
