"""Which payments settle which invoices, as an accountant would see it."""

from typing import Any

import pytest

from sanbo.kernel.problems import InvalidInput
from tests.unit.blocks.computing import Computed, compute

Rows = list[dict[str, Any]]


def invoice(
    number: str, name: str, amount: Any, due: str = "2026-05-29", **more: Any
) -> dict[str, Any]:
    return {"請求書番号": number, "請求先": name, "請求金額": amount, "支払期限": due, **more}


def payment(name: str, amount: Any, day: str = "2026-05-29", **more: Any) -> dict[str, Any]:
    return {"取引日": day, "摘要": name, "お預り金額": amount, **more}


def reconciled(invoices: Rows, payments: Rows, **more: Any) -> Computed:
    return compute("matching.reconcile", {"invoices": invoices, "payments": payments, **more})


def kinds(result: Computed) -> list[list[str]]:
    return [match["kinds"] for match in result["matched"]]


def pairs(result: Computed) -> list[tuple[list[str], list[int]]]:
    """Numbers of invoices and rows of payments that were brought together."""
    return [
        ([each["id"] for each in match["invoices"]], [each["row"] for each in match["payments"]])
        for match in result["matched"]
    ]


@pytest.mark.parametrize(
    ("customer", "payer"),
    [
        ("株式会社山田商事", "ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ"),
        ("山田商事㈱", "ﾔﾏﾀﾞｼﾖｳｼﾞ(ｶ"),
        ("（株）山田　商事 御中", "山田商事株式会社"),
        ("有限会社みどり文具", "ﾕ)ﾐﾄﾞﾘﾌﾞﾝｸﾞ"),
        ("北斗フーズ株式会社", "振込 ﾎｸﾄﾌ-ｽﾞ(ｶ"),
        ("医療法人社団青空会", "ｲ)ｱｵｿﾞﾗｶｲ"),
        ("髙橋工業株式会社", "高橋工業（株）"),
        ("ABC商事株式会社", "ｴ-ﾋﾞ-ｼ-ｼﾖｳｼﾞ(ｶ"),
    ],
)
def test_a_company_is_known_by_every_way_of_writing_it(customer: str, payer: str) -> None:
    result = reconciled([invoice("INV-1", customer, 11000)], [payment(payer, "11,000")])
    assert kinds(result) == [["exact"]]
    assert result["rows"][0]["判定"] == "一致"


@pytest.mark.parametrize(
    ("amount", "paid", "expected"),
    [
        (110_000, 109_560, ["fee_deducted"]),
        (110_000, 108_000, ["short_paid"]),
        (110_000, 112_000, ["over_paid"]),
        ("￥110,000-", "１１０，０００円", ["exact"]),
        (110_000, 109_890, ["fee_deducted"]),
        (110_000, 109_891, ["short_paid"]),
    ],
)
def test_what_is_missing_is_told_for_what_it_is(
    amount: Any, paid: Any, expected: list[str]
) -> None:
    result = reconciled([invoice("A", "山田商事", amount)], [payment("ﾔﾏﾀﾞｼﾖｳｼﾞ", paid)])
    assert kinds(result) == [expected]
    assert len(result["differences"]) == (expected != ["exact"])


def test_a_late_payment_is_late_by_days_but_not_over_a_weekend() -> None:
    late = reconciled([invoice("A", "山田商事", 500)], [payment("山田商事", 500, "2026-06-02")])
    assert kinds(late) == [["exact", "late"]]
    assert "4日" in late["differences"][0]["explanation"]
    sunday = invoice("A", "山田商事", 500, "2026-05-31")
    assert kinds(reconciled([sunday], [payment("山田商事", 500, "2026-06-01")])) == [["exact"]]
    graced = reconciled(
        [invoice("A", "山田商事", 500)], [payment("山田商事", 500, "2026-06-02")], grace_days=5
    )
    assert kinds(graced) == [["exact"]]


def test_one_transfer_for_several_invoices_and_several_for_one() -> None:
    result = reconciled(
        [
            invoice("A", "北斗フーズ", 54_000),
            invoice("B", "北斗フーズ", 66_000),
            invoice("C", "みどり文具", 220_000),
        ],
        [payment("ﾎｸﾄﾌ-ｽﾞ", 120_000), payment("ﾐﾄﾞﾘﾌﾞﾝｸﾞ", 100_000), payment("ﾐﾄﾞﾘﾌﾞﾝｸﾞ", 120_000)],
    )
    assert pairs(result) == [(["A", "B"], [1]), (["C"], [2, 3])]
    assert kinds(result) == [["combined_payment"], ["split_payment"]]


