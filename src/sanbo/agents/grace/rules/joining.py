"""An answer made of the answers of earlier steps, and of what was worked out of them."""

from collections.abc import Iterator, Sequence

from sanbo.agents.grace.rules.calculations import calculation_of
from sanbo.agents.grace.schemas import AnswerSentence, StepResult
from sanbo.agents.grace.thinking import AnswerRequest
from sanbo.evidence.model import Part, Passage, Quoted
from sanbo.kernel.messages import Language, tell

_SENTENCES = 2
"""Of each part."""


def joins(request: AnswerRequest) -> bool:
    return any(_has_something(result) for result in request.earlier)


def joined(request: AnswerRequest, language: Language) -> tuple[Part, ...]:
    """What was worked out first, then a sentence or two of each part, with their own quotes."""
    answers = [result for result in request.earlier if result.action == "reasoning"]
    worked_out = tuple(_worked_out(request, answers, language))
    most = 1 if worked_out else _SENTENCES  # the figures it comes from, and nothing beside them
    findings = tuple(_findings(answers, request.passages, most))
    if not worked_out and calculation_of(request.question):
        # Figures that could not be worked out together are no answer, only near to one.
        return tuple(each.model_copy(update={"section": "nearest"}) for each in findings)
    return (*worked_out, *findings, *_disagreements(answers, request.passages))


def _has_something(result: StepResult) -> bool:
    return result.action in {"reasoning", "compute"} and result.status == "success"


def _worked_out(
    request: AnswerRequest, answers: Sequence[StepResult], language: Language
) -> Iterator[Part]:
    """Rests on the first sentence of every figure's answer."""
    for result in request.earlier:
        if result.action == "compute" and result.status == "success":
            quotes = [
                quote
                for answer in answers
                for quote in _quotes(answer, answer.sentences[:1], request.passages)
            ]
            text = tell("grace_plan.worked_out", language, formula=result.output)
            yield Part(section="finding", text=text, quotes=tuple(quotes))


def _findings(
    answers: Sequence[StepResult], passages: Sequence[Passage], most: int
) -> Iterator[Part]:
    """No place in a source twice."""
    said: set[tuple[object, ...]] = set()
    some_answer = any(each.answered for each in answers)
    for nth, answer in enumerate(answers):
        if some_answer and not answer.answered:
            continue
        new = [each for each in answer.sentences if _place(answer, each) not in said]
        for sentence in new[:most]:
            said.add(_place(answer, sentence))
            yield Part(
                section="finding",
                sub_question=nth,
                text=sentence.text,
                quotes=tuple(_quotes(answer, (sentence,), passages)),
            )


def _place(answer: StepResult, sentence: AnswerSentence) -> tuple[object, ...]:
    return tuple(
        (source.collection, source.chunk_id, source.start, source.end)
        for source in answer.sources
        if source.id in sentence.sources
    )


def _disagreements(answers: Sequence[StepResult], passages: Sequence[Passage]) -> Iterator[Part]:
    for nth, answer in enumerate(answers):
        for sentence in answer.contradictions:
            yield Part(
                section="disagreement",
                sub_question=nth,
                text=sentence.text,
                quotes=tuple(_quotes(answer, (sentence,), passages)),
            )


def _quotes(
    answer: StepResult, sentences: Sequence[AnswerSentence], passages: Sequence[Passage]
) -> Iterator[Quoted]:
    """The passages of this step have ids of their own; a place in a source is the same for all."""
    by_chunk = {passage.chunk_id: passage.id for passage in passages}
    wanted = [number for sentence in sentences for number in sentence.sources]
    for source in answer.sources:
        if source.id in wanted and source.chunk_id in by_chunk:
            yield Quoted(passage=by_chunk[source.chunk_id], quote=source.quote)
