"""Specs bound to tables: names found, types and values checked, nothing guessed."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.analysis.profile import ColumnProfile, TableProfile, ValueType
from sanbo.agents.analysis.spec.binding import bind, columns_of, with_columns
from sanbo.agents.analysis.spec.filters import Among
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    CompareGroups,
    Derive,
    GroupbyAgg,
    Resample,
)
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput, Problem
from tests.unit.agents.analysis.spec.tables import TABLES

COUNT: dict[str, Any] = {"op": "groupby_agg"}


def bound(**fields: Any) -> AnalysisSpec | PlotSpec:
    return bind(read_spec(fields), TABLES)


def refused(**fields: Any) -> Problem:
    with pytest.raises(InvalidInput) as caught:
        bound(**fields)
    return caught.value.problem


def filtered(*filters: Any) -> tuple[Any, ...]:
    return bound(**COUNT, filters=list(filters)).filters


def column(name: str) -> dict[str, str]:
    return {"fn": "column", "name": name}


def test_names_are_found_by_their_mark_wherever_they_stand() -> None:
    spec = read_spec(
        {
            "op": "derive",
            "name": "new",
            "expression": {
                "fn": "if",
                "condition": {
                    "fn": "compare",
                    "left": {"fn": "share", "of": column("a"), "by": "b"},
                    "op": ">",
                    "right": {"fn": "constant", "value": 1},
                },
                "then": {"fn": "join", "parts": [column("c"), column("d")]},
            },
            "filters": [
                {"col": "e", "op": "is_outlier", "by": "f"},
                {"any_of": [{"col": "g", "op": "==", "value": "h"}]},
            ],
        }
    )
    assert columns_of(spec) == ["e", "f", "g", "a", "b", "c", "d"]
    metrics = read_spec({**COUNT, "group_cols": ["a"], "metrics": {"b": ["sum"]}})
    assert columns_of(metrics) == ["a", "b"]


def test_width_and_case_and_spaces_of_names_do_not_matter() -> None:
    spec = bound(**COUNT, group_cols=["店舗 "], metrics={"ＵＮＩＴ　ｐｒｉｃｅ": ["mean"]})
    assert isinstance(spec, GroupbyAgg)
    assert (spec.group_cols, spec.metrics) == (("店舗",), {"Unit Price": ("mean",)})


def test_two_spellings_of_one_column_come_together() -> None:
    spec = bound(**COUNT, metrics={"Unit Price": ["sum"], "unit price": ["mean", "sum"]})
    assert isinstance(spec, GroupbyAgg)
    assert spec.metrics == {"Unit Price": ("sum", "mean")}


def test_a_column_that_is_not_there_is_refused_with_the_nearest() -> None:
    problem = refused(**COUNT, metrics={"売上高": ["sum"]})
    assert problem.details == {"column": "売上高", "candidates": ["売上"]}
    assert "売上高" in problem.message
    assert "売上" in problem.hint
    with use_language("en"):
        assert (
            "The table has no column “売上高”." in refused(**COUNT, group_cols=["売上高"]).message
        )


def test_a_column_deep_in_an_expression_is_refused_too() -> None:
    problem = refused(op="derive", name="x", expression={"fn": "negate", "of": column("売り上げ")})
    assert problem.details["candidates"] == ["売上"]


def test_the_datasets_own_id_means_the_dataset() -> None:
    assert bound(**COUNT, dataset_id="ds_123").input == "dataset"
    assert bound(**COUNT, input="R1").input == "r1"
    problem = refused(**COUNT, input="r7")
    assert problem.details["candidates"] == ["r1"]


def test_a_results_columns_are_its_own() -> None:
    assert bound(op="column_summary", input="r1", columns=["売上_sum"]).input == "r1"
    assert refused(op="column_summary", input="r1", columns=["店舗"]).text_id == (
        "analysis_column_unknown"
    )


@pytest.mark.parametrize(
    "fields",
    [
        COUNT | {"metrics": {"店舗": ["sum"]}},
        COUNT | {"metrics": {"日付": ["mean"]}},
        {"op": "outliers", "column": "店舗"},
        {"op": "share_ratio", "group_col": "日付", "value_col": "店舗"},
        {"op": "distribution", "columns": ["売上", "店舗"]},
        {"op": "correlation_matrix", "columns": ["店舗"]},
        {"op": "lag", "column": "開店"},
        {"op": "pivot", "rows": ["日付"], "columns": "店舗", "value": "備考"},
        {"op": "impute", "columns": ["店舗"], "method": "mean"},
        {"op": "compare_groups", "value_col": "備考", "group_col": "店舗", "test": "t"},
        {"op": "derive", "name": "x", "expression": {"fn": "log", "of": column("店舗")}},
        {"kind": "bar", "x": "日付", "y": "店舗"},
        {"kind": "box", "y": "店舗"},
        {"kind": "scatter", "x": "売上", "y": "売上", "size": "店舗"},
        COUNT | {"filters": [{"col": "店舗", "op": "is_outlier"}]},
    ],
)
def test_numbers_are_computed_of_numbers_alone(fields: dict[str, Any]) -> None:
    problem = refused(**fields)
    assert problem.text_id == "analysis_column_no_number"
    assert "cast" in problem.hint


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "resample", "date_col": "店舗", "unit": "month"},
        {"op": "pivot", "rows": ["店舗"], "columns": "会員", "row_unit": "month"},
        {"op": "pivot", "rows": ["店舗"], "columns": "会員", "column_unit": "month"},
        {"kind": "line", "x": "店舗", "x_unit": "month"},
        {"kind": "line", "input": "r1", "x": "日付", "x_unit": "month"},
        {
            "op": "derive",
            "name": "x",
            "expression": {"fn": "date_part", "part": "year", "of": column("店舗")},
        },
    ],
)
def test_periods_are_made_of_dates_alone(fields: dict[str, Any]) -> None:
    problem = refused(**fields)
    assert problem.text_id == "analysis_column_no_date"


def test_what_any_column_can_give_is_allowed() -> None:
    assert bound(**COUNT, metrics={"店舗": ["count", "nunique", "min", "first"]})
    assert bound(**COUNT, metrics={"会員": ["sum", "mean"]})
    assert bound(op="cumulative", column="店舗", kind="count")


def test_sorting_by_a_measured_column_means_its_aggregate() -> None:
    spec = bound(**COUNT, group_cols=["店舗"], metrics={"売上": ["sum"]}, sort={"by": "売上"})
    assert isinstance(spec, GroupbyAgg)
    assert spec.sort is not None
    assert spec.sort.by == "売上_sum"


@pytest.mark.parametrize(
    ("metrics", "by", "candidate"),
    [
        ({"売上": ["sum", "mean"]}, "売上", "売上_sum"),
        ({"売上": ["sum"]}, "売上_mean", "売上_sum"),
        ({"売上": ["sum"]}, "count", "店舗"),
        ({}, "売上_sum", "店舗"),
    ],
)
def test_sorting_by_what_the_result_does_not_have_is_refused(
    metrics: dict[str, list[str]], by: str, candidate: str
) -> None:
    problem = refused(**COUNT, group_cols=["店舗"], metrics=metrics, sort={"by": by})
    assert problem.text_id == "analysis_sort_unknown"
    assert candidate in str(problem.details["candidates"])


def test_a_resampled_table_sorts_by_its_period_or_its_count() -> None:
    for by in ("日付", "count"):
        spec = bound(op="resample", date_col="日付", unit="month", sort={"by": by})
        assert isinstance(spec, Resample)


def test_a_value_takes_the_spelling_of_its_column() -> None:
    prices = ColumnProfile(name="型番", type="text", distinct=2, values=("ABC-1", "3"))
    table = TableProfile(rows=9, columns=(prices,))
    spec = read_spec(
        {**COUNT, "filters": [{"col": "型番", "op": "in", "value": ["ａｂｃ-1", 3.0]}]}
    )
    [condition] = bind(spec, {"dataset": table}).filters
    assert isinstance(condition, Among)
    assert condition.value == ("ABC-1", "3")


def test_a_value_that_no_row_has_is_refused_with_the_nearest() -> None:
    for operator in ("==", "!="):
        problem = refused(**COUNT, filters=[{"col": "店舗", "op": operator, "value": "新宿"}])
        assert problem.details == {"column": "店舗", "value": "新宿", "candidates": ["新宿店"]}
    inside = {"any_of": [{"col": "店舗", "op": "in", "value": ["渋谷店", "渋谷てん"]}]}
    assert refused(**COUNT, filters=[inside]).text_id == "analysis_value_unknown"
    compared = {"op": "compare_groups", "value_col": "売上", "group_col": "店舗"}
    assert refused(**compared, groups=["新宿"]).text_id == "analysis_value_unknown"
    assert isinstance(bound(**compared, groups=["新宿店", "池袋店"]), CompareGroups)


def test_values_of_a_column_with_too_many_are_left_to_the_rows() -> None:
    [condition] = filtered({"col": "備考", "op": "==", "value": "初めて見る"})
    assert condition.value == "初めて見る"


@pytest.mark.parametrize("value", ["2025", 2025, "2025-04", "2025/4/1", "令和7年4月1日", "2025年"])
def test_dates_are_understood_as_they_are_written(value: str | int) -> None:
    [condition] = filtered({"col": "日付", "op": ">=", "value": value})
    assert condition.value == str(value)


@pytest.mark.parametrize(
    ("name", "value", "text_id"),
    [
        ("日付", "いつか", "analysis_value_no_date"),
        ("日付", "2025-13-01", "analysis_value_no_date"),
        ("日付", 3.5, "analysis_value_no_date"),
        ("日付", True, "analysis_value_no_date"),
        ("売上", "たくさん", "analysis_value_no_number"),
        ("売上", float("nan"), "analysis_value_no_number"),
        ("売上", True, "analysis_value_no_number"),
        ("会員", "たぶん", "analysis_value_unknown"),
    ],
)
def test_a_value_that_its_column_can_not_hold_is_never_ignored(
    name: str, value: Any, text_id: str
) -> None:
    for condition in (
        {"col": name, "op": "!=", "value": value},
        {"col": name, "op": "in", "value": [value]},
    ):
        assert refused(**COUNT, filters=[condition]).text_id == text_id


def test_numbers_and_yes_or_no_are_understood_as_offices_write_them() -> None:
    assert filtered({"col": "売上", "op": ">", "value": "100万円"})[0].value == "100万円"
    assert filtered({"col": "会員", "op": "==", "value": "はい"})[0].value is True
    assert filtered({"col": "会員", "op": "==", "value": 0})[0].value is False


NAMES = st.text(min_size=1, max_size=12).filter(lambda name: bool(name.strip()))
TYPES: st.SearchStrategy[ValueType] = st.sampled_from(["text", "integer", "date", "boolean"])


@given(st.dictionaries(NAMES, TYPES, min_size=1, max_size=5), NAMES)
def test_a_name_is_kept_replaced_by_its_like_or_refused(
    columns: dict[str, ValueType], name: str
) -> None:
    made = tuple(ColumnProfile(name=each, type=kind) for each, kind in columns.items())
    table = TableProfile(rows=1, columns=made)
    spec = read_spec({"op": "missingness", "columns": [name]})
    try:
        result = bind(spec, {"dataset": table})
    except InvalidInput as error:
        assert name not in columns
        candidates = error.problem.details["candidates"]
        assert isinstance(candidates, list)
        assert candidates
        return
    [found] = columns_of(result)
    assert found in columns
    if name in columns:
        assert found == name


@given(NAMES)
def test_binding_twice_changes_nothing_more(name: str) -> None:
    table = TableProfile(rows=1, columns=(ColumnProfile(name=name, type="integer"),))
    spelled = unicodedata.normalize("NFKC", name).upper() or name
    spec = read_spec({**COUNT, "group_cols": [name], "metrics": {spelled: ["sum"]}})
    try:
        once = bind(spec, {"dataset": table})
    except InvalidInput:
        return  # a letter that has no upper case of its own
    assert bind(once, {"dataset": table}) == once


def test_renaming_with_the_same_names_gives_the_same_spec() -> None:
    spec = read_spec(
        {"op": "derive", "name": "x", "expression": {"fn": "negate", "of": column("売上")}}
    )
    assert isinstance(spec, Derive)
    assert with_columns(spec, lambda name: name) is spec
