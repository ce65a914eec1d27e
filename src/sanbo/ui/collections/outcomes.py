"""What became of the files that were given; and a collection that somebody else deletes."""

import functools
from collections.abc import Callable
from html import escape
from typing import ParamSpec

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import NotFound, Problem
from sanbo.service.collections import CollectionInfo, Outcome
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_collection
from sanbo.ui.boundary import draw_problem, fragment
from sanbo.ui.collections.jobs import Job
from sanbo.ui.collections.wording import counted

REFRESH_SECONDS = 0.7
_SIGNS = {
    "added": "✓",
    "replaced": "✓",
    "unchanged": "✓",
    "failed": "✕",
    "skipped": "–",
    "removed": "–",
}


def draw_job(job: Job, *, is_done: bool) -> None:
    """While it works its progress, then its table until it is dismissed.

    `is_done`: as it was before the rest of the page was looked up. Where it has ended since, the
    progress has the whole page drawn again.
    """
    with st.container(border=True, key="indexing"):
        if is_done:
            _draw_result(job)
        else:
            fragment(_draw_progress, run_every=REFRESH_SECONDS)(job)


def _draw_progress(job: Job) -> None:
    if job.is_done:
        st.rerun()
    st.markdown(f"**{literal(tell('ui.collections.reading'))}**")
    line = tell("ui.collections.progress", name=job.current, count=f"{job.counts.total():,}")
    st.progress(job.share, text=literal(line))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            tell("ui.collections.stop"),
            icon=":material/stop_circle:",
            on_click=job.stop,
            disabled=job.is_stopping,
        )
        st.caption(
            tell("ui.collections.stopping" if job.is_stopping else "ui.collections.may_leave")
        )


def _draw_result(job: Job) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        title = "ui.collections.stopped" if job.was_stopped else "ui.collections.result"
        st.markdown(f"**{literal(tell(title))}** &ensp; {literal(_summary(job))}", width="stretch")
        st.button(
            tell("ui.collections.dismiss"),
            icon=":material/close:",
            type="tertiary",
            on_click=_dismiss,
            args=(job.collection,),
        )
    if job.problem is not None:
        draw_problem(job.problem)
    outcomes = job.outcomes
    if outcomes:
        st.html(outcome_table(outcomes))
    if (more := job.counts.total() - len(outcomes)) > 0:
        st.caption(tell("ui.collections.outcomes_more", count=f"{more:,}"))


def _summary(job: Job) -> str:
    counted = (
        tell(f"ui.collections.count.{status}", count=f"{count:,}")
        for status in _SIGNS
        if (count := job.counts[status])
    )
    return tell("ui.collections.and").join(counted) or tell("ui.collections.count_none")


def _dismiss(collection: str) -> None:
    connection.connection().jobs.dismiss(connection.caller().owner, collection)


def outcome_table(outcomes: list[Outcome]) -> str:
    """HTML; what comes from files and problems is escaped."""
    heads = "".join(
        f"<th>{escape(tell(f'ui.collections.column.{name}'))}</th>"
        for name in ("status", "file", "detail")
    )
    rows = "".join(_row(outcome) for outcome in outcomes)
    return (
        f'<div class="sanbo-outcomes"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(outcome: Outcome) -> str:
    word = escape(tell(f"ui.collections.status.{outcome.status}"))
    details: list[str] = []
    if outcome.problem is None and outcome.status in ("added", "replaced"):
        details.append(f"<p>{escape(_extent(outcome))}</p>")
    if outcome.problem is not None:
        details.append(problem_text(outcome.problem))
    details += [problem_text(warning) for warning in outcome.warnings]
    return (
        f'<tr class="sanbo-{outcome.status}">'
        f"<td><span>{_SIGNS[outcome.status]} {word}</span></td>"
        f"<td>{escape(outcome.name)}</td><td>{''.join(details)}</td></tr>"
    )


def _extent(outcome: Outcome) -> str:
    chunks = counted("chunks", outcome.chunks)
    if outcome.pages is None:
        return chunks
    pages = counted("pages", outcome.pages)
    return tell("ui.collections.and").join((pages, chunks))


def problem_text(problem: Problem) -> str:
    """Message and hint, in the reader's language."""
    told = problem.in_language(current_language())
    hint = f'<p class="sanbo-hint">{escape(told.hint)}</p>' if told.hint else ""
    return f"<p>{escape(told.message)}</p>{hint}"


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