def test_some_of_a_customers_invoices_are_found_when_they_add_up() -> None:
    due = ["2026-04-30", "2026-05-29", "2026-06-30", "2026-07-31"]
    invoices = [
        invoice(str(n), "山田商事", amount, day)
        for n, (amount, day) in enumerate(zip([31_000, 47_500, 12_340, 90_000], due, strict=True))
    ]
    result = reconciled(invoices, [payment("ﾔﾏﾀﾞｼﾖｳｼﾞ", 31_000 + 12_340)])
    assert pairs(result) == [(["0", "2"], [1])]
    assert result["summary"]["unmatched_invoices"] == 2


def test_a_combined_payment_may_be_short_of_a_fee_and_shares_it_out() -> None:
    result = reconciled(
        [invoice("A", "北斗フーズ", 54_000), invoice("B", "北斗フーズ", 66_000)],
        [payment("ﾎｸﾄﾌ-ｽﾞ", 119_340)],
    )
    assert kinds(result) == [["combined_payment", "fee_deducted"]]
    assert [row["入金額"] for row in result["rows"]] == [54_000, 65_340]


def test_the_best_whole_is_chosen_and_not_the_first_pair() -> None:
    result = reconciled(
        [
            invoice("四月", "山田商事", 5_500, "2026-04-30"),
            invoice("五月", "山田商事", 5_500, "2026-05-29"),
        ],
        [payment("山田商事", 5_500, "2026-05-28"), payment("山田商事", 5_500, "2026-04-28")],
    )
    assert pairs(result) == [(["四月"], [2]), (["五月"], [1])]


def test_an_exact_amount_wins_over_one_less_a_fee() -> None:
    result = reconciled(
        [invoice("A", "山田商事", 10_000), invoice("B", "山田商事", 9_560)],
        [payment("山田商事", 9_560)],
    )
    assert pairs(result) == [(["B"], [1])]
    assert [each["id"] for each in result["unmatched_invoices"]] == ["A"]


def test_a_number_in_the_memo_settles_which_invoice_is_meant() -> None:
    invoices = [invoice("INV-2026-001", "青葉会", 8_800), invoice("INV-2026-002", "若葉会", 8_800)]
    paid = payment("ﾀﾅｶ ﾀﾛｳ", 8_800, メモ="請求 INV-2026-002 の分")
    assert pairs(reconciled(invoices, [paid])) == [(["INV-2026-002"], [1])]


def test_another_name_over_the_same_amount_is_pointed_at_but_not_matched() -> None:
    result = reconciled([invoice("A", "山田商事", 34_567)], [payment("ﾐﾅﾄｺｳｷﾞﾖｳ", 34_567)])
    assert result["matched"] == []
    assert result["unmatched_payments"][0]["kind"] == "same_amount_other_name"
    assert result["unmatched_payments"][0]["candidates"][0]["id"] == "A"
    known = reconciled(
        [invoice("A", "山田商事", 34_567)],
        [payment("ﾐﾅﾄｺｳｷﾞﾖｳ", 34_567)],
        aliases={"ミナトコウギョウ": "株式会社山田商事"},
    )
    assert kinds(known) == [["exact"]]


def test_a_payment_that_comes_twice_is_told_as_such() -> None:
    twice = [payment("山田商事", 5_500, "2026-05-28"), payment("山田商事", 5_500, "2026-05-29")]
    result = reconciled([invoice("A", "山田商事", 5_500)], twice)
    assert pairs(result) == [(["A"], [2])]
    assert [each["kind"] for each in result["unmatched_payments"]] == ["duplicate_payment"]


def test_open_invoices_are_overdue_or_not_due_yet_on_the_day_of_the_statement() -> None:
    result = reconciled(
        [invoice("A", "青葉会", 1), invoice("B", "若葉会", 2, "2026-06-30")],
        [payment("ﾃｽｳﾘﾖｳ", None, "2026-06-05", お支払金額=660)],
    )
    assert [each["kind"] for each in result["unmatched_invoices"]] == ["missing_payment", "not_due"]
    assert result["summary"]["as_of"] == "2026-06-05"
    assert result["summary"]["ignored_payments"] == 1


