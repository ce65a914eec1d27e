"""Files and updates that can't be right are refused with a reason, and nothing is changed."""

import io
import tracemalloc
import zipfile
from typing import Any

import openpyxl
import pytest
from docx import Document as WordDocument
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.worksheet.formula import ArrayFormula

from sanbo.documents.excel.book import (
    AddSheet,
    AppendRows,
    Assignment,
    ClearCells,
    Condition,
    CopySheet,
    FormatCells,
    Header,
    InsertRows,
    Letter,
    Match,
    Update,
    UpdateCells,
    UpdateCellsIf,
    UpdateColumn,
    UpdateFormula,
    UpdateRange,
    UpdateRowsByMatch,
)
from sanbo.documents.excel.references import Cell
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import (
    InvalidInput,
    LimitExceeded,
    NotFound,
    SanboError,
    UnsupportedFormat,
)
from tests.examples import examples
from tests.unit.documents.excel_files import (
    edited,
    opened,
    parts,
    replacing,
    sales_report,
    saved,
    seen_by_calamine,
    staff_table,
    workbook,
)

SHEET = "xl/worksheets/sheet1.xml"


def _word() -> bytes:
    out = io.BytesIO()
    WordDocument().save(out)
    return out.getvalue()


def _binary() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="bin" ContentType="application/'
            'vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="a" Target="xl/workbook.bin" Type="http://schemas.openxmlformats.org/'
            'officeDocument/2006/relationships/officeDocument"/></Relationships>',
        )
        archive.writestr("xl/workbook.bin", b"\x83\x01\x00")
    return out.getvalue()


def _strict() -> bytes:
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return edited(
        workbook({"表": {}}),
        {
            "xl/workbook.xml": lambda xml: xml.replace(
                main, b"http://purl.oclc.org/ooxml/spreadsheetml/main"
            )
        },
    )


@pytest.mark.parametrize(
    ("data", "text_id"),
    [
        (b"", "office_package_damaged"),
        (b"PK\x03\x04 cut off", "office_package_damaged"),
        (sales_report()[:-200], "office_package_damaged"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600, "office_file_old_format"),
        (
            bytes.fromhex("d0cf11e0a1b11ae1") + "EncryptedPackage".encode("utf-16-le"),
            "office_file_protected",
        ),
        (_word(), "excel_not_a_workbook"),
        (_binary(), "excel_binary"),
        (_strict(), "excel_strict"),
        (
            edited(workbook({"表": {}}), {"xl/workbook.xml": replacing("<sheet ", "<x ")}),
            "excel_without_sheets",
        ),
    ],
)
def test_what_is_no_editable_workbook_is_refused(data: bytes, text_id: str) -> None:
    with pytest.raises(SanboError) as refused:
        Workbook(data, "ファイル.xlsx")
    assert refused.value.problem.text_id == text_id
    assert "ファイル.xlsx" in refused.value.problem.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<sheetData>", '<sheetData><row r="1"/>'),  # a row that is there twice
        ('<c r="A1"', '<c r="1A"'),
        ("sheetData>", "sheetDate>"),
        ("</worksheet>", ""),
        ("<worksheet", '<!DOCTYPE w [<!ENTITY x "y">]><worksheet'),
    ],
)
def test_a_damaged_sheet_is_refused(old: str, new: str) -> None:
    data = edited(
        workbook({"表": {"A1": 1}}), {SHEET: lambda xml: xml.replace(old.encode(), new.encode())}
    )
    with pytest.raises(SanboError) as refused:
        Workbook(data).apply(UpdateCells(sheet="表", cells={"B1": 1}))
    assert refused.value.problem.text_id in ("excel_sheet_damaged", "office_part_damaged")


@settings(max_examples=examples(60))
@given(st.data())
def test_a_sheet_with_random_damage_is_updated_or_refused_but_never_crashes(
    data: st.DataObject,
) -> None:
    raw = parts(DAMAGEABLE)[SHEET]
    start = data.draw(st.integers(0, len(raw) - 1))
    length = data.draw(st.integers(0, 6))
    junk = data.draw(st.sampled_from([b"", b"9", b"-", b"x", b'"', b"<", b" r=", b"s"]))
    broken = edited(DAMAGEABLE, {SHEET: lambda _: raw[:start] + junk + raw[start + length :]})
    try:
        book = Workbook(broken)
        book.apply(UpdateCells(sheet="表", cells={"A1": 5, "C9": "x"}))
        book.apply(AppendRows(sheet="表", rows=({"品名": "y"},)))
        Workbook(book.save())
    except SanboError:
        pass


