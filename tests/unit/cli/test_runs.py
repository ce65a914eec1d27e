from pathlib import Path

import orjson
import pytest

from tests.unit.cli.conftest import Sanbo

RUN_KEYS = {
    "run_id",
    "workflow",
    "conversation_id",
    "status",
    "result",
    "artifacts",
    "open_interactions",
    "problem",
    "engine",
    "usage",
    "created_at",
    "updated_at",
}
TRIP = '{"title": "東京 出張", "amounts": "1200, 800"}'
COSTLY = '{"title": "東京 出張", "amounts": "12000, 34000"}'


def test_a_run_that_succeeds_prints_its_result_and_ends_with_0(sanbo: Sanbo) -> None:
    done = sanbo("runs", "start", "expenses", "--input", TRIP)
    assert done.code == 0
    assert "# 東京 出張\n\n合計 2,000 円" in done.out
    assert "✓ 合計する" in done.err
    assert "完了しました" in done.err
    assert "完了しました" not in done.out


def test_json_is_the_run_and_nothing_else(sanbo: Sanbo) -> None:
    done = sanbo("runs", "start", "expenses", "--input", TRIP, "--json")
    assert done.code == 0
    assert done.json.keys() >= RUN_KEYS
    assert done.json["result"]["total"] == 2000
    assert sanbo("runs", "show", done.json["run_id"], "--json").json == done.json


def test_a_run_that_fails_ends_with_1_and_can_be_resumed(sanbo: Sanbo) -> None:
    failed = sanbo("runs", "start", "expenses", "-i", '{"title": "x", "fail_at": "add"}', "--json")
    assert failed.code == 1
    assert failed.json["problem"]["code"] == "INPUT_VALIDATION_FAILED"
    assert "コード：INPUT_VALIDATION_FAILED" in failed.err
    again = sanbo("runs", "resume", failed.json["run_id"])
    assert again.code == 1
    assert f"sanbo runs resume {failed.json['run_id']}" in again.err


def test_a_run_that_waits_ends_with_3_and_says_how_to_answer(sanbo: Sanbo) -> None:
    waiting = sanbo("runs", "start", "expenses", "--input", COSTLY)
    assert waiting.code == 3
    assert "合計は 46,000 円です。承認しますか。" in waiting.out
    assert "旅費交通費 / 会議費" in waiting.out
    run_id = waiting.out.split("runs answer ")[1].split()[0]
    assert sanbo("runs", "answer", run_id, "--data", '{"approved": true}').code == 0


def test_a_wrong_answer_changes_nothing(sanbo: Sanbo) -> None:
    run = sanbo("runs", "start", "expenses", "--input", COSTLY, "--json").json
    wrong = sanbo("runs", "answer", run["run_id"], "--data", '{"aproved": true}', "--json")
    assert wrong.code == 1
    assert "aproved" in wrong.err
    assert wrong.json["problem"]["code"] == "INPUT_VALIDATION_FAILED"
    assert sanbo("runs", "show", run["run_id"], "--json").json == run


def test_without_data_and_terminal_the_fields_are_shown(sanbo: Sanbo) -> None:
    run = sanbo("runs", "start", "expenses", "--input", COSTLY, "--json").json
    needed = sanbo("runs", "answer", run["run_id"])
    assert needed.code == 2
    assert "approved" in needed.err
    assert "勘定科目" in needed.err
    assert needed.out == ""
    without_input = sanbo("runs", "start", "expenses")
    assert without_input.code == 2
    assert "金額（カンマ区切り）" in without_input.err


def test_data_comes_from_a_file_too_and_a_comment_beside_it(sanbo: Sanbo, tmp_path: Path) -> None:
    run = sanbo("runs", "start", "expenses", "--input", COSTLY, "--json").json
    answer = tmp_path / "回答.json"
    answer.write_text('{"approved": false}', "utf-8-sig")
    options = ["--data", f"@{answer}", "--comment", "確認済み", "--json"]
    done = sanbo("runs", "answer", run["run_id"], *options)
    assert done.json["result"]["approved"] is False
    events = sanbo("runs", "events", run["run_id"], "--json").out.splitlines()
    answered = [
        event["payload"]
        for event in map(orjson.loads, events)
        if event["payload"]["event"] == "interaction_answered"
    ]
    assert answered[0]["answer"]["comment"] == "確認済み"


def test_files_and_folders_are_uploaded_by_field(sanbo: Sanbo, tmp_path: Path) -> None:
    quote = tmp_path / "見積 書（最終）.csv"
    quote.write_text("品名,金額\nPC,120000\n", "utf-8")
    folder = tmp_path / "資料"
    (folder / "下").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "下" / "b.txt").write_text("b")
    run = sanbo("runs", "start", "intake", "--json").json
    data = '{"reason": "研修で使うため", "kind": "new", "count": 1}'
    files = ["--file", f"quote={quote}", "--file", f"folder={folder}"]
    files += ["--file", f"extras={quote}"]
    answered = sanbo("runs", "answer", run["run_id"], "--data", data, *files, "--json")
    assert answered.code == 3
    events = sanbo("runs", "events", run["run_id"], "--json").out
    given = next(
        event["payload"]["answer"]
        for event in map(orjson.loads, events.splitlines())
        if event["payload"]["event"] == "interaction_answered"
    )
    assert given["quote"]["name"] == quote.name
    assert [file["name"] for file in given["extras"]] == [quote.name]
    assert [file["name"] for file in given["folder"]] == ["a.txt", "下/b.txt"]