def test_payments_far_from_the_due_date_are_not_taken() -> None:
    invoices = [invoice("A", "山田商事", 5_500, "2026-05-29")]
    early = [payment("山田商事", 5_500, "2025-05-29")]
    assert reconciled(invoices, early)["matched"] == []
    assert len(reconciled(invoices, early, date_window=400)["matched"]) == 1


def test_a_total_at_the_end_and_money_going_out_are_no_payments() -> None:
    rows = [
        payment("山田商事", 500),
        payment("電気料金", "", お支払金額="3,000"),
        payment("合計", "3,500", ""),
    ]
    result = reconciled([invoice("A", "山田商事", 500)], rows)
    assert [each["row"] for each in result["ignored_payments"]] == [2, 3]
    assert result["unmatched_payments"] == []


def test_an_amount_that_can_not_be_read_stays_visible() -> None:
    result = reconciled([invoice("A", "山田商事", "未定")], [payment("山田商事", "ご確認ください")])
    assert result["unmatched_invoices"][0]["kind"] == "amount_unreadable"
    assert result["unmatched_payments"][0]["kind"] == "amount_unreadable"
    assert result["rows"][0]["請求金額"] is None


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            {"ご請求額": 1, "お支払期日": "2026-05-29", "得意先名": "甲"},
            ("ご請求額", "お支払期日", "得意先名"),
        ),
        (
            {"合計金額（税込）": 1, "請求日": "2026-05-29", "宛名": "甲"},
            ("合計金額（税込）", "", "宛名"),
        ),
        (
            {"Amount": 1, "Due Date": "2026-05-29", "Customer": "A"},
            ("Amount", "Due Date", "Customer"),
        ),
    ],
)
def test_columns_are_known_by_their_headings(
    rows: dict[str, Any], told: tuple[str, str, str]
) -> None:
    fields = reconciled([rows], [])["summary"]["invoice_fields"]
    assert (fields["amount"], fields.get("date", ""), fields["name"]) == told


def test_texts_are_in_the_language_of_the_run() -> None:
    result = compute(
        "matching.reconcile",
        {
            "invoices": [invoice("A", "Acme Inc.", 100)],
            "payments": [payment("ACME", 100, "2026-06-10")],
        },
        language="en",
    )
    assert "12 days late" in result["differences"][0]["explanation"]
    assert result["rows"][0]["差異"] == "paid late"


@pytest.mark.parametrize(
    ("given", "text_id"),
    [
        ({"invoices": [{"番号": 1}]}, "reconcile_amount_missing.invoices"),
        ({"invoice_fields": {"amout": "請求金額"}}, "reconcile_field_unknown"),
        ({"invoice_fields": {"amount": "請求金額 "}}, "reconcile_heading_missing.invoices"),
        ({"date_window": {"befor": 3}}, "reconcile_option_unknown"),
        ({"fee_range": [880, 110]}, "reconcile_option_value"),
        ({"fee_range": [1]}, "reconcile_option_value"),
        ({"as_of": "いつか"}, "reconcile_option_value"),
    ],
)
def test_what_can_not_be_used_is_refused_with_its_name(given: dict[str, Any], text_id: str) -> None:
    base = {"invoices": [invoice("A", "山田商事", 1)], "payments": []}
    with pytest.raises(InvalidInput) as refused:
        compute("matching.reconcile", {**base, **given})
    assert refused.value.problem.text_id == text_id


def test_a_column_without_a_value_is_a_column() -> None:
    paid = [payment("山田商事", 100, メモ=None)]
    result = reconciled([invoice("A", "山田商事", 100)], paid, payment_fields={"memo": "メモ"})
    assert result["summary"]["payment_fields"]["memo"] == "メモ"


def test_without_fees_in_mind_a_fee_is_a_short_payment() -> None:
    invoices, paid = [invoice("A", "山田商事", 10_000)], [payment("山田商事", 9_560)]
    assert kinds(reconciled(invoices, paid, fee_range=False)) == [["short_paid"]]
    assert kinds(reconciled(invoices, paid, amount_tolerance=500)) == [["within_tolerance"]]


def test_nothing_to_reconcile_is_no_problem() -> None:
    result = reconciled([], [])
    assert result["summary"]["invoices"] == result["summary"]["payments"] == 0
    assert result["rows"] == []
