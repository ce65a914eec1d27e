"""新旧対照表 as an office expects it: new left, old right, changed words underlined."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

from docx.oxml.ns import qn
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock

from sanbo.reports.content import written
from sanbo.reports.excel_cells import LONGEST
from tests.examples import examples
from tests.unit.agents.comparison.outputs.contracts import contract
from tests.unit.agents.comparison.outputs.written_changes import (
    RELATED,
    Written,
    changes_of,
    document,
    result_of,
)
from tests.unit.reports.made import compared, excel, word, word_rows


def _underlined(opened: Any) -> list[tuple[list[str], list[str]]]:
    """The underlined stretches of the new and the old side of each row."""

    def of(cell: Any) -> list[str]:
        return [
            "".join(text.text or "" for text in run.iter(qn("w:t")))
            for run in cell.iter(qn("w:r"))
            if run.find(f"{qn('w:rPr')}/{qn('w:u')}") is not None
        ]

    return [(of(row.tc_lst[0]), of(row.tc_lst[1])) for row in opened.tables[0]._tbl.tr_lst]


def _marked(cell: Any) -> list[str]:
    if not isinstance(cell.value, CellRichText):
        return []
    return [
        part.text for part in cell.value if isinstance(part, TextBlock) and part.font.u == "single"
    ]


def _only_change(text: str) -> Any:
    """The sheet of a comparison with one change."""
    return excel(compared(result_of(changes_of([Written("changed", text)])))).worksheets[1]


def test_word_page_is_landscape_a4_and_the_header_is_repeated() -> None:
    opened = word(compared(contract("ja")))
    page = opened.sections[0]
    assert (round(page.page_width.mm), round(page.page_height.mm)) == (297, 210)
    header = opened.tables[0]._tbl.tr_lst[0]
    assert header.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None
    texts = [paragraph.text for paragraph in opened.paragraphs]
    assert texts[0] == "新旧対照表"
    assert "新：業務委託契約書_2025年版.pdf" in texts
    assert "旧：業務委託契約書_2024年版.docx" in texts
    assert word_rows(opened)[0] == ("新", "旧", "備考")
    assert word_rows(word(compared(contract("en"), "en")))[0] == ("New", "Old", "Remarks")


def test_exactly_the_changed_words_are_underlined_on_both_sides() -> None:
    result = result_of(
        changes_of(
            [
                Written("changed", "月額[[50万円|60万円]]を[[|必ず]]支払う。"),
                Written("added", "新しい条"),
                Written("deleted", "古い条"),
                Written("unchanged", "同じ"),
                Written("renumbered", "第[[８|９]]条　同じ。"),
            ]
        )
    )
    expected: list[tuple[list[str], list[str]]] = [
        (["60万円", "必ず"], ["50万円"]),
        (["新しい条"], []),
        ([], ["古い条"]),
        ([], []),
        (["９"], ["８"]),
    ]
    assert _underlined(word(compared(result)))[1:] == expected
    sheet = excel(compared(result)).worksheets[1]
    assert [(_marked(sheet[f"C{row}"]), _marked(sheet[f"D{row}"])) for row in range(5, 10)] == (
        expected
    )


def test_unchanged_stretches_are_left_out_and_remarks_tell_where_something_went() -> None:
    rows = word_rows(word(compared(contract("ja"))))
    assert rows[1] == ("（略）", "（略）", "変更なし（4段落）")
    assert next(new for new, old, _ in rows if old.startswith("第９条")) == "（削る）"
    added = next(row for row in rows if "交通費" in row[0])
    assert added[1] == "（新設）"
    assert added[2].startswith("追加\n要注意：否定の表現\n費用負担の条が")
    moved = next(row for row in rows if "甲乙協議の上" in row[0])
    assert moved[2] == "移動\n旧第13条 → 新第11条"
    assert any(row[0].startswith("第２条第３項\n３　乙は、") for row in rows)
    folded = word_rows(word(compared(contract("ja"), fold=True)))
    assert len(folded) < len(rows)
    assert any("変更なし・番号変更のみ（" in remark for *_, remark in folded)
    assert any("参照先" in remark for *_, remark in folded)


def test_sheet_is_ready_to_filter_and_to_print() -> None:
    sheet = excel(compared(contract("ja"))).worksheets[1]
    assert [cell.value for cell in sheet[4]] == [
        *("番号", "種類", "新", "旧", "注意", "備考", "確信度")
    ]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A5", f"A4:G{sheet.max_row}")
    assert sheet.print_title_rows == "$4:$4"
    assert (sheet.page_setup.orientation, sheet.page_setup.paperSize) == ("landscape", 9)
    assert sheet["C6"].alignment.wrap_text
    numbers = [row[0].value for row in sheet.iter_rows(min_row=5) if row[0].value]
    assert numbers == list(range(1, len(numbers) + 1))
    fee = next(row for row in sheet.iter_rows(min_row=5) if "委託料として" in str(row[2].value))
    assert (fee[1].value, fee[4].value) == ("変更", "金額・数量、期限")


def test_each_pair_has_its_table_and_same_documents_none() -> None:
    same = RELATED.model_copy(
        update={"old": document("規程.md"), "new": document("規程.md"), "outcome": "identical"}
    )
    changes = [
        *changes_of([Written("unchanged", "同じ")]),
        *changes_of([Written("changed", "[[一|二]]")], pair=1, first_order=1),
    ]
    made = compared(result_of(changes, [same, RELATED]))
    opened = word(made)
    texts = [paragraph.text for paragraph in opened.paragraphs]
    assert {"1　規程.md", "違いはありません。", "2　旧.docx → 新.docx"} <= set(texts)
    assert len(opened.tables) == 1
    assert excel(made).sheetnames == ["概要", "2 旧.docx → 新.docx"]


@settings(max_examples=examples(20))
@given(st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_no_text_breaks_the_files(old: str, new: str) -> None:
    change = changes_of([Written("changed", "[[x|y]]")])[0].model_copy(
        update={"old_text": old, "new_text": new, "diff": (), "explanation": new}
    )
    pair = RELATED.model_copy(update={"old": document(old), "new": document(new)})
    made = compared(result_of([change], [pair]))
    assert len(word_rows(word(made))) == 2
    assert excel(made).worksheets[1].max_row == 5


@settings(max_examples=examples(20))
@given(
    st.text("ab 　\n「」。", max_size=12),
    st.text("cd 　\n_x000A_", max_size=12),
    st.text("ef 　", max_size=12),
)
def test_white_space_is_kept(before: str, changed: str, after: str) -> None:
    sheet = _only_change(f"{before}x[[旧|{changed}新]]{after}y")
    shown = str(sheet["C5"].value).replace("_x005F_", "_")
    assert shown == f"{before}x{changed}新{after}y"


def test_text_that_no_cell_can_hold_is_shortened_around_the_difference() -> None:
    sheet = _only_change("あ" * 40_000 + "[[百円|二百円]]" + "い" * 40_000)
    text = str(sheet["C5"].value)
    assert len(text) <= LONGEST
    assert _marked(sheet["C5"]) == ["二百円"]
    assert "一部を省略しました" in text
    assert _only_change("あ" * 300 + "[[旧|新]]").row_dimensions[5].height > 150


def test_the_file_says_nothing_of_who_made_it_but_sanbo() -> None:
    for form in ("docx", "xlsx"):
        with ZipFile(BytesIO(written(compared(contract("ja")), form))) as archive:
            properties = archive.read("docProps/core.xml").decode()
        assert "python-docx" not in properties
        assert "openpyxl" not in properties
        assert "Sanbo" in properties
