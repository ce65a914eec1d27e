"""What other programs drop is kept; what can't be kept is said before saving."""

import pytest

from sanbo.documents.excel.book import AppendRows, ClearCells, CopySheet, InsertRows, UpdateCells
from sanbo.documents.excel.workbook import Workbook
from tests.unit.documents.excel_files import (
    MAIN,
    REL,
    edited,
    opened,
    parts,
    replacing,
    sales_report,
    with_part,
    with_shared_strings,
    workbook,
)

X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
XM = "http://schemas.microsoft.com/office/excel/2006/main"
XDR = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
DRAWING = "application/vnd.openxmlformats-officedocument.drawing+xml"

SPARKLINES = (
    '<ext uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}"><x14:sparklineGroups><x14:sparklineGroup>'
    "<x14:sparklines><x14:sparkline><xm:f>'明細'!B2:D2</xm:f><xm:sqref>E2</xm:sqref>"
    "</x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext>"
)
NEWER_RULE = (
    '<ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}"><x14:dataValidations count="1">'
    '<x14:dataValidation type="list" allowBlank="1"><x14:formula1><xm:f>区分!$A$1:$A$2</xm:f>'
    "</x14:formula1><xm:sqref>F2:F9</xm:sqref></x14:dataValidation></x14:dataValidations></ext>"
)
TEXT_BOX = (
    f'<xdr:wsDr xmlns:xdr="{XDR}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    "<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>6</xdr:row>"
    "<xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:colOff>0</xdr:colOff>"
    "<xdr:row>9</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to>"
    '<xdr:sp textlink="明細!$A$2"><xdr:nvSpPr><xdr:cNvPr id="2" name="注意書き"/>'
    '<xdr:cNvSpPr txBox="1"/></xdr:nvSpPr><xdr:spPr/><xdr:txBody><a:bodyPr/><a:p><a:r>'
    "<a:t>社外秘</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>"
)
FURIGANA = '<si><t>渡邉</t><rPh sb="0" eb="2"><t>ワタナベ</t></rPh><phoneticPr fontId="1"/></si>'
RICH = "<si><r><t>至</t></r><r><rPr><b/></rPr><t>急</t></r></si>"


def _decorated() -> bytes:
    """A sheet with a text box, sparklines, a rule in the newer form, furigana and rich text."""
    cells = {"A1": "氏名", "A2": "渡邉", "A3": "至急", "B2": 1, "C2": 3, "D2": 2, "A9": "最終行"}
    data = workbook({"明細": cells, "区分": {"A1": "甲", "A2": "乙"}})
    texts = {text: f"<si><t>{text}</t></si>" for text in ("氏名", "最終行")}
    data = with_shared_strings(data, {**texts, "渡邉": FURIGANA, "至急": RICH})
    data = with_part(
        data,
        owner="xl/worksheets/sheet1.xml",
        part="xl/drawings/drawing1.xml",
        kind="drawing",
        content_type=DRAWING,
        content=TEXT_BOX,
    )
    extensions = f'<extLst xmlns:x14="{X14}" xmlns:xm="{XM}">{SPARKLINES}{NEWER_RULE}</extLst>'
    drawing = f'<drawing xmlns:r="{REL}" r:id="rIdNewdrawing"/>'
    end = replacing("</worksheet>", f"{drawing}{extensions}</worksheet>")
    return edited(data, {"xl/worksheets/sheet1.xml": end})


def test_text_boxes_sparklines_newer_rules_and_furigana_stay() -> None:
    before = _decorated()
    book = Workbook(before)
    book.apply(UpdateCells(sheet="明細", cells={"B2": 5, "C7": "新しい値"}))
    assert book.losses() == ()
    old, new = parts(before), parts(book.save())
    assert {part for part in new if new[part] != old[part]} == {"xl/worksheets/sheet1.xml"}
    sheet = new["xl/worksheets/sheet1.xml"].decode()
    assert SPARKLINES in sheet
    assert NEWER_RULE in sheet
    assert "rIdNewdrawing" in sheet
    assert FURIGANA.encode() in new["xl/sharedStrings.xml"]


