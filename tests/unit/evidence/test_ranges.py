"""A figure falls into one of several steps; a sentence about another step does not answer."""

import pytest

from sanbo.evidence.rules.choices import falls_into

STEPS = (
    "5万円未満の物品は主任が決裁する。",
    "5万円以上30万円未満の物品は課長が決裁する。",
    "30万円以上の物品は部長が決裁する。",
)


@pytest.mark.parametrize(
    ("question", "step"),
    [
        ("4万円の物品は誰が決裁しますか", 0),
        ("5万円の物品は誰が決裁しますか", 1),
        ("30万円以上の物品は誰が決裁しますか", 2),
        ("30万円未満の物品は誰が決裁しますか", 1),
        ("１００万円の物品は誰が決裁しますか", 2),
    ],
)
def test_only_the_step_that_holds_the_figure_speaks_of_it(question: str, step: int) -> None:
    assert [falls_into(question, each) for each in STEPS] == [nth == step for nth in range(3)]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("物品は誰が決裁しますか", STEPS[0]),
        ("4万円の物品は誰が決裁しますか", "決裁は電子で行う。"),
        ("4万円の物品は誰が決裁しますか", "10日以上前に申し込む。"),
        ("2026年の規程では誰が決裁しますか", STEPS[1]),
    ],
)
def test_nothing_is_said_where_no_range_of_that_kind_is_told(question: str, sentence: str) -> None:
    assert falls_into(question, sentence) is None


def test_a_range_in_english_is_read_too() -> None:
    sentence = "Orders over 500 yen and up to 900 yen need a form."
    assert falls_into("Who signs an order of 600 yen?", sentence) is True
    assert falls_into("Who signs an order of 500 yen?", sentence) is False
