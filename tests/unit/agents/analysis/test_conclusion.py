"""Conclusions by code: a few sentences for every shape of table, no number of their own."""

import io
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc

from sanbo.agents.analysis.conclusion import conclude
from sanbo.agents.analysis.decision import ResultView, Turn, View
from sanbo.agents.analysis.execution.frames import to_arrow
from sanbo.agents.analysis.execution.perform import execute
from sanbo.agents.analysis.outcome import ResultTable, TableColumn
from sanbo.agents.analysis.profile import TableProfile, ValueType
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import OPERATIONS, read_spec
from sanbo.agents.analysis.stated_numbers import grounds_of, unfounded
from sanbo.kernel.messages import Language, use_language
from tests.examples import examples
from tests.unit.agents.analysis.profiles import SHOP

KINDS: Mapping[str, ValueType] = {
    "日付": "date",
    "店舗": "text",
    "売上": "integer",
    "数量": "integer",
}
UNITS = {"日付": "", "店舗": "", "売上": "円", "数量": "個"}
# Twelve months of three stores; sales rise with the month, and one day stands out.
ROWS = pd.DataFrame(
    [
        (pd.Timestamp(2025, month, 1), store, sales, sales // 500)
        for month in range(1, 13)
        for store, sales in (
            ("新宿店", 100_000 + 1_000 * month),
            ("渋谷店", 60_000 + 500 * month),
            ("大阪店", 900_000 if month == 7 else 40_000 + 100 * month),
        )
    ],
    columns=list(KINDS),
)
LANGUAGES: tuple[Language, ...] = get_args(Language)


def _ipc(table: pa.Table) -> memoryview:
    sink = io.BytesIO()
    with ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return memoryview(sink.getvalue())


def _view(language: Language, *results: ResultView) -> View:
    turns = (Turn(role="user", text="教えて"),)
    return View(language=language, turns=turns, dataset=SHOP, results=results, acts_left=5)


def _result(number: int, spec: AnySpec, *tables: ResultTable, **more: Any) -> ResultView:
    return ResultView(
        result_id=f"r{number}",
        spec=spec,
        tables=tables,
        profile=TableProfile(rows=0, columns=()),
        is_of_this_turn=True,
        **more,
    )


def _executed(language: Language, *specs: dict[str, Any]) -> View:
    """The specs one after the other, as the sandbox would execute them."""
    tables = {"dataset": _ipc(to_arrow(ROWS, KINDS, UNITS))}
    results: list[ResultView] = []
    for number, given_spec in enumerate(specs, start=1):
        spec = read_spec(given_spec)
        output = io.BytesIO()
        with use_language(language):
            outcome, _ = execute(spec, tables[spec.input], output)
        tables[f"r{number}"] = memoryview(output.getvalue())
        results.append(
            _result(
                number,
                spec,
                *outcome.tables,
                *(figure.table for figure in outcome.figures),
                figure_titles=tuple(figure.title for figure in outcome.figures),
                findings=tuple(note.text for note in outcome.notes if note.kind == "finding"),
            )
        )
    return _view(language, *results)


SUMS: dict[str, Any] = {"metrics": {"売上": ["sum"]}}
STORES: dict[str, Any] = {"op": "groupby_agg", "group_cols": ["店舗"], **SUMS}
LARGEST = {"by": "売上_sum", "ascending": False}
MONTHLY: dict[str, Any] = {"op": "resample", "date_col": "日付", "unit": "month", **SUMS}
SHINJUKU = {"filters": [{"col": "店舗", "op": "==", "value": "新宿店"}]}
MEAN: dict[str, Any] = {"op": "groupby_agg", "input": "r1", "metrics": {"売上_sum": ["mean"]}}
BAR: dict[str, Any] = {"kind": "bar", "x": "店舗", "y": "売上", "agg": "sum"}
PIVOT: dict[str, Any] = {
    "op": "pivot",
    "rows": ["店舗"],
    "columns": "日付",
    "column_unit": "quarter",
    "value": "売上",
    "agg": "sum",
}
FIGURES = {"売上": ["sum", "mean"], "数量": ["max"]}
SAID: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "one figure of a condition": (
        [{"op": "groupby_agg", **SUMS, **SHINJUKU}],
        "売上（合計）は、1,278,000円です。（条件：店舗が新宿店）",
        "売上 (sum): 1,278,000 円. (Conditions: 店舗 is 新宿店)",
    ),
    "several figures": (
        [{"op": "groupby_agg", "metrics": FIGURES}],
        "売上（合計）は3,384,100円、売上（平均）は94,002.8円、数量（最大）は1,800個です。",
        "売上 (sum) 3,384,100 円, 売上 (mean) 94,002.8 円, 数量 (maximum) 1,800 個.",
    ),
    "figures of an operation": (
        [{"op": "correlation_matrix", "columns": ["売上", "数量"]}],
        "売上・数量：相関係数は1.000、p値は1.74e-106、件数は36件です。",
        "売上, 数量: Coefficient 1.000, p-value 1.74e-106, Count 36 rows.",
    ),
    "pairs": (
        [{"op": "dataset_overview"}],
        "表の概要：行数は36、列数は4、空欄のセルは0、他の行と重複する行は0です。",
        "Overview of the table: Rows 36, Columns 4, Missing cells 0, Rows that repeat another 0.",
    ),
    "groups": (
        [STORES],
        "売上（合計）が最も大きいのは大阪店の1,347,100円、最も小さいのは渋谷店の759,000円です（全3件）。",
        "売上 (sum) is largest for 大阪店 (1,347,100 円) and smallest for 渋谷店 (759,000 円), "
        "of 3 in all.",
    ),
    "groups in order": (
        [{**STORES, "sort": LARGEST}],
        "売上（合計）は、上から順に大阪店（1,347,100円）、新宿店（1,278,000円）、渋谷店（759,000円）です"
        "（全3件）。",
        "売上 (sum), in order: 大阪店 (1,347,100 円), 新宿店 (1,278,000 円), 渋谷店 (759,000 円) "
        "(of 3 in all).",
    ),
    # How many there are beside the first ones is not said: their table does not have it.
    "the first of them": (
        [{**STORES, "sort": LARGEST, "top_k": 2}],
        "売上（合計）の順に2件を取り出しました。先頭から大阪店（1,347,100円）、新宿店（1,278,000円）です。",
        "The first 2 in order of 売上 (sum): 大阪店 (1,347,100 円), 新宿店 (1,278,000 円).",
    ),
    "a course": (
        [MONTHLY],
        "売上（合計）は、2025年1月の201,600円から2025年12月の219,200円になりました。"
        "売上（合計）が最も大きいのは2025年7月の1,070,500円、最も小さいのは2025年1月の201,600円です"
        "（全12件）。",
        "売上 (sum) went from 201,600 円 (January 2025) to 219,200 円 (December 2025). 売上 (sum) "
        "is largest for July 2025 (1,070,500 円) and smallest for January 2025 (201,600 円), "
        "of 12 in all.",
    ),
    "a step on the way, with its condition": (
        [{**MONTHLY, **SHINJUKU}, MEAN],
        "売上（合計）の平均は、106,500円です。（条件：店舗が新宿店）",
        "mean of 売上 (sum): 106,500 円. (Conditions: 店舗 is 新宿店)",
    ),
    "rows as they stand": (
        [{"op": "top_rows", "n": 4}],
        "結果は4件です。",
        "The result has 4 rows.",
    ),
    "a chart alone": (
        [BAR],
        "売上（合計）が最も大きいのは大阪店の1,347,100円、最も小さいのは渋谷店の759,000円です（全3件）。"
        "図「店舗別の売上（合計）」を作りました。",
        "売上 (sum) is largest for 大阪店 (1,347,100 円) and smallest for 渋谷店 (759,000 円), "
        "of 3 in all. The chart “売上 (sum) by 店舗” was drawn.",
    ),
    "a chart beside its table": (
        [{"op": "groupby_agg", **SUMS}, BAR],
        "売上（合計）は、3,384,100円です。\n\n図「店舗別の売上（合計）」を作りました。",
        "売上 (sum): 3,384,100 円.\n\nThe chart “売上 (sum) by 店舗” was drawn.",
    ),
    "a cross table": (
        [PIVOT],
        "店舗・四半期別の売上（合計）が最も大きいのは大阪店・2025年第3四半期の981,700円、"
        "最も小さいのは大阪店・2025年第1四半期の120,600円です。",
        "売上 (sum) by 店舗 and quarter is largest for 大阪店, Q3 2025 (981,700 円) and smallest "
        "for 大阪店, Q1 2025 (120,600 円).",
    ),
}


