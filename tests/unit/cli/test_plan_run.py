"""`sanbo plan run`: forms answered beforehand, at the terminal or later; files saved; failures."""

import json
import re
from pathlib import Path

import pytest

from sanbo.cli import asking, progress
from sanbo.plans.workflow import Plans
from sanbo.service import catalog
from sanbo.service.plan_list import sample_folder
from tests.unit.cli.conftest import Sanbo

PLAN = """\
apiVersion: v1
id: large
version: 1.0.0
vars: { limit: 100000 }
graph:
  - id: ask
    title: 入金明細を受け取る
    block: ui.interactive_input
    in:
      mode: collect
      message: 入金明細を選んでください
      requirements:
        - { id: bank_csv, type: file, label: 入金明細, accept: .csv }
        - { id: kind, type: select, label: 種類, options: [全部, 一部] }
        - { id: note, type: text, label: メモ, required: false }
    out: { collected_data: collected }
  - id: read
    title: CSVを読む
    block: file.read_csv
    in: { bytes: "${ask.collected.bank_csv}" }
  - id: large
    title: 高額の行を選ぶ
    block: transforms.filter
    in:
      items: ${read.rows}
      conditions: [{ field: 金額, operator: gte, value: "${vars.limit}" }]
  - id: confirm
    title: 担当者の確認
    block: ui.interactive_input
    when: { expr: "${large.filtered.length} > 0" }
    in: { mode: confirm, message: "${large.filtered.length}件あります。よろしいですか。" }
  - id: code
    title: 控えを作る
    block: file.encode_base64
    in: { data: "${ask.collected.bank_csv}" }
exports:
  - { from: large.filtered, as: payments }
  - { from: confirm.approved, as: approved }
  - { from: ask.collected.kind, as: kind }
"""
FAILING = """\
apiVersion: v1
id: failing
version: 1.0.0
vars: { count: 0 }
graph:
  - id: first
    title: 件数を数える
    block: transforms.flatten_items
    in: { results_list: [[{ a: 1 }]] }
  - id: check
    title: 件数の確認
    block: flow.assert
    in: { condition: "${vars.count}", message: 明細がありません }
    after: [first]
"""
TURNS = """\
apiVersion: v1
id: turns
version: 1.0.0
graph:
  - id: each
    title: 部門
    type: loop
    foreach: { input: [1, 0], itemVar: n }
    body:
      plan:
        graph:
          - id: check
            title: 確認
            block: flow.assert
            in: { condition: "${n}" }
"""
SECRET = """\
apiVersion: v1
id: secret
version: 1.0.0
graph:
  - id: ask
    block: ui.interactive_input
    in:
      mode: collect
      message: パスワードを入力してください
      requirements: [{ id: password, type: text, label: パスワード, secret: true }]
    out: { collected_data: collected }
exports: [{ from: ask.collected, as: collected }]
"""
LOOP = """\
apiVersion: v1
id: looping
version: 1.0.0
vars: { names: [東京, 大阪, 福岡] }
graph:
  - id: each
    title: 店ごとに
    type: loop
    foreach: { input: "${vars.names}", itemVar: name }
    body:
      plan:
        graph:
          - id: look
            title: 店の確認
            block: ui.interactive_input
            in: { mode: confirm, message: "${name}はよろしいですか。" }
        exports: [{ from: look.approved, as: approved }]
    out: { collect: approved }
exports: [{ from: each.approved, as: approved }]
"""


@pytest.fixture(autouse=True)
def _plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "WORKFLOWS", (Plans(),))


@pytest.fixture
def plan(tmp_path: Path) -> str:
    file = tmp_path / "plan.yaml"
    file.write_text(PLAN, "utf-8")
    (tmp_path / "入金.csv").write_bytes("名義,金額\nアオバ,110000\nミナト,5000\n".encode("cp932"))
    return str(file)


def sets(plan: str, *more: str) -> list[str]:
    csv = Path(plan).with_name("入金.csv")
    return [part for each in (f"bank_csv=@{csv}", "kind=全部", *more) for part in ("--set", each)]


def test_a_plan_whose_forms_are_answered_beforehand_runs_to_its_end(
    sanbo: Sanbo, plan: str
) -> None:
    done = sanbo("plan", "run", plan, *sets(plan, "confirm.approved=はい"))
    assert done.code == 0, done.err
    assert "アオバ" in done.out
    assert "ミナト" not in done.out
    assert "✓ 高額の行を選ぶ" in done.err
    assert "answer" not in done.err, "a form's question is part of its node"
    assert "large" in sanbo("runs", "list").out, "a run of a plan is listed by the plan's name"


