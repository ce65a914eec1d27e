"""Specs from outside: what does not fit is named in words, in both languages."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.analysis.spec.binding import columns_of
from sanbo.agents.analysis.spec.operations import AnalysisSpec, Derive, GroupbyAgg
from sanbo.agents.analysis.spec.plots import Bar, PlotSpec
from sanbo.agents.analysis.spec.reading import CHARTS, OPERATIONS, OPERATORS, read_spec
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput, Problem

COUNT: dict[str, Any] = {"op": "groupby_agg"}


def refused(data: object) -> Problem:
    with pytest.raises(InvalidInput) as caught:
        read_spec(data)
    return caught.value.problem


def test_the_design_documents_own_example_is_read() -> None:
    spec = read_spec(
        {
            "type": "analysis",
            "op": "groupby_agg",
            "dataset_id": "ds_123",
            "group_cols": ["region"],
            "metrics": {"sales": ["sum", "mean"], "order_id": ["count"]},
            "filters": [],
            "sort": {"by": "sales_sum", "ascending": False},
            "top_k": 50,
        }
    )
    assert isinstance(spec, GroupbyAgg)
    assert (spec.input, spec.group_cols) == ("ds_123", ("region",))


def test_the_type_may_be_left_out() -> None:
    assert isinstance(read_spec({"kind": "bar", "x": "店舗"}), Bar)
    cumulative = {"op": "cumulative", "column": "売上", "kind": "max"}
    assert read_spec(cumulative).type == "analysis"


@pytest.mark.parametrize(
    ("data", "word", "candidate"),
    [
        ({"op": "group_by"}, "group_by", "groupby_agg"),
        ({"kind": "histgram"}, "histgram", "hist"),
        ({"type": "plott"}, "plott", "plot"),
        (COUNT | {"group_col": ["店舗"]}, "group_col", "group_cols"),
        (COUNT | {"metrics": {"売上": ["summ"]}}, "summ", "sum"),
        (COUNT | {"filters": [{"col": "売上", "op": "=>", "value": 1}]}, "=>", ">="),
        (COUNT | {"filters": [{"col": "売上", "op": ">", "val": 1}]}, "val", "value"),
        (COUNT | {"filters": [{"col": "売上", "op": "in", "values": [1]}]}, "values", "value"),
        (COUNT | {"filters": [{"any_of": [{"col": "x", "op": "eq", "value": 1}]}]}, "eq", "=="),
        (COUNT | {"sort": {"by": "count", "asc": True}}, "asc", "ascending"),
        ({"op": "resample", "date_col": "日付", "unit": "monthly"}, "monthly", "month"),
        ({"op": "derive", "name": "x", "expression": {"fn": "mul"}}, "mul", "multiply"),
        (
            {"op": "derive", "name": "x", "expression": {"fn": "abs", "off": 1}},
            "off",
            "of",
        ),
    ],
)
def test_an_unknown_word_is_refused_with_the_nearest(
    data: dict[str, Any], word: str, candidate: str
) -> None:
    for language in ("ja", "en"):
        with use_language(language):
            problem = refused(data)
        assert word in problem.message
        assert candidate in problem.hint
        candidates = problem.details["candidates"]
        assert isinstance(candidates, list)
        assert candidate in candidates


MISTAKES: list[tuple[object, str]] = [
    ([COUNT], "analysis_spec_no_object"),
    ("groupby_agg", "analysis_spec_no_object"),
    ({}, "analysis_spec_missing"),
    ({"op": None}, "analysis_spec_missing"),
    ({"op": ["groupby_agg"]}, "analysis_spec_unknown_op"),
    ({"op": "share_ratio"}, "analysis_spec_missing"),
    (COUNT | {"top_k": 0}, "analysis_spec_bounds"),
    (COUNT | {"top_k": "many"}, "analysis_spec_not.whole_number"),
    (COUNT | {"group_cols": "店舗"}, "analysis_spec_not.list"),
    (COUNT | {"group_cols": [""]}, "analysis_spec_length"),
    (COUNT | {"group_cols": [3]}, "analysis_spec_not.text"),
    (COUNT | {"filters": ["売上 > 3"]}, "analysis_spec_not.object"),
    (
        COUNT | {"filters": [{"col": "売上", "op": ">", "value": [1]}]},
        "analysis_spec_not.value",
    ),
    (COUNT | {"filters": [{"any_of": [{"any_of": []}]}]}, "analysis_spec_nested_any_of"),
    ({"op": "distribution", "columns": []}, "analysis_spec_length"),
    ({"op": "impute", "columns": ["売上"], "method": "constant"}, "analysis_spec_impute"),
    ({"kind": "box", "y": "売上", "x_unit": "month"}, "analysis_spec_box"),
    ({"op": "derive", "name": "x", "expression": {"of": 1}}, "analysis_spec_missing"),
    ({"op": "derive", "name": "x", "expression": "売上 * 2"}, "analysis_spec_not.object"),
    (
        {
            "op": "derive",
            "name": "x",
            "expression": {"fn": "bin", "of": {"fn": "column", "name": "a"}, "edges": [2, 1]},
        },
        "analysis_spec_bin",
    ),
]


@pytest.mark.parametrize(("data", "text_id"), MISTAKES)
def test_each_kind_of_mistake_has_its_own_words(data: object, text_id: str) -> None:
    problem = refused(data)
    assert problem.text_id == text_id
    words = problem.message + problem.hint
    assert "Input should" not in words
    assert "pydantic" not in words


def test_an_expression_that_is_too_deep_is_refused_before_it_is_built() -> None:
    tree: dict[str, Any] = {"fn": "column", "name": "売上"}
    for _ in range(5000):
        tree = {"fn": "negate", "of": tree}
    problem = refused({"op": "derive", "name": "x", "expression": tree})
    assert problem.text_id == "analysis_spec_expression_size"


def test_braces_and_line_breaks_in_a_word_are_shown_as_text() -> None:
    problem = refused({"op": "{op}\n{0.__class__}" * 50})
    assert "{op} {0.__class__}" in problem.message
    assert "\n" not in problem.message
    assert len(problem.message) < 200


def test_every_operation_chart_and_operator_is_known() -> None:
    assert len(OPERATIONS) == 24
    assert set(CHARTS) > {"hist", "scatter", "line", "bar", "pie", "box"}
    assert {"==", "in", "contains", "is_null", "not_outlier"} < set(OPERATORS)


def test_specs_of_earlier_versions_are_still_read() -> None:
    of = {"fn": "column", "name": "v"}
    for old, new in (({"quantiles": True, "count": 4}, 4), ({"quantiles": False}, None)):
        made = read_spec(
            {"op": "derive", "name": "x", "expression": {"fn": "bin", "of": of, **old}}
        )
        assert made.model_dump()["expression"]["quantiles"] == new
    for by, names in ((None, ()), ("g", ("g",)), (["g", "h"], ("g", "h"))):
        made = read_spec({"op": "distribution", "columns": ["v"], "by": by})
        assert made.model_dump()["by"] == names


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
FIELDS = sorted({field for model in OPERATIONS.values() for field in model.model_fields})


def outcome(data: object) -> AnalysisSpec | PlotSpec | Problem:
    try:
        return read_spec(data)
    except InvalidInput as error:
        return error.problem


@given(
    st.sampled_from(sorted(OPERATIONS)),
    st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), JSON, max_size=4),
)
def test_whatever_comes_is_a_spec_or_a_problem(op: str, fields: dict[str, Any]) -> None:
    came = outcome(fields | {"op": op, "type": "analysis"})
    if isinstance(came, Problem):
        assert came.message
    else:
        assert came.type == "analysis"
        assert columns_of(came) == columns_of(read_spec(came.model_dump()))


@given(JSON)
def test_whatever_expression_comes_is_a_spec_or_a_problem(expression: Any) -> None:
    fields = {"op": "derive", "name": "x", "expression": {"fn": "abs", "of": expression}}
    assert isinstance(outcome(fields), Derive | Problem)
