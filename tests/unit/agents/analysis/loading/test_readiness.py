"""A table made ready, kind by kind, in both languages; left as written where somebody wants so."""

import string
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from io import BytesIO
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from sanbo.agents.analysis.jobs import LoadJob
from sanbo.agents.analysis.loading import load
from sanbo.agents.analysis.loading.units import unit_in
from sanbo.agents.analysis.profile import PreparationKind
from sanbo.kernel.messages import Language, use_language
from sanbo.kernel.problems import SanboError
from tests.examples import examples
from tests.unit.agents.analysis.execution.performing import done
from tests.unit.agents.analysis.loading.messy_files import Read, Rows, csv_file, read, workbook


def both(rows: Rows, as_written: Sequence[PreparationKind] = ()) -> list[Read]:
    return [
        read(workbook(rows), "表.xlsx", as_written=as_written),
        read(csv_file(rows), "表.csv", as_written=as_written),
    ]


# Totals


@pytest.mark.parametrize(
    ("label", "figure", "is_total"),
    [
        ("合計", 60, True),
        ("【総計】", 60, True),
        ("計", 60, True),
        ("Ｔｏｔａｌ", 60, True),
        ("GRAND TOTAL:", 60, True),
        ("全店", 60, True),
        ("平均", 20, True),
        ("Average", 20, True),
        ("歳出合計", 60, True),
        ("Subtotal 2025", 60, False),
        ("歳出合計", 61, False),
        ("合計", 61, False),
        ("Total", 50, False),
        ("平均", 60, False),
        ("計測器", 60, False),
        ("時計", 60, False),
        ("Total Wine", 60, False),
    ],
)
def test_a_row_goes_where_its_label_and_its_figures_say_total(
    label: str, figure: int, is_total: bool
) -> None:
    rows = [["店舗", "売上"], ["甲", 10], ["乙", 20], ["丙", 30], [label, figure]]
    for found in both(rows):
        assert len(found.rows) == (3 if is_total else 4), found.said
        assert (found.rows[-1][0] == label) is not is_total


def test_a_total_that_does_not_add_up_stays_with_a_caution() -> None:
    rows = [["店舗", "売上"], ["甲", 10], ["乙", 20], ["合計", 999]]
    said: dict[Language, str] = {"ja": "合わない", "en": "don't add up"}
    for language, word in said.items():
        with use_language(language):
            found = read(csv_file(rows), "表.csv")
        (caution,) = found.profile.preparations
        assert (caution.kind, caution.is_done) == ("totals", False)
        assert word in caution.text
        assert "合計" in caution.text
        assert "4" in caution.text  # the line of the file


def test_a_shop_called_total_counts_in_the_total_of_all() -> None:
    rows = [["店舗", "売上"], ["甲", 10], ["計", 25], ["乙", 20], ["合計", 55]]
    for found in both(rows):
        assert [row[0] for row in found.rows] == ["甲", "計", "乙"]


def test_figures_are_rounded_only_as_far_as_the_cells_are() -> None:
    rounded = [["店舗", "売上（千円）"], ["甲", 10], ["乙", 20], ["丙", 30], ["合計", 61]]
    exact = [["店舗", "売上（円）"], ["甲", 10], ["乙", 20], ["丙", 30], ["合計", 61]]
    decimals = [["店", "kg"], ["甲", 0.1], ["乙", 0.2], ["丙", 0.4], ["合計", 0.7]]
    assert [len(each.rows) for each in both(rounded)] == [3, 3]
    assert [len(each.rows) for each in both(exact)] == [4, 4]
    assert [len(each.rows) for each in both(decimals)] == [3, 3]


def test_totals_of_groups_in_long_tables_and_on_top_go_too() -> None:
    rows: list[Sequence[object]] = [["年", "県", "性別", "人口"]]
    for year in (2020, 2021):
        for name, men, women in (("東京", 10, 12), ("大阪", 4, 5)):
            counts = {"計": men + women, "男": men, "女": women}
            rows += [[year, name, who, count] for who, count in counts.items()]
    for found in both(rows):
        assert [row[2] for row in found.rows] == ["男", "女"] * 4


