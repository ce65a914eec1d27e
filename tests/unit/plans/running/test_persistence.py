"""What of a run's values is written: in its log a summary, in the journal by the settings."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sanbo.runs import kept_folds
from sanbo.runs.model import InteractionOpen, JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.examples import spread
from tests.workflows.planning import (
    answer,
    events,
    everything_written,
    exports,
    on_bench,
    plan,
    run,
    settings_of,
    stopped_after,
    to_the_end,
    worked,
)

ACCOUNT, PHONE, MAIL = "7654321", "03-5432-1098", "hanako@example.co.jp"
ADDRESS = "東京都港区芝公園4丁目2番8号"
INVOICE = (
    f"請求書 株式会社アオバ商事 御中。振込先はみなと銀行 本店 普通 {ACCOUNT}。"
    f"お問い合わせは {PHONE} または {MAIL} まで。{ADDRESS}。" + "品目は別紙のとおりです。" * 40
)
PRIVATE = (ACCOUNT, PHONE, MAIL, ADDRESS)
BOOK = "UEsDBBQABgAIAAAAIQ" * 300


def _text(trace: Path) -> str:
    return plan(
        f"""
  - id: read
    block: test.work
    in:
      value: {{text: "{INVOICE}", book: "{BOOK}", 金額: 110000, 口座番号: "{ACCOUNT}"}}
      trace: "{trace}"
  - id: form
    block: ui.interactive_input
    in:
      mode: mixed
      message: 連絡先
      requirements:
        - {{id: phone, type: text, label: 電話}}
        - {{id: note, type: text, label: 備考}}
    out: {{collected_data: entered}}
    after: [read]
  - id: each
    type: loop
    foreach: {{input: [1, 2], itemVar: n}}
    body:
      plan:
        graph:
          - id: w
            block: test.work
            in: {{value: "${{read.value.text}}", trace: "{trace}"}}
        exports: [{{from: w.value, as: text}}]
    out: {{collect: text}}
    after: [form]
  - {{id: sum, block: test.length, in: {{rows: "${{each.text}}"}}}}
  - id: same
    block: test.work
    in: {{value: 1}}
    when: {{expr: "${{each.text.1}}.contains('{ACCOUNT}') && ${{form.entered.phone}}.size() == 12"}}
""",
        top="exports: [{from: sum.length, as: n}, {from: same.value, as: same}]",
    )


ANSWERS: dict[str, JsonObject] = {"form": {"phone": PHONE, "note": "至急", "approved": True}}
RESULT = {"n": 2, "same": 1}


def _log(workspace: Path) -> str:
    return "".join(file.read_text("utf-8") for file in (workspace / "runs").rglob("*.jsonl"))


def test_the_log_has_summaries_and_nothing_private(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        begun = await run(bench, _text(tmp_path / "trace"))
        return await answer(bench, begun, ANSWERS["form"])

    ended = on_bench(settings_of(tmp_path), work)
    assert exports(ended) == RESULT
    text = _log(tmp_path)
    for private in (*PRIVATE, BOOK[:200], INVOICE[-200:]):
        assert private not in text
    lines = [json.loads(line) for line in text.splitlines()]
    [line] = [
        each for each in lines if each["event"] == "node_complete" and each["node_id"] == "read"
    ]
    told: Any = line["outputs"]["value"]
    assert told["金額"] == 110000
    assert told["口座番号"] == "****"
    assert told["book"]["x-summary"]["type"] == "binary"
    assert told["book"]["x-summary"]["size"] == len(BOOK)
    summary = told["text"]["x-summary"]
    assert summary["size"] == len(INVOICE.encode())
    assert len(summary["sha256"]) == 64
    assert summary["excerpt"].startswith(
        "請求書 株式会社アオバ商事 御中。振込先はみなと銀行 本店 普通 ****"
    )
    assert [each["status"] for each in lines if each["event"] == "plan_complete"] == ["success"]


@pytest.mark.parametrize("persist", ["masked", "none"])
def test_stopped_anywhere_a_run_ends_the_same_and_nothing_private_is_in_the_database(
    persist: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_folds, "EVERY", 1)
    monkeypatch.setattr(kept_folds, "EVENTS_A_STEP", 0)
    trace = tmp_path / "trace"
    settings = settings_of(tmp_path / "ws", SANBO_PLANS__PERSIST=persist)

    async def whole(bench: Workbench) -> list[Any]:
        begun = await run(bench, _text(trace))
        ended = await to_the_end(bench, begun.run_id, ANSWERS)
        assert exports(ended) == RESULT  # whole, as long as the process lives
        [read] = [step for step in ended.steps if step.key == "read"]
        assert read.attempt == 1
        assert worked(trace).count("read") == 1
        return await events(bench, ended)

    on_bench(settings, whole)
    found = _assert_not_written(tmp_path / "ws", persist)

    async def written(bench: Workbench) -> list[Any]:
        [summary] = await bench.list(LOCAL)
        return await bench.events(LOCAL, summary.run_id)

    history = on_bench(settings, written)  # as another process reads it
    for seq in spread(range(1, len(history)), 5):

        async def again(bench: Workbench, seq: int = seq) -> list[Any]:
            before = worked(trace).count("read")
            ended = await to_the_end(bench, await stopped_after(bench, history, seq), ANSWERS)
            assert ended.status is Status.SUCCEEDED, (seq, ended.problem)
            assert exports(ended) == RESULT, seq
            read_again = worked(trace).count("read") - before
            if persist == "masked" and any(
                isinstance(each.payload, InteractionOpen) for each in history[:seq]
            ):
                assert read_again == 0  # it is a file of the run
            return await events(bench, ended)

        on_bench(settings, again, 60)
    assert found
    _assert_not_written(tmp_path / "ws", persist)


def _assert_not_written(workspace: Path, persist: str) -> str:
    database = everything_written(workspace)
    journal = "\n".join(
        line for line in database.splitlines() if '"event":"run_start"' not in line
    )  # the plan itself holds them here
    for private in (*PRIVATE, *(("110000",) if persist == "none" else ())):
        assert private not in journal, persist
        assert private not in _folds(workspace), persist
    blobs = [file.read_bytes() for file in (workspace / "blobs").rglob("*") if file.is_file()]
    assert any(ACCOUNT.encode() in each for each in blobs) is (persist == "masked")
    return database


def _folds(workspace: Path) -> str:
    """All that is kept of runs, but for what they began with."""
    with closing(sqlite3.connect(workspace / "sanbo.db")) as connection:
        states = [json.loads(state) for (state,) in connection.execute("SELECT state FROM folds")]
    assert states
    return json.dumps([{**state, "start": None} for state in states], ensure_ascii=False)
