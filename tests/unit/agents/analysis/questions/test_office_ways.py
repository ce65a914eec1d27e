"""What offices ask of staff, sales, stock, bills, enquiries and marks: answered at once."""

import pytest

from sanbo.agents.analysis.profile import DatasetProfile
from tests.unit.agents.analysis.profiles import day, each, number, table, with_gaps, words
from tests.unit.agents.analysis.questions.reads import is_asked, reads

STAFF = table(
    each("氏名"), words("部署", "営業部", "総務部"), day("入社日"), number("年齢", 20, 60),
    number("基本給", 200_000, 600_000), number("残業時間", 0, 80),
)  # fmt: skip
SALES = table(
    day("日付", "2025-01-01", "2025-12-31"), words("店舗", "渋谷店", "梅田店"),
    words("商品", "コーヒー", "紅茶"), number("数量", 1, 30), number("売上", 10, 90_000),
    number("原価", 5, 40_000),
)  # fmt: skip
STOCK = table(each("品名"), words("倉庫", "東", "西"), number("在庫数", 0, 300), day("入庫日"))
BILLS = table(
    words("取引先", "青山商事", "北川工業"), day("請求日", "2025-01-01", "2025-12-31"),
    day("支払期限", "2025-01-01", "2025-12-31"), with_gaps(day("入金日")),
    number("請求額", 1, 500_000),
    number("入金額", 0, 500_000),
)  # fmt: skip
ENQUIRIES = table(
    each("受付番号"), words("優先度", "高", "中", "低"), words("状況", "完了", "対応中", "未対応")
)
RATED = table(
    words("担当者", "山田", "中村"), words("カテゴリ", "解約", "故障"), words("優先度", "高", "低"),
    number("満足度", 1, 5),
)  # fmt: skip
MARKS = table(
    each("氏名"), words("クラス", "1組", "2組"), number("国語", 0, 100), number("数学", 0, 100)
)
PEOPLE = table(
    each("Name"), words("Department", "Sales", "Finance"), day("Start Date"),
    number("Age", 20, 60), number("Salary", 20_000, 90_000), number("Overtime Hours", 0, 80),
)  # fmt: skip
SHOPS = table(
    day("Date", "2025-01-01", "2025-12-31"), words("Store", "Leeds", "York"),
    words("Product", "Tea", "Cake"), number("Units", 1, 30), number("Revenue", 10, 9_000),
    number("Cost", 5, 4_000),
)  # fmt: skip
GOODS = table(each("Item"), words("Warehouse", "East", "West"), number("Stock", 0, 300))
INVOICES = table(
    each("Invoice No"), words("Customer", "Acme", "Globex"), day("Invoice Date"),
    day("Due Date"), with_gaps(day("Paid Date")), number("Amount", 1, 5_000),
)  # fmt: skip
SAMPLES = table(each("Sample"), words("Site", "Bay", "Weir"), words("Result", "Pass", "Fail"))


@pytest.mark.parametrize(
    ("profile", "asked", "said"),
    [
        (STAFF, "各部署の残業時間上位2名", "残業時間の大きい順・部署ごとに2件"),
        (STAFF, "一番入社が古い人", "入社日"),
        (SALES, "各店舗の売上トップの商品", "店舗ごとに1件"),
        (SALES, "上半期（1月〜6月）の売上", "2025年1月"),
        (SALES, "6/1から6/15までの売上", "2025年6月15日"),
        (SALES, "6月までの売上", "日付が2025年6月まで"),
        (SALES, "6月末までの売上", "日付が2025年6月まで"),
        (STOCK, "在庫切れの品目一覧", "在庫数が0"),
        (STOCK, "入庫日が古い順に5件", "行の一覧・入庫日"),
        (STOCK, "入庫日が一番新しい品目", "1件"),
        (BILLS, "未入金の請求額合計", "請求額の合計・入金日が空欄"),
        (BILLS, "入金済みの請求額合計", "入金日が空欄でない"),
        (ENQUIRIES, "優先度が高いものの一覧", "優先度が高"),
        (ENQUIRIES, "完了していないものは何件？", "件数・完了を除く（状況）"),
        (MARKS, "国語と数学の合計", "国語の合計"),
        (
            ENQUIRIES,
            "優先度が高、または状況が完了でない件数",
            "優先度が高 または 完了を除く（状況）",
        ),
        (RATED, "満足度が低い順に10件", "満足度の小さい順・10件"),
        (RATED, "解約の満足度ワースト3の担当者", "カテゴリが解約・少ない順・上位3件"),
        (MARKS, "国語・数学の合計点が一番高い氏名は？", "国語 + 数学"),
    ],
)
def test_japanese(profile: DatasetProfile, asked: str, said: str) -> None:
    assert said in reads(asked, profile)


@pytest.mark.parametrize(
    ("profile", "asked", "said"),
    [
        (PEOPLE, "highest salary per department", "maximum of Salary, by Department"),
        (PEOPLE, "longest overtime per department", "maximum of Overtime Hours, by Department"),
        (PEOPLE, "highest paid person in each department", "1 of each Department"),
        (PEOPLE, "average salary of people in their 30s", "Age at least 30, Age below 40"),
        (PEOPLE, "headcount by start year", "by year of Start Date"),
        (SHOPS, "average revenue per sale", "average of Revenue"),
        (SHOPS, "best selling product in Leeds by units", "total of Units, by Product"),
        (SHOPS, "Total revenue over the whole year?", "total of Revenue"),
        (GOODS, "how many items are out of stock?", "number of rows, Stock is 0"),
        (INVOICES, "how many are unpaid?", "Paid Date is blank"),
        (INVOICES, "total amount due in June 2024", "June 2024 (Due Date)"),
        (INVOICES, "Acme's invoices by due date, newest first", "by Due Date"),
        (SAMPLES, "fail rate by site, worst first", "by share, largest first"),
    ],
)
def test_english(profile: DatasetProfile, asked: str, said: str) -> None:
    assert said in reads(asked, profile)


@pytest.mark.parametrize(
    ("profile", "asked"),
    [
        (SHOPS, "which store did best?"),  # by what?
        (SHOPS, "revenue from 6/1 to 7/1"),  # the first of June, or the sixth of January?
        (STAFF, "粗利の合計"),
        (SALES, "2025年3月より古い売上"),
        (SALES, "売上の1/3はどの店舗？"),
        (SHOPS, "sales with profit over 3000"),
        (BILLS, "3月の未入金の合計額"),
    ],
)
def test_what_may_be_something_else_is_asked(profile: DatasetProfile, asked: str) -> None:
    assert is_asked(asked, profile)
