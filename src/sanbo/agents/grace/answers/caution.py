"""What keeps an answer from being given without a note, however high its score is."""

from typing import Literal

from sanbo.agents.grace.confidence import Scorer
from sanbo.agents.grace.confidence.penalties import own_doubt, taken_off
from sanbo.agents.grace.schemas import Confidence
from sanbo.kernel.messages import tell

Caution = Literal[
    "not_of_documents",
    "other_words",
    "marked",
    "contradicted",
    "strays",
    "lost",
    "not_worked_out",
]

BELOW = 0.01


def never_silent(confidence: Confidence, scorer: Scorer, why: Caution) -> Confidence:
    """What was not measured, or is known to be flawed, is not as sure as its figures say."""
    if confidence.level != "silent":
        return confidence
    score = round(scorer.thresholds.silent - BELOW, 4)
    return confidence.model_copy(
        update={
            "score": score,
            "level": scorer.level(score),
            "explanation": (
                tell(f"grace.caution.{why}", scorer.language),
                *confidence.explanation,
            ),
        }
    )


def never_sure(confidence: Confidence, scorer: Scorer) -> Confidence:
    """What the plan was to answer at its end is not answered: a person has to see what there is."""
    if confidence.level not in ("silent", "notify"):
        return confidence
    score = round(scorer.thresholds.notify - BELOW, 4)
    told = tell("grace.caution.unfinished", scorer.language)
    return confidence.model_copy(
        update={
            "score": score,
            "level": scorer.level(score),
            "explanation": (told, *confidence.explanation),
        }
    )


def doubted(confidence: Confidence, self_evaluation: float | None, scorer: Scorer) -> Confidence:
    """A model that doubts how it joined the parts takes off, as it does for an answer alone."""
    doubts = own_doubt(confidence.score, self_evaluation, scorer.language)
    if not doubts:
        return confidence
    score = round(taken_off(confidence.score, doubts), 4)
    return confidence.model_copy(
        update={
            "score": score,
            "level": scorer.level(score),
            "penalties": (*confidence.penalties, *doubts),
            "explanation": (*(each.told for each in doubts), *confidence.explanation),
        }
    )
