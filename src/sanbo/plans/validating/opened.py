"""A plan and the plans that it calls, read and ready to be looked into."""

from dataclasses import dataclass

from sanbo.plans.model import PlanSource
from sanbo.plans.validating.notes import Notes
from sanbo.plans.validating.outputs import outputs_of_node
from sanbo.plans.validating.readable import Readable, read_plan
from sanbo.plans.validating.scope import Scope
from sanbo.plans.validating.surroundings import Surroundings


@dataclass(frozen=True)
class OpenedPlan:
    plan_id: str
    """As it is called by; empty for the plan itself."""
    readable: Readable
    scope: Scope | None
    """None where nothing of it can be read."""


def open_plans(source: PlanSource, surroundings: Surroundings) -> tuple[OpenedPlan, ...]:
    """The plan itself first, then each called one; one that calls itself is there once."""
    scopes: dict[str, Scope] = {}
    main = _open("", read_plan(source.plan), scopes, surroundings)
    opened = [main]
    for plan_id, text in source.called.items():
        if text == source.plan:
            if main.scope is not None:
                scopes[plan_id] = main.scope
            continue
        called = _open(plan_id, read_plan(text), scopes, surroundings)
        if called.scope is not None:
            scopes[plan_id] = called.scope
        opened.append(called)
    if main.scope is not None:
        scopes.setdefault(main.scope.graph.id, main.scope)
    return tuple(opened)


def _open(
    plan_id: str, readable: Readable, scopes: dict[str, Scope], surroundings: Surroundings
) -> OpenedPlan:
    if readable.plan is None:
        return OpenedPlan(plan_id, readable, None)
    scope = Scope(
        graph=readable.plan,
        surroundings=surroundings,
        notes=Notes(readable.source.file, readable.marks, readable.source.text),
        outputs_of=outputs_of_node,
        called=scopes,
    )
    return OpenedPlan(plan_id, readable, scope)
