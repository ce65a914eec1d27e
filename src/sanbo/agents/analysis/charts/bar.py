"""Bar charts: upright or lying, side by side, stacked, stacked to 100 %."""

from typing import Any, Literal

from pydantic import Field

from sanbo.agents.analysis.charts.kind import ChartKind, Stackable
from sanbo.agents.analysis.charts.sheet import PANEL_WIDTH, WIDTH, Sheet
from sanbo.agents.analysis.outcome import ResultTable, Vega

_MOST_WITH_VALUES = 16
_STEP, _STEP_BESIDE = 24, 12
"""Pixels that a lying bar needs for its name; one of several for a place, less."""


class Bar(Stackable):
    kind: Literal["bar"] = "bar"
    horizontal: bool | None = None
    """Where names are long, unless told."""
    sort: Literal["value_desc", "value_asc", "label", "none"] = "none"
    """`none`: as the data stands; dates and numbers always stand in their own order."""
    top_k: int | None = Field(default=None, ge=1, le=1000)


def _vega(spec: Bar, table: ResultTable) -> Vega:
    sheet = Sheet(spec, table)
    place, colour = sheet.roles.index("x"), sheet.place("color")
    is_stacked = colour is not None and (spec.stacked or spec.normalized)
    measured = len(table.columns) - 1 if spec.normalized else sheet.value
    is_lying = _lies(spec, sheet, place)
    long, across = ("x", "y") if is_lying else ("y", "x")
    encoding: Vega = {
        across: sheet.down(place) if is_lying else sheet.nominal(place),
        long: sheet.number(measured, stack="zero" if is_stacked else None),
        "tooltip": sheet.tooltip(),
    }
    if colour is not None:
        encoding["color"] = sheet.colour(colour)
        if is_stacked:
            encoding["order"] = sheet.stacked(colour)
        else:
            encoding[f"{across}Offset"] = {"field": f"c{colour}", "sort": sheet.names(colour)}
    mark: Vega = {"type": "bar"}
    if is_stacked or colour is not None or not sheet.is_single:
        view: Vega = {"mark": mark, "encoding": encoding}
    else:
        view = _with_values(sheet, mark, encoding, measured, is_lying=is_lying)
    step = _STEP if colour is None or is_stacked else _STEP_BESIDE
    return sheet.chart(view, **({"height": {"step": step}} if is_lying else {}))


def _lies(spec: Bar, sheet: Sheet, place: int) -> bool:
    if spec.horizontal is not None:
        return spec.horizontal
    if sheet.is_period(place):  # time and numbers run from left to right
        return False
    return not sheet.fits(sheet.names(place), WIDTH if sheet.is_single else PANEL_WIDTH)


def _with_values(
    sheet: Sheet, mark: Vega, encoding: Vega, measured: int, *, is_lying: bool
) -> Vega:
    layers: list[Vega] = [{"mark": mark}]
    if len(sheet.table.rows) <= _MOST_WITH_VALUES:
        aside: dict[str, Any] = {"dx": 4, "align": "left"} if is_lying else {"dy": -8}
        layers.append(
            {"mark": {"type": "text", **aside}, "encoding": {"text": sheet.written(measured)}}
        )
    return {"encoding": encoding, "layer": layers}


KIND = ChartKind(
    name="bar",
    spec=Bar,
    vega=_vega,
    words={
        "ja": ("棒グラフ", "棒グラフ化", "積み上げ棒グラフ", "積み上げグラフ", "横棒グラフ", "棒"),
        "en": ("Bar chart", "bar graph", "bars", "stacked bar chart", "barchart", "column chart"),
    },
    prompt="a number by category (棒グラフ): x, y, agg; color with stacked or normalized; "
    "sort value_desc for the largest first; top_k",
)
