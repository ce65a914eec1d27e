"""Which sentences of an answer may stand in the report, and with what mark."""

from dataclasses import dataclass

from sanbo.evidence.citations import Citations, Folded
from sanbo.evidence.figures import unconfirmed
from sanbo.evidence.model import Citation, Part, Sentence
from sanbo.evidence.plain_words import without_marks
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell

LONGEST_SENTENCE = 1_000
MOST_CITATIONS = 8
"""Of one sentence."""


def spoken(text: str) -> str:
    """A part's text as it is kept: one line, without marks of its own."""
    return one_line(without_marks(one_line(text)), LONGEST_SENTENCE)


@dataclass
class SentenceCheck:
    """Takes sentences one after the other, and counts what it refuses and marks."""

    citations: Citations
    language: Language
    worked_out: tuple[str, ...] = ()
    """What code has worked out of the sources: its figures stand in none of them."""
    refused: int = 0
    marked: int = 0

    def accept(self, part: Part) -> Sentence | None:
        """None where no citation of it holds; a disagreement needs two places that differ."""
        text = spoken(part.text)
        holding = self._holding(part)
        if not text or not holding or (part.section == "disagreement" and not _differ(holding)):
            self.refused += 1
            return None
        numbered = [self.citations.number(each) for each in holding]
        numbers = tuple(dict.fromkeys(each.id for each in numbered))
        problem = self._problem(text, part, numbered)
        self.marked += bool(problem)
        return Sentence(text=text, citations=numbers, problem=problem)

    def hint(self, part: Part) -> Sentence | None:
        """A place that comes near: it claims nothing, so nothing of it is refused or marked."""
        numbered = [self.citations.number(each) for each in self._holding(part)]
        if not numbered:
            return None
        return Sentence(text=spoken(part.text), citations=tuple(each.id for each in numbered))

    def _holding(self, part: Part) -> list[Citation]:
        resolved = (self.citations.resolve(quoted) for quoted in part.quotes)
        return [each for each in resolved if each is not None][:MOST_CITATIONS]

    def _problem(self, text: str, part: Part, citations: list[Citation]) -> str:
        problems: list[str] = []
        if figures := unconfirmed(text, [*self._read_with(part, citations), *self.worked_out]):
            told = tell("evidence.and", self.language).join(figures)
            problems.append(tell("evidence.mark.figures", self.language, figures=told))
        if not all(each.verified for each in citations):
            problems.append(tell("evidence.mark.unverified", self.language))
        return " ".join(problems)

    def _read_with(self, part: Part, citations: list[Citation]) -> list[str]:
        """The cited passages with their document's name and headings, which a reader sees too."""
        cited = {each.chunk_id for each in citations}
        passages = (self.citations.passage(quoted.passage) for quoted in part.quotes)
        return [
            f"{passage.document}\n{passage.context}\n{passage.text}"
            for passage in passages
            if passage is not None and passage.chunk_id in cited
        ]


def _differ(citations: list[Citation]) -> bool:
    """Whether two of them stand apart and do not say the same."""
    return any(
        _apart(one, other) and Folded.of(one.quote).form != Folded.of(other.quote).form
        for place, one in enumerate(citations)
        for other in citations[place + 1 :]
    )


def _apart(one: Citation, other: Citation) -> bool:
    return one.document_id != other.document_id or one.end <= other.start or other.end <= one.start
