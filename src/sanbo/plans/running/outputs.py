"""What came out of a node: its values for the nodes that read it, and the same as it is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from sanbo.kernel.problems import Problem
from sanbo.kernel.secrets import MASK
from sanbo.plans.references import Reference, Unreachable, walk

Status = Literal["succeeded", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Outputs:
    values: Mapping[str, JsonValue] | None
    """By port; None where there are none: of a node that was skipped or failed."""
    shown: Mapping[str, JsonValue] | None
    """The same with everything masked that must not be written."""
    ports: Mapping[str, str]
    """The port behind each name in `out`."""
    warnings: tuple[Problem, ...] = ()
    """What a person should know of them."""

    @property
    def is_masked(self) -> bool:
        return self.shown is not self.values

    def read(self, reference: Reference) -> JsonValue:
        return self._read(self.values, reference)

    def read_shown(self, reference: Reference) -> JsonValue:
        try:
            return self._read(self.shown, reference)
        except Unreachable:
            if self.is_masked:  # inside what was masked
                return MASK
            raise

    def _read(self, values: Mapping[str, JsonValue] | None, reference: Reference) -> JsonValue:
        if values is None:
            return None
        if not reference.keys:
            return self.named(values)
        name = str(reference.keys[0])
        port = self.ports.get(name, name)
        if port not in values:
            port = name
        if port not in values:
            raise Unreachable(name, [*self.ports, *values])
        return walk(values[port], reference.keys[1:])

    def named(self, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """By port, and by the names given in `out`."""
        renamed = {name: values[port] for name, port in self.ports.items() if port in values}
        return {**values, **renamed}


NOTHING = Outputs(None, None, {})


@dataclass(frozen=True, slots=True)
class Ended:
    """A node that is over."""

    status: Status
    outputs: Outputs
    recorded: JsonValue
    """The outputs as the journal has them."""
    duration_ms: int
    problem: Problem | None = None
    """Of one that failed, and without which the run went on."""
