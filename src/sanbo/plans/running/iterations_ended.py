"""What an iteration leaves when it has ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from sanbo.plans.running.outputs import Outputs


@dataclass(frozen=True, slots=True)
class Iteration:
    """What an iteration leaves: its exports or, without any, the outputs of its nodes."""

    result: dict[str, JsonValue]
    shown: dict[str, JsonValue]
    """As it may be written; the same object where nothing is masked."""
    read: Mapping[str, Outputs] = field(default_factory=dict[str, Outputs])
    """Outputs of the nodes that the loop's condition asks about."""