def test_overwriting_furigana_and_formats_of_characters_is_said_before_saving() -> None:
    book = Workbook(_decorated())
    assert book.losses() == ()
    book.apply(UpdateCells(sheet="明細", cells={"A2": "渡辺", "A3": "済"}))
    losses = {problem.text_id: problem.params["places"] for problem in book.losses()}
    assert losses == {"excel_loses_furigana": "明細!A2", "excel_loses_text_formats": "明細!A3"}
    assert "ふりがな" in book.losses()[0].in_language("ja").message


def test_furigana_of_a_cell_that_gets_the_same_text_stays() -> None:
    book = Workbook(_decorated())
    book.apply(UpdateCells(sheet="明細", cells={"A2": "渡邉"}))
    assert book.losses() == ()
    assert FURIGANA.encode() in parts(book.save())["xl/sharedStrings.xml"]


def test_the_name_behind_furigana_leaves_the_file_when_it_is_cleared() -> None:
    book = Workbook(_decorated())
    book.apply(ClearCells(sheet="明細", range="A2"))
    everything = b"".join(parts(book.save()).values()).decode("utf-8", "ignore")
    assert "渡邉" not in everything
    assert "ワタナベ" not in everything


def test_appending_keeps_all_of_it_too() -> None:
    book = Workbook(_decorated())
    book.apply(AppendRows(sheet="明細", rows=(("新人", 1, 2, 3),)))
    sheet = parts(book.save())["xl/worksheets/sheet1.xml"].decode()
    assert SPARKLINES in sheet
    assert book.losses() == ()


def test_a_copied_sheet_has_its_own_text_box_sparklines_and_rules() -> None:
    book = Workbook(_decorated())
    book.apply(CopySheet(sheet="明細", name="写し"))
    assert book.losses() == ()
    after = parts(book.save())
    copy = after["xl/worksheets/sheet3.xml"].decode()
    assert "<xm:f>写し!B2:D2</xm:f>" in copy
    assert "<xm:f>区分!$A$1:$A$2</xm:f>" in copy
    text_box = after["xl/drawings/drawing2.xml"].decode()
    assert "社外秘" in text_box
    assert 'textlink="写し!$A$2"' in text_box
    assert after["xl/drawings/drawing1.xml"] == TEXT_BOX.encode()


def test_inserted_rows_move_text_boxes_sparklines_and_rules() -> None:
    book = Workbook(_decorated())
    book.apply(InsertRows(sheet="明細", row=2, count=2))
    after = parts(book.save())
    sheet = after["xl/worksheets/sheet1.xml"].decode()
    assert "<xm:f>明細!B4:D4</xm:f><xm:sqref>E4</xm:sqref>" in sheet
    assert "<xm:sqref>F4:F11</xm:sqref>" in sheet
    drawing = after["xl/drawings/drawing1.xml"].decode()
    assert "<xdr:row>8</xdr:row>" in drawing
    assert "<xdr:row>11</xdr:row>" in drawing
    assert 'textlink="明細!$A$4"' in drawing


def test_a_signature_that_a_change_breaks_is_said_before_saving() -> None:
    signed = edited(sales_report(), new={"_xmlsignatures/sig1.xml": "<Signature/>"})
    book = Workbook(signed, "契約.xlsx")
    assert book.losses() == ()
    book.apply(UpdateCells(sheet="設定", cells={"B2": "田中"}))
    assert [problem.text_id for problem in book.losses()] == ["excel_loses_signature"]


