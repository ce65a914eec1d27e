"""What this workbench is: version, workspace, database, engine. Nothing secret."""

import streamlit as st

from sanbo import __version__
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.ui import connection
from sanbo.ui.boundary import draw_problem, guarded
from sanbo.ui.presentation import engine_of


@guarded
def status_page() -> None:
    st.title(tell("ui.about.title"), anchor=False)
    workbench = connection.bench().workbench
    settings = workbench.settings
    caller = connection.caller()
    facts = {
        "version": __version__,
        "workspace": str(settings.workspace.resolve()),
        "database": workbench.access.database.description,
        "workflows": str(len(workbench.workflows())),
        "uploads": f"{settings.server.max_upload_mb} MB",
        "person": tell("ui.about.local")
        if not connection.connection().requires_token
        else caller.owner,
    }
    with st.container(border=True):
        for name, value in facts.items():
            _draw_fact(tell(f"ui.about.{name}"), value)
        try:
            engine = workbench.engine()
            _draw_fact(
                tell("ui.about.engine"),
                engine_of(engine),
            )
        except SanboError as error:
            draw_problem(error.problem)
    st.caption(tell("ui.about.settings"))
    st.link_button(tell("ui.about.api"), "/api/docs", icon=":material/api:")


def _draw_fact(name: str, value: str) -> None:
    with st.container(gap=None):
        st.caption(literal(name))
        st.markdown(literal(value))
