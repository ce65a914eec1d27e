"""Versions of plans over HTTP: saved by one, approved by another, run, refused."""

from collections.abc import Generator
from typing import Any

import httpx
import pytest

from sanbo.plans.settings import PlanSettings
from sanbo.plans.workflow import Plans
from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.test_plans import PLAN
from tests.unit.api.test_problems import check

JSON = {"Content-Type": "application/json"}
AT = "/api/v1/plans/totals/versions/1.0.0"


@pytest.fixture(scope="module")
def planning(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    workspace = tmp_path_factory.mktemp("versions") / "workspace"
    with serving(workspace, requires_token=True, workflows=(Plans(),)) as server:
        strict = PlanSettings(four_eyes=True, require_approval=True)
        place = server.workbench._place
        place.settings = place.settings.model_copy(update={"plans": strict})
        yield server


def decide(client: httpx.Client, decision: str, comment: str = "") -> httpx.Response:
    return client.post(f"{AT}/decisions", json={"decision": decision, "comment": comment})


def run(client: httpx.Client, given: dict[str, Any]) -> httpx.Response:
    return client.post("/api/v1/runs", json={"workflow": "plan", "input": given})


def test_a_plan_is_saved_submitted_approved_by_another_and_run(planning: Server) -> None:
    with planning.client("aoki") as aoki, planning.client("baba") as baba:
        made = aoki.post("/api/v1/plans/versions", json={"text": PLAN, "comment": "初版"})
        assert made.status_code == 201
        assert (made.json()["state"], made.json()["author"]) == ("draft", "aoki")
        check(run(aoki, {"plan_id": "totals@1.0.0"}), 403, "PERMISSION_DENIED")
        check(run(aoki, {"source": {"plan": {"text": PLAN}}}), 403, "PERMISSION_DENIED")
        check(decide(baba, "approve"), 409, "CONFLICT")
        assert decide(aoki, "submit").json()["state"] == "in_review"
        refused = decide(aoki, "approve")
        check(refused, 403, "PERMISSION_DENIED")
        assert "aoki" in refused.json()["message"]
        approved = decide(baba, "approve", "確認しました").json()
        assert approved["history"][-1]["actor"] == "baba"
        changed = {"text": PLAN.replace("value: 10", "value: 20")}
        check(aoki.post("/api/v1/plans/versions", json=changed), 409, "CONFLICT")
        two = {"old": {"plan_id": "totals@1.0.0"}, "new": changed}
        found = aoki.post("/api/v1/plans/diff", json=two).json()
        assert [(each["kind"], each["before"], each["after"]) for each in found["changes"]] == [
            ("input", 10, 20)
        ]
        assert [each["kind"] for each in found["parts"]] == ["changes", "graph"]
        assert b"<svg" in aoki.post("/api/v1/plans/diff/graph", json=two).content
        started = start(aoki, "plan", plan_id="totals@1.0.0")
        done = settled(aoki, started["run_id"])
        assert done["status"] == "succeeded"
        assert done["input"]["version"] == {
            "plan_id": "totals",
            "version": "1.0.0",
            "digest": approved["digest"],
            "state": "approved",
        }
        listed = {each["plan_id"]: each for each in aoki.get("/api/v1/plans").json()["plans"]}
        assert listed["totals"]["state"] == "approved", "though no file of designs/ has it"
        exported = aoki.get("/api/v1/plans/totals/versions/export").content
        taken = baba.post("/api/v1/plans/versions/import", content=exported, headers=JSON)
        assert (taken.status_code, taken.json()["taken"]) == (201, 0)
        assert decide(baba, "retire").json()["state"] == "retired"
        check(run(aoki, {"plan_id": "totals@1.0.0"}), 409, "CONFLICT")
        check(aoki.get("/api/v1/plans/totals/versions/2.0.0"), 404, "NOT_FOUND")


def test_a_plan_with_errors_is_kept_but_not_submitted(planning: Server) -> None:
    text = PLAN.replace("id: totals", "id: broken").replace("transforms.filter", "no.such")
    with planning.client("aoki") as aoki:
        made = aoki.post("/api/v1/plans/versions", json={"text": text}).json()
        assert [each["code"] for each in made["findings"]] == ["unknown_block"]
        refused = aoki.post(
            "/api/v1/plans/broken/versions/1.0.0/decisions", json={"decision": "submit"}
        )
        check(refused, 422, "INPUT_VALIDATION_FAILED")
        assert refused.json()["details"]["findings"]
        nothing = aoki.post("/api/v1/plans/versions", json={"text": "graph: []"})
        check(nothing, 422, "INPUT_VALIDATION_FAILED")
