"""Reading PDF.

`samples/vertical.pdf` was printed by Chromium from the page below, saved as vertical.html:

    <!doctype html>
    <html lang="ja"><meta charset="utf-8"><title>在宅勤務のお知らせ</title>
    <style>
    @page { size: 148mm 210mm; margin: 15mm }
    body { writing-mode: vertical-rl; font: 10pt/1.8 "Noto Sans CJK JP" }
    h1 { font-size: 16pt }
    </style>
    <h1>在宅勤務のお知らせ</h1>
    <p>在宅で勤務する社員は、前日までに所属長へ届け出てください。勤務の時刻は毎日記録し、費用は翌月の12日までに申請してください。</p>
    <p>届け出は𠮷田が受け付けます。端末は会社が貸し出し、私物は使えません。</p>
    </html>

    chromium --headless --no-pdf-header-footer --print-to-pdf=vertical.pdf vertical.html
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from pypdfium2.internal import bases
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas as reportlab_canvas

from sanbo.documents.formats.pdf import drawings as forms
from sanbo.documents.formats.pdf import pdfium
from sanbo.documents.formats.pdf import reader as pdf
from sanbo.documents.formats.pdf.page import Box, Glyphs, Page, fault
from sanbo.documents.model import Document, Heading, Paragraph, Source
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat
from tests.examples import examples

Canvas = Any
"""reportlab's: much of it has no types."""
Draw = Callable[[Canvas], None]

GOTHIC = "HeiseiKakuGo-W5"
MINCHO = "HeiseiMin-W3"
WIDTH, HEIGHT = 595, 842
SAMPLES = Path(__file__).parent / "samples"

RULE = (
    "従業員が在宅で勤務しようとするときは、勤務する日の前日までに所属長へ届け出て承認を受けなければ"
    "ならない。所属長は業務に支障があると認めるときは、理由を示して日を改めるよう求めることができる。"
    "在宅で勤務する者は、始業と終業の時刻を毎日記録し、月末に人事部へ提出するものとする。"
)

fonts: Any = pdfmetrics
fonts.registerFont(UnicodeCIDFont(GOTHIC))
fonts.registerFont(UnicodeCIDFont(MINCHO, isVertical=True))


