"""Conclusions by code: natural sentences, and no number that the results do not have."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc

from sanbo.agents.analysis.conclusions import conclude
from sanbo.agents.analysis.decision import ResultView, Turn, View
from sanbo.agents.analysis.execution.frames import to_arrow
from sanbo.agents.analysis.execution.perform import execute
from sanbo.agents.analysis.outcome import ResultTable, TableColumn
from sanbo.agents.analysis.profile import (
    ColumnProfile,
    DatasetProfile,
    TableProfile,
    ValueType,
)
from sanbo.agents.analysis.spec.operations import AnalysisSpec, GroupbyAgg, Resample, ShareRatio
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.stated_numbers import grounds_of, unfounded
from sanbo.kernel.messages import Language, use_language
from tests.examples import examples

KINDS: Mapping[str, ValueType] = {
    "日付": "date",
    "店舗": "text",
    "商品": "text",
    "売上": "integer",
    "数量": "integer",
}
UNITS = {"日付": "", "店舗": "", "商品": "", "売上": "円", "数量": "個"}
# Twelve months of three stores; sales rise with the month, and one day stands out.
ROWS = pd.DataFrame(
    [
        (pd.Timestamp(2025, month, 1), store, "本" if month % 2 else "食品", sales, sales // 500)
        for month in range(1, 13)
        for store, sales in (
            ("新宿店", 100_000 + 1_000 * month),
            ("渋谷店", 60_000 + 500 * month),
            ("大阪店", 900_000 if month == 7 else 40_000 + 100 * month),
        )
    ],
    columns=list(KINDS),
)


def _ipc(table: pa.Table) -> memoryview:
    sink = io.BytesIO()
    with ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return memoryview(sink.getvalue())


def _view(language: Language, results: Sequence[ResultView], **changes: Any) -> View:
    dataset = DatasetProfile(
        dataset_id="ds_1",
        name="sales.csv",
        sha256="0" * 64,
        size=1,
        rows=len(ROWS),
        columns=tuple(
            ColumnProfile(name=name, type=kind, unit=UNITS[name]) for name, kind in KINDS.items()
        ),
    )
    view = View(
        language=language,
        turns=(Turn(role="user", text="教えて"),),
        dataset=dataset,
        results=tuple(results),
        acts_left=5,
    )
    return view.model_copy(update=changes)


def _result(
    result_id: str,
    spec: AnalysisSpec | PlotSpec,
    tables: Sequence[ResultTable],
    figure_titles: tuple[str, ...] = (),
) -> ResultView:
    return ResultView(
        result_id=result_id,
        spec=spec,
        tables=tuple(tables),
        figure_titles=figure_titles,
        profile=TableProfile(rows=0, columns=()),
        is_of_this_turn=True,
    )


def _executed(language: Language, *specs: dict[str, object]) -> View:
    """The specs one after the other, as the sandbox would execute them."""
    tables = {"dataset": _ipc(to_arrow(ROWS, KINDS, UNITS))}
    results: list[ResultView] = []
    for number, given_spec in enumerate(specs, start=1):
        spec = read_spec(given_spec)
        output = io.BytesIO()
        with use_language(language):
            outcome, _ = execute(spec, tables[spec.input], output)
        tables[f"r{number}"] = memoryview(output.getvalue())
        shown = (*outcome.tables, *(figure.table for figure in outcome.figures))
        titles = tuple(figure.title for figure in outcome.figures)
        results.append(_result(f"r{number}", spec, shown, titles))
    return _view(language, results)


MONTHLY: dict[str, object] = {
    "op": "resample",
    "date_col": "日付",
    "unit": "month",
    "metrics": {"売上": ["sum"]},
}
SHINJUKU = [{"col": "店舗", "op": "==", "value": "新宿店"}]
EXPECTED: list[tuple[list[dict[str, object]], str, str]] = [
    (
        [{"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {"売上": ["sum"]}}],
        "店舗別の売上の合計は、大阪店の1,347,100円が最も多く、渋谷店の759,000円が最も少なくなっています（全3店舗）。",
        "The total of 売上 by 店舗 is highest for 大阪店 with 1,347,100 yen and lowest for 渋谷店 "
        "with 759,000 yen (3 in all).",
    ),
    (
        [{"op": "groupby_agg", "metrics": {"売上": ["sum"]}, "filters": SHINJUKU}],
        "新宿店の売上の合計は1,278,000円です。",
        "The total of 売上 is 1,278,000 yen for 新宿店.",
    ),
    (
        [
            {**MONTHLY, "filters": SHINJUKU},
            {"op": "groupby_agg", "input": "r1", "metrics": {"売上_sum": ["mean"]}},
        ],
        "新宿店の売上の月平均は106,500円です（12か月の合計の平均）。",
        "The monthly average of 売上 for 新宿店 is 106,500 yen "
        "(the average of the totals of 12 months).",
    ),
    (
        [{**MONTHLY, "filters": SHINJUKU}],
        "月別の新宿店の売上の合計は、2025年1月は101,000円、2025年12月は112,000円で、期間の最初と最後を比べると増加しています。"
        "最も多いのは2025年12月の112,000円、最も少ないのは2025年1月の101,000円です。",
        "The total of 売上 for 新宿店 by month rose from 101,000 yen (2025-01) to "
        "112,000 yen (2025-12) between the first and the last period. "
        "The highest is 112,000 yen (2025-12), the lowest 101,000 yen (2025-01).",
    ),
    (
        [{"op": "share_ratio", "group_col": "店舗", "value_col": "売上"}],
        "店舗別の売上の合計の構成比は、大阪店が39.8%で最も大きく、新宿店（37.8%）、渋谷店（22.4%）と続きます。",
        "Of the total of 売上 by 店舗, 大阪店 has the largest share with 39.8%, followed by "
        "新宿店 (37.8%), 渋谷店 (22.4%).",
    ),
    (
        [{"op": "outliers", "column": "売上"}],
        "売上の外れ値は1件（2.8%）見つかりました。-53,687.5円より小さい値と199,012.5円より大きい値を外れ値としています。"
        "最も極端なのは、2025年7月1日・大阪店・本の900,000円です。",
        "Outliers in 売上: 1 (2.8%). Values below -53,687.5 yen or above 199,012.5 yen "
        "count as outliers. The most extreme is 900,000 yen (2025-07-01, 大阪店, 本).",
    ),
    (
        [{"op": "missingness"}],
        "欠損している値はありません。",
        "No values are missing.",
    ),
    (
        [{"op": "duplicate_check"}],
        "重複した行はありません（確認した行：36、重複：0）。",
        "No rows are alike (rows checked: 36; duplicates: 0).",
    ),
    (
        [{"op": "correlation_matrix"}],
        "「売上」と「数量」の相関係数は1.000で、強い正の相関があります（p < 0.001、対象：36件）。"
        "相関は因果関係を示すものではありません。",
        "The correlation of “売上” and “数量” is 1.000: a strong positive correlation "
        "(p < 0.001, rows: 36). Correlation does not show that one causes the other.",
    ),
    (
        [MONTHLY, {"op": "lag", "input": "r1", "column": "売上_sum", "order_by": "日付"}],
        "売上の合計は、最新の2025年12月で前の値より増加しました（1,600円、0.7%）。"
        "増加が最も大きいのは2025年7月です（860,900円、410.7%）。減少が最も大きいのは2025年8月です（-857,700円、-80.1%）。",
        "In the latest row (2025-12), the total of 売上 rose against the value before it: "
        "1,600 yen, 0.7%. The largest rise is at 2025-07: 860,900 yen, 410.7%. "
        "The largest fall is at 2025-08: -857,700 yen, -80.1%.",
    ),
    (
        [
            {
                "op": "groupby_agg",
                "filters": [
                    {"col": "売上", "op": ">=", "value": 100000},
                    {"col": "日付", "op": ">=", "value": "2025-04"},
                ],
            }
        ],
        "件数は10件です。対象は、売上が100,000円以上、日付が2025年4月以降という条件に合うデータです。",
        "The number of rows is 10. This covers the rows where 売上 is at least 100,000 yen, "
        "日付 is 2025-04 or later.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("specs", "japanese", "english"), EXPECTED)
def test_a_conclusion_reads_as_a_person_would_write_it(
    specs: list[dict[str, object]], japanese: str, english: str
) -> None:
    assert conclude(_executed("ja", *specs)) == japanese
    assert conclude(_executed("en", *specs)) == english


EVERY_KIND: list[list[dict[str, object]]] = [
    [{"op": "dataset_overview"}],
    [{"op": "column_summary"}],
    [{"op": "duplicate_check", "columns": ["店舗"]}],
    [{"op": "top_rows", "by": ["売上"], "n": 3}],
    [{"op": "top_rows", "by": ["売上"], "n": 3, "columns": ["売上"], "ascending": True}],
    [{"op": "groupby_agg", "group_cols": ["店舗", "商品"], "metrics": {"売上": ["mean", "std"]}}],
    [{"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {"売上": ["sum"]}, "top_k": 2}],
    [{"op": "resample", "date_col": "日付", "unit": "weekday"}],
    [{"op": "resample", "date_col": "日付", "unit": "fiscal_quarter", "by": ["店舗"]}],
    [
        {
            "op": "resample",
            "date_col": "日付",
            "unit": "month_of_year",
            "metrics": {"売上": ["mean"]},
        }
    ],
    [{"op": "share_ratio", "group_col": "商品", "within": "店舗", "value_col": "売上"}],
    [{"op": "pivot", "rows": ["店舗"], "columns": "商品", "value": "売上", "totals": True}],
    [
        {
            "op": "pivot",
            "rows": ["店舗"],
            "columns": "日付",
            "column_unit": "quarter",
            "share": "row",
        }
    ],
    [{"op": "cumulative", "column": "売上", "order_by": "日付"}],
    [{"op": "lag", "column": "売上", "order_by": "日付", "by": ["店舗"]}],
    [{"op": "distribution", "columns": ["売上"], "by": ["店舗"]}],
    [{"op": "outliers", "column": "売上", "by": "店舗"}],
    [{"op": "compare_groups", "value_col": "売上", "group_col": "店舗"}],
    [{"op": "compare_groups", "value_col": "商品", "group_col": "店舗"}],
    [{"op": "dedup", "columns": ["店舗"]}],
    [{"op": "cast", "column": "売上", "to": "text"}],
    [{"op": "impute", "columns": ["売上"], "method": "mean"}, {"op": "missingness", "input": "r1"}],
    [{"type": "plot", "kind": "bar", "x": "店舗", "y": "売上"}],
    [{"type": "plot", "kind": "line", "x": "日付", "x_unit": "month", "y": "売上"}],
    [{"type": "plot", "kind": "hist", "x": "売上"}],
]


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("specs", EVERY_KIND)
def test_every_kind_of_result_has_a_conclusion_that_holds(
    specs: list[dict[str, object]], language: Language
) -> None:
    view = _executed(language, *specs)
    text = conclude(view)
    assert unfounded(text, grounds_of(view)) == []
    assert text not in ("結果は表のとおりです。", "The result is in the table.")
    assert "{" not in text
    assert text.endswith(("。", "."))


def test_a_step_that_prepares_is_told_before_the_finding() -> None:
    unit_price = _divided("売上", "数量")
    view = _executed(
        "ja",
        {"op": "derive", "name": "単価", "expression": unit_price},
        {"op": "groupby_agg", "input": "r1", "group_cols": ["店舗"], "metrics": {"単価": ["mean"]}},
    )
    first, second = conclude(view).split("\n\n")
    assert first == "列「単価」を新しく計算しました。"
    assert second.startswith("店舗別の単価の平均は、")


def _divided(left: str, right: str) -> dict[str, object]:
    return {
        "fn": "divide",
        "left": {"fn": "column", "name": left},
        "right": {"fn": "column", "name": right},
    }


SUMS: dict[str, object] = {"op": "groupby_agg", "metrics": {"売上": ["sum"], "数量": ["sum"]}}
UNIT_PRICE: dict[str, object] = {
    "op": "derive",
    "input": "r1",
    "name": "単価",
    "expression": _divided("売上_sum", "数量_sum"),
}


def test_a_ratio_of_sums_is_stated_not_only_that_it_was_computed() -> None:
    price = f"{ROWS['売上'].sum() / ROWS['数量'].sum():.1f}"
    told = conclude(_executed("ja", SUMS, UNIT_PRICE))
    assert told == f"列「単価」を新しく計算しました。\n\n単価は{price}円です。"
    english = conclude(_executed("en", SUMS, UNIT_PRICE))
    assert english.endswith(f"\n\n単価 is {price} yen.")


def test_a_ratio_of_sums_by_groups_or_months_is_stated_with_its_ends() -> None:
    stores = conclude(_executed("ja", {**SUMS, "group_cols": ["店舗"]}, UNIT_PRICE))
    assert "\n\n店舗別の単価は、大阪店の" in stores
    assert "が最も高く" in stores
    months = conclude(
        _executed("ja", {**MONTHLY, "metrics": {"売上": ["sum"], "数量": ["sum"]}}, UNIT_PRICE)
    )
    assert "\n\n月別の単価は、2025年1月は" in months


def test_a_finding_is_told_although_a_step_prepared_its_table_afterwards() -> None:
    cast: dict[str, object] = {"op": "cast", "input": "r1", "column": "売上_sum", "to": "text"}
    told = conclude(_executed("ja", {**SUMS, "group_cols": ["店舗"]}, cast))
    assert "店舗別の売上の合計は、大阪店の1,347,100円が最も多く" in told


TWO_STORES: dict[str, object] = {
    "op": "groupby_agg",
    "group_cols": ["店舗"],
    "metrics": {"売上": ["sum"]},
    "filters": [{"col": "店舗", "op": "in", "value": ["新宿店", "渋谷店"]}],
}
LAG: dict[str, object] = {"op": "lag", "input": "r1", "column": "売上_sum"}


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("order", [{}, {"order_by": "店舗"}])
def test_a_difference_of_two_names_is_no_change_in_time(
    order: dict[str, object], ascending: bool
) -> None:
    stores = {**TWO_STORES, "sort": {"by": "売上_sum", "ascending": ascending}}
    assert conclude(_executed("ja", stores, {**LAG, **order})) == (
        "新宿店と渋谷店の売上の合計の差は519,000円で、"
        "渋谷店（759,000円）が新宿店（1,278,000円）を下回っています。"
    )
    assert conclude(_executed("en", stores, {**LAG, **order})) == (
        "The total of 売上 for 新宿店 and 渋谷店 differs by 519,000 yen: "
        "渋谷店 (759,000 yen) is below 新宿店 (1,278,000 yen)."
    )


def test_of_more_than_two_names_the_largest_difference_is_told() -> None:
    every: dict[str, object] = {**TWO_STORES, "filters": []}
    told = conclude(_executed("ja", every, LAG))
    assert "最新" not in told
    assert "渋谷店（759,000円）が新宿店（1,278,000円）を下回るところで、519,000円です。" in told


def test_two_names_with_the_same_value_are_said_to_be_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = pd.DataFrame({"g": ["山田", "木村"], "v": [5.0, 5.0]})
    told = _told(monkeypatch, frame, GROUPED, {"op": "lag", "column": "v", "order_by": "g"})
    assert told == "vは、山田と木村で同じです（5）。"


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("性別", "性別ごとのvの合計は"),
        ("種別", "種別ごとのvの合計は"),
        ("地域別", "地域別のvの合計は"),
        ("地域", "地域別のvの合計は"),
    ],
)
def test_a_column_whose_name_ends_in_betsu_has_it_once(
    monkeypatch: pytest.MonkeyPatch, column: str, said: str
) -> None:
    kinds: Mapping[str, ValueType] = {column: "text", "v": "integer"}
    frame = pd.DataFrame({column: ["a", "b"], "v": [1, 2]})
    grouped: dict[str, object] = {
        "op": "groupby_agg",
        "group_cols": [column],
        "metrics": {"v": ["sum"]},
    }
    assert _told(monkeypatch, frame, kinds, grouped).startswith(said)
    share: dict[str, object] = {"op": "share_ratio", "group_col": column, "value_col": "v"}
    assert "別別" not in _told(monkeypatch, frame, kinds, share)


@pytest.mark.parametrize(
    ("value", "said"), [(True, "はい"), (False, "いいえ"), ("True", "はい"), ("false", "いいえ")]
)
def test_a_condition_of_yes_or_no_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, value: object, said: str
) -> None:
    kinds: Mapping[str, ValueType] = {"会員": "boolean", "v": "integer"}
    frame = pd.DataFrame({"会員": [True, False], "v": [3, 3]})
    spec: dict[str, object] = {
        "op": "groupby_agg",
        "metrics": {"v": ["sum"]},
        "filters": [{"col": "会員", "op": "==", "value": value}],
    }
    told = _told(monkeypatch, frame, kinds, spec)
    assert told == f"vの合計は3です。対象は、会員が「{said}」という条件に合うデータです。"


def test_a_chart_beside_its_table_is_only_named() -> None:
    view = _executed(
        "ja", MONTHLY, {"type": "plot", "kind": "line", "x": "日付", "x_unit": "month", "y": "売上"}
    )
    *_, last = conclude(view).split("\n\n")
    assert last.startswith("図「")
    assert conclude(view).count("1,070,") <= 1


def test_without_a_result_that_is_said() -> None:
    assert conclude(_view("ja", [])) == "この質問に対する結果は得られませんでした。"


# ---- any table ----

NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(
    ["新宿店", "30代", "A-5", "2025-04", "10%", "1/3", "約", "第1", "1,234", "５", "12時", "上位"]
)
NUMBERS = st.integers(-(10**13), 10**13) | st.floats(-1e12, 1e12) | st.none()


def _table(
    rows: Sequence[tuple[str, float | None]], kind: str, label: str = "売上（合計）"
) -> ResultTable:
    return ResultTable(
        title="店舗別",
        columns=(
            TableColumn(name="店舗", label="店舗", kind="text"),
            TableColumn.model_validate(
                {"name": "売上_sum", "label": label, "kind": kind, "unit": "円"}
            ),
        ),
        rows=tuple(rows),
        row_count=len(rows),
    )


TABLES = st.lists(st.tuples(NAMES, NUMBERS), min_size=0, max_size=8).map(
    lambda rows: _table(rows, "number")
)
GROUPS = GroupbyAgg(group_cols=("店舗",), metrics={"売上": ("sum",)})
TIME = Resample(date_col="店舗", unit="month", metrics={"売上": ("sum",)})
SHARES = ShareRatio(group_col="店舗", value_col="売上")


@given(TABLES, st.sampled_from([GROUPS, TIME]), st.sampled_from(["ja", "en"]))
@settings(max_examples=examples(150))
def test_no_table_makes_a_conclusion_state_what_it_does_not_hold(
    table: ResultTable, spec: GroupbyAgg | Resample, language: Language
) -> None:
    view = _view(language, [_result("r1", spec, [table])])
    assert unfounded(conclude(view), grounds_of(view)) == []


@given(st.lists(st.tuples(NAMES, st.floats(0, 1)), min_size=1, max_size=8))
def test_no_composition_makes_a_conclusion_state_what_it_does_not_hold(
    rows: list[tuple[str, float]],
) -> None:
    view = _view("ja", [_result("r1", SHARES, [_table(rows, "share", "構成比")])])
    assert unfounded(conclude(view), grounds_of(view)) == []


@given(st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=9, unique=True))
def test_the_largest_and_the_smallest_are_named(values: list[int]) -> None:
    rows = [
        (f"{letter}店", value) for letter, value in zip("あいうえおかきくけ", values, strict=False)
    ]
    text = conclude(_view("ja", [_result("r1", GROUPS, [_table(rows, "integer")])]))
    for value in (max(values), min(values)):
        name = next(name for name, one in rows if one == value)
        assert f"{name}の{value:,}円" in text


def test_names_that_are_markdown_are_shown_as_they_are() -> None:
    rows = [("![x](http://evil.example)", 5), ("<b>", 3)]
    text = conclude(_view("ja", [_result("r1", GROUPS, [_table(rows, "integer")])]))
    assert "](" not in text.replace("\\](", "")
    assert "\\<b" in text


def test_of_a_table_that_is_cut_only_what_is_surely_in_it_is_said() -> None:
    table = _table([("新宿店", 5), ("渋谷店", 3)], "integer").model_copy(update={"row_count": 900})
    text = conclude(_view("ja", [_result("r1", GROUPS, [table])]))
    assert "最も" not in text
    assert "900" in text


def test_groups_that_share_the_first_place_are_all_named() -> None:
    rows = [("新宿店", 5), ("渋谷店", 5), ("大阪店", 3)]
    text = conclude(_view("ja", [_result("r1", GROUPS, [_table(rows, "integer")])]))
    assert "新宿店と渋谷店の5円が最も多く" in text


def _told(
    monkeypatch: pytest.MonkeyPatch,
    frame: pd.DataFrame,
    kinds: Mapping[str, ValueType],
    *specs: dict[str, object],
    units: Mapping[str, str] | None = None,
) -> str:
    """Of another table."""
    monkeypatch.setattr(f"{__name__}.ROWS", frame)
    monkeypatch.setattr(f"{__name__}.KINDS", kinds)
    monkeypatch.setattr(f"{__name__}.UNITS", {**dict.fromkeys(kinds, ""), **(units or {})})
    return conclude(_executed("ja", *specs))


GROUPED: Mapping[str, ValueType] = {"g": "text", "v": "number"}


def test_no_share_is_called_the_largest_where_values_are_negative(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec: dict[str, object] = {"op": "share_ratio", "group_col": "g", "value_col": "v"}
    mixed = pd.DataFrame({"g": ["a", "b", "c"], "v": [10.0, -4.0, 2.0]})
    assert "負の値が含まれる" in _told(monkeypatch, mixed, GROUPED, spec)
    losses = pd.DataFrame({"g": ["a", "b"], "v": [-1.0, -9.0]})
    assert "bが90.0%で最も大きく" in _told(monkeypatch, losses, GROUPED, spec)


def test_all_rows_that_share_the_first_place_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"g": ["a", "b", "c"], "v": [5.0, 5.0, 1.0]})
    told = _told(monkeypatch, frame, GROUPED, {"op": "top_rows", "by": ["v"], "n": 3})
    assert "aとbの5です" in told


def test_percentages_are_told_in_percent_and_their_changes_in_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds: Mapping[str, ValueType] = {"月": "text", "率": "percent"}
    frame = pd.DataFrame({"月": ["2025-01", "2025-02"], "率": [0.2, 0.25]})
    lag: dict[str, object] = {"op": "lag", "column": "率", "order_by": "月"}
    assert "（5.0ポイント、25.0%）" in _told(monkeypatch, frame, kinds, lag, units={"率": "%"})
    mean: dict[str, object] = {
        "op": "groupby_agg",
        "metrics": {"率": ["mean"]},
        "filters": [{"col": "率", "op": ">", "value": 0.1}],
    }
    told = _told(monkeypatch, frame, kinds, mean, units={"率": "%"})
    assert told == "率の平均は22.5%です。対象は、率が10%より大きいという条件に合うデータです。"


def test_a_change_is_the_newest_only_if_the_last_row_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds: Mapping[str, ValueType] = {"月": "text", "v": "integer"}
    frame = pd.DataFrame({"月": ["2025-01", "2025-02", "2025-04"], "v": [1, 2, 9]})
    told = _told(monkeypatch, frame, kinds, {"op": "lag", "column": "v", "order_by": "月"})
    assert "最新" not in told


def test_a_strong_correlation_of_few_rows_is_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: Mapping[str, ValueType] = {"a": "number", "b": "number"}
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 2.5]})
    assert "偶然" in _told(monkeypatch, frame, kinds, {"op": "correlation_matrix"})


def test_a_period_that_the_data_covers_in_part_is_said() -> None:
    view = _executed("ja", {**MONTHLY, "unit": "fiscal_year"})
    assert view.dataset is not None
    columns = tuple(
        one.model_copy(update={"minimum": "2025-01-01", "maximum": "2025-12-01", "distinct": 12})
        if one.name == "日付"
        else one
        for one in view.dataset.columns
    )
    dataset = view.dataset.model_copy(update={"columns": columns})
    told = conclude(view.model_copy(update={"dataset": dataset}))
    assert "2024年度のデータは2025年1月1日からのため" in told
    assert "2025年度のデータは2025年12月1日までのため" in told
    months = _executed("ja", MONTHLY).model_copy(update={"dataset": dataset})
    assert "ただし" not in conclude(months)
