"""The steps that answer out of what earlier steps found: `reasoning`, every quote of it looked up,
and `compute`, arithmetic on figures by code.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence

from sanbo.agents.grace.calculations import work_out
from sanbo.agents.grace.citations import (
    Cited,
    Departure,
    FoundPassage,
    departure,
    judged_for,
    of_steps,
    strays,
)
from sanbo.agents.grace.confidence import Judged
from sanbo.agents.grace.draft import Caution, confirmed, doubted, never_silent
from sanbo.agents.grace.figures import Figure, figure_of
from sanbo.agents.grace.rules.questions import is_left_to_work_out
from sanbo.agents.grace.schemas import AnswerSentence, Confidence, Source, StepResult
from sanbo.agents.grace.state import Outcome, Task
from sanbo.agents.grace.thinking import Answer, AnswerRequest, Surroundings
from sanbo.evidence.citations import spoken
from sanbo.evidence.model import Part, View
from sanbo.evidence.rules.answers import nearest
from sanbo.evidence.rules.values import values
from sanbo.kernel.messages import tell
from sanbo.language.numerals import narrow


async def compute(task: Task, around: Surroundings) -> Outcome:
    figures: dict[int, Figure] = {}
    for result in task.earlier:
        figure = figure_of(task.steps[result.step_id].query or task.question, result)
        if figure is not None:
            figures[result.step_id] = figure
    worked = work_out(task.step.query, figures, around.language)
    sources = _sources(task)
    is_told = any(each.kind == "person" for each in sources)
    text = tell("grace.computed", around.language, formula=worked.formula)
    sentence = AnswerSentence(
        text=text,
        sources=tuple(each.id for each in sources),
        problem=tell("grace.mark.person", around.language) if is_told else "",
    )
    known = [each.confidence for each in task.earlier if each.confidence is not None]
    confidence = task.scorer.joined(known, Judged(sentences=(text,), passages=()))
    if is_told:
        confidence = never_silent(confidence, task.scorer, "not_of_documents")
    passages = of_steps(task.step.depends_on, task.passages)
    return Outcome(
        StepResult(
            step_id=task.step.step_id,
            action=task.step.action,
            status="success",
            output=worked.formula,
            confidence=confidence,
            sources=sources,
            sentences=(sentence,),
            answered=all(each.answered for each in task.earlier),
            value=worked.value,
        ),
        passages,
    )


def _sources(task: Task) -> tuple[Source, ...]:
    """Where the figures stand: of each step the sources of its first sentence, or what was told."""
    places: dict[tuple[object, ...], Source] = {}
    for result in task.earlier:
        for source in _cited(result) or _told(task, result):
            place = (source.kind, source.collection, source.chunk_id, source.start, source.end)
            places.setdefault(place, source.model_copy(update={"id": len(places) + 1}))
    return tuple(places.values())


def _cited(result: StepResult) -> list[Source]:
    cited = result.sentences[0].sources if result.sentences else ()
    return [source for source in result.sources if source.id in cited]


def _told(task: Task, result: StepResult) -> list[Source]:
    """A person's answer is all there is of it."""
    if result.action != "ask_user":
        return []
    return [
        Source(
            id=1,
            kind="person",
            document=each.passage.document,
            document_id=each.passage.document_id,
            format=each.passage.format,
            page=None,
            chunk_id=each.passage.chunk_id,
            quote=each.passage.text,
            start=0,
            end=len(each.passage.text),
            score=0.0,
            verified=False,
        )
        for each in task.passages.get(result.step_id, ())
    ]


ANSWERING = ("finding", "summary")


async def reason(task: Task, around: Surroundings) -> Outcome:
    found = task.found(around.language)
    if not found:
        return Outcome(unanswered(task, around))
    found = await asyncio.to_thread(judged_for, task.asks, found)
    request = AnswerRequest(
        question=task.asks,
        passages=tuple(each.passage for each in found),
        earlier=task.earlier,
        information=task.told,
        passage_tokens=around.settings.limits.passage_tokens,
    )
    answer = await around.thinking.answer(request)
    return await asyncio.to_thread(checked, answer, found, task, around)


def checked(
    answer: Answer, found: Sequence[FoundPassage], task: Task, around: Surroundings
) -> Outcome:
    """Only what the sources support; hints where that is nothing."""
    cited = Cited(found, around.finder, around.language, _worked_out(task))
    claimed = _with_span(_accepted(answer.parts, cited, ANSWERING), answer)
    sentences, in_other_words = _compared(claimed, cited, task, around)
    contradictions = _accepted(answer.parts, cited, ("disagreement",))
    hints: tuple[AnswerSentence, ...] = ()
    if not sentences:
        hints = _hints(answer.parts, found, task, cited, around)
    judged = Judged(
        sentences=tuple(each.text for each in sentences),
        passages=tuple(each.passage.id for each in cited.passages),
        refused=cited.refused,
        marked=cited.marked + len(set(sentences) - set(claimed)),
        contradictions=min(len(contradictions), _open_disagreements(answer.parts)),
        self_evaluation=answer.self_evaluation,
        failures=sum(each.status == "failed" for each in task.earlier),
    )
    result = StepResult(
        step_id=task.step.step_id,
        action=task.step.action,
        status="success",
        output=_output(sentences, around),
        confidence=_confidence(
            task,
            found,
            judged,
            _cautions(sentences, contradictions, task, cited, in_other_words=in_other_words),
            is_confirmed=_is_confirmed(sentences, cited.sources, task),
        ),
        sources=cited.sources,
        sentences=sentences,
        nearest=hints,
        contradictions=contradictions,
        answered=bool(sentences),
        wanted=answer.searches,
        reason=_refused(cited.refused, around),
    )
    return Outcome(result, cited.passages)