def made(*pages: Draw, encrypt: StandardEncryption | None = None) -> bytes:
    """A PDF with a page for each drawing."""
    out = BytesIO()
    canvas: Canvas = reportlab_canvas.Canvas(out, pagesize=(WIDTH, HEIGHT), encrypt=encrypt)
    for draw in pages:
        canvas.setFont(GOTHIC, 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def read(data: bytes, name: str = "規程.pdf") -> Document:
    return pdf.read(Source(name=name, data=data))


def lines(
    canvas: Canvas, texts: Sequence[str], top: float, left: float = 72, step: float = 16
) -> None:
    for number, text in enumerate(texts):
        canvas.drawString(left, top - number * step, text)


def wrapped(text: str, width: int = 44) -> list[str]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def grid(canvas: Canvas, rows: Sequence[Sequence[str]], top: float, wide: float = 120) -> None:
    high = 22
    for down in range(len(rows) + 1):
        canvas.line(72, top - down * high, 72 + wide * len(rows[0]), top - down * high)
    for across in range(len(rows[0]) + 1):
        canvas.line(72 + across * wide, top, 72 + across * wide, top - high * len(rows))
    for down, row in enumerate(rows):
        for across, text in enumerate(row):
            canvas.drawString(76 + across * wide, top - down * high - 15, text)


def picture(canvas: Canvas) -> None:
    """A page as a scanner makes it."""
    canvas.drawImage(ImageReader(Image.new("RGB", (60, 84), "lightgray")), 0, 0, WIDTH, HEIGHT)


def texts(document: Document, page: int | None = None) -> list[str]:
    return [
        document.text_of(block)
        for block in document.blocks
        if page is None or block.position.page == page
    ]


def headings(document: Document) -> list[tuple[int, str]]:
    return [
        (block.level, document.text_of(block))
        for block in document.blocks
        if isinstance(block, Heading)
    ]


def refusal(data: bytes) -> SanboError:
    with pytest.raises(SanboError) as caught:
        read(data)
    return caught.value


# Text and paragraphs


def test_what_stands_on_a_page_is_found_on_that_page() -> None:
    document = read(
        made(
            lambda c: c.drawString(72, 700, "一枚目の通知です。"),
            lambda c: c.drawString(72, 700, "二枚目の別紙です。"),
        )
    )
    assert document.pages == 2
    assert texts(document, 1) == ["一枚目の通知です。"]
    assert texts(document, 2) == ["二枚目の別紙です。"]
    assert not document.warnings


def test_wrapped_japanese_runs_on_without_spaces() -> None:
    document = read(made(lambda c: lines(c, wrapped(RULE), 700)))
    assert texts(document) == [RULE]


def test_an_indent_begins_a_new_paragraph() -> None:
    first, second = RULE[:88], RULE[88:]

    def draw(canvas: Canvas) -> None:
        lines(canvas, wrapped(first), 700)
        canvas.drawString(82, 700 - 2 * 16, second[:43])
        canvas.drawString(72, 700 - 3 * 16, second[43:])

    assert texts(read(made(draw))) == [first, second]


def test_wrapped_english_runs_on_by_words_and_joins_hyphens() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        lines(
            canvas,
            [
                "Employees who work from home shall tell their manager on the day before, and",
                "keep a record of the hours at which they begin and end. Expenses are reim-",
                "bursed in the month after, if they were asked for by the tenth of that month and",
                "the receipts are enclosed.",
            ],
            700,
        )

    assert texts(read(made(draw))) == [
        "Employees who work from home shall tell their manager on the day before, and keep a record"
        " of the hours at which they begin and end. Expenses are reimbursed in the month after, if"
        " they were asked for by the tenth of that month and the receipts are enclosed."
    ]


def test_lines_of_a_short_column_run_on() -> None:
    left = "左の段の文章がここから始まって次の行へ続き、行の終わりで切れずに三行目で終わります。"
    right = "右の段の文章もここから始まって次の行へ続き、行の終わりで切れずに三行目で終わります。"

    def draw(canvas: Canvas) -> None:
        lines(canvas, wrapped(left, 18), 700, left=50)
        lines(canvas, wrapped(right, 18), 700, left=310)

    assert texts(read(made(draw))) == [left, right]


def test_records_of_one_length_stay_lines() -> None:
    records = [f"{number} 受付の窓口で書類を確認しました" for number in range(1201, 1205)]
    assert texts(read(made(lambda c: lines(c, records, 700)))) == records


def test_ruby_does_not_cut_the_sentence_and_is_not_lost() -> None:
    def draw(canvas: Canvas) -> None:
        readings = ("じゅうぎょういん", "しょぞくちょう", "しぎょう")
        for number, (text, reading) in enumerate(zip(wrapped(RULE, 46), readings, strict=True)):
            canvas.setFont(GOTHIC, 10)
            canvas.drawString(72, 700 - 20 * number, text)
            canvas.setFont(GOTHIC, 5)
            canvas.drawString(92, 710 - 20 * number, reading)

    found = texts(read(made(draw)))
    assert found[0] == RULE[: 3 * 46]
    assert "\n".join(found[1:]).split("\n") == ["じゅうぎょういん", "しょぞくちょう", "しぎょう"]


def test_short_lines_stay_lines() -> None:
    block = ["氏名：田中花子", "所属：経理部", "内線：2045"]
    assert texts(read(made(lambda c: lines(c, block, 700)))) == ["\n".join(block)]


def test_list_items_are_items_with_what_runs_on() -> None:
    first, second = "・" + RULE[:60], "・端末は会社が貸与する。"

    def draw(canvas: Canvas) -> None:
        lines(canvas, ["次のとおりとする。"], 740)
        lines(canvas, [first[:44]], 700)
        lines(canvas, [first[44:]], 684, left=82)
        lines(canvas, [second], 668)

    document = read(made(draw))
    items = [b for b in document.blocks if isinstance(b, Paragraph) and b.role == "list_item"]
    assert [document.text_of(item) for item in items] == [first, second]


def test_a_contents_line_keeps_its_page_number_without_the_dots() -> None:
    document = read(
        made(lambda c: lines(c, ["総則" + "." * 120 + "3", "雑則" + "." * 120 + "9"], 700))
    )
    assert texts(document) == ["総則 … 3\n雑則 … 9"]


def test_what_is_filled_into_a_form_stands_beside_its_label() -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        canvas.drawString(72, 700, "氏名")
        canvas.drawString(72, 670, "部署")
        canvas.drawString(300, 670, "内線")
        canvas.drawString(72, 640, "備考")
        canvas.drawString(72, 580, "以上のとおり届け出ます。")
        form.textfield(name="note", x=120, y=600, height=30, value="From April")
        form.textfield(name="line", x=340, y=662, width=80, height=22, value="2045")
        form.textfield(name="unit", x=120, y=662, width=120, height=22, value="Accounts")
        form.textfield(name="name", x=120, y=692, width=200, height=22, value="Tanaka Hanako")

    words = " ".join(read(made(draw)).text.split())
    assert words == (
        "氏名 Tanaka Hanako 部署 Accounts 内線 2045 備考 From April 以上のとおり届け出ます。"
    )


def test_fields_too_many_to_be_placed_are_read_after_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, ["氏名", "部署"], 700)
        canvas.acroForm.textfield(name="name", x=120, y=692, height=20, value="Tanaka Hanako")

    monkeypatch.setattr(forms, "MAX_COMPARISONS", 1)
    assert read(made(draw)).text.split() == ["氏名", "部署", "Tanaka", "Hanako"]