def test_a_column_that_adds_up_the_others_is_said_and_stays() -> None:
    rows = [["店舗", "4月", "5月", "合計"], ["甲", 1, 2, 3], ["乙", 3, 4, 7]]
    for found in both(rows):
        assert found.names == ["店舗", "4月", "5月", "合計"]
        assert "列「合計」" in found.said
    other = [["品", "単価", "数量", "合計"], ["甲", 10, 2, 20], ["乙", 30, 4, 120]]
    assert all(found.kinds == set() for found in both(other))


group = st.lists(
    st.tuples(st.sampled_from(string.ascii_uppercase), st.integers(-999, 9999)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=examples(60))
@given(st.lists(group, min_size=1, max_size=4), st.booleans())
def test_subtotals_and_totals_leave_the_rows_they_are_of(
    groups: list[list[tuple[str, int]]], in_english: bool
) -> None:
    subtotal, grand = ("Subtotal", "Grand total") if in_english else ("小計", "合計")
    details = [
        [
            (f"G{number}", f"{name}{place}", amount, amount % 7)
            for place, (name, amount) in enumerate(members)
        ]
        for number, members in enumerate(groups)
    ]
    rows: list[Sequence[object]] = [["region", "shop", "sales", "count"]]
    for number, own in enumerate(details):
        sums = (sum(row[2] for row in own), sum(row[3] for row in own))
        rows += [*own, [f"G{number}", subtotal, *sums]]
    every = [row for own in details for row in own]
    rows.append([None, grand, sum(row[2] for row in every), sum(row[3] for row in every)])
    found = read(csv_file(rows), "表.csv")
    assert found.rows == [list(row) for row in every], found.said


def test_a_subtotal_of_a_month_is_one_though_it_ends_with_a_number() -> None:
    rows = [["Month", "Calls"]]
    for month in ("January 2025", "February 2025"):
        rows += [[month, 10], [month, 20], [f"Subtotal {month}", 30]]
    for found in both([*rows, ["Grand total", 60]]):
        assert [row[1] for row in found.rows] == [10, 20, 10, 20], found.said


@pytest.mark.parametrize("said", ["Subtotal Fort Collins", "Total for Fort Collins"])
def test_a_name_that_begins_as_a_word_of_totals_is_whole(said: str) -> None:
    """“Subtotal for t Collins” took it for a city."""
    rows = [["Id", "City", "Panels"], ["A1", "Fort Collins", 10], ["A2", "Fort Collins", 20],
            [None, said, 30], ["B1", "Denver", 5], ["B2", "Denver", 6],
            [None, "Subtotal Denver", 11], ["Grand total", None, 41]]  # fmt: skip
    for found in both(rows):
        assert [row[2] for row in found.rows] == [10, 20, 5, 6], found.said


def test_a_subtotal_of_a_long_name_is_one_too() -> None:
    rows = [["Region", "Line", "Sales"], ["North America", "Pumps", 10], [None, "Valves", 20],
            ["North America subtotal", None, 30], ["Latin America", "Pumps", 5],
            [None, "Valves", 6], ["Latin America subtotal", None, 11],
            ["Grand Total", None, 41]]  # fmt: skip
    found = read(workbook(rows), "表.xlsx")
    assert [row[2] for row in found.rows] == [10, 20, 5, 6], found.said


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("上期（千円）_実績", "千円"),
        ("H2 (USD thousand)_Actual", "USD thousand"),
        ("上期（千円）_達成率", ""),
        ("上期（千円）_人数", ""),
        ("担当（人）_氏名", ""),
        ("売上_4月（百万円）", "百万円"),
    ],
)
def test_a_unit_of_the_upper_heading_holds_for_money_below_it(name: str, unit: str) -> None:
    assert unit_in(name) == unit


# Words


words = st.text("AaＡﾊﾟハパー1①１² 　é", min_size=1, max_size=4).filter(
    lambda text: text.strip(" 　")
)


