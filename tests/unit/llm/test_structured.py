"""Objects from a model: schema, one repair, servers that know less."""

import asyncio
import time

import pytest
from pydantic import BaseModel, Field

from sanbo.kernel.problems import InvalidOutput, LimitExceeded, ProviderFailed, TimedOut
from sanbo.llm.engine import Usage
from sanbo.llm.model import HumanMessage, Mismatch, SystemMessage, Wish
from tests.scripted_model import (
    BadRequest,
    Filtered,
    Hang,
    Json,
    MalformedBody,
    MalformedJson,
    RateLimited,
    Refused,
    Reply,
    Text,
    Truncated,
)
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench

every_provider = pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])


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
    assert [request.streams for request in bench.script.requests] == [True, False]


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


@every_provider
def test_an_object_cut_at_the_length_limit_is_not_repaired(
    bench: Bench, provider: Protocol
) -> None:
    bench.script.replies(Text('{"name": "佐', finish="length"))
    with pytest.raises(LimitExceeded) as caught:
        bench.ask(lambda m: m.structured(ASK, Person), bench.connect(provider))
    assert caught.value.problem.text_id == "llm_output_limit"
    [call] = bench.calls
    assert (call.outcome, call.output_tokens) == ("RESOURCE_LIMIT", 7)


@every_provider
@pytest.mark.parametrize("reply", [Refused(), Filtered()], ids=["refused", "filtered"])
def test_a_refusal_has_its_own_text(bench: Bench, provider: Protocol, reply: Reply) -> None:
    bench.script.replies(reply)
    with pytest.raises(ProviderFailed) as caught:
        bench.ask(lambda m: m.structured(ASK, Person), bench.connect(provider))
    assert caught.value.problem.text_id == "llm_refused"
    assert not caught.value.problem.recoverable


# ---- streamed, bounded, cancelled ----


@every_provider
def test_a_model_that_falls_silent_is_noticed_before_the_time_is_up(
    bench: Bench, provider: Protocol
) -> None:
    for half in (Hang('{"name": "佐'), Hang()):
        bench.script.replies(half)
        model = bench.connect(provider, idle_seconds=0.4, timeout_seconds=60)
        began = time.monotonic()
        with pytest.raises(TimedOut) as caught:
            bench.ask(lambda m: m.structured(ASK, Person), model)
        assert time.monotonic() - began < 30
        assert caught.value.problem.text_id == "llm_fell_silent"
        assert "0.4" in caught.value.problem.message
    assert bench.outcomes == ["TIMEOUT_ERROR", "TIMEOUT_ERROR"]


def test_a_slow_model_that_goes_on_writing_is_heard_out_until_the_time_is_up(bench: Bench) -> None:
    slow = Json(SATO, piece_length=1, piece_seconds=0.05)
    bench.script.replies(slow, slow)
    model = bench.connect(idle_seconds=1, timeout_seconds=20)
    assert bench.ask(lambda m: m.structured(ASK, Person), model).age == 41
    hasty = bench.connect(idle_seconds=1, timeout_seconds=0.6)
    with pytest.raises(TimedOut) as caught:
        bench.ask(lambda m: m.structured(ASK, Person), hasty)
    assert caught.value.problem.text_id == "llm_timed_out"


def test_half_an_object_and_a_lost_connection_is_another_attempt(bench: Bench) -> None:
    bench.script.replies(Truncated('{"name": "佐', "connection"), Json(SATO))
    assert bench.ask(lambda m: m.structured(ASK, Person)).age == 41
    assert all(request.streams for request in bench.script.requests)


def test_who_leaves_while_the_model_writes_leaves_nothing_behind(bench: Bench) -> None:
    bench.script.replies(Hang('{"name": "佐'))
    model = bench.connect()

    async def leave() -> None:
        asked = asyncio.create_task(model.structured(ASK, Person))
        while not bench.script.requests:
            await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(leave())
    assert bench.outcomes == ["cancelled"]


def test_a_server_that_does_not_stream_is_asked_for_the_whole_from_then_on(bench: Bench) -> None:
    bench.script.replies(BadRequest("streaming is not supported"), Json(SATO), Json(SATO))
    model = bench.connect()
    for _ in range(2):
        assert bench.ask(lambda m: m.structured(ASK, Person), model).age == 41
    assert [request.streams for request in bench.script.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("provider", "bound"),
    [
        ("openai", ("max_tokens", 900)),
        ("azure_openai", ("max_tokens", 8900)),
        ("google_genai", ("maxOutputTokens", 8900)),
    ],
)
def test_a_bound_and_a_temperature_are_sent_unless_refused(
    bench: Bench, provider: Protocol, bound: tuple[str, int]
) -> None:
    wish = Wish(most_tokens=900, temperature=0)
    bench.script.replies(Json(SATO), BadRequest("'temperature' must be 1"), Json(SATO))
    model = bench.connect(provider)
    for _ in range(2):
        bench.ask(lambda m: m.structured(ASK, Person, wish=wish), model)
    sent = [one.body.get("generationConfig", one.body) for one in bench.script.requests]
    key, tokens = bound
    assert [(one.get(key), one.get("temperature")) for one in sent] == [
        (tokens, 0),
        (tokens, 0),
        (None, None),
    ]


def test_a_temperature_that_a_person_has_set_holds(bench: Bench) -> None:
    bench.script.replies(Json(SATO))
    model = bench.connect(temperature=0.7)
    bench.ask(lambda m: m.structured(ASK, Person, wish=Wish(temperature=0)), model)
    assert bench.script.requests[0].body["temperature"] == 0.7


def test_what_the_messages_explain_is_not_told_again_nor_repaired(bench: Bench) -> None:
    bench.script.replies(Json({"name": "佐藤"}))
    wish = Wish(explained=True, repair=False)
    with pytest.raises(Mismatch) as caught:
        bench.ask(lambda m: m.structured(ASK, Person, wish=wish))
    assert caught.value.reply == '{"name": "佐藤"}'
    [request] = bench.script.requests
    assert request.turns == [("user", "売上はいくらですか。")]
    assert request.schema is not None
