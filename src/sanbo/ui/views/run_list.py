"""The list of runs: newest first, by status and workflow, page by page."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import RunSummary, Status
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_run, open_new_run
from sanbo.ui.boundary import fragment, guarded
from sanbo.ui.presentation import browser_zone, duration, look_of, moment
from sanbo.ui.run_actions import ask_to_delete

PAGE_SIZE = 20
REFRESH_SECONDS = 3.0
_CURSORS = "list_cursors"
LONGEST_TITLE = 100


@guarded
def run_list_page() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(tell("ui.list.title"), width="stretch", anchor=False)
        if st.button(tell("ui.list.new"), icon=":material/add:", type="primary"):
            open_new_run()
    status, workflow = _filters()
    fragment(_draw_list, run_every=REFRESH_SECONDS)(status, workflow)


def _filters() -> tuple[Status | None, str | None]:
    titles = {info.name: info.title for info in connection.bench().workbench.workflows()}
    with st.container(horizontal=True, gap="small"):
        status = st.selectbox(
            tell("ui.list.status"),
            list(Status),
            index=None,
            format_func=lambda status: look_of(status).word,
            placeholder=tell("ui.list.all"),
            key="list_status",
            on_change=_to_first_page,
            width=170,
        )
        workflow = st.selectbox(
            tell("ui.list.workflow"),
            list(titles),
            index=None,
            format_func=lambda name: titles[name],
            placeholder=tell("ui.list.all"),
            key="list_workflow",
            on_change=_to_first_page,
            width=170,
        )
    return status, workflow


def _draw_list(status: Status | None, workflow: str | None) -> None:
    bench = connection.bench()
    cursors: list[str] = st.session_state.setdefault(_CURSORS, [])
    work = bench.workbench.list(
        connection.caller(),
        status=status,
        workflow=workflow,
        before=cursors[-1] if cursors else None,
        limit=PAGE_SIZE + 1,
    )
    found = bench.call(work)
    runs = found[:PAGE_SIZE]
    if not runs:
        filtered = status is not None or workflow is not None or bool(cursors)
        st.info(tell("ui.list.none_match" if filtered else "ui.list.none"), icon=":material/inbox:")
    titles = {info.name: info.title for info in bench.workbench.workflows()}
    for run in runs:
        _draw_line(run, titles.get(run.workflow, run.workflow))
    _draw_paging(cursors, more=len(found) > PAGE_SIZE, last=runs[-1].run_id if runs else "")


def _draw_line(run: RunSummary, title: str) -> None:
    now = datetime.now(UTC)
    look = look_of(run.status)
    until = run.updated_at if run.status.is_final else now
    started = moment(run.created_at, browser_zone(), now)
    took = duration((until - run.created_at).total_seconds())
    with st.container(
        border=True,
        horizontal=True,
        vertical_alignment="center",
        gap="small",
        key=f"line-{run.run_id}",
    ):
        with st.container(gap=None, width="stretch"):
            link_to_run(run.run_id, f"**{literal(title)}**")
            line = "ui.list.took" if run.status.is_final else "ui.list.since"
            told = literal(tell(line, started=started, elapsed=took))
            st.caption(f"{literal(_cut(run.title))}  \n{told}" if run.title else told)
        st.badge(look.word, icon=look.icon, color=look.colour)
        if st.button(
            tell("ui.delete.short"),
            icon=":material/delete:",
            key=f"delete:{run.run_id}",
            type="tertiary",
        ):
            ask_to_delete(run.run_id, title)
            st.rerun()  # the frame asks, not this part of the page


def _cut(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE]}…"


def _draw_paging(cursors: list[str], *, more: bool, last: str) -> None:
    if not cursors and not more:
        return
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.button(
            tell("ui.list.newer"),
            icon=":material/chevron_left:",
            disabled=not cursors,
            on_click=_newer,
        )
        st.caption(tell("ui.list.page", page=len(cursors) + 1))
        st.button(
            tell("ui.list.older"),
            icon=":material/chevron_right:",
            icon_position="right",
            disabled=not more,
            on_click=_older,
            args=(last,),
        )


def _older(last: str) -> None:
    st.session_state[_CURSORS].append(last)


def _newer() -> None:
    st.session_state[_CURSORS].pop()


def _to_first_page() -> None:
    st.session_state[_CURSORS] = []
