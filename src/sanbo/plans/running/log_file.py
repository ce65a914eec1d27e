"""The log of a plan's run as a file: `runs/{plan_id}/{timestamp}.jsonl` in the workspace."""

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

import orjson

from sanbo.kernel.personal_data import masked_personal, might_hold
from sanbo.kernel.secrets import redact, redact_json
from sanbo.plans.running.log_lines import Line, LogLines
from sanbo.runs.model import Event, RunComplete

logger = logging.getLogger(__name__)

FOLDER = "runs"
SECONDS = 0.3
MOST_BYTES = 120
_UNSAFE = re.compile(r"[^\w\-. ]")


def log_path(workspace: Path, plan_id: str, begun: datetime) -> Path:
    name = begun.strftime("%Y%m%dT%H%M%S.%fZ")
    return workspace / FOLDER / folder_name(plan_id) / f"{name}.jsonl"


def folder_name(plan_id: str) -> str:
    """The plan's id where it can be a folder's name; else near to it, and still its own."""
    safe = _UNSAFE.sub("_", plan_id).strip(". ")
    while len(safe.encode()) > MOST_BYTES:
        safe = safe[:-1]
    if safe == plan_id:
        return safe
    return f"{safe}-{hashlib.sha256(plan_id.encode()).hexdigest()[:8]}"


def _text(lines: Sequence[Line]) -> str:
    """Looked through as a whole: a search a line costs more than the lines."""
    texts = [orjson.dumps(line).decode() for line in lines]
    whole = "".join(f"{text}\n" for text in texts)
    if might_hold(whole):
        texts = [orjson.dumps(masked_personal(line)).decode() for line in lines]
    elif redact(whole) == whole:
        return whole
    return "".join(f"{redact_json(text)}\n" for text in texts)


class LogFile:
    """Can be made again out of the journal at any time: a crash loses nothing.

    So it need not follow the journal event by event: it is written a few times a second.
    """

    def __init__(
        self, path: Path, lines: LogLines, history: Callable[[int | None], Iterable[Event]]
    ) -> None:
        self.path = path
        self._lines = lines
        self._history = history
        self._has_begun = False
        self._last_seq = 0
        self._waiting: list[Event] = []
        self._due = time.monotonic() + SECONDS
        self._is_well = True
        self.is_kept = True

    def add(self, events: Sequence[Event]) -> None:
        """Called in the journal's thread, once the events are stored."""
        self._waiting.extend(events)
        is_over = isinstance(events[-1].payload, RunComplete)
        if is_over or time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        events, self._waiting = self._waiting, []
        if not self.is_kept:
            return
        self._due = time.monotonic() + SECONDS
        try:
            if not self._has_begun:
                self._begin((events[0].seq or 1) - 1 if events else None)
            text = self._written(events)
            if text and self._is_well:
                with self.path.open("ab") as file:
                    file.write(text)
        except OSError:
            self._fail()

    def _begin(self, last: int | None) -> None:
        """Writes what was stored before the first event that was added, and nothing else."""
        self._has_begun = True
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        with partial.open("wb") as file:
            for event in self._history(last):  # one at a time: there may be very many
                file.write(self._written([event]))
        partial.replace(self.path)

    def _written(self, events: Sequence[Event]) -> bytes:
        lines: list[Line] = []
        for event in events:
            if (event.seq or 0) <= self._last_seq:
                continue
            self._last_seq = event.seq or self._last_seq
            line = self._lines.of(event)
            if line is not None:
                lines.append(line)
        return _text(lines).encode()

    def _fail(self) -> None:
        # The journal has it all: a full disk must not end the run for its log's sake.
        self._is_well = False
        logger.exception("the log %s can't be written", self.path)
