"""Objects from a model: schema, one repair, servers that know less."""

import pytest
from pydantic import BaseModel, Field

from sanbo.kernel.problems import InvalidOutput, LimitExceeded, ProviderFailed
from sanbo.llm.model import HumanMessage, SystemMessage
from sanbo.llm.usage import Usage
from tests.scripted_model import (
    BadRequest,
    Filtered,
    Json,
    MalformedBody,
    MalformedJson,
    RateLimited,
    Refused,
    Reply,
    Text,
)
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench


class Person(BaseModel):
    name: str = Field(min_length=1, max_length=40)
    age: int = Field(ge=0)
    tags: list[str] = []


SATO: dict[str, object] = {"name": "佐藤", "age": 41, "tags": []}


def test_two_429_and_malformed_json_end_in_the_object_with_four_calls_counted(bench: Bench) -> None:
    bench.script.replies(RateLimited(0), RateLimited(0), MalformedJson('{"name": '), Json(SATO))
    assert bench.ask(lambda m: m.structured(ASK, Person)) == Person(name="佐藤", age=41)
    assert bench.outcomes == ["rate_limited", "rate_limited", "OUTPUT_SCHEMA_MISMATCH", "ok"]
    usage = Usage.of(bench.calls)
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (4, 22, 14)


def test_a_broken_http_body_is_another_attempt_and_no_repair(bench: Bench) -> None:
    bench.script.replies(MalformedBody(), Json(SATO))
    assert bench.ask(lambda m: m.structured(ASK, Person)).age == 41
    assert bench.outcomes == ["malformed_reply", "ok"]
    first, second = bench.script.requests
    assert first.body == second.body


def test_the_repair_round_shows_the_model_its_reply_and_what_is_wrong(bench: Bench) -> None:
    bench.script.replies(Json({"name": "佐藤", "age": -1}), Json(SATO))
    bench.ask(lambda m: m.structured(ASK, Person))
    turns = bench.script.requests[1].turns
    assert [role for role, _ in turns] == ["system", "user", "assistant", "user"]
    assert '"age": -1' in turns[2][1]
    assert "- age: Input should be greater than or equal to 0" in turns[3][1]


def test_a_second_bad_reply_is_a_problem_that_names_what_is_wrong(bench: Bench) -> None:
    bench.script.replies(Json({"name": "佐藤"}), Json({"name": "佐藤"}), Json(SATO))
    with pytest.raises(InvalidOutput) as caught:
        bench.ask(lambda m: m.structured(ASK, Person))
    problem = caught.value.problem
    assert problem.code == "OUTPUT_SCHEMA_MISMATCH"
    assert problem.details == {"errors": "- age: Field required"}
    assert "Person" in problem.message
    assert bench.script.remaining == 1


def test_json_in_a_markdown_fence_is_understood(bench: Bench) -> None:
    bench.script.replies(Text('```json\n{"name": "佐藤", "age": 41}\n```'))
    assert bench.ask(lambda m: m.structured(ASK, Person)).name == "佐藤"


def test_openai_gets_the_schema_in_strict_form(bench: Bench) -> None:
    bench.script.replies(Json(SATO))
    bench.ask(lambda m: m.structured(ASK, Person), bench.connect("azure_openai"))
    [request] = bench.script.requests
    described = request.body["response_format"]["json_schema"]
    assert described["strict"] is True
    assert described["name"] == "Person"
    assert described["schema"]["required"] == ["name", "age", "tags"]
    assert described["schema"]["additionalProperties"] is False
    assert request.turns == [("user", "売上はいくらですか。")]


def test_a_free_map_is_sent_without_strict_mode(bench: Bench) -> None:
    class Counts(BaseModel):
        by_month: dict[str, int]

    bench.script.replies(Json({"by_month": {"4月": 3}}))
    assert bench.ask(lambda m: m.structured(ASK, Counts)).by_month == {"4月": 3}
    assert bench.script.requests[0].body["response_format"]["json_schema"]["strict"] is False


def test_a_compatible_server_is_also_told_the_schema_in_words(bench: Bench) -> None:
    bench.script.replies(Json(SATO))
    messages = [SystemMessage("名簿を読みます。"), HumanMessage("佐藤、41歳")]
    bench.ask(lambda m: m.structured(messages, Person))
    role, text = bench.script.requests[0].turns[0]
    assert role == "system"
    assert text.startswith("名簿を読みます。")
    assert '"required": ["name", "age"]' in text


def test_a_server_without_json_schema_is_asked_for_any_json_from_then_on(bench: Bench) -> None:
    refusal = BadRequest("'response_format' of type 'json_schema' is not supported")
    bench.script.replies(refusal, Json(SATO), Json(SATO))
    model = bench.connect()
    for _ in range(2):
        assert bench.ask(lambda m: m.structured(ASK, Person), model).age == 41
    forms = [request.body["response_format"]["type"] for request in bench.script.requests]
    assert forms == ["json_schema", "json_object", "json_object"]
    assert bench.outcomes == ["request_refused", "ok", "ok"]


def test_a_server_without_any_response_format_is_asked_in_words(bench: Bench) -> None:
    refusal = BadRequest("unknown field: response_format")
    bench.script.replies(refusal, refusal, Json(SATO))
    assert bench.ask(lambda m: m.structured(ASK, Person)).age == 41
    last = bench.script.requests[-1]
    assert "response_format" not in last.body
    assert '"required": ["name", "age"]' in last.prompt


def test_any_other_bad_request_is_not_tried_in_another_form(bench: Bench) -> None:
    bench.script.replies(BadRequest("temperature must be 1"))
    with pytest.raises(ProviderFailed) as caught:
        bench.ask(lambda m: m.structured(ASK, Person))
    assert "temperature must be 1" in caught.value.problem.message
    assert len(bench.calls) == 1


@pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])
def test_an_object_cut_at_the_length_limit_is_not_repaired(
    bench: Bench, provider: Protocol
) -> None:
    bench.script.replies(Text('{"name": "佐', finish="length"))
    with pytest.raises(LimitExceeded) as caught:
        bench.ask(lambda m: m.structured(ASK, Person), bench.connect(provider))
    assert caught.value.problem.text_id == "llm_output_limit"
    [call] = bench.calls
    assert (call.outcome, call.output_tokens) == ("RESOURCE_LIMIT", 7)


@pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])
@pytest.mark.parametrize("reply", [Refused(), Filtered()], ids=["refused", "filtered"])
def test_a_refusal_has_its_own_text(bench: Bench, provider: Protocol, reply: Reply) -> None:
    bench.script.replies(reply)
    with pytest.raises(ProviderFailed) as caught:
        bench.ask(lambda m: m.structured(ASK, Person), bench.connect(provider))
    assert caught.value.problem.text_id == "llm_refused"
    assert not caught.value.problem.recoverable
