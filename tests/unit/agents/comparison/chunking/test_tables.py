"""Tables compared row by row, known by the column that a person names."""

from io import BytesIO

import pytest
from openpyxl import Workbook

from sanbo.agents.comparison.chunking.tables import table_side
from sanbo.agents.comparison.model import Side
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from tests.unit.agents.comparison.chunking.made import read, texts

REQUIREMENTS = """章,番号,要件,水準
認証,1.1,利用者を認証すること。,高
認証,1.2,失敗を記録すること。,中
暗号,2.1,通信を暗号化すること。,高
暗号,2.2,鍵を更新すること。,
"""


def side(
    content: str | bytes = REQUIREMENTS, *, name: str = "要件.csv", id: str = "", text: str = ""
) -> Side:
    return table_side(read(name, content), "A", "", id_column=id, text_column=text)


def workbook(**sheets: list[list[str]]) -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def assert_whole(side: Side) -> None:
    end = 0
    for chunk in side.chunks:
        assert not side.text[end : chunk.position.start].strip()
        end = chunk.position.end
        assert side.text[chunk.position.start : end] == chunk.text
    assert not side.text[end:].strip()


def test_rows_are_known_by_the_value_of_the_id_column() -> None:
    compared = side(id="番号", text="要件")
    assert compared.keyed
    assert [chunk.id for chunk in compared.chunks] == ["1.1", "1.2", "2.1", "2.2"]
    assert texts(compared)[0] == "利用者を認証すること。"
    assert_whole(compared)


def test_names_of_columns_may_be_written_in_another_way() -> None:
    content = "Req ID,Text\nR1,Verify it.\n"
    assert side(content, id="ｒｅｑ　id", text="TEXT").chunks[0].id == "R1"


def test_without_a_text_column_the_text_has_every_cell_by_name() -> None:
    compared = side(id="番号")
    assert compared.chunks[0].text == "章: 認証\n番号: 1.1\n要件: 利用者を認証すること。\n水準: 高"
    assert compared.chunks[3].text == "章: 暗号\n番号: 2.2\n要件: 鍵を更新すること。"
    assert_whole(compared)


def test_a_row_whose_id_alone_changed_says_the_same() -> None:
    before, after = side(id="番号"), side(REQUIREMENTS.replace("1.1", "3.7"), id="番号")
    assert before.chunks[0].key == after.chunks[0].key


def test_other_columns_tell_under_what_a_row_stands() -> None:
    chunk = side(id="番号", text="要件").chunks[2]
    assert chunk.position.headings == ("暗号",)
    assert "暗号" not in chunk.key.removeprefix("通信を暗号")


def test_a_row_keeps_its_place_in_the_file() -> None:
    assert [chunk.position.row for chunk in side(id="番号", text="要件").chunks] == [2, 3, 4, 5]


def test_without_an_id_column_rows_are_counted() -> None:
    compared = table_side(read("要件.csv", REQUIREMENTS), "B", "2-", text_column="要件")
    assert not compared.keyed
    assert [chunk.id for chunk in compared.chunks] == ["2-B1", "2-B2", "2-B3", "2-B4"]


def test_without_columns_every_row_is_a_chunk_with_its_number() -> None:
    compared = side()
    assert [chunk.position.row for chunk in compared.chunks] == [1, 2, 3, 4, 5]
    assert {chunk.parent for chunk in compared.chunks[1:]} == {compared.chunks[0].id}
    assert_whole(compared)


def test_repeated_and_empty_ids_are_told_apart_and_said_so() -> None:
    content = "番号,要件\n1,甲\n1,乙\n,丙\n1,丁\n1 (2),戊\n"
    compared = side(content, id="番号", text="要件")
    assert [chunk.id for chunk in compared.chunks] == ["1", "1 (3)", "A3", "1 (4)", "1 (2)"]
    [warning] = compared.warnings
    assert warning.text_id == "comparison_ids_repeated"
    assert "「番号」" in warning.message
    assert "2行" in warning.message
    assert "2 rows" in warning.in_language("en").message


def test_an_unknown_column_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(InvalidInput) as caught, use_language("ja"):
        side("req_id,req_description\nR1,Verify it.\n", id="reqid")
    assert "近い列名: req_id" in caught.value.problem.message
    assert "nearest ones: req_id" in caught.value.problem.in_language("en").message


def test_columns_that_no_table_has_together_are_refused() -> None:
    book = workbook(一覧=[["番号", "名"], ["1", "机"]], 説明=[["項目", "説明"], ["机", "木製の机"]])
    with pytest.raises(InvalidInput) as caught:
        side(book, name="表.xlsx", id="番号", text="説明")
    assert caught.value.problem.text_id == "comparison_columns_apart"


def test_a_document_without_a_table_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        side("本文だけの文書です。", name="文書.txt", id="番号")
    assert caught.value.problem.text_id == "comparison_no_table"


def test_rows_of_all_sheets_that_have_the_columns_are_compared_in_order() -> None:
    book = workbook(
        第一=[["番号", "要件"], ["1", "記録する"], ["2", "報告する"]],
        表紙=[["作成者", "日付"], ["山田", "4月1日"]],
        第二=[["要件", "番号"], ["削除する", "3"]],
    )
    compared = side(book, name="要件.xlsx", id="番号", text="要件")
    assert [(chunk.id, chunk.text) for chunk in compared.chunks] == [
        ("1", "記録する"),
        ("2", "報告する"),
        ("3", "削除する"),
    ]
    assert [chunk.position.sheet for chunk in compared.chunks] == ["第一", "第一", "第二"]


def test_rows_without_text_are_left_out() -> None:
    assert len(side("番号,要件\n1,甲\n2,\n", id="番号", text="要件").chunks) == 1
