"""Charts as data: what is drawn is the table, and names of tables are nothing but text."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

import pytest
import vl_convert
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.picture import VERSION
from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.execution.perform import draw
from sanbo.agents.analysis.outcome import Vega
from sanbo.agents.analysis.spec.filters import Compare
from sanbo.agents.analysis.spec.plots import (
    Area,
    Bar,
    Box,
    Heatmap,
    Hist,
    Line,
    Pie,
    Plot,
    Scatter,
)
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.agents.analysis.charts.tables import frame_of, names, sales

EVERY_KIND: list[Plot] = [
    Bar(x="店舗", y="売上"),
    Bar(x="日付", x_unit="month", y="売上", color="カテゴリ", stacked=True),
    Bar(x="日付", x_unit="month", y="売上", facet="店舗"),
    Bar(x="店舗", color="カテゴリ", normalized=True, horizontal=True),
    Line(x="日付", x_unit="month", y="売上", color="店舗"),
    Line(x="日付", y="売上"),
    Area(x="日付", x_unit="month", y="売上", color="店舗"),
    Area(x="日付", x_unit="month", color="店舗", normalized=True),
    Pie(x="カテゴリ"),
    Pie(x="カテゴリ", facet="店舗"),
    Hist(x="売上", color="カテゴリ"),
    Hist(x="達成率", facet="店舗"),
    Hist(x="店舗"),
    Scatter(x="達成率", y="売上", color="店舗", size="達成率"),
    Scatter(x="日付", y="売上"),
    Box(x="店舗", y="売上", color="カテゴリ"),
    Box(x="日付", x_unit="month", y="売上"),
    Box(y="売上", facet="店舗"),
    Heatmap(x="日付", x_unit="month", by="店舗", y="売上"),
    Heatmap(x="店舗", by="カテゴリ", facet="店舗"),
]
HOSTILE = [
    "datum.value",
    "a.b[0]['c']\\d",
    "__proto__",
    "c0",
    "改行\nと\tタブ\x00\x1b[31m",
    "\u202e右から左",
    "<script>alert(1)</script>",
    "https://evil.example/x.json",
    "' + alert(1) + '",
    "😀𠮷①㈱髙﨑",
    "",
    "長い" * 400,
]


def _vega(spec: Plot, frame: Frame) -> Vega:
    return draw(spec, frame).figures[0].vega


def _compiled(vega: Vega) -> dict[str, Any]:
    return vl_convert.vegalite_to_vega(vega, VERSION)


def _within(value: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Every part of a spec with the name it has there, but for the rows of its data."""
    yield key, value
    if isinstance(value, dict):
        for name, part in cast("dict[str, object]", value).items():
            if name != "values":
                yield from _within(part, name)
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            yield from _within(part, key)


def _encodings(vega: Vega, channel: str) -> list[dict[str, Any]]:
    return [
        cast("dict[str, Any]", part)
        for key, part in _within(vega)
        if key == channel and isinstance(part, dict) and "field" in part
    ]


def test_every_kind_is_tried_here() -> None:
    assert {spec.kind for spec in EVERY_KIND} == set(KINDS)


@pytest.mark.parametrize("spec", EVERY_KIND, ids=lambda spec: spec.kind)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_is_drawn_is_the_table_and_compiles(spec: Plot, language: Any) -> None:
    with use_language(language):
        outcome = draw(spec, sales())
        figure = outcome.figures[0]
    values = figure.vega["data"]["values"]
    figures = [
        tuple(values[at][f"c{place}"] for at in range(len(values)))
        for place, column in enumerate(figure.table.columns)
        if column.kind in ("integer", "number", "share")
        and all(isinstance(row.get(f"c{place}"), int | float | None) for row in values)
    ]
    assert figures
    numbers = [
        tuple(row[place] for row in figure.table.rows)
        for place, column in enumerate(figure.table.columns)
        if column.kind in ("integer", "number", "share")
    ]
    for drawn, shown in zip(figures, numbers, strict=True):
        there = [cell for cell in drawn if cell is not None]
        assert there[: len(shown)] == [cell for cell in shown if cell is not None]
    assert _compiled(json.loads(json.dumps(figure.vega)))["marks"]


