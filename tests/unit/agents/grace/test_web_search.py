"""The web search: a real server on loopback, asked only after a person has agreed."""

import asyncio
import gzip
import json
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typing_extensions import override

from sanbo.agents.grace.searxng import MOST_BYTES, MOST_PAGES, WebSearch
from sanbo.kernel.problems import Code, ProviderFailed, SanboError
from sanbo.kernel.secrets import redact
from sanbo.retrieval.engines.embedded import EmbeddedEngine
from sanbo.settings import load_settings
from tests.scripted_model import ScriptedModel
from tests.unit.agents.grace.office import (
    LUNCH,
    UNKNOWN,
    answer,
    asked,
    plan,
    says,
    step,
    with_model,
)

PAGES = {
    "results": [
        {"url": "https://lunch.example/menu", "title": "食堂の\x07案内", "content": LUNCH},
        {"url": "javascript:alert(1)", "title": "悪い", "content": "罠です"},
        {"url": "https://empty.example/", "title": "空", "content": ""},
        "no page at all",
    ]
}


class SearxServer(ThreadingHTTPServer):
    """Lists pages as SearXNG does, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, list[str]], str | None]] = []
        self.status = 200
        self.body = json.dumps(PAGES).encode()
        self.hangs = threading.Event()
        self.location: str | None = None
        self.encoding: str | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/searx/"


class _Handler(BaseHTTPRequestHandler):
    # pyrefly: ignore[bad-override-mutable-attribute]
    server: SearxServer

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `asked`."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.server.asked.append(
            (parts.path, parse_qs(parts.query), self.headers.get("Authorization"))
        )
        if self.server.hangs.is_set():
            self.server.hangs.wait(5)
            threading.Event().wait(1)
        with suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(self.server.status)
            if self.server.encoding is not None:
                self.send_header("Content-Encoding", self.server.encoding)
            if self.server.location is not None:
                self.send_header("Location", self.server.location)
            self.send_header("Content-Length", str(len(self.server.body)))
            self.end_headers()
            self.wfile.write(self.server.body)


@pytest.fixture
def searx() -> Iterator[SearxServer]:
    server = SearxServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def _steps() -> tuple[dict[str, Any], dict[str, Any]]:
    return step(1, "web_search", "社員食堂 昼食 値段"), step(2, "reasoning", UNKNOWN, [1])


async def _search(search: WebSearch) -> Any:
    return await search.search("昼食 & 値段")


def test_the_web_is_asked_only_after_a_person_has_agreed_and_is_never_verified(
    model: ScriptedModel, workspace: Path, searx: SearxServer
) -> None:
    told = answer(says("昼食は550円です。", "P1001", LUNCH))
    settings = with_model(
        workspace, model, web_search_url=searx.url, web_search_api_key="web-key-0123456789"
    )
    model.replies(plan(*_steps()))
    waiting = asked(settings, UNKNOWN)
    assert searx.asked == []
    assert "Web に送る語：社員食堂 昼食 値段" in str(waiting.question.context["plan_md"])
    model.replies(plan(*_steps()), told)
    outcome = asked(settings, UNKNOWN, {"action": "proceed"})
    [(path, query, key)] = searx.asked
    assert path == "/searx/search"
    assert query == {"q": ["社員食堂 昼食 値段"], "format": ["json"]}
    assert key == "Bearer web-key-0123456789"
    reasoning = outcome.execution.results[1]
    [source] = reasoning.sources
    assert (source.kind, source.url) == ("web", "https://lunch.example/menu")
    assert (source.verified, source.document) == (False, "食堂の 案内")
    assert "Web の検索結果" in reasoning.sentences[0].problem
    assert reasoning.confidence is not None
    assert reasoning.confidence.level != "silent"
    journal = str(outcome.steps)
    assert "web-key-0123456789" not in journal
    assert "javascript:" not in journal


def test_no_word_leaves_for_the_web_that_the_person_has_not_seen(
    model: ScriptedModel, workspace: Path, searx: SearxServer
) -> None:
    hidden = "\n".join(f"社員食堂 {number} " + "あ" * 380 + f"秘密{number}" for number in range(5))
    steps = (step(1, "web_search", hidden), step(2, "reasoning", UNKNOWN, [1]))
    model.replies(plan(*steps), answer())
    model.otherwise(lambda _: answer())
    settings = with_model(workspace, model, web_search_url=searx.url, limits={"max_replans": 0})
    shown = str(asked(settings, UNKNOWN).question.context["plan_md"])
    model.replies(plan(*steps), answer())
    asked(settings, UNKNOWN, {"action": "proceed"})
    sent = [query["q"][0] for _, query, _ in searx.asked]
    assert sent
    assert all(each in shown for each in sent)
    assert "秘密" not in "".join(sent)


def test_a_password_in_the_servers_address_is_masked(tmp_path: Path) -> None:
    address = "http://proxy:s3cret-passw0rd@127.0.0.1:9/searx"
    load_settings(tmp_path / "workspace", {"GRACE_WEB_SEARCH_URL": address})
    assert "s3cret-passw0rd" not in redact(f"GET {address}/search?q=x")


def test_without_the_setting_no_plan_can_have_a_web_search(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(plan(*_steps()))
    model.otherwise(answer(sure=0.1))
    outcome = asked(with_model(workspace, model, limits={"max_replans": 0}), UNKNOWN)
    assert outcome.execution.plan is not None
    assert outcome.execution.plan.made_by == "template"
    assert "web_search" not in {each.action for each in outcome.execution.plan.steps}


def test_a_web_search_that_is_not_agreed_to_is_not_made(
    model: ScriptedModel, workspace: Path, searx: SearxServer
) -> None:
    model.replies(plan(*_steps()))
    settings = with_model(workspace, model, web_search_url=searx.url)
    result = asked(settings, UNKNOWN, {"action": "cancel"}).result
    assert (result.cancelled, searx.asked) == (True, [])


def test_an_alternative_that_stood_in_the_plan_that_was_agreed_to_is_taken(
    model: ScriptedModel, workspace: Path, searx: SearxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = EmbeddedEngine.search

    def failing(engine: EmbeddedEngine, query: str, limit: int, where: object) -> object:
        if query == "止まる検索":
            raise ProviderFailed("engine_busy", service="index")
        # pyrefly: ignore[bad-argument-type]
        return search(engine, query, limit, where)

    monkeypatch.setattr(EmbeddedEngine, "search", failing)
    steps = (
        step(1, query="止まる検索", fallback="web_search"),
        step(2, query=UNKNOWN),
        step(3, "reasoning", UNKNOWN, [1, 2]),
    )
    model.replies(plan(*steps), answer(says("昼食は550円です。", "P4001", LUNCH)))
    settings = with_model(workspace, model, web_search_url=searx.url)
    outcome = asked(settings, UNKNOWN, {"action": "proceed"})
    assert [each.strategy for each in outcome.execution.replans][:1] == ["fallback"]
    assert len(searx.asked) == 1
    assert len([each for each in outcome.execution.interventions if each.about == "plan"]) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"status": 403}, Code.PERMISSION_DENIED),
        ({"status": 500}, Code.API_ERROR),
        ({"status": 302, "location": "http://127.0.0.1:9/elsewhere"}, Code.API_ERROR),
        ({"body": b"<html>no JSON</html>"}, Code.API_ERROR),
        ({"body": b'{"results": 5}'}, Code.API_ERROR),
        ({"body": b'[{"url": "https://a.example"}]'}, Code.API_ERROR),
        ({"body": b" " * (MOST_BYTES + 1)}, Code.API_ERROR),
    ],
)
def test_what_goes_wrong_with_the_server_is_a_problem(
    searx: SearxServer, change: dict[str, Any], code: Code
) -> None:
    for name, value in change.items():
        setattr(searx, name, value)
    refused = _refused(WebSearch(searx.url, "key"))
    assert refused.problem.code is code
    assert refused.problem.hint
    assert len(searx.asked) == 1


def test_a_server_that_hangs_or_is_away_is_given_up(searx: SearxServer) -> None:
    searx.hangs.set()
    late = _refused(WebSearch(searx.url, None, seconds=0.2))
    assert late.problem.code is Code.TIMEOUT_ERROR
    away = _refused(WebSearch("http://127.0.0.1:9/", None, seconds=1))
    assert away.problem.code in (Code.API_ERROR, Code.TIMEOUT_ERROR)


def test_a_small_answer_that_unpacks_to_a_huge_one_is_not_unpacked(searx: SearxServer) -> None:
    searx.encoding = "gzip"
    searx.body = gzip.compress(b'{"results": [' + b" " * 60_000_000 + b"]}", compresslevel=1)
    assert len(searx.body) < MOST_BYTES
    tracemalloc.start()
    refused = _refused(WebSearch(searx.url, None))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.problem.code is Code.API_ERROR
    assert most < 20_000_000


def test_a_key_that_can_not_be_sent_is_a_problem_that_does_not_tell_it(searx: SearxServer) -> None:
    refused = _refused(WebSearch(searx.url, "鍵のつもり"))
    assert refused.problem.code is Code.API_ERROR
    assert "鍵" not in refused.problem.model_dump_json()
    assert refused.__cause__ is None
    assert searx.asked == []


def test_no_more_pages_than_so_many_are_read(searx: SearxServer) -> None:
    results = [
        {"url": f"https://a.example/{number}", "title": "t", "content": "あ" * 3_000}
        for number in range(50)
    ]
    searx.body = json.dumps({"results": results}, ensure_ascii=False).encode()
    pages = asyncio.run(_search(WebSearch(searx.url, None)))
    assert len(pages) == MOST_PAGES
    assert max(len(page.text) for page in pages) <= 2_000
    [(_, query, key)] = searx.asked
    assert query["q"] == ["昼食 & 値段"]
    assert key is None


def _refused(search: WebSearch) -> SanboError:
    with pytest.raises(SanboError) as refused:
        asyncio.run(_search(search))
    return refused.value
