"""Thinking with a language model: it plans, words and judges itself; code checks what it says."""

import math
import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from sanbo.agents.grace import prompts
from sanbo.agents.grace.planning.drafts import searching
from sanbo.agents.grace.schemas import Action, PlanStep, StepResult
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.thinking import (
    Answer,
    AnswerRequest,
    DraftPlan,
    PlanRequest,
    ReplanRequest,
    SearchTurn,
)
from sanbo.evidence.model import Part, Passage, Quoted, View, plain
from sanbo.evidence.passages_given import given, told
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language
from sanbo.llm.model import HumanMessage, Message, Model, SystemMessage, Wish
from sanbo.llm.shown_data import as_data, cut
from sanbo.retrieval.tokens import letters

LONGEST_OUTPUT = 400
"""Letters of what an earlier step has come to."""
LONGEST_INFORMATION = 2_000
MOST_COLLECTIONS = 50
RELEVANT = 0.5
LEAST_PASSAGES = 8
_LONGEST_WHEN_SEARCHING = 200
"""Tokens of one passage: to see what is missing takes less of it than to quote."""
_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff]")


def plan_asked(request: PlanRequest, language: Language) -> list[Message]:
    system = prompts.PLAN.format(
        web=prompts.WEB if request.web_search else "",
        first=1,
        most=request.max_steps,
        language=prompts.LANGUAGES[language],
    )
    now = prompts.PLAN_NOW.format(data=as_data(_known(request)), language=prompts.SPOKEN[language])
    return [SystemMessage(system), HumanMessage(now)]


def replan_asked(request: ReplanRequest, language: Language) -> list[Message]:
    full = request.strategy == "full"
    system = prompts.REPLAN.format(
        web=prompts.WEB if request.web_search else "",
        first=request.next_step_id,
        most=request.max_steps,
        language=prompts.LANGUAGES[language],
        task=prompts.REPLAN_FULL if full else prompts.REPLAN_PARTIAL,
    )
    shown = {
        **_known(request),
        "plan": [
            step.model_dump(include={"step_id", "action", "query", "depends_on"})
            for step in request.plan.steps
        ],
        "finished": [_result(each) for each in request.finished],
        "queries_made": [each.text for result in request.finished for each in result.searched],
        "reason": request.trigger,
        "caused_by": _result(request.cause) if request.cause else None,
    }
    now = prompts.REPLAN_NOW.format(data=as_data(shown), language=prompts.SPOKEN[language])
    return [SystemMessage(system), HumanMessage(now)]


def answer_asked(request: AnswerRequest, language: Language, most: int) -> list[Message]:
    system = prompts.ANSWER.format(language=prompts.LANGUAGES[language], most=most)
    steps = sorted({_step_of(each) for each in request.passages})
    view = View(
        question=request.question,
        passages=tuple(
            each.model_copy(update={"cycle": steps.index(_step_of(each)) + 1})
            for each in request.passages
        ),
        cycle=len(steps),
        relevance_threshold=RELEVANT,
        min_docs_count=LEAST_PASSAGES,
    )
    shown = {
        "today": date.today().isoformat(),
        "question": request.question,
        "said_by_the_person": _said(request.information),
        "earlier": [_result(each) for each in request.earlier if each.status == "success"],
        "queries_made": [each.text for result in request.earlier for each in result.searched],
        "passages": told(given(view, request.passage_tokens)),
    }
    now = prompts.ANSWER_NOW.format(data=as_data(shown), language=prompts.SPOKEN[language])
    return [SystemMessage(system), HumanMessage(now)]


def _step_of(passage: Passage) -> int:
    """Which step has found it: `P3001`."""
    return int(passage.id[1:-3] or 0)


def search_asked(
    question: str, searched: Sequence[str], passages: Sequence[Passage], budget: int
) -> list[Message]:
    view = View(question=question, passages=tuple(passages), min_docs_count=LEAST_PASSAGES)
    shown = {
        "question": question,
        "searched": list(searched),
        "passages": told(given(view, budget, _LONGEST_WHEN_SEARCHING)),
    }
    language = prompts.SPOKEN["ja" if _JAPANESE.search(question) else "en"]
    now = prompts.SEARCH_TURN_NOW.format(data=as_data(shown), language=language)
    return [SystemMessage(prompts.SEARCH_TURN), HumanMessage(now)]


def _known(request: PlanRequest) -> dict[str, object]:
    return {
        "question": request.question,
        "collections": [
            each.model_dump(exclude_none=True) for each in request.collections[:MOST_COLLECTIONS]
        ],
        "said_by_the_person": _said(request.information),
    }


def _said(information: Sequence[str]) -> list[str]:
    return [cut(text, LONGEST_INFORMATION) for text in information]


def _result(result: StepResult) -> dict[str, object]:
    shown: dict[str, object] = {
        "step_id": result.step_id,
        "action": result.action,
        "status": result.status,
        "output": cut(result.output, LONGEST_OUTPUT),
    }
    if result.value is not None:
        shown["value"] = result.value
    if result.confidence is not None:
        shown["confidence"] = round(result.confidence.score, 2)
    if result.problem is not None:
        shown["problem"] = result.problem.message
    return shown


