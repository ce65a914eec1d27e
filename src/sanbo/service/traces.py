"""Runs as OpenTelemetry traces: a run is a trace, its steps and calls to models are spans.

Made out of the events that are stored anyway, so that runs know nothing of it, and switched on by
`runs.traces_url` alone. Names of workflows, steps and models, times, tokens and codes are told;
nothing that people sent, and nothing that was made of it.
"""

import hashlib
import logging
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from sanbo import __version__
from sanbo.kernel.problems import Code
from sanbo.llm.engine import Call
from sanbo.runs.model import (
    Event,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    RunComplete,
)
from sanbo.runs.model import Status as RunStatus

logger = logging.getLogger(__name__)

MOST_RUNS = 10_000
"""Whose open steps are remembered; of others a step is told without what it stands in."""
EXPORT_SECONDS = 5
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_OK = "ok"

Attributes = Mapping[str, str | int | float]


class _Step(NamedTuple):
    span_id: int
    began: int
    name: str
    attempt: int


class _Run:
    def __init__(self, run_id: str) -> None:
        digest = hashlib.sha256(run_id.encode()).digest()
        # By the run's id: whichever servers advance it, they tell of the same trace.
        self.trace_id = int.from_bytes(digest[:16])
        self.root = int.from_bytes(digest[16:24])
        self.workflow = ""
        self.steps: dict[Path, _Step] = {}

    def around(self, path: Path) -> int:
        """The span of the nearest step that this path is in, or is."""
        ends = range(len(path), 0, -1)
        found = (self.steps[path[:end]].span_id for end in ends if path[:end] in self.steps)
        return next(found, self.root)


class Traces:
    def __init__(self, url: str) -> None:
        self._resource = Resource.create(
            {
                "service.name": "sanbo",
                "service.version": __version__,
                "service.instance.id": secrets.token_hex(8),
            }
        )
        exporter = OTLPSpanExporter(endpoint=url, timeout=EXPORT_SECONDS)
        self._processor = BatchSpanProcessor(exporter)
        self._runs: OrderedDict[str, _Run] = OrderedDict()

    def know(self, run_id: str, workflow: str) -> None:
        """That this server advances a run now."""
        self._run(run_id).workflow = workflow

    def take(self, event: Event) -> None:
        """Of a run, in order. What goes wrong here is nobody else's trouble."""
        try:
            self._take(event)
        except Exception:
            logger.exception("an event could not be told as a span")

    def close(self) -> None:
        """Blocking: what was told is still sent, unless nobody takes it."""
        self._processor.shutdown()

    def _run(self, run_id: str) -> _Run:
        run = self._runs.pop(run_id, None) or _Run(run_id)
        self._runs[run_id] = run
        if len(self._runs) > MOST_RUNS:
            self._runs.popitem(last=False)
        return run

    def _take(self, event: Event) -> None:
        if event.seq is None:
            return  # streamed words are content
        run, payload, now = self._run(event.run_id), event.payload, _nanoseconds(event.time)
        self._tell_calls(run, event.path, payload.calls, now)
        match payload:
            case NodeStart():
                name = payload.block or event.path[-1]
                step = _Step(_new_span_id(), now, name, payload.attempt)
                run.steps[event.path] = step
            case NodeComplete() | NodeSkipped():
                self._end_step(run, event, now, None, getattr(payload, "duration_ms", 0))
            case NodeError() if payload.retry_in_ms is None:
                self._end_step(run, event, now, payload.error.code, payload.duration_ms)
            case RunComplete():
                self._end_run(run, event.run_id, payload, now)
            case _:
                pass

    def _end_step(
        self, run: _Run, event: Event, now: int, failure: Code | None, duration_ms: int
    ) -> None:
        begun = _Step(_new_span_id(), now - duration_ms * 1_000_000, event.path[-1], 1)
        step = run.steps.pop(event.path, begun)
        attributes: Attributes = {
            "sanbo.run_id": event.run_id,
            "sanbo.step": "/".join(event.path),
            "sanbo.attempt": step.attempt,
            "sanbo.skipped": isinstance(event.payload, NodeSkipped),
        }
        ids = (step.span_id, run.around(event.path[:-1]))
        self._tell(run, step.name, ids, (step.began, now), attributes=attributes, failure=failure)

    def _end_run(self, run: _Run, run_id: str, end: RunComplete, now: int) -> None:
        attributes: Attributes = {
            "sanbo.run_id": run_id,
            "sanbo.workflow": run.workflow,
            "sanbo.status": end.status,
            "sanbo.warnings": end.warnings,
        }
        failure = end.problem.code if end.problem else None
        if end.status is RunStatus.FAILED and failure is None:
            failure = Code.INTERNAL_ERROR
        began = now - end.total_duration_ms * 1_000_000
        name, ids = f"run {run.workflow}", (run.root, 0)
        self._tell(run, name, ids, (began, now), attributes=attributes, failure=failure)
        del self._runs[run_id]

    def _tell_calls(self, run: _Run, path: Path, calls: tuple[Call, ...], now: int) -> None:
        """They ended before the event that tells of them, the last one last."""
        for call in reversed(calls):
            began = now - call.duration_ms * 1_000_000
            attributes: dict[str, str | int | float] = {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": call.provider,
                "gen_ai.request.model": call.model,
                "gen_ai.usage.input_tokens": call.input_tokens,
                "gen_ai.usage.output_tokens": call.output_tokens,
                "sanbo.outcome": call.outcome,
            }
            if call.cost_usd is not None:
                attributes["sanbo.cost_usd"] = call.cost_usd
            ids = (_new_span_id(), run.around(path))
            failure = None if call.outcome == _OK else call.outcome
            self._tell(
                run,
                f"chat {call.model}",
                ids,
                (began, now),
                attributes=attributes,
                failure=failure,
                kind=SpanKind.CLIENT,
            )
            now = began

    def _tell(
        self,
        run: _Run,
        name: str,
        ids: tuple[int, int],
        times: tuple[int, int],
        *,
        attributes: Attributes,
        failure: str | None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        span_id, parent = ids
        if failure is not None:
            attributes = {**attributes, "error.type": failure}
        span = ReadableSpan(
            name,
            context=SpanContext(run.trace_id, span_id, is_remote=False, trace_flags=_SAMPLED),
            parent=SpanContext(run.trace_id, parent, is_remote=False) if parent else None,
            resource=self._resource,
            attributes=attributes,
            kind=kind,
            status=Status(StatusCode.UNSET if failure is None else StatusCode.ERROR),
            start_time=times[0],
            end_time=times[1],
        )
        self._processor.on_end(span)


def _nanoseconds(time: datetime) -> int:
    return int(time.timestamp() * 1_000_000) * 1000


def _new_span_id() -> int:
    return secrets.randbits(63) + 1
