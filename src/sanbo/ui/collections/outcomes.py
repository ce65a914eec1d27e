"""What became of the files that were given: a table of what was read, what not, and why."""

from html import escape

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import Problem
from sanbo.service.collections import Outcome
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.collections.jobs import Job
from sanbo.ui.collections.wording import counted
from sanbo.ui.problem_view import draw_problem

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
