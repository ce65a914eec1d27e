"""What the nodes of a run have given, read from its journal: in loops, of every turn."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.plans.progress import without_iterations
from sanbo.runs.model import Event, NodeComplete, NodeSkipped, NodeStart, Path

STORED = "x-stored"


@dataclass(frozen=True)
class Given:
    outputs: JsonValue
    is_stored: bool
    """Too large for the journal: the values themselves are in a file."""


Turns = Mapping[Path, Given | None]
"""By its whole path, loop items too, in the order of the journal; None where it gave nothing."""


def outputs_of(events: Iterable[Event]) -> Mapping[Path, Turns]:
    """By path of node ids, loop items left out."""
    found: defaultdict[Path, dict[Path, Given | None]] = defaultdict(dict)
    for event in events:
        match event.payload:
            case NodeStart() | NodeSkipped():
                found[without_iterations(event.path)].setdefault(event.path, None)
            case NodeComplete(outputs=outputs):
                is_stored = isinstance(outputs, dict) and STORED in outputs
                found[without_iterations(event.path)][event.path] = Given(outputs, is_stored)
            case _:
                pass
    return found
