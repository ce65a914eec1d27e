"""An update changes the cells asked for; every other cell, format and part stays as it was."""

import re
from collections.abc import Callable, Collection
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from sanbo.documents.excel.book import ClearCells, UpdateCells
from sanbo.documents.excel.workbook import Workbook
from sanbo.documents.ooxml.xml import serialise
from tests.unit.documents.excel_files import (
    MAIN,
    busy_report,
    edited,
    opened,
    parts,
    replacing,
    sales_report,
    seen_by_calamine,
    with_shared_strings,
    workbook,
)


def _cells(data: bytes, *, results: bool = False) -> dict[tuple[str, str], tuple[Any, Any]]:
    """Every cell's content and format."""
    book = opened(data, results=results)
    return {
        (sheet.title, cell.coordinate): (cell.value, _look(cell))
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
    }


def _look(cell: Any) -> tuple[str, ...]:
    looks = (cell.font, cell.fill, cell.border, cell.alignment, cell.protection)
    return (cell.number_format, *map(repr, looks))


def _without(xml: bytes, *, cells: Collection[str] = (), results: Collection[str] = ()) -> bytes:
    """A part without these cells' content, these formulas' results and the mark to calculate."""
    root = ET.fromstring(xml)
    for cell in root.iter(f"{{{MAIN}}}c"):
        if cell.get("r", "") in cells:
            cell.attrib.pop("t", None)
            for content in list(cell):
                cell.remove(content)
        for value in cell.findall(f"{{{MAIN}}}v") if cell.get("r", "") in results else ():
            cell.remove(value)
    for calculation in root.iter(f"{{{MAIN}}}calcPr"):
        calculation.attrib.pop("fullCalcOnLoad", None)
    return ET.tostring(root)


def _only_the_cells_asked_for_change() -> None:
    before = busy_report()
    assert b"fullCalcOnLoad" not in parts(before)["xl/workbook.xml"]
    book = Workbook(before)
    change = book.apply(UpdateCells(sheet="売上", cells={"D4": 12, "B5": "甘夏"}))
    after = book.save()

    assert [(c.cell, c.before.value, c.after.value) for c in change.cells] == [
        ("D4", 10, 12),
        ("B5", "みかん", "甘夏"),
    ]
    expected = _cells(before)
    for address, value in {"D4": 12, "B5": "甘夏"}.items():
        expected["売上", address] = (value, expected["売上", address][1])
    assert _cells(after) == expected

    old, new = parts(before), parts(after)
    assert list(new) == list(old)
    # The sheet; the sheet whose totals are to be calculated; the mark that tells Excel to do so;
    # and the text that no cell shows any more.
    touched: dict[str, Callable[[bytes], bytes]] = {
        "xl/worksheets/sheet1.xml": lambda xml: _without(xml, cells=("D4", "B5"), results=("E4",)),
        "xl/worksheets/sheet2.xml": lambda xml: _without(xml, results=("B1", "B2")),
        "xl/workbook.xml": _without,
        "xl/sharedStrings.xml": _without,
    }
    old["xl/sharedStrings.xml"] = old["xl/sharedStrings.xml"].replace("みかん".encode(), b"")
    for part, content in new.items():
        rest = touched.get(part)
        if rest is None:
            assert content == old[part], part
        else:
            assert content != old[part], part
            assert rest(content) == rest(old[part]), part
    assert b'fullCalcOnLoad="1"' in new["xl/workbook.xml"]


def test_only_the_cells_asked_for_change() -> None:
    _only_the_cells_asked_for_change()


