"""Which lines are paragraphs of their own."""

import pytest

from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.documents.model import Document, Paragraph, Position
from tests.unit.agents.comparison.chunking.made import side_of, texts, word_file


def test_lines_of_a_pasted_contract_are_clauses() -> None:
    text = (
        "第1条（目的）\n本契約の目的を定める。\n第2条（業務）\n1. 乙は監視を行う。\n"
        "（１）昼間の監視\n・夜間を除く。\n② 報告\n"
    )
    assert texts(side_of("貼り付け.txt", text)) == [
        "第1条（目的）",
        "本契約の目的を定める。",
        "第2条（業務）",
        "1. 乙は監視を行う。",
        "（１）昼間の監視",
        "・夜間を除く。",
        "② 報告",
    ]


def test_a_title_without_brackets_is_told_by_its_length() -> None:
    text = (
        "第1条 目的\n本契約は、甲が乙に委託する情報システムの運用業務について、その条件を定める。\n"
    )
    assert texts(side_of("契約.txt", text))[0] == "第1条 目的"


def test_soft_line_breaks_in_word_that_begin_clauses_part_them() -> None:
    side = side_of(
        "契約.docx", word_file(["乙は次の業務を行う。\n（１）監視\n（２）報告\n及び連絡"])
    )
    assert texts(side) == ["乙は次の業務を行う。", "（１）監視", "（２）報告\n及び連絡"]


def test_text_wrapped_by_hand_stays_one_paragraph() -> None:
    text = (
        "The supplier shall keep all records of the services for a period of\n"
        "five years after the end of this agreement, and shall make them\n"
        "available to the customer on request.\nThe customer pays for copies.\n"
    )
    assert texts(side_of("terms.txt", text)) == [
        text.strip().rsplit("\n", 1)[0],
        "The customer pays for copies.",
    ]


def test_long_lines_without_blank_ones_between_are_paragraphs() -> None:
    lines = [
        "概要",
        "この文書は、" + "業務の手順を定めるものであり、" * 6 + "以上とする。",
        "適用範囲",
    ]
    assert texts(side_of("手順.txt", "\n".join(lines))) == lines


def test_lines_that_are_sentences_are_paragraphs_however_long() -> None:
    lines = ["一回目の記録を書き留める。", "二回目の記録を書き留める。", "三回目の記録は省く。"]
    assert texts(side_of("記録.txt", "\n".join(lines))) == lines


def test_indented_lines_begin_paragraphs() -> None:
    text = "　甲は、乙に業務を委託する。\n　乙は、これを受託し、誠実に履行する。\n"
    assert len(texts(side_of("契約.txt", text))) == 2


def test_the_title_of_a_supplement_stands_alone() -> None:
    text = "第二条　この規程は、毎年見直す。\n附　則\n第一条　この規程は、四月一日から施行する。\n"
    side = side_of("規程.txt", text)
    assert [chunk.label for chunk in side.chunks] == ["第二条", "附則", "附則第一条"]


def test_a_line_that_refers_to_an_article_begins_nothing() -> None:
    side = side_of("手順.md", "申請は、\n第三条の規定により行う。")
    assert texts(side) == ["申請は、\n第三条の規定により行う。"]


@pytest.mark.parametrize("text", ["", "   ", "\n\n \n"])
def test_a_document_without_text_has_no_chunks(text: str) -> None:
    blank = Paragraph(position=Position(start=0, end=len(text)))
    document = Document(name="空.txt", format="text", text=text, blocks=(blank,))
    assert document_side(document, "B").chunks == ()


def test_short_lines_are_entries_of_their_own() -> None:
    lines = ["日時：2025年3月10日 14:00～15:30", "場所：本社3階", "出席者：佐藤、鈴木、田中"]
    assert texts(side_of("議事録.txt", "\n".join(lines))) == lines


def test_the_title_of_an_article_in_brackets_ends_what_stands_before() -> None:
    text = (
        "第３条　所属長は、申請の内容を確認し、適正と認めるときは速やかに承認する。\n"
        "（支払）\n第４条　経理部は、承認された経費を、申請した月の翌月の末日に支払う。\n"
    )
    assert texts(side_of("規程.txt", text)) == text.splitlines()


def test_the_text_of_a_supplement_is_apart_from_its_title() -> None:
    text = "附　則\nこの規則は、四月一日から施行する。\n"
    assert texts(side_of("規則.txt", text)) == text.splitlines()