def test_variables_are_replaced_and_a_skipped_node_says_so(sanbo: Sanbo, plan: str) -> None:
    done = sanbo("plan", "run", plan, *sets(plan), "--var", "limit=500000", "--json")
    assert done.code == 0
    assert done.json["result"]["exports"] == {"payments": [], "approved": None, "kind": "全部"}
    assert "– 担当者の確認  条件に合わないためスキップ" in done.err
    shown = sanbo("runs", "show", done.json["run_id"]).out
    assert "担当者の確認" in shown
    assert "スキップ" in shown


def test_without_anybody_to_ask_it_waits_and_says_how_to_answer(sanbo: Sanbo, plan: str) -> None:
    waiting = sanbo("plan", "run", plan, *sets(plan))
    assert waiting.code == 3
    command = next(line for line in waiting.out.splitlines() if "sanbo runs answer" in line)
    assert '{"approved": true}' in command
    run_id = command.split()[3]
    picture = sanbo("plan", "graph", "--run", run_id).out
    assert "？ 担当者の確認" in picture
    assert "✓ 高額の行を選ぶ" in picture
    done = sanbo("runs", "answer", run_id, "--data", '{"approved": true}')
    assert done.code == 0
    assert "はい" in done.out


def test_only_what_was_not_set_is_asked(
    sanbo: Sanbo, plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = ["2", "急ぎ", "はい", ""]  # kind, note; approved, comment

    def read(*_: object) -> str:
        return typed.pop(0)

    monkeypatch.setattr(asking, "_read", read)
    monkeypatch.setattr(progress, "can_ask", lambda: True)
    done = sanbo("plan", "run", plan, *sets(plan)[:2])
    assert done.code == 0, done.err
    assert typed == []
    assert "一部" in done.out


def test_a_password_is_hidden_and_written_nowhere(
    sanbo: Sanbo, tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret.yaml"
    file.write_text(SECRET, "utf-8")

    def read_secret(_console: object) -> str:
        return "hunter2-hunter2"

    monkeypatch.setattr(asking, "_read_secret", read_secret)
    monkeypatch.setattr(progress, "can_ask", lambda: True)
    done = sanbo("plan", "run", str(file))
    assert done.code == 0, done.err
    assert "hunter2" not in done.out + done.err
    kept = [each for each in workspace.rglob("*") if each.is_file()]
    assert not [each for each in kept if b"hunter2" in each.read_bytes()]


def test_a_form_in_a_loop_is_answered_every_time(sanbo: Sanbo, tmp_path: Path) -> None:
    file = tmp_path / "loop.yaml"
    file.write_text(LOOP, "utf-8")
    done = sanbo("plan", "run", str(file), "--set", "look.approved=y", "--json")
    assert done.code == 0
    assert done.json["result"]["exports"] == {"approved": [True, True, True]}
    assert "✓ 店ごとに  3/3" in done.err
    assert "店の確認" not in done.err, "a loop may have thousands of items"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("bank_cvs=x", "bank_csv の誤りではありませんか"),
        ("confirm.bank_csv=x", "フォームにありません"),
        ("bank_csv=入金.csv", "@ を付けて"),
        ("kind=半分", "1〜2の番号"),
        ("bank_csv", "項目=値"),
    ],
)
def test_what_no_form_takes_is_refused_before_anything_starts(
    sanbo: Sanbo, plan: str, given: str, told: str
) -> None:
    refused = sanbo("plan", "run", plan, "--set", given)
    assert refused.code == 2
    assert told in refused.err
    assert sanbo("runs", "list", "--json").json == []


def test_a_file_or_a_variable_that_is_not_there_is_told(sanbo: Sanbo, plan: str) -> None:
    assert "見つかりません" in sanbo("plan", "run", plan, "--set", "bank_csv=@ない.csv").err
    unknown = sanbo("plan", "run", plan, *sets(plan), "--var", "limits=1")
    assert unknown.code == 1
    assert "limit" in unknown.err
    assert sanbo("plan", "run", plan, "--var", "limit=[1").code == 2
    assert sanbo("runs", "list", "--json").json == []


