"""What people type every day about loans, budgets, shipments, calls: read, or asked about."""

from collections.abc import Sequence

import pytest

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from tests.unit.agents.analysis.profiles import day, each, number, table, with_gaps, words
from tests.unit.agents.analysis.questions.reads import is_asked, reads


def _few(name: str, low: int, high: int) -> ColumnProfile:
    return ColumnProfile(
        name=name, type="integer", minimum=low, maximum=high, distinct=high - low + 1
    )


LOANS = table(
    each("貸出番号"), words("部署", "営業部", "総務部"), words("備品名", "PC", "カメラ"),
    day("貸出日"), day("返却予定日"), with_gaps(day("返却日")),
)  # fmt: skip
BUDGET = table(
    words("部門", "営業部", "開発部"), words("科目", "人件費", "外注費"), day("計上月"),
    number("予算(千円)", 1, 90_000, "千円"), number("実績(千円)", 1, 90_000, "千円"),
)  # fmt: skip
CLAIMS = table(
    day("申請日", "2025-01-01", "2025-12-31"), words("費目", "交通費", "宿泊費"),
    words("氏名", "佐藤 亮", "鈴木 葵", "高橋 蓮", distinct=40), number("金額", 1, 90_000, "円"),
    with_gaps(day("承認日", "2025-01-01", "2025-12-31")),
)  # fmt: skip
VISITS = table(
    day("訪問日"), words("営業担当", "山田", "中村"), words("顧客名", "A社", "B社", distinct=30),
    words("訪問目的", "提案", "フォロー"), with_gaps(day("次回訪問予定日")),
    number("商談時間(分)", 5, 120, "分"),
)  # fmt: skip
PATIENTS = table(
    each("受付番号"), number("年齢", 0, 95), number("会計額(円)", 100, 90_000, "円"),
    number("給油量", 5, 90, "L"),
)  # fmt: skip
SAMPLES = table(each("検体番号"), day("受入日"), day("報告日"), words("判定", "適", "不適"))
TRIPS = table(each("申請番号"), number("交通費", 1, 90_000), number("宿泊費", 1, 90_000))
REPAIRS = table(words("担当", "中島", "村井"), number("部品代", 0, 9_000), number("工賃", 1, 9_000))
SHIPPED = table(
    each("Order No"), day("Ship Date", "2025-01-01", "2025-12-31"),
    with_gaps(day("Delivery Date", "2025-01-01", "2025-12-31")),
    words("Carrier", "Ace", "Bolt"), _few("Parcels", 1, 9), number("Freight Cost", 1, 900, "$"),
    number("Weight (kg)", 1, 90, "kg"),
)  # fmt: skip
HOURS = table(
    day("Month", "2025-01-01", "2025-12-01"), words("Employee ID", "E1", "E2", distinct=20),
    words("Employee Name", "Ann Lee", "Bo Hill", distinct=20),
    words("Department", "Sales", "Warehouse"), number("Overtime Hours", 0, 60),
    _few("Late Arrivals", 0, 5), words("Billable", "yes", "no"),
)  # fmt: skip
LINES = table(
    day("Month", "2025-01-01", "2025-12-01"), words("Department", "Sales", "IT"),
    words("Account", "Personnel", "Travel"), number("Budget (k$)", 1, 900, "k$"),
    with_gaps(number("Actual (k$)", 1, 900, "k$")),
)  # fmt: skip
FUEL = table(
    day("Date", "2025-01-01", "2025-12-31"), words("Department", "Sales", "IT"),
    words("Fuel", "Diesel", "Petrol"), number("Amount (USD)", 1, 900, "USD"),
    number("Litres (L)", 1, 90, "L"),
)  # fmt: skip
CALLS = table(
    each("Call ID"), words("Team", "Day", "Night"), words("Resolved", "yes", "no"),
    number("Talk Time (sec)", 1, 900, "sec"), with_gaps(number("CSAT", 1, 5)),
    words("Country", "Germany", "Canada", "Japan"),
)  # fmt: skip

