"""The notes of a session: the trail of how reports were found, kept until somebody deletes it."""

import asyncio

from sanbo.agents.research.notes import Note
from sanbo.kernel.problems import NotFound
from sanbo.service.access import Caller
from sanbo.service.catalog import RESEARCH
from sanbo.service.workbench import Workbench


async def notes(workbench: Workbench, caller: Caller, session: str) -> list[Note]:
    """What the researches of this session did, in the order in which it happened."""
    await _check_session(workbench, caller, session)
    return await asyncio.to_thread(workbench.notes.of_session, session)


async def delete_notes(workbench: Workbench, caller: Caller, session: str) -> int:
    """All of a session's notes, at once; the runs with their reports stay."""
    await _check_session(workbench, caller, session)
    return await asyncio.to_thread(workbench.notes.delete_session, session)


async def _check_session(workbench: Workbench, caller: Caller, session: str) -> None:
    """The same answer for a session that is somebody else's and for one that is not there."""
    known = "\0" not in session and await workbench.list(
        caller, workflow=RESEARCH, conversation_id=session, limit=1
    )
    if not known:
        raise NotFound("research_session_not_found", session=session[:80])
