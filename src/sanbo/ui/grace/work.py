"""GRACE at work: its plan as a list that fills in, and the answer as it is written."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape

import streamlit as st

from sanbo.agents.grace.execution import execution_of
from sanbo.agents.grace.schemas import (
    ExecutionPlan,
    ExecutionState,
    Intervention,
    PlanStep,
    Replan,
    Source,
    StepResult,
)
from sanbo.agents.grace.schemas import Status as StepStatus
from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.runs.model import Run, Status
from sanbo.ui import connection
from sanbo.ui.boundary import fragment
from sanbo.ui.grace.score_bars import action_word, confidence_bar, counted, percent
from sanbo.ui.live_text import LiveTexts
from sanbo.ui.presentation import duration, elapsed, slot
from sanbo.ui.run_actions import draw_cancel

SHOWN_DOCUMENTS = 3
LONGEST_OUTPUT = 600
_MARKS: dict[StepStatus, str] = {
    "pending": "○",
    "running": "◔",
    "success": "✓",
    "failed": "✕",
    "skipped": "–",
}


def plan_list(state: ExecutionState) -> str:
    """Empty as long as there is no plan."""
    if state.plan is None:
        return ""
    items = "".join(_items(state, state.plan))
    return f'{_head(state.plan)}<ol class="sanbo-plan">{items}</ol>'


def _head(plan: ExecutionPlan) -> str:
    facts = [
        tell("ui.grace.plan.title"),
        tell("ui.grace.plan.complexity", share=percent(plan.complexity)),
        tell(f"ui.grace.plan.made_by.{plan.made_by}"),
    ]
    problem = ""
    if plan.problem:
        told = tell("ui.grace.plan.problem", problem=plan.problem)
        problem = f'<div class="sanbo-unsure">{escape(told)}</div>'
    return f'<div class="sanbo-plan-head">{escape(" ・ ".join(facts))}</div>{problem}'


def _items(state: ExecutionState, plan: ExecutionPlan) -> Iterator[str]:
    """Replans before the first step that they added; what people said after what was asked."""
    results = {result.step_id: result for result in state.results}
    planned = {step.step_id: step for step in plan.steps}
    replans = list(state.replans)
    # What nobody has answered yet is asked below, in a dialog.
    said = [each for each in state.interventions if each.action is not None]
    yield from (_said(each) for each in said if each.about == "plan")
    for step_id in _order(plan, state.results):
        while replans and _begins_with(replans[0], step_id):
            yield _replan(replans.pop(0))
        result = results.get(step_id)
        status = state.statuses.get(step_id, result.status if result else "pending")
        yield _step(step_id, planned.get(step_id), result, status)
        yield from (_said(each) for each in said if _is_of(each, step_id))
    yield from map(_replan, replans)
    known = set(planned) | set(results)
    yield from (_said(each) for each in said if each.about != "plan" and each.step_id not in known)


def _order(plan: ExecutionPlan, results: Sequence[StepResult]) -> list[int]:
    """Steps that a replan has dropped stay where they were: before those that came later."""
    planned = [step.step_id for step in plan.steps]
    dropped = [result.step_id for result in results if result.step_id not in planned]
    return sorted({*planned, *dropped}) if dropped else planned


def _begins_with(replan: Replan, step_id: int) -> bool:
    return bool(replan.added) and step_id >= min(replan.added)


def _is_of(said: Intervention, step_id: int) -> bool:
    return said.about != "plan" and said.step_id == step_id


# ---- one step ----


def _step(
    step_id: int, step: PlanStep | None, result: StepResult | None, status: StepStatus
) -> str:
    action = step.action if step is not None else result.action if result is not None else ""
    title = step.description if step is not None else tell("ui.grace.plan.dropped")
    is_dropped = " sanbo-dropped" if step is None else ""
    facts = [action_word(action), tell(f"ui.grace.status.{status}")]
    if result is not None and result.duration_ms:
        facts.append(duration(result.duration_ms / 1000))
    if step is not None and step.depends_on:
        numbers = tell("ui.grace.plan.between").join(map(str, step.depends_on))
        facts.append(tell("ui.grace.plan.depends", steps=numbers))
    return (
        f'<li class="sanbo-step sanbo-{status}{is_dropped}">'
        f'<span class="sanbo-mark" aria-hidden="true">{_MARKS[status]}</span>'
        f'<div class="sanbo-step-body"><div class="sanbo-head">'
        f'<span class="sanbo-name">{step_id}. {escape(title)}</span>'
        f"{confidence_bar(result.confidence if result else None)}</div>"
        f'<div class="sanbo-above">{escape(" ・ ".join(facts))}</div>'
        f"{'' if result is None else _outcome(result)}{_details(step, result)}</div></li>"
    )


def _outcome(result: StepResult) -> str:
    pieces = [_documents(result.sources)]
    if result.reason:
        pieces.append(f'<div class="sanbo-unsure">{escape(result.reason)}</div>')
    if result.problem is not None and result.status == "failed":
        pieces.append(f'<div class="sanbo-wrong">{escape(result.problem.message)}</div>')
    return "".join(pieces)


def _documents(sources: Sequence[Source]) -> str:
    names = list(dict.fromkeys(_name(source) for source in sources))
    if not names:
        return ""
    chips = "".join(
        f'<span class="sanbo-chip">{escape(name)}</span>' for name in names[:SHOWN_DOCUMENTS]
    )
    rest = len(names) - SHOWN_DOCUMENTS
    more = f'<span class="sanbo-above">{escape(counted("more", rest))}</span>' if rest > 0 else ""
    return f'<div class="sanbo-chips">{escape(tell("ui.grace.plan.sources"))} {chips}{more}</div>'


def _name(source: Source) -> str:
    if source.page is None:
        return source.document
    return f"{source.document} {tell('ui.collections.place.page', page=source.page)}"


def _details(step: PlanStep | None, result: StepResult | None) -> str:
    lines = [*_asked(step), *_found(result)]
    if not lines:
        return ""
    body = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f"<details><summary>{escape(tell('ui.grace.plan.details'))}</summary>{body}</details>"


def _asked(step: PlanStep | None) -> Iterator[str]:
    if step is None:
        return
    if step.query and step.query != step.description:
        yield tell(f"ui.grace.plan.query.{step.action}", query=step.query)
    if step.collection:
        yield tell("ui.grace.plan.collection", collection=step.collection)
    if step.fallback:
        yield tell("ui.grace.plan.fallback", action=action_word(step.fallback))


def _found(result: StepResult | None) -> Iterator[str]:
    if result is None:
        return
    for query in result.searched:
        yield tell("ui.grace.plan.searched", query=query.text, hits=query.hits)
    found = result.statistics
    if found is not None:
        yield tell(
            "ui.grace.plan.statistics",
            hits=found.hits,
            best=percent(found.best),
            mean=percent(found.mean),
            coverage=percent(found.coverage),
        )
    if result.value is not None:
        yield tell("ui.grace.plan.value", value=f"{result.value:,.10g}")
    if result.output:
        is_long = len(result.output) > LONGEST_OUTPUT
        yield f"{result.output[:LONGEST_OUTPUT]}…" if is_long else result.output
    if result.confidence is not None:
        yield from result.confidence.explanation


# ---- between steps ----


def _replan(replan: Replan) -> str:
    strategy = tell(f"ui.grace.replan.strategy.{replan.strategy}")
    head = tell("ui.grace.replan.title", number=replan.number, strategy=strategy)
    trigger = tell(f"ui.grace.replan.trigger.{replan.trigger}")
    kept = f" ・ {counted('kept', len(replan.kept))}" if replan.kept else ""
    return (
        '<li class="sanbo-between sanbo-replan"><span class="sanbo-mark" aria-hidden="true">↻'
        f'</span><div class="sanbo-step-body"><b>{escape(head)}</b>'
        f"<div>{escape(replan.reason)}</div>"
        f'<div class="sanbo-above">{escape(trigger + kept)}</div></div></li>'
    )


def _said(intervention: Intervention) -> str:
    head = tell(f"ui.grace.said.about.{intervention.about}")
    outcome = tell(f"ui.grace.said.action.{intervention.action}")
    text = f"<div>「{escape(intervention.text)}」</div>" if intervention.text else ""
    return (
        '<li class="sanbo-between sanbo-said"><span class="sanbo-mark" aria-hidden="true">?'
        f'</span><div class="sanbo-step-body"><b>{escape(head)}</b> '
        f"{escape(outcome)}{text}</div></li>"
    )


QUICK_SECONDS, SLOW_SECONDS, WAITING_SECONDS = 0.5, 1.0, 3.0
QUICK_UNTIL = 6.0
"""After so long nobody waits for the blink of an eye, and looking takes time from the work."""
_live_texts = LiveTexts()


def draw_work(run: Run) -> None:
    """Redraws itself until the run has ended or asks; then the whole page is drawn again."""
    fragment(_draw_progress, run_every=_refresh_seconds(run))(run.run_id, _shape(run))


def draw_stop(run: Run) -> None:
    """Beside what redraws itself: a button that is drawn anew is hard to hit."""
    draw_cancel(run.run_id)


def state_of(run_id: str) -> ExecutionState:
    bench = connection.bench()
    return execution_of(bench.call(bench.workbench.events(connection.caller(), run_id)))


def _refresh_seconds(run: Run) -> float:
    if run.status is Status.WAITING:
        return WAITING_SECONDS
    is_new = elapsed(run, datetime.now(UTC)).total_seconds() < QUICK_UNTIL
    return QUICK_SECONDS if is_new else SLOW_SECONDS


def _shape(run: Run) -> tuple[object, ...]:
    """What the page is laid out by; when it changes, the whole page is drawn again."""
    ids = tuple(interaction.interaction_id for interaction in run.open_interactions)
    return _refresh_seconds(run), ids, run.status.is_final


def _draw_progress(run_id: str, shape: tuple[object, ...]) -> None:
    bench = connection.bench()
    run = bench.call(bench.workbench.get(connection.caller(), run_id))
    if _shape(run) != shape:
        st.rerun()
    state = state_of(run_id)
    text = "\n".join(_live_texts.of(bench, connection.caller(), run_id).values()).strip()
    with slot(filled=run.status is not Status.WAITING):  # then the dialog says what is wanted
        if run.status is not Status.WAITING:
            _draw_head(run, state)
    plan = plan_list(state)
    with slot(filled=bool(plan)):
        if plan:
            st.html(plan)
    with slot(filled=bool(text)):
        if text:
            st.caption(f":material/edit_note: {literal(tell('ui.grace.work.writing'))}")
            with st.container(border=True, key=f"grace-answer-live-{run_id}"):
                st.markdown(document(text))


def _draw_head(run: Run, state: ExecutionState) -> None:
    took = duration(elapsed(run, datetime.now(UTC)).total_seconds())
    doing = tell(f"ui.grace.phase.{state.phase}")
    icon = ":blue[:material/progress_activity:]"
    st.markdown(f"{icon} **{literal(doing)}** &ensp; :gray[:small[{literal(took)}]]")