MOST_SENTENCES = 8
MOST_QUOTES = 6
MOST_SEARCHES = 3
LONGEST_SENTENCE = 1_000
LONGEST_QUOTE = 4_000
"""Longer than any passage: what is more need not be looked up."""
LONGEST_QUERY = 300
MOST_STEPS = 100
"""Of a draft that is looked at at all; a plan's own limit is checked later."""
_WISH = Wish(most_tokens=4_000, temperature=0)


def _at_most(count: int) -> FieldInfo:
    """Told in the schema; what is more all the same is left out, not refused."""
    return FieldInfo(json_schema_extra={"maxItems": count})


class StepGiven(BaseModel):
    step_id: int = Field(ge=1)
    action: Action
    description: str
    query: str
    collection: str | None
    depends_on: list[int]
    fallback: Action | None


class PlanGiven(BaseModel):
    steps: Annotated[list[StepGiven], _at_most(MOST_STEPS)]
    requires_confirmation: bool


class QuoteGiven(BaseModel):
    passage: str
    quote: str


class SentenceGiven(BaseModel):
    section: Literal["finding", "disagreement", "nearest"]
    quotes: Annotated[list[QuoteGiven], _at_most(MOST_QUOTES)]
    text: str


class SelfEvaluation(BaseModel):
    accuracy: float
    completeness: float


class AnswerGiven(BaseModel):
    sentences: Annotated[list[SentenceGiven], _at_most(MOST_SENTENCES)]
    self_evaluation: SelfEvaluation
    searches: Annotated[list[str], _at_most(MOST_SEARCHES)]


class TurnGiven(BaseModel):
    thought: str
    query: str


class ModelThinking:
    def __init__(self, model: Model, language: Language, settings: GraceSettings) -> None:
        self._model = model
        self._language: Language = language
        self._settings = settings

    async def plan(self, request: PlanRequest) -> DraftPlan:
        asked = plan_asked(request, self._language)
        given = await self._model.structured(asked, PlanGiven, purpose="grace.plan", wish=_WISH)
        return _draft(given)

    async def replan(self, request: ReplanRequest) -> DraftPlan:
        """Who has read that the answer is not there has said what to search for: a call less."""
        answers = [each for each in request.finished if each.action == "reasoning"]
        if request.trigger == "low_confidence" and answers and answers[-1].wanted:
            return searching(request, answers[-1].wanted, self._language)
        asked = replan_asked(request, self._language)
        given = await self._model.structured(asked, PlanGiven, purpose="grace.replan", wish=_WISH)
        return _draft(given)

    async def answer(self, request: AnswerRequest) -> Answer:
        """Nothing to read, nothing to say."""
        if not request.passages:
            return Answer(parts=())
        asked = answer_asked(request, self._language, MOST_SENTENCES)
        given = await self._model.structured(asked, AnswerGiven, purpose="grace.answer", wish=_WISH)
        parts = tuple(_part(each) for each in given.sentences[:MOST_SENTENCES])
        own = given.self_evaluation
        # As good as its weaker side: a sure half of an answer is half an answer.
        weaker = min(_share(own.accuracy), _share(own.completeness))
        searches = dict.fromkeys(one_line(each, LONGEST_QUERY) for each in given.searches)
        wanted = tuple(query for query in searches if query)[:MOST_SEARCHES]
        return Answer(parts=parts, self_evaluation=weaker, searches=wanted)

    async def search_turn(
        self, question: str, searched: Sequence[str], passages: Sequence[Passage]
    ) -> SearchTurn:
        budget = self._settings.limits.passage_tokens // 2
        asked = search_asked(question, searched, passages, budget)
        given = await self._model.structured(
            asked, TurnGiven, purpose="grace.search_turn", wish=_WISH
        )
        query = one_line(given.query, LONGEST_QUERY)
        made = {letters(each) for each in searched}
        return SearchTurn(query="" if letters(query) in made else query)


def _draft(given: PlanGiven) -> DraftPlan:
    """As it was given: what is wrong with it is found by code, and told."""
    return DraftPlan(
        steps=tuple(_step(each) for each in given.steps[:MOST_STEPS]),
        requires_confirmation=given.requires_confirmation,
    )


def _step(given: StepGiven) -> PlanStep:
    return PlanStep(
        step_id=given.step_id,
        action=given.action,
        description=one_line(given.description),
        query=plain(given.query),
        collection=given.collection or None,
        depends_on=tuple(dict.fromkeys(given.depends_on)),
        fallback=given.fallback,
    )


def _part(given: SentenceGiven) -> Part:
    quotes = (
        Quoted(passage=each.passage, quote=each.quote[:LONGEST_QUOTE])
        for each in given.quotes[:MOST_QUOTES]
    )
    text = one_line(given.text, LONGEST_SENTENCE)
    return Part(section=given.section, text=text, quotes=tuple(quotes))


def _share(number: float) -> float:
    """From 0 to 1, whatever a model says; what is no number speaks for nothing."""
    return min(1.0, max(0.0, number)) if math.isfinite(number) else 0.0
