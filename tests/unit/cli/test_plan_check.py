"""`sanbo plan list|validate|dry-run|graph`: plans before they run."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Sanbo

PLAN = """\
apiVersion: v1
id: large
version: 1.0.0
title: { ja: 高額の入金, en: Large payments }
vars: { limit: 100000 }
graph:
  - id: ask
    title: 入金明細を受け取る
    block: ui.interactive_input
    in:
      mode: collect
      message: 入金明細を選んでください
      requirements: [{ id: bank_csv, type: file, label: 入金明細, accept: .csv }]
    out: { collected_data: collected }
  - id: read
    block: file.read_csv
    in: { bytes: "${ask.collected.bank_csv}" }
  - id: large
    block: transforms.filter
    in:
      items: ${read.rows}
      conditions: [{ field: 金額, operator: gte, value: "${vars.limit}" }]
exports: [{ from: large.filtered, as: payments }]
"""
BROKEN = PLAN.replace("transforms.filter", "transforms.filtre").replace("read.rows", "read.row")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "高額 入金.yaml"
    file.write_text(PLAN, "utf-8")
    return file


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.yaml"
    file.write_text(BROKEN, "utf-8")
    return file


def test_a_valid_plan_is_said_to_be_valid(sanbo: Sanbo, plan: Path) -> None:
    outcome = sanbo("plan", "validate", str(plan))
    assert outcome.code == 0
    assert outcome.out == ""
    assert "誤りも注意もありません" in outcome.err


def test_findings_have_place_code_message_and_hint(sanbo: Sanbo, broken: Path) -> None:
    outcome = sanbo("plan", "validate", str(broken))
    assert outcome.code == 1
    assert f"{broken}:19:5  unknown_block  " in outcome.out
    assert "→ 「transforms.filter」の誤りではありませんか" in outcome.out
    assert "unknown_output" in outcome.out
    assert "誤り2件" in outcome.err


def test_findings_as_json(sanbo: Sanbo, broken: Path) -> None:
    outcome = sanbo("plan", "validate", str(broken), "--json")
    assert outcome.code == 1
    assert outcome.json["valid"] is False
    first = outcome.json["findings"][0]
    assert set(first) >= {"code", "severity", "message", "hint", "node", "line", "column"}
    assert (first["code"], first["node"], first["line"]) == ("unknown_block", "large", 19)
    english = sanbo("--lang", "en", "plan", "validate", str(broken), "--json").json
    assert "did you mean" in english["findings"][0]["hint"].casefold()


def test_a_plan_is_found_by_its_id_in_the_workspace(sanbo: Sanbo, workspace: Path) -> None:
    folder = workspace / "designs" / "経理"
    folder.mkdir(parents=True)
    (folder / "large.yaml").write_text(PLAN, "utf-8")
    (workspace / "designs" / "broken.yml").write_text(BROKEN, "utf-8")
    assert sanbo("plan", "validate", "経理/large").code == 0
    listed = sanbo("plan", "list", "--json").json
    own = {each["plan_id"]: each for each in listed if each["origin"] == "workspace"}
    assert own["経理/large"]["valid"] is True
    assert own["経理/large"]["title"] == "高額の入金"
    assert (own["broken"]["valid"], own["broken"]["errors"]) == (False, 2)
    table = sanbo("plan", "list").out
    assert "経理/large" in table
    assert "誤り2件" in table


def test_a_plan_that_is_not_there_names_those_that_are(sanbo: Sanbo, workspace: Path) -> None:
    (workspace / "designs").mkdir(parents=True)
    (workspace / "designs" / "invoices.yaml").write_text(PLAN, "utf-8")
    outcome = sanbo("plan", "validate", "invoice")
    assert outcome.code == 1
    assert "invoices" in outcome.err
    assert sanbo("plan", "validate", "nothing.yaml").code == 1
    assert sanbo("plan", "validate", "../outside").code == 1


def test_a_called_plan_may_stand_beside_its_caller(sanbo: Sanbo, tmp_path: Path) -> None:
    (tmp_path / "callee.yaml").write_text(
        "apiVersion: v1\nid: callee\nversion: 1.0.0\nvars: {rows: []}\n"
        "graph: [{id: take, block: transforms.flatten_items, in: {results_list: '${vars.rows}'}}]\n"
        "exports: [{from: take.items, as: items}]\n",
        "utf-8",
    )
    caller = tmp_path / "caller.yaml"
    caller.write_text(
        "apiVersion: v1\nid: caller\nversion: 1.0.0\n"
        "graph: [{id: sub, type: subflow, call: {plan_id: callee}}]\n"
        "exports: [{from: sub.items, as: items}]\n",
        "utf-8",
    )
    outcome = sanbo("plan", "validate", str(caller), "--json")
    assert outcome.json["findings"] == []


def test_a_dry_run_shows_what_each_node_gets_and_gives(sanbo: Sanbo, plan: Path) -> None:
    outcome = sanbo("plan", "dry-run", str(plan))
    assert outcome.code == 0
    assert "✓ large  transforms.filter" in outcome.out
    assert "入力 bytes: bank_csv.csv" in outcome.out
    report = sanbo("plan", "dry-run", str(plan), "--json").json
    assert report["valid"] is True
    assert [node["node"] for node in report["nodes"]] == ["ask", "read", "large"]


def test_a_dry_run_of_a_broken_plan_fails(sanbo: Sanbo, broken: Path) -> None:
    outcome = sanbo("plan", "dry-run", str(broken), "--json")
    assert outcome.code == 1
    assert outcome.json["valid"] is False


def test_a_picture_is_printed_as_mermaid_or_written_as_a_file(
    sanbo: Sanbo, plan: Path, tmp_path: Path
) -> None:
    assert sanbo("plan", "graph", str(plan)).out.startswith("flowchart TD\n")
    assert sanbo("plan", "graph", str(plan), "--right").out.startswith("flowchart LR\n")
    for name, begins in (("a.svg", b"<svg "), ("a.png", b"\x89PNG"), ("a.md", b"```mermaid\n")):
        outcome = sanbo("plan", "graph", str(plan), "-o", str(tmp_path / name))
        assert outcome.code == 0
        assert (tmp_path / name).read_bytes().startswith(begins)
    again = sanbo("plan", "graph", str(plan), "-o", str(tmp_path / "a.svg"))
    assert again.code == 1
    assert sanbo("plan", "graph", str(plan), "-o", str(tmp_path / "a.gif")).code == 2
    assert sanbo("plan", "graph").code == 2


def test_a_plan_that_is_no_yaml_has_no_picture(sanbo: Sanbo, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("graph: [", "utf-8")
    outcome = sanbo("plan", "graph", str(file))
    assert outcome.code == 1
    assert "図にできません" in outcome.err


def test_titles_do_not_act_on_the_terminal_nor_turn_what_is_read(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    plan = tmp_path / "titled.yaml"
    plan.write_text(
        'apiVersion: v1\nid: titled\nversion: 1.0.0\ntitle: "月次\\u001B[31m\\u202E\\u200F"\n'
        'graph:\n  - id: one\n    title: "数える\\u001B]0;x\\u0007\\u061C"\n'
        "    block: transforms.flatten_items\n    in: { results_list: [[{ a: 1 }]] }\n",
        "utf-8",
    )
    for command in ("validate", "dry-run", "graph"):
        done = sanbo("plan", command, str(plan))
        assert done.code == 0, done.err
        assert not set(done.out + done.err) & set("\x1b\x07\u202e\u200f\u061c"), command


def test_a_plan_can_not_be_named_by_what_is_not_seen(sanbo: Sanbo, workspace: Path) -> None:
    done = sanbo("plan", "validate", "month\u202ely")
    assert done.code != 0
    assert "U+202E" in done.err
    assert "\u202e" not in done.err


def test_a_question_that_nobody_can_answer_is_told(sanbo: Sanbo, tmp_path: Path) -> None:
    file = tmp_path / "ask.yaml"
    asked = {"a": "assignee: sato, role: 部長", "b": "approvers: [ito, {role: 部長}]"}
    nodes = "".join(
        f"  - {{id: {name}, block: ui.interactive_input, in: {{mode: confirm, {who}}}}}\n"
        for name, who in asked.items()
    )
    file.write_text(f"id: ask\nversion: 1.0.0\ngraph:\n{nodes}", "utf-8")
    assert sanbo("plan", "validate", str(file), "--json").json["findings"] == []
    assert sanbo("token", "create", "ito").code == 0
    findings = sanbo("plan", "validate", str(file), "--json").json["findings"]
    found = [(each["code"], each["node"], each["severity"]) for each in findings]
    assert found == [
        ("nobody_is_user", "a", "warning"),
        ("nobody_is_role", "a", "warning"),
        ("nobody_is_role", "b", "warning"),
    ]
