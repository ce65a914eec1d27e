"""What a research knows while it runs, as plain JSON: checkpoints hold no classes of ours."""

from typing import TypedDict

from sanbo.agents.research.model import StopReason
from sanbo.runs.model import JsonObject


class ResearchState(TypedDict, total=False):
    question: str
    retrieved_docs: list[JsonObject]
    """`Passage`s in the order of finding."""
    search_queries: list[JsonObject]
    """`SearchedQuery`s of all cycles."""
    cycle_count: int
    final_answer: str
    """The report."""

    sub_questions: list[str]
    next_queries: list[str]
    """What the next cycle searches for."""
    problem: str
    """Why the question was searched for as it is; empty where it was taken apart."""
    decisions: list[JsonObject]
    """`Decision`s, one a cycle."""
    stop_reason: StopReason | None
    collection_chunks: int | None
    result: JsonObject
    """A `ResearchResult`."""
    step: JsonObject
    """What the last node tells the journal."""
