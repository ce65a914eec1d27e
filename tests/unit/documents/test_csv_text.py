"""A CSV file is the same document in whichever encoding it was saved."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.formats.csv import read, read_delimited
from sanbo.documents.model import Document, Source
from tests.examples import examples
from tests.unit.documents.office_text import ENCODERS, cells, words


def _document(data: bytes) -> Document:
    return read(Source(name="売上.csv", data=data))


def _csv(rows: list[list[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue()


SALES = [
    ["日付", "店舗", "売上"],
    ["2026-04-01", "新宿店", "128000"],
    ["2026-04-02", "㈱髙島", "9"],
]


@pytest.mark.parametrize("encoding", ENCODERS)
def test_the_table_of_a_file_is_the_same_in_every_encoding(encoding: str) -> None:
    document = _document(ENCODERS[encoding](_csv(SALES)))
    (table,) = document.tables
    assert [list(table.columns or ()), *map(list, table.rows)] == SALES
    assert table.row_numbers == (2, 3)
    assert document.warnings == ()


def _tables() -> st.SearchStrategy[list[list[str]]]:
    """From three characters in all to a small table."""
    return st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(cells(), min_size=width, max_size=width), min_size=1, max_size=5
        )
    )


@given(words(), _tables())
@settings(max_examples=examples(250))
def test_any_table_of_office_words_is_the_same_in_every_encoding(
    word: str, rows: list[list[str]]
) -> None:
    rows = [[word, *row] for row in rows]
    text = _csv(rows)
    expected = read_delimited(text.encode("utf-8"))
    for encode in ENCODERS.values():
        table = read_delimited(encode(text))
        assert (table.header, table.rows) == (expected.header, expected.rows)
    without_mark = read_delimited(text.encode("utf-16-le"))
    assert (without_mark.header, without_mark.rows) == (expected.header, expected.rows)


def test_the_cells_of_any_table_come_out_as_they_went_in() -> None:
    rows = [["店舗", "備考"], ["東京", '改行\nと"引用",カンマ'], ["大阪", "ﾃﾞｰﾀ ①"]]
    table = read_delimited(_csv(rows).encode("cp932"))
    assert [table.header, *table.rows] == rows


def test_rows_can_be_found_again_in_the_text_and_in_the_file() -> None:
    data = '売上一覧表\n\n店舗,備考,数\n東京,"二\n行",1\n大阪,なし,2\n'.encode()
    document = _document(data)
    (table,) = document.tables
    assert document.title == table.title == "売上一覧表"
    assert document.text == "売上一覧表\n\n店舗\t備考\t数\n東京\t二 行\t1\n大阪\tなし\t2"
    assert [document.text[start:].split("\t")[0] for start in table.row_starts] == ["東京", "大阪"]
    assert table.row_numbers == (4, 6)
    assert table.position.row == 3
    assert table.position.sheet is None
    assert document.blocks[0].position.row == 1


def test_what_was_wrong_with_the_file_is_said() -> None:
    document = _document(b"a,b\n1,2\n3\n")
    assert [warning.text_id for warning in document.warnings] == ["tables_ragged"]


def test_tabs_make_a_table_too() -> None:
    (table,) = _document("店舗\t売上\n東京\t1,000\n".encode("cp932")).tables
    assert table.rows == (("東京", "1,000"),)


def test_a_large_file_is_read_from_disk_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    lines = [f"2025-04-{n % 28 + 1:02},東京本店,{n},備考{n}" for n in range(20_000)]
    path.write_text("日付,店舗,売上,備考\n" + "\n".join(lines), "cp932")
    (table,) = _document(path.read_bytes()).tables
    assert len(table.rows) == 20_000
    assert table.rows[-1][2] == "19999"
    assert table.row_numbers[-1] == 20_001


def test_tables_one_below_the_other_are_two_tables() -> None:
    data = "【売上】\n月,金額\n4月,100\n5月,200\n\n【仕入】\n\n月,金額,備考\n4月,50,a\n5月,60,b\n"
    document = _document(data.encode())
    sales, purchases = document.tables
    assert (sales.title, purchases.title) == ("【売上】", "【仕入】")
    assert (sales.columns, purchases.columns) == (("月", "金額"), ("月", "金額", "備考"))
    assert sales.rows == (("4月", "100"), ("5月", "200"))
    assert purchases.rows == (("4月", "50", "a"), ("5月", "60", "b"))
    assert purchases.row_numbers == (9, 10)
    assert document.warnings == ()


def test_an_empty_line_inside_a_table_does_not_cut_it() -> None:
    lines = [
        "店舗,担当,金額",
        "東京,山田,100",
        "",
        "京都,佐藤,300",
        "奈良,鈴木,400",
        "",
        ",合計,800",
    ]
    (table,) = _document("\n".join(lines).encode()).tables
    assert table.row_numbers == (2, 4, 5, 7)