@pytest.mark.parametrize(
    ("found", "changed"),
    [
        (rb' hidden="1"', b""),
        (rb' (?:ht|customHeight)="[^"]*"', b""),
        (rb'(<c r="A4") s="\d+"', rb"\1"),
        (rb'(<c r="E5"[^>]*><f>[^<]*</f>)<v>\d+</v>', rb"\1<v>7</v>"),
        (rb'<definedName name="[^"_]+"', b'<definedName name="X"'),
        (rb"<calcPr", b'<calcPr iterate="1"'),
        (rb' fullCalcOnLoad="1"', b""),
        (rb"<mergeCell ref=\"A1:E1\"", b'<mergeCell ref="A1:D1"'),
        (rb"<si><t>\xe3\x82\x8a[^<]*</t>", b"<si><t>x</t>"),
    ],
)
def test_the_comparison_above_sees_what_a_careless_writer_would_do(
    found: bytes, changed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []

    def careless(root: Any) -> bytes:
        xml, count = re.subn(found, changed, serialise(root))
        done.append(count)
        return xml

    monkeypatch.setattr("sanbo.documents.ooxml.package.serialise", careless)
    with pytest.raises(AssertionError):
        _only_the_cells_asked_for_change()
    assert any(done)


def test_calamine_reads_the_same_changes() -> None:
    book = Workbook(sales_report())
    book.apply(UpdateCells(sheet="売上", cells={"D4": 12, "B5": "甘夏"}))
    rows = seen_by_calamine(book.save(), "売上")
    assert rows[3][:4] == ["A-001", "りんご", 120, 12]
    assert rows[4][:4] == ["A-002", "甘夏", 80, 25]


def test_results_that_depend_on_the_change_are_taken_out_and_no_others() -> None:
    book = Workbook(sales_report())
    book.apply(UpdateCells(sheet="売上", cells={"D4": 12}))
    assert book.results_to_calculate == 3
    results = _cells(book.save(), results=True)
    assert results["売上", "E4"][0] is None
    assert results["集計", "B1"][0] is None  # SUM over it
    assert results["集計", "B2"][0] is None  # through the sum and a name
    assert results["売上", "E5"][0] == 2000
    assert results["集計", "B3"][0] == 2


def test_a_workbook_without_formulas_has_nothing_to_calculate() -> None:
    before = workbook({"設定": {"A1": "担当", "B1": "山田"}, "他": {"A1": 1}})
    book = Workbook(before)
    book.apply(UpdateCells(sheet="設定", cells={"B1": "田中"}))
    after = parts(book.save())
    assert {part for part in after if after[part] != parts(before)[part]} == {
        "xl/worksheets/sheet1.xml"
    }


def test_excel_is_told_to_calculate_after_any_change_in_a_workbook_with_formulas() -> None:
    """What reads a cell can't always be known; calculating once too often does no harm."""
    book = Workbook(sales_report())
    book.apply(UpdateCells(sheet="設定", cells={"B2": "田中"}))
    assert book.results_to_calculate == 0
    assert b'fullCalcOnLoad="1"' in parts(book.save())["xl/workbook.xml"]


def test_without_updates_the_bytes_stay() -> None:
    data = sales_report()
    assert Workbook(data).save() == data


def test_writing_what_is_already_there_changes_nothing() -> None:
    data = sales_report()
    book = Workbook(data)
    assert book.apply(UpdateCells(sheet="売上", cells={"D4": 10, "B4": "りんご"})).cells == ()
    assert book.save() == data


def test_the_same_updates_give_the_same_bytes() -> None:
    data = sales_report()

    def updated() -> bytes:
        book = Workbook(data)
        book.apply(UpdateCells(sheet="売上", cells={"D4": 1, "B4": "=1+1", "F9": "新しい"}))
        return book.save()

    assert updated() == updated()


def test_saving_twice_gives_the_same_bytes_and_updates_go_on() -> None:
    book = Workbook(sales_report())
    book.apply(UpdateCells(sheet="売上", cells={"D4": 1}))
    first = book.save()
    assert book.save() == first
    book.apply(UpdateCells(sheet="売上", cells={"D5": 2}))
    sheet = opened(book.save())["売上"]
    assert (sheet["D4"].value, sheet["D5"].value) == (1, 2)


def test_macros_stay_in_the_workbook() -> None:
    macro = edited(
        sales_report(),
        {
            "[Content_Types].xml": replacing(
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
                "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
            )
        },
        new={"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0 macros"},
    )
    book = Workbook(macro, "帳票.xlsm")
    book.apply(UpdateCells(sheet="売上", cells={"D4": 1}))
    after = parts(book.save())
    assert after["xl/vbaProject.bin"] == b"\xd0\xcf\x11\xe0 macros"
    assert b"macroEnabled" in after["[Content_Types].xml"]


def test_the_list_of_calculations_goes_when_a_formula_goes() -> None:
    """Excel calls a workbook damaged whose list names cells without formulas."""
    data = edited(
        sales_report(),
        {
            "[Content_Types].xml": replacing(
                "</Types>",
                '<Override PartName="/xl/calcChain.xml" ContentType="application/'
                'vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml"/></Types>',
            ),
            "xl/_rels/workbook.xml.rels": replacing(
                "</Relationships>",
                '<Relationship Id="calc" Target="calcChain.xml" Type="http://schemas.'
                'openxmlformats.org/officeDocument/2006/relationships/calcChain"/></Relationships>',
            ),
        },
        new={"xl/calcChain.xml": f'<calcChain xmlns="{MAIN}"><c r="E4" i="1"/></calcChain>'},
    )
    book = Workbook(data)
    book.apply(UpdateCells(sheet="売上", cells={"D4": 1}))
    assert "xl/calcChain.xml" in parts(book.save())
    book.apply(ClearCells(sheet="売上", range="E4"))
    after = parts(book.save())
    assert "xl/calcChain.xml" not in after
    assert b"calcChain" not in after["[Content_Types].xml"]
    assert b"calcChain" not in after["xl/_rels/workbook.xml.rels"]


def test_shared_texts_of_other_cells_stay_and_cleared_ones_leave_the_file() -> None:
    data = with_shared_strings(
        workbook({"名簿": {"A1": "極秘の番号", "A2": "共通", "A3": "共通"}}),
        {"極秘の番号": "<si><t>極秘の番号</t></si>", "共通": "<si><t>共通</t></si>"},
    )
    book = Workbook(data)
    book.apply(ClearCells(sheet="名簿", range="A1:A2"))
    after = book.save()
    assert "極秘の番号".encode() not in b"".join(parts(after).values())
    sheet = opened(after)["名簿"]
    assert [sheet[a].value for a in ("A1", "A2", "A3")] == [None, None, "共通"]


def test_a_shared_formula_goes_on_in_the_other_cells_when_its_first_is_overwritten() -> None:
    data = workbook(
        {"表": {"A1": 1, "A2": 2, "A3": 3, "B1": "=A1*2", "B2": "=A2*2", "B3": "=A3*2"}}
    )

    def share(xml: bytes) -> bytes:
        text = xml.decode().replace("<f>A1*2</f>", '<f t="shared" ref="B1:B3" si="0">A1*2</f>')
        return re.sub(r"<f>A[23]\*2</f>", '<f t="shared" si="0"/>', text).encode()

    book = Workbook(edited(data, {"xl/worksheets/sheet1.xml": share}))
    change = book.apply(UpdateCells(sheet="表", cells={"B1": 100}))
    assert change.cells[0].before.formula == "=A1*2"
    sheet = opened(book.save())["表"]
    assert [sheet[a].value for a in ("B1", "B2", "B3")] == [100, "=A2*2", "=A3*2"]


def test_a_new_cell_takes_the_format_of_its_column() -> None:
    data = edited(
        workbook({"表": {"A1": "x"}}),
        {
            "xl/worksheets/sheet1.xml": replacing(
                "<sheetData>", '<cols><col min="3" max="3" width="9" style="1"/></cols><sheetData>'
            ),
            "xl/styles.xml": lambda xml: re.sub(
                rb"<cellXfs[^>]*>(.*?)</cellXfs>",
                rb'<cellXfs count="2">\1<xf numFmtId="10" fontId="0" fillId="0" borderId="0" '
                rb'xfId="0" applyNumberFormat="1"/></cellXfs>',
                xml,
            ),
        },
    )
    book = Workbook(data)
    book.apply(UpdateCells(sheet="表", cells={"C7": 0.25, "D7": 0.25}))
    sheet = opened(book.save())["表"]
    assert (sheet["C7"].value, sheet["C7"].number_format) == (0.25, "0.00%")
    assert sheet["D7"].number_format == "General"


def test_cells_are_put_in_order_whatever_order_they_come_in() -> None:
    book = Workbook(workbook({"表": {"C3": 1}}))
    book.apply(UpdateCells(sheet="表", cells={"E3": 5, "A3": 2, "D1": 3, "B9": 4, "D3": 6}))
    data = book.save()
    order = re.findall(rb'<c r="([A-Z]+\d+)"', parts(data)["xl/worksheets/sheet1.xml"])
    assert order == [b"D1", b"A3", b"C3", b"D3", b"E3", b"B9"]
    assert b'<dimension ref="A1:E9"/>' in parts(data)["xl/worksheets/sheet1.xml"]
    assert seen_by_calamine(data, "表")[2] == [2, "", 1, 6, 5]


@pytest.mark.parametrize("address", ["b4", "$B$4", " B4 ", "Ｂ４"])
def test_addresses_may_be_written_as_people_write_them(address: str) -> None:
    book = Workbook(sales_report())
    change = book.apply(UpdateCells(sheet="売上", cells={address: "桃"}))
    assert change.cells[0].cell == "B4"


def test_cells_without_addresses_are_counted_from_the_left() -> None:
    """The format allows it, and small programs write it."""
    data = workbook({"表": {"A1": 1, "B1": 2, "A2": 3, "B2": "=A2"}})
    bare = edited(
        data,
        {
            "xl/worksheets/sheet1.xml": lambda xml: re.sub(
                rb'(<(?:c|row)) r="[A-Z]*\d+"', rb"\1", xml
            )
        },
    )
    book = Workbook(bare)
    change = book.apply(UpdateCells(sheet="表", cells={"B1": 20, "A2": 30, "C2": 40}))
    assert [c.before.value for c in change.cells] == [2, 3, None]
    assert book.cell("表", "B2").formula == "=A2"
    sheet = opened(book.save())["表"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        [1, 20, None],
        [30, "=A2", 40],
    ]
