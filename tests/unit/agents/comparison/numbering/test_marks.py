import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.comparison.numbering import own_mark
from sanbo.language.numerals import letter_number, number_of, roman_number


@pytest.mark.parametrize(
    ("text", "written", "unit", "number"),
    [
        ("第三条（目的）　この規程は、", "第三条", "article", (3,)),
        ("第三条の二　会員は、", "第三条の二", "article", (3, 2)),
        ("第12条（解除）", "第12条", "article", (12,)),
        ("第１２条　解除", "第１２条", "article", (12,)),
        ("第三十五条から第三十七条まで　削除", "第三十五条から第三十七条まで", "article", (35,)),
        ("第二章　総則", "第二章", "chapter", (2,)),
        ("第一編　通則", "第一編", "part", (1,)),
        ("第四節の二　雑則", "第四節の二", "section", (4, 2)),
        ("２　前項の規定は、", "２", "paragraph", (2,)),
        ("2 前項の規定は、", "2", "paragraph", (2,)),
        ("２　個人情報取扱事業者は、", "２", "paragraph", (2,)),
        ("2 本人は、", "2", "paragraph", (2,)),
        ("2 日本国内において、", "2", "paragraph", (2,)),
        ("３　年会費は、", "３", "paragraph", (3,)),
        ("②　前項の規定は、", "②", "circled", (2,)),
        ("十　前各号に掲げるもの", "十", "item", (10,)),
        ("一から四まで　略", "一から四まで", "item", (1,)),
        ("三の二　届出", "三の二", "item", (3, 2)),
        ("（１）氏名", "（１）", "bracketed", (1,)),
        ("⑶ 住所", "⑶", "bracketed", (3,)),
        ("2) 住所", "2)", "bracketed", (2,)),
        ("ア　氏名", "ア", "subitem", (1,)),
        ("ロ　住所", "ロ", "subitem", (2,)),
        ("1. 目的", "1.", "decimal", (1,)),
        ("１．目的", "１．", "decimal", (1,)),
        ("1.2.3 Backups", "1.2.3", "decimal", (1, 2, 3)),
        ("a. the Customer", "a.", "letter", (1,)),
        ("(b) the Customer", "(b)", "letter", (2,)),
        ("A. Definitions", "A.", "letter", (1,)),
        ("(iv) the Customer", "(iv)", "roman", (4,)),
        ("Article 3 Fees", "Article 3", "article", (3,)),
        ("ARTICLE IV. FEES", "ARTICLE IV", "article", (4,)),
        ("Section 2.1 Fees", "Section 2.1", "section", (2, 1)),
        ("Exhibit A", "Exhibit A", "annex", (1,)),
        ("別表第一（第三条関係）", "別表第一", "annex", (1,)),
        ("様式第２号（第五条関係）", "様式第２号", "annex", (2,)),
        ("　第五条　会員は", "第五条", "article", (5,)),
    ],
)
def test_a_chunk_tells_its_number(
    text: str, written: str, unit: str, number: tuple[int, ...]
) -> None:
    mark = own_mark(text)
    assert mark is not None
    assert (text[mark.start : mark.end], mark.unit, mark.number) == (written, unit, number)


@pytest.mark.parametrize(
    "text",
    [
        "第三条の規定により届け出た者は、",
        "第三条第一項に定める者は、",
        "第三条及び第四条の規定は、",
        "第三者に提供してはならない。",
        "30 日以内に通知する。",
        "3 months after the notice, the Customer may terminate.",
        "1.5 million people use it.",
        "2025年4月1日から施行する。",
        "1,000円を支払う。",
        "一部の会員は、",
        "A user may leave.",
        "I agree.",
        "会員は、",
        "",
        "Section 2 shall not apply to such information.",
        "Article 5 of this Agreement applies.",
        "Section headings are for convenience.",
    ],
)
def test_what_only_begins_like_a_number_is_none(text: str) -> None:
    assert own_mark(text) is None


def test_in_a_heading_a_number_before_a_small_letter_is_its_own() -> None:
    mark = own_mark("3.1 months of notice", is_heading=True)
    assert mark is not None
    assert mark.number == (3, 1)


@given(st.text(max_size=60))
def test_any_text_can_be_asked_for_its_number(text: str) -> None:
    mark = own_mark(text)
    assert mark is None or text[mark.start : mark.end].strip()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("十", 10),
        ("百二十二", 122),
        ("二〇二五", 2025),
        ("１２", 12),
        ("⑫", 12),
        ("千", 1000),
        ("三百万", 3_000_000),
        ("120万", 1_200_000),
        ("一億二千万", 120_000_000),
        ("第", None),
        ("", None),
    ],
)
def test_numbers_are_read_in_every_writing(text: str, number: int | None) -> None:
    assert number_of(text) == number


def test_roman_numbers_and_letters_count() -> None:
    assert [roman_number(text) for text in ("iv", "XII", "Ⅲ", "abc", "")] == [4, 12, 3, None, None]
    assert [letter_number(text) for text in ("b", "B", "ロ", "ウ", "ab")] == [2, 2, 2, 3, None]
