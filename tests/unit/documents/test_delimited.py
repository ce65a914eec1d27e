"""CSV files are read as exports really are, and what was wrong with them is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.formats.csv import Delimited, read_delimited
from sanbo.documents.table_heads import first_row_names_columns
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput, LimitExceeded, UnsupportedFormat
from tests.cpu_time import timed
from tests.examples import examples


def _read(text: str) -> Delimited:
    return read_delimited(text.encode("utf-8"))


def _warned(table: Delimited) -> list[str]:
    return [warning.problem.text_id for warning in table.warnings]


def test_a_plain_table_is_read() -> None:
    table = _read("店舗,金額\n東京,100\n大阪,200\n")
    assert table.header == ["店舗", "金額"]
    assert table.rows == [["東京", "100"], ["大阪", "200"]]
    assert table.row_numbers == [2, 3]
    assert (table.delimiter, table.encoding, table.header_row) == (",", "utf-8", 1)
    assert table.title is None
    assert table.warnings == []


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    lines = [["店舗", "金額", "メモ"], ["東京", "100", "a"], ["大阪", "200", "b"]]
    table = _read("\n".join(delimiter.join(line) for line in lines))
    assert table.delimiter == delimiter
    assert table.rows == lines[1:]


def test_commas_inside_cells_do_not_hide_the_tabs_between_them() -> None:
    table = _read("名前\tメモ\n佐藤\ta,b,c\n鈴木\td\n")
    assert table.rows == [["佐藤", "a,b,c"], ["鈴木", "d"]]


def test_a_decimal_comma_does_not_hide_the_semicolons() -> None:
    assert _read("name;value\na;1,5\nb;2,5\n").rows == [["a", "1,5"], ["b", "2,5"]]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_end_is_known(ending: str) -> None:
    table = _read(ending.join(["a,b", "1,2", "3,4", ""]))
    assert table.rows == [["1", "2"], ["3", "4"]]
    assert table.row_numbers == [2, 3]


def test_line_breaks_and_quotes_inside_cells_are_kept() -> None:
    table = _read('店舗,備考,数\n東京,"1行目\n2行目",1\n大阪,"彼は""はい""と言った",2\n')
    assert table.rows == [["東京", "1行目\n2行目", "1"], ["大阪", '彼は"はい"と言った', "2"]]
    assert table.row_numbers == [2, 4]


def test_title_lines_above_the_table_are_set_apart() -> None:
    table = _read("売上一覧表\n作成日：2025/4/1\n\n店舗,金額,備考\n東京,100,a\n大阪,200,b\n")
    assert table.title == "売上一覧表"
    assert table.title_lines == [(1, "売上一覧表"), (2, "作成日：2025/4/1")]
    assert table.header == ["店舗", "金額", "備考"]
    assert (table.header_row, table.row_numbers) == (4, [5, 6])


def test_title_lines_with_the_commas_of_a_spreadsheet_are_set_apart() -> None:
    table = _read("売上一覧,,,\n期間,4月,,\n店舗,4月,5月,6月\n東京,1,2,3\n大阪,4,5,6\n")
    assert table.title_lines == [(1, "売上一覧"), (2, "期間 4月")]
    assert table.header == ["店舗", "4月", "5月", "6月"]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("1,2,3\n4,5,6\n", None),
        ("東京,100\n大阪,200\n", None),
        ("2025-04-01,東京\n2025-04-02,大阪\n", None),
        ("店舗,区分\n東京,本店\n大阪,支店\n", ["店舗", "区分"]),
        ("東京,本店\n大阪,支店\n東京,支店\n", None),
        ("科目,2023,2024\n売上,100,200\n原価,50,80\n", ["科目", "2023", "2024"]),
        ("東京,2023,2024\n大阪,2022,2021\n", None),
        ("りんご\nみかん\nぶどう\n", None),
        ("金額\n100\n200\n", ["金額"]),
        ("店舗,金額\n", None),
        ("申請者,山田太郎\n部署,営業部\n日付,2025/4/1\n金額,12000\n", None),
        ("氏名,山田\n年齢,30\n人数,170\n", None),
        ("東京,山田,営業\n大阪,田中,経理\n京都,佐藤,総務\n", None),
        ("あ,い,う\n甲,乙,x\n甲,丙,y\n丁,乙,y\n丁,丙,x\n", ["あ", "い", "う"]),
        ("Ware;Preis\na;1,50\nb;2,75\n", ["Ware", "Preis"]),
        (
            "店舗,2025/4/1,2025/4/2\n渋谷,100,200\n新宿,10,20\n",
            ["店舗", "2025/4/1", "2025/4/2"],
        ),
        ("案件A,2025/4/1,2025/4/2\n案件B,2025/5/1,2025/5/9\n", None),
        ("氏名,1,2,3\n山田,出,休,出\n田中,出,出,休\n", ["氏名", "1", "2", "3"]),
        ("氏名,1,2,3,4\n山田,8,7,8,0\n田中,8,8,8,4\n", ["氏名", "1", "2", "3", "4"]),
        ("東京,1,2,3,4\n大阪,5,6,7,8\n", None),
        ("東京,100,200\n大阪,300,400\n", None),
    ],
)
def test_a_header_is_told_from_data(text: str, header: list[str] | None) -> None:
    table = _read(text)
    assert table.header == header
    rows = len(text.splitlines())
    assert len(table.rows) == rows - (header is not None)


@pytest.mark.parametrize(
    ("rows", "is_named"),
    [
        ([["店舗", "4月", "5月"], ["東京", "1", "2"]], True),
        ([["店舗", "2025/4/1", "2025/4/2"], ["東京", "1", "2"]], True),
        ([["用語", "定義"], ["甲", "売主"]], True),
        ([["申請者", "山田"], ["部署", "営業部"], ["金額", "100"]], False),
        ([["東京", "100", "200"], ["大阪", "300", "400"]], False),
    ],
)
def test_tables_of_documents_are_judged_alike(rows: list[list[str]], is_named: bool) -> None:
    assert first_row_names_columns(rows) is is_named


def test_commas_at_the_end_of_every_line_cost_nothing() -> None:
    table = _read("日付,金額,,,\n2025/4/1,100,,,\n2025/4/2,200,,,\n")
    assert table.header == ["日付", "金額"]
    assert table.rows == [["2025/4/1", "100"], ["2025/4/2", "200"]]
    assert table.warnings == []


def test_the_questions_of_a_survey_are_names_of_columns() -> None:
    question = "設問１：テレワークの制度を導入していますか。" * 4
    assert _read(f"番号,{question},回答\n1,はい,a\n2,いいえ,b\n").header == [
        "番号",
        question,
        "回答",
    ]


@pytest.mark.parametrize(
    "groups", ["商品,売上,,仕入,", "商品,売上,,仕入", "売上表\n\n商品,売上,,仕入,"]
)
def test_groups_of_columns_are_joined_with_the_names_below_them(groups: str) -> None:
    table = _read(f"{groups}\n,数量,金額,数量,金額\nりんご,1,100,2,50\nみかん,3,300,4,90\n")
    assert table.header == ["商品", "売上 数量", "売上 金額", "仕入 数量", "仕入 金額"]
    assert table.rows == [["りんご", "1", "100", "2", "50"], ["みかん", "3", "300", "4", "90"]]
    assert table.warnings == []


def test_wide_groups_of_columns_are_no_title() -> None:
    table = _read("商品,売上,,,仕入,,\n,a,b,c,a,b,c\nりんご,1,2,3,4,5,6\nみかん,1,2,3,4,5,6\n")
    assert table.header == ["商品", *(f"{g} {n}" for g in ("売上", "仕入") for n in "abc")]
    assert table.title is None


def test_a_row_of_words_below_an_unnamed_column_is_data() -> None:
    table = _read("店舗,,区分\n東京,山田,本店\n大阪,田中,支店\n")
    assert table.rows[0] == ["東京", "山田", "本店"]


def test_the_zeros_that_a_formula_keeps_are_kept() -> None:
    table = _read('社員番号,氏名\n="0012",山田\n"=""0013""",田中\n=",佐藤\n')
    assert [row[0] for row in table.rows] == ["0012", "0013", '="']


