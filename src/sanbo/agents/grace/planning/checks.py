"""Whether a plan can be carried out: what is wrong with it, told to a person."""

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from sanbo.agents.grace.arithmetic.expressions import parse, steps_of
from sanbo.agents.grace.planning.drafting import LONGEST_QUERY, SEARCHES, first_number, shown
from sanbo.agents.grace.schemas import Action, PlanStep
from sanbo.agents.grace.thinking import DraftPlan, PlanRequest, ReplanRequest
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidOutput

LONGEST_DESCRIPTION = 300
LARGEST_NUMBER = 999_999
"""What an expression can name; and a checkpoint holds no whole number of any size."""
_GIVES_A_FIGURE: frozenset[Action] = frozenset({"reasoning", "compute", "ask_user"})


def check(draft: DraftPlan, request: PlanRequest, language: Language | None = None) -> list[str]:
    """Empty where every step can run, and in an order in which what it needs is there."""
    return list(_Check(draft, request, language).findings())


class _Check:
    def __init__(self, draft: DraftPlan, request: PlanRequest, language: Language | None) -> None:
        self._steps = draft.steps
        self._request = request
        self._language: Language | None = language
        self._own: Mapping[int, PlanStep] = {step.step_id: step for step in draft.steps}
        self._kept = _kept(request)
        self._known = {**self._kept, **self._own}

    def findings(self) -> Iterator[str]:
        if not self._steps:
            yield self._told("empty")
            return
        most = self._request.max_steps
        if len(self._steps) > most:
            yield self._told("too_many", count=len(self._steps), most=most)
        yield from self._numbers()
        yield from self._order()
        for step in self._steps:
            yield from self._texts(step)
            yield from self._needs(step)
        if self._steps[-1].action != "reasoning":
            yield self._told("no_answer")

    def _told(self, finding: str, **params: object) -> str:
        return tell(f"grace_plan.check.{finding}", self._language, **params)

    # ---- numbers and order ------------------------------------------------------------------

    def _numbers(self) -> Iterator[str]:
        seen: set[int] = set()
        first = first_number(self._request)
        for step in self._steps:
            if step.step_id in seen:
                yield self._told("twice", step=step.step_id)
            if step.step_id > LARGEST_NUMBER:
                yield self._told("large_number", step=shown(str(step.step_id)))
            if step.step_id < first:
                yield self._told("reused", step=step.step_id, first=first)
            seen.add(step.step_id)

    def _order(self) -> Iterator[str]:
        circle = self._circle()
        if circle:
            yield self._told("cyclic", steps=" → ".join(f"#{step}" for step in circle))
        earlier = set(self._kept)
        for step in self._steps:
            for needed in step.depends_on:
                if needed not in self._known:
                    yield self._told("unknown_step", step=step.step_id, needed=needed)
                elif needed not in earlier and not circle:
                    yield self._told("forward", step=step.step_id, needed=needed)
            earlier.add(step.step_id)

    def _circle(self) -> list[int]:
        graph = {step.step_id: set(step.depends_on) for step in self._steps}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            return list(error.args[1])
        return []

    # ---- what a step says and needs ---------------------------------------------------------

    def _texts(self, step: PlanStep) -> Iterator[str]:
        if not step.description.strip():
            yield self._told("no_description", step=step.step_id)
        if len(step.description) > LONGEST_DESCRIPTION:
            yield self._told("long_description", step=step.step_id, most=LONGEST_DESCRIPTION)
        if not step.query.strip():
            yield self._told("no_query", step=step.step_id)
        if len(step.query) > LONGEST_QUERY:
            yield self._told("long_query", step=step.step_id, most=LONGEST_QUERY)

    def _needs(self, step: PlanStep) -> Iterator[str]:
        if "web_search" in (step.action, step.fallback) and not self._request.web_search:
            yield self._told("no_web", step=step.step_id)
        if step.action in {"rag_search", "run_legacy_agent"}:
            yield from self._collection(step)
        elif step.action == "reasoning" and not self._rests_on_a_search(step):
            yield self._told("no_sources", step=step.step_id)
        elif step.action == "compute":
            yield from self._expression(step)
        if step.fallback in {step.action, "compute"}:
            yield self._told("no_fallback", step=step.step_id)

    def _collection(self, step: PlanStep) -> Iterator[str]:
        names = {known.name for known in self._request.collections}
        if step.collection is None:
            yield self._told("no_collection", step=step.step_id)
        elif step.collection not in names:
            name = shown(step.collection)
            yield self._told("unknown_collection", step=step.step_id, collection=name)

    def _rests_on_a_search(self, step: PlanStep) -> bool:
        """Directly, or by what an earlier answer rests on."""
        open_steps, seen = list(step.depends_on), set[int]()
        while open_steps:
            needed = open_steps.pop()
            if needed in seen or needed not in self._known:
                continue
            seen.add(needed)
            if self._known[needed].action in SEARCHES:
                return True
            open_steps += self._known[needed].depends_on
        return False

    def _expression(self, step: PlanStep) -> Iterator[str]:
        if not step.query.strip():
            return
        try:
            used = set(steps_of(parse(step.query)))
        except InvalidOutput:
            yield self._told("no_expression", step=step.step_id, expression=shown(step.query))
            return
        for needed in sorted(used):
            if needed not in step.depends_on:
                yield self._told("figure_unknown", step=step.step_id, needed=needed)
            elif needed in self._known and self._known[needed].action not in _GIVES_A_FIGURE:
                yield self._told("no_figure", step=step.step_id, needed=needed)


def _kept(request: PlanRequest) -> dict[int, PlanStep]:
    """Finished steps that new ones may depend on."""
    if not isinstance(request, ReplanRequest):
        return {}
    done = {result.step_id for result in request.finished if result.status == "success"}
    return {step.step_id: step for step in request.plan.steps if step.step_id in done}
