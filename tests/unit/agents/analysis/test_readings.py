"""How a question was read, read aloud: chips, readings to choose from, and specs of one's own."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sanbo.agents.analysis.spec.chips import chips_of, reading_text
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from tests.unit.agents.analysis.conversation import (
    SALES,
    AnotherAnalysis,
    ask,
    give,
    on_bench,
    result_of,
    rows_of,
    settings_of,
)

STORES: dict[str, Any] = {
    "op": "groupby_agg",
    "group_cols": ["店舗"],
    "metrics": {"売上": ["sum"]},
    "filters": [{"col": "店舗", "op": "!=", "value": "大阪店"}],
}
BAR: dict[str, Any] = {
    "kind": "bar", "x": "店舗", "y": "売上", "agg": "sum", "filters": STORES["filters"],
}  # fmt: skip
MEAN: dict[str, Any] = {"op": "groupby_agg", "input": "r1", "metrics": {"売上_sum": ["mean"]}}
UNCLEAR = "売上の変化"


def _done(tmp_path: Path, work: Callable[[Workbench], Awaitable[Any]]) -> Any:
    return on_bench(settings_of(tmp_path), work)


# ---- in words ----


@pytest.mark.parametrize(
    ("specs", "japanese", "english"),
    [
        (
            [STORES],
            "売上の合計・店舗ごと・大阪店を除く（店舗）",
            "total of 売上, by 店舗, excluding 大阪店 (店舗)",
        ),
        # A chart beside its table says the same: it is only named.
        (
            [STORES, BAR],
            "売上の合計・店舗ごと・大阪店を除く（店舗）・棒グラフ",
            "total of 売上, by 店舗, excluding 大阪店 (店舗), bar chart",
        ),
        # What is made from a result stands behind an arrow, and no name that only specs know.
        (
            [STORES, MEAN],
            "売上の合計・店舗ごと・大阪店を除く（店舗） → 売上の合計の平均",
            "total of 売上, by 店舗, excluding 大阪店 (店舗) → average of total of 売上",
        ),
    ],
)
def test_a_reading_is_one_line(specs: list[dict[str, Any]], japanese: str, english: str) -> None:
    read = [read_spec(spec) for spec in specs]
    assert reading_text(read, "ja") == japanese
    assert reading_text(read, "en") == english


LAG: dict[str, Any] = {"op": "lag", "input": "r1", "column": "売上_sum", "order_by": "日付"}
FIRST: dict[str, Any] = {"op": "top_rows", "n": 100_000}
SHARES: dict[str, Any] = {"op": "share_ratio", "group_col": "店舗", "value_col": "売上"}
MONTHS: dict[str, Any] = {
    "op": "resample", "date_col": "日付", "unit": "month", "metrics": {"売上": ["sum"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        ([MONTHS, {**LAG, "periods": 12}], "売上の合計の増減（12期間前と比べて）"),
        ([MONTHS, LAG, {**FIRST, "input": "r2", "by": ["売上_sum_rate"]}], "増減率の大きい順"),
        ([SHARES, {**FIRST, "input": "r1", "by": ["share"]}], "構成比の大きい順・すべて"),
        ([{**MONTHS, "date_col": "月"}], "売上の合計・月ごと"),
    ],
)
def test_a_reading_has_no_names_of_the_program_in_it(
    specs: list[dict[str, Any]], said: str
) -> None:
    text = reading_text([read_spec(spec) for spec in specs], "ja")
    assert said in text
    assert "_" not in text


def test_a_chip_names_its_step_and_the_field_that_it_speaks_of() -> None:
    chips = chips_of([read_spec(STORES), read_spec(MEAN)], "ja")
    assert [(chip.label, chip.text, chip.step, chip.path) for chip in chips] == [
        ("何を", "売上の合計", 0, ("/metrics/売上",)),
        ("何ごとに", "店舗", 0, ("/group_cols/0",)),
        ("条件", "大阪店を除く（店舗）", 0, ("/filters/0",)),
        ("何を", "売上の合計の平均", 1, ("/metrics/売上_sum",)),
    ]


# ---- in a conversation ----


def test_an_answer_begins_with_how_the_question_was_read(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        return await ask(bench, "店舗別の売上合計。大阪店は除く", await give(bench))

    result = result_of(_done(tmp_path, work))
    said = {(chip["label"], chip["text"]) for chip in result["reading"]}
    assert {
        ("何を", "売上の合計"),
        ("何ごとに", "店舗"),
        ("条件", "大阪店を除く（店舗）"),
    } <= said
    assert result["unread"] == result["readings"] == []


def test_an_unread_word_is_named_and_nothing_is_answered_at_once(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        return await ask(bench, "店舗別の売上合計をフヌケで", await give(bench))

    result = result_of(_done(tmp_path, work))
    assert result["kind"] == "question"
    assert result["tables"] == result["specs"] == []
    assert result["unread"] == ["フヌケ"]
    unread, columns, *_ = result["answer_md"].split("\n\n")  # paragraphs: each stands alone
    assert "「フヌケ」" in unread
    assert "店舗、カテゴリ" in columns
    for number, reading in enumerate(result["readings"], start=1):
        assert f"{number}. {reading['text']}" in result["answer_md"]
        assert "フヌケ" in reading["unread"]


def test_conditions_that_leave_no_row_are_not_offered_again(tmp_path: Path) -> None:
    table = "申請者,費目,金額\n田中,会議費,100\n鈴木,交通費,200\n田中,会議費,300\n".encode()

    async def work(bench: Workbench) -> Run:
        return await ask(bench, "田中の交通費はいくら", await give(bench, table))

    result = result_of(_done(tmp_path, work))
    assert "これだけなら2行" in result["answer_md"]
    assert result["readings"] == []


def test_an_offered_reading_is_chosen_by_its_number(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> tuple[Run, list[Run]]:
        first = await ask(bench, UNCLEAR, await give(bench))
        chosen = [await ask(bench, "２番です", after=first)]
        again = await ask(bench, UNCLEAR, after=chosen[0])
        return first, [*chosen, await ask(bench, "1", after=again)]

    first, chosen = _done(tmp_path, work)
    offered = result_of(first)["readings"]
    assert result_of(first)["kind"] == "question"
    assert len(offered) > 1
    for run, reading in zip(chosen, (offered[1], offered[0]), strict=True):
        result = result_of(run)
        assert result["kind"] == "report"
        assert _plain(result["specs"]) == _plain(reading["specs"])
        assert UNCLEAR in result["report_md"]  # the question, not the number


def test_a_number_that_no_reading_has_is_asked_again(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> list[Run]:
        first = await ask(bench, UNCLEAR, await give(bench))
        again = await ask(bench, "9", after=first)
        return [first, again, await ask(bench, "1", after=again)]

    first, again, chosen = map(result_of, _done(tmp_path, work))
    assert (again["kind"], again["readings"]) == ("question", first["readings"])
    assert "「9」に当たる候補はありません" in again["answer_md"]
    assert _plain(chosen["specs"]) == _plain(first["readings"][0]["specs"])


def _plain(specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the ids, which go on counting."""
    return [
        {name: value for name, value in spec.items() if name not in ("result_id", "input")}
        for spec in specs
    ]