def test_what_a_person_says_of_the_header_counts() -> None:
    data = b"1,2\n3,4\n"
    assert read_delimited(data, has_header=True).header == ["1", "2"]
    assert read_delimited(b"a,b\n1,2\n", has_header=False).rows == [["a", "b"], ["1", "2"]]


def test_what_a_person_says_of_delimiter_and_encoding_counts() -> None:
    table = read_delimited("a:ｱ\n1:2\n".encode("cp932"), delimiter=":", encoding="cp932")
    assert table.header == ["a", "ｱ"]
    with pytest.raises(InvalidInput):
        read_delimited(b"a,b", delimiter="::")
    with pytest.raises(InvalidInput):
        read_delimited(b"a,b", encoding="klingon")


def test_names_of_columns_are_made_unique() -> None:
    text = "金額,金額,,金額_2\n1,2,3,4\n"
    assert _read(text).header == ["金額", "金額_3", "列3", "金額_2"]
    with use_language("en"):
        assert _read(text).header == ["金額", "金額_3", "column 3", "金額_2"]


def test_a_quote_that_is_never_closed_does_not_swallow_the_rest() -> None:
    table = _read('id,name\n1,"abc\n2,def\n3,"g"\n4,h\n')
    assert table.rows == [["1", '"abc'], ["2", "def"], ["3", "g"], ["4", "h"]]
    assert _warned(table) == ["tables_stray_quotes"]
    assert "2" in str(table.warnings[0].problem.params["rows"])


