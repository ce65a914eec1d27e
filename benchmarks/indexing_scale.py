"""What a collection of 10,000 to 1,000,000 chunks costs: building, memory, and searching in it.

    python benchmarks/indexing_scale.py --data ../shared/data/qa [--chunks 10000 100000 1000000]
        [--qdrant http://127.0.0.1:6333]

Chunks are put together of the sentences of Wikipedia paragraphs, some 400 characters each, 20 to a
document. The sentences' words were taken before, so that the engine is measured and not the
dictionary: what that adds is measured by `indexing.py`. Everything else is what users get. One
collection grows from size to size; seconds and memory are those from the beginning. Memory is
without the pages of the index that the system maps from disk and takes back when it needs room
("mapped"). Searches are questions about the paragraphs; "narrowed" ones are for one of a hundred
folders, which the payload index finds.
"""

import argparse
import random
import re
import statistics
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
from qa_data import load

from sanbo.documents.builder import DocumentBuilder
from sanbo.retrieval.collection import Batch, Collection, Portion, ReadDocument
from sanbo.retrieval.indexing import Settling
from sanbo.retrieval.library import Library
from sanbo.retrieval.model import Filter
from sanbo.retrieval.vectors import SparseVector, TextVectors, vectors_of
from sanbo.settings import load_settings
from sanbo.storage.database import Database

CHUNKS_A_DOCUMENT = 20
DOCUMENTS_A_BATCH = 100
CHARACTERS = 400
FOLDERS = 100
SENTENCES = 20_000
QUESTIONS = 500
MEBIBYTE = 1 << 20


class Sentences:
    """With their terms: a chunk's weights are those of its sentences together, near enough."""

    def __init__(self, data: Path) -> None:
        paragraphs = load(data, "jaquad-train").paragraphs
        every = [s for p in paragraphs for s in re.findall(r"[^。]+。", p.text) if len(s) > 20]
        self.texts = random.Random(1).sample(every, SENTENCES)
        self.vectors = vectors_of(self.texts)
        self._chance = random.Random(2)

    def chunk(self) -> tuple[str, TextVectors]:
        chosen: list[int] = []
        length = 0
        while length < CHARACTERS:
            chosen.append(self._chance.randrange(SENTENCES))
            length += len(self.texts[chosen[-1]])
        vectors = [self.vectors[number] for number in chosen]
        together = TextVectors(
            _together([each.grams for each in vectors]),
            _together([each.words for each in vectors]),
        )
        return "".join(self.texts[number] for number in chosen), together


def _together(vectors: list[SparseVector]) -> SparseVector:
    places = np.concatenate([np.array(each.indices, np.uint32) for each in vectors])
    weights = np.concatenate([np.array(each.values) for each in vectors])
    terms, first = np.unique(places, return_index=True)
    return SparseVector(terms.tolist(), weights[first].tolist())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--qdrant", help="the address of a server, in place of the embedded engine")
    given = parser.parse_args()
    sentences = Sentences(given.data)
    questions = [each.question for each in load(given.data, "jaquad-dev").asked]
    asked = random.Random(3).sample(questions, QUESTIONS)
    environment = {"SANBO_RETRIEVAL__ENGINE": "qdrant", "QDRANT_URL": given.qdrant}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        database = Database.in_workspace(folder, None)
        database.migrate()
        library = Library(database, load_settings(folder, environment if given.qdrant else {}))
        growing = Growing(library.open_or_create("scale")[0], sentences)
        print("   chunks  built s  CPU s  disk MiB  memory MiB  mapped  p50 ms  p99  narrowed  p99")
        for count in sorted(given.chunks):
            growing.grow(count)
            plain = _times(growing.collection, asked, None)
            narrowed = _times(growing.collection, asked, Filter(folders=("f7",)))
            on_disk = sum(path.stat().st_blocks for path in folder.rglob("*") if path.is_file())
            print(
                f"{count:9,} {growing.seconds:8.1f} {growing.worked:6.1f}"
                f" {on_disk * 512 / MEBIBYTE:9.0f} {growing.memory:11.0f} {_mapped():7.0f}"
                f" {_p50(plain):7.2f} {_p99(plain):4.1f}"
                f" {_p50(narrowed):9.2f} {_p99(narrowed):4.1f}",
                flush=True,
            )
        library.delete("scale")
        library.close()


class Growing:
    def __init__(self, collection: Collection, sentences: Sentences) -> None:
        self.collection = collection
        self._sentences = sentences
        self._documents = 0
        self._before = _memory()
        self.memory = 0.0
        """The most so far, beyond what was there at the beginning."""
        self.seconds = 0.0
        """Without those of making up the texts."""
        self.worked = 0.0
        self._settling = Settling()

    def grow(self, chunks: int) -> None:

        while self._documents * CHUNKS_A_DOCUMENT < chunks:
            numbers = range(self._documents, self._documents + DOCUMENTS_A_BATCH)
            made = [_document(number, self._sentences) for number in numbers]
            with self._measured():
                batch = Batch([document for document, _ in made])
                vectors = [vector for _, several in made for vector in several]
                self.collection.put(batch, _portions(batch, vectors))
                self._documents += len(made)
                self._settling.add(len(vectors))
                if self._settling.is_due:
                    self._settling.settle(self.collection)
        with self._measured():
            self._settling.settle(self.collection)

    @contextmanager
    def _measured(self) -> Generator[None]:
        began, worked = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - began
        self.worked += time.process_time() - worked
        self.memory = max(self.memory, _memory() - self._before)


def _document(number: int, sentences: Sentences) -> tuple[ReadDocument, list[TextVectors]]:
    name = f"f{number % FOLDERS}/{number}.txt"
    builder = DocumentBuilder(name, "text")
    vectors: list[TextVectors] = []
    for _ in range(CHUNKS_A_DOCUMENT):
        text, vector = sentences.chunk()
        builder.paragraph(text)
        vectors.append(vector)
    document = builder.build()
    read = ReadDocument(
        document_id=f"d{number}",
        source=name,
        version="1",
        sha256="0" * 64,
        size=len(document.text),
        document=document,
        metadata={"number": str(number)},
    )
    return read, vectors


def _portions(batch: Batch, vectors: list[TextVectors]) -> Iterator[Portion]:
    at = 0
    for chunks in batch.chunks():
        yield chunks, vectors[at : at + len(chunks)]
        at += len(chunks)


def _times(collection: Collection, asked: list[str], where: Filter | None) -> list[float]:
    for question in asked[:100]:
        collection.search(question, where=where)
    times: list[float] = []
    for question in asked[100:]:
        began = time.perf_counter()
        collection.search(question, where=where)
        times.append((time.perf_counter() - began) * 1000)
    return times


def _p50(times: list[float]) -> float:
    return statistics.median(times)


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[-1]


def _memory() -> float:
    return psutil.Process().memory_info().rss / MEBIBYTE - _mapped()


def _mapped() -> float:
    return getattr(psutil.Process().memory_info(), "shared", 0) / MEBIBYTE


if __name__ == "__main__":
    main()
