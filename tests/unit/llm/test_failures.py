"""Each way a provider can fail has a code, its own text and a hint that names the setting."""

import asyncio
import logging
import socket
import traceback
from pathlib import Path

import pytest
from pydantic import SecretStr

from sanbo.kernel.messages import catalogue, use_language
from sanbo.kernel.problems import (
    LimitExceeded,
    MissingDependency,
    PermissionDenied,
    ProviderFailed,
    SanboError,
)
from sanbo.llm.engine import Call, choose_engine
from sanbo.llm.model import connect
from sanbo.llm.settings import LlmSettings
from sanbo.llm.vendor import Pace
from tests.scripted_model import (
    BadRequest,
    Forbidden,
    MalformedBody,
    Reply,
    Status,
    Text,
    UnknownModel,
    WrongKey,
    WrongShape,
)
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench, read

every_provider = pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])
VARIABLES = {
    "openai": "OPENAI_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
}


def fail(bench: Bench, provider: Protocol = "openai", **overrides: object) -> SanboError:
    with pytest.raises(SanboError) as caught:
        bench.ask(lambda m: m.complete(ASK), bench.connect(provider, **overrides))
    return caught.value


@every_provider
@pytest.mark.parametrize("reply", [WrongKey(), Forbidden()], ids=["401", "403"])
def test_a_refused_key_is_permission_denied_and_names_its_variable(
    bench: Bench, provider: Protocol, reply: Reply
) -> None:
    bench.script.replies(reply)
    error = fail(bench, provider)
    assert isinstance(error, PermissionDenied)
    assert error.problem.code == "PERMISSION_DENIED"
    assert VARIABLES[provider] in error.problem.hint
    assert bench.outcomes == ["PERMISSION_DENIED"]