@pytest.mark.parametrize("shape", SAID)
def test_each_shape_of_table_has_its_sentence(shape: str) -> None:
    specs, japanese, english = SAID[shape]
    assert conclude(_executed("ja", *specs)) == japanese
    assert conclude(_executed("en", *specs)) == english


IN_TIME: dict[str, Any] = {"column": "売上", "order_by": "日付"}
UNIT_PRICE = {
    "fn": "divide",
    "left": {"fn": "column", "name": "売上"},
    "right": {"fn": "column", "name": "数量"},
}
OF_EACH: dict[str, dict[str, Any]] = {
    "dataset_overview": {},
    "missingness": {},
    "column_summary": {"columns": ["売上", "数量"]},
    "duplicate_check": {},
    "top_rows": {"by": ["売上"], "n": 3},
    "groupby_agg": STORES,
    "share_ratio": {"group_col": "店舗", "value_col": "売上"},
    "pivot": PIVOT,
    "resample": MONTHLY,
    "compare_periods": {
        "date_col": "日付", "column": "売上", "by": ["店舗"],
        "unit": "month", "against": "previous",
    },
    "cohort": {"id_col": "店舗", "date_col": "日付", "unit": "month"},
    "cumulative": IN_TIME,
    "lag": IN_TIME,
    "rolling": {**IN_TIME, "window": 3},
    "distribution": {"columns": ["売上"]},
    "outliers": {"column": "売上"},
    "correlation_matrix": {},
    "compare_groups": {"value_col": "売上", "group_col": "店舗"},
    "derive": {"name": "単価", "expression": UNIT_PRICE},
    "cast": {"column": "売上", "to": "text"},
    "impute": {"columns": ["売上"], "method": "mean"},
    "normalize": {"columns": ["売上"]},
    "dedup": {},
    "unpivot": {"columns": ["売上", "数量"], "name": "項目", "value_name": "数"},
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_is_concluded_in_figures_of_its_tables(op: str, language: Language) -> None:
    view = _executed(language, {**OF_EACH[op], "op": op})
    text = conclude(view)
    assert text.strip()
    assert unfounded(text, grounds_of(view)) == []


def test_a_made_column_is_spoken_of_and_not_the_one_it_was_made_from() -> None:
    for op, said in (
        ("cumulative", "売上（累計）が"),
        ("lag", "売上（増減）が"),
        ("derive", "単価が"),
    ):
        assert conclude(_executed("ja", {**OF_EACH[op], "op": op})).startswith(said)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "ja",
            "12期間前の値が表にないため、増減を計算できませんでした（表にあるのは2025年1月から2025年12月まで）。",
        ),
        (
            "en",
            "The table has no value 12 period(s) before any of its own (January 2025",
        ),
    ],
)
def test_a_year_without_the_one_before_it_is_said_to_have_none(
    language: Language, said: str
) -> None:
    year = {"op": "lag", "input": "r1", "column": "売上_sum", "order_by": "日付", "periods": 12}
    view = _executed(language, MONTHLY, year)
    assert conclude(view).startswith(said)
    assert unfounded(conclude(view), grounds_of(view)) == []


