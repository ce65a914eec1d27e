"""From what somebody wrote down to be asked for, over a network's tokens, to operations."""

import pytest
from benchmarks.analysis.gold_tokens import gold_tokens
from benchmarks.analysis.made_up import profile_of
from benchmarks.analysis.notation import Table, wanted_of

from sanbo.agents.analysis.building.specs import specs_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.reader.features import features_of
from sanbo.agents.analysis.reader.frames import frame_of
from sanbo.agents.analysis.reader.grammar import Grammar
from sanbo.agents.analysis.reader.readings import unsaid
from sanbo.agents.analysis.spec.chips import reading_text

ORDERS = Table(
    "orders.csv",
    {
        "Order": "id",
        "Customer": ("Abbott", "Baker", "Cole"),
        "Ordered": "date",
        "Paid": "date",
        "Qty": "number",
        "Price": "money",
        "Fee": "money",
        "VAT (%)": "number",
        "Rush": "bool",
        "Called": "time",
        "Closed": "time",
        "Age": "number",
    },
    (),
)


def _read(question: str, wanted: str) -> list[str]:
    scene = scene_of(profile_of(ORDERS))
    items = features_of(question, scene).items
    tokens = gold_tokens(wanted_of(wanted, ORDERS), items, scene, ORDERS)
    grammar = Grammar(items, scene)
    for at, token in enumerate(tokens):
        may = grammar.after(tokens[:at])
        assert may is not None
        assert may.admits(token), f"{token} behind {tokens[:at]}"
    frame = frame_of(tokens, items, scene)
    specs = specs_of(frame, scene, 1)
    assert not unsaid(frame, specs)
    return reading_text(specs, "ja").split(" → ")


