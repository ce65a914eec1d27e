"""Citations resolved by code, and which sentences of an answer may stand, with what mark.

A figure that the sources do not state is marked. Every number is read as its value, so that
1,200万円, １２００万円 and 一千二百万円 are one, and 2025-04-01 is 2025年4月1日 or 令和7年4月1日.
What would have to be computed or rounded is not found.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import regex

from sanbo.documents.model import Block, Position, Table
from sanbo.evidence.model import Citation, Part, Passage, Quoted, Sentence
from sanbo.evidence.places import without_marks
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import NotFound
from sanbo.language.eras import FIRST, NAMES, western
from sanbo.language.moments import MONTH, month_number
from sanbo.language.numerals import KANJI_DIGITS, narrow, number_of, numerals
from sanbo.retrieval.catalogue import KeptDocument

_LONGEST_NUMBER = 40
_ERA = re.compile(rf"({NAMES})\s?(元|\d{{1,4}}|[〇{KANJI_DIGITS}十]{{1,9}})年", re.ASCII)
_MONTH = re.compile(rf"\b({MONTH})(?=\s+\d)|(?<=\d)\s+({MONTH})", re.IGNORECASE)
_DOTTED_DATE = re.compile(r"(?<![\d.])(\d{4})\.(\d{1,2})\.(\d{1,2})(?![\d.])", re.ASCII)
# In a sentence 一 and 十 are mostly no figures (一部, 十分, 統一); with such a unit they are.
_COUNTED = re.compile(
    r"年|か月|ヶ月|カ月|箇月|月(?!並)|日(?!本|常)|時間|時(?!点|期|的|代|折)|分(?!野|析|類|か|割|け)|秒"
    r"|円|ドル|人|名(?!称|前|義)|件|個|社(?!会|員)|回|歳|才|割|%|パーセント|ポイント|倍|条|項(?!目)|号|章"
    r"|店|台|本(?!人|社)|枚|冊|週|泊|級|位(?!置)|階|点|つ|km|m|kg|g"
)
_ENOUGH = "十分"


@dataclass(frozen=True)
class Figure:
    spelling: str
    values: frozenset[Fraction]
    """Any of them confirms it: 令和7年 is 2025 or 7."""


def unconfirmed(sentence: str, sources: Iterable[str]) -> list[str]:
    """The figures that stand in none of the sources, as the sentence spells them, each once."""
    wanted = list(_stated(_form(sentence)))
    if not wanted:
        return []
    known = values_of("\n".join(sources))
    missing = (figure.spelling for figure in wanted if not figure.values & known)
    return list(dict.fromkeys(missing))


def values_of(text: str) -> frozenset[Fraction]:
    """Every value that the text may be read to state."""
    text = _form(text)
    named = frozenset[Fraction]().union(*(one.values for one in (*_eras(text), *_months(text))))
    return named | {numeral.value for numeral in numerals(text)}


def _stated(text: str) -> Iterator[Figure]:
    """What the sentence states without doubt; words that only contain a numeral are no figures."""
    eras = list(_eras(text))
    yield from eras
    for figure in eras:
        text = text.replace(figure.spelling, " ")
    yield from _months(text)
    for numeral in numerals(text):
        spelling = text[numeral.start : numeral.end].strip()
        if numeral.writing == "words" or len(spelling) > _LONGEST_NUMBER:
            continue
        if numeral.writing == "kanji":
            unit = _COUNTED.match(text, numeral.end)
            is_word = unit is None and len(spelling) == 1
            if is_word or numeral.value <= 2 or text.startswith(_ENOUGH, numeral.start):
                continue
            spelling += unit[0] if unit else ""
        yield Figure(spelling, frozenset({numeral.value}))


def _form(text: str) -> str:
    return _DOTTED_DATE.sub(r"\1/\2/\3", narrow(text))


def _eras(text: str) -> Iterator[Figure]:
    for found in _ERA.finditer(text):
        year = 1 if found[2] == FIRST else number_of(found[2])
        if year is not None:
            both = frozenset({Fraction(western(found[1], year)), Fraction(year)})
            yield Figure(found[0], both)


def _months(text: str) -> Iterator[Figure]:
    for found in _MONTH.finditer(text):
        number = month_number(found[1] or found[2])
        yield Figure(found[0].strip(), frozenset({Fraction(number)}))


FEWEST_LETTERS = 6
"""A shorter quote stands nearly everywhere and proves nothing, unless it is a whole cell."""
_UNIT = regex.compile(r"\X")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_AROUND = " \t\r\n\u3000\"'`“”‘’「」『』…⋯."
"""What models put around a quote."""
_UNSEEN = regex.compile(r"\p{Cf}")
"""A soft hyphen or a zero-width space of a web page: no model copies them."""
_CELL_ENDS = "\t\n"


class SourceTexts(Protocol):
    """Where documents are kept as they were read."""

    def read(self, document_id: str) -> KeptDocument | None:
        """None where documents are not kept here; `NotFound` where this one is gone."""
        ...


@dataclass(frozen=True)
class Source:
    """What the kept document says where a passage was found."""

    text: str
    """The document's text between the passage's ends."""
    blocks: tuple[Block, ...]
    """Those that the passage touches."""


class Sources:
    """The places of passages in their documents. A document is read once and not kept in memory."""

    def __init__(self, passages: Iterable[Passage], texts: SourceTexts) -> None:
        self._passages = tuple(passages)
        self._texts = texts
        self._found: dict[str, Source | None] = {}
        self._read: set[str] = set()

    def of(self, passage: Passage) -> Source | None:
        """None where the document is not there any more."""
        if passage.document_id not in self._read:
            self._look_up(passage.document_id)
            self._read.add(passage.document_id)
        return self._found.get(passage.chunk_id)

    def _look_up(self, document_id: str) -> None:
        try:
            kept = self._texts.read(document_id)
        except NotFound:
            return
        for passage in self._passages:
            if passage.document_id == document_id:
                self._found[passage.chunk_id] = _source(passage, kept)


def _source(passage: Passage, kept: KeptDocument | None) -> Source:
    if kept is None:  # an index made elsewhere: the passage is the only text there is
        return Source(passage.text, ())
    document, place = kept.document, passage.position
    return Source(
        text=document.text[place.start : place.end],
        blocks=tuple(
            block
            for block in document.blocks
            if block.position.start < place.end and place.start < block.position.end
        ),
    )


class Citations:
    """Gives every place that a sentence rests on its number."""

    def __init__(self, passages: Sequence[Passage], texts: SourceTexts) -> None:
        self._passages: Mapping[str, Passage] = {each.id: each for each in passages}
        self._sources = Sources(passages, texts)
        self._folded: dict[str, Folded] = {}
        self._numbered: dict[tuple[str, int, int], Citation] = {}

    @property
    def numbered(self) -> tuple[Citation, ...]:
        return tuple(self._numbered.values())

    def passage(self, passage_id: str) -> Passage | None:
        return self._passages.get(passage_name(passage_id))

    def resolve(self, claimed: Quoted) -> Citation | None:
        """The citation without its number; None where the claim does not hold."""
        passage = self.passage(claimed.passage)
        if passage is None:
            return None
        span = span_of(claimed.quote, self._folded_text(passage))
        if span is None or not proves(passage.text, *span):
            return None
        return _citation(passage, span, self._sources.of(passage))

    def number(self, citation: Citation) -> Citation:
        """With its number; a place that was cited before has its number already."""
        key = (citation.chunk_id, citation.start, citation.end)
        if key not in self._numbered:
            new = citation.model_copy(update={"id": len(self._numbered) + 1})
            self._numbered[key] = new
        return self._numbered[key]

    def _folded_text(self, passage: Passage) -> "Folded":
        if passage.id not in self._folded:
            self._folded[passage.id] = Folded.of(passage.text)
        return self._folded[passage.id]


def passage_name(claimed: str) -> str:
    """`P3`, however it is written: `[p3]`, `Ｐ３`."""
    return unicodedata.normalize("NFKC", claimed).strip(" []()【】「」").upper()


@dataclass(frozen=True)
class Folded:
    """A text in the form in which two spellings of one quote are equal."""

    text: str
    form: str
    origin: tuple[int, ...]
    """Where in the text each character of the form comes from."""

    @classmethod
    def of(cls, text: str) -> "Folded":
        form, origin = _folded(text)
        return cls(text, form, tuple(origin))

    def span(self, at: int, length: int) -> tuple[int, int]:
        """The span of the text that is so many characters of the form."""
        last = self.origin[at + length - 1]
        unit = _UNIT.match(self.text, last)
        return self.origin[at], unit.end() if unit else last + 1


def span_of(quote: str, source: Folded) -> tuple[int, int] | None:
    """Where the quote stands in the text, white space and width aside."""
    for claimed in (quote, quote.strip(_AROUND)):
        sought, _ = _folded(claimed)
        at = source.form.find(sought) if sought else -1
        if at >= 0:
            return source.span(at, len(sought))
    return None


def proves(text: str, start: int, end: int) -> bool:
    """Whether a quote is long enough to say anything, or is all that a cell or passage says."""
    if len(_LETTER.findall(text[start:end])) >= FEWEST_LETTERS:
        return True
    before, after = text[:start].rstrip(" \u3000"), text[end:].lstrip(" \u3000")
    return (not before or before[-1] in _CELL_ENDS) and (not after or after[0] in _CELL_ENDS)


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without width and superfluous white space, and where each character comes from.

    A blank between two Latin letters or digits is kept: 「10 20」 is not 「1020」. Any other goes,
    because a PDF breaks its lines anywhere.
    """
    form: list[str] = []
    origin: list[int] = []
    blank: int | None = None
    for unit in _UNIT.finditer(text):  # ｶﾞ is one letter in two characters
        piece = _UNSEEN.sub("", unicodedata.normalize("NFKC", unit.group()))
        if not piece:
            continue
        if piece.isspace():
            blank = unit.start() if blank is None else blank
            continue
        if blank is not None and form and _is_latin(form[-1]) and _is_latin(piece[0]):
            form.append(" ")
            origin.append(blank)
        blank = None
        for character in piece:
            if not character.isspace():
                form.append(character)
                origin.append(unit.start())
    return "".join(form), origin


