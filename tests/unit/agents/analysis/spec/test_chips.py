"""What is said back of a spec: in the person's words, and nothing that matters left out."""

from collections.abc import Iterator
from importlib import import_module
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from sanbo.agents.analysis.spec.chips import ROLES, Chip, spoken
from sanbo.agents.analysis.spec.operations import OPERATIONS, AnalysisSpec
from sanbo.agents.analysis.spec.plots import Plot, PlotSpec
from sanbo.agents.analysis.spec.reading import CHARTS, read_spec
from sanbo.agents.analysis.spec.words import ColumnMark
from sanbo.kernel.messages import Language, has_text
from tests.examples import examples

Spec = AnalysisSpec | PlotSpec
LANGUAGES: tuple[Language, ...] = ("ja", "en")


def said(spec: dict[str, Any], language: Language = "ja") -> dict[str, list[str]]:
    by_role: dict[str, list[str]] = {}
    for chip in spoken(read_spec(spec), language):
        by_role.setdefault(chip.role, []).append(chip.text)
    return by_role


SALES = {"op": "groupby_agg", "group_cols": ["店舗"], "metrics": {"売上金額": ["sum"]}}
SAID: list[tuple[dict[str, Any], dict[str, list[str]], dict[str, list[str]]]] = [
    (
        {
            **SALES,
            "filters": [
                {"col": "店舗", "op": "!=", "value": "大阪店"},
                {"col": "日付", "op": "==", "value": "2025-04"},
            ],
            "sort": {"by": "売上金額_sum"},
            "top_k": 5,
        },
        {
            "measure": ["売上金額の合計"],
            "group": ["店舗"],
            "condition": ["大阪店を除く（店舗）"],
            "period": ["2025年4月（日付）"],
            "order": ["多い順"],
            "limit": ["上位5件"],
        },
        {
            "measure": ["total of 売上金額"],
            "group": ["店舗"],
            "condition": ["excluding 大阪店 (店舗)"],
            "period": ["April 2025 (日付)"],
            "order": ["largest first"],
            "limit": ["first 5"],
        },
    ),
    (
        {
            "op": "compare_periods",
            "date_col": "日付",
            "unit": "month",
            "by": ["店舗"],
            "only": "decreased",
        },
        {
            "step": ["期間の比較"],
            "measure": ["件数"],
            "group": ["店舗"],
            "condition": ["減ったものだけ"],
            "period": ["最新の月（日付）", "前の月と比べる"],
        },
        {
            "step": ["period against period"],
            "measure": ["number of rows"],
            "group": ["店舗"],
            "condition": ["only decreases"],
            "period": ["latest month (日付)", "against the month before"],
        },
    ),
    (
        {"kind": "bar", "x": "日付", "x_unit": "month", "y": "売上", "agg": "mean"},
        {"chart": ["棒グラフ"], "measure": ["売上の平均"], "group": ["日付の月ごと"]},
        {"chart": ["bar chart"], "measure": ["average of 売上"], "group": ["month of 日付"]},
    ),
]


@pytest.mark.parametrize(("spec", "ja", "en"), SAID)
def test_a_spec_is_said_in_the_persons_words(
    spec: dict[str, Any], ja: dict[str, list[str]], en: dict[str, list[str]]
) -> None:
    assert (said(spec), said(spec, "en")) == (ja, en)


def test_every_operation_has_its_record_and_its_phrase() -> None:
    for name, model in OPERATIONS.items():
        executors = import_module(f"sanbo.agents.analysis.execution.{model.module}")
        assert callable(getattr(executors, name))
        fields = set(model.model_fields) - {"op", "type", "input", "filters", "sample"}
        words = set(model.prompt().replace(",", " ").replace(".", " ").split())
        required = {one for one in fields if model.model_fields[one].is_required()}
        assert required <= words, (name, required - words)
        assert len(model.prompt()) <= 220
        if name not in ("groupby_agg", "resample"):  # said by their measures and groups alone
            assert has_text(f"analysis_chip.op.{name}")
    assert all(has_text(f"analysis_chip.kind.{kind}") for kind in CHARTS)


# ---- completeness: values for a field by its type, and one field changed ----

