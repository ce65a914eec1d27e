"""The picture as PNG, with the Japanese font that Sanbo brings: no system font is needed."""

import math
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import resvg_py

from sanbo.plans.drawing.look import LIGHT

SHARP = 2.0
"""Pixels a point, so that it can be printed."""
MOST_PIXELS = 40_000_000
JAPANESE = "Noto Sans CJK JP"
_PACKAGE, _FILE = "noto_cjk_sans_jp_regular", "NotoSansCJKjp-Regular.otf"
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def png_of(svg: str, paper: str = LIGHT.paper) -> bytes:
    """Of a picture with fixed colours (`theme="light"`); a huge one gets fewer pixels a point."""
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        background=paper,
        zoom=_zoom(svg),
        skip_system_fonts=True,
        font_files=list(fonts()),
        font_family=JAPANESE,
        sans_serif_family=JAPANESE,
    )


def _zoom(svg: str) -> float:
    found = _SIZE.search(svg)
    points = float(found[1]) * float(found[2]) if found else 1.0
    return min(SHARP, math.sqrt(MOST_PIXELS / max(points, 1.0)))


@cache
def fonts() -> tuple[str, ...]:
    spec = find_spec(_PACKAGE)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    return tuple(str(Path(folder) / _FILE) for folder in folders)
