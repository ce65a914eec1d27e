"""The dialogue about one chunk: how it opens, is kept short, and a turn made fit to be kept."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from sanbo.agents.comparison import prompts
from sanbo.agents.comparison.material import PairView
from sanbo.agents.comparison.model import Chunk, Decision
from sanbo.agents.comparison.tools import LONGEST_NEIGHBOUR, proposal, shown
from sanbo.kernel.messages import Language
from sanbo.llm.model import InvalidToolCall, Message, Model, ToolCall, ToolTurn
from sanbo.llm.prompts import as_data, cut, written

MOST_ROUNDS = 6
LONGEST_HISTORY = 16_000
"""Characters of the rounds of tools; what the dialogue opens with is not counted."""
LONGEST_SUBJECT = 6_000
LONGEST_CANDIDATE = 1_200
LONGEST_SUMMARY = 3_000
_OPENING = 2
"""The system's message and the subject."""


def opening(
    view: PairView, chunk: Chunk, decided: Sequence[Decision], language: Language
) -> list[Message]:
    """What a chunk's dialogue begins with: the rules, the chunk, its ten best candidates.

    `decided`: about other chunks of this pair.
    """
    doubt = view.doubts.get(chunk.id)
    candidates = _candidates(view, chunk, decided)
    about = {
        "old_document": cut(view.old.side.name, 200),
        "new_document": cut(view.new.side.name, 200),
        "old_chunk": {
            **shown(chunk, LONGEST_SUBJECT),
            "headings": list(chunk.position.headings),
            "stands_under": [shown(each, LONGEST_NEIGHBOUR) for each in view.old.above(chunk)][-3:],
        },
        "proposal": proposal(view.links_of_old.get(chunk.id)),
        "candidates": candidates,
        "new_chunks_not_shown": len(view.new.side.chunks) - len(candidates),
    }
    system = prompts.SYSTEM.format(rounds=MOST_ROUNDS, language=prompts.LANGUAGES[language])
    subject = prompts.SUBJECT.format(
        data=as_data(about),
        id=written(chunk.id),
        doubt=prompts.DOUBTS[doubt.reason if doubt else "none"],
    )
    return [SystemMessage(system), HumanMessage(subject)]


def _candidates(
    view: PairView, chunk: Chunk, decided: Sequence[Decision]
) -> list[dict[str, object]]:
    doubt = view.doubts.get(chunk.id)
    if doubt is not None:
        scored = [(candidate.id, candidate.score) for candidate in doubt.candidates]
    else:
        link = view.links_of_old.get(chunk.id)
        scored = [(each, link.confidence) for each in link.new] if link else []
    candidates: list[dict[str, object]] = []
    for new_id, score in scored:
        new = view.new.chunk(new_id)
        if new is None:
            continue
        told = {**shown(new, LONGEST_CANDIDATE), "score": round(score, 3)}
        if above := view.new.above(new):
            told["stands_under"] = cut(above[-1].text, LONGEST_NEIGHBOUR)
        if view.is_settled_elsewhere(new_id, chunk.id):
            told["settled"] = True
        if others := [one.old for one in decided if new_id in one.new and one.old != chunk.id]:
            told["decided_for"] = others[:5]
        candidates.append(told)
    return candidates


def size_of(messages: Sequence[Message]) -> int:
    return sum(len(str(message.text)) + len(_calls(message)) for message in messages)


async def shortened(messages: Sequence[Message], model: Model) -> list[Message] | None:
    """The dialogue with its earlier rounds summed up; None where it is short enough.

    The opening and the last round stay as they are.
    """
    rounds = list(messages[_OPENING:])
    last = max((i for i, each in enumerate(rounds) if isinstance(each, AIMessage)), default=0)
    earlier = rounds[:last]
    has_rounds = any(isinstance(each, AIMessage) for each in earlier)  # not a summary alone
    if not has_rounds or size_of(rounds) <= LONGEST_HISTORY:
        return None
    told = as_data([_told(message) for message in earlier])
    summary = await model.complete(
        [SystemMessage(prompts.SUMMARISE), HumanMessage(told)], purpose="comparison.summarise"
    )
    summed_up = prompts.SUMMARY.format(summary=written(cut(summary, LONGEST_SUMMARY)))
    return [*messages[:_OPENING], HumanMessage(summed_up), *rounds[last:]]


