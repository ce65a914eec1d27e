"""Asking a table at the command line."""

import json
import os
import re
from pathlib import Path

import pytest

from sanbo.cli import asking
from sanbo.cli.commands import analyze
from sanbo.service import catalog
from tests.unit.agents.analysis.conversation import ANALYSIS, SALES
from tests.unit.cli.conftest import Sanbo
from tests.workflows import WORKFLOWS

QUESTION = "店舗別の売上合計を多い順に"
UNCLEAR = "売上の変化"


@pytest.fixture(autouse=True)
def _with_analysis(monkeypatch: pytest.MonkeyPatch, _as_shipped: None) -> None:
    monkeypatch.setenv("SANBO_LLM__PROVIDER", "rules")
    monkeypatch.setattr(catalog, "WORKFLOWS", (*WORKFLOWS, ANALYSIS))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "売上 一覧.csv"
    path.write_bytes(SALES.decode().encode("cp932"))
    return path


def test_the_answer_comes_with_its_table_and_ways_to_go_on(sanbo: Sanbo, table: Path) -> None:
    answer = sanbo("analyze", str(table), QUESTION)
    assert answer.code == 0
    assert "オンライン" in answer.out
    assert "売上（合計）" in answer.out
    assert "--export" in answer.err
    assert "--thread conv_" in answer.err


def test_a_thread_goes_on_in_another_process(sanbo: Sanbo, table: Path) -> None:
    first = sanbo("analyze", str(table), QUESTION, "--json").json
    thread = first["conversation_id"]
    second = sanbo("analyze", str(table), "円グラフにして", "--thread", thread, "--json").json
    assert second["conversation_id"] == thread
    assert "pie" in [spec.get("kind") for spec in second["result"]["specs"]]


def test_the_reading_is_one_line_before_the_answer(sanbo: Sanbo, table: Path) -> None:
    answer = sanbo("analyze", str(table), f"{QUESTION}。大阪店は除く")
    [line] = [line for line in answer.out.splitlines() if "質問の読み方" in line]
    for chip in (
        "何を（売上の合計）",
        "何ごとに（店舗）",
        "条件（大阪店を除く（店舗））",
        "並び（多い順）",
    ):
        assert chip in line
    assert answer.out.index(line) < answer.out.index("上から順に")


def test_specs_say_how_the_question_is_read(sanbo: Sanbo, table: Path, tmp_path: Path) -> None:
    spec = {"op": "groupby_agg", "group_cols": ["カテゴリ"], "metrics": {"売上": ["max"]}}
    file = tmp_path / "読み方.json"
    file.write_text(json.dumps([spec]), "utf-8")
    for given in (json.dumps(spec), str(file)):
        done = sanbo("analyze", str(table), "最大は？", "--spec", given, "--json").json
        assert [each["op"] for each in done["result"]["specs"]] == ["groupby_agg"]
        assert done["result"]["tables"][0]["columns"] == ["カテゴリ", "売上_max"]
    # What --json gives can be given back.
    back = json.dumps(done["result"]["specs"])
    assert sanbo("analyze", str(table), "もう一度", "--spec", back).code == 0
    assert "drop" in sanbo("analyze", str(table), "?", "--spec", '{"op": "drop"}').err
    assert sanbo("analyze", str(table), "?", "--spec", "{").code == 2
    assert sanbo("analyze", str(table), "--spec", "{}").code == 2
    assert "見つかりません" in sanbo("analyze", str(table), "?", "--spec", "ない.json").err


def test_readings_are_listed_with_the_command_to_go_on(sanbo: Sanbo, table: Path) -> None:
    asked = sanbo("analyze", str(table), UNCLEAR)
    assert asked.code == 0
    assert "1 売上の合計・日付の月ごと" in asked.out
    assert "→ 前の行との増減" in asked.out
    [thread] = re.findall(r"番号 --thread (conv_\w+)", asked.err)
    chosen = sanbo("analyze", str(table), "2", "--thread", thread, "--json").json
    assert chosen["result"]["kind"] == "report"


