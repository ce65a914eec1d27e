"""The answer that a plan has come to, with what keeps it from being given without a note."""

from collections.abc import Mapping, Sequence
from typing import Literal

from sanbo.agents.grace.citations import renumbered
from sanbo.agents.grace.confidence import Judged, Scorer
from sanbo.agents.grace.confidence.scoring import own_doubt, taken_off
from sanbo.agents.grace.schemas import (
    Action,
    AnswerSentence,
    Confidence,
    ExecutionPlan,
    PlanStep,
    Replan,
    Source,
    StepResult,
    Trigger,
)
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import tell

ANSWERING: frozenset[Action] = frozenset({"reasoning", "run_legacy_agent", "compute"})


ANEW: frozenset[Trigger] = frozenset({"low_confidence", "user_feedback"})
"""After these, what was answered before is answered once more."""


class DraftPart(Frozen):
    question: str
    sentences: tuple[AnswerSentence, ...]
    """None where this part is not answered."""


class Draft(Frozen):
    parts: tuple[DraftPart, ...]
    """One for each thing asked."""
    nearest: tuple[AnswerSentence, ...] = ()
    contradictions: tuple[AnswerSentence, ...] = ()
    sources: tuple[Source, ...] = ()
    confidence: Confidence
    steps: tuple[int, ...] = ()
    """Whose answers it is made of."""

    @property
    def sentences(self) -> tuple[AnswerSentence, ...]:
        return tuple(sentence for part in self.parts for sentence in part.sentences)

    @property
    def answered(self) -> bool:
        return bool(self.sentences)


def compose(
    plan: ExecutionPlan,
    results: Mapping[int, StepResult],
    replans: Sequence[Replan],
    scorer: Scorer,
) -> Draft:
    question = plan.original_query
    answers = [(step, results[step.step_id]) for step in _last_answers(plan, results, replans)]
    if not answers:
        nothing = scorer.answer(question, (), Judged(sentences=(), passages=()))
        return Draft(parts=(DraftPart(question=question, sentences=()),), confidence=nothing)
    if len(answers) == 1:
        return _alone(question, answers[0][1])
    failed = sum(each.status == "failed" for each in results.values())
    return _joined(answers, failed, scorer)


def better(new: Draft, known: Draft | None) -> Draft:
    """What answers is better than what does not, and then what is surer."""
    if known is None:
        return new
    return max(new, known, key=lambda each: (each.answered, each.confidence.score))


def _last_answers(
    plan: ExecutionPlan, results: Mapping[int, StepResult], replans: Sequence[Replan]
) -> list[PlanStep]:
    """Steps that answer and that no other answer is made of; not those that did not suffice."""
    answering = [
        step
        for step in plan.steps
        if step.action in ANSWERING
        and (result := results.get(step.step_id)) is not None
        and result.status == "success"
        and result.confidence is not None
    ]
    used = {each for step in answering for each in step.depends_on}
    last = [step for step in answering if step.step_id not in used]
    since = max((_first_added(each) for each in replans if each.trigger in ANEW), default=0)
    return [step for step in last if step.step_id >= since] or last


def _first_added(replan: Replan) -> int:
    return min(replan.added, default=0)


def _alone(question: str, result: StepResult) -> Draft:
    assert result.confidence is not None
    return Draft(
        parts=(DraftPart(question=question, sentences=result.sentences),),
        nearest=result.nearest,
        contradictions=result.contradictions,
        sources=result.sources,
        confidence=result.confidence,
        steps=(result.step_id,),
    )


def _joined(answers: Sequence[tuple[PlanStep, StepResult]], failures: int, scorer: Scorer) -> Draft:
    sources: dict[tuple[object, ...], Source] = {}
    parts: list[DraftPart] = []
    nearest: list[AnswerSentence] = []
    contradictions: list[AnswerSentence] = []
    for step, result in answers:
        numbers = _taken_in(result.sources, sources)
        parts.append(
            DraftPart(question=step.query, sentences=renumbered(result.sentences, numbers))
        )
        nearest += renumbered(result.nearest, numbers)
        contradictions += renumbered(result.contradictions, numbers)
    sentences = tuple(sentence.text for part in parts for sentence in part.sentences)
    judged = Judged(
        sentences=sentences,
        passages=(),
        failures=failures,
    )
    return Draft(
        parts=tuple(parts),
        nearest=tuple(nearest),
        contradictions=tuple(contradictions),
        sources=tuple(sources.values()),
        confidence=scorer.joined([_sure(result) for _, result in answers], judged),
        steps=tuple(step.step_id for step, _ in answers),
    )


def _sure(result: StepResult) -> Confidence:
    assert result.confidence is not None
    return result.confidence


def _taken_in(new: Sequence[Source], known: dict[tuple[object, ...], Source]) -> dict[int, int]:
    """Adds sources that are not known yet; gives the number of each among all."""
    numbers: dict[int, int] = {}
    for source in new:
        place = (source.kind, source.collection, source.chunk_id, source.start, source.end)
        if place not in known:
            known[place] = source.model_copy(update={"id": len(known) + 1})
        numbers[source.id] = known[place].id
    return numbers


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


def confirmed(confidence: Confidence, scorer: Scorer) -> Confidence:
    """What a document says and a person too may be given, with a note."""
    if confidence.level in ("silent", "notify"):
        return confidence
    told = tell("grace.caution.confirmed", scorer.language)
    score = scorer.thresholds.notify
    return confidence.model_copy(
        update={
            "score": score,
            "level": scorer.level(score),
            "explanation": (told, *confidence.explanation[1:]),  # the first tells the old score
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
