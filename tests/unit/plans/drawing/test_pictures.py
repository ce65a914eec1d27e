"""A picture says what a person needs to know, and no text in it becomes anything but text."""

import re
from xml.etree import ElementTree as ET

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from sanbo.plans.drawing import pictures
from sanbo.plans.drawing.figure import NodeState
from sanbo.plans.drawing.layout import DARK, LIGHT
from sanbo.plans.drawing.pictures import draw, draw_mermaid, draw_png
from tests.examples import examples
from tests.unit.plans.drawing.plans import INVOICES, NAMES, plan, titled

SVG = "{http://www.w3.org/2000/svg}"
CALLED = {"common/names": plan(NAMES)}
STATES = {
    ("collect",): NodeState("succeeded", duration_ms=1_200),
    ("parse",): NodeState("skipped", note="条件が成り立ちません"),
    ("each",): NodeState("running", done=3, total=10),
    ("each", "read"): NodeState("failed", note="金額が読めません"),
    ("report",): NodeState("waiting"),
}


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ET.fromstring(svg).iter(f"{SVG}text")]


def test_a_picture_tells_each_status_by_word_and_by_sign() -> None:
    # pyrefly: ignore[bad-argument-type]
    svg = draw(plan(INVOICES), STATES, "ja", called=CALLED)
    said = texts(svg)
    for word in ("成功 1.2秒", "スキップ", "3/10 実行中", "失敗", "待ち", "未着手"):
        assert word in said
    tips = [each.text or "" for each in ET.fromstring(svg).iter(f"{SVG}title")]
    assert any("✗ 失敗" in tip and "金額が読めません" in tip for tip in tips)
    signs = re.findall(r'class="sign-on"[^>]* d="([^"]+)"', svg)
    assert len(set(signs)) == 6


def test_a_picture_marks_people_loops_subflows_and_conditions() -> None:
    said = texts(draw(plan(INVOICES), None, "ja", called=CALLED))
    assert said.count("人の確認") == 2
    assert "繰り返し" in said
    assert "サブフロー" in said
    assert any(line.startswith("条件：") for line in said)
    assert "未着手" not in said, "a plan that does not run has no status"
    english = texts(draw(plan(INVOICES), None, "en", called=CALLED))
    assert "Asks a person" in english


def test_a_picture_follows_dark_screens_and_has_the_same_classes_for_both() -> None:
    # pyrefly: ignore[bad-argument-type]
    svg = draw(plan(INVOICES), STATES, "ja")
    assert "prefers-color-scheme: dark" in svg
    assert DARK.fills["failed"] in svg
    # pyrefly: ignore[bad-argument-type]
    assert "<style" not in draw(plan(INVOICES), STATES, "ja", theme="light")


def test_texts_can_be_read_on_every_fill() -> None:
    for colours in (LIGHT, DARK):
        for status, fill in colours.fills.items():
            for ink in (colours.text, colours.muted, colours.edges[status]):
                assert _contrast(ink, fill) >= 4.5, (status, ink, fill)


@settings(max_examples=examples(40))
@given(st.text(max_size=80))
def test_titles_are_only_ever_text(title: str) -> None:
    root = ET.fromstring(draw(titled(title), {}, "ja"))
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {"svg", "title", "style", "g", "rect", "circle", "path", "text", "polygon"}


def test_hostile_titles_stay_titles() -> None:
    hostile = '</text><script>alert(1)</script><image href="http://example.com/x"/>&amp;\x00\u202e'
    svg = draw(titled(hostile, block='x"onload="alert(1)'), {}, "ja")
    assert "<script" not in svg
    assert "<image" not in svg
    assert "\u202e" not in svg
    assert not re.search(r"<[^>]*\son\w+=", svg)


def test_mermaid_has_names_of_its_own_and_escaped_labels() -> None:
    text = draw_mermaid(titled('end"]; click n1 "javascript:x" <b>'), None, "ja")
    assert text.startswith('flowchart TD\n  n1["')
    label = text.split('["', 1)[1].rsplit('"]', 1)[0]
    assert not set("\"'<>[]") & set(label.replace("<br/>", ""))


def test_mermaid_draws_frames_edges_and_statuses() -> None:
    # pyrefly: ignore[bad-argument-type]
    text = draw_mermaid(plan(INVOICES), STATES, "ja", called=CALLED, direction="right")
    assert text.startswith("flowchart LR\n")
    assert text.count("subgraph ") == text.count("  end\n") == 2
    assert "n1 --> n2" in text
    assert "3/10" in text
    assert "classDef waiting" in text


def test_a_png_shows_japanese_without_fonts_of_the_system() -> None:
    drawn = {draw_png(titled(word), None, "ja") for word in ("請求", "入金", "照合")}
    assert all(picture.startswith(b"\x89PNG") for picture in drawn)
    assert len(drawn) == 3, "letters that the font lacks would all look the same"
    assert all("noto_cjk" in font for font in pictures.fonts())
    assert pictures.fonts()


def test_a_huge_png_has_fewer_pixels_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_PIXELS", 10_000)
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900"></svg>'
    data = pictures.png_of(svg)
    across, along = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert 9_000 <= across * along <= 10_300


def _contrast(first: str, second: str) -> float:
    lighter, darker = sorted((_light(first), _light(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