CLAIMED = table(
    each("Claim No").model_copy(update={"is_identifier": True}),
    number("Amount Claimed", 1, 900), number("Amount Paid", 0, 900),
    words("Status", "Open", "Paid", "Declined"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "asked", "said"),
    [
        (LOANS, "まだ返却されていない貸出を一覧で", "返却日が空欄"),
        (LOANS, "未返却の件数", "件数・返却日が空欄"),
        (LOANS, "部署別の貸出件数を棒グラフで", "棒グラフ・件数・部署ごと"),
        (LOANS, "貸出から返却までの日数の中央値は？", "終わり: 返却日) → 貸出日–返却日の中央値"),
        (LOANS, "返却予定日を過ぎて返却されたのは何件", "返却日−返却予定日が0より大きい"),
        (BUDGET, "部門別の予算と実績の比較", "予算(千円)の合計・実績(千円)の合計・部門ごと"),
        (BUDGET, "部門ごとに予算と実績を並べた棒グラフ", "棒グラフ・色分け：項目"),
        (BUDGET, "実績の科目別内訳を％で", "構成比とABC区分・実績(千円)の合計・科目ごと"),
        (CLAIMS, "月別の金額の合計", "申請日の月ごと"),
        (CLAIMS, "申請した人は何人", "氏名の種類数"),
        (CLAIMS, "1件あたりの金額の平均と中央値", "金額の平均・金額の中央値"),
        (VISITS, "次回訪問予定日がまだ決まっていない訪問は何件", "次回訪問予定日が空欄"),
        (VISITS, "何社の顧客を訪問していますか", "顧客名の種類数"),
        (VISITS, "営業担当ごとの訪問件数", "件数・営業担当ごと"),
        (VISITS, "商談時間のばらつき（標準偏差）を営業担当別に", "商談時間(分)の標準偏差"),
        (VISITS, "月ごとの平均商談時間", "商談時間(分)の平均・訪問日の月ごと"),
        (PATIENTS, "65歳以上の会計額の合計", "年齢が65以上"),
        (PATIENTS, "給油量が60リットルを超えた件数", "給油量が60より大きい"),
        (SAMPLES, "受入日から報告日まで7日以上かかったのは何件", "報告日−受入日が7以上"),
        (REPAIRS, "担当別の部品代と工賃の積み上げ棒グラフ", "積み上げ・部品代・工賃の値・担当ごと"),
        (TRIPS, "交通費がちょうど5000円の申請", "交通費が5000"),
        (VISITS, "土曜日の訪問件数", "訪問日が土曜日"),
        (VISITS, "提案または山田の訪問件数", "訪問目的が提案 または 営業担当が山田"),
        (VISITS, "R6年6月の訪問件数", "2024年6月（訪問日）"),
        (VISITS, "山田さんの訪問目的別の商談時間の構成比", "訪問目的ごと・営業担当が山田"),
        (BUDGET, "実績の合計が100万円以上の部門は？", "実績(千円)の合計・部門ごと → 行の一覧"),
        (TRIPS, "交通費より宿泊費のほうが高い申請は何件", "宿泊費−交通費が0より大きい"),
        (VISITS, "月曜と金曜の訪問件数", "訪問日が月曜日、金曜日のいずれか"),
        (VISITS, "2024年6月の訪問件数、土日を除く", "土曜日、日曜日を除く（訪問日）"),
    ],
)
def test_japanese(profile: DatasetProfile, asked: str, said: str) -> None:
    assert said in reads(asked, profile)