def only_blanks_width_and_case(text: str) -> str:
    narrow = {"Ａ": "a", "A": "a", "１": "1", "　": "", " ": ""}
    return "".join(
        narrow.get(letter, letter) for letter in text.replace("ﾊﾟ", "パ").replace("ﾊ", "ハ")
    )


@settings(max_examples=examples(200))
@given(st.lists(words, min_size=2, max_size=8))
def test_no_words_become_one_that_differ_in_more_than_blanks_width_and_case(
    given: list[str],
) -> None:
    rows = [["名前", "数"], *([word, number] for number, word in enumerate(given))]
    found = read(csv_file(rows), "表.csv")
    for was, (now, _) in zip(given, found.rows, strict=True):
        assert only_blanks_width_and_case(was).replace("ﾟ", "゚") == only_blanks_width_and_case(
            str(now)
        ).replace("ﾟ", "゚")


# Units


@pytest.mark.parametrize(
    ("line", "name", "unit"),
    [
        ("（単位：千円）", "売上", "千円"),
        ("単位: 百万円", "利益", "百万円"),
        ("売上実績（百万円）", "売上", "百万円"),
        ("単位：千円、人", "売上", "千円"),
        ("単位：千円、人", "来客数", "人"),
        ("（単位：千円）", "客数", ""),
        ("（単位：千円）", "利益率", ""),
        ("（単位：人）", "4月", "人"),
        ("(in thousands)", "Sales", "thousands"),
        ("Revenue in millions of USD", "Sales", "millions of USD"),
        ("Unit: JPY", "Sales", "JPY"),
        ("(in thousands)", "Customers", ""),
        ("2025年度（速報）", "売上", ""),
    ],
)
def test_a_unit_over_the_table_is_that_of_its_figures(line: str, name: str, unit: str) -> None:
    rows = [[line, None, None], ["店舗", name, "担当"], ["甲", 10, "佐藤"], ["乙", 25, "鈴木"]]
    for found in both(rows):
        assert found.units().get(name, "") == unit, found.said
        assert ("unit" in found.kinds) == bool(unit)


def test_a_row_of_units_and_percentages_of_a_workbook_are_understood() -> None:
    rows = [["店舗", "売上", "数量"], [None, "(千円)", "(個)"], ["甲", 10, 1], ["乙", 20, 2]]
    for found in both(rows):
        assert found.units() == {"売上": "千円", "数量": "個"}
    shown = {
        f"{column}{row}": "0.0%" if column == "B" else "0000" for column in "BC" for row in (2, 3)
    }
    found = read(
        workbook([["店舗", "利益率", "コード"], ["甲", 0.125, 12], ["乙", 0.25, 13]], formats=shown)
    )
    assert [column.type for column in found.profile.columns] == ["text", "percent", "text"]
    assert found.rows == [["甲", 0.125, "0012"], ["乙", 0.25, "0013"]]


def test_units_and_marks_of_notes_in_cells_are_taken_off_where_all_cells_are_figures() -> None:
    rows = [
        ["店舗", "人数", "売上"],
        ["甲", "12名", "1,200※1"],
        ["乙", "5名", 300],
        ["丙", "1名", 5],
    ]
    for found in both(rows):
        assert found.rows == [["甲", 12, 1200], ["乙", 5, 300], ["丙", 1, 5]]
        assert found.units() == {"人数": "名"}
    mixed = [["店舗", "数"], ["甲", "12名"], ["乙", "5台"], ["丙", "3年"]]
    assert all(found.rows[0][1] == "12名" for found in both(mixed))


# Columns that name things


