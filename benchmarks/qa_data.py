"""Questions about paragraphs, as the research benchmarks use them, and collections of paragraphs.

Paragraphs are halved by their text: what is fitted (`fit_relevance.py`) uses questions about the
first half of JSQuAD's, what is measured (`research.py`) questions about the second half.
"""

import hashlib
import json
import zlib
from collections.abc import Collection as Several
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

from sanbo.documents.builder import DocumentBuilder
from sanbo.retrieval.collection import Collection, ReadDocument
from sanbo.retrieval.indexing import store
from sanbo.retrieval.library import Library
from sanbo.sandbox.calls import Calls
from sanbo.settings import load_settings
from sanbo.storage.database import Database

SetName = Literal["jsquad", "jaquad-dev", "jaquad-train"]
COLLECTION = "qa"


class Paragraph(NamedTuple):
    title: str
    text: str

    @property
    def is_for_fitting(self) -> bool:
        return zlib.crc32(self.text.encode()) % 2 == 0


class Asked(NamedTuple):
    question: str
    number: int
    """Of its paragraph."""
    answers: tuple[str, ...]

    def is_answered_in(self, text: str) -> bool:
        return any(answer in text for answer in self.answers)


class QuestionSet(NamedTuple):
    name: str
    paragraphs: list[Paragraph]
    asked: list[Asked]

    def of_half(self, *, for_fitting: bool) -> list[Asked]:
        return [
            each
            for each in self.asked
            if self.paragraphs[each.number].is_for_fitting == for_fitting
        ]


def load(data: Path, name: SetName) -> QuestionSet:
    files = [data / "jsquad-valid.json"] if name == "jsquad" else sorted((data / name).iterdir())
    numbers: dict[Paragraph, int] = {}
    asked: dict[tuple[str, int], Asked] = {}
    for path in files:
        for paragraph, question, answers in _read(path):
            number = numbers.setdefault(paragraph, len(numbers))
            if question:  # some are asked twice by two people
                asked.setdefault((question, number), Asked(question, number, answers))
    return QuestionSet(name, list(numbers), list(asked.values()))


def _read(path: Path) -> Iterator[tuple[Paragraph, str, tuple[str, ...]]]:
    for article in json.loads(path.read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            # JSQuAD repeats the title before its own mark.
            text = str(paragraph["context"]).split(" [SEP] ")[-1]
            found = Paragraph(str(article["title"]), text)
            yield found, "", ()
            for item in paragraph["qas"]:
                answers = dict.fromkeys(str(answer["text"]) for answer in item["answers"])
                yield found, str(item["question"]), tuple(answers)


def build(
    workspace: Path, paragraphs: Iterable[Paragraph], *, without: Several[int] = ()
) -> tuple[Library, Collection]:
    """Every paragraph a document of its own, `p` and its number, with the article's title."""
    database = Database.in_workspace(workspace, None)
    database.migrate()
    library = Library(database, load_settings(workspace, {}))
    collection, _ = library.open_or_create(COLLECTION)
    documents = (
        _document(number, paragraph)
        for number, paragraph in enumerate(paragraphs)
        if number not in without
    )
    with closing(Calls()) as calls:
        for _ in store(collection, documents, calls):
            pass
    return library, collection


def _document(number: int, paragraph: Paragraph) -> ReadDocument:
    builder = DocumentBuilder(f"{number}.txt", "text")
    builder.title = paragraph.title
    builder.paragraph(paragraph.text)
    sha256 = hashlib.sha256(paragraph.text.encode()).hexdigest()
    return ReadDocument(
        document_id=document_id(number),
        source=f"{number}.txt",
        version=sha256[:16],
        sha256=sha256,
        size=len(paragraph.text),
        document=builder.build(),
        metadata={},
    )


def document_id(number: int) -> str:
    return f"p{number}"
