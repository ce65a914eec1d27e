"""Every provider answers in words, as a stream, as an object and with tools, over its own wire."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from sanbo.llm.model import ToolSpec
from tests.scripted_model import Json, Text, Tool, ToolCalls
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench, read

PROVIDERS: list[Protocol] = ["openai", "azure_openai", "google_genai"]
every_provider = pytest.mark.parametrize("provider", PROVIDERS)


class Answer(BaseModel):
    """売上の回答"""

    amount: int = Field(description="円")
    unit: Literal["円", "千円"]
    note: str | None = None


class Search(BaseModel):
    query: str
    limit: int = 3


SEARCH = ToolSpec.of(Search, name="search", description="文書を検索する")


@every_provider
def test_a_question_is_answered_in_words(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Text("一億二千万円です。"))
    model = bench.connect(provider)
    assert bench.ask(lambda m: m.complete(ASK, purpose="answer"), model) == "一億二千万円です。"
    [call] = bench.calls
    assert (call.provider, call.model, call.purpose) == (provider, "scripted-1", "answer")
    assert (call.outcome, call.input_tokens, call.output_tokens) == ("ok", 11, 7)
    [request] = bench.script.requests
    assert request.turns == [("user", "売上はいくらですか。")]


@every_provider
def test_an_answer_is_streamed_in_pieces_and_counted(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Text("一億二千万円です。", piece_length=3))
    pieces = bench.ask(read, bench.connect(provider))
    assert len(pieces) == 3
    assert "".join(pieces) == "一億二千万円です。"
    [call] = bench.calls
    assert (call.outcome, call.input_tokens, call.output_tokens) == ("ok", 11, 7)


@every_provider
def test_an_object_is_asked_for_by_json_schema(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Json({"amount": 120, "unit": "千円", "note": None}))
    answer = bench.ask(lambda m: m.structured(ASK, Answer), bench.connect(provider))
    assert answer == Answer(amount=120, unit="千円")
    schema = bench.script.requests[0].schema
    assert schema is not None
    assert schema["properties"]["amount"]["type"] == "integer"


@every_provider
def test_tools_are_offered_and_called(bench: Bench, provider: Protocol) -> None:
    calls = ToolCalls(Tool("search", {"query": "売上"}), text="調べます。")
    bench.script.replies(calls, Text("一億円です。"))
    model = bench.connect(provider)

    async def work(_: Any) -> str:
        turn = await model.tools(ASK, [SEARCH])
        assert turn.text == "調べます。"
        [call] = turn.calls
        assert (call.name, call.arguments) == ("search", {"query": "売上"})
        assert call.id
        after = [*ASK, turn.message, call.result("第3表：1億円")]
        return (await model.tools(after, [SEARCH])).text

    assert bench.ask(work, model) == "一億円です。"
    first, second = bench.script.requests
    assert first.tool_names == ["search"]
    assert "第3表" in str(second.body)


@every_provider
def test_the_key_travels_in_its_header_alone(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Text("はい。"))
    bench.ask(lambda m: m.complete(ASK), bench.connect(provider))
    [request] = bench.script.requests
    assert request.key == bench.script.api_key
    elsewhere = {
        name: value
        for name, value in request.headers.items()
        if name not in {"authorization", "api-key", "x-goog-api-key"}
    }
    assert bench.script.api_key not in f"{elsewhere} {request.path} {request.body}"


def test_azure_is_addressed_by_deployment_and_version(bench: Bench) -> None:
    bench.script.replies(Text("はい。"))
    model = bench.connect("azure_openai", model="keiri", azure_api_version="2024-10-21")
    bench.ask(lambda m: m.complete(ASK), model)
    [request] = bench.script.requests
    assert request.path == "/openai/deployments/keiri/chat/completions?api-version=2024-10-21"


@every_provider
def test_no_temperature_is_sent_unless_it_is_set(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Text("はい。"), Text("はい。"))
    bench.ask(lambda m: m.complete(ASK), bench.connect(provider))
    bench.ask(lambda m: m.complete(ASK), bench.connect(provider, temperature=0.25))
    without, with_it = (str(request.body) for request in bench.script.requests)
    assert "temperature" not in without
    assert "'temperature': 0.25" in with_it


@every_provider
def test_one_model_serves_several_event_loops(bench: Bench, provider: Protocol) -> None:
    bench.script.replies(Text("一"), Text("二"))
    model = bench.connect(provider)
    answers = [bench.ask(lambda m: m.complete(ASK), model) for _ in range(2)]
    assert answers == ["一", "二"]
