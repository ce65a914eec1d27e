"""transforms.join: the same rows as a naive join, and columns as a plan selects them."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.values import key_of
from tests.examples import examples
from tests.unit.blocks.computing import compute

CATALOG = Catalog.load(None)
LEFT = [
    {"取引先": "青葉商店", "請求額": 100, "備考": "左"},
    {"取引先": "若葉工業", "請求額": 200, "備考": ""},
]
RIGHT = [
    {"得意先": "青葉商店 ", "入金額": 100, "備考": "右"},
    {"得意先": "山川運輸", "入金額": 300, "備考": ""},
]


def _join(left: Any, right: Any, **given_: Any) -> Any:
    return compute("transforms.join", {"left": left, "right": right, **given_}, catalog=CATALOG)


KEYS = st.sampled_from([None, "", 1, "1", "１", "a", "Ａ", "2024/5/1", "2024-05-01"])
SIDE = st.lists(st.fixed_dictionaries({"k": KEYS, "m": st.sampled_from([1, 2])}), max_size=6)


def _naive(left: Any, right: Any, keys: list[str], strategy: str) -> list[tuple[Any, Any]]:
    def fits(one: Any, other: Any) -> bool:
        forms = [(key_of(one[key]), key_of(other[key])) for key in keys]
        return all(a is not None and a == b for a, b in forms)

    pairs = [(x["n"], y["n"]) for x, y in product(left, right) if fits(x, y)]
    matched_left, matched_right = {x for x, _ in pairs}, {y for _, y in pairs}
    alone_left = [(x["n"], None) for x in left if x["n"] not in matched_left]
    alone_right = [(None, y["n"]) for y in right if y["n"] not in matched_right]
    return {
        "inner": pairs,
        "left": pairs + alone_left,
        "right": pairs + alone_right,
        "outer": pairs + alone_left + alone_right,
        "anti": alone_left,
        "semi": [(x, None) for x in sorted(matched_left)],
    }[strategy]


@settings(max_examples=examples(80))
@given(
    SIDE,
    SIDE,
    st.sampled_from([["k"], ["k", "m"]]),
    st.sampled_from(["inner", "left", "right", "outer", "anti", "semi"]),
)
def test_it_joins_as_a_naive_join_does(
    left: list[dict[str, Any]], right: list[dict[str, Any]], keys: list[str], strategy: str
) -> None:
    one = [{**row, "n": number} for number, row in enumerate(left)]
    other = [{**row, "n": number} for number, row in enumerate(right)]
    select = {"l": "left.n"} if strategy in ("anti", "semi") else {"l": "left.n", "r": "right.n"}
    made = _join(one, other, left_key=keys, strategy=strategy, select=select)
    rows = [(row["l"], row.get("r")) for row in made["rows"]]
    assert sorted(rows, key=str) == sorted(_naive(one, other, keys, strategy), key=str)
    assert made["summary"]["rows"] == len(rows)
    assert made["summary"]["matched_left"] + made["summary"]["unmatched_left"] == len(left)


def test_columns_of_both_sides_stand_beside_each_other() -> None:
    made = _join(LEFT, RIGHT, left_key="取引先", right_key="得意先", strategy="outer")
    assert made["rows"][0] == {
        "取引先": "青葉商店",
        "請求額": 100,
        "備考": "左",
        "得意先": "青葉商店 ",
        "入金額": 100,
        "備考_right": "右",
    }
    assert made["rows"][1]["入金額"] is None
    assert made["rows"][2]["取引先"] is None
    assert made["summary"]["renamed"] == {"備考": "備考_right"}


def test_a_key_of_one_name_is_filled_from_either_side() -> None:
    made = _join([{"k": 1, "a": 1}], [{"k": 2, "b": 2}], left_key="k", strategy="outer")
    assert made["rows"] == [{"k": 1, "a": 1, "b": None}, {"k": 2, "a": None, "b": 2}]


@pytest.mark.parametrize(
    ("select", "row"),
    [
        (["取引先", "right.入金額"], {"取引先": "青葉商店", "入金額": 100}),
        (["取引先", "right.備考 as メモ"], {"取引先": "青葉商店", "メモ": "右"}),
        ({"入金": "right.入金額"}, {"入金": 100}),
        ({"left": ["請求額"], "right": ["入金額"]}, {"請求額": 100, "入金額": 100}),
        ([{"field": "入金額", "as": "入金"}, {"メモ": "left.備考"}], {"入金": 100, "メモ": "左"}),
        (["left.*", "備考_right"], {**LEFT[0], "備考_right": "右"}),
    ],
)
def test_columns_are_selected_in_any_notation(select: Any, row: dict[str, Any]) -> None:
    made = _join(LEFT, RIGHT, left_key="取引先", right_key="得意先", select=select)
    assert made["rows"] == [row]


def test_prefixes_and_companies() -> None:
    made = _join(
        [{"社名": "㈱青葉", "x": 1}],
        [{"名前": "青葉株式会社", "x": 2}],
        left_key="社名",
        right_key="名前",
        options={"match": "company", "left_prefix": "請求_", "right_prefix": "入金_"},
    )
    assert made["rows"] == [
        {"請求_社名": "㈱青葉", "請求_x": 1, "入金_名前": "青葉株式会社", "入金_x": 2}
    ]


def test_an_empty_side_is_no_problem() -> None:
    made = _join(LEFT, [], left_key="取引先", strategy="left", select=["取引先", "入金額"])
    assert made["rows"][0] == {"取引先": "青葉商店", "入金額": None}
    assert _join([], RIGHT, left_key="得意先", strategy="right")["rows"][0]["入金額"] == 100


def test_several_partners_are_all_taken_or_the_first_or_refused() -> None:
    left, right = [{"k": 1}], [{"k": 1, "v": "a"}, {"k": "１", "v": "b"}]
    assert [row["v"] for row in _join(left, right, left_key="k", strategy="all")["rows"]] == [
        "a",
        "b",
    ]
    first = _join(left, right, left_key="k")
    assert [row["v"] for row in first["rows"]] == ["a"]
    with pytest.raises(InvalidInput, match="2件"):
        _join(left, right, left_key="k", strategy="all", options={"duplicates": "fail"})


def test_a_join_that_explodes_is_refused_before_it_is_made() -> None:
    with pytest.raises(LimitExceeded):
        _join([{"k": 1}] * 1100, [{"k": 1}] * 1000, left_key="k", strategy="all")


@pytest.mark.parametrize(
    ("given_", "text_id"),
    [
        ({"left_key": "取引先", "right_key": ["得意先", "入金額"]}, "transform_keys_uneven"),
        ({"left_key": []}, "transform_keys_empty"),
        ({"left_key": "取引"}, "transform_field_unknown"),
        (
            {"left_key": "取引先", "right_key": "得意先", "select": ["ない"]},
            "transform_field_unknown",
        ),
        (
            {"left_key": "取引先", "right_key": "得意先", "select": ["備考", "left.備考"]},
            "transform_columns_clash",
        ),
        ({"left_key": "取引先", "strategy": "cross"}, "block_input_invalid"),
    ],
)
def test_what_can_not_be_joined_is_refused(given_: dict[str, Any], text_id: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        _join(LEFT, RIGHT, **given_)
    assert caught.value.problem.text_id == text_id
