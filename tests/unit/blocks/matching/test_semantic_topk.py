"""matching.semantic_topk: by vectors where there are some, else by words, and it says which."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.problems import InvalidInput
from tests.examples import examples
from tests.unit.blocks.computing import compute

CATALOG = Catalog.load(None)
TEXTS = [
    {"text": "休暇は三日前までに申請する。"},
    {"text": "出張旅費は出張後二週間以内に精算する。"},
    {"text": "会議室は総務課に予約する。"},
]


def _top(**given_: Any) -> Any:
    return compute(
        "matching.semantic_topk", {"require_embeddings": False, **given_}, catalog=CATALOG
    )


def test_words_find_what_is_meant_and_the_summary_says_so() -> None:
    made = _top(query_text="旅費の精算はいつまでですか", items=TEXTS, top_k=2)
    assert made["results"][0]["index"] == 1
    assert 0 < made["results"][0]["score"] <= 1
    assert made["summary"]["method"] == "words"
    assert "言葉で比べました" in made["summary"]["reason"]
    assert _top(query_text="zzz", items=TEXTS)["results"] == []
    assert _top(query_text="予約", items=["休暇", "予約"])["results"][0]["index"] == 1
    other = _top(query_text="予約", items=[{"件名": "予約", "本体": "x"}], text_field="件名")
    assert other["results"][0]["item"] == {"件名": "予約", "本体": "x"}


@pytest.mark.parametrize(
    ("metric", "order"),
    [("cosine", [1, 2, 0]), ("dot", [2, 1, 0]), ("euclid", [1, 0, 2])],
)
def test_vectors_are_compared_by_the_metric(metric: str, order: list[int]) -> None:
    items = [{"embedding": [0, 1]}, {"vector": [1, 0]}, {"embedding": [3, 1]}]
    made = _top(query_embedding=[1, 0], items=items, metric=metric)
    assert [one["index"] for one in made["results"]] == order
    assert made["summary"]["method"] == "embeddings"
    assert made["results"][0]["item"] == items[order[0]]


def test_sparse_vectors_are_compared_too() -> None:
    items = [
        {"text": "a", "vector": {"indices": [5, 9], "values": [1.0, 2.0]}},
        {"text": "b", "vector": {"indices": [7], "values": [1.0]}},
    ]
    made = _top(
        query_embedding={"indices": [9, 1], "values": [1.0, 1.0]}, items=items, min_score=0.1
    )
    assert [one["index"] for one in made["results"]] == [0]
    assert made["results"][0]["score"] == pytest.approx(2 / (5**0.5 * 2**0.5), abs=1e-6)


def test_without_all_vectors_words_are_used_or_it_is_a_problem() -> None:
    items = [{"text": "予約", "embedding": [1, 0]}, {"text": "休暇"}]
    assert _top(query_text="休暇", query_embedding=[1, 0], items=items)["results"][0]["index"] == 1
    with pytest.raises(InvalidInput) as caught:
        _top(query_text="休暇", query_embedding=[1, 0], items=items, require_embeddings=True)
    assert "items.1" in caught.value.problem.message
    with pytest.raises(InvalidInput):
        _top(query_text="休暇", items=items, require_embeddings=True)
    with pytest.raises(InvalidInput):
        _top(items=items)


@pytest.mark.parametrize(
    ("query", "item"),
    [
        ([1, 0], [1, 0, 0]),
        ([1, 0], {"indices": [1], "values": [1]}),
        ({"indices": [1], "values": [1]}, [1]),
        (["x"], [1]),
        ([1], {"indices": [1], "values": []}),
        ([1], {"indices": [-1], "values": [1]}),
    ],
)
def test_vectors_that_do_not_fit_are_refused(query: Any, item: Any) -> None:
    with pytest.raises(InvalidInput):
        _top(query_embedding=query, items=[{"embedding": item}])


def test_nothing_is_found_in_nothing() -> None:
    assert _top(query_text="x", items=[])["results"] == []
    with pytest.raises(InvalidInput):
        _top(query_text="x", items=[{"n": 1}])


NUMBERS = st.floats(-10, 10)


@settings(max_examples=examples(40))
@given(
    st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=5),
    st.lists(NUMBERS, min_size=3, max_size=3),
)
def test_dense_and_sparse_vectors_score_alike(rows: list[list[float]], query: list[float]) -> None:
    sparse = {"indices": [0, 1, 2], "values": query}
    dense = _top(query_embedding=query, items=[{"embedding": row} for row in rows], metric="dot")
    items = [{"embedding": {"indices": [0, 1, 2], "values": row}} for row in rows]
    other = _top(query_embedding=sparse, items=items, metric="dot")
    wanted = sorted((float(np.dot(row, query)) for row in rows), reverse=True)
    for made in (dense, other):
        assert [one["score"] for one in made["results"]] == pytest.approx(wanted, abs=1e-5)
