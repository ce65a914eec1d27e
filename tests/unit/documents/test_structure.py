"""The markers of Japanese and English rules, and where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.documents.chunks import Rank, marker_of, sentence_spans


@pytest.mark.parametrize(
    ("text", "rank", "label"),
    [
        ("第一編　総則", Rank.PART, "第一編"),
        ("第２章 契約", Rank.CHAPTER, "第２章"),
        ("第三節の二　手続", Rank.SECTION, "第三節の二"),
        ("第十二条（秘密保持）　甲は…", Rank.ARTICLE, "第十二条"),
        ("第12条の2　乙は…", Rank.ARTICLE, "第12条の2"),
        ("２　前項の規定にかかわらず…", Rank.PARAGRAPH, "２"),
        ("3. 支払期限", Rank.PARAGRAPH, "3."),
        ("一　個人情報", Rank.ITEM, "一"),
        ("① 請求書", Rank.ITEM, "①"),
        ("（１）納品書", Rank.SUBITEM, "（１）"),
        ("イ　電子データ", Rank.SUBITEM, "イ"),
        ("Article 4 Confidentiality", Rank.ARTICLE, "Article 4"),
        ("(a) any notice", Rank.SUBITEM, "(a)"),
    ],
)
def test_a_marker_tells_the_rank(text: str, rank: Rank, label: str) -> None:
    marker = marker_of(text)
    assert marker is not None
    assert (marker.rank, marker.label) == (rank, label)


@pytest.mark.parametrize(
    "text",
    [
        "第三条の規定により、甲は通知する。",
        "第1章では概要を述べる。",
        "2025年4月1日から施行する。",
        "一般に、契約は合意で成立する。",
        "30日以内に支払う。",
        "",
    ],
)
def test_a_sentence_that_speaks_of_an_article_is_none(text: str) -> None:
    assert marker_of(text) is None


def test_sentences_end_at_full_stops_outside_brackets() -> None:
    text = "甲は「承知した。よろしく。」と述べた。乙は応じた！（注：なし。）終わり"
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "甲は「承知した。よろしく。」と述べた。",
        "乙は応じた！",
        "（注：なし。）終わり",
    ]


def test_a_bracket_that_never_closes_does_not_swallow_the_rest() -> None:
    text = "「閉じない。次の文。最後の文。"
    assert len(sentence_spans(text)) == 3


def test_english_sentences_end_at_a_stop_and_a_blank() -> None:
    text = "Version 3.2 is out. See section 4.1 for details. Done."
    assert [text[a:b].strip() for a, b in sentence_spans(text)] == [
        "Version 3.2 is out.",
        "See section 4.1 for details.",
        "Done.",
    ]


@given(st.text(alphabet="あ。！？「」（）()a. \n", max_size=80))
def test_sentences_cover_the_text_without_gap_or_overlap(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
