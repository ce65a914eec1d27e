"""One contract in Word and as PDF says the same."""

from io import BytesIO
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml

from sanbo.agents.comparison.model import Side
from tests.unit.agents.comparison.chunking.made import (
    Content,
    pdf_file,
    side_of,
    without_metadata,
    word_file,
)

SENTENCE = (
    "甲は、乙が本契約に定める義務に違反し、相当の期間を定めて催告したにもかかわらず是正しないときは、"
    "書面により通知することで、本契約の全部又は一部を解除し、これによって生じた損害の賠償を請求できる。"
)
CONTRACT: Content = [
    "業務委託基本契約書",
    "第1条（目的）",
    "甲は、乙に対し、別紙に定める運用業務を委託し、乙はこれを受託する。",
    "第2条（委託料）",
    "1. 委託料は、月額50万円（消費税別）とする。",
    "2. 甲は、前項の委託料を毎月末日までに、乙の指定する口座に振り込む方法により支払う。",
    "第3条（解除）",
    f"1. {SENTENCE * 4}",
    f"2. {SENTENCE * 5}",
    "(1) 支払の停止があったとき",
    "(2) 第2条第2項の支払を怠ったとき",
    [("業務", "頻度", "単価"), ("監視", "毎日", "1,000円"), ("報告", "毎月", "20,000円")],
    f"第4条（協議）　{SENTENCE * 4}",
    "以上のとおり契約が成立したことを証するため、本書2通を作成し、各1通を保有する。",
]


def said(side: Side) -> list[tuple[str, str]]:
    return [(chunk.label, chunk.key) for chunk in without_metadata(side)]


@pytest.mark.parametrize("size", [10.5, 12.0, 14.0])
def test_word_and_pdf_have_the_same_labels_and_keys(size: float) -> None:
    in_word = side_of("契約.docx", word_file(CONTRACT))
    in_pdf = side_of("契約.pdf", pdf_file(CONTRACT, foot="{page}", head="社外秘", size=size))
    assert (in_pdf.pages or 0) > 1
    assert said(in_word) == said(in_pdf)


def test_numbers_that_word_counts_by_itself_are_those_that_a_pdf_prints() -> None:
    printed = [
        "第1条 目的を定める。",
        "第2条 料金を定める。",
        "(1) 月額は50万円とする。",
        "第3条 期間を定める。",
    ]
    in_word = side_of("契約.docx", _numbered_by_word())
    in_pdf = side_of("契約.pdf", pdf_file(printed))
    assert said(in_word) == said(in_pdf)
    assert [chunk.label for chunk in in_word.chunks] == ["第1条", "第2条", "第2条第1号", "第3条"]


def _numbered_by_word() -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    document: Any = docx.Document()
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for level, text in enumerate(["第%1条", "(%2)"])
    )
    numbering = document.part.numbering_part.element
    numbering.insert(
        0, parse_xml(f'<w:abstractNum {space} w:abstractNumId="70">{levels}</w:abstractNum>')
    )
    numbering.append(
        parse_xml(f'<w:num {space} w:numId="70"><w:abstractNumId w:val="70"/></w:num>')
    )
    for level, text in [
        (0, "目的を定める。"),
        (0, "料金を定める。"),
        (1, "月額は50万円とする。"),
        (0, "期間を定める。"),
    ]:
        properties = document.add_paragraph(text)._p.get_or_add_pPr()
        properties.append(
            parse_xml(f'<w:numPr {space}><w:ilvl w:val="{level}"/><w:numId w:val="70"/></w:numPr>')
        )
    out = BytesIO()
    document.save(out)
    return out.getvalue()
