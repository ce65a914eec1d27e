"""The result of a run: its answer, or that there is none, with all that led to it."""

from collections.abc import Iterator

from sanbo.agents.grace.answers.draft import ANSWERING, Draft
from sanbo.agents.grace.answers.text import answer_lines, listed, not_found_lines, searched_for
from sanbo.agents.grace.schemas import ExecutionResult
from sanbo.agents.grace.state import Known
from sanbo.agents.grace.steps.review import Ending
from sanbo.evidence.places import as_markdown
from sanbo.kernel.messages import Language, tell


def result_of(known: Known, draft: Draft, ending: Ending, language: Language) -> ExecutionResult:
    answered = draft.answered and not ending.not_found and not ending.cancelled
    confidence = draft.confidence
    return ExecutionResult(
        question=known.asked,
        understood=known.question if known.question != known.asked else "",
        collections=tuple(each.name for each in known.collections),
        answer_md="".join(lines_of(known, draft, ending, language)).strip(),
        answered=answered,
        sentences=draft.sentences if answered else (),
        nearest=draft.nearest if answered else (*draft.sentences, *draft.nearest),
        contradictions=draft.contradictions if answered else (),
        confidence=confidence.score,
        decision=confidence.level,
        factors=confidence.factors,
        penalties=confidence.penalties,
        explanation=confidence.explanation,
        features=confidence.features,
        method=confidence.method,
        calibration=confidence.version,
        thresholds=known.thresholds,
        plan=known.plan,
        steps=tuple(known.results.values()),
        sources=draft.sources,
        replans=known.replans,
        interventions=known.interventions,
        partial=bool(ending.partial_reason),
        partial_reason=ending.partial_reason,
        cancelled=ending.cancelled,
    )


def lines_of(known: Known, draft: Draft, ending: Ending, language: Language) -> Iterator[str]:
    """The answer piece by piece."""
    if known.question != known.asked:
        read = tell("grace.understood", language, question=known.question)
        yield f"> {as_markdown(read)}\n\n"
    if ending.cancelled:
        yield tell("grace.cancelled", language)
    elif draft.answered and not ending.not_found:
        yield from answer_lines(draft, language, ending.partial_reason)
    else:
        yield from not_found_lines(
            draft,
            _why_nothing(known, draft, language),
            searched_for(list(known.results.values())),
            language,
            ending.partial_reason,
        )


def _why_nothing(known: Known, draft: Draft, language: Language) -> str:
    """That nobody could word an answer does not mean that the documents have none."""
    failed = [
        each.problem
        for each in known.results.values()
        if each.action in ANSWERING and each.status == "failed" and each.problem is not None
    ]
    if failed and not draft.steps:
        return tell("grace.not_worded", language, problem=failed[-1].message)
    names = listed([each.name for each in known.collections], language)
    return tell("grace.not_found", language, collections=names)