def test_at_a_terminal_a_reading_is_chosen_by_its_number(
    sanbo: Sanbo, table: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed = ["9", "2"]  # the first is none of them, and asked for again

    def read(*_: object) -> str:
        return typed.pop(0)

    monkeypatch.setattr(asking, "_read", read)
    monkeypatch.setattr(analyze, "can_ask", lambda: True)
    folder = tmp_path / "報告"
    done = sanbo("analyze", str(table), UNCLEAR, "--export", str(folder))
    assert done.code == 0, done.err
    assert typed == []
    assert "増減" in done.out
    assert UNCLEAR in (folder / "report.md").read_text("utf-8")
    typed.append("")  # only Enter: nothing is chosen
    left = sanbo("analyze", str(table), UNCLEAR)
    assert left.code == 0
    assert "番号 --thread conv_" in left.err


def test_an_export_is_written_and_replays_to_the_same_numbers(
    sanbo: Sanbo, table: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "報告"
    answer = sanbo("analyze", str(table), QUESTION, "--export", str(folder))
    assert answer.code == 0
    names = {path.suffix for path in folder.iterdir()}
    assert names == {".md", ".csv", ".png", ".svg", ".json"}
    report = (folder / "report.md").read_text("utf-8")
    for heading in ("結論", "根拠", "再現のしかた"):
        assert f"## {heading}" in report
    again = sanbo("analyze", str(table), "--replay", str(folder / "specs.json"))
    assert again.code == 0
    assert "同じ数値" in again.err

    recipe = json.loads((folder / "specs.json").read_text("utf-8"))
    recipe["steps"][0]["tables"][0]["rows"][0][1] += 1
    (folder / "specs.json").write_text(json.dumps(recipe), "utf-8")
    differs = sanbo("analyze", str(table), "--replay", str(folder / "specs.json"))
    assert differs.code == 1
    assert "違うところが1か所" in differs.err


def test_what_was_done_to_the_table_is_said_and_can_be_left(sanbo: Sanbo, tmp_path: Path) -> None:
    table = tmp_path / "売上.csv"
    table.write_text("店舗,売上\n新宿店,10\n大阪店,5\n合計,15\n", "utf-8")
    ready = sanbo("analyze", str(table), QUESTION)
    assert "表の整え方" in ready.out
    assert "合計・小計などの行を1行除きました" in ready.out
    folder = tmp_path / "報告"
    left = sanbo(
        "analyze", str(table), "店舗別の平均売上", "--as-written", "totals",
        "--as-written", "notes", "--export", str(folder),
    )  # fmt: skip
    assert "指定どおり" in left.out
    again = sanbo("analyze", str(table), "--replay", str(folder / "specs.json"))
    assert again.code == 0  # the recipe says what was left as it is written
    refused = sanbo("analyze", str(table), QUESTION, "--as-written", "everything")
    assert refused.code != 0
    assert "そのまま読む項目" in refused.err


def test_an_export_never_writes_over_what_is_there(sanbo: Sanbo, table: Path) -> None:
    refused = sanbo("analyze", str(table), QUESTION, "--export", str(table.parent))
    assert refused.code == 1
    assert "空のフォルダーではありません" in refused.err


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("空.csv", b"", "空"),
        ("報告.pdf", b"%PDF-1.7 ...", "表のファイルではありません"),
        ("壊れた.parquet", b"PAR1xxxx", "Parquet"),
    ],
)
def test_a_file_that_is_no_table_is_a_problem_with_a_hint(
    sanbo: Sanbo, tmp_path: Path, name: str, data: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(data)
    refused = sanbo("analyze", str(tmp_path / name), QUESTION)
    assert refused.code == 1
    assert told in refused.err


def test_what_is_missing_or_does_not_go_together_is_said(sanbo: Sanbo, table: Path) -> None:
    assert sanbo("analyze", str(table)).code == 2
    assert sanbo("analyze", str(table), QUESTION, "--replay", "x.json").code == 2
    assert "見つかりません" in sanbo("analyze", "ない.csv", QUESTION).err


def test_without_an_export_no_file_is_made_anywhere(
    sanbo: Sanbo, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: Path
) -> None:
    places = {name: tmp_path / name.lower() for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    for name, place in places.items():
        place.mkdir()
        monkeypatch.setenv(name, str(place))
    monkeypatch.chdir(tmp_path)
    sanbo("analyze", str(table), QUESTION)  # the workspace and its journal are made here
    before = _files(tmp_path)
    for question in ("月別の売上推移を折れ線で", "カテゴリ別の構成比", "売上のヒストグラム"):
        assert sanbo("analyze", str(table), question).code == 0
    assert _files(tmp_path) == before
    assert not (workspace / "blobs").exists()


def _files(folder: Path) -> set[str]:
    """Names of all files below; SQLite's own companions come and go."""
    found = {
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, names in os.walk(folder)
        for name in names
    }
    return {name for name in found if not name.endswith(("-wal", "-shm"))}
