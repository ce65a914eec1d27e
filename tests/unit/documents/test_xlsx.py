"""Workbooks are read sheet by sheet as people see them: titles, headers, tables side by side."""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from sanbo.documents.formats.xlsx import read
from sanbo.documents.model import Document, Source, Table
from sanbo.documents.sheets import MergedCells, read_sheets, shown
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat
from tests.unit.documents.zip_files import packed

SALES = [["日付", "店舗", "金額"], ["4/1", "東京", 1000], ["4/2", "大阪", 2000]]


def _saved(book: Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _sheet(book: Workbook) -> Worksheet:
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    return sheet


def _book(fill: Callable[[Worksheet], None], name: str = "売上") -> bytes:
    book = Workbook()
    sheet = _sheet(book)
    sheet.title = name
    fill(sheet)
    return _saved(book)


def _of_rows(*rows: list[Any]) -> bytes:
    def fill(sheet: Worksheet) -> None:
        for row in rows:
            sheet.append(row)

    return _book(fill)


def _document(data: bytes) -> Document:
    return read(Source(name="売上.xlsx", data=data))


def _tables(data: bytes) -> tuple[Table, ...]:
    return _document(data).tables


def _warned(document: Document) -> list[str]:
    return [warning.text_id for warning in document.warnings]


def test_each_sheet_is_a_heading_and_its_table() -> None:
    book = Workbook()
    first = _sheet(book)
    first.title = "4月"
    for row in SALES:
        first.append(row)
    second = book.create_sheet("5月")
    second.append(["店舗", "金額"])
    second.append(["名古屋", 5])
    document = _document(_saved(book))
    assert document.text == (
        "4月\n\n日付\t店舗\t金額\n4/1\t東京\t1000\n4/2\t大阪\t2000\n\n5月\n\n店舗\t金額\n名古屋\t5"
    )
    april, may = document.tables
    assert (april.position.sheet, april.position.headings) == ("4月", ("4月",))
    assert (may.position.sheet, may.columns, may.row_numbers) == ("5月", ("店舗", "金額"), (2,))
    assert document.warnings == ()


def test_values_are_shown_as_a_person_reads_them() -> None:
    values: list[Any] = [
        dt.date(2025, 4, 1),
        dt.datetime(2025, 4, 1, 13, 5),
        dt.time(9, 5),
        dt.timedelta(hours=27, minutes=30),
        1000,
        2.5,
        0.1 + 0.2,
        True,
        "文字",
        123456789012,
    ]
    (table,) = _tables(_of_rows([f"項目{n}" for n in range(10)], values))
    assert table.rows == (
        (
            "2025-04-01",
            "2025-04-01 13:05",
            "09:05",
            "27:30",
            "1000",
            "2.5",
            "0.3",
            "TRUE",
            "文字",
            "123456789012",
        ),
    )


def test_cells_keep_their_types_for_analysis() -> None:
    data = _of_rows(["日付", "数", "率", "有無"], [dt.date(2025, 4, 1), 3.0, 0.5, False])
    (sheet,) = read_sheets(data)
    assert sheet.rows[1] == [dt.date(2025, 4, 1), 3, 0.5, False]
    assert [type(cell) for cell in sheet.rows[1]] == [dt.date, int, float, bool]


def test_durations_may_be_negative_and_have_seconds() -> None:
    assert shown(dt.timedelta(seconds=-90)) == "-0:01:30"
    assert shown(dt.datetime(2025, 4, 1, 9, 5, 7)) == "2025-04-01 09:05:07"


def test_titles_above_the_header_and_notes_below_are_text() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["B2"] = "売上一覧表"
        sheet.merge_cells("B2:D2")
        sheet["B3"] = "作成日：2025年4月1日"
        for number, row in enumerate(SALES, start=5):
            for column, value in enumerate(row, start=2):
                sheet.cell(number, column, value)
        sheet["B9"] = "※金額は税込"

    document = _document(_book(fill))
    (table,) = document.tables
    assert table.title == "売上一覧表"
    assert table.columns == ("日付", "店舗", "金額")
    assert (table.position.row, table.row_numbers) == (5, (6, 7))
    paragraphs = [block for block in document.blocks if block.kind == "paragraph"]
    assert [(document.text_of(block), block.position.row) for block in paragraphs] == [
        ("売上一覧表", 2),
        ("作成日：2025年4月1日", 3),
        ("※金額は税込", 9),
    ]


def test_a_title_directly_on_the_header_is_no_header() -> None:
    (table,) = _tables(_of_rows(["売上一覧表"], *SALES))
    assert (table.title, table.columns) == ("売上一覧表", ("日付", "店舗", "金額"))


def test_a_table_without_a_header_has_none() -> None:
    (table,) = _tables(_of_rows(["東京", 100], ["大阪", 200]))
    assert table.columns is None
    assert (len(table.rows), table.row_numbers) == (2, (1, 2))


def test_tables_below_each_other_are_separate() -> None:
    data = _of_rows(*SALES, [], ["部署", "人数", "予算"], ["営業", 10, 500], ["総務", 5, 300])
    first, second = _tables(data)
    assert (first.columns, len(first.rows)) == (("日付", "店舗", "金額"), 2)
    assert (second.columns, second.row_numbers) == (("部署", "人数", "予算"), (6, 7))


def test_an_empty_row_inside_a_table_does_not_part_it() -> None:
    (table,) = _tables(_of_rows(*SALES, [], ["4/3", "福岡", 300], ["合計", None, 3300]))
    assert [row[0] for row in table.rows] == ["4/1", "4/2", "4/3", "合計"]
    assert table.row_numbers == (2, 3, 5, 6)


def test_tables_beside_each_other_are_separate() -> None:
    data = _of_rows(
        ["店舗", "金額", None, "部署", "人数"],
        ["東京", 100, None, "営業", 10],
        ["大阪", 200, None, "総務", 5],
        ["福岡", 300, None, None, None],
    )
    left, right = _tables(data)
    assert (left.columns, len(left.rows)) == (("店舗", "金額"), 3)
    assert (right.columns, right.rows) == (("部署", "人数"), (("営業", "10"), ("総務", "5")))


def test_an_empty_column_inside_a_table_does_not_part_it() -> None:
    (table,) = _tables(_of_rows(["店舗", "区", None, "金額", "数"], ["東京", "a", None, 1, 2]))
    assert table.columns == ("店舗", "区", "金額", "数")
    assert table.rows == (("東京", "a", "1", "2"),)


def test_groups_of_columns_go_into_their_names() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (
            ["店舗", "上期", None, "下期", None],
            [None, "売上", "原価", "売上", "原価"],
            ["東京", 1, 2, 3, 4],
            ["大阪", 5, 6, 7, 8],
        ):
            sheet.append(row)
        sheet.merge_cells("A1:A2")
        sheet.merge_cells("B1:C1")
        sheet.merge_cells("D1:E1")

    (table,) = _tables(_book(fill))
    assert table.columns == ("店舗", "上期 売上", "上期 原価", "下期 売上", "下期 原価")
    assert table.rows[0] == ("東京", "1", "2", "3", "4")
    assert (table.position.row, table.row_numbers) == (1, (3, 4))


def test_cells_merged_downwards_speak_for_every_row() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (
            ["部署", "氏名", "予算"],
            ["営業部", "佐藤", 500],
            [None, "鈴木", None],
            ["総務部", "高橋", 300],
        ):
            sheet.append(row)
        sheet.merge_cells("A2:A3")
        sheet.merge_cells("C2:C3")

    (table,) = _tables(_book(fill))
    assert table.rows == (
        ("営業部", "佐藤", "500"),
        ("営業部", "鈴木", ""),  # an amount is not counted twice
        ("総務部", "高橋", "300"),
    )


def test_cells_merged_in_data_make_no_header_of_it() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (["営業部", "佐藤", 500], [None, "鈴木", 400], ["総務部", "高橋", 300]):
            sheet.append(row)
        sheet.merge_cells("A1:A2")

    (table,) = _tables(_book(fill))
    assert table.columns is None
    assert [row[:2] for row in table.rows] == [
        ("営業部", "佐藤"),
        ("営業部", "鈴木"),
        ("総務部", "高橋"),
    ]


def test_cells_merged_across_for_looks_leave_no_empty_columns() -> None:
    def fill(sheet: Worksheet) -> None:
        for number, row in enumerate([["氏名", "部署", "年齢"], ["佐藤", "営業", 30]], start=1):
            for column, value in zip((1, 3, 5), row, strict=True):
                sheet.cell(number, column, value)
                sheet.merge_cells(
                    start_row=number, end_row=number, start_column=column, end_column=column + 1
                )

    (table,) = _tables(_book(fill))
    assert table.columns == ("氏名", "部署", "年齢")
    assert table.rows == (("佐藤", "営業", "30"),)


def test_where_a_sheet_begins_and_what_is_merged_is_known() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["C3"] = "題"
        sheet["D5"] = 1
        sheet.merge_cells("C3:D3")

    (sheet,) = read_sheets(_book(fill))
    assert (sheet.first_row, sheet.first_column) == (3, 3)
    assert sheet.rows == [["題", None], [None, None], [None, 1]]
    assert sheet.merged == [MergedCells(3, 3, 3, 4)]


def test_hidden_sheets_are_read_and_named() -> None:
    book = Workbook()
    for row in SALES:
        _sheet(book).append(row)
    secret = book.create_sheet("単価マスタ")
    secret.append(["商品", "単価"])
    secret.append(["りんご", 100])
    secret.sheet_state = "hidden"
    document = _document(_saved(book))
    assert "りんご" in document.text
    assert _warned(document) == ["tables_hidden_sheets"]
    assert "単価マスタ" in document.warnings[0].message


def test_formulas_that_were_never_calculated_are_reported() -> None:
    document = _document(_of_rows(["店舗", "金額"], ["東京", 1], ["計", "=SUM(B2:B2)"]))
    assert _warned(document) == ["tables_not_calculated"]
    assert document.warnings[0].params == {"sheet": "売上", "count": 1}


def _with_part(data: bytes, part: str, change: Callable[[str], str]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        files = {name: package.read(name) for name in package.namelist()}
    files[part] = change(files.get(part, b"").decode("utf-8")).encode("utf-8")
    return packed(files)


def _with_sheet_data(cells: str) -> bytes:
    """As Excel itself writes what openpyxl can't."""
    return _with_part(
        _of_rows(["x"]),
        "xl/worksheets/sheet1.xml",
        lambda xml: re.sub("<sheetData>.*</sheetData>", f"<sheetData>{cells}</sheetData>", xml),
    )


def test_results_of_formulas_are_read_and_empty_ones_are_no_fault() -> None:
    data = _with_sheet_data(
        '<row r="1"><c r="A1" t="str"><v>店舗</v></c><c r="B1" t="str"><v>数</v></c></row>'
        '<row r="2"><c r="A2" t="str"><f>IF(1,"","")</f><v></v></c>'
        '<c r="B2"><f>1+1</f><v>2</v></c></row>'
    )
    document = _document(data)
    assert document.tables[0].rows == (("", "2"),)
    assert document.warnings == ()


def test_errors_of_formulas_stay_visible() -> None:
    data = _with_sheet_data(
        '<row r="1"><c r="A1" t="str"><v>店舗</v></c><c r="B1" t="str"><v>数</v></c></row>'
        '<row r="2"><c r="A2" t="str"><v>東京</v></c>'
        '<c r="B2" t="e"><f>A1/0</f><v>#DIV/0!</v></c></row>'
        '<row r="3"><c r="A3" t="str"><v>大阪</v></c><c r="B3" t="e"><v>#REF!</v></c></row>'
    )
    document = _document(data)
    assert document.tables[0].rows == (("東京", "#DIV/0!"), ("大阪", "#REF!"))
    assert _warned(document) == ["tables_formula_errors"]
    assert document.warnings[0].params == {"sheet": "売上", "errors": "#DIV/0!, #REF!", "count": 2}


def test_the_reading_aids_of_japanese_names_are_not_read_as_text() -> None:
    strings = "<si><t>髙橋</t><rPh sb='0' eb='2'><t>タカハシ</t></rPh></si>"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    data = _with_sheet_data('<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>1</v></c></row>')
    data = _with_part(
        data, "xl/sharedStrings.xml", lambda _: f'<sst xmlns="{main}">{strings}</sst>'
    )
    data = _with_part(
        data,
        "xl/_rels/workbook.xml.rels",
        lambda xml: xml.replace(
            "</Relationships>",
            f'<Relationship Id="rId99" Type="{kind}" Target="sharedStrings.xml"/></Relationships>',
        ),
    )
    assert read_sheets(data)[0].rows == [["髙橋", 1]]


def test_two_cells_in_opposite_corners_are_refused_before_they_fill_the_memory() -> None:
    data = _with_sheet_data(
        '<row r="1"><c r="A1"><v>1</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    )
    with pytest.raises(LimitExceeded) as refused:
        _document(data)
    assert refused.value.problem.text_id == "tables_too_large"


def test_cells_that_are_only_formatted_do_not_count() -> None:
    data = _with_sheet_data(
        '<row r="1"><c r="A1" t="str"><v>店舗</v></c><c r="B1" t="str"><v>数</v></c></row>'
        '<row r="2"><c r="A2" t="str"><v>東京</v></c><c r="B2"><v>5</v></c></row>'
        '<row r="1048576"><c r="XFD1048576" s="0"/></row>'
    )
    assert _tables(data)[0].rows == (("東京", "5"),)


def test_a_workbook_under_a_password_says_so() -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(UnsupportedFormat) as refused:
        _document(data)
    assert refused.value.problem.text_id == "tables_workbook_protected"


@pytest.mark.parametrize("cut", [100, 2000, -200])
def test_a_damaged_workbook_says_so(cut: int) -> None:
    data = _of_rows(*SALES)
    with pytest.raises(UnsupportedFormat) as refused:
        _document(data[:cut])
    assert refused.value.problem.text_id == "tables_workbook_damaged"


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"PK\x05\x06" + bytes(18), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)],
)
def test_what_is_no_workbook_says_so(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat):
        _document(data)


