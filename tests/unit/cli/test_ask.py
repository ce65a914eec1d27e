"""Asking a collection at the command line: sure answers, questions to people, what goes wrong."""

import json
import shlex
from pathlib import Path

import pytest

from sanbo.agents.grace.workflow import Grace
from sanbo.kernel.settings import prepare_workspace
from sanbo.service import catalog
from sanbo.service.collections import open_collections
from sanbo.settings import load_settings
from tests.unit.cli.conftest import Outcome, Sanbo
from tests.workflows import WORKFLOWS

RULES = """# 出張の手引き

東京への出張では、宿泊費は1泊12,000円を上限とします。

旅費の精算は、出張から戻った日の翌月10日までに申請します。
\x1b]0;taken\x07\x1b[2J [bold]領収書[/bold] \u202eは必ず添付します。
"""
QUESTION = "東京への出張の宿泊費の上限はいくらですか"
SHIPPED = catalog.DEMOS
"""Taken when this is imported: tests put their own in its place."""
ELSEWHERE = "社員食堂のカレーの値段を教えてください"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all of these tests, with one collection: `出張規程`."""
    folder = tmp_path_factory.mktemp("ask")
    workspace = folder / "作業 場所"
    prepare_workspace(workspace)
    path = folder / "出張の手引き.md"
    path.write_text(RULES, "utf-8")
    with open_collections(load_settings(workspace, {})) as collections:
        assert all(not outcome.problem for outcome in collections.index_paths("出張規程", [path]))
    return workspace


@pytest.fixture(autouse=True)
def _with_grace(monkeypatch: pytest.MonkeyPatch, _as_shipped: None) -> None:
    monkeypatch.setenv("SANBO_LLM__PROVIDER", "rules")
    monkeypatch.setattr(catalog, "WORKFLOWS", (*WORKFLOWS, Grace()))


@pytest.fixture
def surely(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to `QUESTION` is sure enough: what this collection scores is not the matter."""
    monkeypatch.setenv("GRACE_THRESHOLDS__CONFIRM", "0.02")
    monkeypatch.setenv("GRACE_THRESHOLDS__NOTIFY", "0.03")
    monkeypatch.setenv("GRACE_THRESHOLDS__SILENT", "0.04")


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRACE_THRESHOLDS__SILENT", "0.9999")
    monkeypatch.setenv("GRACE_THRESHOLDS__NOTIFY", "0.9998")
    monkeypatch.setenv("GRACE_THRESHOLDS__CONFIRM", "0.01")


@pytest.mark.usefixtures("surely")
def test_an_answer_is_markdown_in_a_pipe_with_its_score_its_sources_and_its_steps(
    sanbo: Sanbo,
) -> None:
    shown = sanbo("ask", QUESTION)
    assert shown.code == 0
    assert shown.out.startswith(f"# {QUESTION}\n")
    for told in ("12,000円", "[1]", "確信度：■", "自動で回答", "## 出典", "原文と照合済み"):
        assert told in shown.out
    assert "計画：手順" in shown.err
    assert "か所" in shown.err
    assert "sanbo calibration feedback run_" in shown.err
    assert not set(shown.out + shown.err) & set("\x1b\x07\u202e")
    english = sanbo("--lang", "en", "ask", QUESTION, "-c", "出張規程")
    assert "Confidence: ■" in english.out
    assert "## Sources" in english.out
    assert "Plan (steps" in english.err


@pytest.mark.usefixtures("surely")
def test_json_is_the_run_with_what_programs_need(sanbo: Sanbo) -> None:
    result = sanbo("ask", QUESTION, "--collection", "出張規程", "--json").json["result"]
    wanted = "answer_md confidence decision factors plan steps sources replans interventions"
    assert set(wanted.split()) <= set(result)
    assert result["decision"] == "silent"
    assert result["sources"][0]["document"] == "出張の手引き.md"
    assert result["sources"][0]["verified"]


@pytest.mark.usefixtures("surely")
def test_the_answer_is_written_to_a_file_and_never_over_one(sanbo: Sanbo, tmp_path: Path) -> None:
    target = tmp_path / "回答.md"
    done = sanbo("ask", QUESTION, "-o", str(target))
    assert (done.code, done.out) == (0, "")
    assert target.read_text("utf-8").startswith(f"# {QUESTION}\n")
    again = sanbo("ask", QUESTION, "-o", str(target))
    assert again.code == 1
    assert "上書きはしません" in again.err
    office = target.with_suffix(".docx")
    assert sanbo("ask", QUESTION, "-o", str(office)).code == 0
    assert office.read_bytes().startswith(b"PK")
    assert sanbo("ask", QUESTION, "-o", "-", "--json").code == 2


