"""An agent's result by output port."""

from collections.abc import Mapping, Sequence
from typing import Any

from sanbo.blocks.agent.calling import Called
from sanbo.runs.workflow import Waiting


def by_port(called: Called | Waiting, ports: Sequence[str]) -> Mapping[str, Any] | Waiting:
    if isinstance(called, Waiting):
        return called
    return {name: called.result.get(name) for name in ports} | {"files": called.files}
