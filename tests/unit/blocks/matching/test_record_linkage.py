"""matching.record_linkage: pairs as trying every pair would find them, each record used once."""

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.matching import pairing
from sanbo.blocks.matching.comparisons import Comparison, Pairs, Respect, Tolerance
from sanbo.blocks.matching.linkage_keys import comparison_of
from sanbo.blocks.matching.pairing import find_pairs
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from tests.examples import examples
from tests.unit.blocks.computing import compute

CATALOG = Catalog.load(None)
INVOICES = [
    {"請求先": "株式会社青葉商店", "請求額": 110000, "期限": "2024-05-31"},
    {"請求先": "若葉工業(有)", "請求額": 5500, "期限": "2024-05-31"},
    {"請求先": "山川運輸㈱", "請求額": 22000, "期限": "2024-06-30"},
]
PAYMENTS = [
    {"振込人": "ﾕ)ﾜｶﾊﾞｺｳｷﾞﾖｳ", "入金額": "5,500", "入金日": "令和6年5月30日"},
    {"振込人": "ｶ)ｱｵﾊﾞｼﾖｳﾃﾝ", "入金額": "109,560円", "入金日": "2024/6/1"},
    {"振込人": "ｶ)ﾐﾄﾞﾘ", "入金額": 22000, "入金日": "2024/6/1"},
]
NAMES = {"left": "請求先", "right": "振込人", "type": "company"}


def _link(left: Any = INVOICES, right: Any = PAYMENTS, **given_: Any) -> Any:
    given_ = {"assignment": "one_to_one", **given_}
    given_ = {"left": left, "right": right, **given_}
    return compute("matching.record_linkage", given_, catalog=CATALOG)


def _pairs(made: Any) -> list[tuple[int, int]]:
    return [(one["left_index"], one["right_index"]) for one in made["matches"]]


def test_names_amounts_and_days_are_brought_together() -> None:
    made = _link(
        strategy="combined",
        keys=[NAMES],
        window={
            "amount": {"left": "請求額", "right": "入金額", "tolerance": 880},
            "date": {"left": "期限", "right": "入金日", "days": 5},
        },
    )
    assert _pairs(made) == [(0, 1), (1, 0)]
    assert made["matches"][0]["reason"] == (
        "請求額 / 入金額の差 -440、期限 / 入金日の差 +1日、請求先 / 振込人が一致"
    )
    assert made["unmatched_left"] == [INVOICES[2]]
    assert made["unmatched_right"] == [PAYMENTS[2]]


def test_reasons_are_told_in_english_too() -> None:
    given_ = {"left": INVOICES, "right": PAYMENTS, "strategy": "fuzzy", "keys": [NAMES]}
    made = compute("matching.record_linkage", given_, language="en")
    assert made["matches"][0]["reason"] == "請求先 / 振込人 is the same"


@pytest.mark.parametrize(
    "keys",
    [
        "k",
        ["k"],
        [{"field": "k"}],
        [["k", "k"]],
        {"k": "k"},
        [{"left": "k", "right": "k", "type": "exact"}],
    ],
)
def test_keys_are_written_in_any_notation(keys: Any) -> None:
    left, right = [{"k": "A1"}, {"k": None}], [{"k": "A1"}, {"k": ""}]
    assert _pairs(_link(left, right, keys=keys)) == [(0, 0)]


def test_keys_of_type_exact_are_the_same_in_any_width_and_case() -> None:
    keys = [{"left": "k", "right": "k", "type": "exact"}]
    assert _pairs(_link([{"k": "Ａ1"}], [{"k": "a1"}], keys=keys)) == [(0, 0)]


def test_a_window_may_lie_on_one_side_only() -> None:
    left, right = [{"d": "2024-05-31"}], [{"d": "2024-05-30"}, {"d": "2024-06-03"}]
    window = {"date": {"field": "d", "after": 5}}
    assert _pairs(_link(left, right, strategy="window", window=window)) == [(0, 1)]
    early = {"date": {"field": "d", "before": 5, "after": 0}}
    assert _pairs(_link(left, right, strategy="window", window=early)) == [(0, 0)]
    share = [{"field": "x", "percent": 1}]
    assert _pairs(_link([{"x": 1000}], [{"x": 995}], strategy="window", window=share)) == [(0, 0)]
    assert _pairs(_link([{"x": 1000}], [{"x": 985}], strategy="window", window=share)) == []