@pytest.mark.parametrize("column", HOSTILE[:-2])
def test_names_are_shown_and_never_obeyed(column: str) -> None:
    data = {column: HOSTILE, "値": list(range(1, len(HOSTILE) + 1))}
    frame = frame_of(data, {column: "text", "値": "integer"}, {"値": "'+x"})
    specs: list[Plot] = [
        Bar(x=column, y="値"),
        Bar(x="値", color=column, stacked=True),
        Line(x=column, y="値", title=f"{column} {{0}}"),
        Pie(x=column, y="値", top_k=20),
        Box(x=column, y="値"),
        Scatter(x="値", y="値", color=column),
        Hist(x=column),
        Heatmap(x=column, by=column, y="値"),
        Bar(x="値", facet=column),
    ]
    known = {f"c{place}" for place in range(12)} | {"text", "order"}
    for spec in specs:
        outcome = draw(spec, frame)
        vega = outcome.figures[0].vega
        for key, part in _within(vega):
            if key == "field":
                assert part in known
            if key in ("labelExpr", "calculate", "expr", "test") and isinstance(part, str):
                assert part.startswith("format(datum.value")
                assert column not in part.replace("datum.value", "", 1) or column == "c0"
            assert key not in ("url", "href", "transform_url")
        assert set(vega["data"]) == {"values"}
        assert all(set(row) <= known for row in vega["data"]["values"])
        for text in (outcome.figures[0].title, outcome.figures[0].alt):
            assert text.isprintable()
        _compiled(vega)


def test_names_that_look_the_same_stay_apart() -> None:
    data = {"名": ["2025-04", "2025年4月", None, "（空欄）"], "値": [1, 2, 3, 4]}
    vega = _vega(Bar(x="名", y="値"), frame_of(data, {"名": "text", "値": "integer"}))
    assert len({row["c0"] for row in vega["data"]["values"]}) == 4


def test_the_table_keeps_the_cells_as_they_are() -> None:
    frame = frame_of({"名": ["😀\n", "𠮷"], "値": [1, 2]}, {"名": "text", "値": "integer"})
    assert [row[0] for row in draw(Bar(x="名", y="値"), frame).figures[0].table.rows] == [
        "😀\n",
        "𠮷",
    ]


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=8) | st.none(),
            st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(2**60), 2**60),
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(sorted(KINDS)),
)
def test_any_table_gives_a_chart_or_a_reason(
    rows: list[tuple[str | None, float]], kind: str
) -> None:
    data = {"名": [name for name, _ in rows], "値": [float(value) for _, value in rows]}
    frame = frame_of(data, {"名": "text", "値": "number"})
    specs: dict[str, Plot] = {
        "area": Area(x="値", y="値", color="名"),
        "bar": Bar(x="名", y="値", color="値", facet="名"),
        "line": Line(x="値", y="値"),
        "pie": Pie(x="名", y="値"),
        "hist": Hist(x="値", color="名"),
        "box": Box(x="名", y="値"),
        "scatter": Scatter(x="値", y="値", size="値", color="名"),
        "heatmap": Heatmap(x="名", by="値", y="値"),
    }
    with suppress(InvalidInput):  # its message and hint are a person's to read
        vega = _vega(specs[kind], frame)
        json.dumps(vega, allow_nan=False)
        _compiled(vega)


def test_large_amounts_are_in_ten_thousands_and_the_axis_says_so() -> None:
    (axis,) = _encodings(_vega(Bar(x="店舗", y="売上"), sales()), "y")
    assert axis["title"] == "売上（合計・万円）"
    assert axis["axis"]["labelExpr"] == "format(datum.value / 10000, ',.10~g')"


@pytest.mark.parametrize(
    ("unit", "amounts", "title"),
    [
        ("円", [3_000_000_000, 12_000_000_000], "売上（億円）"),
        ("千円", [3_000_000, 12_000_000], "売上（千円）"),
        ("円", [3, 5], "売上（円）"),
        ("", [3, 5], "売上"),
    ],
)
def test_an_axis_has_the_unit_in_which_it_counts(unit: str, amounts: list[int], title: str) -> None:
    frame = frame_of(
        {"名": ["a", "b"], "売上": amounts}, {"名": "text", "売上": "currency"}, {"売上": unit}
    )
    assert _encodings(_vega(Bar(x="名", y="売上"), frame), "y")[0]["title"] == title


def test_years_have_no_thousands_separator() -> None:
    data = {"年": list(range(1990, 2020)), "値": list(range(30))}
    vega = _vega(Line(x="年", y="値"), frame_of(data, {"年": "integer", "値": "integer"}))
    assert "," not in _encodings(vega, "x")[0]["axis"]["labelExpr"].replace(", ", "")


def test_dates_are_written_as_people_of_the_language_write_them() -> None:
    monthly = Line(x="日付", x_unit="month", y="売上")
    assert _vega(monthly, sales())["data"]["values"][0]["c0"] == "2024年1月"
    daily = Line(x="日付", y="売上")
    assert _encodings(_vega(daily, sales()), "x")[0]["axis"]["format"] == "%Y年%-m月"
    cyclic = Bar(x="日付", x_unit="month_of_year", y="売上")
    assert _vega(cyclic, sales())["data"]["values"][3]["c0"] == "4月"
    weekly = _encodings(_vega(Bar(x="日付", x_unit="weekday", y="売上"), sales()), "x")[0]
    assert weekly["sort"][0] == "月曜日"
    assert len(weekly["sort"]) == 7
    with use_language("en"):
        assert _vega(monthly, sales())["data"]["values"][0]["c0"] == "2024-01"
        assert _encodings(_vega(daily, sales()), "x")[0]["axis"]["format"] == "%b %Y"


