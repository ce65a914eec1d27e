"""Figures that no source states are noticed, however they are spelled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.evidence.citations import unconfirmed


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("費用は1,200万円です。", "予算は１２００万円とする。"),
        ("費用は12,000,000円です。", "予算は一千二百万円とする。"),
        ("費用は12,000,000円です。", "予算は1,200万円とする。"),
        ("資本金は1.5億円です。", "資本金 150,000,000円"),
        ("売上は3億2,000万円です。", "売上高は320,000,000円であった。"),
        ("人口は3万5千人です。", "人口35,000人"),
        ("施行日は2025年4月1日です。", "施行日: 2025-04-01"),
        ("施行日は2025年4月1日です。", "令和7年4月1日から施行する。"),
        ("施行日は令和7年4月1日です。", "2025/4/1 施行"),
        ("施行日は2025年4月1日です。", "Effective 2025.4.1"),
        ("It takes effect on April 1, 2025.", "施行日は2025年4月1日。"),
        ("The fee is 1.5 million yen.", "手数料は1,500,000円です。"),
        ("It lasts 30 days.", "for a period of thirty days"),
        ("第3条に定めがあります。", "第三条　社員は…"),
        ("二十日以内に届け出ます。", "20日以内に届け出なければならない。"),
        ("元号は令和元年です。", "2019年に改元した。"),
        ("割合は12.50%です。", "１２．５％である"),
    ],
)
def test_one_figure_in_two_spellings_is_confirmed(sentence: str, source: str) -> None:
    assert unconfirmed(sentence, [source]) == []


@pytest.mark.parametrize(
    ("sentence", "source", "missing"),
    [
        ("有給休暇は20日です。", "有給休暇は10日とする。", ["20"]),
        ("費用は1,200万円です。", "費用は1,300万円とする。", ["1,200万"]),
        ("費用は1,200万円です。", "費用は1,200円とする。", ["1,200万"]),
        ("令和6年に始まりました。", "2025年に開始した。", ["令和6年"]),
        ("三十人が参加しました。", "二十人が参加した。", ["三十人"]),
        ("It began in May 2024.", "It began on April 1, 2024.", ["May"]),
        ("割合は12.5%です。", "割合は12%である。", ["12.5"]),
        ("20日と20日の2回です。", "2回である。", ["20"]),
    ],
)
def test_a_figure_that_no_source_states_is_told(
    sentence: str, source: str, missing: list[str]
) -> None:
    assert unconfirmed(sentence, [source]) == missing


@pytest.mark.parametrize(
    "sentence",
    [
        "一部の社員は十分に理解しています。",
        "統一された方針です。",
        "万一の場合に備えます。",
        "一つの案です。",
    ],
)
def test_a_numeral_within_a_word_is_no_figure(sentence: str) -> None:
    assert unconfirmed(sentence, ["方針を示す。"]) == []


def test_a_figure_may_stand_in_any_of_the_sources() -> None:
    assert unconfirmed("10日と5日です。", ["10日とする。", "5日とする。"]) == []


@given(st.text("0123456789,.年月日万億千百十一二〇令和元 %-/ﾞ９May", max_size=60))
def test_a_text_confirms_its_own_figures(text: str) -> None:
    assert unconfirmed(text, [text]) == []