def test_near_misses_are_candidates_and_equals_ambiguous() -> None:
    left = [{"n": "青葉商店東京支店"}, {"n": "若葉"}]
    right = [{"n": "青葉商店東京支店"}, {"n": "青葉商店東京本店"}, {"n": "青葉商店東京支店"}]
    made = _link(left, right, strategy="fuzzy", keys="n", fuzzy={"threshold": 90})
    assert _pairs(made) == [(0, 0)]
    assert made["matches"][0]["ambiguous"] is True
    assert [(one["right_index"], one["below_threshold"]) for one in made["candidates"]] == [
        (2, False),
        (1, True),
    ]


def test_a_perfect_pair_is_never_given_up_for_two_middling_ones() -> None:
    left, right = [{"n": "abcdefgh"}, {"n": "abcdefgx"}], [{"n": "abcdefgh"}, {"n": "abcdefyh"}]
    made = _link(left, right, strategy="fuzzy", keys="n", fuzzy={"threshold": 0.7})
    assert (0, 0) in _pairs(made)


def test_records_may_serve_once_or_often() -> None:
    left, right = [{"k": 1}, {"k": 1}, {"k": 1}], [{"k": 1}, {"k": 1}]
    assert _pairs(_link(left, right, keys="k")) == [(0, 0), (1, 1)]
    assert len(_pairs(_link(left, right, keys="k", assignment="best"))) == 3
    assert len(_pairs(_link(left, right, keys="k", assignment="all"))) == 6


def test_thousands_of_one_key_are_paired_in_their_order() -> None:
    made = _link([{"k": 1}] * 700, [{"k": 1}] * 600, keys="k")
    assert _pairs(made) == [(n, n) for n in range(600)]


def test_some_keys_can_be_alike_and_others_the_same() -> None:
    left, right = (
        [{"c": "1", "n": "青葉商店"}],
        [{"c": "2", "n": "青葉商店"}, {"c": "1", "n": "青葉商会"}],
    )
    made = _link(
        left, right, strategy="fuzzy", keys=["c", "n"], fuzzy={"fields": ["n"], "threshold": 0.7}
    )
    assert _pairs(made) == [(0, 1)]


@pytest.mark.parametrize(
    ("given_", "text_id"),
    [
        ({}, "matching_nothing_compared"),
        ({"strategy": "window", "keys": [NAMES]}, "matching_window_missing"),
        ({"keys": [{"left": "請求", "right": "振込人"}]}, "transform_field_unknown"),
        ({"keys": [{"weight": 1}]}, "matching_key_unnamed"),
        ({"keys": [{**NAMES, "type": "smell"}]}, "matching_kind_unknown"),
        ({"window": {"left": "請求先", "right": "振込人", "percent": 1}}, "matching_window_kind"),
        (
            {"keys": [NAMES], "window": {"date": {"left": "期限", "right": "入金日", "dais": 1}}},
            "transform_option_invalid",
        ),
    ],
)
def test_what_can_not_be_compared_is_refused(given_: dict[str, Any], text_id: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        _link(**given_)
    assert caught.value.problem.text_id == text_id


def test_hours_of_work_are_a_problem_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"x": "a", "y": 1}] * 5
    monkeypatch.setattr(pairing, "MOST_FOUND", 10)
    with pytest.raises(LimitExceeded) as caught:
        _link(rows, rows, strategy="fuzzy", keys="x")
    assert caught.value.problem.text_id == "matching_too_many_found"
    monkeypatch.setattr(pairing, "MOST_LOOKED_AT", 10)
    with pytest.raises(LimitExceeded) as caught:  # neither needs to agree: every pair is possible
        _link(rows, rows, strategy="fuzzy", keys=["x", "y"], fuzzy={"threshold": 0.4})
    assert caught.value.problem.text_id == "matching_too_many_pairs"