@pytest.mark.parametrize(
    ("name", "cells", "is_identifier"),
    [
        ("社員番号", [1001, 1002, 1003, 1004], True),
        ("注文ID", [1, 2, 3, 4], True),
        ("CustomerID", [7, 7, 8, 9], True),
        ("order_no", [51, 52, 53, 54], True),
        ("No.", [1, 2, 3, 4], True),
        ("JANコード", ["4901234567894", "4901234567900", "4901234567917", "4901234567924"], True),
        ("郵便番号", ["160-0022", "530-0001", "100-0001", "810-0001"], True),
        ("電話", ["03-1234-5678", "06-1234-5678", "03-1111-2222", "03-2222-3333"], True),
        ("記号", ["0012", "0034", "0056", "0078"], True),
        ("年", [2021, 2022, 2023, 2024], False),
        ("年度", [2021, 2022, 2023, 2024], False),
        ("number of orders", [1, 2, 3, 4], False),
        ("paid", [1, 2, 3, 4], False),
        ("金額", [1001, 1002, 1003, 1004], False),
        ("区分コード", ["A1", "B2", "A1", "B2"], False),
        ("店舗番号", [1.5, 2.5, 3.5, 4.5], False),
    ],
)
def test_numbers_that_name_things_are_told_by_name_and_look(
    name: str, cells: list[object], is_identifier: bool
) -> None:
    rows = [["品名", name], *([f"机{at}", cell] for at, cell in enumerate(cells))]
    for found in both(rows):
        column = found.profile.column(name)
        assert column is not None
        assert column.is_identifier is is_identifier
        assert ("identifiers" in found.kinds) is is_identifier


# Dates


@pytest.mark.parametrize(
    ("title", "cells", "days"),
    [
        (None, ["2025/4/1", "2025/4/2", "2025/4/3"], ["2025-04-01", "2025-04-02", "2025-04-03"]),
        (
            None,
            ["令和7年4月1日", "R7.4.2", "2025-04-03"],
            ["2025-04-01", "2025-04-02", "2025-04-03"],
        ),
        (None, ["20250401", "20250402", "20250403"], ["2025-04-01", "2025-04-02", "2025-04-03"]),
        (None, ["2025年4月", "2025年5月", "2025年6月"], ["2025-04-01", "2025-05-01", "2025-06-01"]),
        ("2025年の売上", ["4月", "５月", "6月"], ["2025-04-01", "2025-05-01", "2025-06-01"]),
        ("令和7年度 売上", ["12月", "1月", "3月"], ["2025-12-01", "2026-01-01", "2026-03-01"]),
        (None, ["Jan 2025", "February 2025", "Mar-25"], ["2025-01-01", "2025-02-01", "2025-03-01"]),
        ("Calls 2025", ["January", "February"], ["2025-01-01", "2025-02-01"]),
        (None, ["January", "February", "May"], None),
        (None, ["4月", "5月", "6月"], None),
        ("2024年と2025年", ["4月", "5月", "6月"], None),
        (None, ["2025/4/1", "未定", "2025/4/3"], None),
        (None, ["S50.3", "S51.4", "S52.5"], None),
    ],
)
def test_dates_in_words_become_dates_where_all_can_be_read(
    title: str | None, cells: list[str], days: list[str] | None
) -> None:
    above = [[title, None]] if title else []
    rows = [*above, ["時期", "売上"], *([cell, at * 10] for at, cell in enumerate(cells))]
    for found in both(rows):
        assert [row[0] for row in found.rows] == (days or cells)
    if "未定" in cells:
        assert all("未定" in found.said for found in both(rows))


def test_months_are_listed_as_months_and_days_as_days() -> None:
    for cells, listed in (
        (["2025年4月", "2025年5月"], ["2025-04", "2025-05"]),
        (["2025/04", "2025/05"], ["2025-04", "2025-05"]),
        (["2025/4/1", "2025/5/1"], ["2025-04-01", "2025-05-01"]),
    ):
        data = csv_file([["時期", "売上"], *([cell, 10] for cell in cells)])
        made = BytesIO()
        load(LoadJob(sha256=sha256(data).hexdigest(), name="表.csv"), memoryview(data), made)
        shown = done({"op": "top_rows"}, made.getvalue()).table
        assert [row[0] for row in shown.rows] == listed


# Headers, groups, several tables


def test_headers_in_two_rows_need_not_be_merged() -> None:
    rows = [
        ["店舗", "売上", None, "利益", None],
        [None, "4月", "5月", "4月", "5月"],
        ["甲", 1, 2, 3, 4],
        ["乙", 5, 6, 7, 8],
    ]
    for found in both(rows, ["periods"]):
        assert found.names == ["店舗", "売上_4月", "売上_5月", "利益_4月", "利益_5月"]


