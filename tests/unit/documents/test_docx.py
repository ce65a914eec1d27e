"""Word documents as a person reads them in Word."""

import io
from itertools import pairwise
from xml.sax.saxutils import escape

import pytest
from docx import Document as new_document
from docx.document import Document as WordDocument
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.formats.docx import reader as docx
from sanbo.documents.model import Document, Heading, Paragraph, Source, Table
from sanbo.kernel.problems import SanboError, UnsupportedFormat
from tests.cpu_time import timed
from tests.examples import examples
from tests.unit.documents.damage import damaged, damaged_inside, read_or_problem, repacked
from tests.unit.documents.word_files import (
    cell,
    list_definition,
    paragraph,
    run,
    table,
    word_file,
)

HEADING_STYLES = (
    '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/></w:style>'
)


def _read(data: bytes) -> Document:
    return docx.read(Source(name="契約書.docx", data=data))


def _body(xml: str, **parts: str) -> Document:
    return _read(word_file(xml, **parts))


def _saved(document: WordDocument) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _blocks(document: Document) -> list[tuple[str, str]]:
    """What each block is, and its text."""
    found: list[tuple[str, str]] = []
    for block in document.blocks:
        text = document.text_of(block)
        if isinstance(block, Heading):
            found.append((f"h{block.level}", text))
        else:
            found.append((block.role if isinstance(block, Paragraph) else "table", text))
    return found


def _texts(document: Document) -> list[str]:
    return [document.text_of(block) for block in document.blocks]


def _warned(document: Document) -> dict[str, object]:
    return {warning.text_id: warning.params.get("count") for warning in document.warnings}


def test_a_document_of_python_docx_reads_in_order() -> None:
    made = new_document()
    made.add_heading("業務委託契約書", 0)
    made.add_heading("第1章 総則", 1)
    made.add_paragraph("甲は、乙に業務を委託する。")
    made.add_paragraph("検収", style="List Bullet")
    grid = made.add_table(rows=2, cols=3)
    for row, values in zip(
        grid.rows, (("品名", "数量", "金額"), ("机", "2", "20,000")), strict=True
    ):
        for place, value in zip(row.cells, values, strict=True):
            place.text = value
    made.add_heading("1.1 定義", 2)
    made.add_paragraph("以上")
    document = _read(_saved(made))
    assert _blocks(document) == [
        ("h1", "業務委託契約書"),
        ("h1", "第1章 総則"),
        ("body", "甲は、乙に業務を委託する。"),
        ("list_item", "検収"),
        ("table", "品名\t数量\t金額\n机\t2\t20,000"),
        ("h2", "1.1 定義"),
        ("body", "以上"),
    ]
    assert document.title == "業務委託契約書"
    assert document.blocks[-1].position.headings == ("第1章 総則", "1.1 定義")
    assert document.tables[0].columns == ("品名", "数量", "金額")


