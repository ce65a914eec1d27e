"""The builder keeps spans, heading paths and row numbers right."""

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.model import Table


def test_blocks_are_spans_of_the_text_under_their_headings() -> None:
    builder = DocumentBuilder("規程.docx", "docx")
    builder.heading("総則", 1)
    builder.heading("目的", 2)
    builder.paragraph("この規程は、旅費について定める。")
    builder.heading("旅費", 1)
    builder.paragraph("日当は2,000円とする。", page=3)
    document = builder.build(pages=3)
    texts = [document.text_of(block) for block in document.blocks]
    assert texts == [
        "総則",
        "目的",
        "この規程は、旅費について定める。",
        "旅費",
        "日当は2,000円とする。",
    ]
    assert document.blocks[2].position.headings == ("総則", "目的")
    assert document.blocks[4].position.headings == ("旅費",)
    assert document.blocks[4].position.page == 3


def test_rows_are_lines_and_cells_hold_no_breaks() -> None:
    builder = DocumentBuilder("表.xlsx", "xlsx")
    builder.table(
        [["東京\n支社", "1\t000"], ["大阪", "2,000"]],
        columns=["支社", "売上"],
        sheet="4月",
        header_row=3,
    )
    document = builder.build()
    table = document.blocks[0]
    assert isinstance(table, Table)
    assert document.text == "支社\t売上\n東京 支社\t1 000\n大阪\t2,000"
    assert table.row_numbers == (4, 5)
    assert [document.text[start:].split("\t")[0] for start in table.row_starts] == [
        "東京 支社",
        "大阪",
    ]


def test_what_is_no_text_does_not_get_into_a_document() -> None:
    builder = DocumentBuilder("x.txt", "text")
    builder.paragraph("\x00表\x07示\ud800\ufeff\r\n次の行\x85")
    builder.paragraph(" \n\t ")
    document = builder.build()
    assert document.text == "表示\n次の行"
    assert len(document.blocks) == 1
    document.model_dump_json()
