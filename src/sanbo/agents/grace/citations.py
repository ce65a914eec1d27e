"""Sentences of an answer checked against their sources, wherever these come from."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from sanbo.agents.grace.schemas import AnswerSentence, Source
from sanbo.documents.model import Position
from sanbo.evidence.citations import Citations, SentenceCheck, SourceTexts, passage_name
from sanbo.evidence.finding import KnownTexts
from sanbo.evidence.model import Citation, Frozen, Part, Passage, Sentence
from sanbo.evidence.reader.reading import relevances_for
from sanbo.evidence.rules.sameness import statement
from sanbo.evidence.rules.terms import content_words, is_japanese
from sanbo.kernel.messages import Language, tell
from sanbo.retrieval.catalogue import KeptDocument

Kind = Literal["collection", "web", "person"]

MOST_OF_A_STEP = 999
"""So that the number of a passage never runs into that of the step."""


class FoundPassage(Frozen):
    passage: Passage
    kind: Kind = "collection"
    collection: str = ""
    url: str = ""

    @property
    def place(self) -> tuple[str, str, str]:
        """The same for the same place, whichever step found it."""
        return self.kind, self.collection, self.passage.chunk_id


def numbered(found: Iterable[FoundPassage], step_id: int) -> tuple[FoundPassage, ...]:
    """With ids that no other step of the run gives: `P3001` is the first of step 3."""
    return tuple(
        each.model_copy(
            update={
                "passage": each.passage.model_copy(update={"id": f"P{step_id}{number:03d}"}),
            }
        )
        for number, each in zip(range(1, MOST_OF_A_STEP + 1), found, strict=False)
    )


def each_once(found: Iterable[FoundPassage]) -> tuple[FoundPassage, ...]:
    """The first of each place."""
    places: dict[tuple[str, str, str], FoundPassage] = {}
    for each in found:
        places.setdefault(each.place, each)
    return tuple(places.values())


def said_once(found: Iterable[FoundPassage]) -> tuple[FoundPassage, ...]:
    """Without those that say no more than another: two collections may hold one document."""
    texts = KnownTexts()
    return tuple(each for each in found if texts.add(each.passage.text))


def judged_for(question: str, found: Sequence[FoundPassage]) -> tuple[FoundPassage, ...]:
    """With their relevance for this question, whatever they were searched for with."""
    if not found:
        return ()
    best = relevances_for(question, [each.passage for each in found])
    return tuple(
        each.model_copy(
            update={
                "passage": each.passage.model_copy(
                    update={"relevance": relevance, "relevances": (relevance,)}
                )
            }
        )
        for each, relevance in zip(found, best, strict=True)
    )


def told_passage(
    *, document: str, document_id: str, text: str, kind: Kind, url: str = "", context: str = ""
) -> FoundPassage:
    """What no collection holds: said by a person, or found on the web."""
    passage = Passage(
        id="P0",
        chunk_id=f"{document_id}.0",
        document_id=document_id,
        document=document,
        format="html" if kind == "web" else "text",
        position=Position(start=0, end=len(text)),
        text=text,
        context=context,
        score=0.0,
        relevance=0.0,
        cycle=1,
    )
    return FoundPassage(passage=passage, kind=kind, url=url)


def of_steps(
    steps: Iterable[int], passages: Mapping[int, Sequence[FoundPassage]]
) -> tuple[FoundPassage, ...]:
    return each_once(each for step in steps for each in passages.get(step, ()))


Departure = Literal["denial", "unrelated", "words"]
"""It says no where the source says yes, or yes for no; has nothing of it; uses other words."""

MOST_NEW = 0.25
"""The share of a sentence's words that may stand neither in its sources nor in the question."""
_END = re.compile(r"[。．！？!?\n]|(?<=[a-z)])\.(?=\s|$)")


def departure(text: str, sources: Sequence[str], beside: Iterable[str]) -> Departure | None:
    """None where nothing speaks against it; `beside`: what else a reader knows it is about."""
    if statement(text).denies not in {
        statement(each).denies for source in sources for each in _sentences(source)
    }:
        return "denial"
    said = set(content_words(text))
    in_sources = {word for each in sources for word in content_words(each)}
    in_one_language = {is_japanese(each) for each in sources} == {is_japanese(text)}
    if in_one_language and not said & in_sources:
        return "unrelated"
    known = in_sources | {word for each in beside for word in content_words(each)}
    return "words" if len(said - known) > MOST_NEW * len(said) else None


def sentences_around(text: str, start: int, end: int) -> str:
    """The whole sentences that a quote stands in: what follows it may take it back."""
    begins = [found.end() for found in _END.finditer(text, 0, start)]
    # A quote that ends with its sentence is not made longer by the next one.
    closing = _END.search(text, max(start, end - 1))
    return text[begins[-1] if begins else 0 : closing.end() if closing else len(text)].strip()


