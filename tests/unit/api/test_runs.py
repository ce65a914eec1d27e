"""Runs over HTTP: start, read, list, cancel, resume, replay, delete."""

import json
from pathlib import Path
from typing import Any

from tests.unit.api.serving import Server, journal, serving, settled, start, wait_until


def test_a_started_run_is_answered_with_its_address(local: Server) -> None:
    with local.client() as client:
        response = client.post("/api/v1/runs", json={"workflow": "ledger", "input": {"entries": 2}})
        assert response.status_code == 201
        run = client.get(response.headers["Location"]).json()
        assert run["run_id"] == response.json()["run_id"]


def test_a_run_has_every_key_that_others_rely_on(local: Server) -> None:
    with local.client() as client:
        run = settled(client, start(client, "ledger", entries=3)["run_id"])
    promised = "run_id workflow conversation_id status result artifacts open_interactions problem"
    promised += " engine usage created_at updated_at"
    assert set(promised.split()) <= run.keys()
    assert run["status"] == "succeeded"
    assert run["result"] == {"total": 3}


def test_runs_are_listed_in_pages_newest_first(local: Server) -> None:
    with local.client() as client:
        first = start(client, "ledger", entries=1)
        conversation = first["conversation_id"]
        ids = [first["run_id"]]
        for _ in range(4):
            body: dict[str, Any] = {"workflow": "ledger", "conversation_id": conversation}
            ids.append(client.post("/api/v1/runs", json=body).json()["run_id"])
        seen: list[str] = []
        before: str | None = None
        pages = 0
        while pages == 0 or before:
            params = {"conversation_id": conversation, "limit": "2", "before": before or "z"}
            page = client.get("/api/v1/runs", params=params).json()
            seen += [run["run_id"] for run in page["runs"]]
            before = page["next"]
            pages += 1
        assert seen == sorted(ids, reverse=True)
        assert pages == 3


def test_runs_are_filtered_by_status_and_workflow(local: Server, waiting_run: Any) -> None:
    with local.client() as client:
        page = client.get("/api/v1/runs", params={"status": "waiting", "workflow": "expenses"})
        found = page.json()["runs"]
        assert waiting_run["run_id"] in {run["run_id"] for run in found}
        assert {run["status"] for run in found} == {"waiting"}
        refused = client.get("/api/v1/runs", params={"status": "asleep"})
        assert refused.status_code == 422


def test_a_waiting_run_is_cancelled(local: Server, waiting_run: Any) -> None:
    with local.client() as client:
        address = f"/api/v1/runs/{waiting_run['run_id']}/cancel"
        assert client.post(address).json()["status"] == "cancelled"
        again = client.post(address)
        assert (again.status_code, again.json()["code"]) == (409, "CONFLICT")


def test_a_failed_run_shows_its_problem_in_the_language_of_the_reader(local: Server) -> None:
    with local.client() as client:
        run = settled(client, start(client, "expenses", title="出張", fail_at="add")["run_id"])
        assert run["problem"]["message"].startswith("The input of the workflow")
        japanese = client.get(f"/api/v1/runs/{run['run_id']}", headers={"Accept-Language": "ja"})
        assert "入力が正しくありません" in japanese.json()["problem"]["message"]
        failed = [step for step in japanese.json()["steps"] if step["status"] == "failed"]
        assert "入力が正しくありません" in failed[0]["problem"]["message"]


def test_a_failed_run_is_resumed(local: Server) -> None:
    with local.client() as client:
        run = settled(client, start(client, "expenses", title="出張", fail_at="add")["run_id"])
        before = len(journal(client, run["run_id"]))
        resumed = client.post(f"/api/v1/runs/{run['run_id']}/resume")
        assert resumed.status_code == 200
        assert settled(client, run["run_id"])["status"] == "failed"  # it fails there again
        assert len(journal(client, run["run_id"])) > before


def test_a_run_is_replayed_from_a_step_as_a_new_run(local: Server, waiting_run: Any) -> None:
    with local.client() as client:
        address = f"/api/v1/runs/{waiting_run['run_id']}/replay"
        response = client.post(address, json={"step": ["add"]})
        assert response.status_code == 201
        replay = settled(client, response.json()["run_id"])
        assert response.headers["Location"] == f"/api/v1/runs/{replay['run_id']}"
        assert replay["replay_of"] == {"run_id": waiting_run["run_id"], "step": ["add"]}
        unknown = client.post(address, json={"step": ["nothing"]})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "NOT_FOUND")


