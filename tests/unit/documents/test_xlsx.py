"""Workbooks are read sheet by sheet as people see them: titles, headers, tables side by side."""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from sanbo.documents.model import Document, Source, Table
from sanbo.documents.sheet_facts import inspect_workbook
from sanbo.documents.sheet_tables import read
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


FAR_CELLS = {
    "single quotes": "<row r='1'><c r='A1'><v>1</v></c></row>"
    "<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>",
    "blanks": '<row r="1"><c r = "A1"><v>1</v></c></row>'
    '<row r="1048576"><c\n r = "XFD1048576"><v>1</v></c></row>',
    "other order": '<row r="1"><c r="A1"><v>1</v></c></row>'
    '<row r="1048576"><c s="0" r="XFD1048576"><v>1</v></c></row>',
    "small letters": '<row r="1"><c r="a1"><v>1</v></c></row>'
    '<row r="1048576"><c r="xfd1048576"><v>1</v></c></row>',
    "no addresses": '<row r="1"><c><v>1</v></c></row><row r="1048576">'
    + "<c><v>1</v></c>" * 16_000
    + "</row>",
    "a row far down": '<row r="1"><c r="XFD1"><v>1</v></c></row>'
    '<row r="1048576"><c><v>1</v></c></row>',
}


@pytest.mark.parametrize("written", FAR_CELLS)
def test_no_way_of_writing_cells_passes_the_guard(written: str) -> None:
    # The guard itself: what it lets pass would end the process that runs the tests.
    with pytest.raises(LimitExceeded) as refused:
        inspect_workbook(_with_sheet_data(FAR_CELLS[written]), 10_000_000)
    assert refused.value.problem.text_id == "tables_too_large"


