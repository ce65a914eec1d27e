"""Sets a report's content section by section: as Markdown, or as plain text for mails and forms."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from sanbo.agents.research.model import Decision, Finding, StopReason, percent
from sanbo.evidence.model import Citation, Frozen, SearchedQuery, Section, Sentence, View
from sanbo.evidence.places import as_markdown, as_text, cited_place
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell


class Ending(Frozen):
    stop_reason: StopReason
    partial: bool = False
    partial_reason: str = ""
    """One sentence for a person, in the language of the run."""
    decisions: tuple[Decision, ...] = ()
    """One a cycle, as far as it came to one."""
    session: str = ""
    engine: str = ""
    """As a person is told it: a provider and its model, or the rules. Empty where a program gave
    its own way of thinking: what that costs is not known here."""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    """US dollars; None where it is not known."""
    unreadable: int = 0
    """Parts of the model's answer that could not be read at all."""


@dataclass(frozen=True)
class Content:
    view: View
    collection: str
    summary: tuple[Sentence, ...]
    findings: tuple[Finding, ...]
    disagreements: tuple[Sentence, ...]
    gaps: tuple[str, ...]
    nearest: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    refused: int
    marked: int
    ending: Ending

    @property
    def answered(self) -> bool:
        return bool(self.summary or self.disagreements) or any(
            finding.sentences for finding in self.findings
        )


Style = Literal["markdown", "text"]


class Marks(Protocol):
    """Takes words of anybody, except where it says that they are set already."""

    def words(self, text: str) -> str: ...

    def title(self, text: str) -> str: ...

    def heading(self, text: str) -> str: ...

    def subheading(self, text: str) -> str: ...

    def bullet(self, set_text: str) -> str: ...

    def notice(self, set_text: str) -> str:
        """What a reader must not miss."""
        ...

    def source(self, set_text: str, set_quote: str) -> str: ...


@dataclass(frozen=True)
class MarkdownMarks:
    def words(self, text: str) -> str:
        return as_markdown(text)

    def title(self, text: str) -> str:
        return f"# {as_markdown(text)}"

    def heading(self, text: str) -> str:
        return f"## {as_markdown(text)}"

    def subheading(self, text: str) -> str:
        return f"### {as_markdown(text)}"

    def bullet(self, set_text: str) -> str:
        return f"- {set_text}"

    def notice(self, set_text: str) -> str:
        return f"> {set_text}"

    def source(self, set_text: str, set_quote: str) -> str:
        return f"- {set_text}\n  > {set_quote}"


@dataclass(frozen=True)
class TextMarks:
    def words(self, text: str) -> str:
        return as_text(text)

    def title(self, text: str) -> str:
        return f"■■ {as_text(text)}"

    def heading(self, text: str) -> str:
        return f"■ {as_text(text)}"

    def subheading(self, text: str) -> str:
        return f"□ {as_text(text)}"

    def bullet(self, set_text: str) -> str:
        return f"・{set_text}"

    def notice(self, set_text: str) -> str:
        return f"※ {set_text}"

    def source(self, set_text: str, set_quote: str) -> str:
        return f"・{set_text}\n　　{set_quote}"


def marks_of(style: Style) -> Marks:
    return MarkdownMarks() if style == "markdown" else TextMarks()


LONGEST_QUERY = 200


def trail(content: Content, language: Language) -> Iterator[str]:
    """Line by line, in words that are not set yet."""
    view, ending = content.view, content.ending
    yield tell(
        "research_report.trail.searches",
        language,
        cycles=view.cycle,
        most=view.max_cycles,
        passages=len(view.passages),
    )
    for cycle in range(1, view.cycle + 1):
        for query in view.queries:
            if query.cycle == cycle:
                yield _query(query, language)
        yield from _decision(content, cycle, language)
    reason = tell(f"research_report.stop_reason.{ending.stop_reason}", language)
    yield tell("research_report.trail.stopped", language, reason=reason)
    yield from _means(content, language)
    yield from _checks(content, language)
    if ending.partial:
        yield tell("research_report.trail.partial", language, reason=ending.partial_reason)


