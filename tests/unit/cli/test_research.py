"""Researching a question at the command line, and the trail of a session."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from sanbo.agents.research.workflow import Research
from sanbo.cli.progress import Watch
from sanbo.kernel.settings import prepare_workspace
from sanbo.runs.model import Status
from sanbo.runs.parts import PartsUpdate, Text
from sanbo.service import catalog
from sanbo.service.collections import open_collections
from sanbo.settings import load_settings
from tests.unit.cli.conftest import Sanbo
from tests.workflows import WORKFLOWS

RULES = """# 出張の手引き

東京への出張では、宿泊費は1泊12,000円を上限とします。

旅費の精算は、出張から戻った日の翌月10日までに申請します。
\x1b]0;taken\x07\x1b[2J [bold]領収書[/bold] \u202eは必ず添付します。
"""
QUESTION = "東京への出張の宿泊費の上限はいくらですか"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all of these tests, with one collection: `出張規程`."""
    folder = tmp_path_factory.mktemp("research")
    workspace = folder / "作業 場所"
    prepare_workspace(workspace)
    path = folder / "出張の手引き.md"
    path.write_text(RULES, "utf-8")
    with open_collections(load_settings(workspace, {})) as collections:
        assert all(not outcome.problem for outcome in collections.index_paths("出張規程", [path]))
    return workspace


@pytest.fixture(autouse=True)
def _with_research(monkeypatch: pytest.MonkeyPatch, _as_shipped: None) -> None:
    monkeypatch.setenv("SANBO_LLM__PROVIDER", "rules")
    monkeypatch.setattr(catalog, "WORKFLOWS", (*WORKFLOWS, Research()))


def _session(told: str) -> str:
    return next(word for word in told.split() if "conv_" in word).partition("：")[2]


def test_a_report_with_its_sources_is_markdown_in_a_pipe_and_the_steps_are_told(
    sanbo: Sanbo,
) -> None:
    shown = sanbo("research", QUESTION)
    assert shown.code == 0
    assert shown.out.startswith(f"# {QUESTION}\n")
    assert "12,000円を上限とします。[1]" in shown.out
    assert "コレクション「出張規程」を調べます" in shown.err, "the only one there is"
    assert f"検索 1回目：「{QUESTION}」" in shown.err
    assert "判断：" in shown.err
    assert "セッション：conv_" in shown.err
    assert not set(shown.out + shown.err) & set("\x1b\x07\u202e")


def test_json_is_the_run_with_what_programs_need(sanbo: Sanbo) -> None:
    run = sanbo("research", QUESTION, "--collection", "出張規程", "--json").json
    result = run["result"]
    wanted = {"report_md", "citations", "cycles", "stop_reason", "queries", "partial"}
    assert wanted <= set(result)
    assert result["citations"][0]["document"] == "出張の手引き.md"
    assert result["citations"][0]["verified"]


def test_the_report_is_written_to_a_file_and_never_over_one(sanbo: Sanbo, tmp_path: Path) -> None:
    target = tmp_path / "報告.md"
    done = sanbo("research", QUESTION, "-o", str(target))
    assert (done.code, done.out) == (0, "")
    assert target.read_text("utf-8").startswith(f"# {QUESTION}\n")
    again = sanbo("research", QUESTION, "-o", str(target))
    assert again.code == 1
    assert "上書きはしません" in again.err
    assert "検索 1回目" not in again.err, "nobody waits for what can't be had"
    nowhere = sanbo("research", QUESTION, "-o", str(tmp_path / "ない" / "報告.md"))
    assert nowhere.code == 1
    assert sanbo("research", QUESTION, "-o", "-", "--json").code == 2


def test_a_session_goes_on_in_its_collection(sanbo: Sanbo) -> None:
    session = _session(sanbo("research", QUESTION).err)
    again = sanbo("research", QUESTION, "--session", session, "--json")
    assert again.json["conversation_id"] == session
    notes = sanbo("research", "notes", "--session", session, "--json").json
    assert len({note["run_id"] for note in notes}) == 2
    assert {note["node_name"] for note in notes} == {"retrieve", "decide", "answer"}


def test_the_notes_of_a_session_are_shown_and_deleted(sanbo: Sanbo) -> None:
    session = _session(sanbo("research", QUESTION).err)
    shown = sanbo("research", "notes", "--session", session)
    assert shown.code == 0
    for told in (
        "検索 1回目",
        f"検索：「{QUESTION}」",
        "箇所：出張の手引き.md",
        "関連度",
        "理由：",
    ):
        assert told in shown.out
    assert f"--session {session} --delete" in shown.err
    refused = sanbo("research", "notes", "--session", session, "--delete")
    assert refused.code == 2
    assert "--yes" in refused.err
    deleted = sanbo("research", "notes", "--session", session, "--delete", "--yes")
    assert deleted.code == 0
    assert session in deleted.err
    empty = sanbo("research", "notes", "--session", session)
    assert (empty.code, empty.out) == (0, "")
    assert "記録はありません" in empty.err
    assert sanbo("research", "notes", "--session", session, "--json").json == []


def test_what_the_collection_does_not_answer_is_said(sanbo: Sanbo) -> None:
    shown = sanbo("research", "社員食堂のカレーの値段を教えてください")
    assert shown.code == 0
    assert "見つかりませんでした" in shown.err
    assert "見つかりませんでした" in shown.out


def test_the_word_notes_is_a_question_after_two_dashes_only(sanbo: Sanbo) -> None:
    assert sanbo("research", "--", "notes").out.startswith("# notes\n")
    mistaken = sanbo("research", "--json", "notes", "--session", "conv_1")
    assert mistaken.code == 2
    assert "オプションより前" in mistaken.err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["  "], 2, "質問を指定してください"),
        (["宿泊費の", "上限"], 2, "引用符"),
        ([QUESTION, "-c", "出張規定"], 1, "「出張規程」ではありませんか"),
        ([QUESTION, "-c", "出張規程", "--session", "conv_0"], 1, "セッション conv_0"),
        ([QUESTION, "--session", "../x"], 1, "セッション ../x"),
        (["。。？！"], 1, "質問が入力されていません"),
        (["notes"], 2, "--session"),
        (["notes", "--session", "conv_0"], 1, "セッション conv_0"),
        (["notes", "--session", "conv_0", "--delete", "--yes"], 1, "セッション conv_0"),
    ],
)
def test_what_can_not_be_done_is_told(
    sanbo: Sanbo, arguments: list[str], code: int, told: str
) -> None:
    done = sanbo("research", *arguments)
    assert (done.code, done.out) == (code, "")
    assert told in done.err


