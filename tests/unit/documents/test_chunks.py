"""Chunks: whole sentences, whole rows, one place each, and nothing lost."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.chunks import LONGEST_SENTENCE, MOST, chunk
from sanbo.documents.model import Document, Table
from tests.examples import examples

SENTENCE = "甲は、本契約に関して知り得た相手方の秘密情報を、第三者に開示してはならない。"


def _contract() -> Document:
    builder = DocumentBuilder("契約書.txt", "text")
    builder.title = "業務委託契約書"
    builder.heading("第一章　総則", 2)
    builder.paragraph("第一条（目的）　本契約は、業務の委託について定める。")
    builder.paragraph("第二条（秘密保持）　" + SENTENCE)
    builder.paragraph("２　" + SENTENCE * 12)
    builder.paragraph("３　" + SENTENCE * 12)
    return builder.build()


def test_a_chunk_is_a_span_of_the_text() -> None:
    document = _contract()
    for piece in chunk(document):
        position = piece.position
        assert piece.text == document.text[position.start : position.end]


def test_an_article_begins_a_chunk() -> None:
    texts = [piece.text for piece in chunk(_contract())]
    assert sum(text.startswith("第二条") for text in texts) == 1
    assert not any("第二条" in text and "第一条" in text for text in texts)


def test_a_heading_goes_with_what_it_heads() -> None:
    first = chunk(_contract())[0]
    assert first.text.startswith("第一章　総則")
    assert "第一条" in first.text
    assert first.position.headings == ("第一章　総則",)


def test_a_long_article_is_cut_between_sentences_and_its_parts_know_its_name() -> None:
    pieces = chunk(_contract())
    assert all(piece.text.endswith("。") for piece in pieces)
    assert all(len(piece.text) <= MOST for piece in pieces)
    later = [piece for piece in pieces if piece.text.startswith(("２", "３"))]
    assert later
    assert all("第二条（秘密保持）" in piece.context for piece in later)
    assert all("業務委託契約書" in piece.context for piece in pieces)


def test_a_sentence_without_end_is_cut_where_it_does_least_harm() -> None:
    builder = DocumentBuilder("長文.txt", "text")
    builder.paragraph("項目、" * 4000)
    pieces = chunk(builder.build())
    assert max(len(piece.text) for piece in pieces) <= LONGEST_SENTENCE
    assert all(piece.text.endswith("、") for piece in pieces)


def test_a_title_or_header_without_end_is_not_carried_by_every_chunk() -> None:
    builder = DocumentBuilder("x.html", "html")
    builder.title = "題" * 100_000
    builder.heading("見" * 100_000, 1)
    builder.table([["値"]] * 50, columns=["列" * 100_000])
    pieces = chunk(builder.build())
    assert max(len(piece.context) for piece in pieces) <= 1_000
    assert max(len(piece.text) for piece in pieces) <= 2 * LONGEST_SENTENCE


def test_many_headings_and_one_endless_cell_are_cut() -> None:
    builder = DocumentBuilder("x.md", "markdown")
    for number in range(500):
        builder.heading(f"見出し{number}の章", 1)
    builder.table([["値" * 20_000, "b"]], columns=["a", "b"])
    pieces = chunk(builder.build())
    assert max(len(piece.text) for piece in pieces) <= LONGEST_SENTENCE + MOST


def test_chunks_do_not_cross_pages() -> None:
    builder = DocumentBuilder("報告.pdf", "pdf")
    for page in (1, 2, 3):
        builder.paragraph(f"{page}ページの短い文。", page=page)
    assert [(piece.position.page, piece.text) for piece in chunk(builder.build(pages=3))] == [
        (page, f"{page}ページの短い文。") for page in (1, 2, 3)
    ]


def test_rows_stay_whole_and_name_their_numbers() -> None:
    builder = DocumentBuilder("台帳.csv", "csv")
    rows = [[f"取引先{n}", "東京都千代田区" * 5, str(n)] for n in range(200)]
    builder.table(rows, columns=["取引先", "住所", "番号"])
    document = builder.build()
    pieces = chunk(document)
    assert len(pieces) > 5
    table = document.blocks[0]
    assert isinstance(table, Table)
    for piece in pieces:
        lines = piece.text.split("\n")
        assert all(line.count("\t") == 2 for line in lines)
        assert piece.position.row is not None
        assert piece.position.last_row is not None
    assert pieces[0].position.row == 2  # the header is row 1
    assert pieces[-1].position.last_row == 201
    assert all("取引先 住所 番号" in piece.context for piece in pieces[1:])


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["heading", "paragraph", "table"]),
            st.text(alphabet="あい。、第一条 \n１a", min_size=1, max_size=1500),
        ),
        max_size=12,
    )
)
def test_every_character_of_every_block_is_in_exactly_one_chunk(
    blocks: list[tuple[str, str]],
) -> None:
    builder = DocumentBuilder("x.txt", "text")
    for kind, text in blocks:
        if kind == "heading":
            builder.heading(text[:30], 1)
        elif kind == "table":
            builder.table([[cell] for cell in text.split("\n")])
        else:
            builder.paragraph(text)
    document = builder.build()
    pieces = chunk(document)
    ends = 0
    for number, piece in enumerate(pieces):
        assert piece.ordinal == number
        between = document.text[ends : piece.position.start]
        assert not between.strip(), between
        ends = piece.position.end
    assert not document.text[ends:].strip()
    assert re.sub(r"\s", "", "".join(piece.text for piece in pieces)) == re.sub(
        r"\s", "", document.text
    )
