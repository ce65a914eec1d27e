"""The time limit of a loop or a subflow: for all that is inside it, people's time not counted."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from sanbo.kernel.problems import TimedOut
from sanbo.plans.running.activity import LimitedActivity
from sanbo.plans.running.surroundings import Surroundings

T = TypeVar("T")


async def within(
    limit_ms: int | None,
    here: Surroundings,
    node: str,
    work: Callable[[Surroundings], Awaitable[T]],
) -> T:
    """`TimedOut` when it takes longer; what was at work inside is stopped then."""
    if limit_ms is None:
        return await work(here)
    seconds = limit_ms / 1000
    try:
        async with asyncio.timeout(None) as limit:
            activity = LimitedActivity(here.activity, limit, seconds)
            return await work(replace(here, activity=activity, executor=_stoppable(here.executor)))
    except TimeoutError:
        raise TimedOut("plan_node_slow", node=node, seconds=seconds) from None


def _stoppable(executor: str) -> str:
    """A thread can't be stopped: what has a limit around it computes in processes."""
    return "processes" if executor == "threads" else executor