def test_another_process_knows_what_was_offered(tmp_path: Path) -> None:
    """`sanbo analyze … --thread ID`: the conversation's own state was in memory."""

    async def here(bench: Workbench) -> Run:
        return await ask(bench, UNCLEAR, await give(bench))

    first = _done(tmp_path, here)

    async def elsewhere() -> Run:
        async with open_workbench(settings_of(tmp_path), (AnotherAnalysis(),)) as bench:
            return await ask(bench, "1", await give(bench), after=first)

    result = result_of(asyncio.run(elsewhere()))
    assert result["kind"] == "report"
    assert _plain(result["specs"]) == _plain(result_of(first)["readings"][0]["specs"])


# ---- specs of one's own ----


def test_specs_that_are_given_are_computed_as_they_are(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        return await ask(bench, "何でもよい", await give(bench), specs=[STORES, MEAN])

    run = _done(tmp_path, work)
    first, second = result_of(run)["tables"]
    assert [row[0] for row in first["rows"]] == ["オンライン", "新宿店"]
    assert second["rows"] == [[sum(row[1] for row in first["rows"]) / 2]]


def test_a_changed_chip_changes_the_answer_that_is_made_from_it(tmp_path: Path) -> None:
    """The specs of an answer come back with one changed: later steps stand on the new one."""

    async def work(bench: Workbench) -> tuple[Run, Run]:
        first = await ask(bench, "平均", await give(bench), specs=[STORES, MEAN])
        specs = result_of(first)["specs"]
        specs[0]["filters"] = []
        return first, await ask(bench, "平均", after=first, specs=specs)

    first, second = _done(tmp_path, work)
    everything = rows_of(second)
    assert [row[0] for row in everything] == ["オンライン", "大阪店", "新宿店"]
    assert rows_of(second, 1) == [[sum(row[1] for row in everything) / 3]]
    assert rows_of(second, 1) != rows_of(first, 1)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"op": "drop_table"}, "drop_table"),
        ({**STORES, "group_cols": "店舗; DROP"}, "group_cols"),
        ({**STORES, "code": "import os"}, "code"),
    ],
)
def test_specs_that_do_not_fit_are_refused_by_name(
    tmp_path: Path, spec: dict[str, Any], said: str
) -> None:
    async def work(bench: Workbench) -> Run:
        file = await give(bench, SALES)
        given: Any = {"question": "?", "file": file.model_dump(mode="json"), "specs": [spec]}
        run = await bench.start(LOCAL, "analysis", given)
        return await bench.wait(LOCAL, run.run_id)

    run = _done(tmp_path, work)
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert said in run.problem.message


def test_a_given_spec_that_can_not_be_computed_is_asked_about(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        nowhere = {**STORES, "group_cols": ["店補"]}
        return await ask(bench, "店舗別の売上合計", await give(bench), specs=[nowhere])

    result = result_of(_done(tmp_path, work))
    assert result["kind"] == "question"
    assert "店補" in result["answer_md"]
