"""What is taken off a score for what must not be. Pure functions."""

from collections.abc import Sequence

from sanbo.agents.grace.confidence.model import Judged
from sanbo.agents.grace.schemas import Penalty
from sanbo.agents.grace.settings import GracePenalties
from sanbo.kernel.messages import Language, tell

# A sentence with a doubt is half without support.
_MARKED = 0.5
# A model that doubts its answer takes off so much of the difference.
_OWN_DOUBT = 0.5
_LEAST_TOLD = 0.005


def of_search(
    settings: GracePenalties, *, hits: int, failed: bool, language: Language
) -> list[Penalty]:
    found: list[Penalty] = []
    if not hits:
        told = tell("grace_confidence.penalty.no_hits", language)
        found.append(Penalty(name="no_hits", amount=settings.no_hits, told=told))
    if failed:
        found.append(_failed(settings, 1, language))
    return found


def of_answer(settings: GracePenalties, judged: Judged, language: Language) -> list[Penalty]:
    found: list[Penalty] = []
    if judged.failures:
        found.append(_failed(settings, judged.failures, language))
    doubtful = judged.refused + judged.marked
    if doubtful or not judged.sentences:
        share = unsupported_share(judged)
        told = (
            tell("grace_confidence.penalty.unsupported", language, count=doubtful)
            if doubtful
            else tell("grace_confidence.penalty.no_answer", language)
        )
        found.append(Penalty(name="unsupported", amount=settings.unsupported * share, told=told))
    if judged.contradictions:
        told = tell("grace_confidence.penalty.contradiction", language, count=judged.contradictions)
        found.append(Penalty(name="contradiction", amount=settings.contradiction, told=told))
    return found


def own_doubt(score: float, self_evaluation: float | None, language: Language) -> list[Penalty]:
    """A model's own evaluation takes off, it never adds."""
    if self_evaluation is None or _OWN_DOUBT * (score - self_evaluation) < _LEAST_TOLD:
        return []
    told = tell(
        "grace_confidence.penalty.self_evaluation", language, percent=round(100 * self_evaluation)
    )
    amount = _OWN_DOUBT * (score - self_evaluation)
    return [Penalty(name="self_evaluation", amount=round(amount, 4), told=told)]


def unsupported_share(judged: Judged) -> float:
    if not judged.sentences:
        return 1.0
    total = len(judged.sentences) + judged.refused
    return min(1.0, (judged.refused + _MARKED * judged.marked) / total)


def taken_off(score: float, penalties: Sequence[Penalty]) -> float:
    return max(0.0, min(1.0, score - sum(penalty.amount for penalty in penalties)))


def _failed(settings: GracePenalties, count: int, language: Language) -> Penalty:
    told = tell("grace_confidence.penalty.tool_failure", language, count=count)
    return Penalty(name="tool_failure", amount=settings.tool_failure, told=told)
