"""What a run compares: kept once as an artifact, read back wherever the run goes on."""

import asyncio
import re
import shutil
import tempfile
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sanbo.agents.comparison.model import Chunk, Doubt, Frozen, Link, Pair, Side
from sanbo.kernel.problems import Problem
from sanbo.kernel.text import matching_form
from sanbo.retrieval.embedding import embedder_from
from sanbo.retrieval.model import Filter, IndexedChunk
from sanbo.runs.model import FileRef
from sanbo.runs.workflow import RunContext
from sanbo.sandbox.memory import Memory
from sanbo.settings import Settings

if TYPE_CHECKING:
    from sanbo.retrieval.engines.embedded import EmbeddedEngine

CHUNKS_AT_ONCE = 256


class MeaningIndex:
    """Made when first searched. Blocking; after `close` the next search makes it anew."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._engine: EmbeddedEngine | None = None
        self._folder: Path | None = None
        self._lock = threading.Lock()

    def search(self, text: str, limit: int, settings: Settings) -> list[tuple[Chunk, float]]:
        """The most similar chunks, best first, with scores between 0 and 1."""
        with self._lock:
            engine = self._engine or self._build(settings)
            found = engine.search(text, limit, Filter())
        return [(self._side.chunks[each.chunk.ordinal], each.score) for each in found]

    def close(self) -> None:
        with self._lock:
            engine, self._engine = self._engine, None
            folder, self._folder = self._folder, None
            if engine is not None:
                engine.close()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)

    def _build(self, settings: Settings) -> "EmbeddedEngine":
        # The engine's libraries take a second to load, and most comparisons never search.
        from sanbo.retrieval.engines.embedded import EmbeddedEngine  # noqa: PLC0415 - see above

        self._folder = self._folder or Path(tempfile.mkdtemp(prefix="sanbo-comparison-"))
        engine = EmbeddedEngine(
            self._folder, name=self._side.name, embedder=embedder_from(settings)
        )
        places = range(len(self._side.chunks))
        for start in places[::CHUNKS_AT_ONCE]:
            some = places[start : start + CHUNKS_AT_ONCE]
            engine.add([_indexed(self._side, place) for place in some])
        self._engine = engine
        return engine


def _indexed(side: Side, place: int) -> IndexedChunk:
    chunk = side.chunks[place]
    return IndexedChunk(
        document_id="new",
        version="1",
        ordinal=place,
        document_name=side.name,
        format="text",
        text=chunk.text,
        context="\n".join(chunk.position.headings),
        position=chunk.position,
    )


_PAIRS = ("「」", "『』", "《》", "〈〉", "‘’", "«»", "‹›", '""', "``")
# What is never closed is read to the end, without a group: nothing after it is closed either.
_ENCLOSED = tuple(
    re.compile(f"{left}(?:([^{left if left == right else ''}{right}]*+){right}|[^{right}]*+\\Z)")
    for left, right in _PAIRS
)
# Languages differ in which of these opens and which closes.
_DOUBLE = re.compile("[“„‟〝❝]([^“”„‟〝〞〟❝❞]*)[”“‟〞〟❞]")
# An apostrophe stands inside or after a Latin word; a quotation mark opens before one.
_LATIN = r"0-9A-Za-z\u00c0-\u024f"
_SINGLE = re.compile(
    rf"(?<![{_LATIN}])['’‚‛❛]([^'’‚‛❛❜\n]*(?:(?<=[{_LATIN}])['’](?=[{_LATIN}])[^'’‚‛❛❜\n]*)*)"
    rf"['’‘❜](?![{_LATIN}])"
)
_BLOCK = re.compile(r"^[ \t]*>[> \t]*(.*)$", re.MULTILINE)
_ENTITY = re.compile(r"&(?:quot|apos|[lr]dquo|[lr]squo|#0*3[49]|#x0*2[27]);", re.IGNORECASE)
_LEFT_OUT = re.compile(r"…+|⋯+|\.{3,}|\[\.*\]|（(?:中略|略)）|\((?:中略|略)\)|〔(?:中略|略)〕")


def folded(text: str) -> str:
    """Matching form without any white space: a line break of a PDF is no difference."""
    return "".join(matching_form(text).split())


def quoted(explanation: str) -> Iterator[str]:
    """Every text that stands in quotation marks, in the order of their kinds."""
    # Full-width and half-width marks (＂ ｢ ｀) become the ordinary ones.
    text = unicodedata.normalize("NFKC", _ENTITY.sub('"', explanation))
    for pattern in (*_ENCLOSED, _DOUBLE, _SINGLE, _BLOCK):
        for found in pattern.finditer(text):
            if found[1] is not None:
                yield found[1]


def invented(
    explanation: str, documents: Collection[str], names: Collection[str] = ()
) -> list[str]:
    """Quotations that are in none of the documents, which are given folded.

    `names`: what may be put in quotation marks though no document says it: ids, labels, files.
    """
    known = {folded(name) for name in names}
    return [
        quote
        for quote in dict.fromkeys(quoted(explanation))
        if folded(quote) not in known and not _stands_in(quote, documents)
    ]


def _stands_in(quote: str, documents: Collection[str]) -> bool:
    """All its parts, where it leaves something out, in one document."""
    parts = [part for piece in _LEFT_OUT.split(quote) if (part := folded(piece))]
    return any(all(part in document for part in parts) for document in documents)


NAME = "alignment.json"
MEDIA_TYPE = "application/json"
MOST_MATERIALS = 4
"""In memory: of a process that carries many runs, those that are at work just now."""


class Compared(Frozen):
    """The artifact's content."""

    pairs: tuple[Pair, ...]
    left_out: tuple[Problem, ...] = ()
    """Files of a folder that could not be read."""


