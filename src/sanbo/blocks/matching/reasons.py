"""Why two records were put together, in figures and in words."""

from collections.abc import Sequence

import numpy as np

from sanbo.blocks.matching.comparisons import Comparison, Near, Pairs
from sanbo.kernel.messages import Language, tell
from sanbo.tables.rows import Row, Rows, value_at
from sanbo.tables.values import text_of

_SAME = 1 - 1e-9


def reasons_of(
    pairs: Pairs, left: Rows, right: Rows, comparisons: Sequence[Comparison], language: Language
) -> list[list[Row]]:
    """For each pair, what each comparison says of it."""
    found: list[list[Row]] = [[] for _ in range(len(pairs))]
    ones: list[int] = pairs.left.tolist()
    others: list[int] = pairs.right.tolist()
    for comparison in comparisons:
        respect = comparison.respect
        scores: list[float] = comparison.scores(pairs).tolist()
        apart = _apart(comparison, pairs)
        for place, score in enumerate(scores):
            found[place].append(
                {
                    "field": respect.name,
                    "type": respect.kind,
                    "left": value_at(left[ones[place]], respect.left),
                    "right": value_at(right[others[place]], respect.right),
                    "score": round(score, 4),
                    "text": _words(comparison, score, apart[place], language),
                }
            )
    return found


def _apart(comparison: Comparison, pairs: Pairs) -> list[float | None]:
    if not isinstance(comparison, Near):
        return [None] * len(pairs)
    differences: list[float] = comparison.differences(pairs).tolist()
    return [None if np.isnan(one) else one for one in differences]


def _words(comparison: Comparison, score: float, apart: float | None, language: Language) -> str:
    respect = comparison.respect
    if score >= _SAME:
        return tell("matching_reason.same", language, field=respect.name)
    if apart is not None and respect.kind == "date":
        return tell("matching_reason.days", language, field=respect.name, days=f"{apart:+.0f}")
    if apart is not None:
        number = text_of(round(apart, 6))
        return tell("matching_reason.difference", language, field=respect.name, difference=number)
    if respect.kind == "exact" or score == 0:
        return tell("matching_reason.different", language, field=respect.name)
    return tell("matching_reason.alike", language, field=respect.name, percent=f"{score:.0%}")


def in_words(reasons: Sequence[Row]) -> str:
    return "、".join(str(reason["text"]) for reason in reasons)
