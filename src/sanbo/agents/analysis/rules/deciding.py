"""The next thing to do: ask, act, decline or finish."""

from typing import TypeVar

from sanbo.agents.analysis.decision import Decision, ResultView, View
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.conversation import wanted
from sanbo.agents.analysis.rules.drafts import Plan, Unclear
from sanbo.agents.analysis.rules.recovery import recovered
from sanbo.agents.analysis.rules.scene import table_of
from sanbo.agents.analysis.rules.suggestions import suggestions
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.kernel.messages import tell, use_language

Spec = TypeVar("Spec", bound=AnalysisSpec | PlotSpec)


def decide(view: View) -> Decision:
    """Deterministic: the same view gives the same decision."""
    with use_language(view.language):
        return _decide(view)


def _decide(view: View) -> Decision:
    if view.dataset is None:
        return Decision(
            next_action="ask",
            rationale=tell("analysis_rules.why.no_table"),
            clarifying_questions=(tell("analysis_rules.ask.no_table"),),
        )
    offered = suggestions(view.dataset, view.language)
    questions = [turn.text for turn in view.turns if turn.role == "user"]
    if view.refused or not questions:
        return Decision(
            next_action="ask",
            rationale=tell("analysis_rules.why.refused"),
            clarifying_questions=(tell("analysis_rules.ask.something_else"),),
            suggestions=offered,
        )
    found = wanted(questions, table_of(view.dataset))
    if found.scope:
        return Decision(
            next_action="out_of_scope",
            rationale=tell(f"analysis_rules.why.{found.scope}"),
            scope=found.scope,
            suggestions=offered,
        )
    if not isinstance(found.outcome, Plan):
        assert isinstance(found.outcome, Unclear)
        return Decision(
            next_action="ask",
            rationale=tell("analysis_rules.why.unclear"),
            clarifying_questions=(found.outcome.question,),
            suggestions=_offers(found.outcome, offered),
        )
    return _onward(view, found.outcome, view.dataset, offered)


def _offers(unclear: Unclear, offered: tuple[str, ...]) -> tuple[str, ...]:
    return () if unclear.choices else offered


def _onward(view: View, plan: Plan, dataset: DatasetProfile, offered: tuple[str, ...]) -> Decision:
    """The plan's first step that is not done."""
    if view.last_error is not None and view.last_error.text_id != "analysis_repeated":
        decision, plan = recovered(view, plan, dataset, offered)
        if decision is not None:
            return decision
    ids: list[str | None] = []
    for number, step in enumerate(plan.steps):
        analysis = _bound(step.analysis, ids)
        done = _result(view, analysis)
        ids.append(done.result_id if done else None)
        plot = None if step.plot is None else _bound(step.plot, ids)
        plot_is_due = (
            plot is not None and not plot.input.startswith("$") and _result(view, plot) is None
        )
        if analysis is not None and done is None:
            return _act(analysis, plot if plot_is_due else None, plan, number)
        if plot_is_due:
            return _act(None, plot, plan, number)
    return Decision(
        next_action="finalize",
        rationale=tell("analysis_rules.why.done"),
        suggestions=_further(offered),
    )


def _further(offered: tuple[str, ...]) -> tuple[str, ...]:
    return offered[:3]


def _act(analysis: AnalysisSpec | None, plot: PlotSpec | None, plan: Plan, number: int) -> Decision:
    return Decision(
        next_action="act",
        rationale=tell("analysis_rules.why.step", number=number + 1, count=len(plan.steps)),
        assumptions=plan.assumptions,
        analysis_spec=analysis,
        plot_spec=plot,
    )


def _bound(spec: Spec | None, ids: list[str | None]) -> Spec | None:
    """With the ids that earlier steps' results got."""
    if spec is None or not spec.input.startswith("$"):
        return spec
    place = int(spec.input[1:])
    result_id = ids[place] if place < len(ids) else None
    return spec if result_id is None else spec.model_copy(update={"input": result_id})


def _result(view: View, spec: AnalysisSpec | PlotSpec | None) -> ResultView | None:
    if spec is None:
        return None
    return next((one for one in view.done if one.spec == spec), None)
