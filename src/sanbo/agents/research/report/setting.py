"""Sets a report's content: section by section, in the words of one language and style."""

from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.agents.research.model import Finding
from sanbo.agents.research.report.content import Content
from sanbo.agents.research.report.marks import Marks
from sanbo.agents.research.report.trail import trail
from sanbo.evidence.model import Citation, Section, Sentence
from sanbo.evidence.places import cited_place
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell

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
        percent = round(max(scores[number] for number in sentence.citations) * 100)
        likelihood = self._tell("research_report.nearest.likelihood", percent=percent)
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