COLUMNS = ["店舗", "売上", "日付", "rate/月", "件数"]
CONDITIONS: list[dict[str, Any]] = [
    *({"col": col, "op": op, "value": 3} for col in ("売上", "件数") for op in ("==", "!=", "<")),
    {"col": "店舗", "op": "==", "value": "大阪店"},
    {"col": "店舗", "op": "in", "value": ["大阪店", "東京店"]},
    {"col": "店舗", "op": "not_in", "value": ["大阪店", "東京店"]},
    {"col": "店舗", "op": "contains", "value": "宿"},
    {"col": "店舗", "op": "not_contains", "value": "宿"},
    {"col": "店舗", "op": "starts_with", "value": "宿"},
    {"col": "日付", "op": "==", "value": "2025-04"},
    {"col": "日付", "op": ">=", "value": "2025-04"},
    {"col": "日付", "op": ">", "value": "2025-04-01"},
    {"col": "日付", "op": "==", "value": "FY2025"},
    {"col": "日付", "op": "==", "value": "2025"},
    {"col": "日付", "op": "is_null"},
    {"col": "売上", "op": "<", "stat": "mean"},
    {"col": "売上", "op": "<", "stat": "mean", "by": "店舗"},
    {"col": "売上", "op": "not_outlier"},
    {"col": "売上", "op": "is_outlier", "method": "zscore"},
    {"col": "売上", "op": "not_outlier", "threshold": 2, "by": "店舗"},
    {"col": "売上", "op": "not_outlier", "method": "zscore", "ddof": 0},
]
SALES_COLUMN = {"fn": "column", "name": "売上"}
EXPRESSIONS: list[dict[str, Any]] = [
    SALES_COLUMN,
    {"fn": "constant", "value": 3},
    {"fn": "constant", "value": "売上"},
    *(
        {"fn": fn, "left": SALES_COLUMN, "right": {"fn": "constant", "value": 2}}
        for fn in ("add", "divide")
    ),
    {"fn": "log", "of": SALES_COLUMN},
    {"fn": "log", "of": SALES_COLUMN, "base": "10", "plus_one": True},
    {"fn": "round", "of": SALES_COLUMN, "digits": 2},
    {"fn": "zscore", "of": SALES_COLUMN, "by": "店舗"},
    {"fn": "date_part", "of": {"fn": "column", "name": "日付"}, "part": "weekday"},
    {"fn": "date_part", "of": {"fn": "column", "name": "日付"}, "part": "month"},
    *({"fn": "bin", "of": SALES_COLUMN, key: 4} for key in ("width", "quantiles", "count")),
    {"fn": "bin", "of": SALES_COLUMN, "edges": [0, 1, 2]},
    {"fn": "bin", "of": SALES_COLUMN, "edges": [0, 1, 2], "labels": ["低", "高"]},
    {"fn": "join", "parts": [SALES_COLUMN, SALES_COLUMN], "separator": "-"},
    {
        "fn": "if",
        "condition": {
            "fn": "compare",
            "left": SALES_COLUMN,
            "op": ">=",
            "right": {"fn": "constant", "value": 1},
        },
        "then": SALES_COLUMN,
    },
]
BY_FIELD: dict[str, list[Any]] = {
    "filters": [[], *([one] for one in CONDITIONS), [{"any_of": CONDITIONS[:2]}], CONDITIONS[3:5]],
    "expression": EXPRESSIONS,
    "metrics": [
        {},
        {"売上": ["sum"]},
        {"売上": ["mean"]},
        {"売上": ["sum", "mean"], "件数": ["range"]},
    ],
    "methods": [{}, {"売上": "mean"}, {"売上": "median"}, {"売上": "mean", "店舗": "drop_rows"}],
    "sort": [
        None,
        {"by": "売上_sum"},
        {"by": "売上_mean"},
        {"by": "店舗", "ascending": True},
        "rate_asc",
        "difference_desc",
        "difference_asc",
        "value_desc",
        "value_asc",
        "label",
        "none",
    ],
    "period": [None, "2025-04", "2025-05", "2025-Q1", "FY2025"],
    "input": ["dataset", "r1", "r2"],
    "abc": [[0.7, 0.9], [0.5, 0.8]],
    "quantiles": [[0.25, 0.5, 0.75], [0.1]],
    "name": ["利益", "新しい列"],
    "title": ["", "売上の図"],
}


