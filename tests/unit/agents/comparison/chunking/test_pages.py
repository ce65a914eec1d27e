"""PDF: what pages do to a text is undone."""

from itertools import pairwise

from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.documents.builder import DocumentBuilder
from tests.unit.agents.comparison.chunking.made import (
    letters,
    parent_texts,
    pdf_file,
    read,
    side_of,
    texts,
    without_metadata,
)

CLAUSE = (
    "乙は、業務の遂行に当たり知り得た甲の営業上及び技術上の情報を厳重に管理し、甲の書面による承諾を"
    "得ることなく第三者に開示し、又は漏えいしてはならず、その義務は契約の終了後も存続するものとする。"
)
LONG = [f"{n}. {CLAUSE * 3}" for n in range(1, 11)]


def test_a_paragraph_cut_by_the_end_of_a_page_is_one_chunk() -> None:
    data = pdf_file(LONG, size=12)
    document = read("契約.pdf", data)
    assert (document.pages or 0) > 1
    assert len(document.blocks) > len(LONG)  # the reader leaves the halves apart
    side = side_of("契約.pdf", data)
    assert [letters(text) for text in texts(side)] == [letters(text) for text in LONG]


def test_page_numbers_between_the_halves_are_metadata_behind_the_paragraph() -> None:
    side = side_of("契約.pdf", pdf_file(LONG, foot="- {page} -", head="業務委託契約書", size=12))
    assert [letters(chunk.text) for chunk in without_metadata(side)] == list(map(letters, LONG))
    running = texts(side, "metadata")
    assert {"業務委託契約書", "- 1 -", "- 2 -"} <= set(running)


def test_every_character_of_a_pdf_is_kept() -> None:
    data = pdf_file(LONG, foot="{page} / 9", head="業務委託契約書", size=12)
    read_text, compared = read("契約.pdf", data).text, side_of("契約.pdf", data)
    assert sorted(letters(read_text)) == sorted(letters(compared.text))
    assert letters("".join(texts(compared))) == letters(compared.text)


def test_a_chunk_names_the_page_on_which_it_begins() -> None:
    side = side_of("契約.pdf", pdf_file(LONG, size=12))
    pages = [chunk.position.page or 0 for chunk in side.chunks]
    assert pages == sorted(pages)
    assert (pages[0], pages[-1]) == (1, side.pages)


def test_a_sentence_that_is_over_is_not_joined_with_the_next_page() -> None:
    short = [f"{CLAUSE}" for _ in range(40)]
    side = side_of("契約.pdf", pdf_file(short, size=12))
    assert [letters(text) for text in texts(side)] == [letters(text) for text in short]


def test_a_row_cut_by_the_end_of_a_page_is_one_row_under_the_first_header() -> None:
    builder = DocumentBuilder("別紙.pdf", "pdf")
    builder.table(
        [("監視", "毎日"), ("報告", "毎月の月末までに、書面に")], columns=("業務", "頻度"), page=1
    )
    builder.paragraph("- 1 -", page=1)
    builder.table([("", "より行う。"), ("保守", "随時")], columns=("業務", "頻度"), page=2)
    side = document_side(builder.build(pages=2), "A")
    assert texts(side, "row") == [
        "業務\t頻度",
        "監視\t毎日",
        "報告\t毎月の月末までに、書面により行う。",
        "保守\t随時",
    ]
    assert texts(side, "metadata") == ["- 1 -", "業務\t頻度"]
    parents = parent_texts(side)
    assert {parents[text] for text in texts(side, "row")[1:]} == {"業務\t頻度"}
    assert {chunk.parent for chunk in side.chunks if chunk.kind == "row"} == {None, "A1"}


def test_a_new_table_on_the_next_page_is_a_table_of_its_own() -> None:
    builder = DocumentBuilder("別紙.pdf", "pdf")
    builder.table([("監視", "毎日")], columns=("業務", "頻度"), page=1)
    builder.table([("甲社", "東京")], columns=("委託先", "所在地"), page=2)
    side = document_side(builder.build(pages=2), "A")
    assert texts(side, "row") == ["業務\t頻度", "監視\t毎日", "委託先\t所在地", "甲社\t東京"]


def test_blanks_that_only_typesetting_puts_around_digits_are_taken_out() -> None:
    side = side_of(
        "契約.pdf", pdf_file(["第 3 条（料金）", "2 本人は、月額 50 万円を 30 日以内に払う。"])
    )
    assert [chunk.label for chunk in side.chunks] == ["第3条", "第3条第2項"]
    assert texts(side) == ["第3条（料金）", "2 本人は、月額50万円を30日以内に払う。"]


def test_lines_that_the_reader_left_apart_within_a_sentence_are_joined() -> None:
    builder = DocumentBuilder("規程.pdf", "pdf")
    first = "２　従前の委員長又は委員の任期は、個人情報の保護に関する法律の一部を改正する法律附則"
    builder.paragraph(first, page=1)
    builder.paragraph("第七条第三項の規定にかかわらず、施行日までとする。", page=1)
    builder.paragraph("第八条　この規程は、公布の日から施行する。", page=1)
    side = document_side(builder.build(pages=1), "A")
    assert len(side.chunks) == 2
    assert side.chunks[0].text.endswith(
        "法律附則第七条第三項の規定にかかわらず、施行日までとする。"
    )


def test_the_first_line_of_an_article_that_looks_like_its_title_is_no_heading() -> None:
    builder = DocumentBuilder("契約.pdf", "pdf")
    builder.heading(
        "第四条（協議）　甲は、乙が本契約に定める義務に違反し、期間を定めて催", 2, page=1
    )
    builder.paragraph("告したにもかかわらず是正しないときは、協議する。", page=1)
    [chunk] = document_side(builder.build(pages=1), "A").chunks
    assert (chunk.kind, chunk.label) == ("paragraph", "第四条")


def test_the_first_line_of_an_article_of_two_sentences_is_no_heading() -> None:
    builder = DocumentBuilder("契約.pdf", "pdf")
    builder.heading(
        "第六条（修繕）修繕は、乙の負担において行う。ただし、大規模な修繕は甲の負", 2, page=1
    )
    builder.paragraph("担とする。", page=1)
    [chunk] = document_side(builder.build(pages=1), "A").chunks
    assert (chunk.kind, chunk.label) == ("paragraph", "第六条")


def test_the_one_foot_line_that_is_left_of_many_does_not_part_a_sentence() -> None:
    builder = DocumentBuilder("契約.pdf", "pdf")
    builder.paragraph("乙は、業務の遂行に当たり知り得た甲の営業上及び技術上の情報を", page=1)
    builder.paragraph("青葉商事株式会社　社外秘", page=1)
    builder.paragraph("厳重に管理し、第三者に開示してはならない。", page=2)
    side = document_side(builder.build(pages=2), "A")
    assert texts(side, "metadata") == ["青葉商事株式会社　社外秘"]
    assert len(texts(side, "paragraph")) == 1


def test_signatures_over_two_pages_stay_apart() -> None:
    builder = DocumentBuilder("契約.pdf", "pdf")
    builder.paragraph("甲　青葉商事株式会社", page=1)
    builder.paragraph("乙　若草システム株式会社", page=2)
    assert len(document_side(builder.build(pages=2), "A").chunks) == 2


def test_chunks_of_a_pdf_are_where_they_say() -> None:
    side = side_of("契約.pdf", pdf_file(LONG, foot="Page {page}", size=12))
    assert all(
        side.text[chunk.position.start : chunk.position.end] == chunk.text for chunk in side.chunks
    )
    assert all(
        before.position.end <= after.position.start for before, after in pairwise(side.chunks)
    )
