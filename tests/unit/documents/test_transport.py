"""What goes from one process to another arrives as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.documents import extract
from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.extract import Failed, More, packed, packed_files, unpacked, unpacked_files
from sanbo.documents.model import Document, Skipped, Source
from sanbo.kernel.problems import InvalidInput, LimitExceeded

_text = st.text("あいう漢字abc 12\t\n", max_size=12)
_part = st.one_of(
    _text.map(lambda text: ("paragraph", text)),
    _text.map(lambda text: ("heading", text)),
    st.lists(st.lists(_text, min_size=2, max_size=2), max_size=30).map(
        lambda rows: ("table", rows)
    ),
)


def _document(parts: list[tuple[str, object]]) -> Document:
    builder = DocumentBuilder("資料.docx", "docx")
    for kind, content in parts:
        if kind == "table":
            # pyrefly: ignore[bad-argument-type]
            builder.table(content, columns=["甲", "乙"])
        elif kind == "heading":
            builder.heading(str(content), 1)
        else:
            builder.paragraph(str(content))
    builder.warn(InvalidInput("tabular_no_header"))
    return builder.build(pages=3)


@given(st.lists(_part, max_size=12))
def test_a_document_arrives_as_it_was(parts: list[tuple[str, object]]) -> None:
    document = _document(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract, "_CELLS_A_PIECE", 7)
        patch.setattr(extract, "_BLOCKS_A_PIECE", 2)
        assert unpacked(memoryview(b"".join(packed(document)))) == document


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"R\x00\x00\x00\x08[[],[],]",
        b'R\x00\x00\x00\x0d[[["a"]],[0],[1]]',
        b"H\x00\x00\x00\x02{}",
        b"H\x00",
        b"H\x00\x00\xff\xff{}",
    ],
)
def test_what_is_no_document_is_refused(broken: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpacked(memoryview(broken))


def test_files_come_in_portions_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "_MOST_AT_ONCE", 5)
    files = [Source(name=f"{number}.txt", data=b"abc") for number in range(7)]
    found: list[object] = []
    skip = portions = 0
    while True:
        portions += 1
        data = b"".join(packed_files(files, skip))
        got = list(unpacked_files(lambda size, at, all=data: all[at : at + size], len(data)))
        found += [each for each in got if not isinstance(each, More)]
        skip = len(found)
        if not any(isinstance(each, More) for each in got):
            break
    assert found == files
    assert portions == 4


def test_a_failure_comes_after_the_files_before_it() -> None:
    left_out = Skipped(name="b", problem=InvalidInput("tabular_no_header").problem)

    def files():
        yield Source(name="a", data=b"1")
        yield left_out
        raise LimitExceeded("archive_bomb", name="x.zip")

    data = b"".join(packed_files(files(), 0))
    first, second, third = unpacked_files(lambda size, at: data[at : at + size], len(data))
    assert first == Source(name="a", data=b"1")
    assert second == left_out
    assert isinstance(third, Failed)
    assert third.problem.text_id == "archive_bomb"
