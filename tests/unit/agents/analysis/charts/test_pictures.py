"""Pictures of charts: made apart, in a Japanese font, and of nothing but the chart."""

import json
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from sanbo.agents.analysis.charts.picture import picture, picture_apart, require_harmless
from sanbo.agents.analysis.execution.perform import draw
from sanbo.agents.analysis.spec.plots import Line
from sanbo.kernel.problems import InvalidInput, Unexpected
from tests.unit.agents.analysis.charts.tables import sales
from tests.unit.agents.analysis.charts.test_vega import EVERY_KIND

MONTHLY = Line(x="日付", x_unit="month", y="売上", color="店舗")


def _kept() -> bytes:
    return json.dumps(draw(MONTHLY, sales()).figures[0].vega).encode()


def _colour(png: bytes) -> tuple[int, ...]:
    with Image.open(BytesIO(png)) as image:
        assert image.width > 1000
        found = image.convert("RGB").getpixel((3, 3))
    assert isinstance(found, tuple)
    return found


def test_a_picture_is_made_apart_in_the_light_and_in_the_dark() -> None:
    assert _colour(picture_apart(_kept(), "png")) == (255, 255, 255)
    assert max(_colour(picture_apart(_kept(), "png", "dark"))) < 64


def test_the_letters_are_there_and_in_the_font_that_comes_along() -> None:
    drawn = picture(_kept(), "svg").decode()
    assert "2024年1月" in drawn
    assert "Noto Sans CJK JP" in drawn
    # Where a letter has no glyph all of them look alike.
    one, other = (
        picture(_kept().replace("大阪店".encode("unicode_escape"), name), "png")
        for name in (b"\\u685c", b"\\u6885")
    )
    assert one != other


def test_every_kind_becomes_a_picture() -> None:
    by_kind = {spec.kind: spec for spec in EVERY_KIND}
    for spec in by_kind.values():
        vega = draw(spec, sales()).figures[0].vega
        assert picture(json.dumps(vega).encode(), "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "part",
    [
        {"data": {"url": "http://127.0.0.1:1/x.json"}},
        {"data": {"url": "file:///etc/passwd"}},
        {"data": {"values": [], "format": {"parse": None}}},
        {"mark": "image"},
        {"mark": {"type": "image"}, "encoding": {"url": {"field": "c0"}}},
        {"layer": [{"mark": {"type": "image", "url": "http://127.0.0.1:1/x.png"}}]},
        {"encoding": {"href": {"field": "c0"}}},
        {"spec": {"transform": [{"lookup": "c0", "from": {"data": {"url": "/etc/passwd"}}}]}},
    ],
)
def test_a_chart_that_could_reach_out_is_refused(part: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        require_harmless({**json.loads(_kept()), **part})


def test_what_the_engine_can_not_draw_is_a_problem_with_its_reason() -> None:
    with pytest.raises(Unexpected) as caught:
        picture_apart(b'{"data": {"values": []}, "mark": "no such mark"}', "png")
    assert "Vega-Lite" in str(caught.value.problem.details)
