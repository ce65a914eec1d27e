"""The tools with which a model looks around in both documents. Their results are bounded."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sanbo.agents.comparison import prompts
from sanbo.agents.comparison.material import PairView, SideView
from sanbo.agents.comparison.model import Chunk, Link
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.llm.model import ToolSpec
from sanbo.llm.prompts import cut, written
from sanbo.settings import Settings

MOST_HITS = 12
MOST_ADJACENT = 10
LONGEST_CHUNK = 1_500
LONGEST_NEIGHBOUR = 400
AROUND_HIT = 80
LONGEST_RESULT = 8_000
_SHORTEST_TEXT = 60

Document = Literal["old", "new"]
Query = Annotated[str, Field(description="words or a sentence", max_length=2_000)]
ChunkId = Annotated[str, Field(description="such as A12 or B7", max_length=200)]


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StringSearch(Arguments):
    query: Query
    document: Literal["old", "new", "both"] = "both"


class VectorSimilarity(Arguments):
    query: Query
    limit: int = Field(default=5, ge=1, le=MOST_HITS)


class GetContext(Arguments):
    chunk_id: ChunkId


class GetAdjacentChunks(Arguments):
    chunk_id: ChunkId
    before: int = Field(default=2, ge=0, le=MOST_ADJACENT)
    after: int = Field(default=2, ge=0, le=MOST_ADJACENT)
    document: Document | None = Field(
        default=None, description="which document the id is of, where both have it"
    )


_ARGUMENTS: dict[str, type[Arguments]] = {
    "string_search": StringSearch,
    "vector_similarity": VectorSimilarity,
    "get_context_a": GetContext,
    "get_context_b": GetContext,
    "get_adjacent_chunks": GetAdjacentChunks,
}
LOOKING: tuple[ToolSpec, ...] = tuple(
    ToolSpec.of(arguments, name=name, description=prompts.TOOLS[name])
    for name, arguments in _ARGUMENTS.items()
)


class Tools:
    """Carries out the calls of a dialogue about one pair. Blocking."""

    def __init__(self, view: PairView, settings: Settings) -> None:
        self._view = view
        self._settings = settings
        self._do: dict[str, Callable[[Any], object]] = {
            "string_search": self._string_search,
            "vector_similarity": self._vector_similarity,
            "get_context_a": lambda given: self._context(given, "old"),
            "get_context_b": lambda given: self._context(given, "new"),
            "get_adjacent_chunks": self._adjacent,
        }

    def call(self, name: str, arguments: dict[str, Any], most: int = LONGEST_RESULT) -> str:
        """JSON, as data; raises a problem that tells the model what was wrong."""
        given = _ARGUMENTS[name].model_validate(arguments)
        return cut(written(self._do[name](given)), min(most, LONGEST_RESULT))

    def _string_search(self, given: StringSearch) -> object:
        needle = matching_form(given.query)
        if not needle:
            raise InvalidInput("comparison_query_empty")
        wanted: tuple[Document, ...] = (
            ("old", "new") if given.document == "both" else (given.document,)
        )
        found: dict[str, object] = {}
        for name in wanted:
            side = self._side(name)
            hits = list(_hits(side, needle))
            found[name] = {"hits": hits[:MOST_HITS], "found": len(hits)}
        return found

    def _vector_similarity(self, given: VectorSimilarity) -> object:
        if not given.query.strip():
            raise InvalidInput("comparison_query_empty")
        found = self._view.meaning.search(given.query, given.limit, self._settings)
        return [
            {**shown(chunk, LONGEST_NEIGHBOUR), "score": round(score, 3)} for chunk, score in found
        ]

    def _context(self, given: GetContext, name: Document) -> object:
        side = self._side(name)
        chunk = _existing(side, given.chunk_id)
        before, after = side.beside(chunk.id)
        return {
            "chunk": shown(chunk, LONGEST_CHUNK),
            "headings": list(chunk.position.headings),
            "stands_under": [shown(each, LONGEST_NEIGHBOUR) for each in side.above(chunk)],
            "before": None if before is None else shown(before, LONGEST_NEIGHBOUR),
            "after": None if after is None else shown(after, LONGEST_NEIGHBOUR),
            "proposal": self._proposal(chunk.id, name),
        }

    def _adjacent(self, given: GetAdjacentChunks) -> object:
        places: dict[Document, SideView] = {"old": self._view.old, "new": self._view.new}
        having: list[Document] = [
            name for name, side in places.items() if given.chunk_id in side.places
        ]
        if given.document is None and len(having) > 1:
            raise InvalidInput("comparison_chunk_in_both", chunk=given.chunk_id)
        name: Document = given.document or (having[0] if having else "old")
        side = places[name]
        chunk = _existing(side, given.chunk_id)
        around = side.around(chunk.id, given.before, given.after)
        # Many neighbours share the room of the whole result.
        room = max(_SHORTEST_TEXT, LONGEST_RESULT // (2 * len(around)))
        return {
            "document": name,
            "chunks": [shown(each, min(LONGEST_CHUNK, room)) for each in around],
        }

    def _proposal(self, chunk_id: str, name: Document) -> object:
        links = self._view.links_of_old if name == "old" else self._view.links_of_new
        return proposal(links.get(chunk_id))

    def _side(self, name: Document) -> SideView:
        return self._view.old if name == "old" else self._view.new


def shown(chunk: Chunk, most: int) -> dict[str, object]:
    """A chunk as the model sees it."""
    told: dict[str, object] = {"id": chunk.id}
    if chunk.label:
        told["label"] = cut(chunk.label, 100)
    if chunk.kind != "paragraph":
        told["kind"] = chunk.kind
    return {**told, "text": cut(chunk.text, most)}


def proposal(link: Link | None) -> dict[str, object]:
    if link is None:
        return {"old_ids": [], "new_ids": []}
    return {
        "old_ids": list(link.old),
        "new_ids": list(link.new),
        "confidence": round(link.confidence, 3),
    }


def _existing(side: SideView, chunk_id: str) -> Chunk:
    chunk = side.chunk(chunk_id)
    if chunk is None:
        chunks = side.side.chunks
        first, last = (chunks[0].id, chunks[-1].id) if chunks else ("–", "–")
        raise InvalidInput("comparison_chunk_unknown", chunk=chunk_id[:80], first=first, last=last)
    return chunk


def _hits(side: SideView, needle: str) -> Iterator[dict[str, object]]:
    for chunk, text in zip(side.side.chunks, side.searched, strict=True):
        at = text.find(needle)
        if at >= 0:
            start, end = max(0, at - AROUND_HIT), at + len(needle) + AROUND_HIT
            before, after = "…" if start else "", "…" if end < len(text) else ""
            yield {"id": chunk.id, "label": chunk.label, "text": before + text[start:end] + after}
