"""Where a person is: the conversation in the address, and the table for the next question."""

import re
import secrets
from typing import cast

import streamlit as st
from pydantic import BaseModel, ConfigDict, ValidationError

from sanbo.kernel.problems import NotFound
from sanbo.runs.model import FileRef, JsonObject, Run
from sanbo.service.drafts import Drafts
from sanbo.ui import connection
from sanbo.ui.addresses import CONVERSATION_PARAMETER

BEGUN_PARAMETER = "begun"
"""Names a conversation that has a table and no question yet."""
_BEGUN = "analysis_begun"
_BECAME = "analysis_became"
_ID = re.compile(r"[0-9A-Za-z_-]{1,80}")


class ChosenTable(BaseModel):
    model_config = ConfigDict(frozen=True)

    file: FileRef
    sheet: str = ""


class Place:
    """Kept in the address and in the drafts, so that a reload shows the same."""

    def __init__(self, conversation_id: str, begun: str) -> None:
        self.conversation_id = conversation_id
        self._begun = begun

    @property
    def key(self) -> str:
        return self.conversation_id or self._begun

    def chosen(self) -> ChosenTable | None:
        """What was chosen here for the next question."""
        if not self.key:
            return None
        kept = _drafts().load(_owner(), _draft_key(self.key))
        try:
            return None if kept is None else ChosenTable.model_validate(kept)
        except ValidationError:
            return None

    def choose(self, table: ChosenTable) -> None:
        if not self.key:
            self._begun = secrets.token_hex(8)
            st.session_state[_BEGUN] = self._begun
        content = cast("JsonObject", table.model_dump(mode="json"))
        _drafts().save(_owner(), _draft_key(self.key), content)
        self.show()

    def settle(self, conversation_id: str) -> None:
        """A question has been asked, with its table; the first makes a conversation of this."""
        if self.key:
            _drafts().reset(_owner(), _draft_key(self.key))
        if not self.conversation_id:
            # A click that was on its way still names what was begun.
            became: dict[str, str] = st.session_state.setdefault(_BECAME, {})
            became[self._begun] = conversation_id
            st.session_state.pop(_BEGUN, None)
            self.conversation_id = conversation_id
        self.show()

    def show(self) -> None:
        """In the address."""
        wanted = {CONVERSATION_PARAMETER: self.conversation_id}
        wanted[BEGUN_PARAMETER] = "" if self.conversation_id else self._begun
        for name, value in wanted.items():
            if value and st.query_params.get(name) != value:
                st.query_params[name] = value
            elif not value and name in st.query_params:
                del st.query_params[name]


def here() -> Place:
    """From the address; what was begun in this session is found again without it."""
    conversation_id = st.query_params.get(CONVERSATION_PARAMETER, "")
    if conversation_id and not _ID.fullmatch(conversation_id):
        raise NotFound("conversation_not_found", conversation_id=conversation_id[:80])
    named = st.query_params.get(BEGUN_PARAMETER, "")
    begun = (named if _ID.fullmatch(named) else "") or str(st.session_state.get(_BEGUN, ""))
    if not conversation_id:
        became: dict[str, str] = st.session_state.get(_BECAME, {})
        conversation_id = became.get(begun, "")
    place = Place(conversation_id, "" if conversation_id else begun)
    if place.key:
        place.show()
    return place


def leave() -> None:
    """To begin anew."""
    st.session_state.pop(_BEGUN, None)
    for name in (CONVERSATION_PARAMETER, BEGUN_PARAMETER):
        if name in st.query_params:
            del st.query_params[name]


def table_of(run: Run) -> ChosenTable | None:
    """That a question was asked about; None where it names none."""
    file = run.input.get("file")
    if not isinstance(file, dict):
        return None
    return ChosenTable(file=FileRef.model_validate(file), sheet=str(run.input.get("sheet") or ""))


def _draft_key(key: str) -> str:
    return f"analysis:{key}::table"


def _owner() -> str:
    return connection.caller().owner


def _drafts() -> Drafts:
    return connection.bench().workbench.drafts