def test_a_pivot_table_that_must_be_refreshed_is_said_before_saving() -> None:
    cache = (
        f'<pivotCacheDefinition xmlns="{MAIN}"><cacheSource type="worksheet">'
        '<worksheetSource ref="A3:E6" sheet="売上"/></cacheSource></pivotCacheDefinition>'
    )
    data = with_part(
        sales_report(),
        owner="xl/workbook.xml",
        part="xl/pivotCache/pivotCacheDefinition1.xml",
        kind="pivotCacheDefinition",
        content_type="application/vnd.openxmlformats-officedocument.spreadsheetml."
        "pivotCacheDefinition+xml",
        content=cache,
    )
    book = Workbook(data)
    book.apply(UpdateCells(sheet="設定", cells={"B2": "田中"}))
    assert book.losses() == ()
    book.apply(UpdateCells(sheet="売上", cells={"D4": 1}))
    assert [problem.text_id for problem in book.losses()] == ["excel_pivot_outdated"]
    book.apply(InsertRows(sheet="売上", row=5))
    moved = parts(book.save())["xl/pivotCache/pivotCacheDefinition1.xml"]
    assert b'ref="A3:E7"' in moved


CONTROLS = (
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    f'<mc:Choice Requires="x14"><controls xmlns:r="{REL}"><control shapeId="1025" '
    'r:id="rIdNewctrlProp" name="Button 1"/></controls></mc:Choice></mc:AlternateContent>'
)


@pytest.mark.parametrize(
    ("kind", "content", "element", "text_id"),
    [
        ("ctrlProp", "<formControlPr/>", CONTROLS, "excel_copy_without_controls"),
        (
            "http://schemas.microsoft.com/office/2007/relationships/slicer",
            "<slicers/>",
            f'<extLst><ext uri="x" xmlns:x14="{X14}" xmlns:r="{REL}"><x14:slicerList>'
            '<x14:slicer r:id="rIdNewslicer"/></x14:slicerList></ext></extLst>',
            "excel_copy_without_slicers",
        ),
        (
            "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment",
            "<ThreadedComments/>",
            "",
            "excel_copy_without_threads",
        ),
        (
            "oleObject",
            "object",
            f'<oleObjects xmlns:r="{REL}"><oleObject progId="x" shapeId="1" '
            'r:id="rIdNewoleObject"/></oleObjects>',
            "excel_copy_without_objects",
        ),
        ("somethingNew", "<new/>", "", "excel_copy_without_others"),
    ],
)
def test_what_a_copy_leaves_out_is_said_and_the_original_keeps_it(
    kind: str, content: str, element: str, text_id: str
) -> None:
    data = with_part(
        workbook({"原本": {"A1": 1}}),
        owner="xl/worksheets/sheet1.xml",
        part="xl/extra/extra1.xml",
        kind=kind,
        content_type="application/xml",
        content=content,
    )
    end = replacing("</worksheet>", f"{element}</worksheet>")
    before = edited(data, {"xl/worksheets/sheet1.xml": end})
    book = Workbook(before)
    book.apply(CopySheet(sheet="原本", name="写し"))
    assert [(p.text_id, p.params["places"]) for p in book.losses()] == [(text_id, "写し")]
    after = parts(book.save())
    assert after["xl/worksheets/sheet1.xml"] == parts(before)["xl/worksheets/sheet1.xml"]
    assert b"rIdNew" not in after["xl/worksheets/sheet2.xml"]
    assert opened(book.save())["写し"]["A1"].value == 1


def test_a_picture_in_a_cell_that_is_overwritten_is_said_before_saving() -> None:
    data = workbook({"表": {"A1": "#VALUE!"}})
    picture = replacing('<c r="A1"', '<c r="A1" vm="1"')
    book = Workbook(edited(data, {"xl/worksheets/sheet1.xml": picture}))
    book.apply(UpdateCells(sheet="表", cells={"A1": "文字"}))
    assert [problem.text_id for problem in book.losses()] == ["excel_loses_rich_value"]
    assert b"vm=" not in parts(book.save())["xl/worksheets/sheet1.xml"]