def test_a_quote_that_is_open_at_the_very_end_is_named() -> None:
    table = _read('id,name\n1,a\n2,"b')
    assert table.rows == [["1", "a"], ["2", '"b']]
    assert table.warnings[0].problem.params["rows"] == "3"


def test_quotes_inside_a_quoted_cell_stay() -> None:
    table = _read('id,name,n\n1,"彼は "はい" と言った",2\n3,x,4\n')
    assert table.rows == [["1", '彼は "はい" と言った', "2"], ["3", "x", "4"]]


def test_a_file_of_stray_quotes_is_read_in_time() -> None:
    text = "id,inch\n" + '1,5"\n' * 3000 + '2,"x\n' * 3001
    table, seconds = timed(lambda: _read(text))
    assert len(table.rows) == 6001
    assert seconds < 5


def test_ragged_rows_are_filled_up_and_named() -> None:
    table = _read("a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12,\n")
    assert table.header == ["a", "b", "c", "列4"]
    assert table.rows == [
        ["1", "2", "3", ""],
        ["4", "5", "", ""],
        ["6", "7", "8", "9"],
        ["10", "11", "12", ""],
    ]
    (warning,) = table.warnings
    assert warning.problem.text_id == "tables_ragged"
    assert warning.problem.params == {"rows": "3, 4", "count": 2, "columns": 3}


def test_empty_lines_are_left_out_and_line_numbers_stay_true() -> None:
    table = _read("a,b\n\n1,2\n,\n\n3,4\n\n")
    assert table.rows == [["1", "2"], ["3", "4"]]
    assert table.row_numbers == [3, 6]
    assert table.warnings == []


def test_the_line_that_tells_excel_the_delimiter_is_obeyed() -> None:
    table = _read("sep=;\na;b\n1,5;2\n")
    assert (table.delimiter, table.header, table.rows) == (";", ["a", "b"], [["1,5", "2"]])
    assert (table.header_row, table.row_numbers) == (2, [3])


def test_the_mark_of_dos_and_nul_are_no_data() -> None:
    assert read_delimited(b"a,b\r\n1,2\r\n\x1a").rows == [["1", "2"]]
    text = b"name,n\n" + b"abc,1\n" * 200 + b"x\x00y,2\n"
    assert read_delimited(text).rows[-1] == ["xy", "2"]


@pytest.mark.parametrize("data", [b"", b"\n\n", b",,,\n,,\n", b"\xef\xbb\xbf"])
def test_a_file_with_nothing_in_it_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat) as refused:
        read_delimited(data)
    assert refused.value.problem.text_id == "tables_nothing_in_it"


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UnsupportedFormat):
        read_delimited(bytes(range(256)) * 10)


def test_broken_characters_are_counted() -> None:
    data = ("店舗,金額\n" + "東京本店,100\n" * 300).encode() + b"\xff,1\n"
    table = read_delimited(data)
    assert _warned(table) == ["text_bytes_replaced"]
    assert table.warnings[0].problem.params["count"] == 1


def test_too_many_columns_are_refused() -> None:
    with pytest.raises(LimitExceeded) as refused:
        _read("a,b\n1,2\n" + "x," * 20_000 + "x\n")
    assert refused.value.problem.text_id == "tables_too_wide"


def test_a_table_that_would_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(LimitExceeded) as refused:
        _read("a,b\n" + "1,2\n" * 2000 + "x," * 16_000 + "x\n")
    assert refused.value.problem.text_id == "tables_too_large"


def test_a_long_cell_is_read_and_an_endless_one_refused() -> None:
    assert _read(f'a,b\n1,"{"長" * 500_000}"\n').rows[0][1] == "長" * 500_000
    with pytest.raises(LimitExceeded) as refused:
        _read(f"a,b\n1,{'x' * 10_000_001}\n")
    assert refused.value.problem.text_id == "tables_cell_too_long"


@given(st.text(alphabet=',;"\t\n\r ab1あ', max_size=60))
@settings(max_examples=examples(300))
def test_any_text_is_a_table_or_refused(text: str) -> None:
    try:
        table = _read(text)
    except UnsupportedFormat:
        return
    lines = [*table.rows, table.header] if table.header else table.rows
    widths = {len(line) for line in lines}
    assert len(widths) == 1
    assert len(table.row_numbers) == len(table.rows)
    assert table.row_numbers == sorted(set(table.row_numbers))
