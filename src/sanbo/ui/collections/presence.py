"""A collection that somebody else deletes while it is looked at: the whole page says so."""

import functools
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.service.collections import CollectionInfo
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_collection
from sanbo.ui.collections.jobs import Job
from sanbo.ui.collections.outcomes import draw_job

P = ParamSpec("P")
_SEEN = "collection_seen"
_GONE = frozenset({"collection_unknown", "collection_unknown_near"})


def draw_choice() -> None:
    """For an address without a collection.

    The browser's Back may come this way, so it must not lead on by itself: that would be a trap.
    """
    st.info(tell("ui.collections.choose"), icon=":material/library_books:")
    if seen := st.session_state.get(_SEEN):
        link_to_collection(seen, literal(seen), icon=":material/history:")


def present(name: str, job: Job | None) -> CollectionInfo | None:
    """None, and said on the page, where it was here before and is no longer.

    `job`: the files that were last read into it.
    """
    try:
        info = connection.bench().workbench.collections.info(name)
    except NotFound:
        if job is not None and not job.has_read:
            _draw_never_made(name, job)
        elif st.session_state.get(_SEEN) == name:
            st.info(literal(tell("ui.collections.gone", name=name)), icon=":material/delete:")
        else:
            raise  # a link that leads nowhere: the problem names the nearest
        return None
    st.session_state[_SEEN] = name
    return info


def _draw_never_made(name: str, job: Job) -> None:
    """None of the files could be read: what is wrong with each is still told."""
    st.title(literal(name), anchor=False)
    is_done = job.is_done
    if is_done:
        st.info(literal(tell("ui.collections.nothing_read", name=name)), icon=":material/inbox:")
    draw_job(job, is_done=is_done)


def with_page(draw: Callable[P, None]) -> Callable[P, None]:
    """For a part of the page: where the collection is gone, all of the page is drawn again."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except NotFound as error:
            if error.problem.text_id not in _GONE:
                raise
            st.rerun()

    return drawn