def _told(message: Message) -> dict[str, str]:
    who = {"ai": "model", "tool": "tool"}
    return {
        "from": who.get(message.type, "program"),
        "text": str(message.text),
        "calls": _calls(message),
    }


def _calls(message: Message) -> str:
    if not isinstance(message, AIMessage):
        return ""
    return "; ".join(f"{call['name']} {written(call['args'])}" for call in message.tool_calls)


MOST_CALLS = 16
"""Kept of a turn; more than are ever carried out, so that the model is told of some."""
LONGEST_TEXT = 4_000
LONGEST_NAME = 100
_MOST_ITEMS = 50
_DEEPEST = 8


def bounded(turn: ToolTurn, deciding: str) -> ToolTurn:
    """The call that decides is kept in any case: `deciding` is its name."""
    calls = _first([_call(call) for call in turn.calls], deciding)
    invalid = _first([_invalid(call) for call in turn.invalid], deciding)
    return ToolTurn(
        text=_sound_text(turn.text),
        calls=tuple(calls),
        invalid=tuple(invalid),
        message=turn.message.model_copy(
            update={
                "content": _content(turn.message.content),
                # A provider's own (Gemini's signatures): as long as it is.
                "additional_kwargs": sound(turn.message.additional_kwargs, most=None),
                "response_metadata": {},
                # What was wrong with the arguments of the others stands in their feedback.
                "tool_calls": [
                    *(_as_called(call.id, call.name, call.arguments) for call in calls),
                    *(_as_called(call.id, call.name, {}) for call in invalid),
                ],
                "invalid_tool_calls": [],
            }
        ),
    )


def sound(value: Any, *, most: int | None = LONGEST_TEXT, depth: int = 0) -> Any:
    """JSON of bounded depth, its texts of bounded length, in letters that UTF-8 can write."""
    if isinstance(value, str):
        text = _sound_text(value)
        return text if most is None else cut(text, most)
    if not isinstance(value, dict | list):
        return value
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, list):
        items = cast("list[Any]", value)[:_MOST_ITEMS]
        return [sound(each, most=most, depth=depth + 1) for each in items]
    fields = list(cast("dict[str, Any]", value).items())[:_MOST_ITEMS]
    return {_name(name): sound(each, most=most, depth=depth + 1) for name, each in fields}


def _content(content: Any) -> Any:
    """Words are cut; parts that a provider wants back as they were are not."""
    return sound(content, most=LONGEST_TEXT if isinstance(content, str) else None)


AnyCall = TypeVar("AnyCall", ToolCall, InvalidToolCall)


def _first(calls: list[AnyCall], deciding: str) -> list[AnyCall]:
    kept = calls[:MOST_CALLS]
    return kept + [call for call in calls[MOST_CALLS:] if call.name == deciding][:1]


def _call(call: ToolCall) -> ToolCall:
    return ToolCall(id=_name(call.id), name=call.name, arguments=sound(call.arguments))


def _invalid(call: InvalidToolCall) -> InvalidToolCall:
    return InvalidToolCall(
        id=_name(call.id),
        name=_name(call.name),
        arguments=cut(_sound_text(call.arguments), LONGEST_TEXT),
        error=cut(_sound_text(call.error), LONGEST_TEXT),
    )


def _as_called(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_call", "id": call_id, "name": name, "args": arguments}


def _name(text: str) -> str:
    return cut(_sound_text(text), LONGEST_NAME)


def _sound_text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
