"""A Qdrant server: what is asked of it, and what its failures are to the user."""

import logging
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from qdrant_client import QdrantClient, models

from sanbo.documents.model import Position
from sanbo.kernel.problems import (
    InvalidSettings,
    MissingDependency,
    PermissionDenied,
    ProviderFailed,
    SanboError,
    TimedOut,
)
from sanbo.retrieval.engines.engine import server_name
from sanbo.retrieval.engines.qdrant import QdrantEngine, connect_qdrant
from sanbo.retrieval.model import Filter, IndexedChunk
from sanbo.retrieval.settings import RetrievalSettings
from tests.patience import PATIENCE_SECONDS
from tests.qdrant_server import Answer, QdrantServer

ALL = Filter()
NAME = server_name("契約")


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
    def __init__(self, size: int = 3, model: str = "m-1") -> None:
        self.size, self.model = size, model

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] * self.size for _ in texts]


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as found:
        yield found


@pytest.fixture
def engine(server: QdrantServer) -> Iterator[QdrantEngine]:
    opened = connect_qdrant(server.settings(), "契約")
    yield opened
    opened.close()


def fail(engine: QdrantEngine) -> SanboError:
    with pytest.raises(SanboError) as caught:
        engine.search("検収", 5, ALL)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("contracts-2025", "sanbo-contracts-2025"),
        ("a", "sanbo-a"),
        ("契約書", "sanbo-9fb9a15489eb"),
        ("A_b", "sanbo-a-b-"),
        ("契約 2025.v2", "sanbo-2025-v2-"),
        ("x" * 200, "sanbo-" + "x" * 80 + "-"),
    ],
)
def test_a_collections_name_on_a_server(name: str, expected: str) -> None:
    found = server_name(name)
    assert found.startswith(expected[:20])
    assert found == server_name(name)
    assert len(found) <= 128
    assert all(c in "abcdefghijklmnopqrstuvwxyz0123456789-" for c in found)
    assert "--" not in found
    assert not found.endswith("-")


def test_different_collections_have_different_names() -> None:
    hashed = server_name("契約書").removeprefix("sanbo-")
    also = server_name("A b").removeprefix("sanbo-")
    names = [
        "契約書",
        "契約",
        "A b",
        "a b",
        "a-b",
        "a_b",
        "ａ-ｂ",
        "a--b",
        "-a-b",
        hashed,
        also,
        "",
    ]
    assert len({server_name(name) for name in names}) == len(names)


def test_the_collection_is_made_with_its_vectors_and_indexes(
    server: QdrantServer, engine: QdrantEngine
) -> None:
    engine.add([chunk()])
    params = server.client.get_collection(NAME).config.params
    assert params.vectors == {}
    sparse = params.sparse_vectors or {}
    assert {name: each.modifier for name, each in sparse.items()} == {
        "grams": models.Modifier.IDF,
        "words": models.Modifier.IDF,
    }
    assert server.indexes[NAME] == {"document_id", "version", "folders", "format", "facts"}
    assert set(server.keys_seen) == {server.api_key}


def test_searching_writes_nothing(server: QdrantServer) -> None:
    engine = connect_qdrant(server.settings(), "契約", Fixed())
    assert engine.search("検収", 5, ALL) == []
    engine.add([chunk()])
    server.indexes.clear()
    server.requests.clear()
    reader = connect_qdrant(server.settings(), "契約", Fixed())
    assert reader.search("検収", 5, ALL)
    assert [method for method, _ in server.requests] == ["GET", "POST"]
    assert server.requests[1][1].endswith("/points/query/batch")


def test_indexes_that_are_missing_are_made_before_adding(server: QdrantServer) -> None:
    connect_qdrant(server.settings(), "契約").add([chunk()])
    server.indexes.clear()
    connect_qdrant(server.settings(), "契約").add([chunk(ordinal=1)])
    assert "version" in server.indexes[NAME]


def test_many_chunks_go_in_several_requests(server: QdrantServer, engine: QdrantEngine) -> None:
    engine.add([chunk(f"検収 {n}", n) for n in range(150)])
    puts = [path for method, path in server.requests if method == "PUT" and "points" in path]
    assert len(puts) == 3
    assert server.client.count(NAME).count == 150


def test_a_collection_dropped_by_another_is_made_again(
    server: QdrantServer, engine: QdrantEngine
) -> None:
    engine.add([chunk()])
    connect_qdrant(server.settings(), "契約").drop()
    engine.add([chunk("新しい検収")])
    assert [c.chunk.text for c in engine.search("検収", 5, ALL)] == ["新しい検収"]
    assert "version" in server.indexes[NAME]


