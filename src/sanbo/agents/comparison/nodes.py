"""The nodes: initialize, look_over, select_next_chunk, call_model, execute_tools, format_output."""

import asyncio
from typing import Any, cast

from langchain_core.messages import HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from sanbo.agents.comparison import prompts, sheets
from sanbo.agents.comparison.decisions import (
    RESULT,
    RESULT_TOOL,
    Refusal,
    SaidResult,
    accepted,
    all_decisions,
    failed,
    not_accepted,
    put_away,
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
from sanbo.agents.comparison.state import (
    CloserLook,
    ComparisonState,
    DocumentReference,
    PendingTurn,
)
from sanbo.agents.comparison.tools import LOOKING, Tools
from sanbo.kernel.problems import SanboError
from sanbo.llm.failures import concerns_the_reply
from sanbo.llm.model import InvalidToolCall, Message, ToolCall, ToolTurn
from sanbo.runs.model import JsonObject, LoopIteration
from sanbo.runs.workflow import RunContext

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
        some = every[done : done + SHEETS_AT_ONCE]
        read = await asyncio.gather(
            *(_looked_over(material.view(number), sheet, context) for number, sheet in some)
        )
        decided: list[JsonObject] = []
        closer: list[CloserLook] = []
        for (number, _), each in zip(some, read, strict=True):
            decided += [{"pair": number, **_json(one)} for one in each.decisions]
            closer += [CloserLook(pair=number, id=old_id) for old_id in each.closer]
        update = await put_away(state, context)
        before: ComparisonState = {**state, **update}
        return {
            **update,
            "comparison_results": [*before.get("comparison_results", []), *decided],
            "closer": [*state.get("closer", []), *closer],
            "sheets": done + len(some),
            "sheets_left": len(every) - done - len(some),
        }

    async def select_next_chunk(self, state: ComparisonState, runtime: Run) -> ComparisonState:
        context: RunContext[Any] = runtime.context
        nothing_left: ComparisonState = {
            "current_chunk_a": None,
            "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
        }
        if context.engine.provider == "rules":
            return nothing_left
        material = await self._material(state, context)
        closer = [(each["pair"], each["id"]) for each in state.get("closer", [])]
        queue = material.every_chunk() if context.input.every_chunk else closer
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
        told = opening(view, chunk, _decided_so_far(state, number), context.language)
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


def _decided_so_far(state: ComparisonState, pair: int) -> dict[str, list[str]]:
    """Of the last portion: by new chunk, the old ones that became it."""
    found: dict[str, list[str]] = {}
    for entry in state.get("comparison_results", []):
        if entry["pair"] == pair:
            for new_id in cast("list[str]", entry["new"]):
                found.setdefault(new_id, []).append(cast("str", entry["old"]))
    return found


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
