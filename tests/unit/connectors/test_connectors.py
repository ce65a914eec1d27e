"""Connectors in plans, with real servers on loopback: limits, keys, secrets, mail."""

import asyncio
import gzip
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sanbo.kernel.problems import SanboError
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS
from tests.unit.connectors.servers import Answer, Asked, http_server, mail_server
from tests.workflows.planning import exports

SECRET = "token-of-the-ledger-77"


def run_nodes(
    workspace: Path, connectors: Mapping[str, Any], *nodes: Mapping[str, Any], resume: bool = False
) -> Run:
    designs = workspace / "designs"
    designs.mkdir(parents=True, exist_ok=True)
    plan = {"id": "p", "version": "1.0.0", "vars": {"to": "x"}, "graph": list(nodes)}
    (designs / "p.yaml").write_text(yaml.safe_dump(plan, allow_unicode=True), "utf-8")
    environment = {
        "SANBO_LLM__PROVIDER": "rules",
        **{f"SANBO_CONNECTORS__{k.upper()}": json.dumps(v) for k, v in connectors.items()},
    }

    async def work() -> Run:
        async with open_workbench(load_settings(workspace, environment)) as bench:
            run = await bench.start(LOCAL, "plan", {"plan_id": "p"})
            run = await bench.wait(LOCAL, run.run_id)
            if resume and run.status is Status.FAILED:
                await bench.resume(LOCAL, run.run_id)
                run = await bench.wait(LOCAL, run.run_id)
            return run

    return asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def ask(url: str, **more: Any) -> dict[str, Any]:
    out = {"status": "status", "response_json": "got", "response_text": "text", "summary": "sum"}
    return {"id": "ask", "block": "external.api.http", "in": {"url": url, **more}, "out": out}


def _listed(port: int, **more: Any) -> dict[str, Any]:
    rules = {"methods": ["GET", "POST"], "private": True, "plain": True, **more}
    return {f"127.0.0.1:{port}": rules}


def test_a_plan_sends_and_reads_json_and_its_secret_is_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_TOKEN", SECRET)

    def echo(asked: Asked) -> Answer:
        said = json.dumps({"heard": asked.json, "token": asked.headers["x-token"]}).encode()
        headers = {"Content-Type": "application/json", "Set-Cookie": "session=abc"}
        return Answer(201, said, headers)

    with http_server(echo) as server:
        connectors = {"hosts": _listed(server.port, headers={"X-Token": "LEDGER_TOKEN"})}
        node = ask(
            f"http://127.0.0.1:{server.port}/a?b=1",
            method="POST",
            params={"日": "4/1", "n": [1, 2]},
            headers={"x-TOKEN": "another", "accept": "application/json"},
            body={"name": "青葉"},
        )
        run = run_nodes(tmp_path / "w", connectors, node)
    found: Any = exports(run)
    assert (found["status"], found["got"]["heard"]) == (201, {"name": "青葉"})
    assert found["sum"]["ok"] is True
    (asked,) = server.asked
    assert (asked.headers["x-token"], asked.headers["accept"]) == (SECRET, "application/json")
    assert asked.names.count("x-token") == asked.names.count("accept") == 1
    assert asked.path == "/a?b=1&n=1&n=2&%E6%97%A5=4%2F1"
    for file in (tmp_path / "w").rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file
    assert SECRET not in run.model_dump_json()


def test_without_a_list_nothing_leaves_and_errors_of_a_server_are_a_status(tmp_path: Path) -> None:
    with http_server(lambda _: Answer(500, b"boom")) as server:
        node = ask(f"http://127.0.0.1:{server.port}/")
        closed = run_nodes(tmp_path / "w", {}, node)
        assert closed.problem is not None
        assert closed.problem.text_id == "connector_host_refused"
        assert server.asked == []
        run = run_nodes(tmp_path / "v", {"hosts": _listed(server.port)}, node)
    found: Any = exports(run)
    assert (found["status"], found["text"], found["got"]) == (500, "boom", None)
    assert found["sum"]["ok"] is False


def test_a_step_that_is_taken_up_again_and_every_retry_have_one_idempotency_key(
    tmp_path: Path,
) -> None:
    large = Answer(body=b"x" * 300_000)
    answers = iter([Answer(503), large, Answer(200), Answer(200)])
    with http_server(lambda _: next(answers)) as server:
        connectors = {"hosts": _listed(server.port), "max_response_mb": 0.1}
        retry = {"max_retries": 1, "backoff_ms": 1}
        node = ask(f"http://127.0.0.1:{server.port}/", method="POST", retry=retry)
        run = run_nodes(tmp_path / "w", connectors, node, resume=True)
        assert run.status is Status.SUCCEEDED, run.problem
        run_nodes(tmp_path / "v", connectors, node)
    keys = [asked.headers["idempotency-key"] for asked in server.asked]
    assert len(set(keys[:3])) == 1
    assert keys[3] != keys[0]