def test_ticked_and_unticked_boxes_stand_beside_their_labels() -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        for y, label, checked in ((700, "同意する", True), (670, "書面を希望する", False)):
            form.checkbox(name=label, x=72, y=y - 4, size=14, checked=checked)
            canvas.drawString(92, y, label)
        canvas.drawString(72, 640, "勤務")
        for x, label, chosen in ((120, "在宅", False), (200, "出社", True)):
            form.radio(name="place", value=label, x=x, y=636, size=14, selected=chosen)
            canvas.drawString(x + 20, 640, label)

    words = " ".join(read(made(draw)).text.split())
    assert words == "☑ 同意する ☐ 書面を希望する 勤務 ☐ 在宅 ☑ 出社"


def test_notes_on_a_page_are_read_as_notes_of_that_page() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "契約書の本文です。")
        canvas.freeTextAnnotation("Price: 500", DA="/Helv 12 Tf", Rect=[60, 600, 300, 630])
        canvas.textAnnotation("期限を延ばす", Rect=[300, 700, 320, 720])

    document = read(made(text_page, draw))
    notes = [b for b in document.blocks if isinstance(b, Paragraph) and b.role == "note"]
    assert {document.text_of(note) for note in notes} == {"Price: 500", "期限を延ばす"}
    assert {note.position.page for note in notes} == {2}


# Headings and running lines


def test_the_outline_gives_headings_and_their_paths() -> None:
    def first(canvas: Canvas) -> None:
        for key, title, level, y in (("a", "総則", 0, 700), ("b", "目的", 1, 660)):
            canvas.bookmarkPage(key)
            canvas.addOutlineEntry(title, key, level)
            canvas.drawString(72, y, f"{level + 1} {title}")
        canvas.drawString(72, 620, "この規程は在宅勤務について定める。")

    def second(canvas: Canvas) -> None:
        canvas.bookmarkPage("c")
        canvas.addOutlineEntry("雑則", "c", 0)
        canvas.drawString(72, 700, "雑則")
        canvas.drawString(72, 660, "目的にない事項は別に定める。")

    document = read(made(first, second))
    assert headings(document) == [(1, "1 総則"), (2, "2 目的"), (1, "雑則")]
    paths = {document.text_of(b): b.position.headings for b in document.blocks}
    assert paths["この規程は在宅勤務について定める。"] == ("1 総則", "2 目的")
    assert paths["目的にない事項は別に定める。"] == ("雑則",)


