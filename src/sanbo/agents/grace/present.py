"""An answer of GRACE as people see it, also while it works: the plan and its steps, then how sure
it is and why.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from pydantic import ValidationError

from sanbo.agents.grace.answer_text import (
    level_words,
    matter_of,
    told,
    told_replan,
    told_sentence,
    told_source,
)
from sanbo.agents.grace.confidence.features import strength, supports_itself
from sanbo.agents.grace.schemas import (
    AnswerSentence,
    Confidence,
    ExecutionPlan,
    ExecutionResult,
    ExecutionState,
    Factor,
    Level,
    Penalty,
    PlanStep,
    Source,
    Status,
    StepResult,
)
from sanbo.evidence.places import as_markdown
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import Event, Interaction, JsonObject, NodeComplete, Run, RunStart, StepStatus
from sanbo.runs.parts import (
    Fact,
    Facts,
    Part,
    Parts,
    Progress,
    ProgressStep,
    Reason,
    Score,
    SourceItem,
    Sources,
    Text,
    Tone,
)
from sanbo.runs.presentation import progress_part, value_parts, whole

STEP = "step"


def execution_of(events: Iterable[Event]) -> ExecutionState:
    """Steps tell of themselves; every other node tells the whole."""
    state = ExecutionState(question="", phase="planning")
    for event in events:
        payload = event.payload
        if isinstance(payload, RunStart):
            state = _asked(state, payload)
        elif isinstance(payload, NodeComplete) and isinstance(payload.outputs, dict):
            name = event.path[-1] if event.path else ""
            state = after_node(state, name, cast("JsonObject", payload.outputs))
    return state


def execution_told(given: JsonObject, outputs: Iterable[tuple[str, JsonObject]]) -> ExecutionState:
    """The same, from what its nodes have told in their order."""
    question = given.get("question")
    known = question if isinstance(question, str) else ""
    state = ExecutionState(question=known, phase="planning")
    for node, output in outputs:
        state = after_node(state, node, output)
    return state


def _asked(state: ExecutionState, start: RunStart) -> ExecutionState:
    question = start.input.get("question")
    known = question if isinstance(question, str) else state.question
    return state.model_copy(update={"question": known})


def after_node(state: ExecutionState, node: str, outputs: JsonObject) -> ExecutionState:
    """After a node has ended."""
    try:
        if node != STEP:
            return ExecutionState.model_validate(outputs)
        return _with(state, StepResult.model_validate(outputs))
    except ValidationError:  # recorded by another version of Sanbo
        return state


def _with(state: ExecutionState, result: StepResult) -> ExecutionState:
    others = [each for each in state.results if each.step_id != result.step_id]
    results = sorted((*others, result), key=lambda each: each.step_id)
    statuses: dict[int, Status] = {**state.statuses, result.step_id: result.status}
    return state.model_copy(update={"results": tuple(results), "statuses": statuses})


LONGEST_STEP = 100
MOST_HINTS = 6
_TONES: dict[Level, Tone] = {
    "silent": "good",
    "notify": "plain",
    "confirm": "caution",
    "escalate": "bad",
}
_STATUSES: dict[str, StepStatus] = {
    "running": "running",
    "success": "succeeded",
    "failed": "failed",
    "skipped": "skipped",
}


def result_of(run: Run) -> ExecutionResult:
    """Of a run that has succeeded."""
    return ExecutionResult.model_validate(run.result)


def present(seen: Snapshot, language: Language) -> Parts:
    run = seen.run
    result = None if run.result is None else result_of(run)
    return whole(
        run,
        language,
        () if result is None else _result(run, result, language),
        progress=_progress(run, _state(seen, result), language),
        questions=_questions(run, language),
        has_files=False,
    )


def _state(seen: Snapshot, result: ExecutionResult | None) -> ExecutionState:
    """A question that has ended tells itself how it went."""
    if result is None:
        told_by = ((path[-1], outputs) for (path, _), outputs in seen.outputs.items())
        dicts = ((name, cast("JsonObject", out)) for name, out in told_by if isinstance(out, dict))
        return execution_told(seen.run.input, dicts)
    return ExecutionState(
        question=result.question,
        phase="finished",
        plan=result.plan,
        statuses={each.step_id: each.status for each in result.steps},
        results=result.steps,
        replans=result.replans,
        interventions=result.interventions,
    )


# ---- while it works ------------------------------------------------------------------------


def _progress(run: Run, state: ExecutionState, language: Language) -> Progress:
    steps = list(_steps(state, language))
    if not run.status.is_final:
        phase = "waiting" if run.open_interactions else state.phase
        if not any(step.status == "running" for step in steps):
            title = tell(f"grace_parts.phase.{phase}", language)
            status = "waiting" if phase == "waiting" else "running"
            steps.append(ProgressStep(id="phase", title=title, status=status))
    elif run.problem is not None:
        failed = [step for step in run.steps if step.status == "failed"]
        steps += [
            ProgressStep(
                id=f"failed/{'/'.join(step.path)}",
                title=step.title or step.path[-1],
                status="failed",
                detail=step.problem.in_language(language).message if step.problem else "",
                duration_ms=step.duration_ms,
                path=step.path,
            )
            for step in failed
        ]
    return progress_part(steps, language)


def _steps(state: ExecutionState, language: Language) -> Iterator[ProgressStep]:
    for replan in state.replans:
        title = told_replan(replan, language)
        yield ProgressStep(
            id=f"replan/{replan.number}", title=title, status="succeeded", tone="caution"
        )
    plan = state.plan
    if plan is None:
        return
    results = {result.step_id: result for result in state.results}
    count = len(state.replans[-1].added) if plan.revision and state.replans else len(plan.steps)
    yield _planned(plan, count, language)
    for step in plan.steps:
        result = results.pop(step.step_id, None)
        status = state.statuses.get(step.step_id, "pending")
        yield _step(step_words(step, language), result, step.step_id, status, language)
    for result in results.values():  # in no plan any more
        about = tell(f"grace_parts.action.{result.action}", language)
        title = tell("grace_parts.step", language, number=result.step_id, about=about)
        yield _step(title, result, result.step_id, result.status, language)


def _planned(plan: ExecutionPlan, count: int, language: Language) -> ProgressStep:
    kind = "replanned" if plan.revision else "plan"
    problem = tell("grace_parts.template", language, problem=plan.problem) if plan.problem else ""
    return ProgressStep(
        id=f"plan/{plan.plan_id}/{plan.revision}",
        title=tell(f"grace_parts.{kind}", language, count=count),
        status="succeeded",
        detail=problem,
        tone="caution" if problem else "plain",
    )


def _step(
    title: str, result: StepResult | None, number: int, status: str, language: Language
) -> ProgressStep:
    sure = result.confidence if result else None
    return ProgressStep(
        id=f"step/{number}",
        title=title,
        status=_STATUSES.get(result.status if result else status, "pending"),
        detail="\n".join(_notes(result, language)) if result else "",
        duration_ms=result.duration_ms if result else None,
        score=sure.score if sure else None,
        tone=_TONES[sure.level] if sure else "plain",
        depth=1,
    )


def step_words(step: PlanStep, language: Language) -> str:
    about = " ".join(step.description.split()) or tell(
        f"grace_parts.action.{step.action}", language
    )
    about = about if len(about) <= LONGEST_STEP else about[: LONGEST_STEP - 1] + "…"
    return tell("grace_parts.step", language, number=step.step_id, about=about)


def _notes(result: StepResult, language: Language) -> Iterator[str]:
    if result.statistics is not None and result.status == "success":
        yield tell("grace_parts.hits", language, count=result.statistics.hits)
    if result.reason:
        yield result.reason
    if result.problem is not None:
        yield result.problem.in_language(language).message


# ---- what a person is asked ----------------------------------------------------------------


def _questions(run: Run, language: Language) -> Iterator[Part]:
    for asked in run.open_interactions:
        for part in _question(asked, language):
            yield part.model_copy(update={"interaction_id": asked.interaction_id})


def _question(asked: Interaction, language: Language) -> Iterator[Part]:
    """The plan that is to be agreed to, or the answer as it stands and how sure it is."""
    name = f"question/{asked.interaction_id}"
    matter = matter_of(asked.context)
    if matter.plan is None and matter.confidence is None and not matter.sentences:
        yield from value_parts(asked.context, language, name)
        return
    if matter.plan is not None:
        steps = (step_words(step, language) for step in matter.plan.steps)
        yield from _list(f"{name}/plan", "grace_parts.planned", steps, language)
    proposed, near = matter.sentences, matter.nearest
    if matter.confidence is not None and matter.confidence.level == "escalate":
        proposed, near = (), (*proposed, *near)  # nothing that anybody could agree to
    yield from _sentences(f"{name}/proposed", "proposed", proposed, language)
    yield from _sentences(
        f"{name}/contradictions", "contradictions", matter.contradictions, language
    )
    yield from _sentences(f"{name}/nearest", "nearest", near[:MOST_HINTS], language)
    if matter.confidence is not None:
        yield score_part(f"{name}/score", matter.confidence, language)
    yield from _sources(f"{name}/sources", matter.sources, language)


def _sentences(
    part_id: str, kind: str, sentences: Sequence[AnswerSentence], language: Language
) -> Iterator[Text]:
    lines = (told_sentence(each).whole for each in sentences)
    yield from _list(part_id, f"grace_parts.{kind}", lines, language)


# ---- the answer ----------------------------------------------------------------------------


def _result(run: Run, result: ExecutionResult, language: Language) -> Iterator[Part]:
    beside = told(result, language)
    if beside.notices:
        label = tell("grace_parts.notice", language)
        facts = (Fact(label=label, value=each, tone="caution") for each in beside.notices)
        yield Facts(id="notices", items=tuple(facts))
    document = run.artifacts[-1] if run.artifacts else None
    yield Text(id="answer", markdown=result.answer_md, document=document)
    yield Score(
        id="score",
        title=tell("parts.confidence", language),
        value=result.confidence,
        level=level_words(result.decision, language),
        tone=_TONES[result.decision],
        may_be_judged=not result.cancelled,
        sentence=beside.advice,
        explanation=beside.reasons,
        reasons=_reasons(result.factors, result.penalties),
    )
    yield from _sources("sources", result.sources, language)
    yield from _list("replans", "grace_written.heading.replans", beside.replans, language)
    yield from _list(
        "interventions", "grace_written.heading.interventions", beside.interventions, language
    )


def score_part(part_id: str, sure: Confidence, language: Language) -> Score:
    return Score(
        id=part_id,
        title=tell("parts.confidence", language),
        value=sure.score,
        level=level_words(sure.level, language),
        tone=_TONES[sure.level],
        explanation=sure.explanation,
        reasons=_reasons(sure.factors, sure.penalties),
    )


def _reasons(factors: Iterable[Factor], penalties: Iterable[Penalty]) -> tuple[Reason, ...]:
    return (
        *(
            Reason(label=each.name, effect=_agreeing(each), value=each.value, sentence=each.told)
            for each in factors
        ),
        *(Reason(label=each.name, effect=-each.amount, sentence=each.told) for each in penalties),
    )


def _agreeing(factor: Factor) -> float | None:
    """None where its sentence is neither for nor against it, or a fitted weight works against it:
    told without a sign.
    """
    return factor.effect if supports_itself(factor) and strength(factor.value) != "fair" else None


def _sources(part_id: str, sources: Sequence[Source], language: Language) -> Iterator[Sources]:
    if sources:
        items = tuple(_source(each, language) for each in sources)
        yield Sources(id=part_id, title=tell("parts.sources", language), items=items)


def _source(source: Source, language: Language) -> SourceItem:
    words = told_source(source, language)
    return SourceItem(
        mark=str(source.id),
        document=source.document,
        place=words.place,
        page=source.page,
        quote=words.quote,
        chunk_id=source.chunk_id,
        collection=source.collection,
        score=source.score,
        is_verified=source.verified,
        note=words.check,
    )


def _list(part_id: str, heading: str, lines: Iterable[str], language: Language) -> Iterator[Text]:
    if bullets := "\n".join(f"- {as_markdown(line)}" for line in lines):
        yield Text(id=part_id, title=tell(heading, language), markdown=bullets)