def test_gaps_that_may_be_missing_values_are_said_and_stay() -> None:
    rows = [["担当", "売上"], ["佐藤", 1], [None, 2], ["鈴木", 3], ["高橋", 4]]
    for found in both(rows):
        assert found.rows[1][0] is None
        assert found.kinds == {"groups"}


def test_rows_that_only_name_a_section_become_a_column() -> None:
    rows = [
        ["店舗", "売上", "客数"],
        ["■関東", None, None],
        ["新宿", 10, 1],
        ["横浜", 5, 2],
        ["関東計", 15, 3],
        ["■関西", None, None],
        ["梅田", 8, 1],
        ["関西計", 8, 1],
        ["合計", 23, 4],
    ]
    for found in both(rows):
        assert found.names == ["店舗", "売上", "客数", "区分"]
        assert [(row[0], row[3]) for row in found.rows] == [
            ("新宿", "関東"),
            ("横浜", "関東"),
            ("梅田", "関西"),
        ]


def test_a_cover_is_passed_over_and_other_sheets_are_named() -> None:
    book = Workbook()
    pages: dict[str, Rows] = {
        "表紙": [["作成者", "山田"], ["作成日", "2025/4/1"], ["部署", "営業部"]],
        "4月": [["店舗", "売上"], ["甲", 1], ["乙", 2]],
        "5月": [["店舗", "売上"], ["甲", 3], ["乙", 4]],
    }
    book.remove(book.worksheets[0])
    for name, rows in pages.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(list(row))
    data = BytesIO()
    book.save(data)
    first, chosen = read(data.getvalue()), read(data.getvalue(), sheet="5月")
    assert first.profile.sheet == "4月"
    assert "5月" in first.said
    assert (chosen.rows, chosen.said) == ([["甲", 3], ["乙", 4]], "")


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_tables_beside_each_other_are_told_apart_and_chosen_by_number(ending: str) -> None:
    rows = [
        ["店舗", "売上", None, "商品", "数量"],
        ["甲", 1, None, "茶", 4],
        ["乙", 2, None, "米", 5],
    ]
    data = workbook(rows) if ending == "xlsx" else csv_file(rows)
    sheet = "Sheet1" if ending == "xlsx" else ""
    first = read(data, f"表.{ending}")
    second = read(data, f"表.{ending}", f"{sheet}#2")
    assert (first.names, second.names) == (["店舗", "売上"], ["商品", "数量"])
    assert second.rows == [["茶", 4], ["米", 5]]
    assert first.profile.dataset_id != second.profile.dataset_id
    assert f"{sheet}#2" in first.profile.sheets
    assert f"{sheet}#2" in first.said
    with pytest.raises(SanboError) as refused:
        read(data, f"表.{ending}", f"{sheet}#3")
    assert "#2" in refused.value.problem.message


# Left as written

MESSY: Rows = [
    ["2025年度（単位：千円）", None, None, None],
    ["区分", "店舗", "売上", None],
    [None, None, "4月", "5月"],
    ["甲", "新宿", 10, 20],
    [None, "新宿 ", 1, 2],
    ["乙", "大阪", 3, 4],
    [None, "神戸", 3, 4],
    ["合計", None, 17, 30],
    ["※ 速報", None, None, None],
]


@pytest.mark.parametrize("kind", ["totals", "variants", "unit", "notes", "groups", "header"])
def test_a_kind_is_left_as_written_and_that_is_said(kind: PreparationKind) -> None:
    for ready, left in zip(both(MESSY), both(MESSY, [kind]), strict=True):
        assert kind in ready.kinds
        assert (ready.names, ready.rows, ready.units()) != (left.names, left.rows, left.units())
        (said,) = [
            each for each in left.profile.preparations if each.kind == kind and not each.is_done
        ]
        assert "そのまま" in said.text or "指定どおり" in said.text
        assert left.profile.as_written == (kind,)
        assert ready.profile.dataset_id != left.profile.dataset_id


