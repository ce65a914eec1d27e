"""A research as people see it: what was searched for and decided, then the report."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import JsonValue, ValidationError

from sanbo.agents.research.model import AnswerStep, DecideStep, ResearchResult, RetrieveStep
from sanbo.evidence.model import Citation
from sanbo.evidence.places import cited_place
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot, StepId
from sanbo.runs.model import Path, Run
from sanbo.runs.parts import Fact, Facts, Part, Parts, Progress, SourceItem, Sources, Text
from sanbo.runs.presentation import progress_part, progress_step, whole

LONGEST_QUERY = 60

AnyStep = RetrieveStep | DecideStep | AnswerStep
_STEPS: dict[str, type[AnyStep]] = {
    "retrieve": RetrieveStep,
    "decide": DecideStep,
    "answer": AnswerStep,
}


def step_of(path: Path, outputs: JsonValue) -> AnyStep | None:
    """What a step that has ended came to; None of any other."""
    model = _STEPS.get(path[-1]) if path else None
    try:
        return None if model is None or outputs is None else model.model_validate(outputs)
    except ValidationError:  # recorded by another version of Sanbo
        return None


def present(seen: Snapshot, language: Language) -> Parts:
    run = seen.run
    result = None if run.result is None else ResearchResult.model_validate(run.result)
    return whole(
        run,
        language,
        () if result is None else _result(run, result, language),
        progress=_progress(seen, language),
        has_files=False,
    )


# ---- while it works ----


def _progress(seen: Snapshot, language: Language) -> Progress:
    times: Counter[Path] = Counter()
    steps = [
        progress_step(
            step,
            times[step.path],
            language,
            "\n".join(_told((step.path, step.key), seen, language)),
        )
        for step in seen.run.steps
        if times.update((step.path,)) is None
    ]
    return progress_part(steps, language)


def _told(step_id: StepId, seen: Snapshot, language: Language) -> Iterator[str]:
    match step_of(step_id[0], seen.outputs.get(step_id)):
        case RetrieveStep() as step:
            yield from _searched(step, language)
        case DecideStep() as step:
            yield from _decided(step, language)
        case AnswerStep() as step:
            yield from _answered(step, language)
        case None:
            pass


def _searched(step: RetrieveStep, language: Language) -> Iterator[str]:
    if step.problem:
        yield step.problem
    for query in step.queries:
        text = "research_parts.cached" if query.cached else "research_parts.searched"
        words = _short(query.text)
        yield tell(text, language, cycle=query.cycle, query=words, hits=query.hits)
    total = step.passages_in_all
    yield tell("research_parts.found", language, new=len(step.passages), total=total)


def _decided(step: DecideStep, language: Language) -> Iterator[str]:
    yield tell("research_parts.decided", language, reason=step.reason)
    if step.stop_reason is None and step.next_queries:
        yield _next(step.next_queries, language)


def _next(queries: Sequence[str], language: Language) -> str:
    quoted = (tell("research_parts.query", language, query=_short(query)) for query in queries)
    joined = tell("research_parts.and", language).join(quoted)
    return tell("research_parts.next", language, queries=joined)


def _answered(step: AnswerStep, language: Language) -> Iterator[str]:
    if step.next_queries:
        yield tell("research_parts.decided", language, reason=step.reason)
        yield _next(step.next_queries, language)
        return
    if step.partial:
        yield tell("research_parts.partial", language, reason=step.partial_reason)
    yield tell("research_parts.written", language, citations=step.citations)
    if step.refused:
        yield tell("research_parts.refused", language, count=step.refused)


def _short(query: str) -> str:
    query = " ".join(query.split())
    return query if len(query) <= LONGEST_QUERY else query[: LONGEST_QUERY - 1] + "…"


# ---- the report ----


def _result(run: Run, result: ResearchResult, language: Language) -> Iterator[Part]:
    file = run.artifacts[-1] if run.artifacts else None
    yield Text(
        id="report",
        markdown=result.report_md,
        is_plain=file is not None and file.media_type != "text/markdown",
        document=file,
    )
    if state := _state(result, language):
        yield Facts(id="state", items=(state,))
    if result.citations:
        yield Sources(
            id="sources",
            title=tell("parts.sources", language),
            items=tuple(_source(each, result.collection, language) for each in result.citations),
            is_aside=True,  # the report ends with them
        )


def _state(result: ResearchResult, language: Language) -> Fact | None:
    label = tell("research_parts.state", language)
    if result.partial:
        told = tell("research_parts.partial", language, reason=result.partial_reason)
        return Fact(label=label, value=told, tone="caution")
    if not result.answered:
        return Fact(label=label, value=tell("research_parts.unanswered", language), tone="caution")
    return None


def _source(citation: Citation, collection: str, language: Language) -> SourceItem:
    check = "verified" if citation.verified else "unverified"
    return SourceItem(
        mark=str(citation.id),
        document=citation.document,
        place=cited_place(citation, language),
        page=citation.page,
        quote=citation.quote,
        chunk_id=citation.chunk_id,
        collection=collection,
        score=citation.score,
        is_verified=citation.verified,
        note=tell(f"parts.check.{check}", language),
    )
