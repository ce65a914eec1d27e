"""How a node meets failure: its own policy over its plan's."""

from dataclasses import dataclass

from sanbo.plans.model import Backoff, LoopNode, NodePolicy, Policy

DEFAULT = Policy()


@dataclass(frozen=True)
class Effective:
    goes_on: bool
    """Failed for good, its outputs are null and the run goes on."""
    retries: int
    backoff: Backoff
    timeout_ms: int | None

    def pause_ms(self, retry: int) -> int:
        """Before the first, second … retry."""
        seconds = self.backoff.seconds * self.backoff.factor ** (retry - 1)
        return int(min(seconds, self.backoff.max_seconds) * 1000)


def effective(own: NodePolicy, plan: Policy) -> Effective:
    on_error = own.on_error or plan.on_error
    if own.on_error is None and own.retries:  # said here, so it is meant
        on_error = "retry"
    retries = plan.retries if own.retries is None else own.retries
    return Effective(
        goes_on=on_error == "continue",
        retries=retries if on_error == "retry" else 0,
        backoff=own.backoff or plan.backoff,
        timeout_ms=plan.timeout_ms if own.timeout_ms is None else own.timeout_ms,
    )


def iterations_at_once(loop: LoopNode, plan: Policy) -> int:
    """What the loop says, and no more than the plan allows this node."""
    assert loop.foreach is not None
    own = loop.foreach.max_concurrency
    allowed = plan.concurrency.per_node.get(loop.id)
    if allowed is None:
        return own
    return min(own, allowed) if "max_concurrency" in loop.foreach.model_fields_set else allowed
