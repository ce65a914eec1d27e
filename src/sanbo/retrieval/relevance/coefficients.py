"""The fitted numbers of the model, and how they came about (`benchmarks/fit_relevance.py`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

WordKind = Literal["name", "noun", "inflected", "english"]


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Origin(Frozen):
    """How the numbers came about."""

    made_on: str
    data: str
    how: str
    questions: int
    passages: int
    held_out: Mapping[str, Mapping[str, float]]
    """Figures on questions that were not fitted on, by question set."""


@dataclass(frozen=True, eq=False)
class Presence:
    """How often a word of a question stands in the passage that answers it."""

    by_kind: Mapping[WordKind, float]
    standing_in: Mapping[WordKind, float]
    """Of a word that stands for the answer: 首都 in …の首都は？"""
    of_words: Mapping[str, float]
    """Of words that questions have and answers often lack: 名前, 理由."""

    def of(self, normal: str, kind: WordKind, *, stands_in: bool) -> float:
        of_kind = self.standing_in if stands_in else self.by_kind
        return self.of_words.get(normal, of_kind[kind])


class Coefficients(Frozen):
    version: str
    origin: Origin
    presence: Presence
    weights: Mapping[str, float]
    """By feature; their sum with the intercept is the logarithm of the odds."""
    intercept: float
    best: float
    """What the best of its passages has more."""


COEFFICIENTS = Coefficients.model_validate_json(
    files(__package__ or "sanbo.retrieval.relevance")
    .joinpath("coefficients.json")
    .read_text("utf-8")
)
