"""A part of a reading as a form, and the spec with that part changed."""

import pytest

from sanbo.agents.analysis.spec.chips import chips_of
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.spec.reading_form import changed_spec, reading_form
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import JsonObject

COLUMNS = ("日付", "店舗", "売上", "数量")
PLOT: JsonObject = {
    "result_id": "r1",
    "type": "plot",
    "kind": "line",
    "x": "日付",
    "x_unit": "month",
    "y": "売上",
    "agg": "sum",
    "color": "店舗",
    "filters": [{"col": "店舗", "op": "in", "value": ["新宿", "大阪"]}],
}
TOTALS: JsonObject = {
    "type": "analysis",
    "op": "groupby_agg",
    "group_cols": ["店舗"],
    "metrics": {"売上": ["sum"]},
    "sort": {"by": "売上_sum", "ascending": False},
    "top_k": 5,
    "filters": [{"col": "売上", "op": ">=", "value": 1000}],
}
CHANGES: list[tuple[JsonObject, list[str], JsonObject, JsonObject]] = [
    (PLOT, ["/kind"], {"0-value": "bar"}, {"kind": "bar"}),
    (PLOT, ["/y", "/agg"], {"0-value": "数量", "1-value": "mean"}, {"y": "数量", "agg": "mean"}),
    (PLOT, ["/filters/0"], {"0-removed": True}, {"filters": []}),
    (PLOT, ["/color"], {"0-value": "日付"}, {"color": "日付"}),
    (
        TOTALS,
        ["/metrics/売上"],
        {"0-column": "数量", "0-agg": "mean"},
        {"metrics": {"数量": ["mean"]}, "sort": {"by": "数量_mean", "ascending": False}},
    ),
    (TOTALS, ["/group_cols/0"], {"0-value": "日付"}, {"group_cols": ["日付"]}),
    (TOTALS, ["/sort"], {"0-value": "value_asc"}, {"sort": {"by": "売上_sum", "ascending": True}}),
    (TOTALS, ["/top_k"], {"0-value": 3}, {"top_k": 3}),
    (
        TOTALS,
        ["/filters/0"],
        {"0-col": "数量", "0-value": "2,000"},
        {"filters": [{"col": "数量", "op": ">=", "value": 2000}]},
    ),
]


@pytest.mark.parametrize(("spec", "path", "values", "expected"), CHANGES)
def test_what_is_filled_in_is_what_the_spec_says(
    spec: JsonObject, path: list[str], values: JsonObject, expected: JsonObject
) -> None:
    fields = {field.id: field for field in reading_form(spec, path, COLUMNS)}
    assert values.keys() <= fields.keys()
    changed = changed_spec(spec, path, values)
    bare = {name: value for name, value in changed.items() if name != "result_id"}
    assert {name: changed[name] for name in expected} == expected
    assert read_spec(bare)
    assert changed.get("result_id") == spec.get("result_id")
    # Sent as it was offered, a form changes nothing.
    offered = {name: field.default for name, field in fields.items()}
    before = changed_spec(spec, path, {})
    assert changed_spec(spec, path, offered) == before


@pytest.mark.parametrize("spec", [PLOT, TOTALS])
def test_every_chip_of_a_reading_has_a_form_in_the_readers_words(spec: JsonObject) -> None:
    bare = {name: value for name, value in spec.items() if name != "result_id"}
    for language in ("ja", "en"):
        with use_language(language):
            for chip in chips_of([read_spec(bare)], language):
                fields = reading_form(spec, chip.path, COLUMNS)
                assert fields, chip
                labels = [field.label for field in fields]
                assert not any("_" in label for label in labels), labels
                options = [option.label for field in fields for option in field.options]
                if language == "ja":
                    assert not any(option.isascii() for option in options), options


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidInput):
        changed_spec(PLOT, ["/agg"], {"0-value": "rm -rf"})