class TestNumbers:
    ARTICLES = list_definition(
        1,
        ("decimal", "第%1条"),
        ("decimalFullWidth", "%2"),
        ("japaneseCounting", "（%3）"),
    )

    def test_articles_get_the_numbers_that_word_shows(self) -> None:
        document = _body(
            paragraph("（目的）", list_id=1)
            + paragraph("本契約は、…を定める。", list_id=1, level=1)
            + paragraph("前項の…", list_id=1, level=1)
            + paragraph("一つ目", list_id=1, level=2)
            + paragraph("二つ目", list_id=1, level=2)
            + paragraph("（定義）", list_id=1)
            + paragraph("用語は…", list_id=1, level=1),
            numbering=self.ARTICLES,
        )
        assert _blocks(document) == [
            ("list_item", "第1条 （目的）"),
            ("list_item", "１ 本契約は、…を定める。"),
            ("list_item", "２ 前項の…"),
            ("list_item", "（一） 一つ目"),
            ("list_item", "（二） 二つ目"),
            ("list_item", "第2条 （定義）"),
            ("list_item", "１ 用語は…"),
        ]

    def test_ordinary_text_between_items_does_not_restart_them(self) -> None:
        document = _body(
            paragraph("目的", list_id=1) + paragraph("なお書き") + paragraph("定義", list_id=1),
            numbering=self.ARTICLES,
        )
        assert _texts(document) == ["第1条 目的", "なお書き", "第2条 定義"]

    def test_an_empty_item_is_counted_but_not_shown(self) -> None:
        document = _body(
            paragraph("甲", list_id=1) + paragraph("", list_id=1) + paragraph("乙", list_id=1),
            numbering=self.ARTICLES,
        )
        assert _texts(document) == ["第1条 甲", "第3条 乙"]

    def test_numbers_of_levels_above_are_part_of_the_number(self) -> None:
        numbering = list_definition(1, ("upperRoman", "%1."), ("decimal", "%1.%2"))
        legal = list_definition(2, ("upperRoman", "%1."), ("decimal", "%1.%2"), more="<w:isLgl/>")
        document = _body(
            paragraph("総則", list_id=1)
            + paragraph("目的", list_id=1, level=1)
            + paragraph("総則", list_id=2)
            + paragraph("目的", list_id=2, level=1),
            numbering=numbering + legal,
        )
        assert _texts(document) == ["I. 総則", "I.1 目的", "I. 総則", "1.1 目的"]

    def test_a_second_list_of_the_same_kind_goes_on_unless_it_says_where_to_start(self) -> None:
        numbering = (
            list_definition(1, ("decimal", "%1."))
            + '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
            + '<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0">'
            '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
        )
        document = _body(
            "".join(paragraph("項目", list_id=number) for number in (1, 2, 3, 3)),
            numbering=numbering,
        )
        assert _texts(document) == ["1. 項目", "2. 項目", "1. 項目", "2. 項目"]

    def test_lists_begin_where_they_say(self) -> None:
        numbering = (
            list_definition(1, ("decimal", "%1.")).replace('w:start w:val="1"', 'w:start w:val="5"')
            + '<w:num w:numId="2"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0">'
            '<w:startOverride w:val="10"/></w:lvlOverride></w:num>'
        )
        document = _body(
            "".join(paragraph("項目", list_id=number) for number in (1, 1, 2, 2)),
            numbering=numbering,
        )
        assert _texts(document) == ["5. 項目", "6. 項目", "10. 項目", "11. 項目"]

    def test_a_level_that_never_restarts_counts_through_the_chapters(self) -> None:
        numbering = list_definition(
            1, ("decimal", "第%1章"), ("decimal", "第%2条"), more='<w:lvlRestart w:val="0"/>'
        )
        document = _body(
            paragraph("総則", list_id=1)
            + paragraph("目的", list_id=1, level=1)
            + paragraph("雑則", list_id=1)
            + paragraph("管轄", list_id=1, level=1),
            numbering=numbering,
        )
        assert _texts(document) == ["第1章 総則", "第1条 目的", "第2章 雑則", "第2条 管轄"]

    def test_headings_numbered_by_their_style_carry_the_number(self) -> None:
        numbering = (
            '<w:abstractNum w:abstractNumId="7">'
            '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="1"/>'
            '<w:suff w:val="nothing"/><w:lvlText w:val="第%1条"/></w:lvl>'
            '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="2"/>'
            '<w:suff w:val="space"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>'
            '<w:num w:numId="7"><w:abstractNumId w:val="7"/></w:num>'
        )
        styles = "".join(
            f'<w:style w:type="paragraph" w:styleId="{level}"><w:name w:val="heading {level}"/>'
            '<w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr></w:style>'
            for level in (1, 2)
        )
        document = _body(
            paragraph("（目的）", style="1")
            + paragraph("範囲", style="2")
            + paragraph("（定義）", style="1")
            + paragraph("用語", style="2"),
            styles=styles,
            numbering=numbering,
        )
        assert _blocks(document) == [
            ("h1", "第1条（目的）"),
            ("h2", "1.1 範囲"),
            ("h1", "第2条（定義）"),
            ("h2", "2.1 用語"),
        ]

    def test_a_paragraph_can_leave_the_list_of_its_style(self) -> None:
        styles = (
            '<w:style w:type="paragraph" w:styleId="n"><w:name w:val="番号"/>'
            '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        )
        document = _body(
            paragraph("甲", style="n") + paragraph("注記", style="n", list_id=0),
            styles=styles,
            numbering=self.ARTICLES,
        )
        assert _blocks(document) == [("list_item", "第1条 甲"), ("body", "注記")]

    @pytest.mark.parametrize(
        ("style", "third", "eleventh"),
        [
            ("decimalZero", "03", "11"),
            ("decimalFullWidth", "３", "１１"),
            ("decimalEnclosedCircle", "③", "⑪"),
            ("decimalEnclosedParen", "⑶", "⑾"),
            ("aiueo", "ｳ", "ｻ"),
            ("aiueoFullWidth", "ウ", "サ"),
            ("iroha", "ﾊ", "ﾙ"),
            ("irohaFullWidth", "ハ", "ル"),
            ("ideographTraditional", "丙", "甲"),
            ("ideographZodiac", "寅", "戌"),
            ("japaneseCounting", "三", "十一"),
            ("ideographDigital", "三", "一一"),
            ("japaneseLegal", "参", "壱拾壱"),
            ("lowerRoman", "iii", "xi"),
            ("upperLetter", "C", "K"),
            ("ordinal", "3rd", "11th"),
            ("of a later Word", "3", "11"),
        ],
    )
    def test_every_way_of_counting(self, style: str, third: str, eleventh: str) -> None:
        document = _body(
            "".join(paragraph("x", list_id=1) for _ in range(11)),
            numbering=list_definition(1, (style, "%1")),
        )
        assert (_texts(document)[2], _texts(document)[10]) == (f"{third} x", f"{eleventh} x")


class TestTrackedChanges:
    INSERTED = '<w:ins w:id="1" w:author="山田" w:date="2024-04-01T00:00:00Z">{}</w:ins>'
    DELETED = (
        '<w:del w:id="2" w:author="山田" w:date="2024-04-01T00:00:00Z">'
        "<w:r><w:delText>{}</w:delText></w:r></w:del>"
    )

    def test_the_text_is_that_after_accepting_all(self) -> None:
        document = _body(
            f"<w:p>{run('報酬は月額')}{self.DELETED.format('十万円')}"
            f"{self.INSERTED.format(run('二十万円'))}{run('とする。')}</w:p>"
        )
        assert document.text == "報酬は月額二十万円とする。"
        assert _warned(document) == {"docx_changes_accepted": 2}

    def test_a_document_without_changes_warns_of_nothing(self) -> None:
        assert _body(paragraph("報酬")).warnings == ()

    def test_a_move_is_one_change_and_stands_where_it_went(self) -> None:
        document = _body(
            f"<w:p><w:moveFrom w:id='1'>{run('前の位置。')}</w:moveFrom>{run('第一文。')}</w:p>"
            f"<w:p>{run('第二文。')}<w:moveTo w:id='2'>{run('前の位置。')}</w:moveTo></w:p>"
        )
        assert _texts(document) == ["第一文。", "第二文。前の位置。"]
        assert _warned(document) == {"docx_changes_accepted": 1}

    def test_deleting_the_end_of_a_paragraph_joins_it_with_the_next(self) -> None:
        end = "<w:pPr><w:rPr><w:del w:id='3' w:author='山田'/></w:rPr></w:pPr>"
        document = _body(f"<w:p>{end}{run('甲は、')}</w:p>" + paragraph("乙に通知する。"))
        assert _texts(document) == ["甲は、乙に通知する。"]
        assert _warned(document) == {"docx_changes_accepted": 1}

    def test_a_paragraph_deleted_as_a_whole_leaves_no_trace(self) -> None:
        end = "<w:pPr><w:rPr><w:del w:id='3'/></w:rPr></w:pPr>"
        document = _body(
            paragraph("前")
            + f"<w:p>{end}{self.DELETED.format('削除された条項')}</w:p>"
            + paragraph("後")
        )
        assert _texts(document) == ["前", "後"]
        assert _warned(document) == {"docx_changes_accepted": 1}

    def test_rows_are_inserted_and_deleted_too(self) -> None:
        grid = table(
            ["品名", "数量", "金額"], ["机", "1", "100"], ["椅子", "2", "50"], header_rows=1
        )
        rows = grid.split("<w:tr>")
        rows[2] = f"<w:trPr><w:del w:id='1'/></w:trPr>{rows[2]}"
        rows[3] = f"<w:trPr><w:ins w:id='2'/></w:trPr>{rows[3]}"
        document = _body("<w:tr>".join(rows))
        assert document.tables[0].rows == (("椅子", "2", "50"),)
        assert _warned(document) == {"docx_changes_accepted": 2}

    def test_one_change_cut_in_pieces_by_its_formatting_counts_once(self) -> None:
        pieces = self.INSERTED.format(run("二十")) + self.INSERTED.format(run("万円", "<w:b/>"))
        assert _warned(_body(f"<w:p>{pieces}</w:p>")) == {"docx_changes_accepted": 1}


class TestWithinAParagraph:
    def test_hidden_text_is_left_out_and_said_so(self) -> None:
        shown = run("見える", '<w:vanish w:val="0"/>')
        document = _body(
            f"<w:p>{run('公開部分')}{run('社外秘メモ', '<w:vanish/>')}</w:p><w:p>{shown}</w:p>"
        )
        assert _texts(document) == ["公開部分", "見える"]
        assert _warned(document) == {"docx_hidden_text": 1}

    def test_struck_text_is_left_out_and_said_so(self) -> None:
        alive = run("生きている", '<w:strike w:val="0"/>')
        old = run("3,0", "<w:strike/>") + run("00円", "<w:dstrike/><w:b/>")
        document = _body(
            f"<w:p>{run('日当は')}{old}{run('5,000円')}{run('（税込）', '<w:strike/>')}</w:p>"
            f"<w:p>{alive}</w:p>" + paragraph("廃止した条", style="void"),
            styles='<w:style w:type="paragraph" w:styleId="void"><w:name w:val="v"/>'
            "<w:rPr><w:strike/></w:rPr></w:style>",
        )
        assert _texts(document) == ["日当は5,000円", "生きている"]
        assert _warned(document) == {"struck_text_left_out": 3}

    def test_a_struck_article_keeps_its_number_from_the_next(self) -> None:
        struck = paragraph("旧条", list_id=1).replace(
            "<w:rPr></w:rPr>", "<w:rPr><w:strike/></w:rPr>"
        )
        document = _body(
            paragraph("目的", list_id=1) + struck + paragraph("期間", list_id=1),
            numbering=list_definition(1, ("decimal", "第%1条")),
        )
        assert _texts(document) == ["第1条 目的", "第3条 期間"]

    def test_text_hidden_by_its_style_is_left_out(self) -> None:
        styles = (
            '<w:style w:type="character" w:styleId="base"><w:name w:val="b"/>'
            "<w:rPr><w:vanish/></w:rPr></w:style>"
            '<w:style w:type="character" w:styleId="memo"><w:name w:val="m"/>'
            '<w:basedOn w:val="base"/></w:style>'
        )
        whole = (
            '<w:style w:type="paragraph" w:styleId="secret"><w:name w:val="s"/>'
            "<w:rPr><w:vanish/></w:rPr></w:style>"
        )
        hidden = run("メモ", '<w:rStyle w:val="memo"/>')
        document = _body(
            f"<w:p>{run('本文')}{hidden}</w:p>" + paragraph("社外秘", style="secret"),
            styles=styles + whole,
        )
        assert document.text == "本文"
        assert _warned(document) == {"docx_hidden_text": 2}

    def test_readings_over_kanji_are_left_out(self) -> None:
        ruby = (
            "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>しめい</w:t></w:r></w:rt>"
            "<w:rubyBase><w:r><w:t>氏名</w:t></w:r></w:rubyBase></w:ruby></w:r>"
        )
        assert _body(f"<w:p>{ruby}{run('を記入')}</w:p>").text == "氏名を記入"

    def test_fields_show_their_stored_result_not_their_code(self) -> None:
        field = (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            "<w:r><w:instrText>IF </w:instrText></w:r>"
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            "<w:r><w:instrText>PAGE</w:instrText></w:r>"
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>内側</w:t></w:r>'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>令和6年</w:t></w:r>'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )
        simple = '<w:fldSimple w:instr="DATE"><w:r><w:t>4月</w:t></w:r></w:fldSimple>'
        assert _body(f"<w:p>{field}{simple}{run('1日')}</w:p>").text == "令和6年4月1日"

    def test_a_field_that_is_never_closed_does_not_swallow_the_document(self) -> None:
        begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        document = _body(f"<w:p>{begin}{run('第一段落')}</w:p>" + paragraph("第二段落"))
        assert _texts(document) == ["第一段落", "第二段落"]

    @pytest.mark.parametrize(
        ("instruction", "shown"),
        [
            (r"eq \o\ac(○,印)", "印"),
            (r"eq \o\ac(○,3)", "③"),
            (r'EQ \* jc2 \* "Font:ＭＳ 明朝" \* hps10 \o\ad(\s\up 9(しめい),氏名)', "氏名"),
            (r"eq \f(1,2)", "1/2"),
            (r"PAGEREF x", ""),
        ],
    )
    def test_enclosed_characters_and_old_readings(self, instruction: str, shown: str) -> None:
        field = (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )
        assert _body(f"<w:p>{run('〔')}{field}{run('〕')}</w:p>").text == f"〔{shown}〕"

    def test_check_boxes_and_symbols_of_forms(self) -> None:
        box = (
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:checked w:val="{}"/>'
            '</w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )
        symbol = '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'
        document = _body(
            f"<w:p>{box.format(1)}{run('有 ')}{box.format(0)}{run('無 ')}"
            f"{symbol}{run('同意')}</w:p>"
        )
        assert document.text == "☑有 □無 ☑同意"

    def test_a_large_initial_belongs_to_its_word(self) -> None:
        frame = '<w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>'
        document = _body(f"<w:p>{frame}{run('株')}</w:p>" + paragraph("式会社の沿革"))
        assert _texts(document) == ["株式会社の沿革"]

    def test_links_controls_breaks_and_equations(self) -> None:
        control = "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>"
        prompt = (
            "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>"
            f"{run('ここをクリックして入力')}</w:sdtContent></w:sdt>"
        )
        equation = (
            "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num>"
            "<m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>"
            "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup>"
            "</m:sSup></m:oMath>"
        )
        document = _body(
            f"<w:p><w:hyperlink r:id='rId9'>{run('規程集')}</w:hyperlink>{prompt}"
            f"{control.format(run('（別紙）'))}<w:r><w:br/></w:r>{run('比')}{equation}"
            f"<w:r><w:tab/></w:r>{run('円')}</w:p>" + control.format(paragraph("控え"))
        )
        assert _texts(document) == ["規程集（別紙）\n比a/bx^2\t円", "控え"]


class TestHeadings:
    @pytest.mark.parametrize(
        ("name", "level"), [("heading 2", 2), ("Heading 3", 3), ("見出し 1", 1), ("見出し２", 2)]
    )
    def test_styles_are_known_by_their_names_in_any_language(self, name: str, level: int) -> None:
        styles = f'<w:style w:type="paragraph" w:styleId="s"><w:name w:val="{name}"/></w:style>'
        assert _blocks(_body(paragraph("総則", style="s"), styles=styles)) == [
            (f"h{level}", "総則")
        ]

    def test_an_outline_level_is_inherited_and_can_be_taken_back(self) -> None:
        styles = (
            '<w:style w:type="paragraph" w:styleId="article"><w:name w:val="条"/>'
            '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
            '<w:style w:type="paragraph" w:styleId="mine"><w:name w:val="条2"/>'
            '<w:basedOn w:val="article"/></w:style>'
            '<w:style w:type="paragraph" w:styleId="body"><w:name w:val="条文"/>'
            '<w:basedOn w:val="article"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
        )
        document = _body(
            paragraph("目的", style="mine") + paragraph("本文", style="body"), styles=styles
        )
        assert _blocks(document) == [("h2", "目的"), ("body", "本文")]

    def test_a_whole_clause_in_a_heading_style_is_text(self) -> None:
        document = _body(paragraph("甲は乙に対し、" * 40, style="1"), styles=HEADING_STYLES)
        assert _blocks(document)[0][0] == "body"

    def test_a_style_based_on_itself_does_not_hang(self) -> None:
        styles = (
            '<w:style w:type="paragraph" w:styleId="a"><w:name w:val="a"/>'
            '<w:basedOn w:val="b"/></w:style>'
            '<w:style w:type="paragraph" w:styleId="b"><w:name w:val="b"/>'
            '<w:basedOn w:val="a"/></w:style>'
        )
        assert _blocks(_body(paragraph("x", style="a"), styles=styles)) == [("body", "x")]

    def test_lines_of_the_table_of_contents_are_not_body_text(self) -> None:
        styles = '<w:style w:type="paragraph" w:styleId="11"><w:name w:val="toc 1"/></w:style>'
        document = _body(paragraph("第1章 総則", style="11") + paragraph("本文"), styles=styles)
        assert _blocks(document) == [("metadata", "第1章 総則"), ("body", "本文")]


class TestTables:
    def test_merged_cells_say_their_value_once(self) -> None:
        document = _body(
            table(
                ["区分", "品名", "金額"],
                [cell("事務用品", '<w:vMerge w:val="restart"/>'), "ペン", "100"],
                [cell("事務用品", "<w:vMerge/>"), "紙", "200"],
                [cell("合計", '<w:gridSpan w:val="2"/>'), "300"],
                header_rows=1,
            )
        )
        assert document.tables[0].columns == ("区分", "品名", "金額")
        assert document.tables[0].rows == (
            ("事務用品", "ペン", "100"),
            ("", "紙", "200"),
            ("合計", "", "300"),
        )

    def test_two_header_rows_make_one_name_a_column(self) -> None:
        document = _body(
            table(
                [
                    cell("品名", '<w:vMerge w:val="restart"/>'),
                    cell("金額", '<w:gridSpan w:val="2"/>'),
                ],
                [cell("", "<w:vMerge/>"), "税抜", "税込"],
                ["ペン", "100", "110"],
                header_rows=2,
            )
        )
        assert document.tables[0].columns == ("品名", "金額 税抜", "金額 税込")

    def test_a_bold_first_row_names_the_columns(self) -> None:
        bold = [cell("", content=f"<w:p>{run(name, '<w:b/>')}</w:p>") for name in ("氏名", "所属")]
        document = _body(table(bold, ["山田太郎", "総務部"]))
        assert document.tables[0].columns == ("氏名", "所属")

    @pytest.mark.parametrize("look", ["shaded", "bold"])
    def test_a_form_whose_labels_are_set_off_has_no_header(self, look: str) -> None:
        def label(text: str) -> str:
            if look == "bold":
                return cell("", content=f"<w:p>{run(text, '<w:b/>')}</w:p>")
            return cell(text, '<w:shd w:fill="D9E2F3"/>')

        form = table(
            [label("会社名"), "株式会社サンプル", "印"],
            [label("資本金"), "1,000万円", ""],
            [label("設立"), "1990年4月1日", ""],
        )
        assert _body(form).tables[0].columns is None

    def test_a_form_of_labels_and_values_has_no_header(self) -> None:
        document = _body(table(["氏名", "山田太郎"], ["住所", "東京都千代田区"]))
        assert document.tables[0].columns is None
        assert len(document.tables[0].rows) == 2

    def test_a_table_in_a_cell_follows_as_a_table_of_its_own(self) -> None:
        inner = table(["費目", "単価", "数量"], ["交通費", "500", "2"], header_rows=1)
        document = _body(
            table(["内訳", cell("", content=paragraph("別記") + inner)], ["備考", "なし"])
        )
        assert [grid.rows for grid in document.tables] == [
            (("内訳", "別記"), ("備考", "なし")),
            (("交通費", "500", "2"),),
        ]

    def test_a_box_around_text_is_read_as_text(self) -> None:
        content = paragraph("注意事項", style="1") + paragraph("火気厳禁")
        document = _body(table([cell("", content=content)]), styles=HEADING_STYLES)
        assert _blocks(document) == [("h1", "注意事項"), ("body", "火気厳禁")]

    def test_numbers_in_cells_count_in_reading_order(self) -> None:
        numbered = cell("", content=paragraph("確認", list_id=1))
        document = _body(
            table(["手順", numbered], ["手順", numbered]),
            numbering=list_definition(1, ("decimal", "%1.")),
        )
        assert document.tables[0].rows == (("手順", "1. 確認"), ("手順", "2. 確認"))

    def test_a_caption_is_the_title(self) -> None:
        styles = '<w:style w:type="paragraph" w:styleId="c"><w:name w:val="caption"/></w:style>'
        grid = table(["年", "売上"], ["2023", "100"])
        document = _body(paragraph("表1 売上の推移", style="c") + grid, styles=styles)
        assert document.tables[0].title == "表1 売上の推移"

    def test_absurd_spans_stay_small(self) -> None:
        wide = cell("x", '<w:gridSpan w:val="999999999"/>')
        document, seconds = timed(lambda: _body(table(*([wide, "y"] for _ in range(1500)))))
        assert seconds < 10
        assert max(len(row) for row in document.tables[0].rows) < 1000


class TestAsides:
    def test_footnotes_follow_the_paragraph_that_refers_to_them(self) -> None:
        mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
        end_mark = '<w:r><w:endnoteReference w:id="1"/></w:r>'
        document = _body(
            f"<w:p>{run('消費税を含む')}{mark}{end_mark}{run('。')}</w:p>" + paragraph("次"),
            footnotes='<w:footnote w:id="-1" w:type="separator"><w:p/></w:footnote>'
            f'<w:footnote w:id="2">{paragraph("税率は10%")}</w:footnote>',
            endnotes=f'<w:endnote w:id="1">{paragraph("出典：国税庁")}</w:endnote>',
        )
        assert _blocks(document) == [
            ("body", "消費税を含む。"),
            ("footnote", "税率は10%"),
            ("footnote", "出典：国税庁"),
            ("body", "次"),
        ]

    def test_comments_are_notes_with_their_author(self) -> None:
        made = new_document()
        line = made.add_paragraph("納期は4月末とする。")
        made.add_comment(line.runs, text="5月末では？", author="佐藤花子", initials="SH")
        assert _blocks(_read(_saved(made))) == [
            ("body", "納期は4月末とする。"),
            ("note", "佐藤花子: 5月末では？"),
        ]

    def test_a_note_that_is_referred_to_a_thousand_times_is_read_once(self) -> None:
        mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
        document = _body(
            f"<w:p>{run('本文')}{mark * 1000}</w:p>",
            footnotes=f'<w:footnote w:id="2">{paragraph("注")}</w:footnote>',
        )
        assert _texts(document) == ["本文", "注"]

    def test_a_text_box_is_read_once_though_it_is_stored_twice(self) -> None:
        inside = f"<w:txbxContent>{paragraph('至急')}</w:txbxContent>"
        box = (
            '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline>'
            f"<wps:wsp><wps:txbx>{inside}</wps:txbx></wps:wsp></wp:inline></w:drawing></mc:Choice>"
            f"<mc:Fallback><w:pict><v:textbox>{inside}</v:textbox></w:pict></mc:Fallback>"
            "</mc:AlternateContent></w:r>"
        )
        assert _texts(_body(f"<w:p>{run('回覧')}{box}</w:p>")) == ["回覧", "至急"]


_MARKS = ("begin", "separate", "end")


def _page_number(instruction: str, shown: str) -> str:
    """As Word writes it; Word keeps the number of the page it last drew."""
    marks = {kind: f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in _MARKS}
    asked = f"<w:r><w:instrText> {instruction} </w:instrText></w:r>"
    return f"{marks['begin']}{asked}{marks['separate']}{run(shown)}{marks['end']}"


def _with_footer(xml: str) -> Document:
    made = new_document()
    made.add_paragraph("本文")
    made.sections[0].footer.paragraphs[0].text = "足元"
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

    def change(name: str, part: bytes) -> bytes:
        if not name.startswith("word/footer"):
            return part
        return f'<w:ftr xmlns:w="{namespace}"><w:p>{xml}</w:p></w:ftr>'.encode()

    return _read(repacked(_saved(made), change))


class TestHeadersAndFooters:
    def test_each_text_is_read_once_around_the_body(self) -> None:
        made = new_document()
        made.add_heading("第1章", 1)
        made.add_section().header.is_linked_to_previous = False
        for section in made.sections:
            section.header.paragraphs[0].text = "社外秘　文書番号 総-123"
        made.sections[1].footer.is_linked_to_previous = False
        made.sections[1].footer.paragraphs[0].text = "株式会社サンプル"
        assert _blocks(_read(_saved(made))) == [
            ("metadata", "社外秘　文書番号 総-123"),
            ("h1", "第1章"),
            ("metadata", "株式会社サンプル"),
        ]

    def test_texts_of_first_pages_count_only_where_these_differ(self) -> None:
        made = new_document()
        made.add_paragraph("本文")
        made.sections[0].first_page_header.paragraphs[0].text = "表紙用"
        assert _read(_saved(made)).text == "本文"
        made.sections[0].different_first_page_header_footer = True
        assert _read(_saved(made)).text == "表紙用\n\n本文"

    @pytest.mark.parametrize(
        "footer",
        [
            _page_number("PAGE", "3"),
            run("- ") + _page_number("PAGE", "3") + run(" -"),
            run("Page ") + _page_number("PAGE", "3") + run(" of ") + _page_number("NUMPAGES", "9"),
            '<w:fldSimple w:instr=" PAGE \\* MERGEFORMAT "><w:r><w:t>3</w:t></w:r></w:fldSimple>'
            + run("／9ページ"),
        ],
    )
    def test_page_numbers_alone_are_not_text(self, footer: str) -> None:
        assert _with_footer(footer).text == "本文"

    def test_the_text_beside_a_page_number_is(self) -> None:
        document = _with_footer(run("旅費規程　第2版　") + _page_number("PAGE", "3"))
        assert document.text == "本文\n\n旅費規程　第2版"

    def test_a_damaged_one_is_mentioned_and_the_body_read(self) -> None:
        document = _with_footer("<broken>")
        assert document.text == "本文"
        assert list(_warned(document)) == ["office_part_damaged"]

    def test_pictures_under_a_header_are_still_no_text(self) -> None:
        made = new_document()
        made.sections[0].header.paragraphs[0].text = "社外秘"
        with pytest.raises(UnsupportedFormat):
            _read(_saved(made))


def test_styles_based_on_thousands_of_others_take_seconds_not_minutes() -> None:
    count = 3_000
    styles = HEADING_STYLES + "".join(
        f'<w:style w:type="paragraph" w:styleId="s{n}"><w:name w:val="s{n}"/>'
        f'<w:basedOn w:val="{f"s{n - 1}" if n else "2"}"/></w:style>'
        for n in range(count)
    )
    body = "".join(paragraph(f"節{n}", style=f"s{count - 1}") for n in range(count))
    document, seconds = timed(lambda: _body(body, styles=styles))
    assert seconds < 8
    assert _blocks(document)[-1] == ("h2", f"節{count - 1}")


class TestRefusals:
    def test_a_document_of_pictures_says_there_is_no_text(self) -> None:
        with pytest.raises(UnsupportedFormat) as raised:
            _body("<w:p><w:r><w:drawing><wp:inline/></w:drawing></w:r></w:p>")
        assert raised.value.problem.text_id == "document_without_text"

    def test_an_embedded_document_that_is_not_read_is_mentioned(self) -> None:
        document = _body(paragraph("表紙") + '<w:altChunk r:id="rId5"/>')
        assert _warned(document) == {"docx_embedded_unread": 1}

    def test_a_file_of_another_kind_lacks_its_main_part(self) -> None:
        data = repacked(
            word_file(paragraph("x")), lambda name, part: None if "document" in name else part
        )
        with pytest.raises(UnsupportedFormat) as raised:
            _read(data)
        assert raised.value.problem.text_id == "office_part_missing"

    def test_strict_files_read_like_others(self) -> None:
        def strict(name: str, data: bytes) -> bytes:
            return data.replace(
                b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                b"http://purl.oclc.org/ooxml/wordprocessingml/main",
            ).replace(
                b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                b"http://purl.oclc.org/ooxml/officeDocument/relationships",
            )

        assert _read(repacked(word_file(paragraph("厳密形式")), strict)).text == "厳密形式"

    def test_damaged_files_are_read_or_refused_never_a_crash(self) -> None:
        sound = word_file(
            paragraph("総則", style="1")
            + paragraph("目的", list_id=1)
            + table(["品名", "数量"], [cell("机", '<w:gridSpan w:val="2"/>')], header_rows=1)
            + f"<w:p>{run('注')}<w:r><w:footnoteReference w:id='2'/></w:r></w:p>",
            styles=HEADING_STYLES,
            numbering=list_definition(1, ("decimal", "第%1条")),
            footnotes=f'<w:footnote w:id="2">{paragraph("脚注")}</w:footnote>',
        )
        outcomes = [read_or_problem(docx.read, broken, "a.docx") for broken in damaged(sound, 30)]
        outcomes += [
            read_or_problem(docx.read, broken, "a.docx") for broken in damaged_inside(sound, 60)
        ]
        assert any(isinstance(outcome, SanboError) for outcome in outcomes)
        assert any(isinstance(outcome, Document) for outcome in outcomes)

    def test_nesting_to_the_limit_of_the_parser_is_no_crash(self) -> None:
        boxes = "".join(
            f"<w:p><w:r><w:pict><v:textbox><w:txbxContent>{run(str(depth))}" for depth in range(40)
        )
        ends = "</w:txbxContent></v:textbox></w:pict></w:r></w:p>" * 40
        tables = "<w:tbl><w:tr><w:tc>" * 60 + paragraph("底") + "</w:tc></w:tr></w:tbl>" * 60
        assert isinstance(read_or_problem(docx.read, word_file(tables), "a.docx"), Document)
        read_or_problem(docx.read, word_file(paragraph("x") + boxes + ends), "a.docx")


_TEXT = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xFFFD, exclude_categories=("Cs",)), max_size=30
).map(escape)


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(_TEXT, st.sampled_from([None, 0, 1, 2])), min_size=1, max_size=12))
def test_whatever_people_write_each_span_is_its_text(lines: list[tuple[str, int | None]]) -> None:
    body = "".join(
        paragraph(text, list_id=None if level is None else 1, level=level or 0)
        for text, level in [*lines, ("終わり", None)]
    )
    document = _body(body, numbering=TestNumbers.ARTICLES)
    spans = [block.position for block in document.blocks]
    assert document.text.endswith("終わり")
    assert all(a.end + 2 == b.start for a, b in pairwise(spans))
    assert all(not isinstance(block, Table) for block in document.blocks)
