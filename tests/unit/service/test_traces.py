"""Runs as traces, told to a collector that speaks OTLP on loopback."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from pydantic import BaseModel
from typing_extensions import override

from sanbo.kernel.problems import InvalidInput, MissingDependency
from sanbo.llm.engine import Call
from sanbo.runs.model import NodeComplete, NodeStart
from sanbo.runs.workflow import Finished, RunContext, Workflow
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import Settings, load_settings

SECRET = "秘密の入力"
CALL = Call(
    provider="test",
    model="small",
    purpose=SECRET,
    outcome="ok",
    input_tokens=100,
    output_tokens=20,
    cost_usd=0.25,
    duration_ms=300,
)


class Asked(BaseModel):
    words: str
    fails: bool = False


class Told(BaseModel):
    words: str


class Teller(Workflow[Asked, Told]):
    """A step with one inside, a call to a model, and a result of the words it was given."""

    name = "teller"
    titles: ClassVar = {"ja": "語り手", "en": "Teller"}
    descriptions: ClassVar = {"ja": "語り手", "en": "Teller"}
    input_model = Asked
    result_model = Told

    @override
    async def advance(self, context: RunContext[Asked]) -> Finished[Told]:
        words = context.input.words
        await context.record(NodeStart(key="outer", title=words), "outer")
        await context.record(NodeStart(key="inner", title=words), "outer", "#0", "inner")
        context._writer.record_call(CALL)
        context.say(words, "outer")
        done = NodeComplete(key="inner", outputs={"words": words}, duration_ms=5)
        await context.record(done, "outer", "#0", "inner")
        await context.record(NodeComplete(key="outer", outputs=words), "outer")
        if context.input.fails:
            raise InvalidInput("file_not_found", name=words)
        return Finished(Told(words=words))


class _Collector(BaseHTTPRequestHandler):
    received: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        assert self.path == "/v1/traces"
        if self.headers.get("content-encoding") != "gzip":
            self.received.append(body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    @override
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def _collecting() -> Generator[str]:
    _Collector.received.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/traces"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _spans() -> dict[str, Span]:
    found: dict[str, Span] = {}
    for body in _Collector.received:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                found |= {span.name: span for span in scope.spans}
    return found


def _attributes(span: Span) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value") or "")
        for each in span.attributes
    }


def _settings(workspace: Path, url: str = "") -> Settings:
    return load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules", "SANBO_RUNS__TRACES_URL": url})


def _run(settings: Settings, *, fails: bool = False) -> str:
    async def work() -> str:
        async with open_workbench(settings, (Teller(),)) as bench:
            run = await bench.start(LOCAL, "teller", {"words": SECRET, "fails": fails})
            await bench.wait(LOCAL, run.run_id)
            return run.run_id

    return asyncio.run(work())


def test_a_run_is_a_trace_with_its_steps_and_calls(tmp_path: Path) -> None:
    with _collecting() as url:
        run_id = _run(_settings(tmp_path, url))
    spans = _spans()
    assert set(spans) == {"run teller", "outer", "inner", "chat small"}
    root, outer = spans["run teller"], spans["outer"]
    inner, call = spans["inner"], spans["chat small"]
    assert len({span.trace_id for span in spans.values()}) == 1
    assert root.parent_span_id == b""
    assert outer.parent_span_id == root.span_id
    assert inner.parent_span_id == outer.span_id
    assert call.parent_span_id == inner.span_id
    for span in spans.values():
        assert span.start_time_unix_nano <= span.end_time_unix_nano
    assert call.end_time_unix_nano - call.start_time_unix_nano == 300_000_000
    assert _attributes(root) == {
        "sanbo.run_id": run_id,
        "sanbo.workflow": "teller",
        "sanbo.status": "succeeded",
        "sanbo.warnings": 0,
    }
    assert _attributes(call) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "test",
        "gen_ai.request.model": "small",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "sanbo.outcome": "ok",
        "sanbo.cost_usd": 0.25,
    }


def test_nothing_that_people_sent_leaves_with_a_trace(tmp_path: Path) -> None:
    with _collecting() as url:
        _run(_settings(tmp_path, url), fails=True)
    assert _Collector.received
    assert not any(SECRET.encode() in body for body in _Collector.received)
    root = _spans()["run teller"]
    assert root.status.code == Status.STATUS_CODE_ERROR
    assert _attributes(root)["error.type"] == "INPUT_VALIDATION_FAILED"


def test_a_collector_that_is_not_there_keeps_no_run_from_its_end(tmp_path: Path) -> None:
    settings = _settings(tmp_path, "http://127.0.0.1:9/v1/traces")

    async def work() -> None:
        async with open_workbench(settings, (Teller(),)) as bench:
            run = await bench.start(LOCAL, "teller", {"words": SECRET})
            assert (await bench.wait(LOCAL, run.run_id)).status == "succeeded"

    asyncio.run(work())


def test_without_the_packages_it_is_told_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "sanbo.service.traces", raising=False)
    with pytest.raises(MissingDependency) as missing:
        _run(_settings(tmp_path, "http://127.0.0.1:9/v1/traces"))
    assert "sanbo[telemetry]" in missing.value.problem.hint


def test_where_nobody_wants_traces_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    code = "import sys, sanbo.server\nassert 'sanbo.service.traces' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