def test_stacks_shares_and_neighbours_are_told_apart() -> None:
    beside = _vega(Bar(x="店舗", color="カテゴリ"), sales())
    assert _encodings(beside, "xOffset")
    assert _encodings(beside, "y")[0]["stack"] is None
    stacked = _vega(Bar(x="店舗", color="カテゴリ", stacked=True), sales())
    assert not _encodings(stacked, "xOffset")
    assert _encodings(stacked, "y")[0]["stack"] == "zero"
    shares = _encodings(_vega(Bar(x="店舗", color="カテゴリ", normalized=True), sales()), "y")[0]
    assert shares["field"] == "c3"
    assert "%" in shares["title"]


def test_long_names_lie_down_and_are_all_there() -> None:
    vega = _vega(Bar(x="名", y="値"), names(24, "とても長い部署名と役職名のある担当者{}"))
    (down,) = _encodings(vega, "y")
    assert down["type"] == "nominal"
    assert len(set(down["sort"])) == 24


def test_a_period_without_rows_has_its_place_and_is_told_of() -> None:
    days = ["2025-01-05", "2025-02-05", "2025-04-05", "2025-05-05"]
    frame = frame_of({"日": days, "値": [1, 2, 3, 4]}, {"日": "date", "値": "integer"})
    outcome = draw(Line(x="日", x_unit="month", y="値"), frame)
    months = [row[0] for row in outcome.figures[0].table.rows]
    assert months == ["2025-01", "2025-02", "2025-04", "2025-05"]
    drawn = [row["c1"] for row in outcome.figures[0].vega["data"]["values"]]
    assert drawn == [1, 2, None, 3, 4]
    assert outcome.notes[0].text.startswith("データのない期間が1あり")


def test_what_was_left_out_is_told_beside_the_chart_and_in_it() -> None:
    outcome = draw(Bar(x="名", y="値", facet="名"), names(20))
    assert outcome.figures[0].table.row_count == 12
    assert "全20項目のうち、件数の多い12項目" in outcome.notes[0].text
    assert outcome.figures[0].vega["title"]["subtitle"] == [outcome.notes[0].text]
    spec = Bar(x="店舗", filters=(Compare(col="店舗", op="==", value="新宿店"),))
    outcome = draw(spec, sales())
    assert (outcome.input_rows, outcome.used_rows) == (84, 42)
    assert "新宿店" in outcome.figures[0].vega["title"]["subtitle"][0]


def _refused(spec: Plot, frame: Frame) -> str:
    with pytest.raises(InvalidInput) as caught:
        draw(spec, frame)
    return caught.value.problem.message + caught.value.problem.hint


def test_what_can_not_be_drawn_is_refused_with_what_to_do() -> None:
    signed = frame_of({"名": ["a", "b"], "値": [1, -1]}, {"名": "text", "値": "integer"})
    zeros = frame_of({"名": ["a", "b"], "値": [0, 0]}, {"名": "text", "値": "integer"})
    empty = frame_of({"名": ["a"], "空": [None]}, {"名": "text", "空": "empty"})
    nobody = Bar(x="店舗", filters=(Compare(col="店舗", op="==", value="札幌店"),))
    cases: list[tuple[Plot, Frame, str]] = [
        (Pie(x="名", y="値"), signed, "棒グラフ"),
        (Bar(x="名", y="値", normalized=True), signed, "棒グラフ"),
        (Pie(x="名", y="値"), zeros, "合計が0"),
        (Bar(x="名", y="空"), empty, "「空」"),
        (Hist(x="空"), empty, "「空」"),
        (Bar(x="店舗", y="カテゴリ"), sales(), "「カテゴリ」は文字の列"),
        (Bar(x="店舗", x_unit="month"), sales(), "日付の列ではない"),
        (nobody, sales(), "札幌店"),
        (Scatter(x="名", y="値"), names(51), "51種類"),
        (Pie(x="名", y="値", agg="mean"), names(30), "足し合わせられない"),
    ]
    for spec, frame, told in cases:
        assert told in _refused(spec, frame)


def test_a_pie_of_means_is_drawn_with_a_caution() -> None:
    outcome = draw(Pie(x="店舗", y="達成率", agg="mean"), sales())
    assert "割合は目安" in outcome.notes[0].text


def test_the_vocabulary_of_charts_loads_neither_pandas_nor_the_engine() -> None:
    code = (
        "import sys, sanbo.agents.analysis.spec.plots\n"
        "import sanbo.agents.analysis.charts.picture\n"
        "sys.exit(len({'pandas', 'numpy', 'pyarrow', 'vl_convert'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
