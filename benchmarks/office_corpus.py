"""Made-up organisations, their documents and what people ask of them: what the reader learns from.

`office_corpus/` has a file for each organisation, by writers who had not seen the product. To each
question belong the passages that a search finds, and the sentences that its answer stands in: none
of them where nobody could tell. `python benchmarks/office_corpus.py` counts and checks.
"""

import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import yaml
from grace_data import HITS, hits_of
from office_data import ORGANISATIONS, OfficeQuestion, as_read, collection_of, questions

from sanbo.evidence.finding import Searched, gathered, passage_of
from sanbo.evidence.model import Passage
from sanbo.evidence.reader.reading import hit_of
from sanbo.evidence.rules.queries import by_terms, different, understood, wordings
from sanbo.evidence.rules.sentences import sentences
from sanbo.kernel.messages import set_language
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.library import Library
from sanbo.settings import load_settings
from sanbo.storage.database import Database

CORPUS = Path(__file__).parent / "office_corpus"
HELD_OUT = ("ja12", "ja20", "en12", "en20")
"""Organisations that the reader is not taught with."""
QUERIES = 3
"""As a plan has them for a question of one part."""
_DROPPED = re.compile(r"[\s|*_#`-]+")
_LONG_ENOUGH = 4


class Example(NamedTuple):
    organisation: str
    document: str
    question: str
    """As it is understood behind those before it."""
    passages: tuple[Passage, ...]
    """As they are found, not judged yet."""
    golden: tuple[frozenset[int], ...]
    """Of each passage where the sentences begin that the answer stands in."""
    quotes: tuple[str, ...]
    """What tells it; none where nobody could tell."""

    @property
    def is_found(self) -> bool:
        return any(self.golden)


def main() -> None:
    for path in sorted(CORPUS.glob("*.yaml")):
        told = list(examples_of(path))
        asked = [each for each in told if each.quotes]
        found = sum(each.is_found for each in asked)
        print(f"{path.name}: {len(told)} questions, {len(asked)} with an answer, {found} found")


def examples_of(path: Path) -> Iterator[Example]:
    """Of an organisation of the corpus."""
    told = yaml.safe_load(path.read_text("utf-8"))
    # pyrefly: ignore[bad-argument-type]
    set_language(path.stem[:2])
    with _indexed(told["documents"]) as collection:
        for document in told["documents"]:
            own = _squeezed(document["text"])
            for one in document["questions"]:
                quotes = one["a"] if isinstance(one["a"], list) else [one["a"]]
                quotes = tuple(str(each) for each in quotes if each is not None)
                if not all(_squeezed(each) in own for each in quotes):
                    continue
                question = understood(str(one["q"]), _listed(one.get("before")))
                passages = found_for(collection, question)
                golden = [
                    starts_of(each.text, quotes)
                    if each.document.endswith(document["file"])
                    else frozenset[int]()
                    for each in passages
                ]
                yield Example(
                    path.stem, document["file"], question, passages, tuple(golden), quotes
                )


def office_examples(name: str, half: str) -> Iterator[Example]:
    """Of the questions that are measured with."""
    # pyrefly: ignore[bad-argument-type]
    set_language(name[:2])
    with collection_of(name) as (_, collection):
        # pyrefly: ignore[bad-argument-type]
        for asked in questions(name, half):
            question = understood(asked.question, asked.before)
            passages = found_for(collection, question)
            golden = tuple(_golden(asked, each) for each in passages)
            quotes = tuple(quote for _, quote in asked.quotes) if asked.answers else ()
            yield Example(name, asked.document, question, passages, golden, quotes)


def unmet(language: str) -> Iterator[Example]:
    """Questions that the reader of passages was not taught with, all for fitting."""
    # pyrefly: ignore[bad-argument-type]
    set_language(language)
    for name in HELD_OUT:
        if name.startswith(language):
            yield from examples_of(CORPUS / f"{name}.yaml")
    yield from office_examples(language, "development")
    for name in ORGANISATIONS:
        if name.startswith(language):
            yield from office_examples(name, "all")


def judged(one: Example) -> tuple[Passage, ...]:
    """The best of them, as a search gives them."""
    hits = Searched(tuple(map(hit_of, one.passages)), remembered=False)
    return gathered(("",), [hits], (one.question,), (), cycle=1, limit=HITS)[0]


def found_for(
    collection: Collection, question: str, queries: Sequence[str] = (), *, without: str = ""
) -> tuple[Passage, ...]:
    put = (question, by_terms(question), *wordings(question))
    found = {
        hit.chunk_id: hit
        for query in queries or different(put, (), QUERIES)
        for hit in hits_of(collection, query, without=without)
    }
    return tuple(passage_of(hit, 1) for hit in found.values())


def _golden(asked: OfficeQuestion, passage: Passage) -> frozenset[int]:
    own = [as_read(quote) for name, quote in asked.quotes if passage.document.endswith(name)]
    return starts_of(passage.text, own) if asked.answers else frozenset()


def _listed(before: str | Sequence[str] | None) -> list[str]:
    if before is None:
        return []
    return [before] if isinstance(before, str) else [str(each) for each in before]


def starts_of(text: str, quotes: Sequence[str]) -> frozenset[int]:
    """Where the sentences begin that one of the quotes stands in."""
    found = sentences(text)
    pieces = [_squeezed(each.text) for each in found]
    whole = "".join(pieces)
    ends: list[int] = []
    for piece in pieces:
        ends.append((ends[-1] if ends else 0) + len(piece))
    golden: set[int] = set()
    for quote in quotes:
        wanted = _squeezed(quote)
        at = whole.find(wanted) if wanted else -1
        while at >= 0:
            begin = 0
            for each, end in zip(found, ends, strict=True):
                if begin < at + len(wanted) and end > at:
                    golden.add(each.start)
                begin = end
            at = whole.find(wanted, at + 1)
        for each, piece in zip(found, pieces, strict=True):
            if len(piece) >= _LONG_ENOUGH and piece in wanted:
                golden.add(each.start)
    return frozenset(golden)


def _squeezed(text: str) -> str:
    return _DROPPED.sub("", unicodedata.normalize("NFKC", text).casefold())


@contextmanager
def _indexed(documents: Sequence[dict[str, str]]) -> Iterator[Collection]:
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as folder:
        for each in documents:
            (Path(folder) / Path(each["file"]).name).write_text(each["text"], "utf-8")
        command = [sys.executable, "-m", "sanbo", "--workspace", place, "index", "-c", "office"]
        subprocess.run([*command, folder], check=True, stdout=subprocess.DEVNULL)
        settings = load_settings(Path(place), {"SANBO_LLM__PROVIDER": "rules"})
        library = Library(Database.in_workspace(Path(place), None), settings)
        try:
            yield library.open("office")
        finally:
            library.close()


if __name__ == "__main__":
    main()