def test_two_that_make_the_collection_at_once_share_it(server: QdrantServer) -> None:
    one = connect_qdrant(server.settings(), "契約")
    server.answers.append(Answer(404, b'{"status": {"error": "Not found: Collection `x`"}}'))
    server.client.create_collection(
        NAME,
        vectors_config={},
        sparse_vectors_config={
            name: models.SparseVectorParams(modifier=models.Modifier.IDF)
            for name in ("grams", "words")
        },
    )
    one.add([chunk()])  # sees none, wants to make it, and is told that it is there
    assert one.search("検収", 5, ALL)


def test_meaning_is_a_field_of_its_own(server: QdrantServer) -> None:
    engine = connect_qdrant(server.settings(), "契約", Fixed())
    engine.add([chunk()])
    [found] = engine.search("検収", 5, ALL)
    assert set(found.signals) == {"grams", "words", "meaning"}
    info = server.client.get_collection(NAME).config
    assert isinstance(info.params.vectors, dict)
    assert info.params.vectors["meaning"].size == 3
    assert info.metadata == {"embedding_model": "m-1"}


def test_a_collection_without_meaning_is_searched_by_words(server: QdrantServer) -> None:
    connect_qdrant(server.settings(), "契約").add([chunk()])
    engine = connect_qdrant(server.settings(), "契約", Fixed())
    engine.add([chunk("検収の別の条項", 1)])
    found = engine.search("検収", 5, ALL)
    assert len(found) == 2
    assert all("meaning" not in candidate.signals for candidate in found)


def test_without_the_model_a_collection_with_meaning_is_searched_by_words(
    server: QdrantServer,
) -> None:
    connect_qdrant(server.settings(), "契約", Fixed()).add([chunk()])
    engine = connect_qdrant(server.settings(), "契約")
    engine.add([chunk("検収の別の条項", 1)])
    assert len(engine.search("検収", 5, ALL)) == 2


@pytest.mark.parametrize("other", [Fixed(size=5), Fixed(model="m-2")], ids=["size", "model"])
def test_vectors_of_two_models_are_not_mixed(server: QdrantServer, other: Fixed) -> None:
    connect_qdrant(server.settings(), "契約", Fixed()).add([chunk()])
    engine = connect_qdrant(server.settings(), "契約", other)
    for use in (lambda: engine.add([chunk()]), lambda: engine.search("検収", 5, ALL)):
        with pytest.raises(InvalidSettings) as caught:
            use()
        assert "m-1" in caught.value.problem.message
        assert "retrieval.embedding_model" in caught.value.problem.hint


