"""A plan's log: one flat line for each event, made of the journal and the plan alone; as a file it
is `runs/{plan_id}/{timestamp}.jsonl` in the workspace.
"""

import hashlib
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path as FilePath

import orjson
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sanbo.kernel.personal_data import masked_personal, masked_private, might_hold, summary
from sanbo.kernel.problems import Problem
from sanbo.kernel.secrets import redact, redact_json
from sanbo.plans.model import SubflowNode
from sanbo.plans.running.masks import kept_payload
from sanbo.plans.running.plan import PreparedGraph
from sanbo.plans.settings import Persist
from sanbo.runs.model import (
    ArtifactMade,
    Event,
    InteractionAnswered,
    InteractionDue,
    InteractionOpen,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    RunComplete,
    RunStart,
    Status,
    is_iteration,
)

Line = dict[str, JsonValue]


class LogLines:
    """Takes a run's events in order."""

    def __init__(self, plan: PreparedGraph, run_id: str, persist: Persist = "full") -> None:
        self._plan = plan
        self._persist: Persist = persist
        self._run_id = run_id
        self._begun = 0
        self._subflows: dict[Path, str] = {}
        self._counted: Counter[str] = Counter()

    def of(self, event: Event) -> Line | None:
        """None for what is inside a block: an agent's steps, the asking of a form."""
        kept = kept_payload(event.payload, self._persist)
        if kept is not event.payload:
            event = event.model_copy(update={"payload": kept})
        told = self._told(event)
        if told is None:
            return None
        run_id = self._run_of(event.path)
        return {**told, "run_id": run_id, "timestamp": _moment(event.time), "seq": event.seq}

    def _told(self, event: Event) -> Line | None:
        payload = event.payload
        match payload:
            case RunStart():
                self._begun += 1
                line: Line = {"event": "plan_start", "plan_id": self._plan.plan_id}
                return line | ({"resumed": True} if payload.resumed else {})
            case RunComplete():
                return self._end(payload)
            case NodeStart() | NodeComplete() | NodeSkipped() | NodeError():
                return self._of_node(event.path, payload) if self._is_node(event.path) else None
            case _:
                return self._beside(event)

    def _beside(self, event: Event) -> Line | None:
        payload = event.payload
        told: Line
        match payload:
            case LoopIteration():
                told = {"iteration": payload.iteration, "item": summary(payload.item)}
            case InteractionOpen(interaction=asked):
                told = {"interaction_id": asked.interaction_id}
            case InteractionDue():
                told = {"interaction_id": payload.interaction_id, "overdue": payload.overdue}
            case InteractionAnswered():
                told = {"interaction_id": payload.interaction_id, "by": payload.by}
            case ArtifactMade(artifact=made):
                told = {"name": made.name, "artifact_id": made.artifact_id, "size": made.size}
                return self._at(event.path, payload.event) | told
            case _:
                return None
        return self._at(event.path[:-1], payload.event) | told

    def _of_node(
        self, path: Path, payload: NodeStart | NodeComplete | NodeSkipped | NodeError
    ) -> Line:
        line = self._at(path, payload.event)
        match payload:
            case NodeStart():
                block, _, version = payload.block.partition("@")
                if block:
                    line |= {"block": block, "block_version": version}
                line["attempt"] = payload.attempt
            case NodeComplete():
                line |= {"outputs": summary(payload.outputs), "duration_ms": payload.duration_ms}
                if payload.warnings:
                    line["warnings"] = [
                        {
                            "code": str(each.code),
                            "message": masked_private(each.message),
                            "hint": each.hint,
                        }
                        for each in payload.warnings
                    ]
            case NodeSkipped():
                line |= {"reason": payload.reason, "condition": payload.condition}
            case NodeError():
                line |= {
                    "error": _told(payload.error),
                    "retry": payload.retry,
                    "duration_ms": payload.duration_ms,
                }
        return line

    def _end(self, payload: RunComplete) -> Line:
        line: Line = {
            "event": "plan_complete",
            "plan_id": self._plan.plan_id,
            "status": _STATUSES.get(payload.status, payload.status),
            "warnings": payload.warnings,
            "total_duration_ms": payload.total_duration_ms,
        }
        if payload.problem is not None:
            line["error"] = _told(payload.problem)
        return line

    def _at(self, path: Path, event: str) -> Line:
        return {"event": event, "node_id": "/".join(path)}

    def _is_node(self, path: Path) -> bool:
        """Of the plan or of one inside it; neither an iteration nor a step inside a block."""
        graph: PreparedGraph | None = self._plan
        depth = 0
        while depth < len(path):
            node = graph.nodes.get(path[depth]) if graph else None
            if node is None:
                return False
            depth += 1
            graph = node.inner
            if depth < len(path) and is_iteration(path[: depth + 1]):
                depth += 1
                if depth == len(path):
                    return False
        return True

    def _run_of(self, path: Path) -> str:
        """The run's id, or that of the called plan's run that the path is in."""
        run_id, graph, depth = self._run_id, self._plan, 0
        while depth < len(path) - 1:
            node = graph.nodes.get(path[depth])
            if node is None or node.inner is None:
                break
            graph = node.inner
            depth += 1 if isinstance(node.node, SubflowNode) else 2
            if node.calls is not None and depth < len(path):
                run_id = self._subflow(path[:depth], run_id)
        return run_id

    def _subflow(self, path: Path, parent: str) -> str:
        """`parent#1.sub#1`: the first plan that the run, begun once, has called."""
        if path not in self._subflows:
            before = parent if parent != self._run_id else f"{parent}#{self._begun}"
            self._counted[before] += 1
            self._subflows[path] = f"{before}.sub#{self._counted[before]}"
        return self._subflows[path]


def _told(problem: Problem) -> JsonValue:
    return summary(to_jsonable_python(problem))


_STATUSES = {Status.SUCCEEDED: "success"}
"""As the design writes them."""


def _moment(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


logger = logging.getLogger(__name__)

FOLDER = "runs"
SECONDS = 0.3
MOST_BYTES = 120
_UNSAFE = re.compile(r"[^\w\-. ]")


def log_path(workspace: FilePath, plan_id: str, begun: datetime) -> FilePath:
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
        self, path: FilePath, lines: LogLines, history: Callable[[int | None], Iterable[Event]]
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
