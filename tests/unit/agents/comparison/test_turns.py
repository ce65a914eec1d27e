"""Whatever a model says in a turn can be kept, and is sent back in bounds."""

from typing import Any

from langchain_core.messages import AIMessage
from pydantic import TypeAdapter

from sanbo.agents.comparison.decisions import RESULT, RESULT_TOOL
from sanbo.agents.comparison.dialogue import LONGEST_NAME, LONGEST_TEXT, MOST_CALLS, bounded, sound
from sanbo.agents.comparison.tools import LOOKING
from sanbo.llm.formats import read_turn
from sanbo.llm.model import ToolTurn

JSON = TypeAdapter[Any](Any)


def turn_of(*calls: tuple[str, dict[str, Any]], text: str = "") -> ToolTurn:
    message = AIMessage(
        content=text,
        tool_calls=[
            {"type": "tool_call", "id": f"c{number}", "name": name, "args": arguments}
            for number, (name, arguments) in enumerate(calls)
        ],
    )
    return bounded(read_turn(message, text, [*LOOKING, RESULT_TOOL]), RESULT)


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def test_an_ordinary_turn_stays_as_it_is() -> None:
    turn = turn_of(("string_search", {"query": "再委託", "document": "new"}), text="探します。")
    assert turn.calls[0].arguments == {"query": "再委託", "document": "new"}
    assert turn.message.tool_calls[0]["args"] == {"query": "再委託", "document": "new"}
    assert (turn.text, turn.message.content) == ("探します。", "探します。")


def test_of_thousands_of_calls_the_first_are_kept_and_the_one_that_decides() -> None:
    said = {"new_ids": ["B1"], "explanation": "同じです。", "confidence": 1}
    turn = turn_of(*[("string_search", {"query": "条"})] * 3_000, (RESULT, said))
    assert len(turn.calls) == MOST_CALLS + 1
    assert turn.calls[-1].name == RESULT
    assert [call["id"] for call in turn.message.tool_calls] == [call.id for call in turn.calls]


def test_half_of_a_surrogate_pair_can_be_written() -> None:
    turn = turn_of(("string_search", {"query": "a\ud800"}), ("\udfff", {}), text="b\ud800")
    JSON.dump_json([call.model_dump() for call in (*turn.calls, *turn.invalid)])
    assert turn.calls[0].arguments["query"] == "a?"
    assert turn.message.content == "b?"


def test_nesting_is_cut_off() -> None:
    turn = turn_of(("string_search", {"query": nested(900)}))
    assert turn.message.tool_calls[0]["args"] == {}
    assert "[[[[" in turn.invalid[0].feedback().text
    assert str(sound(nested(900))).count("[") < 20


def test_long_names_arguments_and_words_are_cut() -> None:
    long = "x" * 1_000_000
    turn = turn_of((long, {"query": long}), ("string_search", {"query": long}), text=long)
    assert len(turn.message.content) == LONGEST_TEXT
    assert {len(call["name"]) for call in turn.message.tool_calls} == {LONGEST_NAME, 13}
    assert all(len(call.feedback().text) < 3 * LONGEST_TEXT for call in turn.invalid)
    assert sum(len(str(call["args"])) for call in turn.message.tool_calls) < LONGEST_TEXT


def test_what_a_provider_wants_back_stays_whole() -> None:
    signature = "s" * 50_000
    message = AIMessage(
        content=[{"type": "text", "text": "考え中", "extras": {"signature": signature}}],
        additional_kwargs={"signatures": {"c1": signature}},
        tool_calls=[
            {"type": "tool_call", "id": "c1", "name": "string_search", "args": {"query": "条"}}
        ],
    )
    kept = bounded(read_turn(message, "考え中", LOOKING), RESULT).message
    assert kept.content == message.content
    assert kept.additional_kwargs == message.additional_kwargs
