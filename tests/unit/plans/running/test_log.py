"""The log of a plan: flat lines, made of the journal alone, with nothing in it that is secret."""

import json
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.personal_data import masked_personal
from sanbo.plans.running.log import folder_name
from sanbo.runs.model import Run
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.workflows.planning import answer, on_bench, plan, run, settings_of

PLAN = plan(
    """
  - {id: a, block: test.work, in: {value: {マイナンバー: "123456789018", 金額: 1000}}}
  - {id: skipped, block: test.work, in: {value: 1}, when: {expr: "${a.value} == null"}}
  - id: each
    type: loop
    foreach: {input: [甲, 乙], itemVar: x}
    body: {plan: {graph: [{id: w, block: test.work, in: {value: "${x}"}}]}}
  - id: bad
    block: test.work
    in: {value: 1, fail: true}
    policy: {on_error: continue}
  - {id: sub, type: subflow, call: {plan_id: part}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: はい}}
  - {id: after, block: test.report, in: {title: 報告}, after: [ask]}
""",
    plan_id="月次:照合",
)
PART = plan(
    """
  - {id: s, block: test.work, in: {value: 1}}
  - {id: deeper, type: subflow, call: {plan_id: deep}}
""",
    plan_id="part",
)
DEEP = plan("  - {id: d, block: test.work, in: {value: 1}}", plan_id="deep")


LOOP = "loop_iteration"


def _lines(workspace: Path) -> list[dict[str, Any]]:
    [file] = (workspace / "runs").rglob("*.jsonl")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_the_log_has_a_flat_line_for_every_event_also_after_a_restart(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)

    async def first(bench: Workbench) -> Run:
        return await run(bench, PLAN, called={"part": PART, "deep": DEEP})

    waiting = on_bench(settings, first)
    [file] = (tmp_path / "runs").rglob("*.jsonl")
    assert file.parent.name.startswith("月次_照合-")
    until_then = _lines(tmp_path)
    file.write_text("a crash left this", "utf-8")

    async def second(bench: Workbench) -> Run:
        return await answer(bench, await bench.get(LOCAL, waiting.run_id), {"approved": True})

    ended = on_bench(settings, second)
    lines = _lines(tmp_path)
    assert lines[: len(until_then)] == until_then
    by_event: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        by_event.setdefault(line["event"], []).append(line)
        assert {"event", "run_id", "timestamp", "seq"} <= line.keys()
    [start] = by_event["plan_start"]
    assert (start["plan_id"], start["run_id"]) == ("月次:照合", ended.run_id)
    [end] = by_event["plan_complete"]
    assert end["status"] == "success"
    assert end["total_duration_ms"] > 0
    starts = {line["node_id"]: line for line in by_event["node_start"]}
    assert starts["a"]["block"] == "test.work"
    assert "block" not in starts["each"]
    assert starts["sub/s"]["run_id"] == f"{ended.run_id}#1.sub#1"
    assert starts["sub/deeper/d"]["run_id"] == f"{ended.run_id}#1.sub#1.sub#1"
    assert starts["sub"]["run_id"] == ended.run_id
    completes = {line["node_id"]: line for line in by_event["node_complete"]}
    assert completes["a"]["outputs"] == {"value": {"マイナンバー": "****", "金額": 1000}}
    assert isinstance(completes["a"]["duration_ms"], int)
    [skipped] = by_event["node_skipped"]
    assert skipped["reason"] == "when_condition_false"
    assert skipped["condition"] == "${a.value} == null"
    assert [
        (line["node_id"], line["iteration"], line["item"]) for line in by_event["loop_iteration"]
    ] == [
        ("each", 0, "甲"),
        ("each", 1, "乙"),
    ]
    [error] = by_event["node_error"]
    assert error["node_id"] == "bad"
    assert error["error"]["code"] == "INPUT_VALIDATION_FAILED"
    assert error["retry"] == 0
    assert "ask/answer" not in starts

    async def third(bench: Workbench) -> None:
        await bench.delete(LOCAL, ended.run_id)

    on_bench(settings, third)
    assert list((tmp_path / "runs").rglob("*.jsonl")) == []


@pytest.mark.parametrize(
    ("plan_id", "folder"),
    [
        ("invoice_reconciliation", "invoice_reconciliation"),
        ("月次照合", "月次照合"),
        ("..", None),
        ("a:b*c", None),
        ("長" * 200, None),
        (".hidden", None),
    ],
)
def test_a_plans_id_becomes_a_safe_folder(plan_id: str, folder: str | None) -> None:
    name = folder_name(plan_id)
    if folder is not None:
        assert name == folder
    assert not name.startswith(".")
    assert not set(name) & set('/\\:*?"<>|')
    assert len(name.encode()) < 200
    assert folder_name(f"{plan_id}x") != name


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("マイナンバー：1234-5678-9018", "マイナンバー：****"),
        ("１２３４５６７８９０１８", "****"),
        ("カード番号 4111 1111 1111 1111 です", "カード番号 **** です"),
        ("4111-1111-1111-1111", "****"),
        ("注文 123456789012", "注文 123456789012"),
        ("合計 1,234,567 円", "合計 1,234,567 円"),
        ({"個人番号": 123456789012}, {"個人番号": "****"}),
        ({"法人番号": "1234567890123"}, {"法人番号": "1234567890123"}),
        ([{"card_number": "0000111122223333"}], [{"card_number": "****"}]),
        ("登録番号 T5123456789012", "登録番号 T5123456789012"),
        ("JAN 4912345678904", "JAN 4912345678904"),
        ([123456789018, 123456789018.0, 1.5], ["****", "****", 1.5]),
        ({"123456789018": {"件数": 3}}, {"****": {"件数": 3}}),
        (True, True),
    ],
)
def test_numbers_that_tell_about_a_person_are_masked(value: Any, shown: Any) -> None:
    assert masked_personal(value) == shown