def test_larger_type_and_articles_are_headings_where_there_is_no_outline() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont(GOTHIC, 20)
        canvas.drawString(72, 780, "在宅勤務規程")
        canvas.setFont(GOTHIC, 10)
        lines(canvas, ["第1章 総則"], 740)
        lines(canvas, ["第1条（目的）"], 710)
        lines(canvas, wrapped(RULE), 690)
        lines(canvas, ["第2条（費用）"], 600)
        lines(canvas, ["第1条に定める者の費用は会社が負担する。"], 580)

    document = read(made(draw))
    assert headings(document) == [
        (1, "在宅勤務規程"),
        (2, "第1章 総則"),
        (4, "第1条（目的）"),
        (4, "第2条（費用）"),
    ]
    assert document.title == "在宅勤務規程"


def test_the_title_is_the_files_own_unless_it_says_nothing() -> None:
    def titled(title: str) -> Document:
        def draw(canvas: Canvas) -> None:
            canvas.setTitle(title)
            canvas.drawString(72, 700, "本文です。")

        return read(made(draw))

    assert titled("在宅勤務規程（改定版）").title == "在宅勤務規程（改定版）"
    assert titled("Microsoft Word - 規程_最終.docx").title is None


def test_a_chapter_among_others_is_not_the_title() -> None:
    def draw(canvas: Canvas) -> None:
        for top, title in ((760, "総則"), (600, "費用"), (440, "雑則")):
            canvas.setFont(GOTHIC, 16)
            canvas.drawString(72, top, title)
            canvas.setFont(GOTHIC, 10)
            lines(canvas, wrapped(RULE), top - 30)

    document = read(made(draw))
    assert headings(document) == [(1, "総則"), (1, "費用"), (1, "雑則")]
    assert document.title is None


def test_running_heads_are_read_once_and_page_numbers_not_at_all() -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            canvas.drawString(72, 812, "在宅勤務規程　社外秘")
            canvas.drawString(72, 500, "以上のとおり承認する。")
            canvas.drawString(72, 460, f"本文その{number}。")
            canvas.drawCentredString(WIDTH / 2, 30, f"- {number} -")

        return draw

    document = read(made(*(page(number) for number in range(1, 7))))
    assert document.text.count("社外秘") == 1
    assert "社外秘" in texts(document, 1)[0]
    assert "- 3 -" not in document.text
    assert document.text.count("以上のとおり承認する。") == 6
    assert texts(document, 3) == ["以上のとおり承認する。", "本文その3。"]


@pytest.mark.parametrize("form", ["- {} -", "{} / 75", "Page {}", "{}ページ", "第{}頁"])
def test_page_numbers_are_left_out_however_they_are_written(form: str) -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            canvas.drawString(72, 500, "本文です。")
            canvas.drawCentredString(WIDTH / 2, 30, form.format(number))

        return draw

    assert set(texts(read(made(*map(page, range(8, 15)))))) == {"本文です。"}


def test_what_differs_from_page_to_page_is_kept_where_heads_and_feet_stand() -> None:
    def invoice(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            canvas.drawString(72, 812, f"請求番号：2025-{17 + 731 * number:05d}")
            canvas.drawString(72, 500, f"品名 商品{number}")
            canvas.drawString(72, 50, f"ご請求金額 {5000 + 1234 * number:,}円")
            canvas.drawString(72, 30, f"納品書番号 {number}")

        return draw

    text = read(made(*map(invoice, range(1, 7)))).text
    for number in range(1, 7):
        assert f"請求番号：2025-{17 + 731 * number:05d}" in text
        assert f"ご請求金額 {5000 + 1234 * number:,}円" in text
        assert f"納品書番号 {number}" in text


def test_a_long_listing_keeps_the_rows_at_the_ends_of_its_pages() -> None:
    rows = [f"{n:04d}  {1000 + n * 7:,}  {n * 3}%" for n in range(300)]

    def page(number: int) -> Draw:
        return lambda c: lines(c, rows[50 * number : 50 * number + 50], 822, step=15.5)

    text = read(made(*map(page, range(6)))).text
    assert [row for row in rows if row.split()[0] not in text.split()] == []


def test_heads_of_a_short_file_are_kept() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 812, "社外秘の通知です。")

    document = read(made(draw, draw, draw, draw))
    assert document.text.count("社外秘の通知です。") == 4


# Tables


