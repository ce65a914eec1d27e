"""Plans that call plans: whether they are there, what they take, what they give."""

from collections import deque

from sanbo.blocks.contract.schemas import fits
from sanbo.kernel.nearest import nearest
from sanbo.kernel.text import unseen_characters
from sanbo.plans.dependencies import calls_in
from sanbo.plans.model import Call, SubflowNode
from sanbo.plans.references import Key
from sanbo.plans.store import is_plan_id
from sanbo.plans.validating.outputs import exports_of_call, reach_export
from sanbo.plans.validating.plan_texts import suggestion
from sanbo.plans.validating.references import check_references
from sanbo.plans.validating.schemas import Missing, without_null
from sanbo.plans.validating.scope import Scope
from sanbo.plans.validating.site import Site


def check_subflow(node: SubflowNode, site: Site) -> None:
    check_call(node.call, site, "call")
    exports = exports_of_call(node.call, site.scope)
    names: dict[str, str] = {}
    for position, export in enumerate(node.out.exports):
        where: tuple[Key, ...] = ("out", "exports", position)
        found = reach_export(export.from_, exports) if exports is not None else None
        if isinstance(found, Missing):
            site.error(
                "unknown_export",
                *where,
                "from",
                plan_id=node.call.plan_id,
                name=export.from_,
                suggestion=suggestion(found.key, found.known),
            )
        if export.as_ in names:
            site.error("output_name_taken", *where, "as", name=export.as_, other=names[export.as_])
        names.setdefault(export.as_, export.from_)


def check_call(call: Call, site: Site, *below: Key) -> None:
    for name, value in call.inputs.items():
        check_references(value, site, *below, "inputs", name)
    if unseen := unseen_characters(call.plan_id):
        site.error("unseen_characters", *below, "plan_id", key="plan_id", unseen=unseen)
        return
    if not is_plan_id(call.plan_id):
        site.error("plan_outside", *below, "plan_id", plan_id=call.plan_id[:200])
        return
    called = site.scope.called.get(call.plan_id)
    if called is None:
        site.error(
            "unknown_plan",
            *below,
            "plan_id",
            plan_id=call.plan_id,
            suggestion=_meant(call.plan_id, site.scope),
        )
        return
    _check_recursion(call, called, site, below)
    variables = called.graph.vars
    for name, value in call.inputs.items():
        if name not in variables:
            site.warn(
                "unknown_plan_input",
                *below,
                "inputs",
                name,
                plan_id=call.plan_id,
                name=name,
                suggestion=suggestion(name, variables),
            )
            continue
        given = without_null(site.scope.type_of(value))
        if misfit := fits(given, called.schema_of_var(name)):
            site.error(
                "plan_input_type",
                *below,
                "inputs",
                name,
                plan_id=call.plan_id,
                name=name,
                misfit=misfit.text,
            )


def _meant(plan_id: str, scope: Scope) -> str:
    """Only plans that are called anyway are known here."""
    near = nearest(plan_id, [name for name in scope.called if name != scope.outermost.graph.id])
    return suggestion(near[0], near) if near else ""


def _check_recursion(call: Call, called: Scope, site: Site, below: tuple[Key, ...]) -> None:
    """A plan that calls itself, by way of others too, would never end."""
    own = site.scope.outermost
    way = _way_back(call.plan_id, called, own)
    if way:
        plans = " → ".join((own.graph.id, *way))
        site.error("recursive_plan", *below, "plan_id", plan_id=call.plan_id, way=plans)


def _way_back(plan_id: str, start: Scope, goal: Scope) -> tuple[str, ...]:
    """Ids of the plans that lead from one to the other, the shortest way; none where none does."""
    waiting: deque[tuple[tuple[str, ...], Scope]] = deque([((plan_id,), start)])
    seen = {id(start)}
    while waiting:
        way, scope = waiting.popleft()
        if scope is goal:
            return way
        for call in calls_in(scope.graph):
            following = scope.called.get(call.plan_id)
            if following is not None and id(following) not in seen:
                seen.add(id(following))
                waiting.append(((*way, call.plan_id), following))
    return ()
