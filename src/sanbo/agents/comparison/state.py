"""What a comparison knows between two steps. Every step writes all of it to the checkpoint."""

from collections.abc import Sequence
from typing import Annotated

from langchain_core.messages import BaseMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from sanbo.runs.model import JsonObject


class DocumentReference(TypedDict):
    """A side's documents: how many, and which artifact holds them with their chunks."""

    names: list[str]
    chunks: int
    characters: int
    material: str
    """SHA-256 of `alignment.json`; the chunks themselves would be written at every step."""


class CurrentChunk(TypedDict):
    """The old chunk that is being decided."""

    pair: int
    id: str
    label: str
    number: int
    """From 1, of those that are put to the model."""
    of: int


class CloserLook(TypedDict):
    pair: int
    id: str


class PendingTurn(TypedDict):
    """What the model wants done: its calls, those that can't be carried out, a refused answer."""

    calls: list[JsonObject]
    invalid: list[JsonObject]
    refusal: JsonObject | None


class ComparisonState(TypedDict, total=False):
    document_a: DocumentReference
    document_b: DocumentReference
    current_chunk_a: CurrentChunk | None
    messages: Annotated[Sequence[BaseMessage], add_messages]
    """Of the current chunk alone."""
    comparison_results: list[JsonObject]
    """Decisions, as plain JSON; of those before them the portions in `put_away` hold the rest."""
    processed_chunks_a: list[str]
    """Ids of the chunks in `comparison_results`."""

    sheets: int
    """How many have been decided."""
    sheets_left: int
    closer: list[CloserLook]
    """Old chunks about which no sheet said enough."""
    put_away: list[str]
    """SHA-256 of portions of decisions: thousands of them in the state would fill the disk."""
    position: int
    """How many chunks have been decided."""
    rounds: int
    """Rounds of tools for the current chunk."""
    refusals: int
    tools_used: list[str]
    turn: PendingTurn | None
    result: str
    """SHA-256 of the artifact that holds the result."""