def test_a_wrong_key_names_its_variable_and_is_shown_nowhere(
    server: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "no-shape-of-a-key-4712"
    error = fail(connect_qdrant(server.settings(qdrant_api_key=SecretStr(key)), "契約"))
    assert isinstance(error, PermissionDenied)
    assert "QDRANT_API_KEY" in error.problem.hint
    assert server.keys_seen == [key]
    assert key not in error.problem.model_dump_json()
    assert all(key not in str(record.__dict__) for record in caplog.records)


@pytest.mark.parametrize(
    ("answer", "kind", "text_id"),
    [
        (Answer(401, b"Must provide an API key"), PermissionDenied, "engine_key_refused"),
        (Answer(403, b"Forbidden"), PermissionDenied, "engine_key_refused"),
        (Answer(404, b"<html>nothing here</html>"), MissingDependency, "engine_not_there"),
        (Answer(400, b'{"status": {"error": "bad"}}'), ProviderFailed, "engine_request_refused"),
        (Answer(500, b'{"status": {"error": "disk"}}'), ProviderFailed, "engine_server_error"),
        (Answer(200, b"<html>hello</html>"), ProviderFailed, "engine_malformed_reply"),
        (Answer(200, b'{"result": [{"points": 7}]}'), ProviderFailed, "engine_malformed_reply"),
        (Answer(200, b"[" * 100_000), ProviderFailed, "engine_malformed_reply"),
        (Answer(302, b""), ProviderFailed, "engine_request_refused"),
    ],
)
def test_each_failure_has_its_text(
    server: QdrantServer,
    engine: QdrantEngine,
    answer: Answer,
    kind: type[SanboError],
    text_id: str,
) -> None:
    engine.add([chunk()])
    server.answers.append(answer)
    error = fail(engine)
    assert isinstance(error, kind)
    assert error.problem.text_id == text_id
    assert "Qdrant" in error.problem.message


def test_another_web_server_is_not_an_empty_collection(server: QdrantServer) -> None:
    engine = connect_qdrant(server.settings(qdrant_url=f"{server.address}/search/v1"), "契約")
    error = fail(engine)
    assert isinstance(error, MissingDependency)
    assert "QDRANT_URL" in error.problem.hint


@pytest.mark.parametrize(
    "answer", [Answer(503), Answer(502), Answer(429, retry_after=0), Answer(cut=True)]
)
def test_what_may_pass_is_tried_again(
    server: QdrantServer, engine: QdrantEngine, answer: Answer
) -> None:
    engine.add([chunk()])
    server.answers.append(answer)
    assert engine.search("検収", 5, ALL)


def test_a_server_that_stays_busy_is_given_up(server: QdrantServer) -> None:
    server.answers.extend([Answer(429, retry_after=0)] * 3)
    error = fail(connect_qdrant(server.settings(), "契約"))
    assert error.problem.text_id == "engine_busy"
    assert error.problem.recoverable
    assert len(server.requests) == 3


def test_a_wait_beyond_the_limit_is_not_begun(server: QdrantServer) -> None:
    server.answers.append(Answer(429, retry_after=3600))
    settings = server.settings(timeout_seconds=2 * PATIENCE_SECONDS)
    began = time.monotonic()
    assert fail(connect_qdrant(settings, "契約")).problem.text_id == "engine_busy"
    assert time.monotonic() - began < PATIENCE_SECONDS


def test_a_silent_server_is_a_time_limit_reached(server: QdrantServer) -> None:
    server.answers.append(Answer(hang=True))
    error = fail(connect_qdrant(server.settings(timeout_seconds=0.5), "契約"))
    assert isinstance(error, TimedOut)
    assert "retrieval.timeout_seconds" in error.problem.hint


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    engine = connect_qdrant(RetrievalSettings(qdrant_url=f"http://127.0.0.1:{port}"), "契約")
    error = fail(engine)
    assert error.problem.text_id == "engine_unreachable"
    assert f"127.0.0.1:{port}" in error.problem.message
    assert "QDRANT_URL" in error.problem.hint
    with pytest.raises(ProviderFailed):
        engine.add([chunk()])
    with pytest.raises(ProviderFailed):
        engine.remove("d1", "v1")
    with pytest.raises(ProviderFailed):
        engine.drop()


@pytest.mark.parametrize(
    "address", ["localhost:6333", "ftp://host", "http://", "http://u:pw@host", "http://h:99999"]
)
def test_an_address_that_is_none_is_told_before_anything_is_sent(address: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        connect_qdrant(RetrievalSettings(qdrant_url=address), "契約")
    assert "QDRANT_URL" in caught.value.problem.hint
    assert "pw" not in caught.value.problem.model_dump_json()


def test_without_an_address_the_setting_is_named() -> None:
    with pytest.raises(MissingDependency) as caught:
        connect_qdrant(RetrievalSettings(), "契約")
    assert "QDRANT_URL" in caught.value.problem.hint


@pytest.mark.parametrize("key", ["full ｗidth key", "line\nbreak-0123", "blank at the end "])
def test_a_key_that_can_not_travel_is_told(server: QdrantServer, key: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        connect_qdrant(server.settings(qdrant_api_key=SecretStr(key)), "契約")
    assert "QDRANT_API_KEY" in caught.value.problem.hint
    assert key not in caught.value.problem.model_dump_json()


def test_a_key_over_an_open_network_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    settings: dict[str, Any] = {"qdrant_api_key": SecretStr("a-key-of-qdrant-1")}
    connect_qdrant(RetrievalSettings(qdrant_url="http://10.0.0.5:6333", **settings), "契約")
    assert any("unencrypted" in message for message in caplog.messages)
    caplog.clear()
    connect_qdrant(RetrievalSettings(qdrant_url="https://10.0.0.5:6333", **settings), "契約")
    connect_qdrant(RetrievalSettings(qdrant_url="http://localhost:6333", **settings), "契約")
    assert caplog.messages == []


def test_a_point_that_others_changed_is_a_malformed_reply(
    server: QdrantServer, engine: QdrantEngine
) -> None:
    engine.add([chunk()])
    server.client.overwrite_payload(
        NAME, {"text": 7}, models.FilterSelector(filter=models.Filter())
    )
    assert fail(engine).problem.text_id == "engine_malformed_reply"


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
def test_the_clients_local_mode_keeps_what_was_added(tmp_path: Path) -> None:
    first = QdrantEngine(QdrantClient(path=str(tmp_path)), "sanbo-x")
    assert first.search("検収", 5, ALL) == []
    first.add([chunk(), chunk("支払の条項", 1)])
    first.close()
    second = QdrantEngine(QdrantClient(path=str(tmp_path)), "sanbo-x")
    assert [c.chunk for c in second.search("検収", 5, ALL)][:1] == [chunk()]
    second.remove("d1", "v1")
    second.close()
    third = QdrantEngine(QdrantClient(path=str(tmp_path)), "sanbo-x")
    assert third.search("検収", 5, ALL) == []
    third.drop()
    assert third.search("検収", 5, ALL) == []
    third.close()
