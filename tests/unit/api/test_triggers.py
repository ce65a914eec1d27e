"""Triggers over HTTP, and webhooks that come from outside without a token of the workbench."""

import json
import time
from collections.abc import Generator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from sanbo.plans.workflow import Plans
from tests.patience import PATIENCE_SECONDS
from tests.unit.api.serving import ENVIRONMENT, Server, serving, settled
from tests.unit.api.test_problems import check
from tests.unit.connectors.servers import mail_server

PLAN = """
id: order
version: 1.0.0
vars: {given: null}
graph:
  - id: note
    block: ui.placeholder
    in: {message: done, value: "${vars.given}"}
    out: {value: note}
"""
ASKING = """
id: asking
version: 1.0.0
graph:
  - id: look
    block: ui.interactive_input
    in: {mode: confirm, message: 秘密の金額は100万円です, assignee: baba, due: 2日}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    workspace = tmp_path_factory.mktemp("triggers") / "workspace"
    _plans(workspace)
    with serving(workspace, requires_token=True, workflows=(Plans(),)) as running:
        yield running


def _plans(workspace: Path) -> None:
    (workspace / "designs").mkdir(parents=True)
    (workspace / "designs" / "order.yaml").write_text(PLAN, "utf-8")
    (workspace / "designs" / "asking.yaml").write_text(ASKING, "utf-8")


def test_a_trigger_is_added_paused_gone_on_with_and_removed(server: Server) -> None:
    schedule = {"cron": "0 9 * * 1-5", "on_holiday": "skip"}
    given = {"plan_id": "order", "cause": {"kind": "cron", "schedule": schedule}}
    with server.client("aoki") as client:
        added = client.post("/api/v1/triggers", json=given)
        assert added.status_code == 201
        address = f"/api/v1/triggers/{added.json()['trigger_id']}"
        assert added.json()["next_at"].endswith("00:00:00Z")  # nine o'clock in Tokyo
        assert client.post(f"{address}/pause").json()["next_at"] is None
        assert client.post(f"{address}/resume").json()["next_at"] == added.json()["next_at"]
        assert client.get(f"{address}/history").json() == {"firings": []}
        (listed,) = client.get("/api/v1/triggers").json()["triggers"]
        assert listed == client.get(address).json()
        # Changed under its id; what could never start is refused, and changes nothing.
        later = {**given, "cause": {"kind": "cron", "schedule": {**schedule, "cron": "5 9 * * *"}}}
        client.post(f"{address}/pause")
        assert client.put(address, json=later).json()["next_at"] is None, "it still rests"
        changed = client.post(f"{address}/resume").json()
        assert changed["next_at"].endswith("00:05:00Z")
        check(client.put(address, json={**later, "plan_id": "none"}), 404, "NOT_FOUND")
        assert client.get(address).json()["cause"] == changed["cause"]
        with server.client("baba") as other:
            check(other.put(address, json=later), 404, "NOT_FOUND")
        hook = client.put(address, json={**given, "cause": {"kind": "webhook"}}).json()
        assert hook["token"]
        again = client.put(address, json={**given, "cause": {"kind": "webhook"}}).json()
        assert (again["token"], again["address"]) == ("", hook["address"])
        bearer = {"Authorization": f"Bearer {hook['token']}"}
        assert client.post(hook["address"], headers=bearer).status_code == 202
        past = client.get(address).json()
        assert (past["last"]["status"], past["missed"]) == ("started", 0)
        wrong = {**given, "cause": {"kind": "cron", "schedule": {"cron": "9 o'clock"}}}
        check(client.post("/api/v1/triggers", json=wrong), 422, "INPUT_VALIDATION_FAILED")
        check(client.post("/api/v1/triggers", json={**given, "plan_id": "none"}), 404, "NOT_FOUND")
        assert client.delete(address).status_code == 204
        check(client.get(address), 404, "NOT_FOUND")


def test_a_webhook_comes_in_by_its_own_token_and_by_no_other(server: Server) -> None:
    with server.client("aoki") as client, server.client() as stranger:
        given = {"plan_id": "order", "cause": {"kind": "webhook"}, "into": "given"}
        hook = client.post("/api/v1/triggers", json=given).json()
        right = {"Authorization": f"Bearer {hook['token']}", "Idempotency-Key": "7"}
        for response in (
            stranger.post(hook["address"], json={}),
            stranger.post(hook["address"], json={}, headers={"Authorization": "Bearer x"}),
            client.post(hook["address"], json={}),  # Aoki's own token opens no hook
        ):
            check(response, 403, "PERMISSION_DENIED")
        # Who guesses on has to wait, whichever hook it is; who knows the secret never has to.
        guessed = stranger.post("/api/v1/hooks/trg_none", json={}, headers=right)
        check(guessed, 429, "RESOURCE_LIMIT")
        assert int(guessed.headers["retry-after"]) > 0
        check(stranger.get("/api/v1/triggers"), 401, "PERMISSION_DENIED")
        sent = [stranger.post(hook["address"], json={"n": 1}, headers=right) for _ in range(2)]
        assert {each.status_code for each in sent} == {202}
        (run_id,) = {each.json()["run_id"] for each in sent}
        assert settled(client, run_id)["result"]["exports"] == {"note": {"n": 1}}
        own = client.get(f"/api/v1/triggers/{hook['trigger_id']}")
        assert hook["token"] not in own.text
        (firing,) = client.get(f"{own.url.path}/history").json()["firings"]
        assert (firing["status"], firing["run_id"]) == ("started", run_id)


def test_people_are_told_of_what_waits_for_them_with_its_due_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sanbo.runs.journal.NOTIFY_SECONDS", 0.0)
    monkeypatch.setattr("sanbo.service.bootstrap.NOTICE_SECONDS", 0.1)
    _plans(tmp_path / "w")
    with mail_server() as (port, letters):
        office: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": port,
            "security": "none",
            "sender": "sanbo@example.co.jp",
            "recipients": ["@example.co.jp"],
        }
        environment = {
            **ENVIRONMENT,
            "SANBO_CONNECTORS__MAIL": json.dumps({"office": office}),
            "SANBO_CONNECTORS__PEOPLE": json.dumps({"baba": {"to": "baba@example.co.jp"}}),
            "SANBO_CONNECTORS__WORKBENCH_URL": "https://sanbo.example.co.jp",
        }
        with (
            serving(
                tmp_path / "w", requires_token=True, workflows=(Plans(),), environment=environment
            ) as server,
            server.client("aoki") as client,
            server.client() as stranger,
        ):
            given = {"plan_id": "asking", "cause": {"kind": "webhook"}}
            hook = client.post("/api/v1/triggers", json=given).json()
            bearer = {"Authorization": f"Bearer {hook['token']}"}
            run_id = stranger.post(hook["address"], headers=bearer).json()["run_id"]
            _arrived(letters)
    (letter,) = letters
    assert letter["To"] == "baba@example.co.jp"
    body = letter.get_body()
    assert body is not None
    text = body.get_content()
    assert f"https://sanbo.example.co.jp/run?run={run_id}" in text
    assert "期限：" in text
    assert "100万円" not in text


def _arrived(letters: list[EmailMessage]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not letters and time.monotonic() < end:
        time.sleep(0.05)


def test_a_schedule_on_a_retired_plan_is_refused(server: Server) -> None:
    with server.client("aoki") as client:
        retired = PLAN.replace("id: order", "id: old")
        versions = "/api/v1/plans/versions"
        assert client.post(versions, json={"text": retired}).status_code == 201
        for decision in ("submit", "approve", "retire"):
            address = "/api/v1/plans/old/versions/1.0.0/decisions"
            assert client.post(address, json={"decision": decision}).status_code == 200
        cause = {"kind": "cron", "schedule": {"cron": "0 9 * * *"}}
        refused = client.post("/api/v1/triggers", json={"plan_id": "old@1.0.0", "cause": cause})
        check(refused, 409, "CONFLICT")