def strays(question: str, told: Iterable[str]) -> bool:
    """Whether most of what a question is about is not spoken of at all."""
    asked = set(content_words(question))
    spoken = {word for each in told for word in content_words(each)}
    return len(asked & spoken) * 2 < len(asked)


def _sentences(text: str) -> list[str]:
    return [piece for piece in _END.split(text) if piece.strip()]


_BETWEEN = "\n"
"""Stands in no name of a collection and in no id."""


class Cited:
    """What holds of an answer, with its sources; reads documents, so call it in a thread."""

    def __init__(
        self,
        found: Sequence[FoundPassage],
        texts: Callable[[str], SourceTexts],
        language: Language,
        worked_out: Sequence[str] = (),
    ) -> None:
        """`texts` gives the documents of a collection; `worked_out`: formulas of computations."""
        # Two collections may hold different editions of one document under the same id.
        self._found: Mapping[str, FoundPassage] = {_of_its_own(each): each for each in found}
        passages = [
            each.passage.model_copy(
                update={
                    "document_id": _BETWEEN.join((each.collection, each.passage.document_id)),
                    "chunk_id": own,
                }
            )
            for own, each in self._found.items()
        ]
        self._citations = Citations(passages, _TextsOf(texts))
        self._check = SentenceCheck(self._citations, language, tuple(worked_out))
        self._language: Language = language
        self._used: dict[str, FoundPassage] = {}

    @property
    def refused(self) -> int:
        return self._check.refused

    @property
    def marked(self) -> int:
        return self._check.marked

    @property
    def passages(self) -> tuple[FoundPassage, ...]:
        """Those that hold a citation, in the order of citing."""
        return tuple(self._used.values())

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(self._source(each) for each in self._citations.numbered)

    def accept(self, part: Part) -> AnswerSentence | None:
        """None where no source supports it."""
        sentence = self._check.accept(part)
        if sentence is None:
            return None
        self._note_passages(part)
        return self._sentence(sentence)

    def hint(self, part: Part) -> AnswerSentence | None:
        sentence = self._check.hint(part)
        return None if sentence is None else self._sentence(sentence)

    def read_around(self, sentence: AnswerSentence) -> list[str]:
        """The whole sentences of the sources that its quotes stand in."""
        around: list[str] = []
        for number in sentence.sources:
            citation = self._citation(number)
            passage = self._found[citation.chunk_id].passage
            offset = passage.position.start
            around.append(
                sentences_around(passage.text, citation.start - offset, citation.end - offset)
            )
        return around

    def read_beside(self, sentence: AnswerSentence) -> list[str]:
        """What a reader sees of its sources besides: documents' names and headings."""
        cited = [self._found[self._citation(number).chunk_id] for number in sentence.sources]
        return [f"{each.passage.document}\n{each.passage.context}" for each in cited]

    def _sentence(self, sentence: Sentence) -> AnswerSentence:
        kinds = {self._found[self._citation(each).chunk_id].kind for each in sentence.citations}
        problem = sentence.problem
        if not problem and "collection" not in kinds:
            kind = "person" if "person" in kinds else "web"
            problem = tell(f"grace.mark.{kind}", self._language)
        return AnswerSentence(text=sentence.text, sources=sentence.citations, problem=problem)

    def _citation(self, number: int) -> Citation:
        return self._citations.numbered[number - 1]

    def _note_passages(self, part: Part) -> None:
        for quoted in part.quotes:
            if self._citations.resolve(quoted) is not None:
                name = passage_name(quoted.passage)
                own = next(each for each in self._found.values() if each.passage.id == name)
                self._used.setdefault(name, own)

    def _source(self, citation: Citation) -> Source:
        found = self._found[citation.chunk_id]
        passage = found.passage
        return Source.model_validate(
            {
                **dict(citation),
                "document_id": passage.document_id,
                "chunk_id": passage.chunk_id,
                "verified": citation.verified and found.kind == "collection",
                "kind": found.kind,
                "collection": found.collection,
                "url": found.url,
            }
        )


class _TextsOf:
    """Documents of several collections."""

    def __init__(self, texts: Callable[[str], SourceTexts]) -> None:
        self._texts = texts

    def read(self, document_id: str) -> KeptDocument | None:
        collection, _, own = document_id.partition(_BETWEEN)
        # Of the web and of people, what was found is all there is.
        return self._texts(collection).read(own) if collection else None


def _of_its_own(found: FoundPassage) -> str:
    return _BETWEEN.join(found.place)


def renumbered(
    sentences: Sequence[AnswerSentence], numbers: Mapping[int, int]
) -> tuple[AnswerSentence, ...]:
    """The same sentences with the numbers that their sources have elsewhere."""
    return tuple(
        each.model_copy(
            update={"sources": tuple(dict.fromkeys(numbers[one] for one in each.sources))}
        )
        for each in sentences
    )
