"""An analysis as people see it, at every moment."""

from pathlib import Path
from typing import Any

from sanbo.runs.model import JsonObject, Run, Status
from sanbo.runs.parts import Facts, Figure, Progress, Table, Text, Trouble
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.presenting import Presented, ids, one, words
from tests.unit.agents.analysis.conversation import (
    ANALYSIS,
    SALES,
    ask,
    give,
    on_bench,
    settings_of,
)


def _presented(workspace: Path, question: str, data: bytes = SALES, **given: Any) -> Presented:
    async def work(bench: Workbench) -> Presented:
        run: Run = await ask(bench, question, await give(bench, data), **given)
        return Presented(ANALYSIS, await bench.events(LOCAL, run.run_id))

    return on_bench(settings_of(workspace), work)


def test_the_reading_and_the_answer_come_first_then_its_table_with_digits_and_its_file(
    tmp_path: Path,
) -> None:
    shown = _presented(tmp_path, "店舗別の売上合計と構成比を多い順に")
    parts = shown.end()
    assert ids(parts)[:2] == ["reading", "answer"]
    read = {fact.label: fact.value for fact in one(parts, Facts).items}
    assert (read["何を"], read["何ごとに"]) == ("売上の合計", "店舗")
    table = one(parts, Table)
    assert table.file is not None
    assert table.file.name.endswith(".csv")
    kinds = {column.kind: column for column in table.columns}
    assert kinds["number"].decimals == 0
    assert table.total_rows == len(table.rows) == 3
    report = one(parts, Text, "report")
    assert report.is_aside
    assert report.document is not None
    running = one(shown.at(Status.RUNNING), Progress)
    assert [step.status for step in running.steps][:1] == ["succeeded"]
    assert words(running) != words(one(shown.at(Status.RUNNING, "en"), Progress))


def test_a_chart_is_its_picture_with_words_for_it(tmp_path: Path) -> None:
    parts = _presented(tmp_path, "月別の売上推移を折れ線で").end()
    figure = one(parts, Figure)
    assert figure.picture.media_type == "image/png"
    assert figure.picture.made_of  # drawn when somebody asks for the file
    assert figure.description


def test_what_is_unclear_is_asked_and_suggested(tmp_path: Path) -> None:
    parts = _presented(tmp_path, "天気はどうなりますか").end()
    assert one(parts, Text, "answer").markdown
    assert not [part for part in parts if isinstance(part, Table | Trouble)]
    suggested = one(parts, Text, "suggestions")
    assert suggested.is_aside  # the answer itself names them
    assert suggested.markdown in one(parts, Text, "answer").markdown


def test_readings_to_choose_from_stand_apart_from_the_question(tmp_path: Path) -> None:
    parts = _presented(tmp_path, "店舗別の売上合計をフヌケで").end()
    asked = one(parts, Text, "answer").markdown
    assert asked.endswith("次の意味でよろしいですか。よろしければ「1」とお答えください。")
    assert one(parts, Text, "readings").markdown.startswith("1. 売上の合計")


def test_how_the_table_was_made_ready_is_a_part_and_in_the_report(tmp_path: Path) -> None:
    messy = "店舗,売上\n新宿店,10\n新宿店 ,20\n大阪店,5\n合計,35\n".encode()
    parts = _presented(tmp_path, "店舗別の売上合計を多い順に", messy).end()
    ready = one(parts, Text, "preparations")
    assert ready.title == "表の整え方"
    assert ready.markdown.count("\n- ") == 1  # two lines: the total, and the blank
    assert one(parts, Table).rows == (("新宿店", 30), ("大阪店", 5))
    assert "## 表の整え方" in one(parts, Text, "report").markdown

    # Not 売上合計: 合計 is a value of the column now, and the question would be asked back.
    as_written = _presented(tmp_path, "店舗別の平均売上", messy, as_written=["totals"]).end()
    assert ("合計", 35) in one(as_written, Table).rows
    assert "指定どおり" in one(as_written, Text, "preparations").markdown

    assert "preparations" not in ids(_presented(tmp_path, "店舗別の売上合計").end())


def test_steps_on_the_way_stand_aside(tmp_path: Path) -> None:
    metrics = {"metrics": {"売上": ["sum"]}}
    month = {"op": "resample", "date_col": "日付", "unit": "month", **metrics}
    mean = {"op": "groupby_agg", "input": "r1", "metrics": {"売上_sum": ["mean"]}}
    line = {"kind": "line", "input": "r1", "x": "日付", "y": "売上_sum"}
    parts = _presented(tmp_path, "月平均", specs=[month, mean]).end()
    tables = [part for part in parts if isinstance(part, Table)]
    assert [(table.id, table.is_aside) for table in tables] == [
        ("table/1", False),
        ("behind/1", True),
    ]
    assert tables[1].total_rows == 12
    # What a chart draws is the answer itself.
    drawn = _presented(tmp_path, "推移", specs=[month, line]).end()
    assert one(drawn, Table, "table/1").total_rows == 12


def test_a_failure_says_why(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Presented:
        file = await give(bench, b"\x00\x01", "broken.parquet")
        given: JsonObject = {"question": "合計", "file": file.model_dump(mode="json")}
        run = await bench.start(LOCAL, "analysis", given)
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.FAILED
        return Presented(ANALYSIS, await bench.events(LOCAL, run.run_id))

    shown = on_bench(settings_of(tmp_path), work)
    assert one(shown.end(), Trouble).problem.hint != one(shown.end("en"), Trouble).problem.hint
