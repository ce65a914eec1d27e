"""A chart as a picture in a file, made when somebody wants one. Importing this loads no engine.

How charts look in the light and in the dark. Charts themselves have no colours of their own.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, cast

from sanbo.agents.analysis.outcome import Vega
from sanbo.kernel.problems import InvalidInput, TimedOut, Unexpected

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


PictureFormat = Literal["png", "svg"]
MEDIA_TYPE = "application/vnd.vegalite.v6+json"
MEDIA_TYPES: Mapping[PictureFormat, str] = {"png": "image/png", "svg": "image/svg+xml"}
VERSION = "6.1"
SHARP = 2.0
"""Pixels a point, so that it can be printed."""
MOST_SECONDS = 60.0
FONT_PACKAGE = "noto_cjk_sans_jp_regular"
"""The Japanese font comes as a package, so that pictures look alike on every machine."""
_AT_ONCE = threading.Semaphore(2)
# What would make the engine fetch something, or run what is no chart of ours.
_REACHING = frozenset({"url", "href", "image", "usermeta", "params", "lookup", "loader"})


def picture(vega: bytes, form: PictureFormat, theme: Theme = "light") -> bytes:
    """Of a chart as it was kept. Nothing of the machine or the network is read for it."""
    import vl_convert  # noqa: PLC0415 - an engine of 100 MB: not before a picture is wanted

    found = find_spec(FONT_PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        vl_convert.register_font_directory(folder)
    spec = cast("Vega", json.loads(vega))
    require_harmless(spec)
    look = config(theme)
    if form == "svg":
        drawn = vl_convert.vegalite_to_svg(spec, VERSION, config=look, allowed_base_urls=[])
        return drawn.encode()
    return vl_convert.vegalite_to_png(spec, VERSION, scale=SHARP, config=look, allowed_base_urls=[])


def picture_apart(vega: bytes, form: PictureFormat, theme: Theme = "light") -> bytes:
    """The same in a process of its own: the engine holds the interpreter, and keeps its memory."""
    code = f"import {__name__} as made; made.main()"
    command = [sys.executable, "-P", "-c", code, form, theme]
    try:
        with _AT_ONCE:
            done = subprocess.run(  # noqa: S603 - our own module
                command, check=False, input=vega, capture_output=True, timeout=MOST_SECONDS
            )
    except subprocess.TimeoutExpired:
        raise TimedOut("chart_picture_slow", seconds=MOST_SECONDS) from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace")[-2000:]
        raise Unexpected("chart_picture_failed", details={"reason": reason})
    return done.stdout


def main() -> None:
    """Of that process: it is given a chart by the one that started it."""
    form, theme = cast("tuple[PictureFormat, Theme]", tuple(sys.argv[1:3]))
    sys.stdout.buffer.write(picture(sys.stdin.buffer.read(), form, theme))


def require_harmless(spec: Vega) -> None:
    """The engine fetches images whatever it was told: a spec that could name one is refused."""
    for key in _keys({name: part for name, part in spec.items() if name != "data"}):
        if key in _REACHING:
            raise InvalidInput("chart_reaches_out", key=key)
    if set(cast("Mapping[str, object]", spec.get("data", {}))) - {"values"}:
        raise InvalidInput("chart_reaches_out", key="data")


def _keys(value: object) -> Iterator[str]:
    """All names in a spec, and its marks, which are named by a word."""
    match value:
        case dict():
            for key, part in cast("dict[str, object]", value).items():
                yield key
                if key in ("mark", "type") and isinstance(part, str):
                    yield part
                yield from _keys(part)
        case list():
            for part in cast("Sequence[object]", value):
                yield from _keys(part)
        case _:
            pass
