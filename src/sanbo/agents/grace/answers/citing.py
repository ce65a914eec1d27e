"""Sentences of an answer checked against their sources, wherever these come from."""

from collections.abc import Callable, Mapping, Sequence

from sanbo.agents.grace.answers.found import FoundPassage
from sanbo.agents.grace.answers.wording import sentences_around
from sanbo.agents.grace.schemas import AnswerSentence, Source
from sanbo.evidence.checking import SentenceCheck
from sanbo.evidence.citations import Citations, SourceTexts, passage_name
from sanbo.evidence.model import Citation, Part, Sentence
from sanbo.kernel.messages import Language, tell
from sanbo.retrieval.collection import KeptDocument

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
