"""Which rows a question is about, as it is gathered from values, moments and bounds."""

from dataclasses import dataclass, field

from sanbo.agents.analysis.rules.reading import Having
from sanbo.agents.analysis.spec.filters import (
    Filter,
)
from sanbo.agents.analysis.spec.words import TimeUnit


@dataclass(slots=True)
class Conditions:
    filters: list[Filter] = field(default_factory=list[Filter])
    weekdays: tuple[int, ...] = ()
    values: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    used: set[int] = field(default_factory=set[int])
    """Starts of the column mentions that only say which rows."""
    having: Having | None = None
    alternatives: set[str] = field(default_factory=set[str])
    """Columns whose values stand with an or between them: nothing is compared."""
    unit: TimeUnit | None = None
    """Of several periods that are named beside each other: 2023年度と2024年度."""
    homeless: list[str] = field(default_factory=list[str])
    """Bounds for which no column was found."""
    read: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Where the text stands that a condition on parts of words was made of."""
    assumptions: list[str] = field(default_factory=list[str])
