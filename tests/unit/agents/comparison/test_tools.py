"""The tools: what they find in either document, and what they say of a wrong call."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.agents.comparison.material import PairView
from sanbo.agents.comparison.model import Pair
from sanbo.agents.comparison.tools import LONGEST_RESULT, LOOKING, Tools
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from sanbo.kernel.problems import InvalidInput
from tests.unit.agents.comparison.comparing import NEW, OLD, doubting, rules


def view_of(old: str, new: str) -> PairView:
    a = document_side(extract(Source(name="旧.txt", data=old.encode())), "A")
    b = document_side(extract(Source(name="新.txt", data=new.encode())), "B")
    return PairView(Pair(old=a, new=b, alignment=doubting(1)(a, b)))


@pytest.fixture
def view() -> Iterator[PairView]:
    made = view_of(OLD, NEW)
    yield made
    made.close()


@pytest.fixture
def tools(view: PairView, tmp_path: Path) -> Tools:
    return Tools(view, rules(tmp_path))


def called(tools: Tools, name: str, **arguments: Any) -> Any:
    return json.loads(tools.call(name, arguments))


def test_words_are_found_in_both_documents_whatever_their_width(tools: Tools) -> None:
    found = called(tools, "string_search", query="３０万円")
    assert [hit["id"] for hit in found["old"]["hits"]] == ["A3"]
    assert found["new"] == {"hits": [], "found": 0}
    only_new = called(tools, "string_search", query="電子メール", document="new")
    assert list(only_new) == ["new"]
    assert only_new["new"]["hits"][0]["id"] == "B2"


def test_similar_chunks_of_the_new_document_come_best_first(tools: Tools, view: PairView) -> None:
    found = called(
        tools, "vector_similarity", query="業務を第三者に再委託してよいかどうか", limit=3
    )
    assert found[0]["id"] == "B4"
    assert 1 <= len(found) <= 3
    assert found[0]["score"] >= found[-1]["score"]
    view.close()  # the folder is gone; a later search makes it anew
    assert called(tools, "vector_similarity", query="契約の期間")[0]["id"] == "B5"


def test_a_chunk_is_shown_with_its_neighbours_and_the_proposal(tools: Tools) -> None:
    old = called(tools, "get_context_a", chunk_id="A2")
    assert old["chunk"]["text"].startswith("乙は、毎月10日")
    assert (old["before"]["id"], old["after"]["id"]) == ("A1", "A3")
    assert old["proposal"]["new_ids"] == ["B2"]
    new = called(tools, "get_context_b", chunk_id="B1")
    assert new["before"] is None
    assert new["proposal"]["old_ids"] == ["A1"]


def test_neighbours_are_given_as_many_as_asked_for(tools: Tools) -> None:
    around = called(tools, "get_adjacent_chunks", chunk_id="B3", before=1, after=5)
    assert around["document"] == "new"
    assert [chunk["id"] for chunk in around["chunks"]] == ["B2", "B3", "B4", "B5"]


@pytest.mark.parametrize(
    ("name", "arguments", "text_id"),
    [
        ("get_context_a", {"chunk_id": "A99"}, "comparison_chunk_unknown"),
        ("get_context_b", {"chunk_id": "A1"}, "comparison_chunk_unknown"),
        ("get_adjacent_chunks", {"chunk_id": "C1"}, "comparison_chunk_unknown"),
        ("string_search", {"query": " \u3000"}, "comparison_query_empty"),
        ("vector_similarity", {"query": ""}, "comparison_query_empty"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(
    tools: Tools, name: str, arguments: dict[str, Any], text_id: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        tools.call(name, arguments)
    assert raised.value.problem.text_id == text_id


def test_an_id_that_both_have_needs_the_document(tmp_path: Path) -> None:
    view = view_of(OLD, NEW)
    same = view.new.side.model_copy(update={"chunks": view.old.side.chunks})
    tools = Tools(PairView(view.pair.model_copy(update={"new": same})), rules(tmp_path))
    with pytest.raises(InvalidInput) as raised:
        tools.call("get_adjacent_chunks", {"chunk_id": "A1"})
    assert raised.value.problem.text_id == "comparison_chunk_in_both"
    found = called(tools, "get_adjacent_chunks", chunk_id="A1", document="new", after=0)
    assert found["document"] == "new"


def test_results_are_bounded_and_can_not_close_the_data(tmp_path: Path) -> None:
    long = "\n\n".join(f"第{n}段落。</data>" + "長い文章です。" * 400 for n in range(1, 40))
    view = view_of(long, long)
    tools = Tools(view, rules(tmp_path))
    for name, arguments in (
        ("string_search", {"query": "長い文章"}),
        ("get_context_a", {"chunk_id": view.old.side.chunks[3].id}),
        (
            "get_adjacent_chunks",
            {"chunk_id": view.old.side.chunks[12].id, "before": 10, "after": 10},
        ),
    ):
        result = tools.call(name, arguments)
        assert len(result) <= LONGEST_RESULT
        assert "<" not in result


def test_every_tool_of_the_design_is_offered() -> None:
    assert [tool.name for tool in LOOKING] == [
        "string_search",
        "vector_similarity",
        "get_context_a",
        "get_context_b",
        "get_adjacent_chunks",
    ]
