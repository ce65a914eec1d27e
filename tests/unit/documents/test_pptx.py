"""Presentations slide by slide, as an audience and the speaker read them."""

import io
import re
from typing import Any
from zipfile import ZipFile

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation as Deck
from pptx.slide import Slide
from pptx.util import Cm

from sanbo.documents.formats.pptx import reader as pptx
from sanbo.documents.model import Document, Heading, Paragraph, Source
from sanbo.documents.ooxml.xml import Element, chart_tables, parse
from sanbo.kernel.problems import SanboError, UnsupportedFormat
from tests.cpu_time import timed
from tests.unit.documents.damage import damaged, damaged_inside, read_or_problem, repacked

TITLE, TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 0, 1, 5, 6
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f64540"
    "0000000049454e44ae426082"
)


def _slide(deck: Deck, layout: int) -> Slide:
    return deck.slides.add_slide(deck.slide_layouts[layout])


def _text(slide: Slide, text: str, left: float, top: float) -> None:
    slide.shapes.add_textbox(Cm(left), Cm(top), Cm(5), Cm(2)).text_frame.text = text


def _titled(slide: Slide, title: str) -> None:
    assert slide.shapes.title is not None
    slide.shapes.title.text = title


def _content(slide: Slide, text: str) -> None:
    place: Any = slide.placeholders[1]
    place.text_frame.text = text


def _saved(deck: Deck) -> bytes:
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def _read(deck: Deck) -> Document:
    return pptx.read(Source(name="計画.pptx", data=_saved(deck)))


def _blocks(document: Document) -> list[tuple[int | None, str, str]]:
    """Slide, what it is, text."""
    found: list[tuple[int | None, str, str]] = []
    for block in document.blocks:
        kind = block.role if isinstance(block, Paragraph) else block.kind
        found.append((block.position.page, kind, document.text_of(block)))
    return found


def _changed(data: bytes, part: str, old: str, new: str) -> bytes:
    def change(name: str, content: bytes) -> bytes:
        if name != part:
            return content
        text = content.decode()
        assert old in text
        return text.replace(old, new).encode()

    return repacked(data, change)


def test_slides_are_pages_with_their_titles_as_headings() -> None:
    deck = Presentation()
    first = _slide(deck, TITLE)
    _titled(first, "中期経営計画")
    _content(first, "2024年度")
    second = _slide(deck, TITLE_AND_CONTENT)
    _titled(second, "重点施策")
    _content(second, "販路の拡大\n人材の育成")
    document = _read(deck)
    assert _blocks(document) == [
        (1, "heading", "中期経営計画"),
        (1, "body", "2024年度"),
        (2, "heading", "重点施策"),
        (2, "list_item", "販路の拡大"),
        (2, "list_item", "人材の育成"),
    ]
    assert document.pages == 2
    assert document.title == "中期経営計画"
    assert document.blocks[-1].position.headings == ("重点施策",)


def test_text_reads_down_the_slide_and_from_left_to_right() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    for text, left, top in (("右下", 12, 12), ("左上", 1, 5), ("右上", 12, 5.3), ("左下", 1, 12)):
        _text(slide, text, left, top)
    _titled(slide, "配置")
    assert [text for _, _, text in _blocks(_read(deck))] == ["配置", "左上", "右上", "左下", "右下"]


def test_a_placeholder_stands_where_its_layout_puts_it() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_AND_CONTENT)
    _text(slide, "脚注", 1, 18)
    _text(slide, "上の注記", 1, 0.2)
    _content(slide, "本文")
    _titled(slide, "題")
    assert [text for _, _, text in _blocks(_read(deck))] == ["題", "上の注記", "本文", "脚注"]


def test_groups_are_read_as_one() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    _titled(slide, "体制図")
    _text(slide, "下の注記", 1, 15)
    outer = slide.shapes.add_group_shape()
    inner = outer.shapes.add_group_shape()
    inner.shapes.add_textbox(Cm(1), Cm(5), Cm(3), Cm(1)).text_frame.text = "部長"
    inner.shapes.add_textbox(Cm(1), Cm(7), Cm(3), Cm(1)).text_frame.text = "課長"
    assert [text for _, _, text in _blocks(_read(deck))] == ["体制図", "部長", "課長", "下の注記"]


def test_a_slide_without_a_title_does_not_fall_under_the_one_before() -> None:
    deck = Presentation()
    _titled(_slide(deck, TITLE_ONLY), "前のスライド")
    topped = _slide(deck, BLANK)
    _text(topped, "見出し代わりの文", 1, 1)
    _text(topped, "説明", 1, 5)
    _text(_slide(deck, BLANK), "とても長い説明文です。" * 10, 1, 1)
    document = _read(deck)
    headings = [
        (b.position.page, document.text_of(b)) for b in document.blocks if isinstance(b, Heading)
    ]
    assert headings == [(1, "前のスライド"), (2, "見出し代わりの文"), (3, "p.3")]
    assert document.text.count("見出し代わりの文") == 1


