"""Writes the report; where its writer fails half-way, the rest is quoted from the passages."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from sanbo.agents.research.model import ResearchResult
from sanbo.agents.research.model_thinking import ModelThinking
from sanbo.agents.research.report.layout import Ending, Setting, marks_of
from sanbo.agents.research.report.writer import ReportWriter
from sanbo.agents.research.rules_thinking import RulesThinking
from sanbo.agents.research.thinking import Surroundings, Thinking
from sanbo.evidence.model import Part, Section, View
from sanbo.evidence.rules.answers import nearest
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.llm.failures import concerns_the_reply


async def write(view: View, ending: Ending, around: Surroundings) -> ResearchResult:
    """`ending` as far as it is known before the writing."""
    writing = Writing(view, around)
    partial_reason = ""
    if view.passages:
        partial_reason = await writing.by_thinking()
    if partial_reason:
        await writing.by_quoting()
    if not writing.report.answers:
        await writing.by_hinting()
    usage = around.usage()
    told = ending.model_copy(
        update={
            "partial": bool(partial_reason),
            "partial_reason": partial_reason,
            "calls": usage.calls,
            "tokens_in": usage.input_tokens,
            "tokens_out": usage.output_tokens,
            "cost": usage.cost_usd,
            "unreadable": _unreadable(around.thinking),
        }
    )
    result = await asyncio.to_thread(writing.report.finish, told)
    writing.say_the_rest(result.report_md)
    return result


class _OutOfTime(Exception):
    """The report is not whole when its time is up."""


class Writing:
    """One report in the making."""

    def __init__(self, view: View, around: Surroundings) -> None:
        self._view = view
        self._around = around
        self._told: set[tuple[Section, int]] = set()
        self.report = ReportWriter(
            view,
            language=around.language,
            style=around.parameters.report_style,
            collection=around.about.collection,
            texts=around.finder,
        )

    async def by_thinking(self) -> str:
        """Why it is not whole; empty where it is."""
        seconds, language = self._around.parameters.answer_seconds, self._around.language
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            async with _parts(self._around.thinking, self._view) as parts:
                while (part := await _next(parts, deadline)) is not None:
                    await self._add(part)
        except _OutOfTime:
            return tell("research.timed_out", language, seconds=f"{seconds:g}")
        except SanboError as error:
            if not self._told and not _is_of_the_answer(error):
                raise
            return error.problem.in_language(language).message
        return ""

    async def by_quoting(self) -> None:
        """What the passages say themselves, about all that has no sentence yet."""
        told = set(self._told)
        async with _parts(RulesThinking(self._around.language), self._view) as parts:
            async for part in parts:
                if _place(part) not in told:
                    await self._add(part)

    async def by_hinting(self) -> None:
        """What comes nearest, where nothing answers and nobody has said what does."""
        if ("nearest", 0) in self._told:
            return
        for part in await asyncio.to_thread(list, nearest(self._view, self._around.language)):
            await self._add(part)

    def say_the_rest(self, report: str) -> None:
        """Sources and trail after what was streamed; all of it where nothing was."""
        marks = marks_of(self._around.parameters.report_style)
        heading = Setting(marks, self._around.language).heading("sources")
        at = report.rfind(f"\n{heading}\n") if self._told else 0
        self._around.say(report[max(at, 0) :])

    async def _add(self, part: Part) -> None:
        # In a thread: checking a quote reads the document it is from.
        markdown = await asyncio.to_thread(self.report.add, part)
        if markdown:
            self._told.add(_place(part))
            self._around.say(markdown)


def _is_of_the_answer(error: SanboError) -> bool:
    """Not so where no other request would do better: a key that is refused."""
    return concerns_the_reply(error) or error.problem.text_id in (
        "llm_timed_out",
        "llm_fell_silent",
        "research_answer_unreadable",
    )


def _unreadable(thinking: Thinking) -> int:
    return thinking.unreadable if isinstance(thinking, ModelThinking) else 0


def _place(part: Part) -> tuple[Section, int]:
    return part.section, part.sub_question if part.section == "finding" else 0


def _parts(thinking: Thinking, view: View) -> aclosing[AsyncGenerator[Part]]:
    """Closed at once, not when it is collected: a model's stream holds a connection."""
    return aclosing(cast("AsyncGenerator[Part]", thinking.answer(view)))


async def _next(parts: AsyncGenerator[Part], deadline: float) -> Part | None:
    # Around each part and not the whole: the report is never left in the middle of a sentence.
    limit = asyncio.timeout_at(deadline)
    try:
        async with limit:
            return await anext(parts, None)
    except TimeoutError:
        if not limit.expired():
            raise
        raise _OutOfTime from None
