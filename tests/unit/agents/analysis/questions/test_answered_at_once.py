"""Where there is nothing to choose, nobody is asked; where a file disputes itself, somebody is."""

import pytest

from sanbo.agents.analysis.profile import ColumnProfile, Preparation
from sanbo.agents.analysis.reader.readings import read_question
from tests.unit.agents.analysis.profiles import day, number, table, words
from tests.unit.agents.analysis.questions.reads import is_asked, reads

TRIPS = table(
    ColumnProfile(name="契約番号", type="text", distinct=1000, is_identifier=True),
    day("締結日", "2025-01-01", "2025-12-31"),
    words("地域", "関東", "関西"),
    words("備考", "雨天", "特売").model_copy(update={"missing": 20}),
    number("契約金額", 100, 9_000_000, "円"),
    number("単価", 100, 9_000, "円"),
    number("原価", 80, 6_000, "円"),
    number("停止時間", 0, 90, "分"),
)
FILMS = table(
    ColumnProfile(name="Title", type="text", distinct=1000),
    day("Released", "2016-01-01", "2017-12-31"),
    words("Major Genre", "Drama", "Comedy"),
    words("Region", "East", "West"),
    number("Running Time", 60, 200),
    number("Worldwide Gross", 1, 900_000, "$"),
    number("Impressions", 10, 90_000),
    number("Clicks", 1, 900),
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("契約の件数を地域別に", "件数・地域ごと"),
        ("地域（地域）ごとの契約金額の合計", "契約金額の合計・地域ごと"),
        ("停止時間が30分以上止まった契約は何件", "停止時間が30以上"),
        ("契約金額の合計は何千円ですか", "契約金額の合計"),
        ("契約金額は月ごとにどう変わったか、折れ線で", "折れ線グラフ・契約金額の合計"),
        ("単価が500円以上1000円未満の契約は何件", "単価が500以上・単価が1000未満"),
    ],
)
def test_japanese_question_is_answeredreads(asked: str, said: str) -> None:
    assert said in reads(asked, TRIPS)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Impressions by region", "total of Impressions, by Region"),
        ("Total gross by month and region", "by Region"),
        ("Scatter plot of clicks vs impressions for each title", "scatter plot"),
        ("Break down total clicks by region", "total of Clicks, by Region"),
        ("Total gross by region, in thousands of dollars", "total of Worldwide Gross, by Region"),
        ("Histogram of running time with a bin width of 20", "bin width: 20"),
        ("Histogram of running time with 8 bins", "bins: 8"),
    ],
)
def test_english_question_is_answeredreads(asked: str, said: str) -> None:
    assert said in reads(asked, FILMS)


@pytest.mark.parametrize(
    "asked",
    ["Total gross of late films", "How many good films by region", "Total gross by director"],
)
def test_what_would_be_dropped_is_still_asked_about(asked: str) -> None:
    assert is_asked(asked, FILMS)


def test_total_that_the_file_disputes_is_asked_about() -> None:
    said = Preparation(kind="totals", text="「契約金額」の合計が合いません", is_done=False)
    disputed = TRIPS.model_copy(update={"preparations": (said,)})
    assert read_question("契約金額の合計", disputed).sure is None
    assert read_question("地域別の契約金額の合計", disputed).sure is not None


def test_bare_total_is_asked_about_where_a_second_table_stands_beside() -> None:
    said = Preparation(kind="tables", text="表が2つあります")
    beside = {"preparations": (said,), "sheet": "9月", "sheets": ("9月", "9月#2")}
    assert read_question("契約金額の合計", TRIPS.model_copy(update=beside)).sure is None