def test_tables_keep_columns_and_say_merged_cells_once() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    _titled(slide, "予算")
    grid = slide.shapes.add_table(3, 3, Cm(1), Cm(5), Cm(10), Cm(3)).table
    for row, values in enumerate(
        (("費目", "上期", "下期"), ("広告", "100", ""), ("計", "100", "200"))
    ):
        for column, value in enumerate(values):
            grid.cell(row, column).text = value
    grid.cell(1, 1).merge(grid.cell(1, 2))
    table = _read(deck).tables[0]
    assert table.columns == ("費目", "上期", "下期")
    assert table.rows == (("広告", "100", ""), ("計", "100", "200"))
    assert table.position.page == 1


def test_a_merged_row_above_a_table_is_its_title() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    _titled(slide, "実績")
    grid = slide.shapes.add_table(3, 3, Cm(1), Cm(5), Cm(10), Cm(3)).table
    for row, values in enumerate(
        (("売上表", "", ""), ("区分", "4月", "5月"), ("国内", "10", "20"))
    ):
        for column, value in enumerate(values):
            grid.cell(row, column).text = value
    grid.cell(0, 0).merge(grid.cell(0, 2))
    table = _read(deck).tables[0]
    assert (table.title, table.columns) == ("売上表", ("区分", "4月", "5月"))
    assert (table.rows, table.row_numbers) == ((("国内", "10", "20"),), (3,))


def test_charts_give_the_numbers_behind_them() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    _titled(slide, "売上")
    data: Any = CategoryChartData()
    data.categories = ["1月", "2月"]
    data.add_series("東京", (10, 20.5))
    data.add_series("大阪", (7, None))
    shapes: Any = slide.shapes
    chart = shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(5), Cm(10), Cm(8), data
    ).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "月別売上"
    points: Any = XyChartData()
    points.add_series("価格").add_data_point(1.5, 200)
    shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, Cm(1), Cm(15), Cm(10), Cm(4), points)
    bars, scatter = _read(deck).tables
    assert bars.title == "月別売上"
    assert bars.columns == ("", "東京", "大阪")
    assert bars.rows == (("1月", "10", "7"), ("2月", "20.5", ""))
    assert scatter.rows == (("1.5", "200"),)


def _chart(*series: str) -> Element:
    address = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    xml = f'<c:chartSpace xmlns:c="{address}"><c:chart>{"".join(series)}</c:chart></c:chartSpace>'
    return parse(xml.encode(), file="a", part="b")


def _chart_points(kind: str, points: dict[int, str]) -> str:
    inside = "".join(f'<c:pt idx="{at}"><c:v>{v}</c:v></c:pt>' for at, v in points.items())
    return f"<c:{kind}>{inside}</c:{kind}>"


def test_a_chart_gives_only_the_points_that_are_there() -> None:
    far = _chart_points("cat", {199_998: "期末"}) + _chart_points("val", {0: "1", 300_000: "2"})
    (table,), seconds = timed(lambda: chart_tables(_chart(*[f"<c:ser>{far}</c:ser>"] * 40)))
    assert seconds < 5
    assert len(table.columns) == 41
    assert [row[:2] for row in table.rows] == [["", "1"], ["期末", ""], ["", "2"]]


def test_a_chart_of_many_scattered_series_does_not_grow_by_their_product() -> None:
    lines = [_chart_points("val", {at: "1" for at in range(n, n + 3)}) for n in range(0, 3_000, 3)]
    tables = chart_tables(_chart(*(f"<c:ser>{line}</c:ser>" for line in lines)))
    assert sum(len(table.rows) * len(table.columns) for table in tables) == 6_000
    assert tables[-1].rows[-1] == ["3000", "1"]


def test_notes_and_numbered_lists() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    _titled(slide, "手順")
    _text(slide, "申請\n承認\n補足", 1, 5)
    assert slide.notes_slide.notes_text_frame is not None
    slide.notes_slide.notes_text_frame.text = "ここで質疑"
    data = _saved(deck)
    numbered = '<a:p><a:pPr><a:buAutoNum type="{}"/></a:pPr><a:r><a:t>{}'
    for text in ("申請", "承認"):
        data = _changed(
            data,
            "ppt/slides/slide1.xml",
            f"<a:p><a:r><a:t>{text}",
            numbered.format("circleNumDbPlain", text),
        )
    assert _blocks(pptx.read(Source(name="a.pptx", data=data))) == [
        (1, "heading", "手順"),
        (1, "list_item", "① 申請"),
        (1, "list_item", "② 承認"),
        (1, "body", "補足"),
        (1, "note", "ここで質疑"),
    ]


