"""matching.similarity_cluster: duplicates found, and nothing else put together."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.blocks.computing import compute

CATALOG = Catalog.load(None)
ITEMS = [
    {"社": "株式会社青葉商店", "額": 11000, "日": "2024-05-01"},
    {"社": "若葉工業", "額": 11000, "日": "2024-05-01"},
    {"社": "青葉商店㈱", "額": "１１，０００円", "日": "令和6年5月2日"},
    {"社": "青葉商店", "額": 900, "日": "2024-05-01"},
]


def _cluster(items: Any = ITEMS, **given_: Any) -> Any:
    given_ = {"items": items, "min_size": 2, "threshold": 0.85, **given_}
    return compute("matching.similarity_cluster", given_, catalog=CATALOG)


@pytest.mark.parametrize(
    "spec",
    [
        ["社", "額"],
        {"社": "company", "額": "number"},
        {"fields": [{"field": "社", "type": "company"}, {"field": "額"}]},
        {"社": 1, "額": 1},
        [
            {"field": "社", "type": "company"},
            {"field": "額"},
            {"field": "日", "days": 3, "weight": 0.5},
        ],
    ],
)
def test_what_to_compare_is_written_in_any_notation(spec: Any) -> None:
    made = _cluster(feature_spec=spec)
    assert [cluster["indices"] for cluster in made["groups"]] == [[0, 2]]
    assert made["labels"] == [0, None, 0, None]
    assert made["summary"]["singletons"] == 2
    assert made["candidates"][0]["left"] == ITEMS[0]
    assert "社が一致" in made["candidates"][0]["reason"]


def test_single_rows_are_clusters_where_that_is_asked_for() -> None:
    made = _cluster(feature_spec={"社": "company", "額": "number"}, min_size=1, top_k=0)
    assert [cluster["size"] for cluster in made["groups"]] == [2, 1, 1]
    assert made["candidates"] == []


def test_chains_hold_together_or_are_cut() -> None:
    chain = [
        {"n": "aaaaaaaa"},
        {"n": "aaaaaabb"},
        {"n": "aaaabbbb"},
        {"n": "aabbbbbb"},
        {"n": "xyz"},
    ]
    spec = {"n": "text"}
    linked = _cluster(chain, feature_spec=spec, threshold=75)
    assert [cluster["indices"] for cluster in linked["groups"]] == [[0, 1, 2, 3]]
    for method in ("hierarchical", "complete"):
        cut = _cluster(chain, feature_spec=spec, threshold=0.75, method=method)
        assert [cluster["indices"] for cluster in cut["groups"]] == [[0, 1], [2, 3]]


def test_a_field_of_its_own_can_be_indispensable() -> None:
    spec = [{"field": "社", "type": "company", "weight": 10}, {"field": "額", "threshold": 1}]
    assert [cluster["indices"] for cluster in _cluster(feature_spec=spec)["groups"]] == [[0, 2]]


def test_what_can_not_be_compared_is_refused() -> None:
    for spec in ([], ["会社"], [{"field": "社", "type": "smell"}]):
        with pytest.raises(InvalidInput):
            _cluster(feature_spec=spec)
    assert len(_cluster(feature_spec=["社"], threshold=0)["groups"]) == 1
    big = [{"n": "青葉", "k": number // 2} for number in range(400)]
    assert len(_cluster(big, feature_spec={"k": "exact"})["groups"]) == 200


def test_nothing_is_no_problem() -> None:
    made = _cluster([], feature_spec=["社"])
    assert made["groups"] == []
    assert made["labels"] == []


@settings(max_examples=examples(40))
@given(
    st.lists(st.fixed_dictionaries({"n": st.text(alphabet="ab青", max_size=5)}), max_size=8),
    st.sampled_from(["threshold", "average", "complete"]),
)
def test_every_row_is_in_one_cluster(rows: list[dict[str, Any]], method: str) -> None:
    made = _cluster(rows, feature_spec={"n": "text"}, method=method, threshold=0.6, min_size=1)
    members = [index for cluster in made["groups"] for index in cluster["indices"]]
    assert sorted(members) == list(range(len(rows)))
    firsts = [cluster["indices"][0] for cluster in made["groups"]]
    assert firsts == sorted(firsts)
    if method == "complete":
        alike = {(one["left_index"], one["right_index"]) for one in made["candidates"]}
        for cluster in made["groups"]:
            inside = cluster["indices"]
            assert all((a, b) in alike for a in inside for b in inside if a < b)


def test_fields_may_be_listed_by_how_they_are_compared() -> None:
    by_kind = {"company": ["社"], "number_fields": ["額"], "weights": {"額": 2}}
    listed = [{"field": "社", "type": "company"}, {"field": "額", "type": "number", "weight": 2}]
    found = _cluster(feature_spec=by_kind)
    assert found["candidates"] == _cluster(feature_spec=listed)["candidates"]


def test_a_wrong_option_is_told_in_the_readers_language() -> None:
    with pytest.raises(InvalidInput) as refused:
        _cluster(feature_spec=[{"field": "社", "type": "company", "weight": 0}])
    assert "Input should" not in refused.value.problem.message
