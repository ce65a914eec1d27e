"""How charts look in the light and in the dark. Charts themselves have no colours of their own."""

from typing import Any, Literal

Theme = Literal["light", "dark"]

FONT = "Noto Sans CJK JP, Noto Sans JP, Hiragino Sans, Yu Gothic, Meiryo, sans-serif"
_LIGHT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5b4a9e", "#6e6e6e")
_DARK = ("#56b4e9", "#f0903c", "#2ec4a0", "#e39ac6", "#a6cee3", "#f0c244", "#a99be0", "#b0b0b0")
"""After Okabe and Ito: told apart by those who do not see all colours, and by brightness."""


def config(theme: Theme) -> dict[str, Any]:
    """Vega-Lite's `config`: given when a chart is drawn, by the browser or for a file."""
    paper, ink, faint, colours = (
        ("#ffffff", "#1f2328", "#d8dce1", _LIGHT)
        if theme == "light"
        else ("#14171c", "#e6e8eb", "#3a4048", _DARK)
    )
    words = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": paper,
        "font": FONT,
        "padding": 16,
        "view": {"stroke": None},
        "title": {
            "anchor": "start",
            "frame": "group",
            "color": ink,
            "subtitleColor": ink,
            "fontSize": 15,
            "subtitleFontSize": 12,
            "offset": 14,
            "limit": 720,
        },
        "axis": {
            **words,
            "titleFontWeight": "normal",
            "gridColor": faint,
            "domainColor": ink,
            "tickColor": ink,
            "labelLimit": 170,
            "titleLimit": 400,
        },
        "legend": {**words, "labelLimit": 240, "titleLimit": 240, "titleFontWeight": "normal"},
        "header": {"labelColor": ink, "labelFontSize": 12, "labelLimit": 240},
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": ink},
        "tick": {"color": ink},
        "bar": {"color": colours[0]},
        "line": {"color": colours[0], "strokeWidth": 2},
        "area": {"color": colours[0]},
        "point": {"color": colours[0]},
        "range": {
            "category": list(colours),
            "ramp": {"scheme": "cividis"},
            "heatmap": {"scheme": "cividis"},
        },
    }
