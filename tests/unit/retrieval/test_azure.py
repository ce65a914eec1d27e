"""Azure AI Search: what is asked of it, and what its failures are to the user."""

import logging
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from sanbo.documents.model import Position
from sanbo.kernel.problems import (
    Conflict,
    InvalidInput,
    InvalidSettings,
    LimitExceeded,
    MissingDependency,
    PermissionDenied,
    ProviderFailed,
    SanboError,
    TimedOut,
)
from sanbo.retrieval.engines import azure_index
from sanbo.retrieval.engines.azure import AzureEngine, connect_azure
from sanbo.retrieval.engines.azure_layouts import any_is_one_of, equals, folded_words, one_of
from sanbo.retrieval.engines.engine import server_name
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from tests.azure_search import Answer, AzureSearch, Request
from tests.azure_search.odata import Parser
from tests.patience import PATIENCE_SECONDS

ALL = Filter()
NAME = server_name("契約")
FIELDS = {
    "one": {"type": "Edm.String", "filterable": True},
    "many": {"type": "Collection(Edm.String)", "filterable": True},
}


def chunk(text: str = "検収の条項", ordinal: int = 0, document: str = "d1") -> IndexedChunk:
    return IndexedChunk(
        document_id=document,
        version="v1",
        ordinal=ordinal,
        document_name="契約書.docx",
        format="docx",
        text=text,
        position=Position(start=0, end=len(text)),
    )


class Fixed:
    def __init__(self, size: int = 2, model: str = "m-1") -> None:
        self.size, self.model = size, model

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, *[float("車" in text)] * (self.size - 1)] for text in texts]


@pytest.fixture
def azure() -> Iterator[AzureSearch]:
    with AzureSearch() as found:
        yield found


@pytest.fixture
def engine(azure: AzureSearch) -> Iterator[AzureEngine]:
    opened = connect_azure(azure.settings(), "契約")
    yield opened
    opened.close()


def fail(engine: AzureEngine) -> SanboError:
    with pytest.raises(SanboError) as caught:
        engine.search("検収", 5, ALL)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


def uploads(azure: AzureSearch) -> list[Request]:
    return [request for request in azure.requests if request.path.endswith("/search.index")]


# The index and its documents


def test_the_index_is_made_for_japanese_with_what_is_filtered_by(
    azure: AzureSearch, engine: AzureEngine
) -> None:
    engine.add([chunk()])
    fields = azure.indexes[NAME].definition.fields
    assert {name for name, field in fields.items() if field["filterable"]} == {
        "id",
        "document_id",
        "version",
        "format",
        "folders",
        "page",
        "sheet",
        "facts",
    }
    assert {name for name, field in fields.items() if field.get("analyzer")} == {
        "document_name",
        "text",
        "context",
        "searched",
    }
    assert fields["text"]["analyzer"] == "ja.microsoft"
    assert not fields["searched"]["retrievable"]
    assert "meaning" not in fields


def test_keys_hold_only_what_azure_allows(azure: AzureSearch, engine: AzureEngine) -> None:
    engine.add([chunk(document="文書/1 'x'")])  # refused by the server otherwise
    [document] = uploads(azure)[0].body["value"]
    assert document["id"].replace("-", "").isalnum()


def test_documents_go_in_batches_of_a_thousand(azure: AzureSearch, engine: AzureEngine) -> None:
    engine.add([chunk(f"検収 {n}", n) for n in range(1_001)])
    assert [len(request.body["value"]) for request in uploads(azure)] == [1_000, 1]


