"""What the nodes of a run have given, read from its journal."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.runs.model import Event, NodeComplete, Path
from sanbo.service.plan_pictures import without_iterations

STORED = "x-stored"


@dataclass(frozen=True)
class Given:
    outputs: JsonValue
    is_stored: bool
    """Too large for the journal: the values themselves are in a file."""
    in_loop: bool
    """Of the last iteration that ended."""


def outputs_of(events: Iterable[Event]) -> dict[Path, Given]:
    """By path of node ids, loop items left out; of several the last counts."""
    found: dict[Path, Given] = {}
    for event in events:
        if isinstance(event.payload, NodeComplete):
            outputs = event.payload.outputs
            is_stored = isinstance(outputs, dict) and STORED in outputs
            path = without_iterations(event.path)
            found[path] = Given(outputs, is_stored, in_loop=path != event.path)
    return found