def test_a_deleted_run_is_gone(local: Server) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "papers")["run_id"])["run_id"]
        deleted = client.delete(f"/api/v1/runs/{run_id}")
        assert (deleted.status_code, deleted.content) == (204, b"")
        assert client.get(f"/api/v1/runs/{run_id}").status_code == 404


def test_workflows_are_described_in_the_language_of_the_reader(local: Server) -> None:
    with local.client() as client:
        names = [each["name"] for each in client.get("/api/v1/workflows").json()["workflows"]]
        assert {"expenses", "approval", "ledger", "papers"} <= set(names)
        assert client.get("/api/v1/workflows/expenses").json()["title"] == "Expenses"
        japanese = {"Accept-Language": "fr, ja;q=0.8, en;q=0.5"}
        assert client.get("/api/v1/workflows/expenses", headers=japanese).json()["title"] == (
            "経費の集計"
        )
        assert client.get("/api/v1/workflows/nothing").status_code == 404


def test_health_needs_no_token(guarded: Server) -> None:
    with guarded.client() as client:
        response = client.get("/api/v1/health")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ok", "version": "0.1.0", "database": "ok", "blobs": "ok",
    }  # fmt: skip


def test_health_says_when_the_database_is_away(tmp_path: Path) -> None:
    with (
        serving(tmp_path / "workspace", requires_token=False) as server,
        server.client() as client,
    ):
        database = tmp_path / "workspace" / "sanbo.db"
        database.rename(tmp_path / "away.db")
        database.mkdir()  # a path that can't be opened
        server.workbench.access.database.close()
        response = client.get("/api/v1/health")
        database.rmdir()
        (tmp_path / "away.db").rename(database)
        # Background work may have looked in between, and holds an empty file that is gone now.
        server.workbench.access.database.close()
        wait_until(lambda: client.get("/api/v1/health").status_code == 200)
    assert response.status_code == 503
    assert response.json()["database"] == "unreachable"


def test_health_can_be_asked_without_a_body(guarded: Server) -> None:
    with guarded.client() as client:
        response = client.head("/api/v1/health")
    assert (response.status_code, response.content) == (200, b"")


def test_what_a_person_is_shown_is_given_as_parts_and_live(local: Server) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "ledger", entries=2)["run_id"])["run_id"]
        shown = client.get(f"/api/v1/runs/{run_id}/parts").json()
        assert (shown["status"], shown["run_id"]) == ("succeeded", run_id)
        kinds = {part["kind"]: part for part in shown["parts"]}
        assert [step["status"] for step in kinds["progress"]["steps"]] == ["succeeded"] * 2
        titles = [
            client.get(f"/api/v1/runs/{run_id}/parts", headers={"Accept-Language": language}).json()
            for language in ("ja", "en")
        ]
        assert [each["parts"][-1]["title"] for each in titles] == ["手順", "Steps"]
        stream = client.get(f"/api/v1/runs/{run_id}/events", params={"parts": True})
        lines = stream.text.splitlines()
        assert [line for line in lines if line.startswith("event")] == ["event: parts"]
        [data] = [line.removeprefix("data: ") for line in lines if line.startswith("data")]
        update = json.loads(data)
        assert update["parts"] == shown["parts"]
        assert update["ids"] == [part["id"] for part in shown["parts"]]
        assert client.get("/api/v1/runs/run_0/parts").status_code == 404


def test_a_run_that_waits_has_no_report_yet(local: Server, waiting_run: Any) -> None:
    with local.client() as client:
        address = f"/api/v1/runs/{waiting_run['run_id']}/report"
        refused = client.get(address, headers={"Accept-Language": "ja"})
        assert refused.status_code == 409
        assert "まだ終わっていない" in refused.text


def test_what_is_too_old_is_found_and_deleted_only_when_that_is_said(local: Server) -> None:
    with local.client() as client:
        run = settled(client, start(client, "ledger", entries=1)["run_id"])
        assert client.post("/api/v1/runs/prune", json={}).status_code == 422  # nothing is set
        for dry_run in (True, False):
            body = {"days": 1, "file_days": 1, "dry_run": dry_run}
            found = client.post("/api/v1/runs/prune", json=body)
            assert found.status_code == 200, found.text
            assert run["run_id"] not in [each["run_id"] for each in found.json()["runs"]]
        assert client.get(f"/api/v1/runs/{run['run_id']}").status_code == 200
