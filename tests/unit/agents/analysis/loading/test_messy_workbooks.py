"""Eight workbooks as offices make them: what is read is what a person would type by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import pytest

from sanbo.agents.analysis.profile import PreparationKind
from tests.unit.agents.analysis.loading.messy_files import Rows, csv_file, read, workbook


@dataclass(frozen=True)
class Messy:
    name: str
    rows: Rows
    names: list[str]
    by_hand: Rows
    kinds: set[PreparationKind]
    merged: Sequence[str] = ()
    units: tuple[str, ...] = ()
    """Of the columns of figures."""


WORKBOOKS = [
    Messy(
        "totals",
        [
            ["店舗", "売上", "客数", "客単価"],
            ["新宿店", 1200, 10, 120],
            ["渋谷店", 900, 6, 150],
            ["計測器センター", 300, 4, 75],
            ["合　計", 2400, 20, 120],
            ["平均", 800, 6.7, 115],
        ],
        ["店舗", "売上", "客数", "客単価"],
        [["新宿店", 1200, 10, 120], ["渋谷店", 900, 6, 150], ["計測器センター", 300, 4, 75]],
        {"totals"},
    ),
    Messy(
        "subtotals by group",
        [
            ["地域", "店舗", "売上", "利益"],
            ["関東", "新宿店", 100.5, 10],
            [None, "横浜店", 50.2, 5],
            ["関東 計", None, 150.7, 15],
            ["関西", "梅田店", 80, 8],
            [None, "神戸店", 20.1, 2],
            ["関西 計", None, 100.1, 10],
            ["総計", None, 250.8, 25],
        ],
        ["地域", "店舗", "売上", "利益"],
        [
            ["関東", "新宿店", 100.5, 10],
            ["関東", "横浜店", 50.2, 5],
            ["関西", "梅田店", 80, 8],
            ["関西", "神戸店", 20.1, 2],
        ],
        {"totals", "groups"},
    ),
    Messy(
        "units",
        [
            ["Sales report 2025", None, None, None],
            ["(in thousands of yen)", None, None, None],
            [None, None, None, None],
            ["Store", "Sales", "Customers", "Margin (%)"],
            ["Shinjuku", 1200, 10, 12.5],
            ["Umeda", 900, 6, 8.0],
        ],
        ["Store", "Sales", "Customers", "Margin (%)"],
        [["Shinjuku", 1200, 10, 12.5], ["Umeda", 900, 6, 8.0]],
        {"header", "unit"},
        units=("thousands of yen", "", "%"),
    ),
    Messy(
        "two tables",
        [
            ["店舗別", None, None],
            ["店舗", "売上", None],
            ["新宿店", 10, None],
            ["梅田店", 20, None],
            [None, None, None],
            ["商品別", None, None],
            ["商品", "数量", "売上"],
            ["りんご", 1, 12],
            ["みかん", 2, 13],
            ["ぶどう", 3, 5],
        ],
        ["商品", "数量", "売上"],
        [["りんご", 1, 12], ["みかん", 2, 13], ["ぶどう", 3, 5]],
        {"tables", "header"},
    ),
    Messy(
        "merged heads",
        [
            ["2025年度 実績（百万円）", None, None, None, None],
            ["部門", "売上", None, "利益", None],
            [None, "4月", "5月", "4月", "5月"],
            ["営業", 10, 20, 1, 2],
            ["開発", 30, 40, 3, 4],
            ["合計", 40, 60, 4, 6],
        ],
        ["部門", "年月", "売上", "利益"],
        [
            ["営業", "2025-04-01", 10, 1],
            ["営業", "2025-05-01", 20, 2],
            ["開発", "2025-04-01", 30, 3],
            ["開発", "2025-05-01", 40, 4],
        ],
        {"header", "totals", "unit", "periods"},
        merged=("A1:E1", "A2:A3", "B2:C2", "D2:E2"),
        units=("", "百万円", "百万円"),
    ),
    Messy(
        "blanks",
        [
            ["店舗", "担当", "売上"],
            ["新宿本店", "Sato", 1],
            ["新宿本店 ", "SATO", 2],
            ["新宿　本店", "Sato", 3],
            ["ﾊﾟｰｸ店", "ＡＢ", 4],
            ["パーク店", "AB", 5],
            ["①号店", "A B", 6],
            ["1号店", "A B", 7],
        ],
        ["店舗", "担当", "売上"],
        [
            ["新宿本店", "Sato", 1],
            ["新宿本店", "Sato", 2],
            ["新宿本店", "Sato", 3],
            ["パーク店", "AB", 4],
            ["パーク店", "AB", 5],
            ["①号店", "A B", 6],
            ["1号店", "A B", 7],
        ],
        {"variants"},
    ),
    Messy(
        "notes",
        [
            ["日付", "品名", "数量"],
            ["令和7年4月1日", "机", 3],
            ["令和7年4月2日", "椅子", 5],
            ["令和7年4月3日", "注文棚", 2],
            ["※ 数量は速報値", None, None],
            ["注1）返品を除く", None, None],
            ["　　詳しくは別紙", None, None],
            [None, None, None],
            ["出典：販売管理システム", None, None],
        ],
        ["日付", "品名", "数量"],
        [["2025-04-01", "机", 3], ["2025-04-02", "椅子", 5], ["2025-04-03", "注文棚", 2]],
        {"notes", "dates"},
    ),
    Messy(
        "repeated headers",
        [
            ["Daily log", None, None],
            ["No.", "Day", "Amount"],
            [1, date(2025, 4, 1), 100],
            [2, date(2025, 4, 2), 200],
            ["Subtotal", None, 300],
            ["Daily log", None, None],
            ["No.", "Day", "Amount"],
            [3, date(2025, 4, 3), 400],
            ["Subtotal", None, 400],
            ["Grand total", None, 700],
        ],
        ["No.", "Day", "Amount"],
        [[1, "2025-04-01", 100], [2, "2025-04-02", 200], [3, "2025-04-03", 400]],
        {"header", "totals", "identifiers"},
    ),
]


@pytest.mark.parametrize("messy", WORKBOOKS, ids=lambda messy: messy.name)
@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_what_is_read_is_what_a_person_would_type_by_hand(messy: Messy, ending: str) -> None:
    data = workbook(messy.rows, messy.merged) if ending == "xlsx" else csv_file(messy.rows)
    found = read(data, f"表.{ending}")
    assert found.names == messy.names
    assert found.rows == [list(row) for row in messy.by_hand]
    assert found.kinds == messy.kinds, found.said
    if messy.units:
        assert [column.unit for column in found.profile.columns[1:]] == list(messy.units)
    assert found.profile.warnings == ()
