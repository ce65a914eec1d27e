"""One turn in the chat: the question, and its answer, its work or its problem."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import cast

import streamlit as st

from sanbo.agents.analysis.results import AnalysisResult
from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.catalog import ANALYSIS
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_run
from sanbo.ui.analysis import place
from sanbo.ui.analysis.answers import draw_answer
from sanbo.ui.analysis.place import ChosenTable, table_of
from sanbo.ui.analysis.table_view import table_name
from sanbo.ui.boundary import draw_problem, fragment
from sanbo.ui.conversations import Refused, begin, forget_refused, refuse
from sanbo.ui.live_text import step_line
from sanbo.ui.presentation import asked_in, duration, elapsed
from sanbo.ui.run_actions import draw_cancel, resume

REFRESH_SECONDS = 0.5
SHOWN_STEPS = 6
_ASSISTANT = ":material/query_stats:"
_PERSON = ":material/person:"


def draw_turn(
    run: Run, before: Run | None, *, is_last: bool, ask: Callable[[str], None] | None
) -> None:
    """`ask`: what a suggestion does; None while there is no table to ask."""
    _draw_question(asked_in(run.input), _new_table(run, before), run.run_id)
    # By these names the page scrolls to the newest question and leaves room for its answer.
    with (
        st.container(key="analysis-newest" if is_last else f"analysis-answer-{run.run_id}"),
        st.chat_message("assistant", avatar=_ASSISTANT),
    ):
        if not run.status.is_final:
            fragment(_draw_work, run_every=REFRESH_SECONDS)(run.run_id)
        elif run.result is not None:
            result = AnalysisResult.model_validate(run.result)
            draw_answer(run, result, ask if is_last else None)
        else:
            _draw_failure(run)


def draw_refused(refused: Refused, ask: Callable[[str], None] | None) -> None:
    _draw_question(refused.question, None, "refused")
    with st.chat_message("assistant", avatar=_ASSISTANT):
        retry = None if ask is None else (lambda: ask(refused.question))
        draw_problem(refused.problem, key=f"asking:{refused.key}", retry=retry)


def result_of(runs: Sequence[Run]) -> AnalysisResult | None:
    """Of the last turn, where it has one."""
    if not runs or runs[-1].result is None:
        return None
    return AnalysisResult.model_validate(runs[-1].result)


def _draw_question(question: str, table: ChosenTable | None, key: str) -> None:
    with (
        st.container(key=f"analysis-question-{key}"),
        st.chat_message("user", avatar=_PERSON),
    ):
        st.markdown(paragraphs(question))
        if table is not None:
            name = table_name(table.file.name, table.sheet)
            st.caption(f":material/table: {literal(name)}")


def _new_table(run: Run, before: Run | None) -> ChosenTable | None:
    """Named where it is the first, or another than before."""
    table = table_of(run)
    return None if before is not None and table == table_of(before) else table


def _draw_failure(run: Run) -> None:
    if run.status is Status.CANCELLED:
        st.caption(literal(tell("ui.analysis.answer.cancelled")))
    if run.problem is not None:
        retry = (lambda: resume(run.run_id)) if run.problem.recoverable else None
        draw_problem(run.problem, key=run.run_id, retry=retry)
    link_to_run(run.run_id, tell("ui.analysis.answer.trail"), ":material/receipt_long:")


# ---- while it works ----


def _draw_work(run_id: str) -> None:
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if run.status.is_final:
        st.rerun()
    now = datetime.now(UTC)
    took = duration(elapsed(run, now).total_seconds())
    st.markdown(
        f":blue[:material/progress_activity:] {literal(tell('ui.analysis.answer.working'))}"
        f" &ensp; :gray[:small[{literal(took)}]]"
    )
    # Always as many places: one that is no longer drawn might be left standing.
    steps = run.steps[-SHOWN_STEPS:]
    for position in range(SHOWN_STEPS):
        if position < len(steps):
            st.markdown(step_line(steps[position], now))
        else:
            st.empty()
    draw_cancel(run_id)


def ask(question: str, table: ChosenTable) -> None:
    """A widget's callback: begins a run, or keeps what stands against it."""
    connection.speak()
    question = question.strip()
    if not question:
        return
    here = place.here()
    forget_refused()
    given = cast("JsonObject", {"question": question, **table.model_dump(mode="json")})
    try:
        here.settle(begin(ANALYSIS, here.key, given, here.conversation_id))
    except SanboError as error:
        refuse(Refused(here.key, question, error.problem))
