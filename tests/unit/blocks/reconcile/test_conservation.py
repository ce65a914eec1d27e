"""Whatever comes in goes out exactly once, every amount with it; and large files end in time."""

import random
from collections import Counter
from datetime import date, timedelta
from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.block import BlockContext, Given
from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.samples import SampleFiles
from sanbo.blocks.contract.schemas import check_inputs, typed_inputs
from sanbo.blocks.matching.reconcile import Reconcile
from sanbo.blocks.matching.reconciling.passes import adding_up
from tests.cpu_time import timed
from tests.examples import examples

SPEC = Catalog.load(None).resolve("matching.reconcile")
NAMES = ("株式会社山田商事", "ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ", "北斗フーズ", "ﾎｸﾄﾌ-ｽﾞ(ｶ", "みどり文具", "", "ﾀﾅｶ ﾀﾛｳ")
AMOUNTS = st.sampled_from([100, 560, 1_000, 5_500, 5_060, 9_560, 10_000, 11_000, 16_500, -500, 0.5])
DAYS = st.sampled_from([None, "2026-04-30", "2026-05-15", "2026-05-29", "2026-06-30", "いつか"])
INVOICES = st.fixed_dictionaries(
    {"請求先": st.sampled_from(NAMES), "請求金額": AMOUNTS | st.none(), "支払期限": DAYS}
)
PAYMENTS = st.fixed_dictionaries(
    {
        "摘要": st.sampled_from(NAMES),
        "お預り金額": AMOUNTS | st.none() | st.just("未定"),
        "取引日": DAYS,
    }
)


def run(invoices: list[dict[str, Any]], payments: list[dict[str, Any]], **more: Any) -> Any:
    context = BlockContext("ja", SampleFiles({}), "node", "key")
    inputs: dict[str, Any] = {"invoices": invoices, "payments": payments, **more}
    typed = typed_inputs(Reconcile, SPEC, check_inputs(SPEC, inputs))
    assert isinstance(typed, Given)
    return Reconcile().run(typed, context)


@settings(max_examples=examples(100))
@given(st.lists(INVOICES, max_size=12), st.lists(PAYMENTS, max_size=12), st.integers(0, 500))
def test_every_row_and_every_yen_appears_exactly_once(
    invoices: list[dict[str, Any]], payments: list[dict[str, Any]], tolerance: int
) -> None:
    result = run(invoices, payments, amount_tolerance=tolerance)
    owed = [each["row"] for match in result["matched"] for each in match["invoices"]]
    paid = [each["row"] for match in result["matched"] for each in match["payments"]]
    owed += [each["row"] for each in result["unmatched_invoices"]]
    paid += [each["row"] for each in result["unmatched_payments"]]
    paid += [each["row"] for each in result["ignored_payments"]]
    assert sorted(owed) == list(range(1, len(invoices) + 1))
    assert sorted(paid) == list(range(1, len(payments) + 1))
    assert len(result["rows"]) == len(invoices)
    amounts = [each["お預り金額"] for each in payments]
    received = sum(each for each in amounts if isinstance(each, int | float))
    unmatched = sum(each["amount"] or 0 for each in result["unmatched_payments"])
    assert sum(row["入金額"] for row in result["rows"]) + unmatched == received
    assert result == run(invoices, payments, amount_tolerance=tolerance)


@settings(max_examples=examples(60))
@given(st.lists(st.integers(-5, 30), max_size=9), st.integers(-10, 60), st.integers(0, 4))
def test_a_set_that_adds_up_is_found_whenever_there_is_one(
    amounts: list[int], least: int, width: int
) -> None:
    found = adding_up(amounts, least, least + width, 4)
    sets = [
        each
        for size in range(2, 5)
        for each in combinations(range(len(amounts)), size)
        if least <= sum(amounts[position] for position in each) <= least + width
    ]
    if not sets:
        assert found is None
        return
    assert found is not None
    assert found.members == sets[0]
    assert found.others == sum(len(each) == len(sets[0]) for each in sets) - 1


def test_the_order_of_the_payments_does_not_change_what_matches() -> None:
    invoices = [
        {"請求先": f"取引先{n % 7}", "請求金額": 1_000 + 37 * n, "支払期限": "2026-05-29"}
        for n in range(40)
    ]
    payments = [
        {"摘要": f"取引先{n % 7}", "お預り金額": 1_000 + 37 * n, "取引日": "2026-05-28"}
        for n in range(0, 40, 2)
    ]
    shuffled = payments[:]
    random.Random(3).shuffle(shuffled)
    first, second = run(invoices, payments), run(invoices, shuffled)
    assert [row["入金額"] for row in first["rows"]] == [row["入金額"] for row in second["rows"]]


def test_thousands_of_rows_of_few_customers_end_in_time() -> None:
    """The worst: one amount many times, and open rows that never add up."""
    rng = random.Random(5)
    start = date(2026, 1, 1)
    invoices: list[dict[str, Any]] = []
    payments: list[dict[str, Any]] = []
    for n in range(1_200):
        day = (start + timedelta(days=rng.randrange(300))).isoformat()
        name = f"株式会社{'甲乙丙丁'[n % 4]}商事"
        amount = 5_500 if n % 3 else rng.randrange(10_000, 90_000) * 10
        invoices.append({"請求先": name, "請求金額": amount, "支払期限": day})
        paid = amount if n % 3 else rng.randrange(10_000, 90_000) * 10 + 3
        payments.append({"摘要": name, "お預り金額": paid, "取引日": day})
    result, seconds = timed(lambda: run(invoices, payments))
    assert seconds < 20
    assert Counter(match["kinds"][0] for match in result["matched"])["exact"] > 750
