"""Whatever is read: every character is in exactly one chunk."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.agents.comparison.model import Side
from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.model import Document, Format, Role
from tests.cpu_time import timed
from tests.examples import examples
from tests.unit.agents.comparison.chunking.made import letters, read, side_of

LINE = st.one_of(
    st.sampled_from(
        [
            "第三条（目的）",
            "第１２条の３　甲は、第三条の料金を払う。",
            "２　乙は、報告しなければならない。",
            "（１）監視",
            "イ　昼間",
            "② 連絡",
            "・夜間",
            "1.2 Fees are due",
            "(i) within thirty days",
            "附則",
            "- 3 -",
            "3",
            "　字下げした段落で、まだ終わらず",
            "甲は、乙に対し、業務の全部又は一部を、書面による承諾を得た上で、第三者に",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40),
)
TEXT = st.lists(LINE, min_size=1, max_size=5).map("\n".join)
ROLES: list[Role] = ["body", "list_item", "footnote", "note", "code", "metadata"]
FORMATS: list[Format] = [
    "pdf", "docx", "xlsx", "pptx", "csv", "markdown", "html", "text", "eml", "json"
]  # fmt: skip
ROWS = st.lists(st.lists(LINE, min_size=3, max_size=3), min_size=1, max_size=4)
Write = Callable[[DocumentBuilder, int | None], None]


def heading(text: str, level: int) -> Write:
    return lambda builder, page: builder.heading(text, level, page=page)


def paragraph(text: str, role: Role) -> Write:
    return lambda builder, page: builder.paragraph(text, role=role, page=page)


def table(rows: list[list[str]], has_header: bool) -> Write:
    header = rows[0] if has_header else None
    return lambda builder, page: builder.table(rows[has_header:], columns=header, page=page)


PARTS = st.lists(
    st.one_of(
        st.builds(heading, LINE, st.integers(1, 4)),
        st.builds(paragraph, TEXT, st.sampled_from(ROLES)),
        st.builds(table, ROWS, st.booleans()),
    ),
    max_size=12,
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    builder = DocumentBuilder("文書", draw(st.sampled_from(FORMATS)))
    page = 1
    for write in draw(PARTS):
        page += draw(st.integers(0, 1))
        write(builder, page if builder.format in ("pdf", "pptx") else None)
    return builder.build(pages=page)


def assert_whole(side: Side) -> None:
    end = 0
    for chunk in side.chunks:
        start = chunk.position.start
        assert start >= end
        assert not side.text[end:start].strip()
        end = chunk.position.end
        assert side.text[start:end] == chunk.text
        assert chunk.text.strip()
    assert not side.text[end:].strip()


@settings(max_examples=examples(120))
@given(documents())
def test_chunks_are_in_order_apart_and_leave_out_only_white_space(document: Document) -> None:
    side = document_side(document, "B", "2-")
    assert_whole(side)
    if document.format == "pdf":  # what belongs to a page may have changed places
        assert sorted(letters(side.text)) == sorted(letters(document.text))
    else:
        assert side.text == document.text


@settings(max_examples=examples(60))
@given(documents())
def test_ids_are_counted_and_parents_stand_before_their_children(document: Document) -> None:
    chunks = document_side(document, "A", "3-").chunks
    assert [chunk.id for chunk in chunks] == [f"3-A{n}" for n in range(1, len(chunks) + 1)]
    places = {chunk.id: number for number, chunk in enumerate(chunks)}
    assert all(places[chunk.parent] < places[chunk.id] for chunk in chunks if chunk.parent)


@settings(max_examples=examples(30))
@given(st.sampled_from(["a.txt", "a.md", "a.html", "a.csv"]), TEXT)
def test_real_readers_lose_nothing_either(name: str, text: str) -> None:
    document = read(name, f"本文 {text}\n\n{text}\n")
    assert_whole(document_side(document, "A"))


def test_pages_of_a_long_pdf_are_cut_in_a_moment() -> None:
    builder = DocumentBuilder("約款.pdf", "pdf")
    for page in range(1, 301):
        for number in range(25):
            text = f"第{page * 25 + number}条　甲は、乙に対し、業務を委託し、乙は、これを受託する。"
            builder.paragraph(text, page=page)
        builder.paragraph(f"- {page} -", page=page)
    document = builder.build(pages=300)
    side, seconds = timed(lambda: document_side(document, "A"))
    assert seconds < 10  # about one second
    assert len(side.chunks) == 300 * 26


def test_lines_of_a_long_text_without_blank_ones_are_cut_in_a_moment() -> None:
    text = "\n".join(f"{n}回目の記録をここに書き留める。" for n in range(5_000))
    side, seconds = timed(lambda: side_of("記録.txt", text))
    assert seconds < 10
    assert_whole(side)
