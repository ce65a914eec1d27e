"""Thinking with a language model: it reads, asks for more, and words; code checks what it says."""

import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import date

from sanbo.agents.research import prompts
from sanbo.agents.research.answer_stream import PartScanner, WrittenSearch, parts_of
from sanbo.agents.research.decision import distinct
from sanbo.agents.research.model import Decision
from sanbo.agents.research.rules_thinking import standing
from sanbo.agents.research.settings import ResearchSettings
from sanbo.agents.research.thinking import SearchWanted
from sanbo.evidence.model import Expansion, Part, View
from sanbo.evidence.passages_given import given, told
from sanbo.evidence.rules import expand
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidOutput
from sanbo.llm.model import HumanMessage, Message, Model, SystemMessage
from sanbo.llm.shown_data import as_data
from sanbo.sandbox.calls import apart

log = logging.getLogger(__name__)

LONGEST_QUERY = 200
LONGEST_REASON = 500


class ModelThinking:
    def __init__(self, model: Model, language: Language, settings: ResearchSettings) -> None:
        self._model = model
        self._language: Language = language
        self._settings = settings
        self.unreadable = 0
        """Objects of the last answer that were no sentence."""

    async def expand(self, question: str) -> Expansion:
        """By its words: what they do not find, the model searches for once it has read."""
        return await apart(expand, question, self._settings.queries_per_cycle)

    async def decide(self, view: View) -> Decision:
        """By the limits; where they are not reached, the model says so when it reads."""
        state = await apart(standing, view)
        kind = "limits_reached" if state.is_reached else "limits_not_reached"
        reason = tell(
            f"research.{kind}",
            self._language,
            found=state.relevant,
            wanted=state.wanted,
            threshold=int(view.relevance_threshold * 100),
        )
        # In a later cycle the model has said before that it does not suffice.
        enough = state.is_reached or view.cycle < max(view.max_cycles, 2)
        return Decision(enough=enough, reason=reason, decided_by="rules")

    async def answer(self, view: View) -> AsyncIterator[Part]:
        """`SearchWanted` where the model wants to search again before it answers."""
        may_search = view.cycle < view.max_cycles and not (await apart(standing, view)).is_reached
        scanner = PartScanner(lambda wish: self._search(wish, view) if may_search else None)
        messages = self._answer_messages(view, may_search=may_search)
        pieces = self._model.stream(messages, purpose="research.answer")
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

    def _search(self, wish: WrittenSearch, view: View) -> None:
        queries = distinct(
            (one_line(query, LONGEST_QUERY) for query in wish.queries),
            self._settings.queries_per_cycle,
            without=(query.text for query in view.queries),
        )
        if queries:
            raise SearchWanted(one_line(wish.text, LONGEST_REASON), queries)

    def _answer_messages(self, view: View, *, may_search: bool) -> list[Message]:
        language = prompts.LANGUAGES[self._language]
        most = self._settings.queries_per_cycle
        search = prompts.SEARCH.format(language=language, queries=most) if may_search else ""
        shown = {
            "today": date.today().isoformat(),
            **_asked(view),
            "queries_made": [query.text for query in view.queries],
            "passages": told(given(view, self._settings.passage_tokens)),
        }
        return [
            SystemMessage(prompts.ANSWER.format(language=language, search=search)),
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