ROWS = [["項目", "金額", "備考"], ["通信費", "5,000円", "月額の上限"], ["機器", "貸与", ""]]


def test_a_ruled_table_is_a_table_and_its_text_is_not_repeated() -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, ["費用は次の表による。"], 720)
        grid(canvas, ROWS, 700)
        lines(canvas, ["表にない費用は認めない。"], 600)

    document = read(made(draw))
    table = document.tables[0]
    assert table.columns == ("項目", "金額", "備考")
    assert table.rows == (("通信費", "5,000円", "月額の上限"), ("機器", "貸与", ""))
    assert table.position.page == 1
    assert document.text.count("通信費") == 1
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "paragraph"]


def test_a_bold_first_row_names_the_columns() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 10)
        grid(canvas, [["Duty", "Owner"]], 700)
        canvas.setFont("Helvetica", 10)
        grid(canvas, [["Approve", "Manager"], ["Record", "Member"]], 678)

    assert read(made(draw)).tables[0].columns == ("Duty", "Owner")


def test_a_wrapped_cell_runs_on_and_lines_of_a_cell_stay_apart() -> None:
    def draw(canvas: Canvas) -> None:
        for y in (700, 640, 620):
            canvas.line(72, y, 272, y)
        for x in (72, 172, 272):
            canvas.line(x, 700, x, 620)
        lines(canvas, ["在宅勤務で使う端末", "の通信費"], 680, left=76)
        lines(canvas, ["月額", "上限あり"], 680, left=176)
        lines(canvas, ["機器"], 626, left=76)

    table = read(made(draw)).tables[0]
    assert table.rows[0] == ("在宅勤務で使う端末の通信費", "月額 上限あり")


def test_rows_without_a_line_between_them_are_rows() -> None:
    def draw(canvas: Canvas) -> None:
        for y in (700, 680, 600):
            canvas.line(72, y, 312, y)
        for x in (72, 192, 312):
            canvas.line(x, 700, x, 600)
        lines(canvas, ["地域", "東京", "大阪", "福岡"], 685, left=76, step=20)
        lines(canvas, ["件数", "120", "85", "31"], 685, left=196, step=20)

    assert read(made(draw)).tables[0].rows == (("東京", "120"), ("大阪", "85"), ("福岡", "31"))


def test_a_table_open_at_its_sides_keeps_its_outer_columns() -> None:
    def draw(canvas: Canvas) -> None:
        for row, y in enumerate((700, 678, 656)):
            canvas.line(72, y, 372, y)
            if row:
                lines(canvas, [ROWS[row - 1][0]], y + 6, left=76)
                lines(canvas, [ROWS[row - 1][1]], y + 6, left=226)
        canvas.line(222, 700, 222, 656)

    assert read(made(draw)).tables[0].rows[-1] == ("通信費", "5,000円")


def test_a_table_that_goes_on_has_the_names_of_its_columns_on_each_page() -> None:
    document = read(
        made(
            lambda c: grid(c, ROWS, 700),
            lambda c: grid(c, [["電気代", "2,000円", "月額"], ["椅子", "貸与", "希望者"]], 780),
        )
    )
    assert [table.columns for table in document.tables] == [("項目", "金額", "備考")] * 2
    assert document.tables[1].rows[0] == ("電気代", "2,000円", "月額")


def test_columns_without_lines_stay_text() -> None:
    def draw(canvas: Canvas) -> None:
        for number, (name, price, note) in enumerate(ROWS):
            for left, text in ((72, name), (200, price), (330, note)):
                canvas.drawString(left, 700 - number * 16, text)

    document = read(made(draw))
    assert not document.tables
    assert "通信費 5,000円 月額の上限" in document.text


def test_rows_without_lines_that_fill_the_page_stay_rows() -> None:
    rows = [
        ("品名", "数量", "単価", "金額（税込）"),
        ("業務用コピー用紙", "10", "500", "5,000"),
        ("ボールペン", "200", "80", "16,000"),
        ("会議用の机（組立込み）", "4", "12,000", "48,000"),
    ]

    def draw(canvas: Canvas) -> None:
        for number, row in enumerate(rows):
            for left, text in zip((50, 240, 370, 480), row, strict=True):
                canvas.drawString(left, 700 - number * 16, text)

    assert texts(read(made(draw))) == ["\n".join(map(" ".join, rows))]


