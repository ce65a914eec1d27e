"""The Excel table: text cells alone, changed words underlined, ready to filter and to print."""

from io import BytesIO
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.outputs.excel_cells import LONGEST, sheet_title
from sanbo.agents.comparison.outputs.xlsx import excel_table
from sanbo.kernel.messages import Language
from tests.examples import examples
from tests.unit.agents.comparison.outputs.contracts import contract
from tests.unit.agents.comparison.outputs.written_changes import (
    RELATED,
    Written,
    changes_of,
    document,
    result_of,
)


def _opened(result: ComparisonResult, language: Language = "ja", *, fold: bool = False) -> Any:
    data = excel_table(result, language=language, fold_renumbered=fold)
    return load_workbook(BytesIO(data), rich_text=True)


def _only_change(text: str) -> Any:
    """The sheet of a comparison with one change."""
    return _opened(result_of(changes_of([Written("changed", text)]))).worksheets[0]


def _underlined(cell: Any) -> list[str]:
    if not isinstance(cell.value, CellRichText):
        return []
    return [
        part.text for part in cell.value if isinstance(part, TextBlock) and part.font.u == "single"
    ]


def test_sheet_is_ready_to_filter_and_to_print() -> None:
    sheet = _opened(contract("ja")).worksheets[0]
    assert [cell.value for cell in sheet[4]] == [
        *("番号", "種類", "新", "旧", "注意", "備考", "確信度")
    ]
    assert sheet.freeze_panes == "A5"
    assert sheet.auto_filter.ref == f"A4:G{sheet.max_row}"
    assert sheet.print_title_rows == "$4:$4"
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.page_setup.paperSize == 9
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert sheet["C6"].alignment.wrap_text
    assert sheet["A2"].value == "新：業務委託契約書_2025年版.pdf"


def test_exactly_the_changed_words_are_underlined() -> None:
    sheet = _only_change("月額[[50万円|60万円]]を[[|必ず]] 支払う。")
    assert _underlined(sheet["C5"]) == ["60万円", "必ず"]
    assert _underlined(sheet["D5"]) == ["50万円"]
    assert str(sheet["C5"].value) == "月額60万円を必ず 支払う。"


def test_rows_tell_kind_attention_remark_and_confidence() -> None:
    sheet = _opened(contract("ja")).worksheets[0]
    rows = {str(row[2].value): row for row in sheet.iter_rows(min_row=5)}
    fee = next(row for text, row in rows.items() if "委託料として" in text)
    assert fee[1].value == "変更"
    assert fee[4].value == "金額・数量、期限"
    assert "金60万円に" in str(fee[5].value)
    assert (fee[6].value, fee[6].number_format) == (1, "0%")
    added = next(row for text, row in rows.items() if "交通費" in text)
    assert added[3].value == "（新設）"
    numbers = [row[0].value for row in rows.values() if row[0].value]
    assert numbers == sorted(numbers)


def test_second_sheet_counts() -> None:
    workbook = _opened(contract("ja"))
    assert workbook.sheetnames == ["新旧対照表", "集計"]
    counts = {row[0].value: row[1].value for row in workbook.worksheets[1].iter_rows()}
    assert counts["変更"] == 5
    assert counts["違いの合計"] == 16
    assert counts["注意が必要な変更"] == 8
    assert counts["金額・数量"] == 1


def test_no_text_becomes_a_formula() -> None:
    hostile = '=HYPERLINK("http://e.example","x")'
    pair = RELATED.model_copy(update={"old": document(hostile)})
    changes = changes_of(
        [
            Written("changed", f"{hostile}[[+1|-1]]", explanation=hostile),
            Written("added", "=1+1"),
            Written("deleted", "@SUM(A1)"),
        ]
    )
    workbook = _opened(result_of(changes, [pair]))
    for sheet in workbook.worksheets:
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" for cell in row)
    sheet = workbook.worksheets[0]
    assert sheet["C6"].value == CellRichText(*sheet["C6"].value)
    assert str(sheet["C6"].value) == "=1+1"
    assert sheet["C6"].quotePrefix
    assert not sheet["B6"].quotePrefix


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


@settings(max_examples=examples(20))
@given(st.text(min_size=1, max_size=60))
def test_no_text_breaks_the_file(text: str) -> None:
    change = changes_of([Written("changed", "[[x|y]]")])[0].model_copy(
        update={"old_text": text, "diff": (), "explanation": text}
    )
    pair = RELATED.model_copy(update={"new": document(text)})
    assert _opened(result_of([change], [pair])).worksheets[0].max_row == 5


def test_text_that_no_cell_can_hold_is_shortened_around_the_difference() -> None:
    sheet = _only_change("あ" * 40_000 + "[[百円|二百円]]" + "い" * 40_000)
    text = str(sheet["C5"].value)
    assert len(text) <= LONGEST
    assert _underlined(sheet["C5"]) == ["二百円"]
    assert "一部を省略しました" in text


def test_tall_rows_are_as_tall_as_their_text_needs() -> None:
    sheet = _only_change("あ" * 300 + "[[旧|新]]")
    assert sheet.row_dimensions[5].height > 150
    assert _only_change("[[旧|新]]").row_dimensions[5].height < 25


def test_each_pair_has_its_sheet_with_a_title_that_excel_takes() -> None:
    other = RELATED.model_copy(
        update={
            "old": document("a/b:[c]*?" + "長" * 40 + ".md"),
            "new": None,
            "outcome": "only_old",
        }
    )
    changes = [
        *changes_of([Written("changed", "[[一|二]]")]),
        *changes_of([Written("deleted", "三")], pair=1, first_order=1),
    ]
    workbook = _opened(result_of(changes, [RELATED, other]))
    assert workbook.sheetnames[0] == "集計"
    assert workbook.sheetnames[1] == "1 旧.docx → 新.docx"
    assert workbook.sheetnames[2].startswith("2 a b c")
    assert len(workbook.sheetnames[2]) <= 31
    assert workbook.worksheets[2]["D5"].value is not None


def test_titles_of_sheets_are_never_the_same() -> None:
    assert sheet_title("規程", ["規程"]) == "規程 (2)"
    assert sheet_title("A" * 40, ["a" * 31]) == "A" * 27 + " (2)"
    assert sheet_title("'//'", []) == "1"
    assert sheet_title("History", []) != "History"


def test_folding_leaves_flagged_renumbering_in_the_table() -> None:
    sheet = _opened(contract("ja"), fold=True).worksheets[0]
    kinds = [row[1].value for row in sheet.iter_rows(min_row=5) if row[0].value]
    assert kinds.count("番号変更") == 1
