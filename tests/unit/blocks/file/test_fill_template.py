"""Templates of Word and of text: places filled, rows repeated, everything else as it was."""

import base64
import io
from typing import Any

import docx
import pytest

from sanbo.kernel.problems import SanboError
from tests.unit.blocks.computing import Computed, compute

DATA: dict[str, Any] = {
    "宛先": "青葉商店",
    "合計": 1234567.5,
    "明細": [{"品名": "用紙", "金額": 1200}, {"品名": "封筒\n（角2）", "金額": 800}],
    "空": [],
}


def _template() -> str:
    document = docx.Document()
    split = document.add_paragraph()
    for piece in ("{{宛", "先}}", " 御中 {{なし}}"):
        split.add_run(piece).bold = piece.startswith("{{")
    document.add_paragraph("合計 {{formatNumber(round(合計))}} 円")
    table = document.add_table(rows=3, cols=2)
    for row, texts in enumerate(
        [("品名", "金額"), ("{{明細.品名}}", "{{formatNumber(明細.金額)}}"), ("{{空.品名}}", "x")]
    ):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    document.sections[0].header.paragraphs[0].text = "{{宛先}} 様"
    buffer = io.BytesIO()
    document.save(buffer)
    return base64.b64encode(buffer.getvalue()).decode()


def _document(made: Computed) -> Any:
    return docx.Document(io.BytesIO(made.bytes_of(made["document"])))


def test_a_word_document_is_filled_and_keeps_its_look() -> None:
    given = {
        "template": {"name": "雛形.docx", "base64": _template()},
        "data": DATA,
        "name": "請求書",
    }
    made = compute("file.fill_template", given)
    document = _document(made)
    assert document.paragraphs[0].text == "青葉商店 御中 "
    assert document.paragraphs[0].runs[0].bold
    assert document.paragraphs[1].text == "合計 1,234,568 円"
    (table,) = document.tables
    cells = [[cell.text for cell in row.cells] for row in table.rows]
    assert cells == [["品名", "金額"], ["用紙", "1,200"], ["封筒\n（角2）", "800"]]
    assert document.sections[0].header.paragraphs[0].text == "青葉商店 様"
    assert made["document"]["name"] == "請求書.docx"
    assert made["summary"] == {"name": "請求書.docx", "filled": 7, "missing": ["なし"], "rows": 2}
    assert [each.text_id for each in made.warnings] == ["template_missing"]


def test_a_name_with_blanks_is_a_place() -> None:
    given = {
        "template": "Dear {{ Full Name }}, the fee is {{ Annual Fee }}.",
        "data": {"Full Name": "Ann", "Annual Fee": 120},
        "name": "letter.md",
    }
    made = compute("file.fill_template", given)
    assert made["summary"]["filled"] == 2
    assert not made["summary"]["missing"]


def test_a_text_becomes_a_document_and_its_values_are_no_markdown() -> None:
    template = "# {{宛先}} 御中\n- {{明細.品名}}\n{{注}}"
    made = compute("file.fill_template", {"template": template, "data": {**DATA, "注": "**太字**"}})
    assert made["text"] == "# 青葉商店 御中\n- 用紙\n- 封筒\n（角2）\n**太字**"
    texts = [each.text for each in _document(made).paragraphs]
    assert "青葉商店 御中" in texts
    assert any("**太字**" in each for each in texts)


@pytest.mark.parametrize(
    ("template", "text_id"),
    [
        ("{{sume(明細)}}", "template_unreadable"),
        ({"name": "a.pdf", "text": "x"}, "template_kind"),
        ({"name": "a.docx", "text": "x"}, "office_package_damaged"),
    ],
)
def test_what_is_no_template_is_a_problem(template: Any, text_id: str) -> None:
    with pytest.raises(SanboError) as problem:
        compute("file.fill_template", {"template": template, "data": DATA})
    assert problem.value.problem.text_id == text_id
