"""What a failed step leaves to do: every step that is not done, once more and without it."""

from sanbo.agents.grace.arithmetic.expressions import with_numbers
from sanbo.agents.grace.planning.drafting import SEARCHES, PlanDrafting
from sanbo.agents.grace.schemas import PlanStep
from sanbo.agents.grace.thinking import DraftPlan, ReplanRequest
from sanbo.evidence.rules.queries import by_terms
from sanbo.kernel.messages import Language, tell


def the_rest(request: ReplanRequest, language: Language) -> DraftPlan:
    rest = _Rest(request, language)
    for step in request.plan.steps:
        rest.take(step)
    return rest.draft()


class _Rest:
    def __init__(self, request: ReplanRequest, language: Language) -> None:
        self._request = request
        self._language: Language = language
        self._drafting = PlanDrafting((), language, first=request.next_step_id)
        status = {result.step_id: result.status for result in request.finished}
        steps = request.plan.steps
        self._done = [step for step in steps if status.get(step.step_id) == "success"]
        self._failed = {step.step_id for step in steps if status.get(step.step_id) == "failed"}
        self._instead: dict[int, int] = {}

    @property
    def _found(self) -> list[int]:
        return [step.step_id for step in self._done if step.action in SEARCHES]

    def take(self, step: PlanStep) -> None:
        if step in self._done:
            return
        if step.step_id in self._failed and step.action == "compute":
            self._instead[step.step_id] = self._in_words(step)
        elif step.step_id not in self._failed or step.action not in SEARCHES:
            self._instead[step.step_id] = self._once_more(step)
        elif not self._found and self._is_awaited(step):
            self._instead[step.step_id] = self._in_other_words(step)
        # Else what the other searches found has to do.

    def _is_awaited(self, step: PlanStep) -> bool:
        """Not where its own alternative was tried: then steps wait for that one."""
        return any(step.step_id in each.depends_on for each in self._request.plan.steps)

    def _once_more(self, step: PlanStep) -> int:
        is_sum = step.action == "compute"
        return self._drafting.add(
            step.action,
            with_numbers(step.query, self._instead) if is_sum else step.query,
            with_numbers(step.description, self._instead) if is_sum else step.description,
            collection=step.collection,
            depends_on=self._needed(step),
        )

    def _in_words(self, step: PlanStep) -> int:
        """With the same figures it would fail again: what was found is told as it is."""
        told = tell(f"grace_plan.again.{self._request.trigger}", self._language)
        return self._drafting.reasoning(self._request.question, told, self._needed(step))

    def _in_other_words(self, step: PlanStep) -> int:
        """In a collection, whatever it was that failed."""
        query = by_terms(step.query) or step.query
        collection = step.collection or self._request.collections[0].name
        return self._drafting.search(query, collection, self._needed(step))

    def _needed(self, step: PlanStep) -> list[int]:
        """What it waited for; what is left out is made up for by all that was found."""
        done = {each.step_id for each in self._done}
        kept = [
            self._instead.get(each, each)
            for each in step.depends_on
            if each in done or each in self._instead
        ]
        if kept or not step.depends_on or step.action != "reasoning":
            return kept
        return self._found

    def draft(self) -> DraftPlan:
        """With an answer at its end, whatever was left."""
        steps = self._drafting.plan.steps
        if not any(step.action == "reasoning" for step in steps):
            searches = self._found or [self._first_search()]
            told = tell(f"grace_plan.again.{self._request.trigger}", self._language)
            self._drafting.reasoning(self._request.question, told, searches)
        return self._drafting.plan

    def _first_search(self) -> int:
        question = self._request.question
        name = self._request.collections[0].name
        return self._drafting.search(by_terms(question) or question, name)
