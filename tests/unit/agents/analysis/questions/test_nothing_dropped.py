"""A word that counts as read is in the operations, or the person is asked."""

import pytest

from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.reader.readings import read_question, readings_of
from sanbo.agents.analysis.spec.chips import reading_text
from tests.unit.agents.analysis.profiles import day, number, table, words
from tests.unit.agents.analysis.questions.reads import reads

SALES = table(
    day("日付", "2025-01-01", "2025-12-31"),
    words("店舗", "新宿店", "大阪店", "オンライン"),
    words("カテゴリ", "家電", "食品", "日用品"),
    number("売上", 1_000, 9_000_000, "円"),
    number("個数", 1, 400),
    ColumnProfile(name="会員", type="boolean", values=("TRUE", "FALSE"), distinct=2),
)
ORDERS = table(
    ColumnProfile(name="Order ID", type="text", distinct=600, is_identifier=True),
    day("Order Date", "2016-01-01", "2017-12-31"),
    words("Customer Name", "Ann Lee", "Bob Ray", distinct=300),
    words("Region", "East", "West", "South"),
    words("Status", "Shipped", "Late"),
    number("Sales", 1, 9_000),
    number("Profit", -900, 900),
    number("Guests", 1, 400),
    ColumnProfile(
        name="Closed",
        type="date",
        minimum="2016-01-01",
        maximum="2017-12-31",
        distinct=300,
        missing=40,
    ),
)
QUARTER = words("Quarter", "Q1", "Q2", "Q3", "Q4")
_PER_STORE = "average sales per store in Q3"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("月別売上の3か月移動平均", "直近3行"),
        ("食品の売上が100万円を超えた月はいくつ？", "売上の合計が1,000,000より大きい"),
        ("店舗ごとに売上が最も大きいカテゴリは？", "店舗ごとに1件"),
        ("売上が50万円を超えた割合を店舗別に", "店舗の中での割合"),
        ("1店舗あたりの売上を月別に", "店舗の種類数"),
        ("1個あたりの売上を店舗別に", "個数の合計"),
        ("売上が前月を下回った月", "売上の合計の増減が0未満"),
        ("会員ありの売上合計", "会員がはい"),
        ("上期の売上合計", "2025年上半期"),
        ("新宿店と大阪店の売上を比べたい", "売上の合計"),
        ("大阪店は除いて、上期の売上が最大の店舗", "大阪店を除く"),
        ("1月の売上と8月の売上の差", "売上の合計の増減"),
        ("2025年中の売上合計", "2025年（日付）"),
        ("店舗別の構成比を家電の売上について", "カテゴリが家電"),
        ("売上がピークだったのは何月？", "日付の月ごと・多い順"),
        ("新宿店の他の店舗の売上合計", "売上の合計・新宿店を除く（店舗）"),
        ("家電のカテゴリについて売上を合計して", "売上の合計・カテゴリが家電"),
    ],
)
def test_what_japanese_words_say_is_computed(asked: str, said: str) -> None:
    assert said in reads(asked, SALES)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Compare sales in Q4 2016 with Q4 2017 by region", "the same quarter a year before"),
        ("sales in the first half of 2016", "first half of 2016"),
        ("sales per order by region", "distinct values of Order ID"),
        ("Ten largest sales with customer name", "rows as they are"),
        ("average sales and profit by region", "average of Profit"),
        ("average sales where there were over 100 guests", "Guests above 100"),
        ("How many orders are not closed yet?", "Closed is blank"),
        ("What share of orders in the West were late?", "Region is West"),
        ("ratio of profit to sales by region", "total of Profit ÷ total of Sales"),
        ("what share of sales turned into profit by region", "total of Profit ÷ total of Sales"),
        ("How many orders had less profit than sales?", "Profit−Sales below 0"),
        ("orders for three guests or more that weren't late", "Guests at least 3"),
        ("number of orders that didn't come from the West", "excluding West"),
        ("sales weighted by guests in each region", "total of Guests, by Region"),
        ("Which region had fewer orders in March 2017 than in January 2017?", "below 0"),
        ("How long does it take from order to closed on average?", "time between(start: Order"),
        ("How many orders were closed after the order date?", "Closed−Order Date above 0"),
        ("number of orders per month", "by month of Order Date"),
    ],
)
def test_what_english_words_say_is_computed(asked: str, said: str) -> None:
    assert said in reads(asked, ORDERS)


@pytest.mark.parametrize(
    "asked",
    [
        "売上が目標の30%を超えた月",
        "店舗別の月次の荷姿",
        "家電と食品の両方を売った店舗",
        "1日あたりの売上",
        "会員ありの店舗の売上",
        "売上の合計が前の月の2倍以上になった月",
        "売上が30件を超えた月",
        "the three best and the three worst regions by sales",
        "number of orders that didn't ship to the West",
        "How many customers placed multiple orders?",
        "Which regions had no sales in 2017?",
        "Which customers have never ordered in the West?",
        "Which customers ordered in both the East and the West?",
        "Total sales of the top 10 customers",
        "sales in the first week of December 2017",
        "profit in the last month of 2016",
        "Total profit of the regions that lost money",
        "How many orders had guests more than once?",
        "Which book had the highest sales?",
    ],
)
def test_what_no_operation_expresses_is_asked_about(asked: str) -> None:
    assert read_question(asked, SALES if not asked.isascii() else ORDERS).sure is None


@pytest.mark.parametrize(
    "asked",
    [
        "店舗ごとに、売上が前月から何%伸びたか",
        "月ごとに、売上が前月からいくら減ったか",
        "How much did sales in each region fall from 2016 to 2017?",
        "By what percent did profit grow in each region from 2016 to 2017?",
    ],
)
def test_how_much_each_has_changed_is_told_of_all(asked: str) -> None:
    sure = read_question(asked, SALES if not asked.isascii() else ORDERS).sure
    said = "" if sure is None else reading_text(sure.specs, "en")
    assert "only" not in said
    assert "below 0" not in said
    assert "above 0" not in said


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        ((words("Store", "Rye", distinct=250), QUARTER, number("Sales", 1, 90)), _PER_STORE),
    ],
)
def test_what_may_be_of_another_is_asked_about(
    columns: tuple[ColumnProfile, ...], asked: str
) -> None:
    assert read_question(asked, table(*columns)).sure is None


_OPPOSITE = {
    "金額の合計・承認済を除く（状態）": "金額の合計・状態が承認済",
    "金額の合計・状態が承認済": "金額の合計・承認済を除く（状態）",
}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("未承認の金額の合計は", "金額の合計・承認済を除く（状態）"),
    ],
)
def test_what_is_not_yet_so_is_never_offered_as_its_opposite(asked: str, said: str) -> None:
    states = words("状態", "承認済", "差戻し", "申請中")
    read = read_question(asked, table(states, number("金額", 480, 132_000, "円")))
    texts = [reading_text(one.specs, "ja") for one in read.all]
    assert _OPPOSITE[said] not in texts
    assert said in texts


def test_two_halves_are_both_of_calendar_years_or_both_of_business_years() -> None:
    read = read_question("上期と下期の売上を比べて", SALES)
    said = [reading_text(one.specs, "ja") for one in read.all]
    assert not any("年度" in one and ("-H" in one or "半期" in one) for one in said)


def test_a_word_that_was_not_understood_is_not_forgotten_by_the_next_question() -> None:
    assert readings_of(["店舗別の荷姿の売上", "大阪店だけ"], SALES).sure is None
