"""How far each node of a plan has come, as a picture shows it."""

from dataclasses import dataclass
from typing import Literal

NodeStatus = Literal["pending", "running", "waiting", "succeeded", "failed", "skipped"]

SIGNS: dict[NodeStatus, str] = {
    "pending": "○",
    "running": "▶",
    "waiting": "？",
    "succeeded": "✓",
    "failed": "✗",
    "skipped": "–",
}
"""Beside the colour: not everybody sees that, and not every printer has it."""


@dataclass(frozen=True)
class NodeState:
    status: NodeStatus
    done: int = 0
    """Of a loop: iterations that have ended."""
    total: int | None = None
    """Of a loop: how many there will be, where that is known."""
    duration_ms: int | None = None
    note: str = ""
    """Why it was skipped, or what went wrong."""

    @property
    def progress(self) -> str:
        """Such as `3/10`, or `×3` where the end is open; empty where nothing is counted."""
        if self.total is not None:
            return f"{self.done}/{self.total}"
        return f"×{self.done}" if self.done else ""


NOT_BEGUN = NodeState("pending")
