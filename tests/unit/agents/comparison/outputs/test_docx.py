"""The Word table as an office expects it: new left, old right, changed words underlined."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from docx import Document
from docx.oxml.ns import qn
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.comparison.model import ComparisonResult
from sanbo.agents.comparison.outputs.docx import word_table
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
    return Document(BytesIO(word_table(result, language=language, fold_renumbered=fold)))


def _rows(opened: Any, table: int = 0) -> list[tuple[str, str, str]]:
    """By the XML: python-docx takes too long over the cells of a table."""
    rows: list[tuple[str, str, str]] = []
    for row in opened.tables[table]._tbl.tr_lst:
        new, old, remark = (
            "\n".join(_letters(line) for line in cell.iter(qn("w:p"))) for cell in row.tc_lst
        )
        rows.append((new, old, remark))
    return rows


def _letters(paragraph: Any) -> str:
    return "".join(
        "\t" if part.tag == qn("w:tab") else part.text or ""
        for part in paragraph.iter(qn("w:t"), qn("w:tab"))
    )


def _underlined(opened: Any) -> list[tuple[list[str], list[str]]]:
    """The underlined stretches of the new and the old side of each row."""

    def of(cell: Any) -> list[str]:
        return [
            "".join(text.text or "" for text in run.iter(qn("w:t")))
            for run in cell.iter(qn("w:r"))
            if run.find(f"{qn('w:rPr')}/{qn('w:u')}") is not None
        ]

    return [(of(row.tc_lst[0]), of(row.tc_lst[1])) for row in opened.tables[0]._tbl.tr_lst]


def _written(rows: Sequence[Written]) -> Any:
    return _opened(result_of(changes_of(rows)))


def test_page_is_landscape_a4_and_the_header_is_repeated() -> None:
    opened = _opened(contract("ja"))
    page = opened.sections[0]
    assert (round(page.page_width.mm), round(page.page_height.mm)) == (297, 210)
    header = opened.tables[0]._tbl.tr_lst[0]
    assert header.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None
    assert _rows(opened)[0] == ("新", "旧", "備考")
    assert opened.paragraphs[0].text == "新旧対照表"
    assert opened.paragraphs[1].text == "新：業務委託契約書_2025年版.pdf"
    assert opened.paragraphs[2].text == "旧：業務委託契約書_2024年版.docx"
    assert _rows(_opened(contract("en"), "en"))[0] == ("New", "Old", "Remarks")


def test_exactly_the_changed_words_are_underlined_on_both_sides() -> None:
    opened = _written(
        [
            Written("changed", "月額[[50万円|60万円]]を[[|必ず]]支払う。"),
            Written("added", "新しい条"),
            Written("deleted", "古い条"),
            Written("unchanged", "同じ"),
            Written("renumbered", "第[[８|９]]条　同じ。"),
        ]
    )
    assert _underlined(opened)[1:] == [
        (["60万円", "必ず"], ["50万円"]),
        (["新しい条"], []),
        ([], ["古い条"]),
        ([], []),
        (["９"], ["８"]),
    ]


def test_unchanged_stretches_are_left_out_and_new_and_deleted_articles_said_so() -> None:
    rows = _rows(_opened(contract("ja")))
    assert rows[1] == ("（略）", "（略）", "変更なし（4段落）")
    assert next((new, old[:7]) for new, old, _ in rows if old.startswith("第９条")) == (
        "（削る）",
        "第９条　乙は、",
    )
    added = next(row for row in rows if "交通費" in row[0])
    assert added[1] == "（新設）"
    assert added[2].startswith("追加\n要注意：否定の表現\n費用負担の条が")


def test_remarks_tell_where_something_went() -> None:
    rows = _rows(_opened(contract("ja")))
    moved = next(row for row in rows if "甲乙協議の上" in row[0])
    assert moved[2] == "移動\n旧第13条 → 新第11条"
    split = next(row for row in rows if "上限とする" in row[0])
    assert "\n２　前項の賠償の額は" in split[0]
    assert "旧第７条 → 新第８条、第８条第２項" in split[2]


def test_number_of_a_paragraph_is_told_whole_where_its_text_does_not() -> None:
    rows = _rows(_opened(contract("ja")))
    assert any(row[0].startswith("第２条第３項\n３　乙は、") for row in rows)


def test_folded_renumbering_becomes_a_stretch_but_a_flagged_one_stays() -> None:
    result = contract("ja")
    folded = _rows(_opened(result, fold=True))
    assert len(folded) < len(_rows(_opened(result)))
    assert any("変更なし・番号変更のみ（" in remark for *_, remark in folded)
    assert any("参照先" in remark for *_, remark in folded)


def test_each_pair_has_its_heading_and_same_documents_no_table() -> None:
    same = RELATED.model_copy(
        update={"old": document("規程.md"), "new": document("規程.md"), "outcome": "identical"}
    )
    changes = [
        *changes_of([Written("unchanged", "同じ")]),
        *changes_of([Written("changed", "[[一|二]]")], pair=1, first_order=1),
    ]
    opened = _opened(result_of(changes, [same, RELATED]))
    texts = [paragraph.text for paragraph in opened.paragraphs]
    assert "1　規程.md" in texts
    assert "違いはありません。" in texts
    assert "2　旧.docx → 新.docx" in texts
    assert len(opened.tables) == 1


@settings(max_examples=examples(20))
@given(st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_no_text_breaks_the_file(old: str, new: str) -> None:
    change = changes_of([Written("changed", "[[x|y]]")])[0].model_copy(
        update={"old_text": old, "new_text": new, "diff": (), "explanation": new}
    )
    pair = RELATED.model_copy(update={"old": document(old), "new": document(new)})
    opened = _opened(result_of([change], [pair]))
    assert len(_rows(opened)) == 2


def test_forbidden_characters_and_markup_are_shown_as_text() -> None:
    opened = _written([Written("changed", "a\x00<w:br/>&amp;\x1f[[旧\ud800|新\ufffe]]\tz")])
    assert _rows(opened)[1][0] == "a�<w:br/>&amp;�新�\tz"


def test_the_file_says_nothing_of_who_made_it_but_sanbo() -> None:
    data = word_table(contract("ja"), language="ja")
    with ZipFile(BytesIO(data)) as archive:
        properties = archive.read("docProps/core.xml").decode()
    assert "python-docx" not in properties
    assert "Sanbo" in properties