@pytest.mark.parametrize(
    ("profile", "asked", "said"),
    [
        (SHIPPED, "shipments by carrier in %", "shares and ABC classes, number of rows"),
        (SHIPPED, "How many parcels have been shipped since 1 May?", "total of Parcels"),
        (SHIPPED, "the 5 most expensive shipments", "by Freight Cost, largest first, 5 rows"),
        (SHIPPED, "How many shipments weigh between 10 and 20 kg?", "Weight (kg) at least 10"),
        (HOURS, "Late arrivals per month except the warehouse", "total of Late Arrivals"),
        (HOURS, "Which employees did at least 150 hours of overtime in total?", "Employee Name"),
        (LINES, "Which lines don't have an actual figure yet?", "Actual (k$) is blank"),
        (LINES, "How many lines are over budget?", "Actual (k$)−Budget (k$) above 0"),
        (LINES, "Actual by department, personnel not included", "excluding Personnel"),
        (LINES, "Budget and actual per month in one line chart", "line chart, color: item"),
        (CALLS, "resolution rate by team", "shares within Team"),
        (CALLS, "calls that are neither in Germany nor in Canada", "excluding Germany, Canada"),
        (CALLS, "How many calls gave no CSAT?", "CSAT is blank"),
        (CALLS, "How many calls had a talk time over 400 seconds?", "Talk Time (sec) above 400"),
        (CALLS, "average talk time by team without those that have 5 csat", "excluding 5 (CSAT)"),
        (LINES, "How many lines have actual equal to budget?", "Actual (k$)−Budget (k$) is 0"),
        (SHIPPED, "How many orders were shipped on Mondays?", "Ship Date is Monday"),
        (SHIPPED, "the last 5 shipments", "by Ship Date, largest first, 5 rows"),
        (
            FUEL,
            "median amount by fuel, only fuels with at least 30 rows",
            "count of Fuel at least 30",
        ),
        (FUEL, "share of amount by fuel where litres is above 40", "by Fuel, Litres (L) above 40"),
        (
            CALLS,
            "number of calls of the Night team or in Japan",
            "Team is Night or Country is Japan",
        ),
        (CALLS, "average talk time in all countries but Japan", "excluding Japan"),
        (SHIPPED, "Area chart of weight by month, split by carrier", "total of Weight (kg)"),
        (CLAIMED, "what percentage of claims is in each status", "number of rows, by Status"),
    ],
)
def test_english(profile: DatasetProfile, asked: str, said: str) -> None:
    assert said in reads(asked, profile)


@pytest.mark.parametrize(
    ("profile", "asked"),
    [
        (FUEL, "How much have we spent on fuel altogether?"),  # on all, or by kind of fuel
        (FUEL, "fuel spend per department"),
        (CALLS, "How much does talk time vary"),
        (VISITS, "予算は？"),
        (CLAIMED, "total amount by status"),  # claimed or paid
        (SHIPPED, "number of orders shipped in 2024 and delivered in 2025"),
        (SHIPPED, "freight cost on the last Friday"),
        (CLAIMS, "2025年6月より金額が多い月"),
        (BUDGET, "営業部とそれ以外の実績"),
        (LINES, "lines where actual is higher than budget and department is below 5"),
        (SHIPPED, "How heavy are Monday's shipments compared with Friday's?"),
    ],
)
def test_what_may_be_something_else_is_asked(profile: DatasetProfile, asked: str) -> None:
    assert is_asked(asked, profile)


@pytest.mark.parametrize(
    ("profile", "turns", "said"),
    [
        (BUDGET, ["科目別の実績の合計は？", "予算は？"], "予算(千円)の合計・科目ごと"),
        (CLAIMS, ["月別の金額の合計", "費目別の積み上げ棒グラフにして"], "申請日の月ごと"),
        (CLAIMS, ["3月の金額を氏名別に", "上位3人だけ"], "金額の合計・氏名ごと・2025年3月"),
        (HOURS, ["average overtime by department", "what about the highest overtime?"], "maximum"),
        (LINES, ["Actual by account", "as a share of the total"], "shares and ABC classes"),
        (BUDGET, ["部門別の実績の合計", "人件費だけに絞って割合で"], "部門ごと・科目が人件費"),
    ],
)
def test_one_thing_more(profile: DatasetProfile, turns: Sequence[str], said: str) -> None:
    assert said in reads(turns[1], profile, turns[0])