def test_an_answer_that_the_form_refuses_leaves_the_question_open(
    sanbo: Sanbo, plan: str, tmp_path: Path
) -> None:
    text = tmp_path / "入金.txt"
    text.write_text("x", "utf-8")
    refused = sanbo("plan", "run", plan, "--set", f"bank_csv=@{text}", "--set", "kind=全部")
    assert refused.code == 3
    assert ".csv" in refused.err
    assert "sanbo runs answer" in refused.out


def test_a_plan_with_errors_does_not_start(sanbo: Sanbo, tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(PLAN.replace("read.rows", "read.row"), "utf-8")
    refused = sanbo("plan", "run", str(file))
    assert refused.code == 1
    assert f"{file}:25:7  unknown_output" in refused.err
    assert sanbo("plan", "run", str(file), "--json").json["problem"]["details"]["findings"]


def test_a_failure_tells_how_to_go_on_and_goes_on_from_there(sanbo: Sanbo, tmp_path: Path) -> None:
    file = tmp_path / "failing.yaml"
    file.write_text(FAILING, "utf-8")
    failed = sanbo("plan", "run", str(file), "--json")
    assert failed.code == 1
    run_id = failed.json["run_id"]
    assert "明細がありません" in failed.err
    shown = sanbo("plan", "run", str(file))
    assert "sanbo runs resume" in shown.err
    assert "--from check" in shown.err
    again = sanbo("runs", "replay", run_id, "--from", "check")
    assert again.code == 1
    assert "✗ 件数の確認" in again.err
    assert "件数を数える" not in again.err


def test_a_failure_over_a_file_that_a_person_gave_also_tells_how_to_give_another(
    sanbo: Sanbo, plan: str, tmp_path: Path
) -> None:
    empty = tmp_path / "入金.csv"
    empty.write_bytes(b"")
    failed = sanbo("plan", "run", plan, "--set", f"bank_csv=@{empty}", "--set", "kind=全部")
    assert failed.code == 1, failed.out
    assert "手順：CSVを読む（read）" in failed.err
    assert "--from read" in failed.err
    assert "入金明細を受け取る" in failed.err
    assert "--from ask" in failed.err


def test_after_a_failure_in_a_loop_it_goes_on_from_that_turn(sanbo: Sanbo, tmp_path: Path) -> None:
    file = tmp_path / "turns.yaml"
    file.write_text(TURNS, "utf-8")
    failed = sanbo("plan", "run", str(file))
    assert "--from 'each/#1/check'" in failed.err
    run_id = failed.err.split("runs replay ")[1].split()[0]
    again = sanbo("runs", "replay", run_id, "--from", "each/#1/check")
    assert "部門 › 2 › 確認" in again.err
    assert sanbo("runs", "replay", run_id, "--from", "each/#7/check").code == 1


def test_files_are_saved_beside_others_and_never_over_them(sanbo: Sanbo, tmp_path: Path) -> None:
    folder = tmp_path / "結果"
    folder.mkdir()
    (folder / "月次経費一覧.xlsx").write_text("mine", "utf-8")
    for number in (2, 3):
        done = sanbo("plan", "run", "monthly_closing", "--sample", "-o", str(folder))
        assert done.code == 0, done.err
        assert (folder / f"月次経費一覧 ({number}).xlsx").read_bytes().startswith(b"PK")
    assert (folder / "月次経費一覧.xlsx").read_text("utf-8") == "mine"
    in_the_way = str(folder / "月次経費一覧.xlsx")
    assert sanbo("plan", "run", "monthly_closing", "-o", in_the_way).code == 1


CHAIN = """\
apiVersion: v1
id: chain
version: 1.0.0
graph:
  - id: first
    block: excel.write
    in: { workbook: { name: 途中.xlsx }, data: { 表: [{ a: 1 }] } }
  - id: last
    block: excel.write
    in:
      workbook: ${first.workbook_updated}
      data: { 表: [{ a: 2 }] }
      output_config: { name: 完成.xlsx }
"""


def test_without_exports_the_files_of_the_last_nodes_are_saved(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    file = tmp_path / "chain.yaml"
    file.write_text(CHAIN, "utf-8")
    done = sanbo("plan", "run", str(file), "-o", str(tmp_path / "結果"))
    assert done.code == 0, done.err
    [saved] = (tmp_path / "結果").iterdir()
    assert f"{saved}" in done.err, "it says what was saved where"
    assert "途中で作られたファイルがほかに1件" in done.err
    rows = CHAIN + "exports: [{ from: last.write_summary, as: summary }]\n"
    file.write_text(rows, "utf-8")
    done = sanbo("plan", "run", str(file), "-o", str(tmp_path / "なし"))
    assert list((tmp_path / "なし").iterdir()) == [], "what the plan exports is no file"
    assert "保存したものはありません" in done.err


def test_a_file_can_be_named_for_the_one_that_the_plan_gives_out(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    file = tmp_path / "chain.yaml"
    file.write_text(CHAIN, "utf-8")
    wanted = tmp_path / "5月.XLSX"
    assert sanbo("plan", "run", str(file), "-o", str(wanted)).code == 0
    assert wanted.read_bytes().startswith(b"PK")
    assert sanbo("plan", "run", str(file), "-o", str(wanted)).code == 1, "it is never overwritten"
    other = sanbo("plan", "run", str(file), "-o", str(tmp_path / "5月.csv"))
    assert not (tmp_path / "5月.csv").exists(), "a workbook is no CSV"
    [saved] = [each for each in tmp_path.glob("*.xlsx") if each != wanted]
    assert str(saved) in other.err


def test_a_plan_without_sample_files_says_so(sanbo: Sanbo, plan: str) -> None:
    refused = sanbo("plan", "run", plan, "--sample")
    assert refused.code == 2
    assert "sanbo plan list" in refused.err


@pytest.mark.parametrize("plan_id", ["invoice_reconciliation", "monthly_closing"])
def test_an_english_reader_is_asked_in_english(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch, plan_id: str
) -> None:
    monkeypatch.setenv("SANBO_LANGUAGE", "en")
    waiting = sanbo("plan", "run", plan_id)
    assert waiting.code == 3
    assert "Choose the" in waiting.out
    # A heading that a file must have is quoted as it is.
    said = re.sub(r"“[^”]*”|\[default: [^\]]*\]", "", waiting.out + waiting.err)
    assert re.search("[ぁ-んァ-ン一-龠]", said) is None
    files = json.loads((sample_folder() / "answers.json").read_text("utf-8"))[plan_id]
    sets = [
        part
        for name, value in files.items()
        if name.startswith("collect.")
        for part in ("--set", f"{name}=@{sample_folder() / value[1:]}")
    ]
    asked = sanbo("plan", "run", plan_id, *sets, "--json").json["open_interactions"]
    for question in asked:
        assert re.search("[ぁ-ん]", question["message"] + " ".join(question["context"])) is None


def test_sample_files_are_where_the_list_says(sanbo: Sanbo) -> None:
    listed = sanbo("plan", "list")
    assert "invoice_reconciliation" in listed.out
    folder = Path(listed.err.split("：", 1)[1].split("（")[0])
    material = json.loads((folder / "answers.json").read_text("utf-8"))
    files = [
        value[1:]
        for answers in material.values()
        for value in answers.values()
        if isinstance(value, str) and value.startswith("@")
    ]
    assert len(files) == 4
    assert all((folder / name).is_file() for name in files)


READING = """\
apiVersion: v1
id: reading
version: 1.0.0
graph:
  - id: read
    title: 請求書を読む
    block: ai.process_llm
    in:
      evidence_data: ["請求金額：1,000円", "特記事項はありません。", "請求金額：2,000円"]
      prompt: 読み取ってください。
      output_schema: { 請求金額: number, 担当者の印象: string }
  - id: each
    title: 部門
    type: loop
    foreach: { input: [1, 2], itemVar: n }
    body:
      plan:
        graph:
          - id: inner
            title: 部門の請求書
            block: ai.process_llm
            in:
              evidence_data: ["何もありません。"]
              prompt: 読み取ってください。
              output_schema: { 単価の理由: string }
exports:
  - { from: read.results, as: results }
"""


def test_fields_that_rules_could_not_fill_are_told_with_the_result(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    (tmp_path / "reading.yaml").write_text(READING, "utf-8")
    done = sanbo("plan", "run", str(tmp_path / "reading.yaml"))
    assert done.code == 0, done.err
    assert "! 請求書を読む" in done.err
    told = re.sub(r"\s+", "", done.err + done.out)
    assert "担当者の印象3/3" in told
    assert "請求金額1/3" in told
    assert told.count("単価の理由1/1") == 1  # both turns of the loop say the same
    assert "モデルを設定して" in told


def test_what_rules_could_not_fill_stands_in_the_run_as_json(sanbo: Sanbo, tmp_path: Path) -> None:
    (tmp_path / "reading.yaml").write_text(READING, "utf-8")
    run = sanbo("plan", "run", str(tmp_path / "reading.yaml"), "--json").json
    warned = {step["path"][-1]: step["warnings"] for step in run["steps"]}
    (warning,) = warned["read"]
    assert warning["details"] == {"missing": {"担当者の印象": 3, "請求金額": 1}, "records": 3}
    assert warning["message"]
    assert warning["hint"]
    assert len(warned["each"]) == 1


def test_a_plan_whose_fields_were_all_filled_warns_of_nothing(sanbo: Sanbo, tmp_path: Path) -> None:
    head = READING.partition("  - id: each")[0].replace(', "特記事項はありません。"', "")
    filled = head.replace(", 担当者の印象: string", "")
    (tmp_path / "reading.yaml").write_text(filled, "utf-8")
    run = sanbo("plan", "run", str(tmp_path / "reading.yaml"), "--json").json
    assert [step["warnings"] for step in run["steps"] if step["block"]] == [[]]


def test_a_run_with_warnings_ends_otherwise_than_a_clean_one_also_where_files_are_saved(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    file = tmp_path / "warned.yaml"
    file.write_text(
        "id: warned\nversion: 1.0.0\npolicy: {on_error: continue}\ngraph:\n"
        "  - {id: bad, block: transforms.pick, in: {source: x, return: number}}\n",
        "utf-8",
    )
    for more in ((), ("-o", str(tmp_path / "out"))):
        done = sanbo("plan", "run", str(file), *more)
        assert (done.code, "完了しました（" in done.err) == (0, False)
        assert "警告が1件あります" in done.err


def test_a_preset_answers_forms_and_a_run_may_end_at_a_node(sanbo: Sanbo, tmp_path: Path) -> None:
    file, csv = tmp_path / "large.yaml", tmp_path / "bank.csv"
    file.write_text(PLAN, encoding="utf-8")
    plan = str(file)
    csv.write_text("金額\n200000\n", encoding="utf-8")
    given = ("--set", f"bank_csv=@{csv}", "--set", "kind=一部", "--set", "note=9月分")
    first = sanbo("plan", "run", plan, *given, "--var", "limit=5", "--until", "read", "--json")
    assert first.code == 0, first.err
    run = json.loads(first.out)
    assert run["result"]["exports"]["rows"] == [{"金額": "200000"}]
    assert list(run["result"]["nodes"]) == ["ask", "read"]
    saved = sanbo("presets", "save", run["run_id"], "月次", "--json")
    assert json.loads(saved.out)["answers"] == {"ask": {"kind": "一部", "note": "9月分"}}
    listed = sanbo("presets", "list", plan, "--json")
    assert [each["name"] for each in json.loads(listed.out)] == ["月次"]
    waiting = sanbo("plan", "run", plan, "--preset", "月次", "--json")
    assert waiting.code == 3, "the file is asked for"
    more = ("--set", f"bank_csv=@{csv}", "--set", "approved=true")
    ended = sanbo("plan", "run", plan, "--preset", "月次", *more, "--json")
    assert json.loads(ended.out)["result"]["exports"]["kind"] == "一部"
    assert json.loads(ended.out)["input"]["vars"] == {"limit": 5}
    further = sanbo("runs", "replay", run["run_id"], "--until", "large", "--json")
    assert list(json.loads(further.out)["result"]["nodes"]) == ["ask", "read", "large"]
    assert sanbo("presets", "remove", plan, "月次").code == 0
    assert "月次" in sanbo("plan", "run", plan, "--preset", "月次").err
    assert sanbo("plan", "run", plan, "--until", "nowhere").code == 1
    assert sanbo("runs", "replay", run["run_id"]).code == 2


def test_of_a_broken_plan_the_findings_come_before_unknown_fields(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(READING.replace("ai.process_llm", "ai.proces_llm"), "utf-8")
    refused = sanbo("plan", "run", str(file), "--set", "nosuch=1")
    assert "unknown_block" in refused.out + refused.err