def test_batches_stay_below_the_size_of_a_request(
    azure: AzureSearch, engine: AzureEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(azure_index, "BYTES_AT_ONCE", 40_000)
    engine.add([chunk("検収" * 500, n) for n in range(10)])
    sizes = [request.size for request in uploads(azure)]
    assert len(sizes) > 1
    assert max(sizes) < 41_000
    with pytest.raises(LimitExceeded) as caught:
        engine.add([chunk("検収" * 50_000)])
    assert caught.value.problem.text_id == "azure_chunk_too_large"


def test_documents_that_fail_for_now_are_sent_again(
    azure: AzureSearch, engine: AzureEngine
) -> None:
    engine.add([chunk("最初の検収", 0)])
    seen: list[str] = []

    def busy_for_the_first(key: str) -> tuple[int, str] | None:
        seen.append(key)
        return (503, "The service is too busy.") if len(seen) == 1 else None

    azure.answers(Answer(partly=busy_for_the_first))
    engine.add([chunk(f"検収 {n}", n) for n in range(1, 4)])
    first, again = uploads(azure)[1:]
    assert len(first.body["value"]) == 3
    assert [document["id"] for document in again.body["value"]] == seen[:1]
    engine.flush()
    assert len(engine.search("検収", 10, ALL)) == 4


def test_documents_that_are_refused_are_counted_and_explained(
    azure: AzureSearch, engine: AzureEngine
) -> None:
    engine.add([chunk()])
    azure.answers(Answer(partly=lambda _: (400, "The document is malformed: admin-key-0123456789")))
    with pytest.raises(ProviderFailed) as caught:
        engine.add([chunk(ordinal=n) for n in range(1, 4)])
    message = caught.value.problem.message
    assert "3" in message
    assert "malformed" in message
    assert len(uploads(azure)) == 2  # not repeated


def test_a_term_too_long_for_azure_is_a_problem_not_a_loss(
    azure: AzureSearch, engine: AzureEngine
) -> None:
    with pytest.raises(ProviderFailed) as caught:
        engine.add([chunk(document="長" * 20_000)])
    assert "too large" in caught.value.problem.message


def test_removing_pages_through_all_chunks(azure: AzureSearch, engine: AzureEngine) -> None:
    engine.add([chunk(f"検収 {n}", n) for n in range(2_300)])
    engine.add([chunk("別の検収", 0, "d2")])
    engine.remove("d1", "v1")
    engine.flush()
    assert [c.chunk.document_id for c in engine.search("検収", 10, ALL)] == ["d2"]
    deletes = [r for r in uploads(azure) if r.body["value"][0]["@search.action"] == "delete"]
    assert [len(request.body["value"]) for request in deletes] == [1_000, 1_000, 300]


def test_flushing_waits_until_a_search_finds_what_was_added(azure: AzureSearch) -> None:
    azure.visible_after = 0.4
    engine = connect_azure(azure.settings(), "契約")
    engine.add([chunk()])
    assert engine.search("検収", 5, ALL) == []
    engine.flush()
    assert len(engine.search("検収", 5, ALL)) == 1
    engine.remove("d1", "v1")
    engine.flush()
    assert engine.search("検収", 5, ALL) == []


def test_flushing_does_not_wait_for_ever(
    azure: AzureSearch, caplog: pytest.LogCaptureFixture
) -> None:
    azure.visible_after = 3600
    engine = connect_azure(azure.settings(timeout_seconds=0.5), "契約")
    began = time.monotonic()
    engine.add([chunk()])
    engine.flush()
    assert time.monotonic() - began < PATIENCE_SECONDS
    assert any("not found yet" in message for message in caplog.messages)


def test_an_index_dropped_by_another_is_made_again(azure: AzureSearch, engine: AzureEngine) -> None:
    engine.add([chunk()])
    del azure.indexes[NAME]
    engine.add([chunk("新しい検収")])
    assert [c.chunk.text for c in engine.search("検収", 5, ALL)] == ["新しい検収"]


def test_two_that_make_the_index_at_once_share_it(azure: AzureSearch) -> None:
    connect_azure(azure.settings(), "契約").add([chunk()])
    late = connect_azure(azure.settings(), "契約")
    azure.answers(Answer(404, b'{"error": {"code": "", "message": "No index with the name"}}'))
    late.add([chunk("別の検収", 1)])
    assert any(r.path == "/indexes" for r in azure.requests[3:])
    assert len(late.search("検収", 5, ALL)) == 2


# Searching


def test_the_query_is_folded_and_without_operators(azure: AzureSearch, engine: AzureEngine) -> None:
    engine.add([chunk()])
    engine.search('ＡＢＣ－１２３ の "検収" -納品 +x* (y|z) foo~', 7, ALL)
    body = azure.requests[-1].body
    assert body["search"] == "abc-123 の 検収 納品 x y z foo"
    assert body["searchFields"] == "searched"
    assert body["top"] == 7


def test_the_semantic_ranker_orders_and_scores(azure: AzureSearch, engine: AzureEngine) -> None:
    engine.add([chunk("検収の手続きの条項"), chunk("検収と支払と納品と保証", 1)])
    found = engine.search("検収の手続き", 5, ALL)
    body = azure.requests[-1].body
    assert (body["queryType"], body["semanticConfiguration"]) == ("semantic", "sanbo")
    assert body["semanticQuery"] == "検収の手続き"
    assert [c.chunk.ordinal for c in found] == [0, 1]
    assert found[0].score == found[0].signals["reranker"] / 4 == 1.0
    assert set(found[0].signals) == {"bm25", "reranker"}


def test_a_service_without_the_ranker_is_searched_without(
    azure: AzureSearch, engine: AzureEngine, caplog: pytest.LogCaptureFixture
) -> None:
    azure.has_ranker = False
    engine.add([chunk("検収の条項"), chunk("検収と支払と納品と保証", 1)])
    for _ in range(2):
        found = engine.search("検収の条項", 5, ALL)
        assert [c.chunk.ordinal for c in found] == [0, 1]
        assert found[0].score == 1.0
        assert set(found[0].signals) == {"bm25"}
    kinds = [
        r.body.get("queryType") for r in azure.requests if r.path.endswith("search.post.search")
    ]
    assert kinds == ["semantic", None, None]  # asked once
    assert any("semantic ranker" in message for message in caplog.messages)


def test_results_that_the_ranker_left_out_come_after(
    azure: AzureSearch, engine: AzureEngine
) -> None:
    engine.add([chunk(f"検収の条項 {n}", n) for n in range(80)])
    found = engine.search("検収の条項", 80, ALL)
    scores = [c.score for c in found]
    assert scores == sorted(scores, reverse=True)
    assert ["reranker" in c.signals for c in found] == [True] * 50 + [False] * 30


def test_meaning_is_asked_beside_the_words(azure: AzureSearch) -> None:
    engine = connect_azure(azure.settings(), "契約", Fixed())
    engine.add([chunk("社用の車を管理する"), chunk("休みを取得する", 1)])
    assert azure.indexes[NAME].definition.fields["meaning"]["dimensions"] == 2
    found = engine.search("車の管理", 5, ALL)
    [query] = azure.requests[-1].body["vectorQueries"]
    assert query == {"kind": "vector", "vector": [1.0, 1.0], "fields": "meaning", "k": 50}
    assert found[0].chunk.ordinal == 0
    assert set(found[0].signals) == {"fused", "reranker"}


@pytest.mark.parametrize("other", [Fixed(size=5), Fixed(model="m-2")], ids=["size", "model"])
def test_vectors_of_two_models_are_not_mixed(azure: AzureSearch, other: Fixed) -> None:
    connect_azure(azure.settings(), "契約", Fixed()).add([chunk()])
    engine = connect_azure(azure.settings(), "契約", other)
    for use in (lambda: engine.add([chunk()]), lambda: engine.search("検収", 5, ALL)):
        with pytest.raises(InvalidSettings) as caught:
            use()
        assert "m-1" in caught.value.problem.message


def test_an_index_without_meaning_is_searched_by_words(azure: AzureSearch) -> None:
    connect_azure(azure.settings(), "契約").add([chunk()])
    engine = connect_azure(azure.settings(), "契約", Fixed())
    engine.add([chunk("別の検収", 1)])
    assert len(engine.search("検収", 5, ALL)) == 2
    assert "vectorQueries" not in azure.requests[-1].body


# Conditions in which values stay values


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_value_breaks_out_of_its_condition(value: str, other: str) -> None:
    for filter_, row in (
        (equals("one", value), {"one": value}),
        (one_of("one", [value, other]), {"one": value}),
        (one_of("one", [other, value, "x"]), {"one": value}),
        (any_is_one_of("many", [value]), {"many": ["q", value]}),
        (any_is_one_of("many", [value, other]), {"many": [value]}),
    ):
        holds = Parser(filter_, FIELDS).condition()
        assert holds(row)
        assert not holds({"one": f"{value}{other}#", "many": [f"{value}{other}#"]})


@given(st.lists(st.text("ab|;,~^'\u001e\u001f\ue000\ue001\ue002 ", max_size=12), min_size=1))
def test_lists_hold_exactly_their_values(values: list[str]) -> None:
    holds = Parser(one_of("one", values), FIELDS).condition()
    assert all(holds({"one": value}) for value in values)
    assert not holds({"one": "|".join(values) + "!"})


@given(st.text())
def test_a_query_keeps_no_operator(query: str) -> None:
    words = folded_words(query)
    assert not any(sign in words for sign in "+|\"()'*~\\")
    assert not any(word.startswith("-") for word in words.split())


# Failures


@pytest.mark.parametrize(
    ("answer", "kind", "text_id"),
    [
        (Answer(401), PermissionDenied, "azure_key_refused"),
        (Answer(403), PermissionDenied, "azure_key_refused"),
        (
            Answer(403, b'{"error": {"code": "", "message": "Index quota has been exceeded"}}'),
            ProviderFailed,
            "engine_request_refused",
        ),
        (Answer(404, b"<html>nothing here</html>"), MissingDependency, "engine_not_there"),
        (Answer(404), MissingDependency, "engine_not_there"),
        (
            Answer(400, b'{"error": {"code": "", "message": "bad \\u4e0d\\u6b63"}}'),
            ProviderFailed,
            "engine_request_refused",
        ),
        (Answer(200, b"<html>hello</html>"), ProviderFailed, "engine_malformed_reply"),
        (Answer(200, b'{"value": [{"id": 7}]}'), ProviderFailed, "engine_malformed_reply"),
        (Answer(200, b'{"value": 7}'), ProviderFailed, "engine_malformed_reply"),
        (Answer(200, b"["), ProviderFailed, "engine_malformed_reply"),
        (Answer(302), ProviderFailed, "engine_malformed_reply"),
    ],
)
def test_each_failure_has_its_text(
    azure: AzureSearch,
    engine: AzureEngine,
    answer: Answer,
    kind: type[SanboError],
    text_id: str,
) -> None:
    engine.add([chunk()])
    azure.answers(answer)
    error = fail(engine)
    assert isinstance(error, kind)
    assert error.problem.text_id == text_id
    assert "Azure AI Search" in error.problem.message


@pytest.mark.parametrize("answer", [Answer(503), Answer(429, retry_after=0.05), Answer(500)])
def test_what_may_pass_is_tried_again(
    azure: AzureSearch, engine: AzureEngine, answer: Answer
) -> None:
    engine.add([chunk()])
    azure.answers(answer, answer)
    assert engine.search("検収", 5, ALL)
    azure.answers(answer)
    engine.add([chunk(ordinal=1)])
    azure.answers(answer)
    engine.remove("d1", "v1")
    engine.flush()
    assert engine.search("検収", 5, ALL) == []


def test_a_service_that_stays_busy_is_given_up(azure: AzureSearch, engine: AzureEngine) -> None:
    engine.add([chunk()])
    azure.answers(*[Answer(429, retry_after=0.01)] * 20)
    error = fail(engine)
    assert error.problem.text_id == "engine_busy"
    assert error.problem.recoverable


def test_a_wait_beyond_the_limit_is_not_begun(azure: AzureSearch) -> None:
    azure.answers(Answer(429, retry_after=3600))
    settings = azure.settings(timeout_seconds=2 * PATIENCE_SECONDS)
    began = time.monotonic()
    error = fail(connect_azure(settings, "契約"))
    assert error.problem.text_id == "engine_busy"
    assert time.monotonic() - began < PATIENCE_SECONDS
    assert len(azure.requests) == 1


def test_a_silent_service_is_a_time_limit_reached(azure: AzureSearch) -> None:
    azure.answers(*[Answer(hang=True)] * 5)
    began = time.monotonic()
    error = fail(connect_azure(azure.settings(timeout_seconds=0.5), "契約"))
    assert isinstance(error, TimedOut)
    assert "retrieval.timeout_seconds" in error.problem.hint
    assert time.monotonic() - began < PATIENCE_SECONDS


def test_a_service_that_is_not_there_is_named(azure: AzureSearch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    engine = connect_azure(azure.settings(azure_endpoint=f"http://127.0.0.1:{port}"), "契約")
    error = fail(engine)
    assert error.problem.text_id == "engine_unreachable"
    assert f"127.0.0.1:{port}" in error.problem.message
    assert "AZURE_SEARCH_ENDPOINT" in error.problem.hint


def test_a_wrong_key_names_its_variable_and_is_shown_nowhere(
    azure: AzureSearch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "no-shape-of-a-key-4713"
    error = fail(connect_azure(azure.settings(azure_api_key=SecretStr(key)), "契約"))
    assert isinstance(error, PermissionDenied)
    assert "AZURE_SEARCH_API_KEY" in error.problem.hint
    assert azure.requests[0].headers["api-key"] == key
    assert key not in error.problem.model_dump_json()
    assert all(key not in message for message in caplog.messages)


def test_a_query_key_can_not_add_and_the_hint_says_why(azure: AzureSearch) -> None:
    engine = connect_azure(azure.settings(azure_api_key=SecretStr(azure.query_key)), "契約")
    with pytest.raises(PermissionDenied) as caught:
        engine.add([chunk()])
    assert "管理者キー" in caught.value.problem.hint


def test_settings_that_are_missing_or_wrong_are_told_before_anything_is_sent(
    azure: AzureSearch,
) -> None:
    for overrides, variable, kind in (
        ({"azure_endpoint": None}, "AZURE_SEARCH_ENDPOINT", MissingDependency),
        ({"azure_api_key": None}, "AZURE_SEARCH_API_KEY", MissingDependency),
        ({"azure_endpoint": "my-service"}, "AZURE_SEARCH_ENDPOINT", InvalidSettings),
        ({"azure_api_key": SecretStr("全角ｋｅｙ")}, "AZURE_SEARCH_API_KEY", InvalidSettings),
    ):
        with pytest.raises(kind) as caught:
            connect_azure(azure.settings(**overrides), "契約")
        assert variable in caught.value.problem.hint
    assert azure.requests == []


# An index that others keep

MANUALS: dict[str, Any] = {
    "name": "manuals",
    "fields": [
        {"name": "chunk_id", "type": "Edm.String", "key": True, "filterable": True},
        {"name": "parent", "type": "Edm.String", "filterable": True},
        {"name": "content", "type": "Edm.String", "searchable": True, "analyzer": "ja.lucene"},
        {"name": "heading", "type": "Edm.String", "searchable": True},
        {"name": "file", "type": "Edm.String", "filterable": False},
        {"name": "page_number", "type": "Edm.Int32"},
        {"name": "tags", "type": "Collection(Edm.String)", "filterable": True},
        {"name": "secret", "type": "Edm.String", "retrievable": False},
    ],
}
MAPPING = {
    "text": "content",
    "document_id": "parent",
    "document_name": "file",
    "title": "heading",
    "page": "page_number",
}


def manual(number: int, content: str, **values: Any) -> dict[str, Any]:
    return {
        "chunk_id": f"k{number}",
        "parent": f"manual-{number // 2}",
        "content": content,
        "heading": "保守",
        "file": "手引き.pdf",
        "page_number": number,
        "tags": ["社内"],
        **values,
    }


@pytest.fixture
def manuals(azure: AzureSearch) -> AzureSearch:
    documents = [
        manual(1, "複合機の紙詰まりの直し方"),
        manual(2, "複合機のトナー交換", tags=["公開"]),
    ]
    azure.create(MANUALS, documents)
    return azure


def of_others(
    azure: AzureSearch, fields: dict[str, str] = MAPPING, **overrides: Any
) -> AzureEngine:
    return connect_azure(azure.settings(azure_fields=fields, **overrides), "manuals")


def test_an_index_of_others_is_read_through_the_mapping(manuals: AzureSearch) -> None:
    engine = of_others(manuals)
    assert not engine.writable
    [best, *_] = engine.search("トナー交換の仕方", 5, ALL)
    assert isinstance(best, Candidate)
    assert best.chunk.document_id == "manual-1"
    assert best.chunk.version == ""
    assert best.chunk.document_name == "手引き.pdf"
    assert best.chunk.format == "pdf"
    assert best.chunk.text == "複合機のトナー交換"
    assert best.chunk.context == "保守"
    assert best.chunk.position == Position(start=0, end=9, page=2)
    assert best.score == 1.0
    assert "queryType" not in manuals.requests[-1].body


def test_its_chunks_have_ids_of_their_own(manuals: AzureSearch) -> None:
    manuals.indexes["manuals"].change([manual(3, "複合機の電源")], 0)
    found = of_others(manuals).search("複合機", 5, ALL)
    assert len({c.chunk.chunk_id for c in found}) == 3
    again = of_others(manuals).search("複合機", 5, ALL)
    assert [c.chunk.chunk_id for c in found] == [c.chunk.chunk_id for c in again]


def test_with_only_the_text_mapped_the_key_stands_for_the_document(manuals: AzureSearch) -> None:
    [best, *_] = of_others(manuals, {"text": "content"}).search("紙詰まり", 5, ALL)
    assert (best.chunk.document_id, best.chunk.ordinal) == ("k1", 0)
    assert (best.chunk.document_name, best.chunk.format) == ("k1", "text")


def test_an_index_of_others_is_never_changed(manuals: AzureSearch) -> None:
    engine = of_others(manuals)
    for change in (lambda: engine.add([chunk()]), lambda: engine.remove("manual-1", "")):
        with pytest.raises(Conflict) as caught:
            change()
        assert "manuals" in caught.value.problem.message
    engine.drop()
    engine.flush()
    engine.settle()
    assert len(engine.search("複合機", 5, ALL)) == 2
    assert not uploads(manuals)


def test_its_filters_go_by_its_own_fields(manuals: AzureSearch) -> None:
    engine = of_others(manuals, {**MAPPING, "folders": "tags"})

    def found(where: Filter) -> set[str]:
        return {c.chunk.document_id for c in engine.search("複合機", 5, where)}

    assert found(Filter(documents=("manual-0", "x"))) == {"manual-0"}
    assert found(Filter(folders=("公開",))) == {"manual-1"}
    assert found(Filter(metadata={"parent": "manual-1"})) == {"manual-1"}
    assert found(Filter(metadata={"tags": "社内"})) == {"manual-0"}
    assert found(Filter(documents=("' or 1 eq 1 or parent ne '",))) == set()


@pytest.mark.parametrize(
    "where",
    [
        Filter(folders=("x",)),
        Filter(formats=("pdf",)),
        Filter(metadata={"unknown": "x"}),
        Filter(metadata={"file": "x"}),
        Filter(metadata={"page_number": "1"}),
        Filter(metadata={"parent eq 'a' or parent": "x"}),
    ],
)
def test_what_it_can_not_be_narrowed_by_is_told(manuals: AzureSearch, where: Filter) -> None:
    with pytest.raises(InvalidInput) as caught:
        of_others(manuals).search("複合機", 5, where)
    assert "manuals" in caught.value.problem.message


@pytest.mark.parametrize(
    ("fields", "text_id", "named"),
    [
        ({"document_name": "file"}, "azure_text_unmapped", "text"),
        ({"text": ""}, "azure_field_not_in_index", "content"),
        ({"text": "contents"}, "azure_field_not_in_index", "content"),
        ({"text": "content", "title": "secret"}, "azure_field_not_in_index", "secret"),
        ({"text": "content", "pages": "page_number"}, "azure_field_unknown", "page"),
    ],
)
def test_a_mapping_that_does_not_fit_is_explained(
    manuals: AzureSearch, fields: dict[str, str], text_id: str, named: str
) -> None:
    with pytest.raises(InvalidSettings) as caught:
        of_others(manuals, fields).search("複合機", 5, ALL)
    problem = caught.value.problem
    assert problem.text_id == text_id
    assert named in problem.message + problem.hint


def test_a_query_key_is_enough_to_search_it(manuals: AzureSearch) -> None:
    key = SecretStr(manuals.query_key)
    [best, *_] = of_others(manuals, azure_api_key=key).search("トナー", 5, ALL)
    assert best.chunk.text == "複合機のトナー交換"
    with pytest.raises(InvalidSettings) as caught:
        of_others(manuals, {"text": "content"}, azure_api_key=key).search("トナー", 5, ALL)
    assert caught.value.problem.text_id == "azure_id_unknown"


def test_without_a_mapping_the_name_means_a_collection_of_sanbo(manuals: AzureSearch) -> None:
    engine = connect_azure(manuals.settings(), "manuals")
    assert engine.writable
    engine.add([chunk()])
    assert "sanbo-manuals" in manuals.indexes
    assert len(engine.search("検収", 5, ALL)) == 1
    mapped = connect_azure(manuals.settings(azure_fields=MAPPING), "契約")
    assert mapped.writable  # no index of that name: a collection of its own


def test_an_index_of_another_make_under_sanbos_name_is_not_touched(azure: AzureSearch) -> None:
    azure.create({**MANUALS, "name": "sanbo-manuals"}, [manual(1, "複合機")])
    engine = connect_azure(azure.settings(), "manuals")
    with pytest.raises(InvalidSettings) as caught:
        engine.add([chunk()])
    assert "retrieval.azure_fields" in caught.value.problem.hint


def test_its_semantic_configuration_and_vectorizer_are_used(azure: AzureSearch) -> None:
    azure.vectorize = lambda text: [1.0, float("車" in text)]
    azure.create(
        {
            "name": "manuals",
            "fields": [
                {"name": "id", "type": "Edm.String", "key": True},
                {"name": "content", "type": "Edm.String", "searchable": True},
                {
                    "name": "vector",
                    "type": "Collection(Edm.Single)",
                    "searchable": True,
                    "dimensions": 2,
                    "vectorSearchProfile": "p",
                },
            ],
            "vectorSearch": {
                "algorithms": [{"name": "a", "kind": "hnsw"}],
                "profiles": [{"name": "p", "algorithm": "a", "vectorizer": "v"}],
                "vectorizers": [{"name": "v", "kind": "azureOpenAI"}],
            },
            "semantic": {
                "configurations": [
                    {
                        "name": "theirs",
                        "prioritizedFields": {
                            "prioritizedContentFields": [{"fieldName": "content"}]
                        },
                    }
                ]
            },
        },
        [
            {"id": "1", "content": "社用車", "vector": [0.0, 1.0]},
            {"id": "2", "content": "休み", "vector": [1.0, 0.0]},
        ],
    )
    found = of_others(azure, {"text": "content"}).search("車の管理", 5, ALL)
    body = azure.requests[-1].body
    assert body["semanticConfiguration"] == "theirs"
    assert body["vectorQueries"] == [
        {"kind": "text", "text": "車の管理", "fields": "vector", "k": 50}
    ]
    assert found[0].chunk.text == "社用車"
    assert found[0].signals["reranker"] == found[0].score * 4


def test_a_mapped_vector_field_is_asked_with_the_configured_model(azure: AzureSearch) -> None:
    definition = {
        "name": "manuals",
        "fields": [
            {"name": "id", "type": "Edm.String", "key": True},
            {"name": "content", "type": "Edm.String", "searchable": True},
            {
                "name": "vector",
                "type": "Collection(Edm.Single)",
                "searchable": True,
                "retrievable": False,
                "dimensions": 2,
                "vectorSearchProfile": "p",
            },
        ],
        "vectorSearch": {"profiles": [{"name": "p", "algorithm": "a"}]},
    }
    azure.create(definition, [{"id": "1", "content": "社用車", "vector": [1.0, 1.0]}])
    fields = {"text": "content", "meaning": "vector"}
    settings = azure.settings(azure_fields=fields)
    [found] = connect_azure(settings, "manuals", Fixed()).search("車", 5, ALL)
    assert azure.requests[-1].body["vectorQueries"][0]["kind"] == "vector"
    assert set(found.signals) == {"fused"}
    with pytest.raises(InvalidSettings):
        connect_azure(settings, "manuals", Fixed(size=3)).search("車", 5, ALL)
    plain = azure.settings(azure_fields={"text": "content"})
    connect_azure(plain, "manuals", Fixed()).search("車", 5, ALL)
    assert "vectorQueries" not in azure.requests[-1].body  # whose vectors they are is not known
