"""What the analysis page writes: cells, columns, headings, and nothing twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.analysis.outcome import JsonCell
from sanbo.agents.analysis.results import AnalysisResult, AnswerTable
from sanbo.kernel.messages import use_language
from sanbo.service.analysis import ColumnPreview
from sanbo.ui.analysis.answers import (
    distinct_names,
    frame_of,
    headings,
    shown_frame,
    steps_between,
    without_list,
)
from sanbo.ui.analysis.table_view import column_line, missing

CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)
)


def _column(**changed: object) -> ColumnPreview:
    given_: dict[str, object] = {
        "name": "売上",
        "type": "currency",
        "unit": "円",
        "missing": 0,
        "distinct": 3,
        "examples": (),
    }
    return ColumnPreview.model_validate({**given_, **changed})


def _result(*specs: dict[str, str]) -> AnalysisResult:
    return AnalysisResult.model_validate(
        {
            "kind": "report",
            "answer_md": "",
            "report_md": "",
            "specs": list(specs),
            "tables": [],
            "figures": [],
            "assumptions": [],
            "suggestions": [],
        }
    )


@given(st.lists(st.text(max_size=5), max_size=12))
def test_columns_of_one_name_are_told_apart_and_stay_in_order(names: list[str]) -> None:
    headings_ = distinct_names(names)
    assert len(set(headings_)) == len(headings_) == len(names)
    assert all(heading.startswith(name) for heading, name in zip(headings_, names, strict=True))


@given(st.lists(CELLS, max_size=8))
def test_whatever_stands_in_a_column_becomes_a_frame_of_as_many_rows(cells: list[JsonCell]) -> None:
    frame = frame_of(["値"], [[cell] for cell in cells])
    assert len(frame) == len(cells)


def test_numbers_stay_numbers_so_that_the_grid_sorts_them() -> None:
    frame = frame_of(["件数", "平均", "混在"], [[2, 1.5, "a"], [None, 2, 3], [10, None, True]])
    assert [str(kind) for kind in frame.dtypes] == ["Int64", "float64", "object"]
    assert list(frame["混在"]) == ["a", "3", "はい"]


def test_numbers_are_shown_with_separators_and_shares_as_percent() -> None:
    rows: list[list[JsonCell]] = [["新宿店", 5652890, 0.25], ["渋谷店", None, 0.125]]
    html = shown_frame(["店舗", "売上", "構成比"], rows, ["text", "integer", "share"]).to_html()
    for text in ("5,652,890", "25.0%", "12.5%", "新宿店"):
        assert f">{text}<" in html
    assert "NA" not in html


def test_a_number_too_long_for_the_grid_is_shown_in_full() -> None:
    assert list(frame_of(["番号"], [[10**30]])["番号"]) == [str(10**30)]


@pytest.mark.parametrize(
    ("count", "rows", "shown"),
    [
        (0, 100, "0"),
        (12, 100, "12（12.0%）"),
        (1, 1_000_000, "1（<0.1%）"),
        (999_999, 1_000_000, "999,999（>99.9%）"),
        (5, 5, "5（100.0%）"),
        (0, 0, "0"),
    ],
)
def test_missing_cells_are_counted_and_never_rounded_away(
    count: int, rows: int, shown: str
) -> None:
    with use_language("ja"):
        assert missing(count, rows) == shown


def test_a_column_is_described_in_words_of_the_reader() -> None:
    amount = _column(minimum=1200, maximum=98000.5, missing=3)
    with use_language("ja"):
        assert column_line(amount, 30) == [
            "売上",
            "金額",
            "円",
            "3（10.0%）",
            3,
            "1,200 ～ 98,000.5",
        ]
    store = _column(
        name="店舗", type="text", unit="", distinct=9, examples=("新宿店", "渋谷店", "横浜店", "x")
    )
    with use_language("en"):
        assert column_line(store, 30)[1] == "Text"
        assert column_line(store, 30)[-1] == "新宿店, 渋谷店, 横浜店, …"


def test_the_unit_stands_once_over_its_numbers() -> None:
    table = AnswerTable(
        title="店舗別",
        columns=["店舗", "売上_sum", "率"],
        labels=["店舗", "売上（合計）", "構成比（%）"],
        kinds=["text", "integer", "share"],
        units=["", "円", "%"],
        rows=[],
        row_count=0,
        result_id="r1",
    )
    with use_language("ja"):
        assert headings(table) == ["店舗", "売上（合計）（円）", "構成比（%）"]


def test_questions_that_are_buttons_are_not_also_listed() -> None:
    text = "予測は行いません。\n代わりに：\n- 月別の売上\n- 別の話"
    assert without_list(text, ["月別の売上"]) == "予測は行いません。\n代わりに：\n- 別の話"
    assert without_list(text, []) == text


def test_a_table_that_only_another_was_made_from_is_a_step_and_one_that_is_drawn_is_not() -> None:
    derived = {"type": "analysis", "op": "derive", "input": "dataset", "result_id": "r1"}
    grouped = {"type": "analysis", "op": "groupby_agg", "input": "r1", "result_id": "r2"}
    drawn = {"type": "plot", "kind": "bar", "input": "r2", "result_id": "r3"}
    assert steps_between(_result(derived, grouped, drawn)) & {"r1", "r2", "r3"} == {"r1"}
