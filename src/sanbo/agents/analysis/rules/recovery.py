"""After a step that failed: another way where there is a sensible one, else a question."""

from dataclasses import replace

from sanbo.agents.analysis.decision import Decision, View
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.drafts import Plan
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    Cast,
    Distribution,
    GroupbyAgg,
    Resample,
)
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Code


def recovered(
    view: View, plan: Plan, dataset: DatasetProfile, offered: tuple[str, ...]
) -> tuple[Decision | None, Plan]:
    """A decision, or the plan that goes on; conditions are never dropped silently."""
    problem, failed = view.last_error, view.failed_spec
    assert problem is not None
    if failed is not None and failed.type == "plot":
        if not _is_asked(plan, failed):
            return None, _without(plan, failed)
        if view.done:
            return _ask(
                offered,
                tell("analysis_rules.ask.no_chart", reason=problem.message, hint=problem.hint),
            ), plan
    if isinstance(failed, Cast) and failed.unreadable == "error":
        retry = failed.model_copy(update={"unreadable": "null"})
        return _instead(
            retry, tell("analysis_rules.assumed.unreadable", column=failed.column)
        ), plan
    if (
        failed is not None
        and problem.code is Code.INPUT_VALIDATION_FAILED
        and failed.type == "analysis"
    ):
        column = _text_measure(failed, dataset)
        if column is not None:
            retry = Cast(column=column, to="number", unreadable="null")
            return _instead(retry, tell("analysis_rules.assumed.cast", column=column)), plan
    return _ask(
        offered, tell("analysis_rules.ask.failed", reason=problem.message, hint=problem.hint)
    ), plan


def _is_asked(plan: Plan, failed: PlotSpec) -> bool:
    return any(
        step.is_asked for step in plan.steps if step.plot is not None and _alike(step.plot, failed)
    )


def _alike(one: PlotSpec, other: PlotSpec) -> bool:
    return one.model_copy(update={"input": other.input}) == other


def _without(plan: Plan, failed: PlotSpec) -> Plan:
    steps = tuple(
        replace(step, plot=None) if step.plot is not None and _alike(step.plot, failed) else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _text_measure(failed: AnalysisSpec, dataset: DatasetProfile) -> str | None:
    """A column of words that was to be computed with."""
    names: list[str] = []
    if isinstance(failed, GroupbyAgg | Resample):
        names = [
            name for name, kinds in failed.metrics.items() if set(kinds) - {"count", "nunique"}
        ]
    elif isinstance(failed, Distribution):
        names = list(failed.columns)
    for name in names:
        column = dataset.column(name)
        if column is not None and column.type == "text" and failed.input == "dataset":
            return name
    return None


def _instead(spec: AnalysisSpec, assumption: str) -> Decision:
    return Decision(
        next_action="act",
        rationale=tell("analysis_rules.why.retry"),
        assumptions=(assumption,),
        analysis_spec=spec,
    )


def _ask(offered: tuple[str, ...], question: str) -> Decision:
    return Decision(
        next_action="ask",
        rationale=tell("analysis_rules.why.failed"),
        clarifying_questions=(question,),
        suggestions=offered,
    )
