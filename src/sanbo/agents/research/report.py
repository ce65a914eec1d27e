"""The report, written while the answer comes in, and once more as a whole at its end.

Where its writer fails half-way, the rest is quoted from the passages.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from sanbo.agents.research.model import Finding, ResearchResult
from sanbo.agents.research.model_thinking import ModelThinking
from sanbo.agents.research.report_layout import Content, Ending, Setting, Style, marks_of
from sanbo.agents.research.rules_thinking import RulesThinking
from sanbo.agents.research.thinking import Surroundings, Thinking
from sanbo.evidence.citations import Citations, SentenceCheck, SourceTexts, spoken
from sanbo.evidence.model import Part, Section, Sentence, View
from sanbo.evidence.rules.answers import nearest
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import SanboError
from sanbo.kernel.text import matching_form
from sanbo.llm.failures import concerns_the_reply


class ReportWriter:
    """Reads documents to check quotes: call it in a thread where the loop must not wait."""

    def __init__(
        self,
        view: View,
        *,
        language: Language,
        style: Style,
        collection: str,
        texts: SourceTexts,
    ) -> None:
        self._view = view
        self._language: Language = language
        self._collection = collection
        self._questions = view.sub_questions or (view.question,)
        self._setting = Setting(marks_of(style), language)
        self._citations = Citations(view.passages, texts)
        self._check = SentenceCheck(self._citations, language)
        self._sentences: dict[tuple[Section, int], list[Sentence]] = defaultdict(list)
        self._gaps: list[str] = []
        self._said: set[tuple[Section, int, str]] = set()
        self._at: tuple[str, int] | None = None

    def add(self, part: Part) -> str:
        """What to stream now; nothing where the sentence is refused or was said before."""
        place = self._place(part)
        said = (*place, matching_form(spoken(part.text)))
        if said in self._said:
            return ""
        line = self._add_gap(part) if part.section == "gap" else self._add_sentence(part, place)
        if line:
            self._said.add(said)
        return f"{self._headings(place)}{line}\n" if line else ""

    @property
    def answers(self) -> bool:
        """Whether there is a sentence that answers anything yet."""
        sections: tuple[Section, ...] = ("summary", "finding", "disagreement")
        return any(section in sections for section, _ in self._sentences)

    def finish(self, ending: Ending) -> ResearchResult:
        """The whole report; it replaces what was streamed."""
        content = self._content(ending)
        return ResearchResult(
            question=self._view.question,
            collection=self._collection,
            session=ending.session,
            report_md=self._setting.report(content),
            answered=content.answered,
            summary=content.summary,
            findings=content.findings,
            disagreements=content.disagreements,
            gaps=content.gaps,
            nearest=content.nearest,
            citations=content.citations,
            cycles=self._view.cycle,
            stop_reason=ending.stop_reason,
            queries=self._view.queries,
            partial=ending.partial,
            partial_reason=ending.partial_reason,
            refused=content.refused,
            marked=content.marked,
        )

    def _place(self, part: Part) -> tuple[Section, int]:
        known = part.section == "finding" and 0 <= part.sub_question < len(self._questions)
        return part.section, part.sub_question if known else 0

    def _add_sentence(self, part: Part, place: tuple[Section, int]) -> str:
        is_hint = part.section == "nearest"
        sentence = self._check.hint(part) if is_hint else self._check.accept(part)
        if sentence is None:
            return ""
        self._sentences[place].append(sentence)
        return self._setting.sentence(sentence)

    def _add_gap(self, part: Part) -> str:
        text = spoken(part.text)
        if not text:
            return ""
        self._gaps.append(text)
        return self._setting.gap(text)

    def _headings(self, place: tuple[Section, int]) -> str:
        """Those that begin with this sentence; the stream may come back to a section."""
        section, question = place
        name = "differences" if section in ("disagreement", "gap") else section
        blocks: list[str] = []
        if self._at is None:
            blocks.append(self._setting.title(self._view.question))
        if self._at is None or self._at[0] != name:
            blocks.append(self._setting.section_heading(section))
        if section == "finding" and self._at != (name, question) and len(self._questions) > 1:
            blocks.append(self._setting.subheading(self._questions[question]))
        begun = self._at is not None
        self._at = (name, question)
        if not blocks:
            return ""
        return ("\n" if begun else "") + "\n\n".join(blocks) + "\n\n"

    def _content(self, ending: Ending) -> Content:
        findings = tuple(
            Finding(sub_question=text, sentences=tuple(self._sentences.get(("finding", at), ())))
            for at, text in enumerate(self._questions)
        )
        return Content(
            view=self._view,
            collection=self._collection,
            summary=tuple(self._sentences.get(("summary", 0), ())),
            findings=findings,
            disagreements=tuple(self._sentences.get(("disagreement", 0), ())),
            gaps=self._all_gaps(findings, ending),
            nearest=tuple(self._sentences.get(("nearest", 0), ())),
            citations=self._citations.numbered,
            refused=self._check.refused,
            marked=self._check.marked,
            ending=ending,
        )

    def _all_gaps(self, findings: tuple[Finding, ...], ending: Ending) -> tuple[str, ...]:
        """What the answer says, and what it leaves open without saying so."""
        gaps = [*self._gaps, *self._open(findings)]
        if missing := self._still_missing(findings, gaps, ending):
            told = tell("research_report.and", self._language).join(missing)
            gaps.append(tell("research_report.differences.missing", self._language, missing=told))
        return tuple(gaps)

    def _still_missing(
        self, findings: tuple[Finding, ...], gaps: list[str], ending: Ending
    ) -> list[str]:
        """What the last decision missed, unless a finding answers it or a gap tells it."""
        last = ending.decisions[-1] if ending.decisions else None
        if last is None or last.enough or not any(each.sentences for each in findings):
            return []
        answered = {matching_form(each.sub_question) for each in findings if each.sentences}
        told = matching_form(" ".join(gaps))
        missing = ((spoken(each), matching_form(spoken(each))) for each in last.missing)
        return [
            each
            for each, form in missing
            if form not in answered and form.rstrip("。.?") not in told
        ]

    def _open(self, findings: tuple[Finding, ...]) -> list[str]:
        """Sub-questions that nothing was found about, while something was about others."""
        if not any(finding.sentences for finding in findings):
            return []
        told = matching_form(" ".join(self._gaps))
        silent = [spoken(each.sub_question) for each in findings if not each.sentences]
        return [
            tell("research_report.differences.not_answered", self._language, question=question)
            for question in silent
            if matching_form(question).rstrip("。.?") not in told
        ]


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
