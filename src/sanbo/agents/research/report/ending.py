"""How a research ended, beside what it found."""

from sanbo.agents.research.model import Decision, StopReason
from sanbo.evidence.model import Frozen


class Ending(Frozen):
    stop_reason: StopReason
    partial: bool = False
    partial_reason: str = ""
    """One sentence for a person, in the language of the run."""
    decisions: tuple[Decision, ...] = ()
    """One a cycle, as far as it came to one."""
    session: str = ""
    engine: str = ""
    """As a person is told it: a provider and its model, or the rules. Empty where a program gave
    its own way of thinking: what that costs is not known here."""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    """US dollars; None where it is not known."""
    unreadable: int = 0
    """Parts of the model's answer that could not be read at all."""
