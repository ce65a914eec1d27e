"""Plans over HTTP: listed, saved, checked, tried and drawn."""

from collections.abc import Generator
from typing import Any

import httpx
import pytest

from sanbo.plans.workflow import Plans
from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.test_problems import check

PLAN = """\
apiVersion: v1
id: totals
version: 1.0.0
title: { ja: 集計, en: Totals }
vars: { rows: [{ 店: 東京, 金額: 100 }] }
graph:
  - id: keep
    block: transforms.filter
    in:
      items: ${vars.rows}
      conditions: [{ field: 金額, operator: gt, value: 10 }]
exports: [{ from: keep.filtered, as: rows }]
"""
CALLER = """\
apiVersion: v1
id: caller
version: 1.0.0
graph: [{ id: sub, type: subflow, call: { plan_id: inner/totals } }]
exports: [{ from: sub.rows, as: rows }]
"""


ASKING = """\
apiVersion: v1
id: asking
version: 1.0.0
graph:
  - id: look
    title: 担当者の確認
    block: ui.interactive_input
    in: { mode: confirm, message: よろしいですか }
exports: [{ from: look.approved, as: approved }]
"""


@pytest.fixture(scope="module")
def planning(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    workspace = tmp_path_factory.mktemp("planning") / "workspace"
    with serving(workspace, requires_token=True, workflows=(Plans(),)) as server:
        yield server


@pytest.fixture
def client(planning: Server) -> Generator[httpx.Client]:
    with planning.client("aoki") as opened:
        yield opened


def saved(client: httpx.Client, **given: Any) -> httpx.Response:
    return client.post("/api/v1/plans", json={"text": PLAN, **given})


def test_a_plan_is_saved_listed_and_read(client: httpx.Client) -> None:
    made = saved(client, plan_id="経理/totals")
    assert made.status_code == 201
    assert made.json()["valid"] is True
    assert made.json()["file"] == "designs/経理/totals.yaml"
    listed = client.get("/api/v1/plans").json()["plans"]
    assert "経理/totals" in [each["plan_id"] for each in listed]
    read = client.get("/api/v1/plans/経理/totals", headers={"Accept-Language": "en"}).json()
    assert (read["title"], read["text"]) == ("Totals", PLAN)
    assert read["vars"] == {"rows": [{"店": "東京", "金額": 100}]}


def test_a_plan_that_others_use_is_not_replaced_over_the_network(client: httpx.Client) -> None:
    assert saved(client).json()["plan_id"] == "totals", "without a name, by its own id"
    check(saved(client), 409, "CONFLICT")
    check(saved(client, replace=True), 403, "PERMISSION_DENIED")
    hides_a_sample = saved(client, plan_id="invoice_reconciliation", replace=True)
    check(hides_a_sample, 403, "PERMISSION_DENIED")


def test_the_person_at_the_machine_replaces_a_plan_when_that_is_said(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    workspace = tmp_path_factory.mktemp("alone") / "workspace"
    with (
        serving(workspace, requires_token=False, workflows=(Plans(),)) as server,
        server.client() as client,
    ):
        assert saved(client).status_code == 201
        check(saved(client), 409, "CONFLICT")
        assert saved(client, replace=True, text=PLAN.replace("1.0.0", "1.1.0")).status_code == 201
        assert client.get("/api/v1/plans/totals").json()["version"] == "1.1.0"


def test_a_cluster_is_chosen_by_the_operator_alone(client: httpx.Client) -> None:
    given = {"source": {"plan": {"text": PLAN}}, "executor": "dask://198.51.100.7:8786"}
    refused = client.post("/api/v1/runs", json={"workflow": "plan", "input": given})
    check(refused, 403, "PERMISSION_DENIED")


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/x", "a/../../b", ".hidden", "a\\b", "a/", "C:x", "~/x/.."]
)
def test_a_plan_is_never_saved_outside_the_designs(
    planning: Server, client: httpx.Client, name: str
) -> None:
    around = planning.workbench.settings.workspace.parent
    before = set(around.rglob("*.yaml"))
    check(saved(client, plan_id=name), 422, "INPUT_VALIDATION_FAILED")
    assert set(around.rglob("*.yaml")) == before


def test_findings_come_with_their_place(client: httpx.Client) -> None:
    broken = PLAN.replace("transforms.filter", "transforms.filtre")
    told = client.post("/api/v1/plans/validate", json={"text": broken})
    assert told.status_code == 200
    assert told.json()["valid"] is False
    (finding,) = [each for each in told.json()["findings"] if each["severity"] == "error"]
    assert (finding["code"], finding["node"], finding["line"]) == ("unknown_block", "keep", 8)
    assert client.post("/api/v1/plans/validate", json={"text": PLAN}).json() == {
        "valid": True,
        "findings": [],
    }


def test_blocks_come_with_their_ports_in_the_readers_language(client: httpx.Client) -> None:
    told = client.get("/api/v1/blocks", headers={"Accept-Language": "en"}).json()
    known = {each["id"]: each for each in told["blocks"]}
    items = known["transforms.filter"]["inputs"]["items"]
    assert (items["required"], items["type"]) == (True, "list")
    assert "filtered" in known["transforms.filter"]["outputs"]
    assert all(each["description"] for each in known.values())
    assert told["env"] == []


def test_plans_that_are_called_may_come_with_the_text(client: httpx.Client) -> None:
    alone = client.post("/api/v1/plans/validate", json={"text": CALLER})
    assert alone.json()["valid"] is False
    both = {"text": CALLER, "called": {"inner/totals": PLAN}}
    assert client.post("/api/v1/plans/validate", json=both).json()["findings"] == []


def test_a_dry_run_reports_every_node(client: httpx.Client) -> None:
    report = client.post("/api/v1/plans/dry-run", json={"text": PLAN}).json()
    assert report["valid"] is True
    assert [node["node"] for node in report["nodes"]] == ["keep"]


def test_a_plan_is_named_or_sent_but_not_both(client: httpx.Client) -> None:
    for given in ({}, {"plan_id": "totals", "text": PLAN}):
        check(client.post("/api/v1/plans/validate", json=given), 422, "INPUT_VALIDATION_FAILED")
    check(client.post("/api/v1/plans/validate", json={"plan_id": "nix"}), 404, "NOT_FOUND")
    check(client.get("/api/v1/plans/nix/graph"), 404, "NOT_FOUND")


def test_a_picture_runs_nothing_and_fetches_nothing(client: httpx.Client) -> None:
    saved(client, plan_id="pictured", replace=True)
    drawn = client.get("/api/v1/plans/pictured/graph", params={"direction": "right"})
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert "default-src 'none'" in drawn.headers["content-security-policy"]
    assert "sandbox" in drawn.headers["content-security-policy"]
    assert drawn.text.startswith("<svg ")
    png = client.get("/api/v1/plans/pictured/graph", params={"format": "png"})
    assert png.headers["content-type"] == "image/png"
    mermaid = client.get("/api/v1/plans/pictured/graph", params={"format": "mermaid"})
    assert mermaid.text.startswith("flowchart TD")
    check(
        client.get("/api/v1/plans/pictured/graph", params={"format": "gif"}),
        422,
        "INPUT_VALIDATION_FAILED",
    )


def test_a_plan_that_is_too_long_is_refused(client: httpx.Client) -> None:
    check(saved(client, text="a" * 2_000_001), 422, "INPUT_VALIDATION_FAILED")


def test_nobody_without_a_token_sees_plans(planning: Server) -> None:
    with planning.client() as stranger:
        check(stranger.get("/api/v1/plans"), 401, "PERMISSION_DENIED")
        check(stranger.post("/api/v1/plans", json={"text": PLAN}), 401, "PERMISSION_DENIED")


def test_a_run_is_drawn_as_far_as_it_has_come(planning: Server, client: httpx.Client) -> None:
    saved(client, text=ASKING)
    run = settled(client, start(client, "plan", plan_id="asking")["run_id"])
    assert run["status"] == "waiting", run["problem"]
    saved(client, text=PLAN, plan_id="asking", replace=True)
    address = f"/api/v1/plans/runs/{run['run_id']}/graph"
    drawn = client.get(address, headers={"Accept-Language": "ja"})
    assert "担当者の確認" in drawn.text, "the run's own copy, not what the file says now"
    assert "待ち" in drawn.text
    with planning.client("baba") as other:
        check(other.get(address), 404, "NOT_FOUND")
    client.post(f"/api/v1/runs/{run['run_id']}/answer", json={"approved": True})
    done = settled(client, run["run_id"])
    assert done["result"]["exports"] == {"approved": True}
    assert "Succeeded" in client.get(address).text


def test_a_run_is_listed_by_its_plans_name(client: httpx.Client) -> None:
    client.headers["Accept-Language"] = "ja"
    for text in (PLAN, ASKING):
        start(client, "plan", source={"plan": {"text": text}})
    listed = client.get("/api/v1/runs?workflow=plan&limit=2").json()["runs"]
    assert [each["title"] for each in listed] == ["asking", "集計"]
    shown = client.get(f"/api/v1/runs/{listed[1]['run_id']}").json()
    assert shown["title"] == "集計"


LEAKING = """\
apiVersion: v1
id: leaking
version: 1.0.0
graph:
  - id: ask
    block: ui.interactive_input
    in:
      mode: collect
      requirements: [{ id: key, type: text, label: 鍵, secret: true }]
  - id: say
    block: ui.placeholder
    in: { message: "鍵は${ask.collected_data.key}", value: "${ask.collected_data.key}" }
  - id: check
    block: flow.assert
    in: { assertions: [{ name: "${say.value}", value: false, message: "${say.value}" }] }
"""


def test_a_password_is_in_no_event_of_the_stream_and_in_no_text_said(client: httpx.Client) -> None:
    run_id = start(client, "plan", source={"plan": {"text": LEAKING}})["run_id"]
    settled(client, run_id)
    with client.stream("GET", f"/api/v1/runs/{run_id}/events") as stream:
        parts = stream.iter_text()
        read = next(parts)
        client.post(f"/api/v1/runs/{run_id}/answer", json={"key": "himitsu-kagi-5512"})
        read += "".join(parts)
    assert "run_complete" in read
    assert "鍵は****" in read
    assert "himitsu-kagi" not in read


def test_a_plan_with_errors_is_refused_with_its_findings(client: httpx.Client) -> None:
    broken = {"plan": {"text": ASKING.replace("look.approved", "look.aproved")}}
    given = {"workflow": "plan", "input": {"source": broken}}
    problem = check(client.post("/api/v1/runs", json=given), 422, "INPUT_VALIDATION_FAILED")
    assert [each["line"] for each in problem["details"]["findings"]] == [9]


def test_a_plan_whose_id_has_what_can_not_be_seen_is_neither_read_nor_saved(
    client: httpx.Client,
) -> None:
    asked = client.get("/api/v1/plans/month%E2%80%AEly")
    assert "U+202E" in check(asked, 422, "INPUT_VALIDATION_FAILED")["detail"]
    text = 'apiVersion: v1\nid: "a\\u200B"\nversion: 1.0.0\ngraph: []\n'
    saved = client.post("/api/v1/plans", json={"text": text, "plan_id": "a\u200b"})
    check(saved, 422, "INPUT_VALIDATION_FAILED")


def test_runs_are_found_by_words_of_their_titles(client: httpx.Client) -> None:
    def begun(title: str) -> str:
        text = PLAN.replace("{ ja: 集計, en: Totals }", title)
        source = {"plan": {"text": text, "file": ""}}
        return start(client, "plan", source=source)["run_id"]

    wanted, other = begun("月次 100% ABC"), begun("会議の記録")

    def found(words: str) -> set[str]:
        page = client.get("/api/v1/runs", params={"containing": words, "limit": 200}).json()
        return {run["run_id"] for run in page["runs"]} & {wanted, other}

    for words in ("月次", "abc 月次", "100%"):
        assert found(words) == {wanted}, words
    assert found("") == {wanted, other}
    for words in ("無い語", "月次 会議", "_"):
        assert found(words) == set(), words


def test_a_plan_is_shown_as_a_graph_and_tried_on_its_sample(client: httpx.Client) -> None:
    shown = client.get("/api/v1/plans/monthly_closing/parts").json()["parts"]
    assert [part["kind"] for part in shown] == ["graph"]
    assert shown[0]["nodes"]
    assert all(node["status"] == "pending" for node in shown[0]["nodes"])
    assert client.get("/api/v1/plans/monthly_closing").json()["has_sample"]
    run = client.post("/api/v1/plans/monthly_closing/sample")
    assert run.status_code == 201, run.text
    assert settled(client, run.json()["run_id"])["status"] in ("waiting", "succeeded")


def test_a_run_goes_on_with_the_corrected_plan(client: httpx.Client) -> None:
    broken = PLAN.replace("totals", "corrected").replace("gt, value: 10", 'gt, value: "${vars.no}"')
    asking = broken.replace(
        "exports:", "  - {id: ask, block: ui.confirmation, in: {message: 可}}\nexports:"
    ).replace("vars: {", "vars: { no: 1000,")
    assert saved(client, plan_id="corrected", text=asking).status_code == 201
    run = settled(client, start(client, "plan", plan_id="corrected")["run_id"])
    address = f"/api/v1/runs/{run['run_id']}"
    assert client.get(f"{address}/correction").json() == {"correction": None}
    fixed = asking.replace("no: 1000", "no: 10")
    given = {"source": {"plan": {"text": fixed, "file": "designs/corrected.yaml"}}}
    done = client.post(f"{address}/resume", json={"input": given})
    assert done.status_code == 200, done.text
    again = settled(client, done.json()["run_id"])
    assert again["run_id"] != run["run_id"]
    assert settled(client, run["run_id"])["status"] == "cancelled"
    [asked] = again["open_interactions"]
    place = f"/api/v1/runs/{again['run_id']}/interactions/{asked['interaction_id']}/answer"
    client.post(place, json={"approved": True}).raise_for_status()
    ended = settled(client, again["run_id"])
    assert ended["result"]["exports"]["rows"] == [{"店": "東京", "金額": 100}]
    # And back to what is in the workspace, from a step.
    found = client.get(f"/api/v1/runs/{ended['run_id']}/correction").json()["correction"]
    assert (found["again"], found["kept"]) == (["keep"], ["ask"])
    body = {"step": ["keep"], "newest": True}
    back = client.post(f"/api/v1/runs/{ended['run_id']}/replay", json=body)
    assert back.status_code == 201, back.text
    assert settled(client, back.json()["run_id"])["result"]["exports"]["rows"] == []
    check(client.post(f"{address}/resume", json={"nix": 1}), 422, "INPUT_VALIDATION_FAILED")


OLD = """\
apiVersion: v1
id: old
version: 1.0.0
graph:
  # 対象月
  - { id: month, block: ui.text_input.single, in: { message: 対象月 } }
exports: [{ from: month.text, as: month }]
"""


def test_an_earlier_plan_is_rewritten_and_not_saved(client: httpx.Client) -> None:
    made = client.post("/api/v1/plans/migrate", json={"text": OLD})
    assert made.status_code == 200, made.text
    assert "ui.interactive_input" in made.json()["text"]
    assert "# 対象月" in made.json()["text"]
    assert made.json()["forms"]
    assert client.post("/api/v1/plans/validate", json={"text": made.json()["text"]}).json()["valid"]
    check(client.get("/api/v1/plans/old"), 404, "NOT_FOUND")
    again = client.post("/api/v1/plans/migrate", json={"text": made.json()["text"]}).json()
    assert (again["text"], again["forms"]) == (made.json()["text"], [])


def test_a_plan_that_is_only_kept_is_read_called_by_its_version_and_run(
    client: httpx.Client,
) -> None:
    for version, least in (("1.0.0", 10), ("2.0.0", 500)):
        text = PLAN.replace("id: totals", "id: kept").replace(
            "version: 1.0.0", f"version: {version}"
        )
        sent = {"text": text.replace("value: 10", f"value: {least}")}
        assert client.post("/api/v1/plans/versions", json=sent).status_code == 201
    read = client.get("/api/v1/plans/kept").json()
    assert (read["version"], read["file"], read["valid"]) == ("2.0.0", "", True)
    assert client.get("/api/v1/plans/kept@1.0.0").json()["version"] == "1.0.0"
    check(client.get("/api/v1/plans/kept@3.0.0"), 404, "NOT_FOUND")
    calling = CALLER.replace("inner/totals", "kept@{version}")
    for version, rows in (("1.0.0", 1), ("2.0.0", 0)):
        text = calling.replace("{version}", version)
        assert client.post("/api/v1/plans/validate", json={"text": text}).json()["findings"] == []
        run = start(client, "plan", source={"plan": {"text": text}})
        ended = settled(client, run["run_id"])
        assert len(ended["result"]["exports"]["rows"]) == rows
        assert set(ended["input"]["source"]["called"]) == {f"kept@{version}"}
    missing = {"text": calling.replace("{version}", "9.9.9")}
    found = client.post("/api/v1/plans/validate", json=missing).json()["findings"]
    assert [each["code"] for each in found] == ["unknown_plan"]


def test_a_node_is_renamed_and_nodes_are_put_together_where_that_is_clear(
    client: httpx.Client,
) -> None:
    given = {"text": PLAN, "node": "keep", "to": "large"}
    made = client.post("/api/v1/plans/rename", json=given).json()["text"]
    assert made == PLAN.replace("id: keep", "id: large").replace("from: keep", "from: large")
    check(client.post("/api/v1/plans/rename", json={**given, "node": "x"}), 404, "NOT_FOUND")
    check(client.post("/api/v1/plans/rename", json={**given, "to": "vars"}), 409, "CONFLICT")
    group = {"text": PLAN, "nodes": ["keep"], "name": "inner"}
    grouped = client.post("/api/v1/plans/group", json=group).json()
    assert grouped["called_id"] == "inner@1.0.0"
    called = {grouped["called_id"]: grouped["called"]}
    checked = {"text": grouped["text"], "called": called}
    assert client.post("/api/v1/plans/validate", json=checked).json()["valid"]
    over = {**group, "over": "keep.rows"}
    check(client.post("/api/v1/plans/group", json=over), 422, "INPUT_VALIDATION_FAILED")
