"""What a run compares: kept once as an artifact, read back wherever the run goes on."""

import asyncio
import threading
from collections import OrderedDict
from functools import cached_property
from typing import Any, NamedTuple

from sanbo.agents.comparison.meaning import MeaningIndex
from sanbo.agents.comparison.model import Chunk, Doubt, Frozen, Link, Pair, Side
from sanbo.agents.comparison.quotes import folded
from sanbo.kernel.problems import Problem
from sanbo.kernel.text import matching_form
from sanbo.runs.model import FileRef
from sanbo.runs.workflow import RunContext
from sanbo.sandbox.memory import Memory

NAME = "alignment.json"
MEDIA_TYPE = "application/json"
MOST_MATERIALS = 4
"""In memory: of a process that carries many runs, those that are at work just now."""


class Compared(Frozen):
    """The artifact's content."""

    pairs: tuple[Pair, ...]
    left_out: tuple[Problem, ...] = ()
    """Files of a folder that could not be read."""


class QueuedChunk(NamedTuple):
    """An old chunk that is put to the model."""

    pair: int
    id: str


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

    def queue(self, *, every_chunk: bool) -> list[QueuedChunk]:
        """The chunks that a model is asked about, in the order of the documents."""
        both = [
            (number, pair)
            for number, pair in enumerate(self.pairs)
            if pair.old is not None and pair.new is not None and pair.new.chunks
        ]
        if every_chunk:
            return [
                QueuedChunk(number, chunk.id)
                for number, pair in both
                for chunk in (pair.old.chunks if pair.old else ())
            ]
        return [
            QueuedChunk(number, doubt.old)
            for number, pair in both
            for doubt in sorted(
                pair.alignment.doubts, key=lambda each: self.view(number).old.places[each.old]
            )
        ]

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
