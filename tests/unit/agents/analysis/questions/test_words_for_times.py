"""Times and numbers in words: which stretch of a question is one, and which only looks so."""

import pytest

from sanbo.agents.analysis.mentions.figures import in_unit
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.profile import ColumnProfile
from tests.unit.agents.analysis.profiles import day, number, table, words

EXAMS = table(
    ColumnProfile(name="Name", type="text", distinct=60, is_identifier=True),
    words("Subject", "maths", "art"),
    day("Exam Date"),
    number("Score", 0, 100),
    number("GROSS_WT", 0, 40_000, "KG"),
    number("重量", 0, 5_000, "g"),
    number("Vol", 0, 900, "ml"),
    number("Width", 0, 500, "cm"),
    rows=60,
)


def _weekdays(question: str) -> list[str]:
    items = items_of(question, scene_of(EXAMS))
    names = [sense.name for item in items for sense in item.senses]
    return [name for name in names if name.startswith("weekday.")]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("exams on a Sat", ["weekday.6"]),
        ("sat/sun only", ["weekday.6", "weekday.7"]),
        ("tues and thurs", ["weekday.2", "weekday.4"]),
        ("金・土のみ", ["weekday.5", "weekday.6"]),
        ("月・水・金の件数", ["weekday.1", "weekday.3", "weekday.5"]),
        ("how many sat maths", []),
        ("average score of everyone who sat the exam", []),
        ("scores of sun care students", []),
        ("科目ごとの件数、月と日で", []),
        ("料金、土地", []),
    ],
)
def test_short_weekdays_are_days_where_nothing_else_is_meant(
    question: str, days: list[str]
) -> None:
    assert _weekdays(question) == days


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("exams in 2024 than 2025", ["2024", "2025"]),
        ("rose the most 2024 to 2025", ["2024", "2025"]),
        ("2024q4と2025Q1", ["2024q4", "2025q1"]),
        ("2024年H2の件数", ["2024年h2"]),
        ("2024上期の件数", ["2024上期"]),
        ("2024年前半より後半", ["2024年前半", "後半"]),
        ("30代後半の人", []),
        ("今月後半の件数", []),
        ("JANコードごとの件数", []),
        ("orders from nov to dec", ["nov", "dec"]),
        ("the mean apr", []),
    ],
)
def test_times_are_told_apart(question: str, told: list[str]) -> None:
    items = items_of(question, scene_of(EXAMS))
    assert [item.text for item in items if item.sense.kind == "when"] == told


@pytest.mark.parametrize(
    ("question", "column", "value"),
    [
        ("2トン以上", "GROSS_WT", 2_000),
        ("1キロを超える", "重量", 1_000),
        ("more than 2 litres", "Vol", 2_000),
        ("wider than 2 metres", "Width", 200),
    ],
)
def test_amounts_are_in_the_unit_of_the_column(question: str, column: str, value: float) -> None:
    scene = scene_of(EXAMS)
    figures = [s.figure for item in items_of(question, scene) for s in item.senses if s.figure]
    assert in_unit(figures[0], scene.columns[column]) == value


def test_what_a_column_is_called_is_no_unit_of_a_number() -> None:
    loans = table(words("館", "本館", "分館"), number("冊数", 1, 9), rows=60)
    items = items_of("上位2館で冊数の何割？", scene_of(loans))
    assert [item.text for item in items][:3] == ["上位", "2", "館"]
