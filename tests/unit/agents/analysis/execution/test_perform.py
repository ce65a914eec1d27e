"""A job from outside: checked again, executed, answered in the person's language."""

import io
import json
from typing import cast, get_args

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sanbo.agents.analysis.execution.perform import warm_up
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.worker import perform
from sanbo.kernel.messages import Language, current_language, use_language
from sanbo.kernel.problems import InvalidInput
from tests.unit.agents.analysis.execution.performing import arrow_file, done, sales_file

DATA = sales_file()


@pytest.mark.parametrize(
    "job",
    [
        b"",
        b"[]",
        b'{"execute": {"spec": {"type": "analysis", "op": "exec", "code": "1"}}}',
        b'{"execute": {"spec": {"type": "analysis", "op": "missingness", "more": 1}}}',
        b'{"execute": {"spec": {"type": "other"}}}',
        b'{"run": "ls"}',
    ],
)
def test_a_job_that_is_not_in_the_vocabulary_is_refused(job: bytes) -> None:
    with pytest.raises(ValidationError):
        perform(job, [memoryview(DATA)], io.BytesIO())


def test_every_operation_refuses_a_column_that_is_not_there_with_the_nearest() -> None:
    specs = [
        {"op": "missingness", "columns": ["売上高"]},
        {"op": "column_summary", "columns": ["売上高"]},
        {"op": "duplicate_check", "columns": ["売上高"]},
        {"op": "top_rows", "by": ["売上高"]},
        {"op": "groupby_agg", "group_cols": ["売上高"]},
        {"op": "groupby_agg", "metrics": {"売上高": ["sum"]}},
        {"op": "share_ratio", "group_col": "売上高"},
        {"op": "pivot", "rows": ["売上高"], "columns": "店舗"},
        {"op": "resample", "date_col": "売上高", "unit": "month"},
        {"op": "cumulative", "column": "売上高"},
        {"op": "lag", "column": "売上高"},
        {"op": "rolling", "column": "売上高", "window": 3},
        {"op": "compare_periods", "date_col": "日付", "unit": "month", "column": "売上高"},
        {"op": "cohort", "id_col": "売上高", "date_col": "日付"},
        {"op": "normalize", "columns": ["売上高"]},
        {"op": "distribution", "columns": ["売上高"]},
        {"op": "outliers", "column": "売上高"},
        {"op": "correlation_matrix", "columns": ["売上高"]},
        {"op": "compare_groups", "value_col": "売上高", "group_col": "店舗"},
        {"op": "derive", "name": "x", "expression": {"fn": "column", "name": "売上高"}},
        {"op": "cast", "column": "売上高", "to": "number"},
        {"op": "impute", "columns": ["売上高"], "method": "mean"},
        {"op": "dedup", "columns": ["売上高"]},
        {"op": "unpivot", "columns": ["売上高", "売上"]},
        {"op": "dataset_overview", "filters": [{"col": "売上高", "op": "is_null"}]},
    ]
    asked = {str(spec["op"]) for spec in specs}
    assert asked == {
        str(one.model_fields["op"].default) for one in get_args(get_args(AnalysisSpec)[0])
    }
    for spec in specs:
        with pytest.raises(InvalidInput) as refused:
            done(spec, DATA)
        assert "売上高" in refused.value.problem.message, spec
        assert "売上" in refused.value.problem.hint, spec


@pytest.mark.parametrize("language", ["ja", "en"])
def test_texts_are_in_the_persons_language_and_the_process_keeps_its_own(
    language: Language,
) -> None:
    with use_language("en"):
        found = done({"op": "dataset_overview"}, DATA, language)
        assert current_language() == "en"
    assert found.table.title == ("表の概要" if language == "ja" else "Overview of the table")


def test_a_plot_gives_a_figure_and_its_numbers_as_the_table() -> None:
    found = done({"kind": "bar", "x": "カテゴリ", "y": "数量"}, DATA, kind="plot")
    assert len(found.outcome.figures[0].vega["data"]["values"]) == 3
    assert found.frame.rows == 3