def test_a_file_that_is_not_there_is_a_problem(sanbo: Sanbo) -> None:
    run = sanbo("runs", "start", "intake", "--json").json
    refused = sanbo("runs", "answer", run["run_id"], "--file", "quote=ない.csv")
    assert refused.code == 1
    assert "ない.csv が見つかりません" in refused.err


def test_show_and_events_tell_what_happened(sanbo: Sanbo) -> None:
    run = sanbo("runs", "start", "approval", "-i", '{"topic": "備品"}', "--json").json
    shown = sanbo("runs", "show", run["run_id"])
    assert shown.code == 0
    for text in ("回答待ち", "構成を決める", "draft.md", "rules", "修正の指示"):
        assert text in shown.out
    events = sanbo("runs", "events", run["run_id"]).out
    assert "interaction_open" in events
    sanbo("runs", "answer", run["run_id"], "--data", '{"approved": true}')
    followed = sanbo("runs", "events", run["run_id"], "--follow", "--json").out.splitlines()
    assert orjson.loads(followed[-1])["payload"]["event"] == "run_complete"


def test_artifacts_are_saved_and_nothing_is_overwritten(
    sanbo: Sanbo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = sanbo("runs", "start", "expenses", "--input", TRIP, "--json").json
    assert sanbo("runs", "artifact", run["run_id"], "report.md").code == 0
    assert "2,000 円" in (tmp_path / "report.md").read_text("utf-8")
    again = sanbo("runs", "artifact", run["run_id"], "report.md")
    assert again.code == 1
    assert "report.md はすでにあります" in again.err
    named = ["-o", "報告 書.md"]
    assert sanbo("runs", "artifact", run["run_id"], "report.md", *named).code == 0
    assert (tmp_path / "報告 書.md").exists()
    assert sanbo("runs", "artifact", run["run_id"], "nothing.md").code == 1


def test_a_replay_is_a_new_run_from_that_step(sanbo: Sanbo) -> None:
    run = sanbo("runs", "start", "expenses", "--input", TRIP, "--json").json
    again = sanbo("runs", "replay", run["run_id"], "--from", "report", "--json")
    assert again.code == 0
    assert again.json["replay_of"] == {"run_id": run["run_id"], "step": ["report"]}
    assert sanbo("runs", "replay", run["run_id"], "--from", "nowhere").code == 1


def test_cancel_and_delete(sanbo: Sanbo) -> None:
    run = sanbo("runs", "start", "expenses", "--input", COSTLY, "--json").json
    cancelled = sanbo("runs", "cancel", run["run_id"], "--json")
    assert cancelled.code == 0
    assert cancelled.json["status"] == "cancelled"
    assert sanbo("runs", "cancel", run["run_id"]).code == 1
    assert sanbo("runs", "delete", run["run_id"]).code == 2
    assert sanbo("runs", "delete", run["run_id"], "--yes").code == 0
    assert sanbo("runs", "show", run["run_id"]).code == 1


def test_the_list_can_be_narrowed_down(sanbo: Sanbo) -> None:
    assert "該当する実行はありません" in sanbo("runs", "list").err
    sanbo("runs", "start", "expenses", "--input", TRIP)
    sanbo("runs", "start", "expenses", "--input", COSTLY)
    listed = sanbo("runs", "list")
    assert "回答待ち" in listed.out
    assert "完了" in listed.out
    assert len(sanbo("runs", "list", "--status", "waiting", "--json").json) == 1
    assert sanbo("runs", "list", "--workflow", "approval", "--json").json == []
    assert len(sanbo("runs", "list", "--limit", "1", "--json").json) == 1


def test_an_unknown_run_or_workflow_is_a_problem_in_json_too(sanbo: Sanbo) -> None:
    unknown = sanbo("runs", "show", "run_0", "--json")
    assert unknown.code == 1
    assert unknown.json["problem"]["code"] == "NOT_FOUND"
    assert "対処：" in unknown.err
    assert "expenses" in sanbo("runs", "start", "nothing").err


def test_texts_are_english_where_english_is_wanted(sanbo: Sanbo, workspace: Path) -> None:
    english = sanbo("runs", "start", "expenses", "--input", COSTLY, "--lang", "en")
    assert "Waiting for an answer" in english.err
    assert "For example:" in english.out
    assert "What to do:" in sanbo("--lang", "en", "runs", "show", "run_0").err
    (workspace / "sanbo.yaml").write_text("language: en\n")
    assert "There is no run run_0" in sanbo("runs", "show", "run_0").err


def test_the_demo_runs_every_sample_without_asking(sanbo: Sanbo) -> None:
    shown = sanbo("demo")
    assert shown.code == 0
    assert "1/2  経費の集計" in shown.err
    assert "2/2  稟議書の案" in shown.err
    assert "見本 2 件を実行しました" in shown.err