def test_thousands_of_names_are_compared_with_thousands_in_a_second() -> None:
    chance = random.Random(5)
    names = [
        "".join(chance.choice("青若葉山川田商店工業運輸物産東西南北第一二三") for _ in range(7))
        for _ in range(5_000)
    ]
    left = [f"株式会社{name}" for name in names]
    right = [f"{name[:3]}新{name[4:]}㈱" for name in names]
    respect = Respect("n", "company", "n", "n")
    comparison = comparison_of(respect, left, right, Tolerance())
    found = find_pairs([comparison], 0.85)
    assert len(set(found.pairs.left.tolist())) == 5_000


TEXTS = st.text(alphabet="青葉商店アBb1 ", max_size=6)
NUMBERS = st.one_of(st.none(), st.integers(0, 30), st.sampled_from(["1,0", "１２円", "未定"]))
RECORDS = st.lists(
    st.fixed_dictionaries({"t": TEXTS, "x": NUMBERS, "c": st.sampled_from("abc")}), max_size=7
)


@settings(max_examples=examples(100))
@given(
    RECORDS,
    RECORDS,
    st.sampled_from([0.5, 0.7, 0.85, 1.0]),
    st.sampled_from(["text", "company"]),
    st.tuples(
        st.sampled_from([1.0, 3.0]), st.sampled_from([1.0, 2.0]), st.sampled_from([0.5, 1.0])
    ),
)
def test_no_pair_is_missed_that_trying_every_pair_would_find(
    left: list[dict[str, Any]],
    right: list[dict[str, Any]],
    threshold: float,
    kind: Any,
    weights: tuple[float, float, float],
) -> None:
    def built(name: str, kind: Any, weight: float, tolerance: Tolerance) -> Comparison:
        one, other = ([row[name] for row in side] for side in (left, right))
        return comparison_of(Respect(name, kind, name, name, weight), one, other, tolerance)

    comparisons = [
        built("t", kind, weights[0], Tolerance()),
        built("x", "number", weights[1], Tolerance(2, 2, 0.1)),
        built("c", "exact", weights[2], Tolerance()),
    ]
    found = find_pairs(comparisons, threshold)
    every = np.array(list(product(range(len(left)), range(len(right)))), dtype=np.int64).reshape(
        -1, 2
    )
    pairs = Pairs(every[:, 0], every[:, 1])
    total = np.zeros(len(pairs))
    for one in comparisons:
        total += one.respect.weight * one.scores(pairs) / sum(weights)
    wanted: Any = every[total >= threshold - 1e-9].tolist()
    assert np.column_stack([found.pairs.left, found.pairs.right]).tolist() == wanted


@settings(max_examples=examples(40))
@given(RECORDS, RECORDS)
def test_each_record_is_given_away_once_at_most(
    left: list[dict[str, Any]], right: list[dict[str, Any]]
) -> None:
    made = _link(
        left,
        right,
        strategy="fuzzy",
        keys=[{"field": "t", "type": "text"}],
        fuzzy={"threshold": 0.5},
    )
    pairs = _pairs(made)
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
    assert len(made["unmatched_left"]) == len(left) - len(pairs)
    assert len(made["unmatched_right"]) == len(right) - len(pairs)
    assert all(one["score"] >= 0.5 for one in made["matches"])


def test_keys_may_be_listed_side_by_side() -> None:
    rows = {"left": [{"請求先": "青葉商店", "額": 1}], "right": [{"振込人": "青葉商店", "円": 1}]}
    keys = {"left": ["請求先", "額"], "right": ["振込人", "円"]}
    for strategy in ("exact", "hybrid"):
        made = compute("matching.record_linkage", {**rows, "keys": keys, "strategy": strategy})
        assert len(made["matches"]) == 1
    uneven = {**rows, "keys": {"left": ["請求先"], "right": []}}
    with pytest.raises(InvalidInput, match="left"):
        compute("matching.record_linkage", uneven)