DAMAGEABLE = edited(
    workbook({"表": {"A1": "品名", "A2": "桃", "B2": "=A2", "C2": 3.5}}),
    {
        SHEET: replacing(
            "</sheetData>", '</sheetData><mergeCells><mergeCell ref="D4:E5"/></mergeCells>'
        )
    },
)


@pytest.mark.parametrize(
    ("part", "old", "new", "update"),
    [
        (SHEET, 'sqref="E4:E6"', 'sqref="#REF!"', InsertRows(sheet="売上", row=5)),
        ("xl/charts/chart1.xml", "</chartSpace>", "</chart", InsertRows(sheet="売上", row=5)),
        ("xl/charts/chart1.xml", "</chartSpace>", "</chart", CopySheet(sheet="集計", name="写し")),
        (
            SHEET,
            "<sheetData>",
            "<sheetData >",
            UpdateFormula(sheet="売上", range="D4", formula="="),
        ),
        (SHEET, "<sheetData>", "<sheetData >", AppendRows(sheet="売上", rows=({"品目": 1},))),
        (SHEET, "<sheetData>", "<sheetData >", AddSheet(name="新", after="ない")),
        (SHEET, "<sheetData>", "<sheetData >", FormatCells(sheet="売上", range="A0", bold=True)),
    ],
)
def test_a_refused_update_leaves_the_workbook_as_it_was(
    part: str, old: str, new: str, update: Update
) -> None:
    data = edited(sales_report(), {part: replacing(old, new)})
    book = Workbook(data)
    with pytest.raises(SanboError):
        book.apply(update)
    assert book.save() == data


def test_an_update_that_breaks_off_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sales_report()
    book = Workbook(data)
    write = Sheet.write

    def breaks_off(sheet: Sheet, at: Cell, content: Any) -> None:
        if at.row == 5:
            raise RuntimeError
        write(sheet, at, content)

    monkeypatch.setattr(Sheet, "write", breaks_off)
    with pytest.raises(RuntimeError):
        book.apply(UpdateCells(sheet="売上", cells={"D4": 9, "D5": 9}))
    assert book.cell("売上", "D4").value == 10
    assert book.save() == data


def test_a_refused_update_keeps_the_updates_before_it() -> None:
    data = edited(sales_report(), {SHEET: replacing('sqref="E4:E6"', 'sqref="#REF!"')})
    book, alone = Workbook(data), Workbook(data)
    for each in (book, alone):
        each.apply(UpdateCells(sheet="売上", cells={"D4": 9}))
        each.save()
        each.apply(UpdateCells(sheet="設定", cells={"B1": 1.2}))
    with pytest.raises(SanboError):
        book.apply(InsertRows(sheet="売上", row=5))
    assert book.cell("売上", "D4").value == 9
    assert book.save() == alone.save()
    assert book.results_to_calculate == alone.results_to_calculate


@pytest.mark.parametrize(
    ("old", "new", "text_id"),
    [
        ('<mergeCell ref="A1:E1"', '<mergeCell ref="#REF!"', "excel_reference_damaged"),
        ('<mergeCell ref="A1:E1"', '<mergeCell ref="ZZZ1:ZZZ9"', "excel_reference_damaged"),
        ("<f>C4", '<f t="array" ref=" ">C4', "excel_reference_damaged"),
        ('<row r="1"', '<row r="0"', "excel_sheet_damaged"),
        ('<row r="1"', '<row r="99999999999"', "excel_sheet_damaged"),
    ],
)
def test_a_damaged_reference_is_the_files_fault(old: str, new: str, text_id: str) -> None:
    data = edited(sales_report(), {SHEET: replacing(old, new)})
    with pytest.raises(UnsupportedFormat) as refused:
        Workbook(data).apply(UpdateCells(sheet="売上", cells={"C4": 5, "G9": 1}))
    assert refused.value.problem.text_id == text_id


@pytest.mark.parametrize("reference", [" ", "#REF!"])
def test_a_damaged_dimension_is_only_a_hint(reference: str) -> None:
    new = f'<dimension ref="{reference}"'
    data = edited(sales_report(), {SHEET: replacing('<dimension ref="A1:E6"', new)})
    book = Workbook(data)
    book.apply(UpdateCells(sheet="売上", cells={"G9": 1}))
    assert new.encode() in parts(book.save())[SHEET]


@pytest.mark.parametrize("stored", ["nan", "1e999", "9" * 5000])
def test_a_number_that_is_none_compares_as_text(stored: str) -> None:
    data = edited(sales_report(), {SHEET: replacing("<v>1200</v>", f"<v>{stored}</v>")})
    high = Condition(operator="gt", value=1900)
    change = Workbook(data).apply(
        UpdateCellsIf(sheet="売上", range="E4:E6", condition=high, value=0)
    )
    assert [c.cell for c in change.cells] == ["E5"]