@pytest.mark.parametrize(
    ("question", "wanted", "steps"),
    [
        (
            "what did it all come to",
            "sum (Qty * Price)",
            ["列の追加・Qty×Price = Qty × Price", "Qty×Priceの合計"],
        ),
        (
            "after 10 % off",
            "sum ((Qty * Price) less 10%)",
            [
                "列の追加・(Qty×Price)×(1−10 %) = (Qty × Price) × (1 − 0.1)",
                "(Qty×Price)×(1−10 %)の合計",
            ],
        ),
        (
            "VAT on the price",
            "sum (Price * VAT (%))",
            ["列の追加・Price×VAT (%) = Price × (VAT (%) ÷ 100)", "Price×VAT (%)の合計"],
        ),
        (
            "including VAT",
            "sum (Price more VAT (%))",
            [
                "列の追加・Price×(1+VAT (%)) = Price × (1 + (VAT (%) ÷ 100))",
                "Price×(1+VAT (%))の合計",
            ],
        ),
        (
            "orders worth more than 500",
            "rows | where (Qty * Price) > 500",
            ["列の追加・Qty×Price = Qty × Price", "行の一覧・Qty×Priceが500より大きい・100件"],
        ),
        (
            "fee over twice the price",
            "count | where Fee > (Price * 2)",
            ["列の追加・Fee−(Price×2) = Fee − (Price × 2)", "件数・Fee−(Price×2)が0より大きい"],
        ),
        (
            "five best net of fees",
            "rows | top 5 ((Qty * Price) - Fee)",
            [
                "列の追加・(Qty×Price)−Fee = (Qty × Price) − Fee",
                "行の一覧・(Qty×Price)−Feeの大きい順・5件",
            ],
        ),
        (
            "over 100 net, who",
            "sum (Price - Fee) | by Customer | having sum (Price - Fee) > 100",
            [
                "列の追加・Price−Fee = Price − Fee",
                "Price−Feeの合計・Customerごと",
                "行の一覧・Price−Feeの合計が100より大きい・Price−Feeの合計の大きい順・すべて",
            ],
        ),
        (
            "fees as part of price",
            "sum Fee / sum (Qty * Price) | by Customer",
            [
                "列の追加・Qty×Price = Qty × Price",
                "Feeの合計・Qty×Priceの合計・Customerごと",
                "列の追加・Fee÷(Qty×Price) = Feeの合計 ÷ Qty×Priceの合計",
            ],
        ),
        (
            "orders a customer",
            "count / distinct Customer",
            [
                "Customerの種類数・Customerの件数",
                "列の追加・count÷Customer = Customerの件数 ÷ Customerの種類数",
            ],
        ),
        (
            "part of the value",
            "share (Qty * Price) | by Customer",
            ["列の追加・Qty×Price = Qty × Price", "構成比とABC区分・Qty×Priceの合計・Customerごと"],
        ),
        (
            "in bands of 50",
            "count | by step(Qty, 50)",
            [
                "列の追加・Qty（50） = 区間(Qty, 境界: 0.0; 50.0; 100.0, 名前: 0–49; 50–99)",
                "件数・Qty（50）ごと",
                "棒グラフ・件数・Qty（50）ごと",
            ],
        ),
        (
            "dearest of each",
            "rows | top 1 Price each Customer",
            ["行の一覧・Priceの大きい順・Customerごとに1件"],
        ),
        (
            "running total by month",
            "sum Fee | by month(Ordered) | running",
            ["Feeの合計・Orderedの月ごと", "累計・Feeの合計の累計・Orderedの順に"],
        ),
        (
            "3 month average",
            "sum Fee | by month(Ordered) | rolling 3",
            ["Feeの合計・Orderedの月ごと", "移動集計・Feeの合計の平均（直近3行）・Orderedの順に"],
        ),
        (
            "does fee go with price",
            "correlation Price, Fee",
            ["相関・指定した列だけ・Price・Fee・散布図"],
        ),
        ("odd fees", "outliers Fee", ["外れ値・Fee"]),
        ("entered twice", "duplicates Order", ["重複の確認・Order"]),
        (
            "unpaid rate",
            "rate Paid blank",
            [
                "列の追加・Paidが空欄 = 空欄か(Paid)",
                "構成比とABC区分・件数・Paidが空欄ごと",
                "行の一覧・Paidが空欄がはい・すべて",
            ],
        ),
        (
            "unpaid rate each month",
            "rate Paid blank | by month(Ordered)",
            [
                "列の追加・Paidが空欄 = 空欄か(Paid)",
                "列の追加・Ordered（月） = 日付の部分(Ordered, 単位: 月)",
                "構成比とABC区分・0件も表示・件数・Paidが空欄ごと・Ordered（月）の中での割合",
                "行の一覧・Paidが空欄がはい・すべて",
            ],
        ),
        (
            "all but Cole",
            "rate Customer != Cole",
            [
                "列の追加・Coleを除く（Customer） = (Customer ≠ “Cole”)",
                "構成比とABC区分・件数・Coleを除く（Customer）ごと",
                "行の一覧・Coleを除く（Customer）がはい・すべて",
            ],
        ),
        (
            "weekend part",
            "rate Ordered weekday Sat, Sun",
            [
                "列の追加・Ordered（曜日） = 日付の部分(Ordered, 単位: 曜日)",
                "列の追加・Ordered（曜日）が6、7のいずれか = 場合分け("
                "(Ordered（曜日） = 7), 成り立つとき: はい, それ以外: (Ordered（曜日） = 6))",
                "構成比とABC区分・件数・Ordered（曜日）が6、7のいずれかごと",
                "行の一覧・Ordered（曜日）が6、7のいずれかがはい・すべて",
            ],
        ),
        (
            "rush rate of those with 5",
            "rate Rush yes | by Customer | having count >= 5",
            [
                "列の追加・Rushがはい = (Rush = はい)",
                "Rushがはいの平均・Customerの件数・Customerごと",
                "行の一覧・Customerの件数が5以上・Rushがはいの平均の大きい順・すべて",
            ],
        ),
        (
            "unpaid, how many of each",
            "missing Paid | by Customer",
            ["件数・Customerごと・Paidが空欄・棒グラフ"],
        ),
        ("those in their 30s", "count | where Age decade 30", ["件数・Ageが30以上・Ageが40未満"]),
        (
            "fees of 1,200円台",
            "count | where Fee decade 1200",
            ["件数・Feeが1200以上・Feeが1300未満"],
        ),
        (
            "each Nov to Feb",
            "count | where month(Ordered) in 11..2",
            [
                "列の追加・Ordered（暦月） = 日付の部分(Ordered, 単位: 暦月)",
                "件数・Ordered（暦月）が11、12、1、2のいずれか",
            ],
        ),
        (
            "Q2 v Q4 2024",
            "count | by quarter(Ordered) | where Ordered in 2024-Q2 or Ordered in 2024-Q4",
            [
                "件数・Orderedの四半期ごと・2024年第2四半期（Ordered） または "
                "2024年第4四半期（Ordered）・折れ線グラフ"
            ],
        ),
        (
            "March to April 2024 or March to April 2025",
            "count | where Ordered in 2024-03..2024-04 or Ordered in 2025-03..2025-04",
            [
                "件数・2024年3月（Ordered） または 2024年4月（Ordered） または "
                "2025年3月（Ordered） または 2025年4月（Ordered）"
            ],
        ),
        (
            "Nov 2024 to Feb",
            "count | where Ordered in 2024-11..2025-02",
            ["件数・Orderedが2024年11月以降・Orderedが2025年2月まで"],
        ),
        (
            "Nov to Feb 2025",
            "count | where Ordered in 2024-11..2025-02",
            ["件数・Orderedが2024年11月以降・Orderedが2025年2月まで"],
        ),
        (
            "over 24 hours",
            "count | where hours(Called, Closed) > 24",
            [
                "列の追加・Called–Closed = 間の長さ(始め: Called, 終わり: Closed, 単位: hours)",
                "件数・Called–Closedが24より大きい",
            ],
        ),
        (
            "list with what is left",
            "rows Order, (Price - Fee)",
            ["列の追加・Price−Fee = Price − Fee", "行の一覧・100件"],
        ),
        (
            "how many a day on average",
            "count | per day(Ordered)",
            ["件数・Orderedの日ごと", "件数の平均"],
        ),
        (
            "monthly average of the fees, by customer",
            "sum Fee | by Customer | per month(Ordered)",
            ["Feeの合計・Orderedの月ごと・Customerごと", "Feeの合計の平均・Customerごと"],
        ),
        (
            "orders per customer on average",
            "count | per Customer",
            ["件数・Customerごと", "件数の平均"],
        ),
        (
            "how many customers ordered 3 times or more",
            "distinct Customer | having count >= 3",
            ["Customerの種類数・Customerの件数・Customerごと", "件数・Customerの件数が3以上"],
        ),
        (
            "which customers paid less in fees in april than in march 2025",
            "sum Fee | by Customer | change Ordered 2025-03 to 2025-04 | down",
            [
                "期間の比較・Feeの合計・Customerごと・減ったものだけ・2025年4月（Ordered）・前の月と比べる"
            ],
        ),
        (
            "fees 2023 v 2025",
            "sum Fee | change Ordered 2023 to 2025",
            [
                "列の追加・Orderedを2023年、2025年に分ける",
                "Feeの合計・Ordered（2023, 2025）ごと"
                "・Ordered（2023, 2025）が2023年、2025年のいずれか",
                "前の行との増減・Feeの合計の増減（1つ前と比べて）・Ordered（2023, 2025）の順に",
                "行の一覧・2025年（Ordered（2023, 2025））・すべて",
            ],
        ),
        (
            "who has ordered more than the month before",
            "count | by Customer | change Ordered month previous | up",
            ["期間の比較・件数・Customerごと・増えたものだけ・最新の月（Ordered）・前の月と比べる"],
        ),
        (
            "months in which fees fell",
            "sum Fee | by month(Ordered) | change previous | down",
            [
                "Feeの合計・Orderedの月ごと",
                "前の行との増減・Feeの合計の増減（1つ前と比べて）・Orderedの順に",
                "行の一覧・Feeの合計の増減が0未満・すべて",
            ],
        ),
        (
            "fees of the 2 biggest customers together",
            "sum Fee | by Customer | top 2 | total",
            ["Feeの合計・Customerごと・多い順・上位2件", "Feeの合計の合計"],
        ),
        (
            "what part of the fees do the 2 biggest customers pay",
            "share Fee | by Customer | top 2 | total",
            [
                "構成比とABC区分・Feeの合計・Customerごと",
                "行の一覧・構成比の大きい順・2件",
                "構成比の合計",
            ],
        ),
        (
            "orders on a saturday or by cole",
            "count | where Ordered weekday Saturday or Customer = Cole",
            [
                "列の追加・Ordered（曜日） = 日付の部分(Ordered, 単位: 曜日)",
                "件数・Ordered（曜日）が6 または CustomerがCole",
            ],
        ),
        (
            "by cole, or with a fee above the price",
            "count | where Customer = Cole or Fee > Price",
            [
                "列の追加・Fee−Price = Fee − Price",
                "件数・CustomerがCole または Fee−Priceが0より大きい",
            ],
        ),
        (
            "paid more than 30 days after ordering or still open",
            "count | where days(Ordered, Paid) > 30 or Paid blank",
            [
                "列の追加・Ordered−Paid = 間の長さ(始め: Paid, 終わり: Ordered)",
                "件数・Ordered−Paidが30.0より大きい または Paidが空欄",
            ],
        ),
        (
            "late share",
            "rate Paid > Ordered",
            [
                "列の追加・Paid−Ordered = 間の長さ(始め: Ordered, 終わり: Paid)・Paidが空欄でない",
                "列の追加・Paid−Orderedが0より大きい = (Paid−Ordered > 0)",
                "構成比とABC区分・件数・Paid−Orderedが0より大きいごと",
                "行の一覧・Paid−Orderedが0より大きいがはい・すべて",
            ],
        ),
        (
            "late or not paid, share",
            "rate Paid > Ordered or Paid blank",
            [
                "列の追加・Paid−Ordered = 間の長さ(始め: Ordered, 終わり: Paid)",
                "列の追加・Paid−Orderedが0より大きい または Paidが空欄 = "
                "場合分け(空欄か(Paid), 成り立つとき: はい, それ以外: (Pai"
                "d−Ordered > 0))",
                "構成比とABC区分・件数・Paid−Orderedが0より大きい または Paidが空欄ごと",
                "行の一覧・Paid−Orderedが0より大きい または Paidが空欄がはい・すべて",
            ],
        ),
        (
            "of those with a fee above the price, what part is cole's",
            "rate Customer = Cole | where Fee > Price",
            [
                "列の追加・Fee−Price = Fee − Price",
                "構成比とABC区分・件数・Customerごと・Fee−Priceが0より大きい",
                "行の一覧・CustomerがCole・すべて",
            ],
        ),
        (
            "fee over price but under qty",
            "count | where Fee > Price ; Fee <= Qty",
            [
                "列の追加・Fee−Price = Fee − Price",
                "列の追加・Fee−Qty = Fee − Qty・Fee−Priceが0より大きい",
                "件数・Fee−Qtyが0以下",
            ],
        ),
        (
            "those aged 54-something",
            "count | where Age decade 54",
            ["件数・Ageが54以上・Ageが55未満"],
        ),
        (
            "share in their 50s",
            "rate Age decade 50",
            [
                "列の追加・Ageが50以上・Ageが60未満 = "
                "場合分け((Age ≥ 50), 成り立つとき: (Age < 60), そ"
                "れ以外: いいえ)",
                "列の追加・Ageが50以上・Ageが60未満がはい = (Ageが50以上・Ageが60未満 = はい)",
                "構成比とABC区分・件数・Ageが50以上・Ageが60未満がはいごと",
                "行の一覧・Ageが50以上・Ageが60未満がはいがはい・すべて",
            ],
        ),
        (
            "orders in january 2025 against december of the year before",
            "count | change Ordered 2024-12 to 2025-01",
            ["期間の比較・件数・2025年1月（Ordered）・前の月と比べる"],
        ),
        (
            "by weekday and hour as heatmap",
            "count | by weekday(Called), hour(Called) | chart heatmap",
            ["ヒートマップ・by：Called・by_unit：hour・件数・Calledの曜日ごと"],
        ),
    ],
)
def test_what_is_asked_for_becomes_operations(question: str, wanted: str, steps: list[str]) -> None:
    assert _read(question, wanted) == steps