def _query(query: SearchedQuery, language: Language) -> str:
    told = tell(
        "research_report.trail.query",
        language,
        cycle=query.cycle,
        query=tell("research_report.quoted", language, text=query.text[:LONGEST_QUERY]),
        hits=query.hits,
        new=query.new,
    )
    if query.cached:
        return f"{told} {tell('research_report.trail.cached', language)}"
    return told


def _decision(content: Content, cycle: int, language: Language) -> Iterator[str]:
    if cycle > len(content.ending.decisions):
        return
    decision = content.ending.decisions[cycle - 1]
    yield tell("research_report.trail.decision", language, cycle=cycle, reason=decision.reason)
    if decision.missing:
        missing = tell("research_report.and", language).join(decision.missing)
        yield tell("research_report.trail.missing", language, missing=missing)


def _means(content: Content, language: Language) -> Iterator[str]:
    ending = content.ending
    if ending.engine:
        yield tell("research_report.trail.engine", language, engine=ending.engine)
    if not ending.calls:
        if ending.engine:
            yield tell("research_report.trail.no_model", language)
        return
    cost = (
        tell("research_report.trail.cost_unknown", language)
        if ending.cost is None
        else tell("research_report.trail.cost", language, dollars=f"{ending.cost:.4f}")
    )
    yield tell(
        "research_report.trail.usage",
        language,
        calls=ending.calls,
        tokens_in=f"{ending.tokens_in:,}",
        tokens_out=f"{ending.tokens_out:,}",
        cost=cost,
    )


def _checks(content: Content, language: Language) -> Iterator[str]:
    verified = sum(citation.verified for citation in content.citations)
    yield tell(
        "research_report.trail.checked",
        language,
        citations=len(content.citations),
        verified=verified,
    )
    yield tell(
        "research_report.trail.refused", language, refused=content.refused, marked=content.marked
    )
    if content.ending.unreadable:
        yield tell("research_report.trail.unreadable", language, count=content.ending.unreadable)


LONGEST_QUOTE = 300
"""Shown; the result has the whole."""
LONGEST_TITLE = 300
MOST_QUERIES = 20