def test_a_frame_around_text_is_no_table() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rect(60, 600, 480, 140)
        canvas.line(60, 700, 540, 700)
        lines(canvas, ["注意"], 710)
        lines(canvas, wrapped(RULE), 680)

    document = read(made(draw))
    assert not document.tables
    assert RULE in document.text


# Vertical writing and turned pages


def test_a_vertical_page_is_read_from_right_to_left() -> None:
    document = read((SAMPLES / "vertical.pdf").read_bytes())
    assert document.title == "在宅勤務のお知らせ"
    assert texts(document) == [
        "在宅勤務のお知らせ",
        "在宅で勤務する社員は、前日までに所属長へ届け出てください。勤務の時刻は毎日記録し、"
        "費用は翌月の12日までに申請してください。",
        "届け出は𠮷田が受け付けます。端末は会社が貸し出し、私物は使えません。",
    ]


def _vertical(canvas: Canvas, text: str, top: float = 780, column: int = 40) -> None:
    """As a font for vertical writing draws it."""
    canvas.setFont(MINCHO, 12)
    for number, part in enumerate(wrapped(text, column)):
        canvas.drawString(520 - 20 * number, top, part)


def _rows(canvas: Canvas, text: str) -> None:
    """Drawn row by row across the columns, as some programs do."""
    columns = wrapped(text, 40)
    for row in range(40):
        for number, column in enumerate(columns):
            canvas.drawString(520 - 20 * number, 780 - 12 * row, column[row : row + 1])


def _spaced(canvas: Canvas, text: str) -> None:
    """Wider apart than their size."""
    for number, column in enumerate(wrapped(text, 40)):
        for row, character in enumerate(column):
            canvas.drawString(520 - 20 * number, 780 - 18 * row, character)


@pytest.mark.parametrize("draw", [_vertical, _rows, _spaced])
def test_vertical_columns_are_read_however_they_were_drawn(
    draw: Callable[[Canvas, str], None],
) -> None:
    assert texts(read(made(lambda c: draw(c, RULE)))) == [RULE]


def test_two_tiers_of_vertical_text_are_read_one_after_the_other() -> None:
    def draw(canvas: Canvas) -> None:
        _vertical(canvas, RULE, column=24)
        _vertical(canvas, RULE[::-1], 400, column=24)

    assert "".join(texts(read(made(draw)))) == RULE + RULE[::-1]


