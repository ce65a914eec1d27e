"""Which passages answer a sub-question."""

from sanbo.evidence.model import Passage, View

MOST = 5
# Relevant enough beside a passage that reaches the threshold.
_NEAR_THE_BEST = 0.6
# The same where a figure is asked for: whether a passage has one is seen later.
_NEAR_WITH_FIGURE = 0.4


def relevance_for(passage: Passage, nth: int) -> float:
    """The probability that it answers the nth sub-question."""
    return passage.relevances[nth] if nth < len(passage.relevances) else passage.relevance


def supporting(view: View, nth: int, *, by_figure: bool = False) -> list[Passage]:
    """Most relevant first; none where no passage reaches the threshold."""
    ordered = sorted(view.passages, key=lambda passage: -relevance_for(passage, nth))
    if not ordered or relevance_for(ordered[0], nth) < view.relevance_threshold:
        return []
    near = _NEAR_WITH_FIGURE if by_figure else _NEAR_THE_BEST
    least = min(view.relevance_threshold, near * relevance_for(ordered[0], nth))
    return [passage for passage in ordered if relevance_for(passage, nth) >= least][:MOST]