def _is_latin(character: str) -> bool:
    return character < "\u0250" and character.isalnum()


def _citation(passage: Passage, span: tuple[int, int], source: Source | None) -> Citation:
    start, end = span
    quote = passage.text[start:end]
    offset = passage.position.start
    place = _place(passage, offset + start, source)
    return Citation(
        id=0,
        document=passage.document,
        document_id=passage.document_id,
        format=passage.format,
        page=place.page,
        chunk_id=passage.chunk_id,
        quote=quote,
        start=offset + start,
        end=offset + end,
        sheet=place.sheet,
        row=place.row,
        headings=place.headings,
        score=passage.relevance,
        verified=source is not None and source.text[start:end] == quote,
    )


def _place(passage: Passage, at: int, source: Source | None) -> Position:
    """Page, sheet, row and headings of the very place, as far as the document's blocks tell."""
    for block in source.blocks if source else ():
        position = block.position
        if position.start <= at < position.end:
            row = _row(block, at) if isinstance(block, Table) else position.row
            headings = position.headings or passage.position.headings
            return position.model_copy(update={"row": row, "headings": headings})
    return passage.position


def _row(table: Table, at: int) -> int | None:
    begun = [number for start, number in _rows(table) if start <= at]
    return begun[-1] if begun else table.position.row


def _rows(table: Table) -> Iterable[tuple[int, int]]:
    return zip(table.row_starts, table.row_numbers, strict=False)


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
        """A place that comes near: it claims nothing, so nothing of it counts as refused; but a
        figure that is not there is marked, whoever writes."""
        numbered = [self.citations.number(each) for each in self._holding(part)]
        if not numbered:
            return None
        text = spoken(part.text)
        numbers = tuple(each.id for each in numbered)
        return Sentence(text=text, citations=numbers, problem=self._problem(text, part, numbered))

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
