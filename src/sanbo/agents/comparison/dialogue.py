"""The dialogue about one chunk: how it opens, and how it is kept short."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from sanbo.agents.comparison import prompts
from sanbo.agents.comparison.material import PairView
from sanbo.agents.comparison.model import Chunk
from sanbo.agents.comparison.tools import LONGEST_NEIGHBOUR, proposal, shown
from sanbo.kernel.messages import Language
from sanbo.llm.model import Message, Model
from sanbo.llm.shown_data import as_data, cut, written

MOST_ROUNDS = 6
LONGEST_HISTORY = 16_000
"""Characters of the rounds of tools; what the dialogue opens with is not counted."""
LONGEST_SUBJECT = 6_000
LONGEST_CANDIDATE = 1_200
LONGEST_SUMMARY = 3_000
_OPENING = 2
"""The system's message and the subject."""


def opening(view: PairView, chunk: Chunk, language: Language) -> list[Message]:
    """What a chunk's dialogue begins with: the rules, the chunk, its ten best candidates."""
    doubt = view.doubts.get(chunk.id)
    about = {
        "old_document": cut(view.old.side.name, 200),
        "new_document": cut(view.new.side.name, 200),
        "old_chunk": {
            **shown(chunk, LONGEST_SUBJECT),
            "headings": list(chunk.position.headings),
            "stands_under": [shown(each, LONGEST_NEIGHBOUR) for each in view.old.above(chunk)][-3:],
        },
        "proposal": proposal(view.links_of_old.get(chunk.id)),
        "candidates": _candidates(view, chunk),
    }
    system = prompts.SYSTEM.format(rounds=MOST_ROUNDS, language=prompts.LANGUAGES[language])
    subject = prompts.SUBJECT.format(
        data=as_data(about),
        id=written(chunk.id),
        doubt=prompts.DOUBTS[doubt.reason if doubt else "none"],
    )
    return [SystemMessage(system), HumanMessage(subject)]


def _candidates(view: PairView, chunk: Chunk) -> list[dict[str, object]]:
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
        if view.is_settled_elsewhere(new_id, chunk.id):
            told["settled"] = True
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
