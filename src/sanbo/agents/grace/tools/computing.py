"""`compute`: arithmetic on the figures that earlier steps found, by code."""

from sanbo.agents.grace.answers.citations import of_steps
from sanbo.agents.grace.answers.draft import never_silent
from sanbo.agents.grace.arithmetic.compute import figure_of, work_out
from sanbo.agents.grace.arithmetic.figures import Figure
from sanbo.agents.grace.confidence import Judged
from sanbo.agents.grace.schemas import AnswerSentence, Source, StepResult
from sanbo.agents.grace.thinking import Surroundings
from sanbo.agents.grace.tools.task import Outcome, Task
from sanbo.kernel.messages import tell


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
