"""Texts become vectors through each provider, and failures name the setting to correct."""

import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from sanbo.kernel.problems import (
    LimitExceeded,
    MissingDependency,
    PermissionDenied,
    ProviderFailed,
    SanboError,
    TimedOut,
)
from sanbo.llm.embeddings import TEXTS_AT_ONCE, EmbeddingModel, connect_embeddings
from sanbo.llm.engine import RULES, choose_engine
from sanbo.llm.vendor import Pace
from tests.scripted_model import (
    BadRequest,
    Hang,
    MalformedBody,
    RateLimited,
    Reply,
    Request,
    ScriptedModel,
    ServerError,
    UnknownModel,
    Vectors,
    WrongKey,
    WrongShape,
)
from tests.scripted_model.requests import Protocol

every_provider = pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


def connected(
    script: ScriptedModel,
    provider: Protocol = "openai",
    waits: list[float] | None = None,
    **overrides: Any,
) -> EmbeddingModel:
    settings = script.settings(provider, model="meaning-1", **overrides)

    async def note(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    pace = Pace(sleep=note, chance=lambda: 0.0)
    return connect_embeddings(choose_engine(settings), settings, pace=pace)


def by_length(request: Request) -> Reply:
    return Vectors([[float(len(text)), 1.0, 0.5] for text in request.texts])


@every_provider
def test_each_text_gets_its_vector_in_order(script: ScriptedModel, provider: Protocol) -> None:
    script.otherwise(by_length)
    vectors = connected(script, provider).embed(["契約書", "見積", "検収完了報告書"])
    assert vectors == [[3.0, 1.0, 0.5], [2.0, 1.0, 0.5], [7.0, 1.0, 0.5]]
    [request] = script.requests
    assert request.protocol == provider
    assert "meaning-1" in request.path or request.body["model"] == "meaning-1"


@every_provider
def test_the_text_itself_is_sent_and_nothing_is_loaded_to_count_it(
    script: ScriptedModel, provider: Protocol
) -> None:
    script.otherwise(by_length)
    text = "第1条　<|endoftext|>\n\n" + "あ" * 20_000
    connected(script, provider).embed([text])
    assert script.requests[0].texts == [text]


@every_provider
def test_many_texts_go_in_several_requests(script: ScriptedModel, provider: Protocol) -> None:
    script.otherwise(by_length)
    texts = ["あ" * (n % 40 + 1) for n in range(TEXTS_AT_ONCE * 2 + 5)]
    vectors = connected(script, provider).embed(texts)
    assert [vector[0] for vector in vectors] == [len(text) for text in texts]
    assert all(len(request.texts) <= TEXTS_AT_ONCE for request in script.requests)
    assert sum(len(request.texts) for request in script.requests) == len(texts)


def test_no_texts_ask_nothing(script: ScriptedModel) -> None:
    assert connected(script).embed([]) == []
    assert script.requests == []


def test_vectors_are_asked_for_as_numbers(script: ScriptedModel) -> None:
    script.replies(Vectors([[0.5, -2.0]]))
    assert connected(script).embed(["a"]) == [[0.5, -2.0]]
    assert script.requests[0].body["encoding_format"] == "float"


@every_provider
def test_a_busy_service_is_asked_again(script: ScriptedModel, provider: Protocol) -> None:
    waits: list[float] = []
    script.replies(RateLimited(retry_after=3), ServerError(503), Vectors([[1.0]]))
    assert connected(script, provider, waits).embed(["a"]) == [[1.0]]
    assert len(script.requests) == 3
    assert waits[0] == pytest.approx(3.0)


def test_attempts_are_counted_and_then_given_up(script: ScriptedModel) -> None:
    script.otherwise(ServerError())
    with pytest.raises(ProviderFailed) as caught:
        connected(script, max_attempts=2).embed(["a"])
    assert caught.value.problem.text_id == "llm_server_error"
    assert len(script.requests) == 2


def test_a_wait_that_would_pass_the_limit_is_not_begun(script: ScriptedModel) -> None:
    waits: list[float] = []
    script.otherwise(RateLimited(retry_after=3600))
    with pytest.raises(ProviderFailed) as caught:
        connected(script, waits=waits).embed(["a"])
    assert caught.value.problem.text_id == "llm_rate_limited"
    assert waits == []


@every_provider
def test_a_silent_service_is_a_time_limit_reached(
    script: ScriptedModel, provider: Protocol
) -> None:
    script.otherwise(Hang())
    with pytest.raises(TimedOut) as caught:
        connected(script, provider, timeout_seconds=0.3).embed(["a"])
    assert "llm.timeout_seconds" in caught.value.problem.hint


@every_provider
def test_an_unknown_model_names_the_embedding_setting(
    script: ScriptedModel, provider: Protocol
) -> None:
    script.replies(UnknownModel())
    with pytest.raises(MissingDependency) as caught:
        connected(script, provider).embed(["a"])
    problem = caught.value.problem
    assert "meaning-1" in problem.message
    assert "retrieval.embedding_model" in problem.hint
    assert "llm.model" not in problem.hint


@every_provider
def test_a_refused_request_shows_the_reason_and_is_not_repeated(
    script: ScriptedModel, provider: Protocol
) -> None:
    script.otherwise(BadRequest("this model does not support embeddings"))
    with pytest.raises(ProviderFailed) as caught:
        connected(script, provider).embed(["a"])
    assert "does not support embeddings" in caught.value.problem.message
    assert "retrieval.embedding_model" in caught.value.problem.hint
    assert len(script.requests) == 1


def test_a_text_beyond_the_model_says_so(script: ScriptedModel) -> None:
    script.replies(BadRequest("too long", code="context_length_exceeded"))
    with pytest.raises(LimitExceeded) as caught:
        connected(script).embed(["a"])
    assert caught.value.problem.text_id == "embedding_text_too_long"


@pytest.mark.parametrize(
    "reply",
    [
        MalformedBody(),
        WrongShape(),
        Vectors([]),
        Vectors([[1.0], [2.0], [3.0]]),
        Vectors([[1.0], [1.0, 2.0]]),
        Vectors([[], []]),
        Vectors([[1.0, float("nan")], [1.0, 2.0]]),
    ],
    ids=["no json", "wrong shape", "none", "too many", "two sizes", "empty", "no number"],
)
@every_provider
def test_what_can_not_be_stored_is_a_malformed_reply(
    script: ScriptedModel, provider: Protocol, reply: Reply
) -> None:
    script.otherwise(reply)
    with pytest.raises(SanboError) as caught:
        connected(script, provider, max_attempts=1).embed(["a", "b"])
    assert caught.value.problem.text_id == "llm_malformed_reply"


@every_provider
def test_a_wrong_key_is_named_by_its_variable_and_shown_nowhere(
    script: ScriptedModel, provider: Protocol, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "no-shape-of-a-key-0815"
    field = {
        "openai": "openai_api_key",
        "azure_openai": "azure_api_key",
        "google_genai": "google_api_key",
    }[provider]
    script.otherwise(WrongKey())
    with pytest.raises(PermissionDenied) as caught:
        connected(script, provider, None, **{field: SecretStr(key)}).embed(["a"])
    assert script.requests[0].key == key
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    problem = caught.value.problem
    assert "API_KEY" in problem.hint
    assert key not in problem.model_dump_json()
    assert all(key not in message for message in caplog.messages)


def test_a_server_that_is_not_there_is_named(script: ScriptedModel) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    model = connected(script, base_url=f"http://127.0.0.1:{port}/v1", max_attempts=1)
    with pytest.raises(ProviderFailed) as caught:
        model.embed(["a"])
    assert f"127.0.0.1:{port}" in caught.value.problem.message
    assert "OPENAI_BASE_URL" in caught.value.problem.hint


def test_threads_share_one_model(script: ScriptedModel) -> None:
    script.otherwise(by_length)
    model = connected(script)
    found: dict[int, list[list[float]]] = {}

    def work(number: int) -> None:
        found[number] = model.embed(["あ" * number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: vectors[0][0] for number, vectors in found.items()} == {
        number: float(number) for number in range(1, 17)
    }


@every_provider
def test_the_environment_of_other_tools_leads_nothing_elsewhere(
    script: ScriptedModel, provider: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        address = f"http://127.0.0.1:{elsewhere.getsockname()[1]}"
        for name in (
            "OPENAI_API_BASE",
            "OPENAI_BASE_URL",
            "OPENAI_PROXY",
            "LANGSMITH_ENDPOINT",
            "GOOGLE_GEMINI_BASE_URL",
        ):
            monkeypatch.setenv(name, address)
        for name in ("LANGSMITH_TRACING", "GOOGLE_GENAI_USE_VERTEXAI"):
            monkeypatch.setenv(name, "true")
        monkeypatch.setenv("OPENAI_API_TYPE", "azure" if provider == "openai" else "openai")
        monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "another-token")
        script.otherwise(by_length)
        assert connected(script, provider).embed(["三文字"]) == [[3.0, 1.0, 0.5]]
        elsewhere.settimeout(0.2)
        with pytest.raises(TimeoutError):
            elsewhere.accept()


def test_rules_have_no_embedding_model(script: ScriptedModel) -> None:
    with pytest.raises(MissingDependency):
        connect_embeddings(RULES, script.settings())
