"""What a question may ask for, and whether that is sure."""

from typing import NamedTuple

from sanbo.agents.analysis.building.frame import Frame
from sanbo.agents.analysis.building.steps import Spec

OFFERED = 3
_WORTH_A_LOOK = 0.005


class Reading(NamedTuple):
    specs: tuple[Spec, ...]
    frame: Frame
    chance: float
    words: frozenset[str]
    """Of the question, that it points at."""
    unread: tuple[str, ...] = ()
    """Words that have no part in it."""


class Readings(NamedTuple):
    all: tuple[Reading, ...] = ()
    """The likeliest first; none of them twice."""
    is_sure: bool = False
    """The likeliest may be answered at once."""
    declined: float = 0.0
    """How likely it is that somebody would have to ask back, or that no operation says it."""
    scope: str | None = None
    """Nothing that a table can tell: a forecast, a cause."""
    unread: tuple[str, ...] = ()
    """Words that have no part in the likeliest and may say something; where there is none, all."""

    @property
    def sure(self) -> Reading | None:
        return self.all[0] if self.is_sure else None

    @property
    def offered(self) -> tuple[Reading, ...]:
        """The likeliest, and others that are worth a look."""
        first, others = self.all[:1], self.all[1:OFFERED]
        return (*first, *(one for one in others if one.chance >= _WORTH_A_LOOK))