@pytest.mark.parametrize("rows", [0, 1])
def test_no_or_one_row_is_answered_or_refused_but_never_a_defect(rows: int) -> None:
    frame = pd.DataFrame(
        {"g": ["a"] * rows, "v": [1.5] * rows, "d": pd.to_datetime(["2025-01-01"] * rows)}
    ).astype({"g": "str", "v": "float64", "d": "datetime64[us]"})
    data = arrow_file(frame, {"g": "text", "v": "number", "d": "date"})
    tree = {"fn": "zscore", "of": {"fn": "column", "name": "v"}}
    for spec in (
        {"op": "dataset_overview"},
        {"op": "missingness"},
        {"op": "column_summary"},
        {"op": "duplicate_check"},
        {"op": "top_rows", "by": ["v"]},
        {"op": "groupby_agg", "group_cols": ["g"], "metrics": {"v": ["sum", "std"]}},
        {"op": "share_ratio", "group_col": "g", "value_col": "v"},
        {"op": "pivot", "rows": ["g"], "columns": "g", "value": "v", "totals": True},
        {"op": "resample", "date_col": "d", "unit": "week", "fill_gaps": True},
        {"op": "cumulative", "column": "v", "kind": "share"},
        {"op": "lag", "column": "v", "periods": 3},
        {"op": "rolling", "column": "v", "window": 3, "agg": "std"},
        {"op": "compare_periods", "date_col": "d", "unit": "month", "column": "v", "by": ["g"]},
        {"op": "cohort", "id_col": "g", "date_col": "d", "value_col": "v", "as_share": True},
        {"op": "normalize", "columns": ["v"], "by": "g"},
        {"op": "distribution", "columns": ["v"]},
        {"op": "outliers", "column": "v", "method": "zscore"},
        {"op": "correlation_matrix", "columns": ["v"], "only_named": True},
        {"op": "compare_groups", "value_col": "v", "group_col": "g"},
        {"op": "derive", "name": "z", "expression": tree},
        {"op": "cast", "column": "v", "to": "text"},
        {"op": "impute", "columns": ["v"], "method": "mean"},
        {"op": "dedup"},
        {"op": "unpivot", "columns": ["v", "v"]},
    ):
        try:
            found = done(spec, data)
        except InvalidInput:
            continue
        assert found.outcome.tables, spec
        assert found.frame.names, spec


def test_infinite_numbers_are_empty_cells_and_said() -> None:
    data = arrow_file(pd.DataFrame({"v": [1.0, np.inf]}), {"v": "number"})
    found = done({"op": "groupby_agg", "metrics": {"v": ["sum"]}}, data)
    assert found.column("v_sum") == [None]
    assert "無限大" in found.cautions


@pytest.mark.parametrize("name", ["{0}", "{column}", "%s", "a\nb", "</script>", "$x$", "\u202ex"])
def test_hostile_column_names_and_cells_are_only_text(name: str) -> None:
    frame = pd.DataFrame({name: pd.Series([name, name, None], dtype="str"), "v": [1, 2, 3]})
    data = arrow_file(frame, {name: "text", "v": "integer"})
    spec = {"op": "groupby_agg", "group_cols": [name], "metrics": {"v": ["sum"]}}
    found = done(spec, data)
    assert found.column(name) == [name, "（空欄）"]
    with pytest.raises(InvalidInput) as refused:
        done({"op": "groupby_agg", "metrics": {name: ["sum"]}}, data)
    assert " ".join(name.split()) in refused.value.problem.message


def test_warming_up_answers_the_first_questions() -> None:
    warm_up()


def test_a_long_cell_is_shortened_for_people_and_whole_for_the_next_spec() -> None:
    frame = pd.DataFrame({"t": pd.Series(["あ" * 9000], dtype="str")})
    found = done({"op": "top_rows"}, arrow_file(frame, {"t": "text"}))
    assert len(cast("str", found.column("t")[0])) == 500
    assert len(found.frame.pandas()["t"].iloc[0]) == 9000
    assert json.loads(found.outcome.model_dump_json())["used_rows"] == 1
