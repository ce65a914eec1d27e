"""Questions and answers of one conversation: each is a run, and nobody sees another's."""

import time
from typing import NamedTuple, cast

import streamlit as st

from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import Conflict, NotFound, Problem, SanboError
from sanbo.runs.model import JsonObject, Run, RunSummary
from sanbo.service.analysis import ANALYSIS
from sanbo.ui import connection
from sanbo.ui.analysis import place
from sanbo.ui.analysis.place import ChosenTable

SHOWN_TURNS = 10
SAME_CLICK_SECONDS = 3.0
LONGEST_QUESTION = 4000
_ASKED, _REFUSED = "analysis_asked", "analysis_refused"


class Turns(NamedTuple):
    runs: list[Run]
    """Oldest first."""
    more: bool
    """Whether there are earlier ones."""


class Refused(NamedTuple):
    """A question that could not even begin: it is shown with its problem, and not lost."""

    key: str
    question: str
    problem: Problem


def turns_of(conversation_id: str, most: int = SHOWN_TURNS) -> Turns:
    if not conversation_id:
        return Turns([], more=False)
    found = _summaries(conversation_id, most + 1)
    if not found:
        raise NotFound("conversation_not_found", conversation_id=conversation_id)
    bench = connection.bench()
    caller = connection.caller()
    runs = [bench.call(bench.workbench.get(caller, one.run_id)) for one in found[:most]]
    return Turns(runs[::-1], more=len(found) > most)


def question_of(run: Run) -> str:
    return str(run.input.get("question", ""))


def refused_here(key: str) -> Refused | None:
    refused = st.session_state.get(_REFUSED)
    return refused if isinstance(refused, Refused) and refused.key == key else None


def forget_refused() -> None:
    st.session_state.pop(_REFUSED, None)


def ask(question: str, table: ChosenTable) -> None:
    """A widget's callback: begins a run, or keeps what stands against it."""
    connection.speak()
    question = question.strip()
    if not question:
        return
    here = place.here()
    forget_refused()
    try:
        conversation_id = _just_asked(here.key, question) or _start(here.key, question, table)
    except SanboError as error:
        st.session_state[_REFUSED] = Refused(here.key, question, error.problem)
        return
    here.settle(conversation_id)


def _start(key: str, question: str, table: ChosenTable) -> str:
    bench = connection.bench()
    conversation_id = place.here().conversation_id or None
    if conversation_id is not None:
        _check_idle(conversation_id)
    given = cast("JsonObject", {"question": question, **table.model_dump(mode="json")})
    work = bench.workbench.start(
        connection.caller(),
        ANALYSIS,
        given,
        conversation_id=conversation_id,
        language=current_language(),
    )
    begun = bench.call(work).conversation_id
    st.session_state[_ASKED] = (key, begun, question, time.monotonic())
    return begun


def _just_asked(key: str, question: str) -> str | None:
    """A double click must not ask twice."""
    last = st.session_state.get(_ASKED)
    if last is None or last[2] != question or key not in last[:2]:
        return None
    return last[1] if time.monotonic() - last[3] < SAME_CLICK_SECONDS else None


def _check_idle(conversation_id: str) -> None:
    """Also against another tab: two answers at once would each miss the other."""
    if any(not run.status.is_final for run in _summaries(conversation_id, 1)):
        raise Conflict("analysis_still_answering")


def _summaries(conversation_id: str | None, limit: int) -> list[RunSummary]:
    caller = connection.caller()
    bench = connection.bench()
    work = bench.workbench.list(
        caller, workflow=ANALYSIS, conversation_id=conversation_id, limit=limit
    )
    return [run for run in bench.call(work) if run.owner == caller.owner]


class Recent(NamedTuple):
    conversation_id: str
    question: str
    """The first one."""
    questions: int
    last: RunSummary


def recent_conversations(most: int = 5) -> list[Recent]:
    """The newest first; looked for among the last runs only."""
    by_conversation: dict[str, list[RunSummary]] = {}
    for run in _summaries(None, 100):
        by_conversation.setdefault(run.conversation_id, []).append(run)
    bench = connection.bench()
    recent: list[Recent] = []
    for conversation_id, runs in list(by_conversation.items())[:most]:
        first = bench.call(bench.workbench.get(connection.caller(), runs[-1].run_id))
        recent.append(Recent(conversation_id, question_of(first), len(runs), runs[0]))
    return recent
