"""Values that a question may mean without saying them."""

import pytest

from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.reader.choices import choices_of, is_choice, is_like, may_say
from sanbo.agents.analysis.reader.features import TEXT, features_of
from tests.unit.agents.analysis.profiles import day, number, table, words

SCHOOL = scene_of(
    table(
        words("コース", "初等科", "師範科", "茨城"),
        words("免状", "取得", "未取得"),
        words("入金", "済", "未"),
        words("教室", *(f"第{at}教室" for at in range(12))),
        number("月謝", 3000, 9000, "円"),
        day("入会日"),
    )
)
TOWNS = scene_of(table(words("Town", "Todmorden", "Hebden Bridge"), words("Use", "hockey", "none")))


def _choices(question: str) -> list[str]:
    return [item.text for item in choices_of(items_of(question, SCHOOL), SCHOOL)]


def test_values_of_columns_with_few_of_them_may_be_meant() -> None:
    """Not those of many, and none of a column that says yes or no by itself."""
    assert _choices("免状まだの人") == ["初等科", "師範科", "茨城", "取得", "未取得"]


def test_what_is_said_is_no_choice() -> None:
    assert _choices("師範科で免状まだの人") == ["初等科", "茨城", "取得", "未取得"]


def test_they_stand_behind_the_places_of_the_question() -> None:
    features = features_of("免状まだの人", SCHOOL)
    assert not any(map(is_choice, features.items[: features.said]))
    assert all(map(is_choice, features.items[features.said :]))
    assert [place[TEXT] for place in features.places[features.said :]][-1] == "=未 取得"
    assert len(features.places) == len(features.meanings) == len(features.ties)


@pytest.mark.parametrize(
    ("question", "like"),
    [
        ("いばらきの月謝", ["茨城"]),
        ("月謝の合計", []),
        ("how many in Tod", ["todmorden"]),
        ("hocky ones by month", ["hockey"]),
        ("how many of them", []),
    ],
)
def test_another_spelling_of_a_value_is_told(question: str, like: list[str]) -> None:
    scene = TOWNS if question.isascii() else SCHOOL
    found = choices_of(items_of(question, scene), scene)
    assert [item.text for item in found if is_like(item)] == like


def test_a_word_may_say_a_part_of_a_value() -> None:
    assert may_say("tod", "todmorden")
    assert may_say("いばら", "茨城")
    assert not may_say("the", "hockey")
    assert not may_say("まだ", "未取得")
