"""What says the opposite is read as something else, or asked about: most and least, two sides."""

from collections.abc import Iterator

import pytest

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.reader.readings import read_question
from sanbo.agents.analysis.spec.operations import ComparePeriods
from tests.unit.agents.analysis.profiles import SHOP, day, each, number, table, words

ORDERS = table(
    each("Order No"), day("Order Date", "2023-01-01", "2025-12-31"),
    day("Ship Date", "2023-01-01", "2025-12-31"), words("Region", "East", "West"),
    words("Product", "Desk", "Lamp"), number("Sales", 1, 90_000, "$"),
    number("Cost", 1, 90_000, "$"), number("Budget", 1, 90_000, "$"), number("Quantity", 1, 40),
    words("Status", "Open", "Closed"),
)  # fmt: skip
SLIPS = table(
    each("伝票番号"), day("受注日", "2023-01-01", "2025-12-31"),
    day("出荷日", "2023-01-01", "2025-12-31"), words("店舗", "新宿店", "大阪店"),
    words("商品", "机", "椅子"), number("売上", 1, 90_000, "円"), number("原価", 1, 90_000, "円"),
    number("予算", 1, 90_000, "円"), number("数量", 1, 40), words("状態", "完了", "未完了"),
)  # fmt: skip
_MOST = ("highest/lowest", "most/least", "largest/smallest", "best/worst", "maximum/minimum")
_MORE = ("more than/less than", "over/under", "at least/at most", "not over/not under")
_HIGH = ("高い/低い", "多い/少ない", "大きい/小さい")
_LIMITS = ("以上の/以下の", "を超える/未満の", "を上回る/を下回る", "に満たない/を超える")
ENGLISH = {
    "Which region has the {} sales?": _MOST,
    "orders with the {} cost": _MOST,
    "sales by region, {} first": ("highest/lowest", "best/worst"),
    "How many orders have sales {} 5000?": _MORE,
    "regions with total sales {} 50000": _MORE,
    "sales {} June 2024": ("before/after", "until/since", "up to/from"),
    "orders where sales are {} than cost": ("higher/lower", "more/less"),
    "Which regions' sales {} from 2023 to 2024?": ("grew/fell", "increased/decreased"),
    "the {} 5 orders": ("newest/oldest", "cheapest/most expensive"),
    "sales {} the East region": ("in/outside", "for/excluding", "in all regions but/in"),
    "orders shipped {} the order date": ("before/after",),
    "orders that are {}": ("open/closed", "not open/open"),
}
JAPANESE = {
    "売上が最も{}店舗は？": _HIGH,
    "店舗別の売上を{}順で": _HIGH,
    "売上{}3店舗": ("上位/下位", "ベスト/ワースト"),
    "売上が5000円{}伝票の件数": _LIMITS,
    "売上の合計が5000円{}店舗は？": _LIMITS,
    "2024年6月{}の売上": ("以前/以降", "より前/より後", "まで/から"),
    "2023年より2024年の売上が{}店舗": ("増えた/減った", "伸びた/落ちた", "多い/少ない"),
    "受注日が{}順に5件": ("新しい/古い", "早い/遅い"),
    "大阪店{}売上": ("の/以外の", "だけの/を除いた"),
    "売上が平均より{}店舗": ("高い/低い", "多い/少ない"),
    "受注から出荷まで5日{}の件数": ("以上/以内", "以上/未満"),
    "出荷日が受注日より{}伝票は何件": ("前の/後の",),
}
SIDES = {
    "orders where {} is higher than {}": ("sales/cost", "cost/budget"),
    "How many orders have {} below {}?": ("sales/budget",),
    "{} minus {} by region": ("sales/cost",),
    "ratio of {} to {} by region": ("sales/cost",),
    "subtract {} from {} by region": ("cost/sales",),
    "Which regions had higher sales in {} than in {}?": ("2024/2023", "June 2024/July 2024"),
    "Which regions sold less in {} than in {}?": ("2024/2023",),
    "which regions sold more in {} compared to {}": ("2024/2023",),
    "Which regions' sales fell from {} to {}?": ("2023/2024",),
    "{}が{}を上回る伝票": ("売上/原価", "売上/予算"),
    "{}が{}より少ない店舗は？": ("売上/原価",),
    "{}より{}が大きい伝票": ("売上/原価",),
    "{}が{}の2倍以上の伝票": ("売上/原価",),
    "{}から{}を引いた金額を店舗別に": ("売上/原価",),
    "{}を{}で割った値を店舗別に": ("売上/原価",),
    "{}に占める{}の割合": ("予算/原価",),
    "{}の売上が{}より多い店舗は？": ("2023年/2024年", "2024年6月/2024年7月"),
    "{}より{}のほうが売上が高い店舗は？": ("2023年/2024年",),
    "{}の売上が{}を下回った商品": ("2023年/2024年",),
    "{}と比べて{}の売上が減った店舗は？": ("2023年/2024年",),
}


def _pairs() -> Iterator[tuple[str, str]]:
    for asked, opposites in (ENGLISH | JAPANESE).items():
        for first, second in (one.split("/") for one in opposites):
            yield asked.format(first), asked.format(second)
    for asked, sides in SIDES.items():
        for first, second in (one.split("/") for one in sides):
            yield asked.format(first, second), asked.format(second, first)


def _table(asked: str) -> DatasetProfile:
    return ORDERS if asked.isascii() else SLIPS


def test_opposites_are_never_read_alike() -> None:
    alike: list[tuple[str, str]] = []
    sure = 0
    for asked, opposite in _pairs():
        first = read_question(asked, _table(asked)).sure
        second = read_question(opposite, _table(asked)).sure
        if first is not None and second is not None:
            sure += 1
            alike += [(asked, opposite)] if first.specs == second.specs else []
    assert not alike
    assert sure > 30, "many of them are read"


@pytest.mark.parametrize(
    ("asked", "only"),
    [
        ("Which regions had higher sales in 2024 than in 2023?", "increased"),
        ("Which regions had higher sales in 2023 than in 2024?", "decreased"),
        ("Which regions sold less in 2023 than in 2024?", "increased"),
        ("which regions sold more in 2023 compared to 2024", "decreased"),
        ("2024年の売上が2023年に届かない店舗", "decreased"),
        ("2023年の売上が2024年を超える店舗", "decreased"),
        ("2024年の売上が2023年より多い店舗は？", "increased"),
        ("2023年の売上が2024年より多い店舗は？", "decreased"),
        ("2023年の売上が2024年を下回った店舗", "increased"),
        ("2024年と比べて2023年の売上が減った店舗は？", "increased"),
        ("6月より7月のほうが売上が少ない店舗は？", "decreased"),
        ("2025年7月より2025年6月のほうが売上が少ない店舗は？", "increased"),
    ],
)
def test_the_later_of_two_periods_is_told_by_the_earlier(asked: str, only: str) -> None:
    readings = read_question(asked, _table(asked))
    assert not readings.all[0].unread
    compared = [one for one in readings.all[0].specs if isinstance(one, ComparePeriods)]
    assert [one.only for one in compared] == [only]


@pytest.mark.parametrize(
    "asked",
    [
        "売上金額の大きい順に5件、地域と店舗名と金額で",
        "店舗名と地域の組み合わせで売上金額の上位5つ",
    ],
)
def test_the_first_of_all_are_not_the_first_of_each(asked: str) -> None:
    sure = read_question(asked, SHOP).sure
    assert sure is None or all(getattr(spec, "per", None) is None for spec in sure.specs)