def test_a_reply_is_bounded_in_size_in_time_and_in_what_it_unpacks_to(tmp_path: Path) -> None:
    packed = gzip.compress(b"0" * 5_000_000)

    def answer(asked: Asked) -> Answer:
        if asked.path == "/large":
            return Answer(body=b"x" * 300_000)
        if asked.path == "/packed":
            return Answer(body=packed, headers={"Content-Encoding": "gzip"})
        time.sleep(1)
        return Answer()

    with http_server(answer) as server:
        connectors = {"hosts": _listed(server.port), "max_response_mb": 0.1, "max_seconds": 0.3}
        for number, (path, reason) in enumerate(
            (
                ("large", "connector_reply_large"),
                ("packed", "connector_reply_packed"),
                ("slow", "connector_slow"),
            )
        ):
            node = ask(f"http://127.0.0.1:{server.port}/{path}")
            run = run_nodes(tmp_path / str(number), connectors, node)
            assert run.problem is not None
            assert run.problem.text_id == reason


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"X": "a\r\nY: b"}, {"A b": "c"}, {"Content-Length": "1"}]
)
def test_headers_that_would_change_the_request_are_refused(
    headers: dict[str, str], tmp_path: Path
) -> None:
    with http_server() as server:
        node = ask(f"http://127.0.0.1:{server.port}/", headers=headers)
        run = run_nodes(tmp_path / "w", {"hosts": _listed(server.port)}, node)
    assert run.problem is not None
    assert (run.problem.text_id, server.asked) == ("connector_header_refused", [])


def notify(**given: Any) -> dict[str, Any]:
    out = {"ok": "ok", "response": "response"}
    return {
        "id": "tell",
        "block": "notifier.notify",
        "in": {"message": "<!channel> 終了", **given},
        "out": out,
    }


def test_notices_have_the_shape_that_each_service_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with http_server(lambda _: Answer(body=b"ok")) as server:
        monkeypatch.setenv(
            "KEIRI_HOOK", f"http://127.0.0.1:{server.port}/hook/s3cret-path-of-keiri"
        )
        connectors = {"webhooks": {"経理": "KEIRI_HOOK"}}
        for number, provider in enumerate(("webhook", "slack", "teams")):
            node = notify(provider=provider, target={"webhook_key": "経理"}, title="題")
            run = run_nodes(tmp_path / str(number), connectors, node)
            assert exports(run) == {"ok": True, "response": {"status": 200, "text": "ok"}}
            assert "s3cret" not in run.model_dump_json()
        plain, slack, teams = (asked.json for asked in server.asked)
        assert plain == {"title": "題", "message": "<!channel> 終了", "channel": None}
        assert slack["text"] == "*題*\n&lt;!channel&gt; 終了"
        assert teams["attachments"][0]["content"]["body"][1]["text"] == "<!channel> 終了"
        unknown = run_nodes(tmp_path / "u", connectors, notify(target={"webhook_key": "経利"}))
        assert unknown.problem is not None
        assert unknown.problem.text_id == "notice_webhook_unknown"
        # A plan's own address is bound to the list like every other.
        own = notify(target={"url": f"http://127.0.0.1:{server.port}/"})
        refused = run_nodes(tmp_path / "o", connectors, own)
        assert refused.problem is not None
        assert refused.problem.text_id == "connector_host_refused"
    assert len(server.asked) == 3


def test_a_notice_that_is_not_accepted_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with http_server(lambda _: Answer(403, b"no")) as server:
        monkeypatch.setenv("KEIRI_HOOK", f"http://127.0.0.1:{server.port}/hook")
        node = notify(target={"webhook_key": "経理"})
        run = run_nodes(tmp_path / "w", {"webhooks": {"経理": "KEIRI_HOOK"}}, node)
    # pyrefly: ignore[bad-index, unsupported-operation]
    assert exports(run)["ok"] is False
    assert [each.code for each in run.warnings] == ["API_ERROR"]


def test_mail_goes_to_whom_the_settings_name_with_its_files(tmp_path: Path) -> None:
    with mail_server() as (port, letters):
        office = {
            "host": "127.0.0.1",
            "port": port,
            "security": "none",
            "sender": "sanbo@example.co.jp",
            "recipients": ["@example.co.jp"],
        }
        write = {
            "id": "book",
            "block": "file.write_csv",
            "in": {"rows": [{"a": 1}], "name": "差異.csv"},
        }
        node = notify(
            provider="email",
            target={"to": ["keiri@example.co.jp"]},
            title="差異の\r\nBcc: evil@evil.example",
            attachments=["${book.file}"],
        )
        run = run_nodes(tmp_path / "w", {"mail": {"office": office}}, write, node)
        assert run.status is Status.SUCCEEDED, run.problem
        (letter,) = letters
        assert letter["Subject"] == "差異の Bcc: evil@evil.example"
        assert (letter["To"], letter["Bcc"]) == ("keiri@example.co.jp", None)
        body = letter.get_body()
        assert body is not None
        assert body.get_content().strip() == "<!channel> 終了"
        (file,) = letter.iter_attachments()
        assert file.get_filename() == "差異.csv"
        for number, to in enumerate(("a@evil.example", "a@b@example.co.jp", "no address", [])):
            node = notify(provider="email", target={"to": to})
            refused = run_nodes(tmp_path / str(number), {"mail": {"office": office}}, node)
            assert refused.problem is not None
            assert refused.problem.text_id.startswith("mail_")
        assert len(letters) == 1


def test_a_mail_server_that_is_away_is_a_problem(tmp_path: Path) -> None:
    office = {"host": "127.0.0.1", "port": 1, "sender": "s@x.jp", "recipients": ["a@x.jp"]}
    node = notify(provider="email", target={"to": "a@x.jp"})
    run = run_nodes(tmp_path / "w", {"mail": {"office": office}}, node)
    assert run.problem is not None
    assert run.problem.text_id == "mail_unreachable"
    with pytest.raises(SanboError):
        load_settings(
            tmp_path, {"SANBO_CONNECTORS__MAIL": "{}", "SANBO_CONNECTORS__MAX_SECONDS": "0"}
        )
