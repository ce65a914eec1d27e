"""Comparing two documents at the command line."""

from collections.abc import Iterator
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from zipfile import ZipFile

import pytest
from rich.console import Console

from sanbo.agents.comparison.workflow import Comparison
from sanbo.service import catalog
from tests.unit.agents.comparison.comparing import NEW, OLD, Talker, decide, doubting
from tests.unit.cli.conftest import Sanbo
from tests.workflows import WORKFLOWS


@pytest.fixture(autouse=True)
def _with_comparison(monkeypatch: pytest.MonkeyPatch, _as_shipped: None) -> None:
    monkeypatch.setenv("SANBO_LLM__PROVIDER", "rules")
    monkeypatch.setattr(catalog, "WORKFLOWS", (*WORKFLOWS, Comparison()))


@pytest.fixture
def old(tmp_path: Path) -> str:
    path = tmp_path / "契約 旧.txt"
    path.write_bytes(OLD.encode("cp932"))
    return str(path)


@pytest.fixture
def new(tmp_path: Path) -> str:
    path = tmp_path / "契約 新.txt"
    path.write_text(NEW, "utf-8")
    return str(path)


def test_the_summary_comes_first_then_what_needs_attention(
    sanbo: Sanbo, old: str, new: str
) -> None:
    shown = sanbo("compare", old, new)
    assert shown.code == 0
    assert "変更3件" in shown.out
    assert shown.out.index("[-30万円-]{+33万円+}") > shown.out.index("変更3件")
    assert "金額・数量" in shown.out
    assert not any(line.endswith(" ") for line in shown.out.splitlines())
    assert "--format docx" in shown.err


def test_nothing_is_shown_as_markdown_or_by_an_inner_number(
    sanbo: Sanbo, new: str, tmp_path: Path
) -> None:
    named = tmp_path / "old_draft_1.txt"
    named.write_text(OLD, "utf-8")
    shown = sanbo("compare", str(named), new).out
    assert "「old_draft_1.txt」" in shown
    assert "**" not in shown
    assert "\\" not in shown
    assert "A2" not in shown
    first = shown.splitlines()[0]
    assert "変更3件" in first, "a paragraph is one line, however long"


def test_the_words_of_a_document_act_on_no_terminal(sanbo: Sanbo, tmp_path: Path) -> None:
    for name, price in (("旧", "100円"), ("新", "200円")):
        text = f"\x1b]0;taken\x07\x1b[2J [bold]料金[/bold] \u202e{price} <b>**です**</b>"
        (tmp_path / f"{name}.txt").write_text(f"{text}\n\n{'同じ段落です。' * 40}", "utf-8")
    shown = sanbo("compare", str(tmp_path / "旧.txt"), str(tmp_path / "新.txt"))
    assert "[bold]料金[/bold]" in shown.out
    assert "200円" in shown.out
    assert not set(shown.out + shown.err) & set("\x1b\x07\u202e")


def test_on_a_terminal_words_are_coloured(
    sanbo: Sanbo, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = StringIO()
    screen = Console(file=written, force_terminal=True, width=100, color_system="standard")
    monkeypatch.setattr("sanbo.cli.run_view.out", lambda: screen)
    monkeypatch.setattr("sanbo.cli.progress.err", lambda: screen)
    assert sanbo("compare", old, new).code == 0
    assert "**" not in written.getvalue(), "not even while the files are being written"
    assert "\x1b[9;31m30万円" in written.getvalue()
    assert "\x1b[32m33万円" in written.getvalue()
    assert "[-" not in written.getvalue()


def test_it_speaks_english_too(sanbo: Sanbo, old: str, new: str) -> None:
    shown = sanbo("--lang", "en", "compare", old, new)
    assert "Differences: 3" in shown.out
    assert "Changed" in shown.out


def test_the_same_file_twice_has_no_difference(sanbo: Sanbo, old: str) -> None:
    shown = sanbo("compare", old, old)
    assert shown.code == 0
    assert "違いはありません" in shown.out
    assert "■" not in shown.out


def test_text_formats_go_to_standard_output(sanbo: Sanbo, old: str, new: str) -> None:
    assert sanbo("compare", old, new, "--format", "markdown").out.startswith("# ")
    assert "<html" in sanbo("compare", old, new, "--format", "html").out
    result = sanbo("compare", old, new, "--format", "json").json
    assert {"changes", "summary", "table_md"} <= set(result)
    change = next(each for each in result["changes"] if each["kind"] == "changed")
    assert {"old", "new", "old_text", "new_text", "diff", "flags", "explanation"} <= set(change)


def test_a_file_is_written_in_the_format_of_its_ending(
    sanbo: Sanbo, old: str, new: str, tmp_path: Path
) -> None:
    target = tmp_path / "対照表.xlsx"
    done = sanbo("compare", old, new, "-o", str(target), "--json")
    assert done.code == 0
    assert done.json["status"] == "succeeded"
    assert "xl/workbook.xml" in ZipFile(target).namelist()
    again = sanbo("compare", old, new, "-o", str(target))
    assert again.code == 1
    assert "上書きはしません" in again.err


def test_a_word_table_is_written_here_and_numbered(
    sanbo: Sanbo, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ここ"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for _ in range(2):
        assert sanbo("compare", old, new, "--format", "docx").code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "新旧対照表 (2).docx",
        "新旧対照表.docx",
    ]


def test_one_side_may_come_from_standard_input(
    sanbo: Sanbo, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(NEW.encode()), "utf-8"))
    shown = sanbo("compare", old, "-", "--json").json
    assert shown["result"]["pairs"][0]["new"]["name"] == "標準入力"
    assert shown["result"]["summary"]["counts"]["changed"] == 3
    assert sanbo("compare", "-", "-").code == 2


