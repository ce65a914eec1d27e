"""What texts are searched by, and how scores are put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.retrieval.tokens import grams, highlights, query_words, terms_of, words
from sanbo.retrieval.vectors import document_vector, fuse, query_vector


def test_grams_are_characters_and_neighbours_within_runs() -> None:
    assert grams("Ａ1、東京") == ["a", "1", "a1", "東", "京", "東京"]


def test_english_is_searched_by_words_in_one_form() -> None:
    assert grams("Donations") == words("donating") == query_words("who may donate?") == ["donat"]
    assert query_words("I'm sick, what do I have to do?") == ["sick"]


def test_words_come_in_one_form() -> None:
    assert words("契約を行なった") == words("契約を行う")
    assert "打ち合わせ" in words("打合せの日程")


def test_a_question_is_searched_by_what_it_asks_about() -> None:
    assert query_words("秘密情報とは何ですか。") == ["秘密", "情報"]
    assert query_words("何ですか") == ["何"]


def test_long_texts_are_no_matter() -> None:
    assert len(words("契約書" * 20_000)) >= 20_000


def test_a_longer_text_weighs_a_word_less() -> None:
    short = document_vector(["a"] + ["b"] * 10, 100)
    long = document_vector(["a"] + ["b"] * 500, 100)
    at = short.indices.index(query_vector(["a"]).indices[0])
    assert short.values[at] > long.values[at]


def test_fusion_adds_what_is_normalised() -> None:
    best = fuse({"grams": {"x": 10.0, "y": 5.0}, "words": {"y": 3.0, "z": 1.0}})
    assert best == [("y", 1.5), ("x", 1.0), ("z", pytest.approx(1 / 3))]
    assert fuse({"grams": {}, "words": {}}) == []


def test_highlights_meet_other_widths_and_cases() -> None:
    text = "ＡＢＣ株式会社の契約書（契約No.12）"
    found = [text[span.start : span.end] for span in highlights(terms_of("abc 契約"), text)]
    assert found == ["ＡＢＣ", "契約", "契約"]


def test_highlights_meet_half_width_kana() -> None:
    text = "㈱見積ｶﾞｲﾄﾞ"
    found = [text[span.start : span.end] for span in highlights(terms_of("見積"), text)]
    assert found == ["見積"]
    found = [text[span.start : span.end] for span in highlights(terms_of("ガイド"), text)]
    assert found == ["ｶﾞｲﾄﾞ"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_highlights_are_spans_in_order(query: str, text: str) -> None:
    spans = highlights(terms_of(query), text)
    ends = -1
    for span in spans:
        assert ends < span.start < span.end <= len(text)
        ends = span.end