@pytest.mark.parametrize("angle", [90, -90])
def test_a_page_set_on_its_side_is_turned(angle: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(WIDTH if angle > 0 else 0, 0 if angle > 0 else HEIGHT)
        canvas.rotate(angle)
        lines(canvas, ["横向きの表を次に示します。"], 500)
        grid(canvas, ROWS, 450)

    document = read(made(draw))
    assert texts(document)[0] == "横向きの表を次に示します。"
    assert document.tables[0].columns == ("項目", "金額", "備考")
    assert document.tables[0].rows[0] == ("通信費", "5,000円", "月額の上限")


def test_a_page_that_is_shown_turned_reads_like_any_other() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.translate(WIDTH, 0)
        canvas.rotate(90)
        grid(canvas, ROWS, 450)
        lines(canvas, wrapped(RULE), 300)

    document = read(made(draw))
    assert document.tables[0].columns == ("項目", "金額", "備考")
    assert texts(document)[1] == RULE


# Pages without text


def text_page(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "文字のあるページです。")


def test_a_scanned_file_is_refused_with_the_way_out() -> None:
    error = refusal(made(picture, picture))
    assert isinstance(error, UnsupportedFormat)
    assert error.problem.text_id == "pdf_no_text"
    assert error.problem.params["pages"] == 2
    assert "OCR" in error.problem.hint


def test_scanned_pages_among_others_are_named() -> None:
    document = read(made(text_page, picture, text_page, picture, picture, text_page))
    assert [warning.text_id for warning in document.warnings] == ["pdf_pages_without_text"]
    assert document.warnings[0].params["pages"] == "2, 4–5"
    assert "2, 4–5" in document.warnings[0].message


def test_a_stamp_on_a_scanned_page_does_not_make_it_text() -> None:
    def stamped(canvas: Canvas) -> None:
        picture(canvas)
        canvas.drawString(500, 20, "受付 12")

    document = read(made(text_page, stamped))
    assert document.warnings[0].params["pages"] == "2"


def test_a_picture_beside_text_and_an_empty_page_are_not_complained_of() -> None:
    def illustrated(canvas: Canvas) -> None:
        text_page(canvas)
        canvas.drawImage(ImageReader(Image.new("RGB", (8, 8), "red")), 72, 300, 200, 200)

    assert not read(made(illustrated, lambda c: None)).warnings


# Text that nobody sees


def invisible(canvas: Canvas, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        drawn = canvas.beginText(72, 660 - 16 * number)
        drawn.setTextRenderMode(3)
        drawn.textOut(text)
        canvas.drawText(drawn)


def test_invisible_text_is_not_read_but_named() -> None:
    def draw(canvas: Canvas) -> None:
        text_page(canvas)
        invisible(canvas, ["見えない指示です。"])

    document = read(made(text_page, draw))
    assert texts(document) == ["文字のあるページです。"] * 2
    assert [warning.text_id for warning in document.warnings] == ["pdf_hidden_text"]
    assert document.warnings[0].params["pages"] == "2"


def test_text_outside_the_page_is_not_read_but_named() -> None:
    def draw(canvas: Canvas) -> None:
        text_page(canvas)
        lines(canvas, ["紙の外の文字です。"] * 30, -100)

    document = read(made(draw))
    assert texts(document) == ["文字のあるページです。"]
    assert [warning.text_id for warning in document.warnings] == ["pdf_hidden_text"]


def test_what_ocr_laid_over_a_scanned_page_is_read() -> None:
    def draw(canvas: Canvas) -> None:
        picture(canvas)
        invisible(canvas, wrapped(RULE))

    document = read(made(draw))
    assert texts(document) == [RULE]
    assert not document.warnings


def test_a_file_of_invisible_text_alone_is_refused() -> None:
    error = refusal(made(lambda c: invisible(c, ["見えない指示です。"])))
    assert error.problem.text_id == "pdf_hidden_text"


# Text that the file does not explain


def unmapped(
    text: str, tables: bytes = b"", catalog: bytes = b"", *, after: bytes = b"", unseen: str = ""
) -> bytes:
    """A font whose glyph numbers are given no characters, unless `tables` does."""
    content = b"BT /F 12 Tf 72 700 Td <" + text.encode("utf-16-be").hex().encode() + b"> Tj ET"
    if unseen:
        content += b" BT %s <%s> Tj ET" % (after, unseen.encode("utf-16-be").hex().encode())
    parts = [
        b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[6 0 R]"
        + tables
        + b">>",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Own/DW 1000/FontDescriptor 7 0 R"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
        b"<</Type/FontDescriptor/FontName/Own/Flags 4/FontBBox[0 -200 1000 800]/ItalicAngle 0"
        b"/Ascent 800/Descent -200/CapHeight 800/StemV 80>>",
    ]
    out = BytesIO(b"%PDF-1.7\n")
    out.seek(0, 2)
    offsets: list[int] = []
    for number, part in enumerate(parts, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj%s\nendobj\n" % (number, part))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1))
    for offset in offsets:
        out.write(b"%010d 00000 n \n" % offset)
    out.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, start))
    return out.getvalue()


def test_a_page_that_pdfium_has_no_characters_for_is_read_by_pdfminer() -> None:
    data = unmapped("在宅勤務の届け出は前日までに行う。", b"/ToUnicode/Identity-H")
    source = Source(name="届.pdf", data=data)
    with pdfium.opened(source) as file:
        assert [page.reader for page in pdf.pages_of(file, source)] == ["pdfminer"]
    document = pdf.read(source)
    assert document.text == "在宅勤務の届け出は前日までに行う。"
    assert not document.warnings


@pytest.mark.parametrize("after", [b"3 Tr /F 12 Tf 72 650 Td", b"/F 12 Tf 72 -90 Td"])
def test_pdfminer_does_not_read_what_nobody_sees(after: bytes) -> None:
    visible = "在宅勤務の届け出は前日までに行う。"
    data = unmapped(visible, b"/ToUnicode/Identity-H", after=after, unseen="見えない指示です。")
    document = read(data)
    assert document.text == visible
    assert [warning.text_id for warning in document.warnings] == ["pdf_hidden_text"]


def test_a_form_that_is_made_when_opened_is_warned_of() -> None:
    form = b"/NeedsRendering true/AcroForm<</Fields[]/XFA[(template)4 0 R]>>"
    document = read(unmapped("Please wait...", catalog=form))
    assert document.text == "Please wait..."
    assert [warning.text_id for warning in document.warnings] == ["pdf_dynamic_form"]


def test_text_that_no_reader_can_explain_is_refused_not_guessed() -> None:
    error = refusal(unmapped("在宅勤務の届け出は前日までに行う。"))
    assert error.problem.text_id == "pdf_unreadable_text"


def test_a_page_with_fewer_characters_than_are_drawn_is_doubted() -> None:
    glyphs = Glyphs("pdfium")
    for place in range(8):
        glyphs.add("在", Box(place, 0, place + 1, 1))
    assert fault(Page(1, WIDTH, HEIGHT, glyphs, text_objects=8), glyphs) is None
    assert fault(Page(1, WIDTH, HEIGHT, glyphs, text_objects=80), glyphs) == "missing"


def test_blank_text_objects_do_not_make_a_page_doubtful() -> None:
    def draw(canvas: Canvas) -> None:
        text_page(canvas)
        lines(canvas, [" "] * 60, 680, step=8)

    document = read(made(draw))
    assert document.text == "文字のあるページです。"
    assert not document.warnings


# Files that can't be read


def test_a_file_with_a_password_says_so() -> None:
    data = made(text_page, encrypt=StandardEncryption("open-sesame", strength=128))
    assert refusal(data).problem.text_id == "pdf_password"


def test_a_file_that_only_restricts_printing_is_read() -> None:
    encrypted = StandardEncryption("", ownerPassword="owner", canPrint=0, strength=128)
    assert read(made(text_page, encrypt=encrypted)).text == "文字のあるページです。"


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\n", b"not a PDF at all", made(text_page)[:400]])
def test_a_damaged_file_says_so(data: bytes) -> None:
    error = refusal(data)
    assert error.problem.text_id == "pdf_damaged"
    assert "規程.pdf" in error.problem.message


def test_a_file_without_its_end_is_read_with_a_warning() -> None:
    data = made(text_page)
    document = read(data[: data.rindex(b"startxref")])
    assert document.text == "文字のあるページです。"
    assert [warning.text_id for warning in document.warnings] == ["pdf_cut_off"]


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdfium, "MAX_PAGES", 2)
    error = refusal(made(text_page, text_page, text_page))
    assert isinstance(error, LimitExceeded)
    assert error.problem.params == {"pages": 3, "limit": 2}


def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdfium, "MAX_CHARACTERS", 20)
    error = refusal(made(text_page, text_page))
    assert error.problem.text_id == "pdf_too_much_text"
    assert error.problem.params["page"] == 2


WHOLE = made(text_page, lambda c: grid(c, ROWS, 700))


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=30))
def test_any_damage_gives_a_document_or_a_problem(changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for at, value in changes:
        data[at] = value
    try:
        document = read(bytes(data))
    except SanboError:
        return
    assert document.text


# pdfium itself


def test_nothing_stays_open_in_pdfium() -> None:
    read(made(text_page, picture))
    refusal(made(picture))
    refusal(made(text_page, encrypt=StandardEncryption("open-sesame")))
    library: Any = bases
    assert not any(library.ObjectTracker.values())


def test_files_can_be_read_at_the_same_time() -> None:
    def file(number: int) -> bytes:
        def draw(canvas: Canvas) -> None:
            lines(canvas, [f"文書{number}の本文です。"] * 20, 780)

        return made(draw, draw, draw)

    with ThreadPoolExecutor(4) as executor:
        documents = list(executor.map(read, map(file, range(8))))
    for number, document in enumerate(documents):
        assert document.text.count(f"文書{number}の本文です。") == 60