def _elsewhere(data: bytes, part: str, target: str) -> bytes:
    """With the sheet in another part of the file."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        files = {name: package.read(name) for name in package.namelist()}
    files[part] = files.pop("xl/worksheets/sheet1.xml")
    relations = files["xl/_rels/workbook.xml.rels"].decode()
    relations = relations.replace("/xl/worksheets/sheet1.xml", target)
    files["xl/_rels/workbook.xml.rels"] = relations.encode()
    return packed(files)


@pytest.mark.parametrize(
    ("part", "target"), [("xl/hidden.bin", "hidden.bin"), ("xl/media/a.png", "/xl/media/a.png")]
)
def test_a_sheet_in_an_unusual_place_does_not_pass_the_guard(part: str, target: str) -> None:
    data = _elsewhere(_with_sheet_data(FAR_CELLS["other order"]), part, target)
    with pytest.raises(LimitExceeded):
        inspect_workbook(data, 10_000_000)


def test_a_sheet_in_another_encoding_does_not_pass_the_guard() -> None:
    xml = f"<worksheet><sheetData>{FAR_CELLS['other order']}</sheetData></worksheet>"
    with zipfile.ZipFile(io.BytesIO(_of_rows(["x"]))) as package:
        files = {name: package.read(name) for name in package.namelist()}
    files["xl/worksheets/sheet1.xml"] = xml.encode("utf-16")
    with pytest.raises(LimitExceeded):
        inspect_workbook(packed(files), 10_000_000)


def test_sheets_that_other_programs_write_are_read_with_their_errors() -> None:
    data = _with_sheet_data(
        "<row><c t='str'><v>店舗</v></c><c t='str'><v>数</v></c></row>"
        "<row><c t='str'><v>東京</v></c><c t='e'><v>#REF!</v></c></row>"
        "<row><c t='str'><v>大阪</v></c><c><f>A1</f></c></row>"
    )
    document = _document(data)
    assert document.tables[0].rows == (("東京", "#REF!"), ("大阪", ""))
    assert _warned(document) == ["tables_not_calculated", "tables_formula_errors"]


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
    monkeypatch.setattr("sanbo.documents.ooxml.package.MAX_TOTAL_BYTES", 1 << 20)
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


def _formatted(*cells: tuple[Any, str]) -> bytes:
    def fill(sheet: Worksheet) -> None:
        sheet.append([f"項目{n}" for n in range(len(cells))])
        sheet.append([value for value, _ in cells])
        for column, (_, code) in enumerate(cells, start=1):
            sheet.cell(2, column).number_format = code

    return _book(fill)


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.125, "0.0%", "12.5%"),
        (0.125, "0%", "13%"),
        (-0.125, "0%;[Red]▲0%", "-13%"),
        (0.1, "+0.0%;-0.0%", "10.0%"),
        (0.07, "0.00%", "7.00%"),
        (0.285, "0%", "29%"),
        (-0.001, "0%", "0%"),
        (2.5, "000", "003"),
        (0.07, "0.##%", "7%"),
        (1.5, "#,##0%", "150%"),
        (12, "0000", "0012"),
        (123456, "0000", "123456"),
        (1000001, "000\\-0000", "100-0001"),
        (7, '"No."000', "No.007"),
        (-3, "000", "-003"),
        (1234567, "#,##0", "1234567"),
        (12, '0"%"', "12"),
        (0.5, "0.0", "0.5"),
        ("文字", "0000", "文字"),
        (12345678901234570, "General", "12345678901234570"),
        (9007199254740991, "General", "9007199254740991"),
        (1e20, "0", "100000000000000000000"),
        (1e300, "0%", "1e+300"),
        (True, "0%", "TRUE"),
    ],
)
def test_numbers_are_shown_as_their_formats_say(value: Any, code: str, text: str) -> None:
    data = _formatted(("店", "General"), (value, code))
    (table,) = _tables(data)
    assert table.rows == (("店", text),)
    assert read_sheets(data)[0].rows[1][1] == value


def test_formats_hold_for_lines_outside_of_tables_too() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["B2"] = 0.1
        sheet["B2"].number_format = "0%"

    assert _document(_book(fill)).text == "売上\n\n10%"


def test_formats_are_followed_in_sheets_of_other_programs() -> None:
    data = _formatted(("店", "General"), (0.125, "0.0%"))
    data = _with_part(
        data, "xl/worksheets/sheet1.xml", lambda xml: re.sub(r'<c r="(\w+)"', r"<c r='\1'", xml)
    )
    assert _tables(data)[0].rows == (("店", "12.5%"),)


DRAWING = (
    '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor>'
    "<xdr:from><xdr:col>1</xdr:col><xdr:row>4</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:bodyPr/>"
    "<a:p><a:r><a:t>納期は必ず</a:t></a:r><a:r><a:t>守ること</a:t></a:r></a:p>"
    "<a:p><a:r><a:t>例外は部長の承認</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
    "</xdr:twoCellAnchor></xdr:wsDr>"
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _with_related(data: bytes, part: str, kind: str, content: str) -> bytes:
    """With another part that the first sheet refers to."""
    data = _with_part(data, part, lambda _: content)
    related = f'<Relationship Id="rId77" Type="{kind}" Target="/{part}"/>'
    empty = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    return _with_part(
        data,
        "xl/worksheets/_rels/sheet1.xml.rels",
        lambda xml: (xml or f"{empty}</Relationships>").replace(
            "</Relationships>", f"{related}</Relationships>"
        ),
    )


def _notes(document: Document) -> list[tuple[str, str | None, int | None]]:
    return [
        (document.text_of(block), block.position.sheet, block.position.row)
        for block in document.blocks
        if block.kind == "paragraph" and block.role == "note"
    ]


def _commented() -> bytes:
    def fill(sheet: Worksheet) -> None:
        for row in SALES:
            sheet.append(row)
        sheet["C2"].comment = Comment("重要な注記です", "山田")

    return _book(fill)


def test_comments_are_notes_with_their_cells() -> None:
    document = _document(_commented())
    assert _notes(document) == [("C2: 重要な注記です", "売上", 2)]
    assert document.warnings == ()


def test_text_boxes_are_notes() -> None:
    data = _with_related(_commented(), "xl/drawings/drawing9.xml", f"{OFFICE}/drawing", DRAWING)
    assert _notes(_document(data)) == [
        ("C2: 重要な注記です", "売上", 2),
        ("納期は必ず守ること\n例外は部長の承認", "売上", 5),
    ]


def test_a_sheet_with_nothing_but_a_text_box_is_read() -> None:
    data = _with_related(
        _saved(Workbook()), "xl/drawings/drawing9.xml", f"{OFFICE}/drawing", DRAWING
    )
    assert "納期は必ず守ること" in _document(data).text


def test_a_thread_of_comments_is_read_once() -> None:
    threads = (
        '<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/'
        'threadedcomments"><threadedComment ref="C2" id="{1}"><text>確認してください</text>'
        '</threadedComment><threadedComment ref="C2" id="{2}" parentId="{1}"><text>確認しました'
        "</text></threadedComment></ThreadedComments>"
    )
    kind = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
    data = _with_related(_commented(), "xl/threadedComments/threadedComment1.xml", kind, threads)
    assert [text for text, _, _ in _notes(_document(data))] == [
        "C2: 確認してください",
        "C2: 確認しました",
    ]


def test_a_damaged_drawing_is_told_of_and_the_cells_are_read() -> None:
    data = _with_related(
        _of_rows(*SALES), "xl/drawings/drawing9.xml", f"{OFFICE}/drawing", DRAWING[:-50]
    )
    document = _document(data)
    assert document.tables[0].rows[0] == ("4/1", "東京", "1000")
    assert _warned(document) == ["workbook_notes_incomplete"]


def test_notes_without_end_are_cut_and_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sanbo.documents.sheet_facts._MOST_CHARACTERS", 20)
    boxes = DRAWING.replace("</xdr:wsDr>", DRAWING[DRAWING.index("<xdr:two") :])
    data = _with_related(_of_rows(*SALES), "xl/drawings/drawing9.xml", f"{OFFICE}/drawing", boxes)
    document = _document(data)
    assert len(_notes(document)) == 1
    assert _warned(document) == ["workbook_notes_incomplete"]
