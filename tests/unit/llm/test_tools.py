"""Tool calls, and those that can't be carried out."""

import pytest
from pydantic import BaseModel

from sanbo.kernel.problems import ProviderFailed
from sanbo.llm.model import Model, ToolSpec, ToolTurn
from tests.scripted_model import Text, Tool, ToolCalls
from tests.unit.llm.conftest import ASK, Bench


class Search(BaseModel):
    query: str
    limit: int = 3


SEARCH = ToolSpec.of(Search, name="search", description="文書を検索する")


async def turn(model: Model) -> ToolTurn:
    return await model.tools(ASK, [SEARCH])


@pytest.mark.parametrize("arguments", ['{"query": ', "売上", "{'query': '売上'}"])
def test_arguments_that_are_no_json_come_back_as_an_invalid_call(
    bench: Bench, arguments: str
) -> None:
    bench.script.replies(ToolCalls(Tool("search", arguments)))
    result = bench.ask(turn)
    assert result.calls == ()
    [bad] = result.invalid
    assert (bad.name, bad.id) == ("search", "call_scripted_1")
    assert bad.error
    assert bench.outcomes == ["ok"]


@pytest.mark.parametrize("arguments", ['["売上"]', '"売上"', "12"])
def test_arguments_that_are_no_object_are_a_malformed_reply_and_asked_for_again(
    bench: Bench, arguments: str
) -> None:
    bench.script.replies(
        ToolCalls(Tool("search", arguments)), ToolCalls(Tool("search", {"query": "売上"}))
    )
    assert bench.ask(turn).calls[0].arguments == {"query": "売上"}
    assert bench.outcomes == ["malformed_reply", "ok"]


def test_the_model_is_told_what_was_wrong_and_calls_again(bench: Bench) -> None:
    bench.script.replies(
        ToolCalls(Tool("search", '{"query": '), Tool("search", {"query": "売上"})),
        ToolCalls(Tool("search", {"query": "売上"})),
    )
    model = bench.connect()

    async def work(_: Model) -> ToolTurn:
        first = await turn(model)
        results = [call.result("3件") for call in first.calls]
        feedback = [call.feedback() for call in first.invalid]
        return await model.tools([*ASK, first.message, *results, *feedback], [SEARCH])

    assert bench.ask(work, model).calls[0].arguments == {"query": "売上"}
    sent = bench.script.requests[1].body["messages"]
    calls = {call["id"]: call["function"]["arguments"] for call in sent[1]["tool_calls"]}
    assert calls == {"call_scripted_1": "{}", "call_scripted_2": '{"query": "売上"}'}
    told = {message["tool_call_id"]: message["content"] for message in sent[2:]}
    assert told["call_scripted_2"] == "3件"
    assert '{"query": ' in told["call_scripted_1"]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (Tool("delete_all", {}), "there is no tool 'delete_all'; there are: search"),
        (Tool("search", {"limit": 2}), "$: 'query' is a required property"),
        (Tool("search", {"query": 7}), "$.query: 7 is not of type 'string'"),
    ],
    ids=["unknown tool", "missing argument", "wrong type"],
)
def test_calls_that_do_not_fit_the_tool_are_invalid(bench: Bench, call: Tool, reason: str) -> None:
    bench.script.replies(ToolCalls(call))
    result = bench.ask(turn)
    assert result.calls == ()
    assert result.invalid[0].error == reason


def test_calls_without_an_id_get_one(bench: Bench) -> None:
    bench.script.replies(
        ToolCalls(Tool("search", {"query": "一"}, id=""), Tool("search", {"query": "二"}, id=""))
    )
    result = bench.ask(turn)
    ids = [call.id for call in result.calls]
    assert len(set(ids)) == 2
    assert [call["id"] for call in result.message.tool_calls] == ids


@pytest.mark.parametrize(
    "words",
    [
        '{"name": "search", "arguments": {"query": "売上"}}',
        '```json\n{"name": "search", "arguments": {"query": "売上"}}\n```',
        '{{"name": "search", "arguments": {"query": "売上"}}}\n',
    ],
    ids=["plain", "fenced", "doubled braces"],
)
def test_a_call_that_a_local_model_writes_as_words_is_a_call(bench: Bench, words: str) -> None:
    bench.script.replies(Text(words))
    result = bench.ask(turn)
    assert result.text == ""
    assert result.calls[0].arguments == {"query": "売上"}
    assert result.message.tool_calls[0]["name"] == "search"


def test_other_json_in_words_stays_an_answer(bench: Bench) -> None:
    bench.script.replies(Text('{"name": "佐藤", "arguments": {}}'))
    result = bench.ask(turn)
    assert result.calls == ()
    assert result.text == '{"name": "佐藤", "arguments": {}}'


def test_a_turn_with_neither_words_nor_calls_is_a_problem(bench: Bench) -> None:
    bench.script.replies(Text(""))
    with pytest.raises(ProviderFailed) as caught:
        bench.ask(turn)
    assert caught.value.problem.text_id == "llm_empty_reply"
