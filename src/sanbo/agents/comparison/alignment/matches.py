"""Which old chunk goes with which new one so far, one to one, and how sure that is."""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Matches:
    new_of: list[int]
    old_of: list[int]
    confidence: dict[int, float] = field(default_factory=dict[int, float])
    """By index of the old chunk."""

    @classmethod
    def none(cls, old: int, new: int) -> "Matches":
        return cls([-1] * old, [-1] * new)

    def link(self, old: int, new: int, confidence: float) -> None:
        self.new_of[old] = new
        self.old_of[new] = old
        self.confidence[old] = confidence

    def free(self, old: int, new: int) -> bool:
        return self.new_of[old] < 0 and self.old_of[new] < 0

    def pairs(self) -> Iterator[tuple[int, int]]:
        return ((old, new) for old, new in enumerate(self.new_of) if new >= 0)

    def free_old(self) -> list[int]:
        return [old for old, new in enumerate(self.new_of) if new < 0]

    def free_new(self) -> list[int]:
        return [new for new, old in enumerate(self.old_of) if old < 0]