def test_large_merged_areas_and_arrays_cost_no_more_than_small_ones() -> None:
    merged = "".join(f'<mergeCell ref="A{10 + i * 100}:CV{109 + i * 100}"/>' for i in range(3000))
    data = edited(
        sales_report(),
        {
            SHEET: lambda xml: replacing("</mergeCells>", merged + "</mergeCells>")(
                replacing("<f>C4*D4</f>", '<f t="array" ref="G4:XFD1048576">C4*D4</f>')(xml)
            )
        },
    )
    book = Workbook(data)
    tracemalloc.start()
    book.apply(UpdateCells(sheet="売上", cells={"C4": 5, "A10": 1}))
    book.save()
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()
    assert book.cell("売上", "E4").value is None
    with pytest.raises(InvalidInput) as refused:
        book.apply(UpdateCells(sheet="売上", cells={"CV200109": 1}))
    assert refused.value.problem.params["anchor"] == "A200010"


def _warned(update: Update) -> list[tuple[str, object]]:
    warnings = Workbook(sales_report()).apply(update).warnings
    return [(warning.text_id, warning.params["cells"]) for warning in warnings]


def test_values_over_formulas_and_beyond_the_list_are_named() -> None:
    amount, count = Header(header="金額"), Header(header="数量")
    assert _warned(UpdateColumn(sheet="売上", column=amount, values=(1, 2, 3, 4, 5))) == [
        ("excel_formulas_overwritten", "E4、E5、E6"),
        ("excel_beyond_list", "E7、E8"),
    ]
    assert _warned(UpdateRange(sheet="売上", range="D4:E4", rows=((1, 2),))) == [
        ("excel_formulas_overwritten", "E4")
    ]
    assert _warned(UpdateColumn(sheet="売上", column=count, values=(1, 2, 3))) == []


def test_a_missing_sheet_is_refused_with_the_nearest_name_in_both_languages() -> None:
    book = Workbook(sales_report())
    with use_language("en"), pytest.raises(NotFound) as refused:
        book.apply(UpdateCells(sheet="売上高", cells={"A1": 1}))
    assert refused.value.problem.hint == "Check the sheet's name. Nearest: 売上"
    assert refused.value.problem.in_language("ja").message == "シート「売上高」がありません。"


@pytest.mark.parametrize("name", ["ｓＨＥＥＴ１", " sheet1 "])
def test_width_and_case_of_a_sheet_name_do_not_matter(name: str) -> None:
    book = Workbook(workbook({"Sheet1": {}}))
    assert book.apply(UpdateCells(sheet=name, cells={"A1": 1})).cells[0].sheet == "Sheet1"