def _is_confirmed(
    sentences: Sequence[AnswerSentence], sources: Sequence[Source], task: Task
) -> bool:
    """Whether a person has told the very figure with which a document answers."""
    if not sentences or sentences[0].span is None:
        return False
    of_documents = {each.id for each in sources if each.kind == "collection"}
    answer = values(narrow(sentences[0].text[slice(*sentences[0].span)]))
    known = {
        (value.unit, value.meaning)
        for each in task.said
        if each.kind == "information"
        for value in values(narrow(each.text))
    }
    return not of_documents.isdisjoint(sentences[0].sources) and any(
        (value.unit, value.meaning) in known for value in answer
    )


def _open_disagreements(parts: Iterable[Part]) -> int:
    """What rules over the others is no less sure because the others say otherwise."""
    return sum(each.section == "disagreement" and not each.is_settled for each in parts)


def _confidence(
    task: Task,
    found: Sequence[FoundPassage],
    judged: Judged,
    cautions: Iterable[Caution],
    *,
    is_confirmed: bool,
) -> Confidence:
    confidence = _score(task, found, judged)
    if is_confirmed:
        confidence = confirmed(confidence, task.scorer)
    for caution in cautions:
        confidence = never_silent(confidence, task.scorer, caution)
    return confidence


def _score(task: Task, found: Sequence[FoundPassage], judged: Judged) -> Confidence:
    known = [each.confidence for each in task.parts if each.confidence is not None]
    if [each.action for each in task.parts] not in ([], ["reasoning"]):
        joined = task.scorer.joined(known, judged)
        return doubted(joined, judged.self_evaluation, task.scorer)
    alone = task.scorer.answer(task.asks, [each.passage for each in found], judged)
    # One answer after another: the earlier one may be sure of something else.
    return min(*known, alone, key=lambda each: each.score) if known else alone


def _cautions(
    sentences: Sequence[AnswerSentence],
    contradictions: Sequence[AnswerSentence],
    task: Task,
    cited: Cited,
    *,
    in_other_words: bool,
) -> Iterator[Caution]:
    if any(each.kind != "collection" for each in cited.passages) or task.rests_on_people:
        yield "not_of_documents"
    if in_other_words:
        yield "other_words"
    if any(each.problem for each in sentences):
        yield "marked"
    if contradictions:
        yield "contradicted"
    told = [*(each.text for each in sentences), *(each.quote for each in cited.sources)]
    if task.parts and strays(task.question, told):
        yield "strays"
    if not _worked_out(task) and is_left_to_work_out(task.asks, told):
        yield "not_worked_out"


def _compared(
    sentences: tuple[AnswerSentence, ...], cited: Cited, task: Task, around: Surroundings
) -> tuple[tuple[AnswerSentence, ...], bool]:
    """Marked where a source says something else; and whether any is told in other words."""
    worked_out = _worked_out(task)
    departures = [_departure(each, cited, task.asks, worked_out) for each in sentences]
    compared = (
        each
        if each.problem or departs in (None, "words")
        else each.model_copy(update={"problem": tell(f"grace.mark.{departs}", around.language)})
        for each, departs in zip(sentences, departures, strict=True)
    )
    return tuple(compared), any(departures)


def _worked_out(task: Task) -> list[str]:
    return [
        each.output
        for each in task.earlier
        if each.action == "compute" and each.status == "success"
    ]


def _departure(
    sentence: AnswerSentence, cited: Cited, question: str, worked_out: Sequence[str]
) -> Departure | None:
    """What code has worked out stands in no source."""
    if any(formula in sentence.text for formula in worked_out):
        return None
    beside = (question, *worked_out, *cited.read_beside(sentence))
    return departure(sentence.text, cited.read_around(sentence), beside)


def _accepted(
    parts: Iterable[Part], cited: Cited, sections: Sequence[str]
) -> tuple[AnswerSentence, ...]:
    accepted = (cited.accept(part) for part in parts if part.section in sections)
    by_text = {each.text: each for each in accepted if each is not None}
    return tuple(by_text.values())


def _with_span(sentences: tuple[AnswerSentence, ...], answer: Answer) -> tuple[AnswerSentence, ...]:
    """The words that answer, where the first sentence holds and is what they were found in."""
    first = next((part for part in answer.parts if part.section in ANSWERING), None)
    if not sentences or first is None or answer.span is None:
        return sentences
    start, end = answer.span
    if sentences[0].text != first.text or spoken(first.text) != first.text or not start < end:
        return sentences
    if end > len(first.text):
        return sentences
    return sentences[0].model_copy(update={"span": (start, end)}), *sentences[1:]


def _hints(
    parts: Iterable[Part],
    found: Sequence[FoundPassage],
    task: Task,
    cited: Cited,
    around: Surroundings,
) -> tuple[AnswerSentence, ...]:
    own = [part for part in parts if part.section == "nearest"]
    view = View(question=task.asks, passages=tuple(each.passage for each in found))
    hints = (cited.hint(part) for part in own or nearest(view, around.language))
    return tuple(each for each in hints if each is not None)


def _output(sentences: Sequence[AnswerSentence], around: Surroundings) -> str:
    if not sentences:
        return tell("grace.not_answered", around.language)
    between = "" if around.language == "ja" else " "
    return between.join(each.text for each in sentences)


def _refused(count: int, around: Surroundings) -> str:
    return tell("grace.refused", around.language, count=count) if count else ""


def unanswered(task: Task, around: Surroundings) -> StepResult:
    """Nothing was found that could be read."""
    return StepResult(
        step_id=task.step.step_id,
        action=task.step.action,
        status="success",
        output=tell("grace.not_answered", around.language),
        confidence=task.scorer.answer(task.asks, (), Judged(sentences=(), passages=())),
    )