@every_provider
@pytest.mark.parametrize("way", ["complete", "stream"])
@pytest.mark.parametrize("key", ["no-shape-of-a-key-4711", "sk-wrong-0123456789abcdef"])
def test_a_wrong_key_appears_nowhere(
    bench: Bench, provider: Protocol, way: str, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpx2", "httpcore", "google_genai", "langchain", "asyncio"):
        caplog.set_level(logging.DEBUG, logger=name)
    field = {
        "openai": "openai_api_key",
        "azure_openai": "azure_api_key",
        "google_genai": "google_api_key",
    }[provider]
    model = bench.connect(provider, **{field: SecretStr(key)})
    with pytest.raises(PermissionDenied) as caught:
        bench.ask(read if way == "stream" else lambda m: m.complete(ASK), model)
    error = caught.value
    assert bench.script.requests[0].key == key  # it did travel
    chain: list[BaseException] = [error]
    while link := chain[-1].__cause__ or chain[-1].__context__:
        chain.append(link)
    assert chain == [error]
    shown = [
        *caplog.messages,
        *(str(record.__dict__) for record in caplog.records),
        *traceback.format_exception(error),
        repr(error),
        repr(model),
        error.problem.model_dump_json(),
        repr(bench.calls),
    ]
    assert all(key not in text for text in shown)
    assert any("httpx" in record.name or "httpcore" in record.name for record in caplog.records)


@every_provider
def test_an_unknown_model_names_the_setting(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(UnknownModel())
    error = fail(bench, provider)
    assert isinstance(error, MissingDependency)
    assert "scripted-1" in error.problem.message
    assert "llm.model" in error.problem.hint


@every_provider
def test_a_bad_request_quotes_the_provider_briefly(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(BadRequest("Unsupported value: sk-leaked-0123456789abcdef " + "x" * 900))
    error = fail(bench, provider)
    assert isinstance(error, ProviderFailed)
    assert not error.problem.recoverable
    assert "Unsupported value: ****" in error.problem.message
    assert len(error.problem.message) < 700
    assert len(bench.calls) == 1


def test_a_key_is_not_quoted_where_the_message_is_cut(bench: Bench) -> None:
    key = bench.script.api_key
    bench.script.replies(BadRequest("y" * 485 + f" {key}"))
    assert key[:12] not in fail(bench).problem.message


@pytest.mark.parametrize(
    ("provider", "reply"),
    [
        ("openai", BadRequest("This is too long.", "context_length_exceeded")),
        ("azure_openai", BadRequest("This is too long.", "context_length_exceeded")),
        ("openai", Status(400, "the request exceeds", "exceed_context_size_error")),
        ("google_genai", BadRequest("The input exceeds the maximum number of tokens allowed (9).")),
    ],
)
def test_an_input_that_is_too_long_has_its_own_text(
    bench: Bench, provider: Protocol, reply: Reply
) -> None:
    bench.script.replies(reply)
    error = fail(bench, provider)
    assert isinstance(error, LimitExceeded)
    assert error.problem.text_id == "llm_context_exceeded"


def test_azures_content_filter_on_the_prompt_is_a_refusal(bench: Bench) -> None:
    bench.script.replies(BadRequest("The response was filtered.", "content_filter"))
    assert fail(bench, "azure_openai").problem.text_id == "llm_refused"


@every_provider
@pytest.mark.parametrize(
    "reply", [MalformedBody(), WrongShape({"choices": None}), WrongShape("OK")]
)
def test_a_reply_that_is_no_reply_is_tried_again_and_then_a_problem(
    bench: Bench, provider: Protocol, reply: Reply
) -> None:
    bench.script.otherwise(reply)
    error = fail(bench, provider, max_attempts=2)
    assert isinstance(error, ProviderFailed)
    assert error.problem.recoverable
    assert len(bench.calls) in (1, 2)
    assert "ok" not in bench.outcomes


@every_provider
def test_an_empty_answer_is_a_problem(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Text(" "))
    assert fail(bench, provider).problem.text_id == "llm_empty_reply"


@pytest.mark.parametrize(
    ("values", "setting"),
    [
        ({"base_url": "http://127.0.0.1:{port}/v1"}, "llm.base_url"),
        (
            {"azure_endpoint": "http://127.0.0.1:{port}", "azure_api_key": "k" * 9},
            "llm.azure_endpoint",
        ),
        (
            {"google_base_url": "http://127.0.0.1:{port}", "google_api_key": "k" * 9},
            "llm.google_base_url",
        ),
    ],
    ids=["openai", "azure_openai", "google_genai"],
)
def test_a_refused_connection_names_the_address_setting(
    values: dict[str, str], setting: str
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    filled = {name: value.replace("{port}", str(port)) for name, value in values.items()}
    settings = LlmSettings.model_validate({"model": "m", "max_attempts": 2, **filled})
    calls: list[Call] = []
    pace = Pace(first_seconds=0.001)

    async def ask() -> None:
        await connect(choose_engine(settings), settings, calls.append, pace=pace).complete(ASK)

    with pytest.raises(ProviderFailed) as caught:
        asyncio.run(ask())
    assert f"127.0.0.1:{port}" in caught.value.problem.message
    assert setting in caught.value.problem.hint
    assert [call.outcome for call in calls] == ["connection_failed"] * 2


def test_every_problem_of_this_part_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/llm.md").read_text("utf-8")
    ids = {text_id.partition(".")[0] for text_id in catalogue() if text_id.startswith("llm_")}
    assert [text_id for text_id in ids if f"`{text_id}`" not in page] == []


def test_every_text_of_this_part_is_in_both_languages(bench: Bench) -> None:
    texts = {text_id: text for text_id, text in catalogue().items() if text_id.startswith("llm_")}
    assert len(texts) > 30
    assert all(set(text) == {"ja", "en"} for text in texts.values())
    bench.script.replies(WrongKey())
    with use_language("en"):
        assert "did not accept the API key" in fail(bench).problem.message