def test_help_names_question_options_and_the_command_below_in_both_languages(sanbo: Sanbo) -> None:
    shown = sanbo("research", "--help").out
    assert "sanbo research QUESTION" in shown
    assert "コマンド …" not in shown
    assert "notes" in shown
    assert "The collection to look in" in sanbo("--lang", "en", "research", "-h").out
    assert "Delete all notes" in sanbo("--lang", "en", "research", "notes", "-h").out
    assert sanbo("research").code == 2


def test_it_speaks_english_too(sanbo: Sanbo) -> None:
    shown = sanbo("--lang", "en", "research", QUESTION)
    assert "## Summary" in shown.out
    assert "Decision:" in shown.err
    assert "To see how it was found" in shown.err


def test_without_a_collection_is_told_how_to_make_one_and_several_are_named(
    sanbo: Sanbo, tmp_path: Path
) -> None:
    workspace = tmp_path / "別の場所"
    elsewhere = ["--workspace", str(workspace)]
    none = sanbo(*elsewhere, "research", QUESTION)
    assert none.code == 1
    assert "sanbo index" in none.err
    path = tmp_path / "規程.md"
    path.write_text(RULES, "utf-8")
    with open_collections(load_settings(workspace, {})) as collections:
        for name in ("就業規則", "旅費"):
            list(collections.index_paths(name, [path]))
        document = collections.documents("旅費")[0].document_id
        collections.remove("旅費", document)
    several = sanbo(*elsewhere, "research", QUESTION)
    assert several.code == 1
    assert "就業規則、旅費" in several.err
    emptied = sanbo(*elsewhere, "research", QUESTION, "-c", "旅費")
    assert emptied.code == 0
    assert "見つかりませんでした" in emptied.out


def test_on_a_terminal_the_report_is_laid_out(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = StringIO()
    screen = Console(file=written, force_terminal=True, width=100, color_system=None)
    monkeypatch.setattr("sanbo.cli.run_view.out", lambda: screen)
    monkeypatch.setattr("sanbo.cli.progress.err", lambda: screen)
    assert sanbo("research", QUESTION).code == 0
    assert "## " not in written.getvalue()
    assert "12,000円を上限とします。[1]" in written.getvalue()
    monkeypatch.setenv("SANBO_RESEARCH__REPORT_STYLE", "text")
    assert sanbo("research", QUESTION).code == 0
    assert "■■ " in written.getvalue(), "plain text stays as it is"


def test_a_report_is_shown_while_it_is_written_as_much_as_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = StringIO()
    screen = Console(file=written, force_terminal=True, width=60, height=12, color_system=None)
    monkeypatch.setattr("sanbo.cli.progress.err", lambda: screen)
    progress = Watch()
    lines = "\n\n".join(f"第{number}条の内容です。" for number in range(1, 30))
    for text in ("前に言われたこと", f"## 要約\n\n{lines}\n\n最後の行です。[1]"):
        part = Text(id="writing/answer", markdown=text, is_growing=True)
        progress.show(
            PartsUpdate(run_id="r", seq=1, status=Status.RUNNING, ids=(part.id,), parts=(part,))
        )
    screen.print(progress._at_work())
    shown = written.getvalue()
    assert "最後の行です。[1]" in shown
    assert "前に言われたこと" not in shown
    assert "第1条の" not in shown, "only as much as the screen has room for"
    assert len(shown.splitlines()) < 12