def _command(shown: Outcome, containing: str) -> list[str]:
    """A command that was told, as a shell reads it, without `sanbo` itself."""
    lines = (line.strip() for line in shown.out.splitlines())
    told = next(line for line in lines if line.startswith("sanbo ") and containing in line)
    return shlex.split(told)[1:]


@pytest.mark.usefixtures("unsure")
def test_without_a_terminal_an_unsure_answer_waits_and_the_command_told_finishes_it(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    target = tmp_path / "回答.md"
    waiting = sanbo("ask", QUESTION, "-o", str(target))
    assert waiting.code == 3
    for told in ("12,000円", "確信度", "確認が必要", "出典", "原文と照合済み"):
        assert told in waiting.out
    assert not target.exists()
    assert "書き出していません" in waiting.err
    run_id = _command(waiting, "proceed")[2]

    finished = sanbo(*_command(waiting, "proceed"))
    assert finished.code == 0
    assert "12,000円" in finished.out
    assert "人が確認して" in finished.out
    assert "## 人への確認" in finished.out
    assert "sanbo calibration feedback" in finished.err
    assert "12,000円" in sanbo("runs", "show", run_id).out


@pytest.mark.usefixtures("unsure")
def test_an_instruction_changes_the_plan_visibly(sanbo: Sanbo) -> None:
    waiting = sanbo("ask", QUESTION)
    told = _command(waiting, "modify")
    told[-1] = json.dumps({"action": "modify", "instruction": "旅費の精算の期限も知りたい"})
    changed = sanbo(*told)
    assert "計画の見直し1回目（残りの手順を立て直し）" in changed.err
    assert "  1. " not in changed.err, "what the first command has told is not told again"
    assert changed.code == 3, "still as unsure as the thresholds want it"
    senseless = _command(changed, "modify")
    senseless[-1] = '{"action": "modify"}'
    again = sanbo(*senseless)
    assert again.code == 3
    assert "指示" in again.out
    cancelled = sanbo(*_command(again, "cancel"))
    assert cancelled.code == 0
    assert "中止したため" in cancelled.out
    assert "feedback" not in cancelled.err


def test_what_the_collection_does_not_answer_is_said_with_what_was_searched(sanbo: Sanbo) -> None:
    waiting = sanbo("ask", ELSEWHERE)
    assert waiting.code == 3, "nothing supports an answer: a person is asked for information"
    assert "計画の見直し1回目（全体を立て直し）" in waiting.err
    assert "情報が必要" in waiting.out
    informed = _command(waiting, "inform")
    informed[-1] = json.dumps({"action": "inform", "information": "カレーの値段は550円です"})
    known = sanbo(*informed)
    assert "利用者からの情報" in known.out
    assert "原文と照合済み" not in known.out.partition("利用者からの情報")[2].partition("\n")[0]
    ended = sanbo(*_command(waiting, "proceed")) if known.code == 3 else known
    assert ended.code == 0


def test_ending_as_not_found_tells_what_was_searched_and_what_comes_near(sanbo: Sanbo) -> None:
    waiting = sanbo("ask", ELSEWHERE)
    ended = sanbo(*_command(waiting, "proceed"))
    assert ended.code == 0
    assert "コレクション「出張規程」には見つかりませんでした" in ended.out
    assert "検索" in ended.out


def test_the_sample_is_answered_surely_and_nobody_is_asked(
    sanbo: Sanbo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = [demo for demo in SHIPPED if demo.workflow == "grace"]
    monkeypatch.setattr(catalog, "DEMOS", tuple(shipped))
    shown = sanbo("--workspace", str(tmp_path / "見本"), "demo")
    assert shown.code == 0
    assert "週3日まで" in shown.out
    assert "自動で回答" in shown.out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["  "], 2, "質問を指定してください"),
        (["宿泊費の", "上限"], 2, "引用符"),
        ([QUESTION, "-c", "出張規定"], 1, "「出張規程」ではありませんか"),
        (["。。？！"], 1, "質問"),
    ],
)
def test_what_can_not_be_done_is_told(
    sanbo: Sanbo, arguments: list[str], code: int, told: str
) -> None:
    done = sanbo("ask", *arguments)
    assert (done.code, done.out) == (code, "")
    assert told in done.err


def test_without_a_collection_is_told_how_to_make_one(sanbo: Sanbo, tmp_path: Path) -> None:
    none = sanbo("--workspace", str(tmp_path / "別の場所"), "ask", QUESTION)
    assert none.code == 1
    assert "sanbo index" in none.err


def test_help_is_there_in_both_languages(sanbo: Sanbo) -> None:
    assert "sanbo ask QUESTION" in sanbo("ask", "--help").out
    assert "how sure" in sanbo("--lang", "en", "ask", "-h").out