class SideView:
    """A side as tools look at it."""

    def __init__(self, side: Side) -> None:
        self.side = side

    @cached_property
    def places(self) -> dict[str, int]:
        return {chunk.id: place for place, chunk in enumerate(self.side.chunks)}

    @cached_property
    def searched(self) -> list[str]:
        return [matching_form(chunk.text) for chunk in self.side.chunks]

    @cached_property
    def folded(self) -> str:
        return folded(self.side.text)

    def chunk(self, chunk_id: str) -> Chunk | None:
        place = self.places.get(chunk_id)
        return None if place is None else self.side.chunks[place]

    def around(self, chunk_id: str, before: int, after: int) -> tuple[Chunk, ...]:
        place = self.places[chunk_id]
        return self.side.chunks[max(0, place - before) : place + after + 1]

    def beside(self, chunk_id: str) -> tuple[Chunk | None, Chunk | None]:
        place, chunks = self.places[chunk_id], self.side.chunks
        before = chunks[place - 1] if place else None
        return before, chunks[place + 1] if place + 1 < len(chunks) else None

    def above(self, chunk: Chunk) -> list[Chunk]:
        """The chunks it stands under, outermost first."""
        found: list[Chunk] = []
        while chunk.parent is not None and len(found) < 20:
            parent = self.chunk(chunk.parent)
            if parent is None or parent in found:
                break
            found.insert(0, parent)
            chunk = parent
        return found


class PairView:
    """Two documents that are compared, with what the aligner says about them."""

    def __init__(self, pair: Pair) -> None:
        assert pair.old is not None
        assert pair.new is not None
        self.pair = pair
        self.old = SideView(pair.old)
        self.new = SideView(pair.new)

    @cached_property
    def links_of_old(self) -> dict[str, Link]:
        return {old: link for link in self.pair.alignment.links for old in link.old}

    @cached_property
    def links_of_new(self) -> dict[str, Link]:
        return {new: link for link in self.pair.alignment.links for new in link.new}

    @cached_property
    def doubts(self) -> dict[str, Doubt]:
        return {doubt.old: doubt for doubt in self.pair.alignment.doubts}

    @cached_property
    def meaning(self) -> MeaningIndex:
        return MeaningIndex(self.new.side)

    def exact_counterpart(self, old_id: str) -> str | None:
        """The new chunk that says word for word the same, where nobody doubts it."""
        link = self.links_of_old.get(old_id)
        if link is None or len(link.old) != 1 or len(link.new) != 1 or old_id in self.doubts:
            return None
        old, new = self.old.chunk(old_id), self.new.chunk(link.new[0])
        is_same = old is not None and new is not None and old.text.split() == new.text.split()
        return link.new[0] if is_same else None

    def is_settled_elsewhere(self, new_id: str, old_id: str) -> bool:
        """Whether a new chunk is the exact counterpart of another old one."""
        link = self.links_of_new.get(new_id)
        return (
            link is not None
            and old_id not in link.old
            and any(self.exact_counterpart(other) == new_id for other in link.old)
        )

    def close(self) -> None:
        if "meaning" in self.__dict__:
            self.meaning.close()


class Material:
    def __init__(self, compared: Compared) -> None:
        self.pairs = compared.pairs
        self.left_out = compared.left_out
        self._views: dict[int, PairView] = {}
        self._lock = threading.Lock()

    def view(self, number: int) -> PairView:
        with self._lock:
            if number not in self._views:
                self._views[number] = PairView(self.pairs[number])
            return self._views[number]

    def every_chunk(self) -> list[tuple[int, str]]:
        """Of every pair, the old chunks in the order of their document."""
        return [
            (number, chunk.id)
            for number, pair in self.both()
            for chunk in (pair.old.chunks if pair.old else ())
        ]

    def both(self) -> Iterator[tuple[int, Pair]]:
        """Those of which there are two editions."""
        for number, pair in enumerate(self.pairs):
            if pair.old is not None and pair.new is not None and pair.new.chunks:
                yield number, pair

    def close(self) -> None:
        with self._lock:
            views, self._views = self._views, {}
        for view in views.values():
            view.close()


class Materials:
    """Those in memory, by the SHA-256 of their artifact; others are read when they are needed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Material] = OrderedDict()
        self._lock = threading.Lock()

    async def keep(self, context: RunContext[Any], compared: Memory) -> str:
        """It is read only where somebody looks into it: a model's tools."""
        data = await asyncio.to_thread(lambda: bytes(compared.view()))
        artifact = await context.keep(NAME, MEDIA_TYPE, data, at=("initialize",))
        return artifact.artifact_id

    async def data(self, context: RunContext[Any], sha256: str) -> bytes:
        """A `Compared` in JSON."""
        return await context.read(FileRef(file_id=sha256, name=NAME, size=0))

    async def of(self, context: RunContext[Any], sha256: str) -> Material:
        with self._lock:
            if sha256 in self._kept:
                self._kept.move_to_end(sha256)
                return self._kept[sha256]
        data = await self.data(context, sha256)
        read = await asyncio.to_thread(Compared.model_validate_json, data)
        return self._remember(sha256, Material(read))

    def forget(self, sha256: str) -> None:
        with self._lock:
            gone = self._kept.pop(sha256, None)
        if gone is not None:
            gone.close()

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, OrderedDict()
        for material in kept.values():
            material.close()

    def _remember(self, sha256: str, material: Material) -> Material:
        gone: list[Material] = []
        with self._lock:
            material = self._kept.setdefault(sha256, material)
            self._kept.move_to_end(sha256)
            while len(self._kept) > MOST_MATERIALS:
                gone.append(self._kept.popitem(last=False)[1])
        for each in gone:
            each.close()
        return material
