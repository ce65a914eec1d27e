"""The nodes of a comparison, and the graph they form.

initialize → look_over … → select_next_chunk → call_model ⇄ execute_tools … → format_output.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar, cast

from langchain_core.messages import HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from sanbo.agents.comparison import prompts, sheets
from sanbo.agents.comparison.decisions import (
    RESULT,
    RESULT_TOOL,
    ComparisonState,
    DocumentReference,
    PendingTurn,
    Refusal,
    SaidResult,
    accepted,
    all_decisions,
    failed,
    keep_list,
    not_accepted,
    put_away,
    read_list,
    read_result,
    refusal_of,
    rounds_used,
)
from sanbo.agents.comparison.dialogue import MOST_ROUNDS, bounded, opening, shortened
from sanbo.agents.comparison.given import read_side
from sanbo.agents.comparison.material import Material, Materials, PairView
from sanbo.agents.comparison.model import Chunk, Decision, Problem
from sanbo.agents.comparison.preparation import SideFacts, prepare_apart
from sanbo.agents.comparison.results import Results
from sanbo.agents.comparison.sheets import Sheet
from sanbo.agents.comparison.tools import LOOKING, Tools
from sanbo.kernel.problems import SanboError
from sanbo.llm.failures import concerns_the_reply
from sanbo.llm.model import InvalidToolCall, Message, ToolCall, ToolTurn
from sanbo.runs.model import JsonObject, LoopIteration
from sanbo.runs.workflow import RunContext

T = TypeVar("T")

Run = Runtime[Any]  # holds RunContext[ComparisonInput]; LangGraph types it for dataclasses only

CALLS_A_ROUND = 8
"""So many calls of one turn are carried out: what comes back must fit into a prompt."""
LONGEST_ROUND = 16_000
"""Characters of all that the tools give back in one round."""
LONGEST_LABEL = 60
SHEETS_AT_ONCE = 4


class Nodes:
    def __init__(self, materials: Materials, results: Results) -> None:
        self._materials = materials
        self._results = results

    async def initialize(self, state: ComparisonState, runtime: Run) -> ComparisonState:
        _ = state  # nothing is known yet
        context: RunContext[Any] = runtime.context
        given = context.input
        old, new = await asyncio.gather(read_side(context, "old"), read_side(context, "new"))
        prepared, compared = await prepare_apart(
            old, new, id_column=given.id_column, text_column=given.text_column
        )
        with compared:
            sha256 = await self._materials.keep(context, compared)
        return {
            "document_a": _reference(prepared.old, sha256),
            "document_b": _reference(prepared.new, sha256),
            "comparison_results": [],
            "processed_chunks_a": [],
            "put_away": [],
            "position": 0,
        }

    async def look_over(self, state: ComparisonState, runtime: Run) -> ComparisonState:
        """Some sheets side by side; what they leave open is asked chunk by chunk."""
        context: RunContext[Any] = runtime.context
        done = state.get("sheets", 0)
        if context.engine.provider == "rules" or context.input.every_chunk:
            return {"sheets_left": 0}
        material = await self._material(state, context)
        every = await asyncio.to_thread(sheets.every_sheet, material)
        read = await those_before_a_problem(
            _looked_over(material.view(number), sheet, context)
            for number, sheet in every[done : done + SHEETS_AT_ONCE]
        )
        some = every[done : done + len(read)]
        decided: list[JsonObject] = []
        closer: list[list[str | int]] = []
        known = await all_decisions(state, context)
        claimed = {(pair, new) for pair, made in known.items() for one in made for new in one.new}
        for (number, _), said in zip(some, read, strict=True):
            each = sheets.without_rivals(said, {new for pair, new in claimed if pair == number})
            decided += [{"pair": number, **_json(one)} for one in each.decisions]
            closer += [[number, old_id] for old_id in each.closer]
            claimed |= {(number, new) for one in each.decisions for new in one.new}
        update = await put_away(state, context)
        before = cast("ComparisonState", {**state, **update})
        update["comparison_results"] = [*before.get("comparison_results", []), *decided]
        update["processed_chunks_a"] = [cast("str", one["old"]) for one in decided]
        update["sheets"] = done + len(some)
        update["sheets_left"] = len(every) - done - len(some)
        update["closer"] = state.get("closer", [])
        if closer:
            update["closer"] = [*update["closer"], await keep_list(context, closer)]
        if update["closer"] and not update["sheets_left"]:
            update["closer"] = [await _still_open(state | update, context)]
        return update

    async def select_next_chunk(self, state: ComparisonState, runtime: Run) -> ComparisonState:
        context: RunContext[Any] = runtime.context
        nothing_left: ComparisonState = {
            "current_chunk_a": None,
            "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
        }
        if context.engine.provider == "rules":
            return nothing_left
        material = await self._material(state, context)
        queue = await _queue(material, state, context)
        position = state.get("position", 0)
        update = await put_away(state, context)
        if position >= len(queue):
            return {**nothing_left, **update}
        number, chunk_id = queue[position]
        view = material.view(number)
        chunk = _chunk(view, chunk_id)
        label = chunk.label[:LONGEST_LABEL]
        await context.record(
            LoopIteration(
                iteration=position + 1,
                item={"id": chunk.id, "of": len(queue), "label": label, "pair": number},
            ),
            "select_next_chunk",
        )
        decided = (await all_decisions(state, context)).get(number, [])
        told = opening(view, chunk, decided, context.language)
        return {
            **update,
            "current_chunk_a": {
                "pair": number,
                "id": chunk.id,
                "label": label,
                "number": position + 1,
                "of": len(queue),
            },
            # Nothing of another chunk's dialogue stays.
            "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *told],
            "rounds": 0,
            "refusals": 0,
            "tools_used": [],
            "turn": None,
        }

    async def call_model(self, state: ComparisonState, runtime: Run) -> ComparisonState:
        context: RunContext[Any] = runtime.context
        view, chunk = await self._current(state, context)
        is_last = state.get("rounds", 0) >= MOST_ROUNDS
        model = await context.model()
        messages = list(state.get("messages", []))
        try:
            summed_up = await shortened(messages, model)
            said_turn = await model.tools(
                summed_up or messages,
                [RESULT_TOOL] if is_last else [*LOOKING, RESULT_TOOL],
                purpose="comparison.decide",
            )
        except SanboError as error:
            if not concerns_the_reply(error):
                raise  # no key, no network: no other chunk would do better
            return _decided(state, failed(chunk.id, error.problem, _used(state)))
        turn = bounded(said_turn, RESULT)
        said = read_result(turn)
        if isinstance(said, SaidResult):
            refusal = await asyncio.to_thread(refusal_of, said, view, chunk)
            if refusal is None:
                return _decided(state, accepted(said, chunk, _used(state)))
            said = refusal
        problem = _given_up(state, said, chunk, context)
        if problem is not None:
            return _decided(state, failed(chunk.id, problem, _used(state)))
        told: list[Message] = [turn.message]
        if summed_up is not None:
            told = [RemoveMessage(id=REMOVE_ALL_MESSAGES), *summed_up, turn.message]
        return {"messages": told, "turn": _pending(turn, said)}

    async def execute_tools(self, state: ComparisonState, runtime: Run) -> ComparisonState:
        context: RunContext[Any] = runtime.context
        turn = state.get("turn")
        assert turn is not None
        view, _ = await self._current(state, context)
        refusal = None if turn["refusal"] is None else Refusal.model_validate(turn["refusal"])
        calls = [ToolCall.model_validate(call) for call in turn["calls"]]
        invalid = [InvalidToolCall.model_validate(call) for call in turn["invalid"]]
        tools = Tools(view, context.place.settings)
        told: list[Message] = []
        looked = [call for call in calls if call.name != RESULT]
        room = LONGEST_ROUND // max(1, min(len(looked), CALLS_A_ROUND))
        for call in looked[:CALLS_A_ROUND]:
            told.append(await _carried_out(call, tools, room))
        too_many = prompts.TOO_MANY_CALLS.format(limit=CALLS_A_ROUND)
        told += [_error(call, too_many) for call in looked[CALLS_A_ROUND:]]
        told += [call.feedback() for call in invalid if call.name != RESULT]
        used = [call.name for call in looked[:CALLS_A_ROUND]]
        rounds = state.get("rounds", 0)
        if looked or any(call.name != RESULT for call in invalid):
            rounds += 1
        if refusal is not None:
            text = prompts.REFUSED.format(reason=refusal.reason("en"))
            answered = [call.id for call in (*calls, *invalid) if call.name == RESULT]
            told += [ToolMessage(text, tool_call_id=each, status="error") for each in answered]
            if not answered:
                told.append(HumanMessage(text))
        if rounds >= MOST_ROUNDS:
            told.append(HumanMessage(prompts.DECIDE_NOW))
        return {
            "messages": told,
            "rounds": rounds,
            "refusals": state.get("refusals", 0) + (refusal is not None),
            "tools_used": [*_used(state), *used],
            "turn": None,
        }

    async def format_output(self, state: ComparisonState, runtime: Run) -> ComparisonState:
        context: RunContext[Any] = runtime.context
        decisions = await all_decisions(state, context)
        material = _sha256(state)
        compared = await self._materials.data(context, material)
        sha256 = await self._results.make(context, material, compared, decisions)
        self._materials.forget(material)
        return {"result": sha256}

    async def _current(
        self, state: ComparisonState, context: RunContext[Any]
    ) -> tuple[PairView, Chunk]:
        current = state.get("current_chunk_a")
        assert current is not None
        material = await self._material(state, context)
        view = material.view(current["pair"])
        return view, _chunk(view, current["id"])

    async def _material(self, state: ComparisonState, context: RunContext[Any]) -> Material:
        return await self._materials.of(context, _sha256(state))


async def _looked_over(view: PairView, sheet: Sheet, context: RunContext[Any]) -> sheets.Read:
    model = await context.model()
    try:
        said = await model.structured(
            sheets.messages_of(view, sheet, context.language),
            sheets.SaidOfSheet,
            purpose="comparison.look_over",
            wish=sheets.wish_of(sheet),
        )
    except SanboError as error:
        if not concerns_the_reply(error):
            raise  # no key, no network: no other sheet would do better
        return sheets.Read([], list(sheet.asked))
    return await asyncio.to_thread(sheets.read, said, view, sheet)


async def those_before_a_problem(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """None is left behind: what was begun is waited for, and what it costs is counted. A problem of
    the first one is raised; one of another comes to that when it is asked for again."""
    ended = await asyncio.gather(*works, return_exceptions=True)
    found: list[T] = []
    for each in ended:
        if not isinstance(each, BaseException):
            found.append(each)
        elif found and isinstance(each, SanboError):
            break
        else:
            raise each
    return found


async def _still_open(state: ComparisonState, context: RunContext[Any]) -> str:
    """What one sheet left open another may have decided, or left open as well."""
    decided = {
        (number, one.old)
        for number, several in (await all_decisions(state, context)).items()
        for one in several
    }
    listed = [await read_list(context, sha256) for sha256 in state.get("closer", [])]
    every = dict.fromkeys((number, old_id) for some in listed for number, old_id in some)
    return await keep_list(context, [each for each in every if each not in decided])


async def _queue(
    material: Material, state: ComparisonState, context: RunContext[Any]
) -> list[tuple[int, str]]:
    """What is asked chunk by chunk."""
    if context.input.every_chunk:
        return await asyncio.to_thread(material.every_chunk)
    if "sheets" not in state:  # begun when there were none
        return await asyncio.to_thread(material.every_doubt)
    listed = [await read_list(context, sha256) for sha256 in state.get("closer", [])]
    return [(number, old_id) for some in listed for number, old_id in some]


def _sha256(state: ComparisonState) -> str:
    assert "document_a" in state
    return state["document_a"]["material"]


def _chunk(view: PairView, chunk_id: str) -> Chunk:
    chunk = view.old.chunk(chunk_id)
    assert chunk is not None
    return chunk


def _used(state: ComparisonState) -> list[str]:
    return state.get("tools_used", [])


def _reference(side: SideFacts, sha256: str) -> DocumentReference:
    return {
        "names": list(side.names),
        "chunks": side.chunks,
        "characters": side.characters,
        "material": sha256,
    }


def _decided(state: ComparisonState, decision: Decision) -> ComparisonState:
    """The chunk is done with, one way or the other."""
    current = state.get("current_chunk_a")
    assert current is not None
    entry: JsonObject = {"pair": current["pair"], **_json(decision)}
    return {
        "comparison_results": [*state.get("comparison_results", []), entry],
        "processed_chunks_a": [*state.get("processed_chunks_a", []), decision.old],
        "position": state.get("position", 0) + 1,
        "turn": None,
    }


def _given_up(
    state: ComparisonState, said: Refusal | None, chunk: Chunk, context: RunContext[Any]
) -> Problem | None:
    """Why there is no further chance for this chunk, if there is none."""
    if said is not None and state.get("refusals", 0):
        return not_accepted(chunk.id, said, context.language)
    if said is None and state.get("rounds", 0) >= MOST_ROUNDS:
        return rounds_used(chunk.id, MOST_ROUNDS)
    return None


def _pending(turn: ToolTurn, refusal: Refusal | None) -> PendingTurn:
    return {
        "calls": [_json(call) for call in turn.calls],
        "invalid": [_json(call) for call in turn.invalid],
        "refusal": None if refusal is None else _json(refusal),
    }


async def _carried_out(call: ToolCall, tools: Tools, room: int) -> ToolMessage:
    try:
        return call.result(await asyncio.to_thread(tools.call, call.name, call.arguments, room))
    except SanboError as error:
        problem = error.problem.in_language("en")
        return _error(call, prompts.FAILED.format(reason=f"{problem.message} {problem.hint}"))


def _error(call: ToolCall, text: str) -> ToolMessage:
    return ToolMessage(text, tool_call_id=call.id, name=call.name, status="error")


def _json(value: Any) -> JsonObject:
    return cast("JsonObject", value.model_dump(mode="json"))


def build(nodes: Nodes) -> StateGraph[Any, Any, Any, Any]:
    # pyrefly: ignore[bad-specialization]
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(ComparisonState)
    graph.add_node("initialize", nodes.initialize)
    graph.add_node("look_over", nodes.look_over)
    graph.add_node("select_next_chunk", nodes.select_next_chunk)
    graph.add_node("call_model", nodes.call_model)
    graph.add_node("execute_tools", nodes.execute_tools)
    graph.add_node("format_output", nodes.format_output)
    graph.add_edge(START, "initialize")
    graph.add_edge("initialize", "look_over")
    graph.add_conditional_edges("look_over", _sheets_left, ["look_over", "select_next_chunk"])
    graph.add_conditional_edges("select_next_chunk", _more, ["call_model", "format_output"])
    graph.add_conditional_edges("call_model", _wants, ["execute_tools", "select_next_chunk"])
    graph.add_edge("execute_tools", "call_model")
    graph.add_edge("format_output", END)
    return graph


def _sheets_left(state: ComparisonState) -> str:
    return "look_over" if state.get("sheets_left") else "select_next_chunk"


def _more(state: ComparisonState) -> str:
    return "format_output" if state.get("current_chunk_a") is None else "call_model"


def _wants(state: ComparisonState) -> str:
    return "select_next_chunk" if state.get("turn") is None else "execute_tools"
