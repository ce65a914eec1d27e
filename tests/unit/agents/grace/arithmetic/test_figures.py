"""Figures in what was found: read however they are written, and the one that is asked for."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.grace.figures import asked_figure, figure_of, figures, figures_of
from sanbo.agents.grace.schemas import AnswerSentence
from tests.examples import examples
from tests.unit.agents.grace.planning.plans import done, step


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("宿泊費は1泊12,000円を上限とする。", [1, 12_000]),
        ("従業員数は１，２３４名です。", [1_234]),
        ("売上高は1億2,000万円、利益は三百五十万円。", [120_000_000, 3_500_000]),
        ("第5条により、3月末までに2回提出する。", [2]),
        ("全国に45店舗を展開する。", [45]),
        ("1958年に完成し、高さは333メートル。", [1_958, 333]),
        ("午後3時に始まる。", []),
        ("The fee is $1,200 for 3 nights.", [1_200, 3]),
        ("消費税は2割です。", [20]),
        ("費用（万円）と人件費（千円）", []),
        ("特に定めはない。", []),
    ],
)
def test_figures_are_read_however_they_are_written(text: str, found: list[float]) -> None:
    assert figures_of(text) == found


@pytest.mark.parametrize(
    ("question", "text", "value", "unit"),
    [
        ("東京の宿泊費はいくら", "東京は1泊12,000円、3泊まで。", 12_000, "円"),
        (
            "その他の地域の宿泊費はいくら",
            "宿泊費は、都内は9,000円、その他の地域は7,500円。",
            7_500,
            "円",
        ),
        ("How much is the limit in Osaka?", "It is $90 in Tokyo and $70 in Osaka.", 70, "$"),
        ("封筒の単価はいくら", "品名：封筒、単価（円）：45、納期：3営業日", 45, "円"),
        ("封筒の最小注文数はいくつ", "品名：封筒、単価（円）：45、最小注文数：200", 200, ""),
        (
            "営業課の交通費はいくら",
            "課：営業課、会議費（万円）：30、交通費（万円）：1,250",
            12_500_000,
            "円",
        ),
        ("本社の従業員数は何人", "本社は3階建てで、120名が働く。", 120, "人"),
        ("2024年度の売上高はいくら", "2024年度の売上高は5億円。", 500_000_000, "円"),
        ("What is the hotel limit in Tokyo?", "In Tokyo, 2 nights cost $300 at most.", 300, "$"),
        ("How much is the hotel limit in Tokyo?", "In Tokyo, 2 nights cost $300.", 300, "$"),
    ],
)
def test_the_figure_that_is_asked_for_is_taken(
    question: str, text: str, value: int, unit: str
) -> None:
    found = asked_figure(question, text)
    assert found is not None
    assert (found.value, found.unit) == (value, unit)


def test_a_text_without_a_figure_gives_none() -> None:
    assert asked_figure("宿泊費はいくら", "宿泊費は実費を支給する。") is None


def test_the_very_words_that_answer_come_before_the_rest_of_the_sentence() -> None:
    text = "2023年は9,000円だったが、現在の宿泊費は12,000円である。"
    start = text.index("12,000円")
    sentence = AnswerSentence(text=text, sources=(1,), span=(start, start + len("12,000円")))
    result = done(step(3, "reasoning"), sentences=(sentence,))
    found = figure_of("宿泊費はいくら", result)
    assert found is not None
    assert found.value == 12_000


@pytest.mark.parametrize(
    ("question", "text", "named"),
    [
        ("名古屋市内の宿泊費はいくら", "大阪市内の宿泊費は12,000円とする。", False),
        ("大阪市内の宿泊費はいくら", "大阪の宿泊は12,000円まで。", True),
        ("2024年度の売上高はいくら", "2023年度の売上高は5億円。", False),
        ("東京タワーの高さはどのくらい", "東京スカイツリーの高さは634メートル。", False),
        ("プランAの料金はいくら", "プランBの料金は10円。", False),
        ("How much is the fee for plan A?", "The fee for plan B is $10.", False),
        ("How much is the fee for plan A?", "Plan A costs $10.", True),
        ("How much are the rates in Tokyo?", "In Osaka, the rates are $300.", False),
    ],
)
def test_a_figure_of_something_else_is_not_taken(question: str, text: str, named: bool) -> None:
    result = done(step(3, "reasoning"), sentences=(AnswerSentence(text=text, sources=()),))
    assert (figure_of(question, result) is not None) is named


def test_a_computed_value_is_a_figure_with_the_unit_of_its_result() -> None:
    result = done(step(5, "compute"), value=22_000.0, output="12,000円 + 10,000円 = 22,000円")
    found = figure_of("合計", result)
    assert found is not None
    assert (found.value, found.unit) == (22_000, "円")


@settings(max_examples=examples(60))
@given(st.text(max_size=200))
def test_figures_are_read_in_any_text(text: str) -> None:
    assert all(isinstance(figure.value, Fraction) for figure in figures(text))
