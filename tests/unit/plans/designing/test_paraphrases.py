"""The same wish in other words gives the same rows: of the reader's parts, not of one sentence."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sanbo.plans.designing.arithmetic import formula_in
from sanbo.plans.designing.column_lists import list_in
from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.order import order_in
from tests.unit.plans.designing.test_composition import Desk, first, results

ORDERS = """受注番号,受注日,得意先,担当者,商品,数量,単価,値引率,状態
J-001,2026-03-02,青葉商事,田中,ボルト,100,12,,出荷済
J-002,2026-03-10,北斗工業,鈴木,ナット,50,8,10,未出荷
J-003,2026-03-15,青葉商事,田中,ワッシャー,200,3,,取消
J-004,2026-04-01,南洋物産,佐藤,ボルト,30,12,5,出荷済
J-005,2026-04-20,北斗工業,鈴木,スパナ,4,1500,,未出荷
J-006,2026-04-22,青葉商事,佐藤,スパナ,10,1500,20,出荷済
"""
CUSTOMERS = (
    "得意先,地区,与信限度額\n青葉商事,東北,10000\n北斗工業,北海道,5000\n東西興業,関東,8000\n"
)
INVOICES = """Invoice No,Customer,Issue Date,Due Date,Amount,Paid,Status
I-1,Acme,2026-01-05,2026-02-04,1200,1200,Paid
I-2,Bolt,2026-01-20,2026-02-19,800,300,Open
I-3,Acme,2026-02-11,2026-03-13,450,0,Open
I-4,Cask,2026-03-01,2026-03-31,2300,0,Disputed
I-5,Bolt,2026-03-09,2026-04-08,99,99,Paid
"""
BIDS = "品目,業者,単価\n机,A社,12000\n机,B社,11500\n椅子,A社,6000\n椅子,B社,\n椅子,C社,5800\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("workspace"))
    yield made
    made.close()


def column(rows: Sequence[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows]


FORMULAS = (
    ("金額＝数量×単価×(1－値引率/100)", "金額", "数量 * 単価 * (1 - (値引率 / 100))"),
    ("数量に単価を掛けた金額を計算し", "金額", "数量 * 単価"),
    ("金額（数量かける単価）の一覧", "金額", "数量 * 単価"),
    ("単価を8%引き上げた「新単価」（1円未満は切り上げ）", "新単価", "ceil(単価 * (1 + 0.08))"),
    ("手数料は単価の3%とする", "手数料", "単価 * 0.03"),
    ("数量と単価の少ないほうを下限とする", "下限", "min(数量, 単価)"),
    ("数量と単価を掛け、値引率を引いた額", "", "数量 * 単価 * (1 - 値引率 / 100)"),
)
NO_FORMULAS = ("受注番号と商品ごとに", "単価が100以上", "商品・単価・数量の一覧", "数量の多い順")


def test_what_is_computed_is_read_in_any_order_of_words(desk: Desk) -> None:
    rows = _rows(desk, ORDERS)
    for said, name, expression in FORMULAS:
        formula = formula_in(said, rows)
        assert formula is not None, said
        if name:
            assert (formula.name, formula.expression) == (name, expression), said
    for said in NO_FORMULAS:
        assert formula_in(said, rows) is None, said


ENGLISH = (
    ("with the outstanding amount (Amount minus Paid)", "outstanding amount", "Amount - Paid"),
    ('a column "Balance" = Amount - Paid', "balance", "Amount - Paid"),
    ("subtract paid from amount and call it open", "open", "Amount - Paid"),
    ("share is paid divided by amount as a percentage", "share", "(Paid / Amount) * 100"),
    ("days late = 2026-04-30 minus due date", "days late", None),
)


def test_english_formulas_get_the_name_beside_them(desk: Desk) -> None:
    rows = _rows(desk, INVOICES)
    for said, name, expression in ENGLISH:
        formula = formula_in(said, rows)
        assert formula is not None, said
        assert formula.name == name, said
        assert expression in (None, formula.expression), said


def _rows(desk: Desk, table: str) -> Rows:
    draft: Draft = desk.draft("一覧をExcelに", 表__csv=table)
    return draft.seen[0]


ORDER = (
    (ORDERS, "数量の大きい順に5件", ("数量", True, 5)),
    (ORDERS, "数量が少ない方から2件", ("数量", False, 2)),
    (ORDERS, "数量の上位3件", ("数量", True, 3)),
    (ORDERS, "受注番号順に並べる", ("受注番号", False, None)),
    (ORDERS, "受注日の新しい順", ("受注日", True, None)),
    (INVOICES, "the three largest invoices", ("Amount", True, 3)),
    (INVOICES, "oldest due date first", ("Due Date", False, None)),
    (INVOICES, "sorted by amount descending", ("Amount", True, None)),
    (INVOICES, "in order of invoice no", ("Invoice No", False, None)),
)


def test_an_order_has_its_column_its_direction_and_a_number(desk: Desk) -> None:
    for table, said, wanted in ORDER:
        profile = _rows(desk, table).profile
        assert profile is not None
        order, _ = order_in(said, profile)
        assert order is not None, said
        assert (order.column, order.is_down, order.limit) == wanted, said


def test_columns_in_a_row_are_wanted_only_where_that_is_said() -> None:
    names = ["品番", "品名", "数量", "倉庫"]
    found = list_in("品番・品名・差異だけの一覧を作る", names)
    assert found is not None
    assert found[0] == ["品番", "品名", "差異"]
    assert list_in("倉庫と品番で突き合わせて", names) is None
    assert list_in("倉庫・品番ごとに数量を合計", names) is None


KEPT = (
    (ORDERS, "取消を除いて、数量が50個以上のものをExcelに", ["J-001", "J-002"]),
    (ORDERS, "受注日が4月以降で、数量が少ない方から2件をExcelに", ["J-005", "J-006"]),
    (ORDERS, "得意先ごとに一番新しい受注だけを残してExcelに", ["J-006", "J-005", "J-004"]),
    (ORDERS, "担当者が田中か佐藤で、数量が20を超えるもの", ["J-001", "J-003", "J-004"]),
    (ORDERS, "まだ出荷していない受注をExcelに", ["J-002", "J-005"]),
    (INVOICES, "List the invoices not yet paid in Excel", ["I-2", "I-3", "I-4"]),
    (INVOICES, "Every invoice for Acme or Bolt except the ones already paid", ["I-2", "I-3"]),
    (INVOICES, "Issued in Q1 2026 with amount between 400 and 1500", ["I-1", "I-2", "I-3"]),
    (INVOICES, "Invoices overdue as of 2026-03-20 and not fully paid, in Excel", ["I-2", "I-3"]),
    (INVOICES, "All disputed or open invoices over 500, newest issue date first", ["I-4", "I-2"]),
)  # fmt: skip


def test_conditions_in_other_words(desk: Desk) -> None:
    for table, said, wanted in KEPT:
        rows = first(desk.draft(said, 表__csv=table))
        assert column(rows, "受注番号" if table is ORDERS else "Invoice No") == wanted, said


def test_a_condition_said_late_is_done_before_rows_are_added_up(desk: Desk) -> None:
    said = "Total the invoiced amount per customer, skip disputed ones, highest first."
    rows = first(desk.draft(said, invoices__csv=INVOICES))
    assert [tuple(row.values())[:2] for row in rows] == [("Acme", 1650), ("Bolt", 899)]
    said = "品目ごとに単価が最も安い業者を選んでExcelに。単価が空欄のものは除きます。"
    rows = first(desk.draft(said, 見積__csv=BIDS))
    assert column(rows, "業者") == ["C社", "B社"]


def test_what_another_table_lacks_gets_the_word_for_it(desk: Desk) -> None:
    said = (
        "受注に得意先マスタの地区を付けて、地区ごとの数量合計をExcelに。"
        "マスタに無い得意先は「不明」として。"
    )
    rows = first(desk.draft(said, 受注__csv=ORDERS, 得意先マスタ__csv=CUSTOMERS))
    assert {row["地区"]: row["数量合計"] for row in rows} == {"東北": 310, "北海道": 54, "不明": 30}
    said = "得意先ごとの受注金額（数量×単価）の合計が与信限度額を超えている得意先をExcelに"
    rows = first(desk.draft(said, 受注__csv=ORDERS, 得意先マスタ__csv=CUSTOMERS))
    assert column(rows, "得意先") == ["青葉商事", "北斗工業"]


def test_labels_follow_the_column_that_was_spoken_of(desk: Desk) -> None:
    said = (
        "数量が100以上は「大口」、30以上100未満は「中口」、それ以外は「小口」として"
        "区分列を追加しExcelに"
    )
    rows = first(desk.draft(said, 受注__csv=ORDERS))
    assert column(rows, "区分") == ["大口", "中口", "大口", "中口", "小口", "小口"]
    said = (
        'Flag invoices above 1000 as "Large" and everything else as "Small" in a new column Size.'
    )
    rows = first(desk.draft(said, invoices__csv=INVOICES))
    assert column(rows, "Size") == ["Large", "Small", "Small", "Large", "Small"]


def test_sheets_are_made_each_for_itself(desk: Desk) -> None:
    said = (
        'A workbook with two sheets: "Detail" with all unpaid invoices, and "Summary" with the '
        "total amount by status."
    )
    made = results(desk.draft(said, invoices__csv=INVOICES))
    assert column(made["Detail"], "Invoice No") == ["I-2", "I-3", "I-4"]
    assert len(made["Summary"]) == 3


def test_what_a_person_enters_decides_rows(desk: Desk) -> None:
    for said, operator in (
        ("実行のたびに担当者名を入力してもらい、その担当者の受注だけをExcelにする", "eq"),
        ("指定した日付より前に受注したものをExcelに。日付は実行時に入力します。", "lt"),
    ):
        draft = desk.draft(said, 受注__csv=ORDERS)
        (keep,) = [node for node in draft.nodes if node.get("block") == "transforms.filter"]
        (condition,) = keep["in"]["conditions"]
        assert condition["operator"] == operator, said
        assert "collected_data" in condition["value"], said
