"""The two diagrams, each with its numbers as a table: how true, and how much at what risk."""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import streamlit as st
from pydantic import JsonValue

from sanbo.agents.grace.confidence.model import Bin, Point
from sanbo.agents.grace.schemas import ThresholdsUsed
from sanbo.kernel.messages import tell
from sanbo.runs.model import JsonObject
from sanbo.ui.grace.score_bars import threshold_of

Z = 1.96
"""95 of 100 such ranges hold the true share."""


class Range(NamedTuple):
    low: float
    high: float


def likely_range(share: float, count: int) -> Range:
    """Where the true share may well be (Wilson's interval)."""
    if count <= 0:
        return Range(0.0, 1.0)
    weight = Z * Z / count
    middle = (share + weight / 2) / (1 + weight)
    half = Z * math.sqrt(share * (1 - share) / count + weight / (4 * count)) / (1 + weight)
    return Range(max(0.0, middle - half), min(1.0, middle + half))


def share_of(value: float | None) -> str:
    return tell("ui.calibration.unknown") if value is None else f"{value:.0%}"


def figure_of(value: float | None) -> str:
    return tell("ui.calibration.unknown") if value is None else f"{value:.3f}"


def draw_figures(headings: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str) -> None:
    st.html(figures_table(headings, rows, caption=caption))


def figures_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str) -> str:
    """The first cell of a row names it."""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return (
        f'<div class="sanbo-figures"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[str]) -> str:
    first = f'<th scope="row">{escape(row[0])}</th>'
    return first + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])


HEIGHT = 320
SHOWN_POINTS = 12
_IDEAL, _SEEN, _CHOSEN = "#8a98a6", "#3f7fbf", "#d9960f"


def draw_reliability(bins: Sequence[Bin]) -> None:
    rows = [
        (
            tell("ui.calibration.truth.range", low=share_of(each.low), high=share_of(each.high)),
            f"{each.answers:,}",
            share_of(each.said),
            share_of(each.true),
            _range(each),
        )
        for each in bins
    ]
    caption = tell("ui.calibration.truth.table")
    _draw_chart(reliability_spec(bins), _spoken(caption, rows))
    columns = [tell(f"ui.calibration.truth.{name}") for name in ("bin", "answers", "said", "right")]
    with st.expander(tell("ui.calibration.numbers"), icon=":material/table_rows:"):
        draw_figures([*columns, tell("ui.calibration.truth.likely")], rows, caption=caption)


def draw_coverage(points: Sequence[Point], thresholds: ThresholdsUsed) -> None:
    chosen = _at(points, thresholds.silent)
    rows = [
        (
            threshold_of(point.threshold),
            f"{point.answers:,}",
            share_of(point.coverage),
            share_of(point.precision),
        )
        for point in thinned(points)
    ]
    caption = tell("ui.calibration.reach.table")
    _draw_chart(coverage_spec(points, chosen), _spoken(caption, rows))
    names = ("threshold", "answers", "coverage", "precision")
    columns = [tell(f"ui.calibration.reach.{name}") for name in names]
    with st.expander(tell("ui.calibration.numbers"), icon=":material/table_rows:"):
        draw_figures(columns, rows, caption=caption)


def _draw_chart(spec: JsonObject, spoken: str) -> None:
    st.vega_lite_chart(spec=spec, height=HEIGHT, alt=spoken)  # pyright: ignore[reportUnknownMemberType]


def thinned(points: Sequence[Point]) -> list[Point]:
    """A table that can be read: the first, the last, and some between."""
    if len(points) <= SHOWN_POINTS:
        return list(points)
    step = (len(points) - 1) / (SHOWN_POINTS - 1)
    return [points[round(nth * step)] for nth in range(SHOWN_POINTS)]


def _at(points: Sequence[Point], threshold: float) -> Point | None:
    """What answering alone from this threshold on would come to."""
    return next((point for point in points if point.threshold >= threshold), None)


def _range(each: Bin) -> str:
    low, high = likely_range(each.true, each.answers)
    return tell("ui.calibration.truth.range", low=share_of(low), high=share_of(high))


def _spoken(caption: str, rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([caption, *(" ".join(row) for row in rows)])


# ---- as Vega-Lite draws them ----


def reliability_spec(bins: Sequence[Bin]) -> JsonObject:
    seen: list[JsonValue] = []
    for each in bins:
        low, high = likely_range(each.true, each.answers)
        seen.append(
            {
                "said": each.said,
                "true": each.true,
                "answers": each.answers,
                "low": low,
                "high": high,
            }
        )
    ideal: list[JsonValue] = [{"said": 0, "true": 0}, {"said": 1, "true": 1}]
    x = _share("said", tell("ui.calibration.truth.said"))
    y = _share("true", tell("ui.calibration.truth.right"))
    size: JsonObject = {
        "field": "answers",
        "type": "quantitative",
        "legend": None,
        "scale": {"range": [40, 400]},
    }
    return {
        "layer": [
            _layer(ideal, {"type": "line", "color": _IDEAL, "strokeDash": [5, 4]}, x=x, y=y),
            _layer(
                seen,
                {"type": "rule", "color": _SEEN, "strokeWidth": 1.5},
                x=x,
                y=_share("low", tell("ui.calibration.truth.right")),
                y2={"field": "high"},
            ),
            _layer(
                seen,
                {"type": "point", "filled": True, "color": _SEEN, "opacity": 1},
                x=x,
                y=y,
                size=size,
                tooltip=[
                    _told("said", tell("ui.calibration.truth.said")),
                    _told("true", tell("ui.calibration.truth.right")),
                    _count("answers", tell("ui.calibration.truth.answers")),
                ],
            ),
        ]
    }


def coverage_spec(points: Sequence[Point], chosen: Point | None) -> JsonObject:
    values: list[JsonValue] = [_drawn(point) for point in points]
    x = _share("coverage", tell("ui.calibration.reach.coverage"))
    y = _share("precision", tell("ui.calibration.reach.precision"))
    told: list[JsonValue] = [
        _told("threshold", tell("ui.calibration.reach.threshold")),
        _told("coverage", tell("ui.calibration.reach.coverage")),
        _told("precision", tell("ui.calibration.reach.precision")),
        _count("answers", tell("ui.calibration.reach.answers")),
    ]
    line: JsonObject = {"type": "line", "color": _SEEN, "point": {"color": _SEEN, "size": 12}}
    layers: list[JsonValue] = [_layer(values, line, x=x, y=y, tooltip=told)]
    if chosen is not None:
        mark: JsonObject = {
            "type": "point",
            "filled": True,
            "size": 200,
            "color": _CHOSEN,
            "shape": "diamond",
            "opacity": 1,
        }
        layers.append(_layer([_drawn(chosen)], mark, x=x, y=y, tooltip=told))
    return {"layer": layers}


def _layer(values: list[JsonValue], mark: JsonObject, **encoding: JsonValue) -> JsonObject:
    return {"data": {"values": values}, "mark": mark, "encoding": dict(encoding)}


def _drawn(point: Point) -> JsonObject:
    return {
        "threshold": point.threshold,
        "coverage": point.coverage,
        "precision": point.precision,
        "answers": point.answers,
    }


def _share(field: str, title: str) -> JsonObject:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%", "tickCount": 5},
    }


def _told(field: str, title: str) -> JsonObject:
    return {"field": field, "type": "quantitative", "title": title, "format": ".0%"}


def _count(field: str, title: str) -> JsonObject:
    return {"field": field, "type": "quantitative", "title": title}
