"""One form in Streamlit's session state and in the drafts: every change goes to both at once."""

from datetime import UTC, datetime
from typing import cast

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.problems import Problem
from sanbo.runs.model import JsonObject, Question
from sanbo.service.inputs import Drafts
from sanbo.ui import session_state
from sanbo.ui.session_state import FormState


class KeptForm:
    def __init__(self, question: Question, key: str, owner: str, drafts: Drafts) -> None:
        self.question = question
        self.key = key
        self._owner = owner
        self._drafts = drafts
        self._take_up()

    def _take_up(self) -> None:
        """From this session, or for a new one (a reloaded page) from the draft."""
        kept: object = st.session_state.get(self.key)
        if isinstance(kept, FormState):
            if kept.fields != session_state.kinds(self.question.requirements):
                self._keep(session_state.fitted(kept, self.question))
            return
        draft = self._drafts.load(self._owner, self.key)
        st.session_state[self.key] = session_state.restored(draft, self.question)

    @property
    def state(self) -> FormState:
        return cast("FormState", st.session_state[self.key])

    def value(self, name: str) -> JsonValue:
        return self.state.values.get(name)

    def remember(self, name: str, value: JsonValue) -> None:
        self._keep(session_state.with_value(self.state, name, value))
        self._settle(name)

    def dismiss_notices(self) -> None:
        self._keep(session_state.without_notices(self.state))

    def sent(self) -> None:
        self._keep(session_state.after_sending(self.state, self.question))
        self._forget_problem()
        self._renew_widgets()

    def reset(self) -> None:
        """The one way to lose what was typed, asked for by the person."""
        self._drafts.reset(self._owner, self.key)
        st.session_state[self.key] = session_state.initial(self.question)
        self._forget_problem()
        self._renew_widgets()

    def _keep(self, state: FormState) -> None:
        st.session_state[self.key] = state
        kept = session_state.without_secrets(state, self.question)
        content = cast("JsonObject", kept.model_dump(mode="json"))
        self._drafts.save(self._owner, self.key, content)
        st.session_state[f"{self.key}::saved_at"] = datetime.now(UTC)

    @property
    def saved_at(self) -> datetime | None:
        """When this session last saved a draft."""
        return st.session_state.get(f"{self.key}::saved_at")

    # ---- widgets ----

    def widget_key(self, name: str) -> str:
        """A new one after a reset: a browser's widget would keep what was typed into it."""
        return f"{self.key}::{name}::{self._generation}"

    @property
    def _generation(self) -> int:
        return int(st.session_state.get(f"{self.key}::generation", 0))

    def _renew_widgets(self) -> None:
        st.session_state[f"{self.key}::generation"] = self._generation + 1

    # ---- what was wrong with the last attempt to send ----

    @property
    def problem(self) -> Problem | None:
        return st.session_state.get(f"{self.key}::problem")

    def fail(self, problem: Problem) -> None:
        st.session_state[f"{self.key}::problem"] = problem
        st.session_state[f"{self.key}::faults"] = _faults(problem)

    def faults(self, name: str) -> list[str]:
        return self._all_faults().get(name, [])

    def _all_faults(self) -> dict[str, list[str]]:
        return st.session_state.get(f"{self.key}::faults", {})

    def _settle(self, name: str) -> None:
        """A field that was changed is no longer known to be wrong."""
        faults = self._all_faults()
        if faults.pop(name, None) is not None and not faults:
            self._forget_problem()

    def _forget_problem(self) -> None:
        for part in ("problem", "faults"):
            st.session_state.pop(f"{self.key}::{part}", None)


def _faults(problem: Problem) -> dict[str, list[str]]:
    """Messages by field, as `check_answer` reports them."""
    reported = problem.details.get("fields")
    faults: dict[str, list[str]] = {}
    for entry in reported if isinstance(reported, list) else []:
        if isinstance(entry, dict):
            message = str(entry.get("message", ""))
            messages = faults.setdefault(str(entry.get("field", "")), [])
            if message not in messages:
                messages.append(message)
    return faults
