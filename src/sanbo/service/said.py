"""What steps at work have said so far: it is in no journal, and who comes later wants it too."""

from collections import OrderedDict
from datetime import UTC, datetime

from sanbo.kernel.secrets import redact
from sanbo.runs.model import (
    Event,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    RunComplete,
    RunStart,
    TextDelta,
)

MOST_RUNS = 512
MOST_CHARACTERS = 400_000
MOST_PIECES = 1000
"""Then they are joined, and cut to their end where they are too long."""


class Said:
    """Of this process's runs, for as long as their steps are at work."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, dict[Path, list[str]]] = OrderedDict()

    def hear(self, event: Event) -> None:
        match event.payload:
            case TextDelta(text=text):
                self._add(event.run_id, event.path, text)
            case NodeStart() | NodeComplete() | NodeError() | NodeSkipped():
                self._runs.get(event.run_id, {}).pop(event.path, None)
            case RunStart() | RunComplete():
                self._runs.pop(event.run_id, None)
            case _:
                pass

    def so_far(self, run_id: str) -> list[Event]:
        """One event a step that is at work and has said something."""
        now = datetime.now(UTC)
        return [
            Event(
                run_id=run_id,
                seq=None,
                time=now,
                path=path,
                payload=TextDelta(text=redact("".join(pieces)), so_far=True),
            )
            for path, pieces in self._runs.get(run_id, {}).items()
        ]

    def is_speaking(self, run_id: str, path: Path) -> bool:
        return path in self._runs.get(run_id, {})

    def _add(self, run_id: str, path: Path, text: str) -> None:
        steps = self._runs.setdefault(run_id, {})
        self._runs.move_to_end(run_id)
        while len(self._runs) > MOST_RUNS:  # taken over by another process, perhaps
            self._runs.popitem(last=False)
        pieces = steps.setdefault(path, [])
        pieces.append(text)
        if len(pieces) > MOST_PIECES:
            pieces[:] = ["".join(pieces)[-MOST_CHARACTERS:]]
