"""Decisions of a run: the last ones in the state, those before them put away in portions."""

import asyncio
import json
from typing import Any, cast

from sanbo.agents.comparison.model import Decision
from sanbo.agents.comparison.state import ComparisonState
from sanbo.runs.model import FileRef, JsonObject
from sanbo.runs.workflow import RunContext

PORTION = 40
_NAME = "decisions.json"


async def put_away(state: ComparisonState, context: RunContext[Any]) -> ComparisonState:
    """A full portion goes to the run's files: the state is written at every step."""
    decided = state.get("comparison_results", [])
    if len(decided) < PORTION:
        return {}
    data = json.dumps(decided, ensure_ascii=False).encode()
    sha256 = await asyncio.to_thread(context.place.files.keep, context.run_id, data)
    return {
        "put_away": [*state.get("put_away", []), sha256],
        "comparison_results": [],
        "processed_chunks_a": [],
    }


async def all_decisions(
    state: ComparisonState, context: RunContext[Any]
) -> dict[int, list[Decision]]:
    """By pair, in the order in which they were made."""
    entries: list[JsonObject] = []
    for sha256 in state.get("put_away", []):
        data = await context.read(FileRef(file_id=sha256, name=_NAME, size=0))
        entries += cast("list[JsonObject]", json.loads(data))
    entries += state.get("comparison_results", [])
    by_pair: dict[int, list[Decision]] = {}
    for entry in entries:
        pair = cast("int", entry["pair"])
        told = {name: value for name, value in entry.items() if name != "pair"}
        by_pair.setdefault(pair, []).append(Decision.model_validate(told))
    return by_pair
