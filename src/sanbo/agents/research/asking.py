"""Asks a thinker within a time limit; what it makes no use of is a reason, not a failed run."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import SanboError
from sanbo.kernel.text import matching_form
from sanbo.llm.failures import concerns_the_reply

T = TypeVar("T")

LONGEST_QUERY = 2_000


class NoAnswer(Exception):
    """The thinker has said nothing of use."""

    def __init__(self, reason: str, *, timed_out: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out


async def asked(thought: Awaitable[T], seconds: float, language: Language) -> T:
    """Raises `NoAnswer`, or the problem where no other request would do better."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await thought
    except TimeoutError:
        if not limit.expired():
            raise
        reason = tell("research.timed_out", language, seconds=f"{seconds:g}")
        raise NoAnswer(reason, timed_out=True) from None
    except SanboError as error:
        timed_out = error.problem.text_id == "llm_timed_out"
        if not timed_out and not concerns_the_reply(error):
            raise
        reason = error.problem.in_language(language).message
        raise NoAnswer(reason, timed_out=timed_out) from error


def distinct(queries: Iterable[str], most: int, *, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Each once, however it is written; what a model says may be blank, long, or repeat itself."""
    known = {matching_form(query) for query in without}
    new: dict[str, str] = {}
    for query in queries:
        text = " ".join(query[:LONGEST_QUERY].split())
        form = matching_form(text)
        if any(character.isalnum() for character in form) and form not in known:
            new.setdefault(form, text)
    return tuple(new.values())[:most]
