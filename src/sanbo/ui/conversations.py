"""Questions and answers that belong together, and runs of the one who looks."""

import time
from typing import NamedTuple

import streamlit as st

from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import Conflict, NotFound, Problem
from sanbo.runs.model import JsonObject, Run, RunSummary
from sanbo.ui import connection
from sanbo.ui.presentation import asked_in


def own_runs(workflow: str, limit: int, conversation_id: str | None = None) -> list[RunSummary]:
    """Looked for among the last `limit` that can be seen."""
    caller = connection.caller()
    bench = connection.bench()
    work = bench.workbench.list(
        caller, workflow=workflow, conversation_id=conversation_id, limit=limit
    )
    return [run for run in bench.call(work) if run.owner == caller.owner]


SHOWN_TURNS = 10
LONGEST_QUESTION = 4000
SAME_CLICK_SECONDS = 3.0
LOOKED_THROUGH = 100
_ASKED, _REFUSED, _SHOWN = "conversation_asked", "conversation_refused", "conversation_shown"


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


class Recent(NamedTuple):
    conversation_id: str
    question: str
    """The first one."""
    questions: int
    last: RunSummary


# ---- what was said ----


def turns_of(workflow: str, conversation_id: str, most: int = SHOWN_TURNS) -> Turns:
    if not conversation_id:
        return Turns([], more=False)
    found = own_runs(workflow, most + 1, conversation_id)
    if not found:
        raise NotFound("conversation_not_found", conversation_id=conversation_id)
    bench = connection.bench()
    caller = connection.caller()
    runs = [bench.call(bench.workbench.get(caller, one.run_id)) for one in found[:most]]
    return Turns(runs[::-1], more=len(found) > most)


def shown_turns(conversation_id: str) -> int:
    shown: dict[str, int] = st.session_state.get(_SHOWN, {})
    return shown.get(conversation_id, SHOWN_TURNS)


def show_more(conversation_id: str) -> None:
    """A widget's callback."""
    shown: dict[str, int] = st.session_state.setdefault(_SHOWN, {})
    shown[conversation_id] = shown_turns(conversation_id) + SHOWN_TURNS


def recent_conversations(workflow: str, most: int = 5) -> list[Recent]:
    """The newest first; looked for among the last runs only."""
    by_conversation: dict[str, list[RunSummary]] = {}
    for run in own_runs(workflow, LOOKED_THROUGH):
        by_conversation.setdefault(run.conversation_id, []).append(run)
    bench = connection.bench()
    recent: list[Recent] = []
    for conversation_id, runs in list(by_conversation.items())[:most]:
        first = bench.call(bench.workbench.get(connection.caller(), runs[-1].run_id))
        recent.append(Recent(conversation_id, asked_in(first.input), len(runs), runs[0]))
    return recent


# ---- what is asked ----


def begin(workflow: str, key: str, given: JsonObject, conversation_id: str = "") -> str:
    """Begins a run, once also after a double click; gives the conversation it is in."""
    question = asked_in(given)
    if (begun := _just_asked(workflow, key, question)) is not None:
        return begun
    if conversation_id:
        _check_idle(workflow, conversation_id)
    bench = connection.bench()
    work = bench.workbench.start(
        connection.caller(),
        workflow,
        given,
        conversation_id=conversation_id or None,
        language=current_language(),
    )
    begun = bench.call(work).conversation_id
    st.session_state[_ASKED] = (workflow, (key, begun), question, begun, time.monotonic())
    return begun


def _just_asked(workflow: str, key: str, question: str) -> str | None:
    last = st.session_state.get(_ASKED)
    if last is None or last[0] != workflow or key not in last[1] or last[2] != question:
        return None
    return last[3] if time.monotonic() - last[4] < SAME_CLICK_SECONDS else None


def _check_idle(workflow: str, conversation_id: str) -> None:
    """Also against another tab: two answers at once would each miss the other."""
    if any(not run.status.is_final for run in own_runs(workflow, 1, conversation_id)):
        raise Conflict("conversation_still_answering")


def refuse(refused: Refused) -> None:
    st.session_state[_REFUSED] = refused


def refused_here(key: str) -> Refused | None:
    refused = st.session_state.get(_REFUSED)
    return refused if isinstance(refused, Refused) and refused.key == key else None


def forget_refused() -> None:
    st.session_state.pop(_REFUSED, None)
