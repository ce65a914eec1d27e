"""One call of a computing block, and what came of it; both can be sent to another process."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from sanbo.blocks.block import Files
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem


@dataclass(frozen=True, slots=True)
class BlockCall:
    block: str
    """The block's id and exact version: `file.read_csv@1.0.0`."""
    inputs: Mapping[str, JsonValue]
    """By port, as the plan gives them: they are checked where the block runs."""
    node: str
    """The node's path in the run, for messages."""
    idempotency_key: str
    language: Language
    files: Files
    workspace: Path | None = None
    """Where the workspace's own blocks (`block_specs/`) and files (`files/`) are."""
    is_elsewhere: bool = False
    """On another machine the workspace's files are not at hand."""


@dataclass(frozen=True, slots=True)
class Performed:
    """Either outputs, not yet checked and with `NewFile` in them, or a problem."""

    outputs: Mapping[str, Any] | None = None
    problem: Problem | None = None
    defect: str = ""
    """The traceback of what nobody foresaw: for the log of the process that asked."""
