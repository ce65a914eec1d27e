"""What a model is shown when it is asked: the task in words, all else as data."""

import re
from collections.abc import Sequence

from sanbo.agents.grace import prompts
from sanbo.agents.grace.schemas import StepResult
from sanbo.agents.grace.thinking import AnswerRequest, PlanRequest, ReplanRequest
from sanbo.evidence.model import Passage, View
from sanbo.evidence.passages_given import given, told
from sanbo.kernel.messages import Language
from sanbo.llm.model import HumanMessage, Message, SystemMessage
from sanbo.llm.shown_data import as_data, cut

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
    view = View(
        question=request.question,
        passages=request.passages,
        relevance_threshold=RELEVANT,
        min_docs_count=LEAST_PASSAGES,
    )
    shown = {
        "question": request.question,
        "said_by_the_person": _said(request.information),
        "earlier": [_result(each) for each in request.earlier if each.status == "success"],
        "passages": told(given(view, request.passage_tokens)),
    }
    now = prompts.ANSWER_NOW.format(data=as_data(shown), language=prompts.SPOKEN[language])
    return [SystemMessage(system), HumanMessage(now)]


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
