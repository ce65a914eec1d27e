"""Expenses of one month by department, as an accounting program exports them."""

import csv
import io

DEPARTMENTS = {"営業部": 300_000, "開発部": 450_000, "総務部": 150_000}
"""And their budgets."""
# Day of the month, department, account, what for, amount.
ROWS: tuple[tuple[int, str, str, str, int], ...] = (
    (7, "営業部", "旅費交通費", "大阪出張（新幹線）", 28_900),
    (8, "営業部", "接待交際費", "取引先との会食", 46_200),
    (11, "開発部", "消耗品費", "検証用端末", 89_800),
    (12, "総務部", "水道光熱費", "電気料金", 38_420),
    (13, "開発部", "支払手数料", "クラウド利用料", 187_300),
    (14, "営業部", "広告宣伝費", "展示会出展料", 165_000),
    (18, "総務部", "消耗品費", "コピー用紙", 12_650),
    (19, "開発部", "研修費", "技術講習", 66_000),
    (20, "営業部", "旅費交通費", "名古屋出張", 24_300),
    (21, "総務部", "通信費", "電話・回線", 31_900),
    (25, "営業部", "接待交際費", "お中元", 58_300),
    (26, "開発部", "新聞図書費", "技術書", 14_520),
    (27, "総務部", "修繕費", "空調点検", 44_000),
    (28, "開発部", "支払手数料", "ドメイン更新", 5_940),
    (29, "営業部", "会議費", "会議室利用料", 9_900),
)


def expenses() -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(("計上日", "部門", "勘定科目", "摘要", "金額"))
    for day, department, account, purpose, amount in ROWS:
        writer.writerow((f"2026/05/{day:02}", department, account, purpose, f"{amount:,}"))
    return out.getvalue().encode("cp932")