def values(annotation: Any, marks: tuple[Any, ...] = ()) -> list[Any]:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return values(inner[0], inner[1:])
    if any(isinstance(mark, ColumnMark) for mark in marks):
        return COLUMNS
    if origin is Literal:
        return list(inner)
    if origin in (Union, UnionType):
        return list(dict.fromkeys(one for arm in inner for one in values(arm)))
    if origin is tuple:
        parts = values(inner[0])
        return [[], [parts[0]], [parts[1]], [parts[0], parts[1]]]
    plain: dict[Any, list[Any]] = {
        type(None): [None],
        bool: [False, True],
        int: [1, 3, 12],
        float: [0.01, 0.05, 2.5],
        str: ["大阪店"],
    }
    return plain[annotation]


def choices(model: type[BaseModel]) -> dict[str, list[Any]]:
    fields = {
        name: one for name, one in model.model_fields.items() if name not in ("type", "op", "kind")
    }
    return {
        name: BY_FIELD.get(name) or values(field.annotation, tuple(field.metadata))
        for name, field in fields.items()
    }


MODELS: list[tuple[str, str, type[BaseModel]]] = [
    *(("op", name, model) for name, model in OPERATIONS.items()),
    *(("kind", name, model) for name, model in CHARTS.items()),
]


@st.composite
def specs(draw: st.DrawFn) -> tuple[dict[str, Any], str, Any]:
    """A spec, one of its fields, and another value for that."""
    key, name, model = draw(st.sampled_from(MODELS))
    given_values: dict[str, Any] = {key: name}
    for field, known in choices(model).items():
        if model.model_fields[field].is_required() or draw(st.integers(0, 3)) == 0:
            given_values[field] = draw(st.sampled_from(known))
    field = draw(st.sampled_from(sorted(choices(model))))
    return given_values, field, draw(st.sampled_from(choices(model)[field]))


def effective(spec: Spec) -> dict[str, Any]:
    """Without what has no part in the result: the aggregate of no column, the way of no order."""
    fields = spec.model_dump(mode="json")
    unused = {
        "pivot": (("value", "agg"),),
        "compare_periods": (("column", "agg"),),
        "top_rows": (("by", "ascending"),),
        "bar": (("y", "agg"),),
        "line": (("y", "agg"),),
        "pie": (("y", "agg"),),
        "area": (("y", "agg"),),
    }
    for needed, field in unused.get(str(fields.get("op") or fields.get("kind")), ()):
        if not fields[needed]:
            fields.pop(field)
    if fields.get("op") == "outliers" and fields["threshold"] is None:
        fields["threshold"] = None
    return fields


@settings(max_examples=examples(600), deadline=None)
@given(specs())
def test_specs_that_differ_in_what_matters_are_said_differently(
    drawn: tuple[dict[str, Any], str, Any],
) -> None:
    first, field, other = drawn
    try:
        one, two = read_spec(first), read_spec({**first, field: other})
    except Exception:
        assume(False)
        raise
    assume(effective(one) != effective(two))
    for language in LANGUAGES:
        assert _texts(one, language) != _texts(two, language), (one, two)


def _texts(spec: Spec, language: Language) -> list[tuple[str, str]]:
    chips = spoken(spec, language)
    assert [ROLES.index(chip.role) for chip in chips] == sorted(
        ROLES.index(chip.role) for chip in chips
    )
    assert all(chip.text.strip() and "{" not in chip.text for chip in chips)
    assert all(_resolves(chip, spec) for chip in chips)
    return [(chip.role, chip.text) for chip in chips]


def _resolves(chip: Chip, spec: Spec) -> bool:
    """Its pointers lead somewhere in the spec."""
    for pointer in chip.path:
        here: object = spec.model_dump(mode="json")
        for part in _parts(pointer):
            if isinstance(here, list):
                here = cast("list[object]", here)[int(part)]
            else:
                here = cast("dict[str, object]", here)[part]
    return bool(chip.path)


def _parts(pointer: str) -> Iterator[str]:
    for part in pointer.split("/")[1:]:
        yield part.replace("~1", "/").replace("~0", "~")


def test_the_plots_of_the_vocabulary_are_plots() -> None:
    assert all(issubclass(model, Plot) for model in CHARTS.values())
    with pytest.raises(ValidationError):
        Chip.model_validate({"role": "other", "text": "x", "path": ()})