def test_folders_are_compared_file_by_file(sanbo: Sanbo, tmp_path: Path) -> None:
    for side, text in (("旧", OLD), ("新", NEW)):
        (tmp_path / side / "別紙").mkdir(parents=True)
        (tmp_path / side / "契約.txt").write_text(text, "utf-8")
        (tmp_path / side / "別紙" / "覚書.txt").write_text("覚書の内容は同じです。", "utf-8")
        (tmp_path / side / ".隠し").write_text("?", "utf-8")
    run = sanbo("compare", str(tmp_path / "旧"), str(tmp_path / "新"), "--json").json
    outcomes = {pair["old"]["name"]: pair["outcome"] for pair in run["result"]["pairs"]}
    assert outcomes == {"契約.txt": "related", "別紙/覚書.txt": "identical"}
    shown = sanbo("compare", str(tmp_path / "旧"), str(tmp_path / "新"))
    assert "■ 変更  契約.txt" in shown.out
    (tmp_path / "空").mkdir()
    empty = sanbo("compare", str(tmp_path / "空"), str(tmp_path / "新"))
    assert empty.code == 1
    assert "旧文書のフォルダー" in empty.err


def test_documents_of_a_collection_are_compared_by_name(sanbo: Sanbo, old: str, new: str) -> None:
    assert sanbo("index", old, new, "--collection", "契約").code == 0
    shown = sanbo("compare", "契約 旧.txt", "契約 新.txt", "--collection", "契約")
    assert shown.code == 0
    assert "変更3件" in shown.out
    mixed = sanbo("compare", "契約 旧.txt", new, "--collection", "契約")
    assert "変更3件" in mixed.out
    unknown = sanbo("compare", "ない.txt", new, "--collection", "契約")
    assert unknown.code == 1
    assert "ない.txt" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["どこにもない.txt"], 1, "どこにもない.txt"),
        (["{old}", "-o", "結果.pdf"], 2, ".docx"),
        (["{old}", "-o", "ないフォルダー/結果.md"], 1, "ないフォルダー"),
        (["{old}", "-o", "/proc/結果.md"], 1, "/proc"),
        (["{old}", "--format", "markdown", "--json"], 2, "-o"),
        (["{old}", "--format", "pdf"], 2, "--format"),
        (["{old}", "--id-column", "番号"], 1, "表"),
    ],
    ids=["no file", "ending", "folder", "no writing there", "both on stdout", "format", "no table"],
)
def test_what_can_not_be_done_is_told(
    sanbo: Sanbo, old: str, arguments: list[str], code: int, told: str
) -> None:
    done = sanbo("compare", old, *(argument.format(old=old) for argument in arguments))
    assert done.code == code
    assert told in done.err
    assert "結果をまとめる" not in done.err, "nobody waits for what can't be had"


def test_a_failed_comparison_is_a_run_with_its_problem(
    sanbo: Sanbo, old: str, tmp_path: Path
) -> None:
    empty = tmp_path / "空.txt"
    empty.write_bytes(b"")
    failed = sanbo("compare", old, str(empty), "--json")
    assert failed.code == 1
    assert failed.json["problem"]["code"] == "UNSUPPORTED_FORMAT"
    assert "新文書「空.txt」" in failed.err


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Talker]:
    with Talker() as script:
        for name, value in script.environment().items():
            monkeypatch.setenv(name, value)
        yield script


def test_progress_is_told_by_paragraph_and_a_decision_by_the_model_is_shown(
    sanbo: Sanbo, old: str, new: str, model: Talker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sanbo.agents.comparison.alignment.align.align", doubting(1, 3))
    model.replies(decide("B2"), decide("B77"), decide("B77"))
    shown = sanbo("compare", old, new)
    assert shown.code == 0
    assert "✓ 対応がはっきりしない段落の確認  2/2" in shown.err
    assert "次の段落を選ぶ" not in shown.err
    assert "内容が変わりました。" in shown.out
    assert "B77" in shown.out  # the row says why the model's answer was not taken


def test_a_run_is_exported_as_any_report_and_never_over_a_file(
    sanbo: Sanbo, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = sanbo("compare", old, new).err.split("実行 ")[1].split(" ")[0]
    for ending, begins in {"docx": b"PK", "xlsx": b"PK", "html": b"<!doctype", "md": b"#"}.items():
        target = tmp_path / f"報告.{ending}"
        assert sanbo("runs", "export", run, "-o", str(target)).code == 0
        assert target.read_bytes().startswith(begins)
        assert sanbo("runs", "export", run, "-o", str(target)).code == 1
    for _ in range(2):
        assert sanbo("runs", "export", run, "--format", "md").code == 0
    named = "文書の比較_契約_旧_txt_契約_新_txt"
    assert (tmp_path / f"{named}.md").exists()
    assert (tmp_path / f"{named} (2).md").exists()
    assert sanbo("runs", "export", run, "-o", "報告.pdf").code == 2