@pytest.mark.parametrize(
    "address", ["", "1", "A", "A0", "AAAA1", "A1:B2", "売上!A1", "A1 B1", "R1C1"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(UpdateCells(sheet="売上", cells={address: 1}))
    assert refused.value.problem.text_id == "excel_address_invalid"


@pytest.mark.parametrize("address", ["A1048577", "XFE1"])
def test_an_address_beyond_the_sheet_is_refused(address: str) -> None:
    with pytest.raises(LimitExceeded) as refused:
        Workbook(sales_report()).apply(UpdateCells(sheet="売上", cells={address: 1}))
    assert refused.value.problem.text_id == "excel_beyond_sheet"


def test_the_last_cell_of_a_sheet_can_be_written() -> None:
    book = Workbook(workbook({"表": {}}))
    book.apply(UpdateCells(sheet="表", cells={"XFD1048576": 1}))
    assert opened(book.save())["表"]["XFD1048576"].value == 1


@pytest.mark.parametrize(
    "update",
    [
        UpdateRange(sheet="設定", range="A1048576", rows=((1,), (2,))),
        UpdateRange(sheet="設定", range="XFD1", rows=((1, 2),)),
        UpdateColumn(sheet="設定", column=Letter(letter="A"), values=(1, 2), first_row=1_048_576),
        AppendRows(sheet="設定", rows=((1, 2),), first_column="XFD"),
    ],
)
def test_values_that_run_off_the_sheet_are_refused(update: Any) -> None:
    with pytest.raises(LimitExceeded) as refused:
        Workbook(sales_report()).apply(update)
    assert refused.value.problem.text_id == "excel_beyond_sheet"


def test_a_range_of_the_whole_sheet_is_refused() -> None:
    with pytest.raises(LimitExceeded) as refused:
        Workbook(sales_report()).apply(ClearCells(sheet="売上", range="A1:XFD1048576"))
    assert refused.value.problem.text_id == "excel_area_too_large"


def test_one_cell_under_two_spellings_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(UpdateCells(sheet="売上", cells={"A4": 1, "$a$4": 2}))
    assert refused.value.problem.text_id == "excel_cell_twice"


def test_headers_of_different_rows_in_one_update_are_refused() -> None:
    row = Match(key=(1,), set=(Assignment(column=Header(header="数量", row=9), value=1),))
    with pytest.raises(InvalidInput) as refused:
        Workbook(sales_report()).apply(
            UpdateRowsByMatch(sheet="売上", keys=(Header(header="品番", row=3),), rows=(row,))
        )
    assert refused.value.problem.text_id == "excel_header_rows_differ"


def test_a_cell_hidden_in_a_merged_area_is_refused_with_the_one_that_shows() -> None:
    data = sales_report()
    book = Workbook(data)
    with pytest.raises(InvalidInput) as refused:
        book.apply(UpdateCells(sheet="売上", cells={"A1": "題", "C1": "隠れる"}))
    problem = refused.value.problem
    assert problem.text_id == "excel_inside_merged"
    assert (problem.params["area"], problem.params["anchor"]) == ("A1:E1", "A1")
    assert book.save() == data
    rows = (("新しい題", None, None, None, None),)  # nothing may go where nothing shows
    change = book.apply(UpdateRange(sheet="売上", range="A1:E1", rows=rows))
    assert [c.cell for c in change.cells] == ["A1"]


def test_a_part_of_an_array_formula_is_not_changed_alone() -> None:
    book: Any = openpyxl.Workbook()
    book.active.title = "表"
    book.active["B1"] = ArrayFormula("B1:B3", "=A1:A3*2")
    workbook_ = Workbook(saved(book))
    with pytest.raises(InvalidInput) as refused:
        workbook_.apply(UpdateCells(sheet="表", cells={"B2": 1}))
    assert refused.value.problem.text_id == "excel_inside_array"
    workbook_.apply(UpdateRange(sheet="表", range="B1", rows=((1,), (2,), (3,))))
    assert seen_by_calamine(workbook_.save(), "表") == [["", 1], ["", 2], ["", 3]]


def test_a_header_of_an_excel_table_is_not_changed() -> None:
    book = Workbook(staff_table())
    with pytest.raises(InvalidInput) as refused:
        book.apply(UpdateCells(sheet="社員", cells={"B1": "名前"}))
    assert refused.value.problem.text_id == "excel_table_header"
    assert book.apply(UpdateCells(sheet="社員", cells={"B1": "氏名", "B2": "加藤"})).cells


def test_a_protected_sheet_is_changed_with_a_warning_and_stays_protected() -> None:
    book: Any = opened(sales_report())
    book["設定"].protection.enable()
    workbook_ = Workbook(saved(book))
    change = workbook_.apply(UpdateCells(sheet="設定", cells={"B2": "田中"}))
    assert [warning.text_id for warning in change.warnings] == ["excel_sheet_protected"]
    assert opened(workbook_.save())["設定"].protection.sheet


@pytest.mark.parametrize("update", [AddSheet(name="新"), CopySheet(sheet="売上", name="新")])
def test_a_sheet_in_a_workbook_of_protected_structure_comes_with_a_warning(update: Update) -> None:
    locked = replacing("<workbookProtection", '<workbookProtection lockStructure="1"')
    data = edited(sales_report(), {"xl/workbook.xml": locked})
    warnings = Workbook(data).apply(update).warnings
    assert [warning.text_id for warning in warnings] == ["excel_structure_protected"]
    assert Workbook(sales_report()).apply(update).warnings == ()


def test_a_chart_on_a_tab_of_its_own_is_no_sheet_for_cells() -> None:
    book: Any = opened(sales_report())
    book.create_chartsheet("グラフ")
    workbook_ = Workbook(saved(book))
    assert "グラフ" not in workbook_.sheets
    with pytest.raises(NotFound):
        workbook_.apply(UpdateCells(sheet="グラフ", cells={"A1": 1}))


def test_a_workbook_without_formats_gets_the_part_it_needs() -> None:
    data = workbook({"表": {"A1": 1}})
    bare = {part: content for part, content in parts(data).items() if part != "xl/styles.xml"}
    for part in ("[Content_Types].xml", "xl/_rels/workbook.xml.rels"):
        tags = [piece + b">" for piece in bare[part].split(b">") if piece]
        bare[part] = b"".join(tag for tag in tags if b"styles.xml" not in tag)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part, content in bare.items():
            archive.writestr(part, content)
    book = Workbook(out.getvalue())
    book.apply(UpdateCells(sheet="表", cells={"A1": "=1", "B1": 2}))
    cell = opened(book.save())["表"]["A1"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == ("=1", "s", True)
