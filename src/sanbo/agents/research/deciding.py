"""Whether another cycle follows, and else why not."""

from typing import NamedTuple

from sanbo.agents.research.asking import NoAnswer, asked, distinct
from sanbo.agents.research.model import Decision, StopReason
from sanbo.agents.research.surroundings import Surroundings
from sanbo.evidence.model import View
from sanbo.kernel.messages import tell

LONGEST_REASON = 1_000
MOST_MISSING = 20


class Decided(NamedTuple):
    decision: Decision
    stop_reason: StopReason | None
    """None: another cycle follows, with the decision's `next_queries`."""


async def decide(view: View, around: Surroundings) -> Decided:
    """Asks the thinker, unless there is nothing to ask about."""
    language = around.language
    if not view.passages:
        return _stopped("nothing_found", tell("research.nothing_found", language), around)
    try:
        decision = await asked(
            around.thinking.decide(view), around.parameters.decide_seconds, language
        )
    except NoAnswer as error:
        reason = tell("research.not_decided", language, reason=error.reason)
        return _stopped("decide_timeout" if error.timed_out else "decide_failed", reason, around)
    return _judged(_bounded(decision, view, around), view, around)


def _bounded(decision: Decision, view: View, around: Surroundings) -> Decision:
    """What a model says may be of any length, and what was searched for is not asked again."""
    queries = distinct(
        decision.next_queries,
        around.parameters.queries_per_cycle,
        without=(query.text for query in view.queries),
    )
    return decision.model_copy(
        update={
            "reason": decision.reason[:LONGEST_REASON],
            "missing": distinct(decision.missing, MOST_MISSING),
            "next_queries": () if decision.enough else queries,
        }
    )


def _judged(decision: Decision, view: View, around: Surroundings) -> Decided:
    if decision.enough:
        return Decided(decision, "sufficient")
    if view.cycle >= view.max_cycles:
        ended = tell("research.max_cycles", around.language, limit=view.max_cycles)
        return Decided(_ending(decision, ended), "max_cycles")
    if not decision.next_queries:
        ended = tell("research.no_new_queries", around.language)
        return Decided(_ending(decision, ended), "no_new_queries")
    return Decided(decision, None)


def _ending(decision: Decision, ended: str) -> Decision:
    reason = f"{decision.reason} {ended}".strip()
    return decision.model_copy(update={"reason": reason, "next_queries": ()})


def _stopped(stop_reason: StopReason, reason: str, around: Surroundings) -> Decided:
    decided_by = "rules" if stop_reason == "nothing_found" else around.thinker
    return Decided(Decision(enough=False, reason=reason, decided_by=decided_by), stop_reason)