# ---- any table ----

GROUPS, TIME = read_spec(STORES), read_spec(MONTHLY)
SHARES = read_spec({"op": "share_ratio", "group_col": "店舗", "value_col": "売上"})


def _table(rows: Sequence[tuple[Any, Any]], kind: str = "integer", **more: Any) -> ResultTable:
    value = {"name": "売上_sum", "label": "売上（合計）", "kind": kind, "unit": "円"}
    columns = (
        TableColumn(name="店舗", label="店舗", kind="text"),
        TableColumn.model_validate(value),
    )
    given: dict[str, Any] = {"row_count": len(rows)} | more
    return ResultTable(title="店舗別", columns=columns, rows=tuple(rows), **given)


def _told(table: ResultTable, spec: AnySpec = GROUPS, language: Language = "ja") -> str:
    return conclude(_view(language, _result(1, spec, table)))


NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(
    ["新宿店", "30代", "A-5", "2025-04", "10%", "1/3", "約", "第1", "1,234", "５", "12時", "上位"]
)
NUMBERS = st.integers(-(10**13), 10**13) | st.floats(-1e12, 1e12) | st.none()


@given(
    st.lists(st.tuples(NAMES, NUMBERS), max_size=8),
    st.sampled_from([GROUPS, TIME, SHARES]),
    st.sampled_from(LANGUAGES),
)
@settings(max_examples=examples(150))
def test_no_table_makes_a_conclusion_state_what_it_does_not_hold(
    rows: list[tuple[str, float | None]], spec: AnySpec, language: Language
) -> None:
    view = _view(language, _result(1, spec, _table(rows, "number")))
    assert unfounded(conclude(view), grounds_of(view)) == []


