"""Asking a table at the command line."""

import json
import os
from pathlib import Path

import pytest

from sanbo.service import catalog
from tests.unit.agents.analysis.conversation import ANALYSIS, SALES
from tests.unit.cli.conftest import Sanbo
from tests.workflows import WORKFLOWS

QUESTION = "店舗別の売上合計を多い順に"


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


def test_an_export_is_written_and_replays_to_the_same_numbers(
    sanbo: Sanbo, table: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "報告"
    answer = sanbo("analyze", str(table), "月別の売上推移を折れ線で", "--export", str(folder))
    assert answer.code == 0
    names = {path.suffix for path in folder.iterdir()}
    assert names == {".md", ".csv", ".png", ".svg", ".json"}
    report = (folder / "report.md").read_text("utf-8")
    for heading in ("結論", "根拠", "再現要約"):
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
        "analyze", str(table), QUESTION, "--as-written", "totals", "--as-written", "notes",
        "--export", str(folder),
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
