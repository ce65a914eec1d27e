"""The next thing to do: ask, act, decline or finish; another way after a step that failed."""

import re
from dataclasses import dataclass, replace
from typing import TypeVar

from sanbo.agents.analysis.decision import Decision, OutOfScope, ResultView, View
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.columns import Columns
from sanbo.agents.analysis.rules.conversation import wanted
from sanbo.agents.analysis.rules.drafts import Plan, Unclear
from sanbo.agents.analysis.rules.measures import short
from sanbo.agents.analysis.rules.scene import table_of
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    Cast,
    Distribution,
    GroupbyAgg,
    Resample,
)
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.kernel.messages import Language, tell, use_language
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


MOST = 5
# What most tables with money in them are about.
_FOREMOST = re.compile("売上|金額|sales|revenue|amount", re.IGNORECASE)


def suggestions(profile: DatasetProfile, language: Language) -> tuple[str, ...]:
    """Each is understood by these rules; at most five."""
    columns = Columns(profile)
    amounts = sorted(columns.amounts, key=lambda name: not _FOREMOST.search(name))
    levels, times = columns.of("level"), columns.times
    groups = columns.dimensions
    numbers = [name for name in (*amounts, *levels) if columns.is_numeric(name)]
    found: list[str] = []

    def add(text_id: str, **names: str) -> None:
        shown = {key: short(name, 30) for key, name in names.items()}
        found.append(tell(f"analysis_rules.suggestion.{text_id}", language, **shown))

    if amounts and groups:
        add("total_by_group", group=groups[0], measure=amounts[0])
    elif levels and groups:
        add("mean_by_group", group=groups[0], measure=levels[0])
    elif groups:
        add("count_by_group", group=groups[0])
    if times and amounts:
        add("trend", measure=amounts[0])
    elif times:
        add("count_trend")
    if groups and amounts:
        add("share", group=groups[-1], measure=amounts[0])
    elif groups:
        add("count_share", group=groups[-1])
    if numbers:
        add("outliers", measure=numbers[0])
    if len(numbers) > 1:
        add("correlation", first=numbers[0], second=numbers[1])
    if profile.rows and any(column.missing for column in profile.columns):
        add("missing")
    add("overview")
    return tuple(dict.fromkeys(found))[:MOST]


Spec = TypeVar("Spec", bound=AnalysisSpec | PlotSpec)


@dataclass(frozen=True, slots=True)
class Understood:
    """What the conversation wants of the table: the same in every step of a turn."""

    outcome: Plan | Unclear | None
    scope: OutOfScope | None


@dataclass(frozen=True, slots=True)
class Decided:
    decision: Decision
    understood: Understood | None


def decide(view: View) -> Decision:
    """Deterministic: the same view gives the same decision."""
    return decide_on(view, None).decision


def decide_on(view: View, understood: Understood | None) -> Decided:
    """`understood`: what an earlier step of the same turn has found already."""
    with use_language(view.language):
        if understood is None and view.dataset is not None and view.questions and not view.refused:
            found = wanted(view.questions, table_of(view.dataset))
            understood = Understood(found.outcome, found.scope)
        return Decided(_decide(view, understood), understood)


def _decide(view: View, found: Understood | None) -> Decision:
    if view.dataset is None:
        return Decision(
            next_action="ask",
            rationale=tell("analysis_rules.why.no_table"),
            clarifying_questions=(tell("analysis_rules.ask.no_table"),),
        )
    offered = suggestions(view.dataset, view.language)
    if view.refused or found is None:
        return Decision(
            next_action="ask",
            rationale=tell("analysis_rules.why.refused"),
            clarifying_questions=(tell("analysis_rules.ask.something_else"),),
            suggestions=offered,
        )
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