def test_the_other_kinds_are_left_too() -> None:
    dates = [["日付", "番号"], ["令和7年4月1日", 1], ["令和7年4月2日", 2], ["令和7年4月3日", 3]]
    for found in both(dates, ["dates", "identifiers"]):
        assert found.rows[0][0] == "令和7年4月1日"
        assert not any(column.is_identifier for column in found.profile.columns)
    two = [
        ["店舗", "売上"],
        ["甲", 1],
        ["乙", 2],
        [None, None],
        ["商品", "数量"],
        ["茶", 3],
        ["米", 4],
    ]
    for found in both(two, ["tables"]):
        assert len(found.rows) == 5


def test_every_kind_has_a_line_in_both_languages_for_being_left() -> None:
    kinds = get_args(PreparationKind)
    for language in ("ja", "en"):
        with use_language(language):
            found = read(
                csv_file([["店", "売上"], ["甲", 1], ["乙", 2]]), "表.csv", as_written=kinds
            )
        assert found.kinds == set(kinds)


# Clean tables

names = st.lists(
    st.sampled_from(
        ["店舗", "売上", "担当者", "数量", "Region", "Sales", "時刻", "備考", "単価", "weight"]
    ),
    min_size=2,
    max_size=6,
    unique=True,
)
cells = {
    "words": st.text("あいうえ甲乙丙XYZ", min_size=1, max_size=6),
    "figures": st.integers(1, 10**6),
    "days": st.dates(date(2001, 1, 1), date(2030, 1, 1)),
}


@st.composite
def clean_tables(draw: st.DrawFn) -> list[Sequence[object]]:
    header = draw(names)
    kinds = ["words", *(draw(st.sampled_from(sorted(cells))) for _ in header[1:])]
    if "figures" not in kinds:
        kinds[-1] = "figures"
    rows = [[draw(cells[kind]) for kind in kinds] for _ in range(draw(st.integers(3, 12)))]
    return [header, *rows]


@settings(max_examples=examples(100))
@given(clean_tables())
def test_nothing_is_done_to_a_clean_table(rows: list[Sequence[object]]) -> None:
    for found in both(rows):
        assert found.profile.preparations == (), found.said
        assert found.names == rows[0]
        wanted = [
            [cell.isoformat() if isinstance(cell, date) else cell for cell in row]
            for row in rows[1:]
        ]
        assert found.rows == wanted


# Hostile files


def test_hostile_tables_are_read_or_refused_and_never_obeyed() -> None:
    long = "計" * 100_000
    wide = [[f"列の名{n}" for n in range(3_000)], list(range(3_000)), ["合計", *range(1, 3_000)]]
    files: list[Rows] = [
        [["店舗", "売上"], [long, 1], ["乙", 2], ["=SUM(B2:B3)", 3], ["合計", 6]],
        [["店舗", "売上"], ["=cmd|'/c calc'!A0", 1], ["+1+1", 2], ["@SUM(1)", 3]],
        wide,
        [["合計"] * 3, ["合計"] * 3, ["計", 1, 1]],
        [["※"], ["※"], ["※"]],
        [["{0}", "{count}"], ["%s", 1], ["{rows}", 2], ["合計", 3]],
        [["店舗", "売上"], ["甲", float("inf")], ["乙", 1e308], ["合計", 1e308]],
    ]
    for rows in files:
        found = read(csv_file(rows), "表.csv")
        assert found.rows
        assert len(found.said) < 5_000
    for rows in ([[None, None], [None, None]], [["", " "], ["　", ""]]):
        with pytest.raises(SanboError):
            read(csv_file(rows), "表.csv")
        with pytest.raises(SanboError):
            read(workbook(rows))


def test_many_subtotals_take_no_longer_for_each_other() -> None:
    rows: list[Sequence[object]] = [["区分", "店舗", "売上"]]
    for number in range(3_000):
        rows += [["甲", f"店{number}", 1], ["甲", f"支店{number}", 2], [None, "小計", 3]]
    found = read(csv_file(rows), "表.csv")
    assert len(found.rows) == 6_000