def test_a_sheet_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sanbo.documents.workbook_parts._MOST_BYTES", 1 << 20)
    data = _with_sheet_data(" " * (2 << 20))
    with pytest.raises(LimitExceeded) as refused:
        _document(data)
    assert refused.value.problem.text_id == "tables_workbook_too_large"


def test_entities_of_xml_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    data = _with_part(_of_rows(*SALES), "xl/workbook.xml", lambda xml: bomb + xml)
    with pytest.raises(UnsupportedFormat):
        _document(data)


def test_an_empty_workbook_is_refused() -> None:
    with pytest.raises(UnsupportedFormat) as refused:
        _document(_saved(Workbook()))
    assert refused.value.problem.text_id == "tables_nothing_in_it"


def test_a_workbook_with_macros_is_read_like_any_other() -> None:
    data = _with_part(
        _of_rows(*SALES),
        "[Content_Types].xml",
        lambda xml: xml.replace(
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
            "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
        ),
    )
    assert _tables(data)[0].rows[0] == ("4/1", "東京", "1000")


def test_a_sheet_of_libreoffice_is_read() -> None:
    cells = "".join(
        f'<table:table-row><table:table-cell office:value-type="string"><text:p>{name}</text:p>'
        f'</table:table-cell><table:table-cell office:value-type="float" office:value="{value}"/>'
        "</table:table-row>"
        for name, value in (("東京", 100), ("大阪", 200))
    )
    names = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{names}:office:1.0" '
        f'xmlns:table="{names}:table:1.0" xmlns:text="{names}:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="表1">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    mime = b"application/vnd.oasis.opendocument.spreadsheet"
    manifest = f'<manifest:manifest xmlns:manifest="{names}:manifest:1.0"/>'.encode()
    files = {"mimetype": mime, "content.xml": content.encode(), "META-INF/manifest.xml": manifest}
    (sheet,) = read_sheets(packed(files, zipfile.ZIP_STORED))
    assert (sheet.name, sheet.rows) == ("表1", [["東京", 100], ["大阪", 200]])


def test_long_sheets_are_read_whole() -> None:
    book = Workbook(write_only=True)
    sheet = book.create_sheet("明細")
    sheet.append(["番号", "店舗", "金額"])
    for number in range(5000):
        sheet.append([number, "東京", number * 10])
    (table,) = _tables(_saved(book))
    assert len(table.rows) == 5000
    assert table.rows[-1] == ("4999", "東京", "49990")
    assert table.row_numbers[-1] == 5001
