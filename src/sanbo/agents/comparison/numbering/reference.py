"""A reference as it is found in a text: its steps, each with its number."""

from dataclasses import dataclass
from typing import Literal

from sanbo.agents.comparison.numbering.marks import Unit

Relative = Literal["previous", "next", "same", "this", "each"]


@dataclass(frozen=True)
class Part:
    """One step of a reference: `第八項` of `第三十九条第八項`."""

    start: int
    end: int
    unit: Unit
    number: tuple[int, ...]
    """Empty where it is relative."""
    relative: Relative | None = None
    count: int = 1
    """Of `前二項` two."""
    number_start: int = 0
    number_end: int = 0
    """Where its number stands: `八` of `第八項`, with branches `三条の二` of `第三条の二`."""


@dataclass(frozen=True)
class Reference:
    start: int
    end: int
    parts: tuple[Part, ...]
    external: bool = False
    """Into another law or contract that is named: `民法第九十条`, `同法第三条`."""
    joined: bool = False
    """It goes on from the reference before: the second of `第四条第一項及び第二項`."""

    @property
    def is_relative(self) -> bool:
        """Without any number of its own: `前条`, `同項`."""
        return all(part.relative for part in self.parts)