@given(st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=9, unique=True))
def test_the_largest_and_the_smallest_are_named(values: list[int]) -> None:
    rows = [(f"{sign}店", value) for sign, value in zip("あいうえおかきくけ", values, strict=False)]
    text = _told(_table(rows)).replace("\\", "")
    for value in (max(values), min(values)):
        name = next(name for name, one in rows if one == value)
        assert f"{name}の{value:,}円" in text


HOSTILE = (
    "![x](http://evil.example)",
    "<script>alert(1)</script>",
    "[押す](javascript:alert(1))",
    "a\n\n# 見出し\n- 項目",
    "**99%**\r\n| a | b |",
    "`rm`",
    "長" * 500,
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_are_shown_as_they_are(hostile: str, language: Language) -> None:
    """In cells, labels, titles and conditions: one line, and no Markdown of their own."""
    condition = {"filters": [{"col": "店舗", "op": "!=", "value": hostile}]}
    spec = read_spec({**STORES, **condition})
    table = _table([(hostile, 5), ("b", 3)])
    label = table.columns[1].model_copy(update={"label": hostile})
    table = table.model_copy(update={"columns": (table.columns[0], label), "title": hostile})
    result = _result(1, spec, table, figure_titles=(hostile,), findings=(hostile,))
    text = conclude(_view(language, result))
    assert "\n" not in text
    assert "\r" not in text
    for sign in ("](", "<script", "**", "`rm", "| a"):
        assert sign not in text.replace(f"\\{sign}", "")


def test_of_a_table_that_is_cut_only_what_is_surely_in_it_is_said() -> None:
    text = _told(_table([("新宿店", 5), ("渋谷店", 3)], row_count=900))
    assert "最も" not in text
    assert "900" in text


def test_groups_that_share_a_place_are_all_named_and_equal_ones_are_said_to_be() -> None:
    assert "大きいのは新宿店、渋谷店の5円" in _told(
        _table([("新宿店", 5), ("渋谷店", 5), ("大阪店", 3)])
    )
    many = [(f"{sign}店", 5) for sign in "あいうえお"]
    assert "あ店、い店、う店ほかの5円" in _told(_table([*many, ("か店", 1)]))
    assert _told(_table(many)) == "売上（合計）は、すべて5円です。"


def test_what_has_no_rows_or_no_name_is_said() -> None:
    assert _told(_table([])) == "条件に合うデータはありません。"
    assert "（空欄）の9円" in _told(_table([(None, 9), ("b", 3)]))
    assert _told(_table([("a", None), ("b", None)])) == "結果は2件です。"
    assert conclude(_view("ja")) == "まだ結果がありません。"
