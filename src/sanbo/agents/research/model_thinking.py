"""Thinking with a language model: it takes apart, judges and words; code checks what it says."""

import logging
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing

from pydantic import BaseModel

from sanbo.agents.research import prompts
from sanbo.agents.research.answer_stream import PartScanner, parts_of
from sanbo.agents.research.model import Decision
from sanbo.agents.research.settings import ResearchSettings
from sanbo.evidence.model import Expansion, Part, View
from sanbo.evidence.passages_given import given, told
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import InvalidOutput
from sanbo.kernel.text import matching_form
from sanbo.llm.model import HumanMessage, Message, Model, SystemMessage
from sanbo.llm.shown_data import as_data

log = logging.getLogger(__name__)

MOST_SUB_QUESTIONS = 5
MOST_MISSING = 5
LONGEST_QUERY = 200
LONGEST_QUESTION = 300
LONGEST_REASON = 500
DECIDING_SHARE = 0.5
"""Of the budget for passages: to judge them takes less of each than to quote them."""
LONGEST_WHEN_DECIDING = 300
"""Tokens of one passage."""


_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff]")


class Expanded(BaseModel):
    sub_questions: list[str]
    queries: list[str]


class Decided(BaseModel):
    enough: bool
    reason: str
    missing: list[str]
    next_queries: list[str]


class ModelThinking:
    def __init__(self, model: Model, language: Language, settings: ResearchSettings) -> None:
        self._model = model
        self._language: Language = language
        self._settings = settings
        self.unreadable = 0
        """Objects of the last answer that were no sentence."""

    async def expand(self, question: str) -> Expansion:
        most = self._settings.queries_per_cycle
        system = prompts.EXPAND.format(sub_questions=MOST_SUB_QUESTIONS, queries=most)
        expanded = await self._model.structured(
            [
                SystemMessage(system),
                HumanMessage(
                    prompts.EXPAND_NOW.format(
                        data=as_data({"question": question}),
                        language=prompts.SPOKEN[_language_of(question)],
                    )
                ),
            ],
            Expanded,
            purpose="research.expand",
        )
        asked = _different(expanded.sub_questions, LONGEST_QUESTION)[:MOST_SUB_QUESTIONS]
        # The question itself is always searched for: its own words are what documents answer.
        return Expansion(
            sub_questions=tuple(asked) or (question,),
            queries=tuple(_different([question, *expanded.queries], LONGEST_QUERY)[:most]),
        )

    async def decide(self, view: View) -> Decision:
        most = self._settings.queries_per_cycle
        system = prompts.DECIDE.format(language=prompts.LANGUAGES[self._language], queries=most)
        budget = int(self._settings.passage_tokens * DECIDING_SHARE)
        shown = {
            **_asked(view),
            "queries_made": [{"query": each.text, "hits": each.hits} for each in view.queries],
            "cycle": view.cycle,
            "passages": told(given(view, budget, LONGEST_WHEN_DECIDING)),
        }
        decided = await self._model.structured(
            [
                SystemMessage(system),
                HumanMessage(
                    prompts.DECIDE_NOW.format(
                        data=as_data(shown), language=prompts.SPOKEN[self._language]
                    )
                ),
            ],
            Decided,
            purpose="research.decide",
        )
        made = {matching_form(query.text) for query in view.queries}
        new = [
            query
            for query in _different(decided.next_queries, LONGEST_QUERY)
            if matching_form(query) not in made
        ]
        return Decision(
            enough=decided.enough,
            reason=one_line(decided.reason, LONGEST_REASON),
            missing=tuple(_different(decided.missing, LONGEST_QUESTION)[:MOST_MISSING]),
            next_queries=() if decided.enough else tuple(new[:most]),
            decided_by="model",
        )

    async def answer(self, view: View) -> AsyncIterator[Part]:
        scanner = PartScanner()
        pieces = self._model.stream(self._answer_messages(view), purpose="research.answer")
        try:
            async with aclosing(parts_of(pieces, scanner)) as parts:
                async for part in parts:
                    yield part
        finally:
            self.unreadable = scanner.skipped
        if scanner.skipped:
            log.warning("%d objects of an answer could not be read", scanner.skipped)
        if not scanner.found:
            raise InvalidOutput(
                "research_answer_unreadable",
                model=self._model.engine.model,
                details={"unreadable": scanner.skipped},
            )

    def _answer_messages(self, view: View) -> list[Message]:
        system = prompts.ANSWER.format(language=prompts.LANGUAGES[self._language])
        shown = {**_asked(view), "passages": told(given(view, self._settings.passage_tokens))}
        return [
            SystemMessage(system),
            HumanMessage(
                prompts.ANSWER_NOW.format(
                    data=as_data(shown), language=prompts.SPOKEN[self._language]
                )
            ),
        ]


def _asked(view: View) -> dict[str, object]:
    questions = view.sub_questions or (view.question,)
    return {
        "question": view.question,
        "sub_questions": {str(place): text for place, text in enumerate(questions, 1)},
    }


def _language_of(question: str) -> Language:
    """What documents that answer it are most likely written in."""
    return "ja" if _JAPANESE.search(question) else "en"


def _different(texts: Iterable[str], longest: int) -> list[str]:
    """Each on one line, none empty, none twice."""
    kept: dict[str, str] = {}
    for text in texts:
        if line := one_line(text, longest):
            kept.setdefault(matching_form(line), line)
    return list(kept.values())