def test_smart_art_gives_its_texts() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    _titled(slide, "流れ")
    data_model = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>'
        + "".join(
            f'<dgm:pt type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
            for kind, text in (("node", "受付"), ("pres", "内部"), ("node", "審査"))
        )
        + "</dgm:ptLst></dgm:dataModel>"
    )
    frame = (
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='9' name='d'/><p:cNvGraphicFramePr/>"
        "<p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x='1' y='9999999'/><a:ext cx='1' cy='1'/>"
        "</p:xfrm><a:graphic><a:graphicData uri='http://x'><dgm:relIds r:dm='rD' "
        "xmlns:dgm='http://schemas.openxmlformats.org/drawingml/2006/diagram' "
        "xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'/>"
        "</a:graphicData></a:graphic></p:graphicFrame></p:spTree>"
    )
    data = _changed(_saved(deck), "ppt/slides/slide1.xml", "</p:spTree>", frame)
    data = _changed(
        data,
        "ppt/slides/_rels/slide1.xml.rels",
        "</Relationships>",
        '<Relationship Id="rD" Type="http://x/diagramData" Target="../diagrams/data1.xml"/>'
        "</Relationships>",
    )
    buffer = io.BytesIO(data)
    with ZipFile(buffer, "a") as archive:
        archive.writestr("ppt/diagrams/data1.xml", data_model)
    document = pptx.read(Source(name="a.pptx", data=buffer.getvalue()))
    assert [text for _, _, text in _blocks(document)] == ["流れ", "受付", "審査"]


def test_hidden_slides_are_read_and_mentioned() -> None:
    deck = Presentation()
    _titled(_slide(deck, TITLE_ONLY), "表")
    _titled(_slide(deck, TITLE_ONLY), "裏")
    saved = _changed(_saved(deck), "ppt/slides/slide2.xml", "<p:sld ", '<p:sld show="0" ')
    document = pptx.read(Source(name="a.pptx", data=saved))
    assert "裏" in document.text
    assert [(w.text_id, w.params["slides"]) for w in document.warnings] == [
        ("pptx_hidden_slides", "2")
    ]


def test_hidden_shapes_are_read_and_mentioned() -> None:
    deck = Presentation()
    for title in ("公開", "検討中"):
        slide = _slide(deck, TITLE_ONLY)
        _titled(slide, title)
        _text(slide, "ふつうの文", 1, 5)
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Cm(1), Cm(9), Cm(3), Cm(1)).text_frame.text = "旧価格 500円"
    hidden: Any = group
    hidden._element.nvGrpSpPr.cNvPr.set("hidden", "1")
    empty: Any = deck.slides[0].shapes.add_textbox(Cm(1), Cm(9), Cm(3), Cm(1))
    empty._element.nvSpPr.cNvPr.set("hidden", "1")
    document = _read(deck)
    assert "旧価格 500円" in document.text
    (warning,) = document.warnings
    assert (warning.text_id, warning.params) == ("pptx_hidden_shapes", {"slides": "2"})


def test_slides_of_pictures_are_named() -> None:
    deck = Presentation()
    _titled(_slide(deck, TITLE_ONLY), "文字")
    _slide(deck, BLANK).shapes.add_picture(io.BytesIO(PICTURE), Cm(1), Cm(1))
    document = _read(deck)
    assert [(w.text_id, w.params["slides"]) for w in document.warnings] == [
        ("pptx_pictures_only", "2")
    ]


def test_a_deck_of_pictures_says_there_is_no_text() -> None:
    deck = Presentation()
    _slide(deck, BLANK).shapes.add_picture(io.BytesIO(PICTURE), Cm(1), Cm(1))
    with pytest.raises(UnsupportedFormat) as raised:
        _read(deck)
    assert raised.value.problem.text_id == "document_without_text"


def test_slide_numbers_and_dates_are_not_text() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_ONLY)
    _titled(slide, "題")
    _text(slide, "本文", 1, 5)
    field = '<a:fld id="{{0}}" type="slidenum"><a:t>7</a:t></a:fld><a:r><a:t>本文'
    data = _changed(_saved(deck), "ppt/slides/slide1.xml", "<a:r><a:t>本文", field)
    document = pptx.read(Source(name="a.pptx", data=data))
    assert [text for _, _, text in _blocks(document)] == ["題", "本文"]


def test_a_slide_that_is_listed_a_thousand_times_is_read_once() -> None:
    deck = Presentation()
    _titled(_slide(deck, TITLE_ONLY), "一枚だけ")
    data = _saved(deck)

    def repeat(name: str, content: bytes) -> bytes:
        if name != "ppt/presentation.xml":
            return content
        return re.sub(rb"(<p:sldId [^>]*/>)", rb"\1" * 1000, content)

    document = pptx.read(Source(name="a.pptx", data=repacked(data, repeat)))
    assert document.text == "一枚だけ"


def test_damaged_files_are_read_or_refused_never_a_crash() -> None:
    deck = Presentation()
    slide = _slide(deck, TITLE_AND_CONTENT)
    _titled(slide, "題")
    slide.shapes.add_table(2, 2, Cm(1), Cm(5), Cm(10), Cm(3)).table.cell(0, 0).text = "値"
    sound = _saved(deck)
    used = ("ppt/presentation.xml", "slide1.xml", "slideLayout2.xml", "slideMaster1.xml", ".rels")
    outcomes = [read_or_problem(pptx.read, broken, "a.pptx") for broken in damaged(sound, 15)]
    for part in used:
        outcomes += [
            read_or_problem(pptx.read, broken, "a.pptx")
            for broken in damaged_inside(sound, 4, ending=part)
        ]
    assert any(isinstance(outcome, SanboError) for outcome in outcomes)
    assert any(isinstance(outcome, Document) for outcome in outcomes)