@dataclass(frozen=True)
class Setting:
    marks: Marks
    language: Language

    def report(self, content: Content) -> str:
        blocks = [
            self.title(content.view.question),
            *self._notices(content),
            *(self._summary(content) if content.answered else self._unanswered(content)),
            *(self._findings(content) if content.answered else ()),
            *self._differences(content),
            *self._sources(content),
            self.heading("trail"),
            self._bullets(self.marks.words(line) for line in trail(content, self.language)),
        ]
        return "\n\n".join(block for block in blocks if block) + "\n"

    # ---- pieces that are also streamed ----

    def title(self, question: str) -> str:
        return self.marks.title(one_line(question, LONGEST_TITLE))

    def heading(self, name: str) -> str:
        return self.marks.heading(tell(f"research_report.heading.{name}", self.language))

    def subheading(self, text: str) -> str:
        return self.marks.subheading(one_line(text, LONGEST_TITLE))

    def section_heading(self, section: Section) -> str:
        names = {"summary": "summary", "finding": "findings", "nearest": "nearest"}
        return self.heading(names.get(section, "differences"))

    def sentence(self, sentence: Sentence) -> str:
        numbers = "".join(f"[{number}]" for number in sentence.citations)
        problem = f" {self.marks.words(sentence.problem)}" if sentence.problem else ""
        return self.marks.bullet(f"{self.marks.words(sentence.text)}{numbers}{problem}")

    def gap(self, text: str) -> str:
        return self.marks.bullet(self.marks.words(text))

    # ---- the whole ----

    def _notices(self, content: Content) -> Iterator[str]:
        ending = content.ending
        if ending.partial:
            yield self._notice("partial", reason=ending.partial_reason)
        if not content.answered:
            kind = "unanswered"
            if content.refused:
                kind = "unanswered_refused"
            if ending.partial:
                kind = "unanswered_partial"
            yield self._notice(kind, collection=content.collection)

    def _notice(self, kind: str, **params: str) -> str:
        told = tell(f"research_report.top.{kind}", self.language, **params)
        return self.marks.notice(self.marks.words(told))

    def _unanswered(self, content: Content) -> Iterator[str]:
        queries = list(dict.fromkeys(query.text for query in content.view.queries))[:MOST_QUERIES]
        if queries:
            quoted = (
                self._tell("research_report.quoted", text=one_line(text, 200)) for text in queries
            )
            told = self._tell(
                "research_report.top.searched",
                queries=self._tell("research_report.and").join(quoted),
            )
        else:
            told = self._tell("research_report.top.searched_nothing")
        yield self.marks.words(told)
        yield self.heading("nearest")
        if not content.nearest:
            yield self.marks.words(self._tell("research_report.nearest.nothing"))
            return
        yield self.marks.words(self._tell("research_report.nearest.caution"))
        yield self._lines(self._hint(each, content) for each in content.nearest)

    def _hint(self, sentence: Sentence, content: Content) -> str:
        scores = {citation.id: citation.score for citation in content.citations}
        best = percent(max(scores[number] for number in sentence.citations))
        likelihood = self._tell("research_report.nearest.likelihood", percent=best)
        blank = " " if self.language == "en" else ""
        return f"{self.sentence(sentence)}{blank}{self.marks.words(likelihood)}"

    def _summary(self, content: Content) -> Iterator[str]:
        if content.summary:
            yield self.heading("summary")
            yield self._lines(self.sentence(each) for each in content.summary)

    def _findings(self, content: Content) -> Iterator[str]:
        yield self.heading("findings")
        if not any(finding.sentences for finding in content.findings):
            yield self.marks.words(self._tell("research_report.findings.in_summary"))
            return
        for finding in content.findings:
            yield from self._finding(finding, content)

    def _finding(self, finding: Finding, content: Content) -> Iterator[str]:
        if len(content.findings) > 1:
            yield self.subheading(finding.sub_question)
        if finding.sentences:
            yield self._lines(self.sentence(each) for each in finding.sentences)
        else:
            yield self.marks.words(self._tell("research_report.findings.none"))

    def _differences(self, content: Content) -> Iterator[str]:
        if not content.answered and not content.gaps:
            return
        yield self.heading("differences")
        if content.answered:
            yield self.subheading(self._tell("research_report.heading.disagreements"))
            if content.disagreements:
                yield self._lines(self.sentence(each) for each in content.disagreements)
            else:
                yield self.marks.words(self._tell("research_report.differences.no_disagreements"))
            yield self.subheading(self._tell("research_report.heading.gaps"))
        if content.gaps:
            yield self._lines(self.gap(each) for each in content.gaps)
        elif content.ending.partial:
            yield self.marks.words(self._tell("research_report.differences.gaps_unknown"))
        else:
            yield self.marks.words(self._tell("research_report.differences.no_gaps"))

    def _sources(self, content: Content) -> Iterator[str]:
        yield self.heading("sources")
        if content.citations:
            yield self._lines(self._source(each) for each in content.citations)
        else:
            yield self.marks.words(self._tell("research_report.sources.none"))

    def _source(self, citation: Citation) -> str:
        place = self.marks.words(cited_place(citation, self.language))
        doubt = "" if citation.verified else f" {self._tell('research_report.sources.unverified')}"
        quote = self._tell("research_report.quoted", text=one_line(citation.quote, LONGEST_QUOTE))
        return self.marks.source(f"[{citation.id}] {place}{doubt}", self.marks.words(quote))

    def _bullets(self, set_texts: Iterator[str]) -> str:
        return self._lines(self.marks.bullet(text) for text in set_texts)

    def _lines(self, lines: Iterator[str]) -> str:
        return "\n".join(lines)

    def _tell(self, text_id: str, **params: object) -> str:
        return tell(text_id, self.language, **params)
