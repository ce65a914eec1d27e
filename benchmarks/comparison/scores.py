"""Figures that are counted up over many documents, and how they are printed."""

from dataclasses import dataclass


@dataclass
class Share:
    """So many of so many."""

    part: int = 0
    whole: int = 0

    def add(self, part: int, whole: int) -> None:
        self.part += part
        self.whole += whole

    @property
    def value(self) -> float:
        """Of nothing, nothing."""
        return self.part / self.whole if self.whole else 0.0

    def __str__(self) -> str:
        return f"{self.value:.2%}" if self.whole else "–"


@dataclass(frozen=True)
class Target:
    name: str
    value: float
    bound: float
    at_most: bool = False

    @property
    def held(self) -> bool:
        return self.value <= self.bound if self.at_most else self.value >= self.bound

    def __str__(self) -> str:
        sign = "≤" if self.at_most else "≥"
        return (
            f"  {self.name:24} {self.value:8.2%}  target {sign} {self.bound:.1%}"
            f"  {'held' if self.held else 'MISSED'}"
        )


def report(targets: list[Target]) -> bool:
    """Prints each beside what it must reach; whether all hold."""
    for target in targets:
        print(target)
    return all(target.held for target in targets)
