"""Questions whose answer is there, and questions whose paragraph was removed; what is right.

Articles are halved by their title: calibration (`fit_confidence.py`) uses questions about the
articles of one part of JSQuAD, what is measured (`grace.py`) those of the other.
"""

import re
import unicodedata
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from qa_data import Asked, QuestionSet
from scipy.optimize import minimize

from sanbo.agents.grace.confidence import Judged, Label
from sanbo.agents.grace.confidence.features import Features, features
from sanbo.agents.grace.rules_thinking import extract
from sanbo.evidence.finding import READ, Searched, gathered
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.queries import expand
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.model import Hit

HITS = 10
"""As GRACE's settings have it."""

Floats = NDArray[np.float64]


def is_for_fitting(title: str) -> bool:
    return zlib.crc32(title.encode()) % 2 == 1


def of_articles(questions: QuestionSet, *, for_fitting: bool) -> list[Asked]:
    return [
        each
        for each in questions.asked
        if is_for_fitting(questions.paragraphs[each.number].title) == for_fitting
    ]


# ---- what is right -----------------------------------------------------------------------------


def is_right(asked: Asked, answer: str) -> bool:
    """An accepted span stands in it, whatever its width and white space."""
    said = _folded(answer)
    return any(_folded(accepted) in said for accepted in asked.answers)


def _folded(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


# ---- asking without a workflow -------------------------------------------------------------------


class Answered(NamedTuple):
    """A top answer as GRACE's rules give it, before any score."""

    passages: tuple[Passage, ...]
    text: str
    judged: Judged
    found: Features


def search(
    collection: Collection, question: str, queries: Sequence[str], *, without: str = ""
) -> tuple[Passage, ...]:
    """As GRACE does, each passage once; `without` a document, as if it had never been there."""
    searched = [
        Searched(tuple(hits_of(collection, query, without=without)), remembered=False)
        for query in queries
    ]
    return gathered(queries, searched, (question,), (), cycle=1, limit=HITS)[0]


def hits_of(collection: Collection, query: str, *, without: str = "") -> list[Hit]:
    found = collection.search(query, limit=READ + bool(without))
    return [hit for hit in found if hit.document_id != without][:READ]


def in_other_words(question: str) -> tuple[str, ...]:
    """What is searched for after a low score."""
    return expand(question).queries


def answered(question: str, passages: Sequence[Passage]) -> Answered | None:
    """None where nothing was found."""
    findings = [
        part for part in extract(question, passages, "ja").parts if part.section == "finding"
    ]
    judged = Judged(
        sentences=tuple(part.text for part in findings),
        passages=tuple(quoted.passage for part in findings for quoted in part.quotes),
    )
    found = features(question, passages, judged)
    if found is None:
        return None
    return Answered(tuple(passages), findings[0].text, judged, found)


# ---- logistic regression -------------------------------------------------------------------------


class Fit(NamedTuple):
    weights: Floats
    intercept: float


def logistic(rows: Floats, truth: Sequence[bool], weights: Floats, ridge: float = 1e-4) -> Fit:
    """Every row with its weight; the ridge holds the weights of features in one scale."""
    share = weights / weights.sum()
    mean = share @ rows
    spread = np.sqrt(share @ (rows - mean) ** 2) + 1e-9
    scaled = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    target = np.array(truth, dtype=float)

    def loss(b: Floats) -> tuple[float, Floats]:
        odds = scaled @ b
        wrong = share * (1 / (1 + np.exp(-odds)) - target)
        total = share @ (np.logaddexp(0, odds) - target * odds) + ridge / 2 * b[:-1] @ b[:-1]
        return float(total), scaled.T @ wrong + ridge * np.append(b[:-1], 0)

    start = np.zeros(scaled.shape[1])
    best: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return Fit(best[:-1] / spread, float(best[-1] - best[:-1] @ (mean / spread)))


def labels_of(scores: Sequence[float], truth: Sequence[bool]) -> list[Label]:
    return [
        Label(features={}, score=score, good=good)
        for score, good in zip(scores, truth, strict=True)
    ]
