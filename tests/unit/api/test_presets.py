"""Presets over HTTP: kept from a run, shared or not, and plans that start from them."""

from collections.abc import Generator
from typing import Any

import httpx
import pytest

from sanbo.plans.presets import MOST_BYTES
from sanbo.plans.workflow import Plans
from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.test_problems import check

PLAN = """\
apiVersion: v1
id: monthly
version: 1.0.0
vars: { limit: 10 }
graph:
  - id: ask
    block: ui.interactive_input
    in:
      mode: collect
      requirements:
        - { id: month, type: text, label: 対象月 }
        - { id: paper, type: file, label: 書類, required: false }
        - { id: word, type: text, label: 合言葉, secret: true, required: false }
  - id: look
    block: ui.interactive_input
    after: [ask]
    in:
      mode: confirm
      message: よろしいですか
      requirements: [{ id: note, type: text, label: メモ, required: false }]
exports: [{ from: ask.collected_data.month, as: month }, { from: look.approved, as: ok }]
"""


@pytest.fixture(scope="module")
def planning(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    workspace = tmp_path_factory.mktemp("presets") / "workspace"
    with serving(workspace, requires_token=True, workflows=(Plans(),)) as server:
        with server.client("aoki") as client:
            client.post("/api/v1/plans", json={"text": PLAN})
        yield server


def answered(client: httpx.Client, run_id: str, answer: dict[str, Any]) -> dict[str, Any]:
    assert client.post(f"/api/v1/runs/{run_id}/answer", json=answer).status_code == 200
    return settled(client, run_id)


def begun(client: httpx.Client, **given: Any) -> dict[str, Any]:
    run = start(client, "plan", **{"plan_id": "monthly", **given})
    return settled(client, run["run_id"])


def kept(client: httpx.Client, run_id: str, name: str, **more: Any) -> httpx.Response:
    return client.post("/api/v1/plans/presets", json={"run_id": run_id, "name": name, **more})


def names(client: httpx.Client) -> list[str]:
    return [each["name"] for each in client.get("/api/v1/plans/monthly/presets").json()["presets"]]


def test_answers_are_kept_without_files_secrets_and_decisions_and_proposed_again(
    planning: Server,
) -> None:
    with planning.client("aoki") as aoki, planning.client("baba") as baba:
        run = begun(aoki, vars={"limit": 3})
        check(kept(aoki, begun(aoki)["run_id"], "何もない"), 422, "INPUT_VALIDATION_FAILED")
        paper = aoki.post("/api/v1/files", files={"file": ("紙.txt", b"x")}).json()
        given = {"month": "9月", "paper": paper, "word": "ひらけごま"}
        waiting = answered(aoki, run["run_id"], given)
        answered(aoki, waiting["run_id"], {"approved": True, "note": "了解", "comment": "可"})
        saved = kept(aoki, run["run_id"], "月次")
        assert saved.status_code == 201, saved.text
        assert saved.json()["answers"] == {"ask": {"month": "9月"}, "look": {"note": "了解"}}
        assert saved.json()["vars"] == {"limit": 3}
        assert saved.json()["left_out"] == ["ask.paper"]
        assert "ひらけごま" not in saved.text

        again = begun(aoki, preset="月次", vars={"limit": 5})
        assert again["input"]["vars"] == {"limit": 5}, "what is said now goes before"
        [form] = again["open_interactions"]
        assert {each["id"]: each["default"] for each in form["requirements"]} == {
            "month": "9月",
            "paper": None,
            "word": None,
        }
        last = answered(aoki, again["run_id"], {})
        assert last["open_interactions"][0]["requirements"][0]["default"] == "了解"
        ended = answered(aoki, again["run_id"], {"approved": False})
        assert ended["result"]["exports"] == {"month": "9月", "ok": False}

        # Another's own is not there for anybody else; shared, it is, and only its owner removes it.
        asked = {"workflow": "plan", "input": {"plan_id": "monthly", "preset": "月次"}}
        assert names(baba) == []
        check(baba.post("/api/v1/runs", json=asked), 404, "NOT_FOUND")
        check(baba.delete("/api/v1/plans/monthly/presets/月次"), 404, "NOT_FOUND")
        assert kept(aoki, run["run_id"], "月次", shared=True).status_code == 201
        assert names(baba) == ["月次"]
        assert baba.post("/api/v1/runs", json=asked).status_code == 201
        check(baba.delete("/api/v1/plans/monthly/presets/月次"), 409, "CONFLICT")
        own = begun(baba)
        answered(baba, own["run_id"], {"month": "4月"})
        check(kept(baba, own["run_id"], "月次", shared=True), 409, "CONFLICT")
        assert kept(baba, own["run_id"], "月次").status_code == 201
        assert names(baba) == ["月次", "月次"], "one's own first"
        [proposed] = begun(baba, preset="月次")["open_interactions"]
        assert proposed["requirements"][0]["default"] == "4月"
        assert aoki.delete("/api/v1/plans/monthly/presets/月次").status_code == 204
        assert names(aoki) == []


def test_what_is_too_large_or_has_no_name_is_refused_and_what_fits_no_more_is_told(
    planning: Server,
) -> None:
    with planning.client("aoki") as aoki:
        run = begun(aoki)
        answered(aoki, run["run_id"], {"month": "5月"})
        for name in ("", "a/b", "x" * 101, "a\nb"):
            check(kept(aoki, run["run_id"], name), 422, "INPUT_VALIDATION_FAILED")
        assert kept(aoki, run["run_id"], "前の形").status_code == 201
        changed = PLAN.replace("id: month, type: text", "id: month, type: number")
        version = changed.replace("version: 1.0.0", "version: 2.0.0").replace(
            "limit: 10", "most: 1"
        )
        assert aoki.post("/api/v1/plans/versions", json={"text": version}).status_code == 201
        listed = aoki.get("/api/v1/plans/monthly@2.0.0/presets").json()["presets"]
        assert [each["unfit"] for each in listed] == [["ask.month"]]
        [form] = begun(aoki, plan_id="monthly@2.0.0", preset="前の形")["open_interactions"]
        assert form["requirements"][0]["default"] is None
        large = begun(aoki)
        answered(aoki, large["run_id"], {"month": "x" * MOST_BYTES})
        check(kept(aoki, large["run_id"], "大きい"), 413, "RESOURCE_LIMIT")
