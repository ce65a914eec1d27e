"""What a score is made of: what was judged, the fitted numbers, answers that people judged."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from sanbo.evidence.model import Frozen

Chance = Annotated[float, Field(ge=0, le=1)]


class Judged(Frozen):
    """An answer, after its citations were looked up."""

    sentences: tuple[str, ...]
    """The first is what answers best; only those whose support stands in a source."""
    passages: tuple[str, ...]
    """The ids of the passages that hold the citations, those of the first sentence first."""
    refused: int = 0
    """Sentences that were left out because nothing supports them."""
    marked: int = 0
    """Sentences with a doubt: a figure that no source states."""
    contradictions: int = 0
    """Places that say otherwise."""
    self_evaluation: float | None = None
    failures: int = 0
    """Steps before it that failed."""


# ---- the fitted numbers ----------------------------------------------------------------------


class Slope(Frozen):
    """The log odds stretched and shifted, so that they say what was observed."""

    kind: Literal["logistic"] = "logistic"
    slope: float
    intercept: float


class Stairs(Frozen):
    """Chances that rise with the score; between two points in a straight line."""

    kind: Literal["isotonic"] = "isotonic"
    scores: tuple[Chance, ...]
    chances: tuple[Chance, ...]


Recalibration = Annotated[Slope | Stairs, Field(discriminator="kind")]


class Origin(Frozen):
    """How the numbers came about."""

    made_on: str
    data: str
    how: str
    questions: int
    answerable: Chance
    """The share of the questions whose answer was there: the mixture that the score is true for."""
    held_out: dict[str, dict[str, float]] = Field(default_factory=dict[str, dict[str, float]])


class Line(Frozen):
    weights: dict[str, float]
    intercept: float


class Fitted(Frozen):
    """`line_for`: what the features of an answer count."""

    version: str
    weights: dict[str, float]
    """By feature; their sum with the intercept is the logarithm of the odds."""
    intercept: float
    most: float = Field(default=1.0, gt=0, le=1)
    """No chance is above it: how often the surest answers hold where nothing was fitted."""
    recalibration: Recalibration | None = None
    """From feedback: what people said of answers with such scores."""
    typical: dict[str, float] = Field(default_factory=dict[str, float])
    """The features' means: what a factor's effect is told against."""
    clauses: Line | None = None
    """The same for answers out of clauses, list items and rows: words tell less there."""
    model: Line | None = None
    """Of an answer that a model has written, beside what its words say (`words`, as log odds): its
    own evaluation (`self_evaluation`, likewise)."""
    search: Line
    """That a search found the answer, from its statistics."""
    origin: Origin

    def line_for(self, features: Mapping[str, float]) -> Line:
        if self.clauses is not None and features.get("clauses"):
            return self.clauses
        return Line(weights=self.weights, intercept=self.intercept)


# ---- what people said ------------------------------------------------------------------------


class Label(Frozen):
    """An answer that somebody judged."""

    features: dict[str, float]
    score: Chance
    good: bool


class Bin(Frozen):
    """Answers of about the same score: what it said, and what was true."""

    low: float
    high: float
    answers: int
    said: float
    """Their mean score."""
    true: float
    """The share that was good."""


class Point(Frozen):
    """What would come of answering alone from this score on."""

    threshold: float
    answers: int
    coverage: float
    """The share of all answers that reach it."""
    precision: float
    """The share of those that was good."""
