"""The model's decision about a chunk: how it is said, what is not accepted, how it is kept.

And what a comparison knows between two steps, all of which every step writes to the checkpoint.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any, cast

from langchain_core.messages import BaseMessage
from langgraph.graph.message import add_messages
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from sanbo.agents.comparison import prompts
from sanbo.agents.comparison.material import PairView, invented
from sanbo.agents.comparison.model import Chunk, Decision, Frozen
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidOutput, Problem
from sanbo.llm.model import ToolSpec, ToolTurn
from sanbo.reports.letters import printable
from sanbo.runs.model import FileRef, JsonObject
from sanbo.runs.workflow import RunContext


class DocumentReference(TypedDict):
    """A side's documents: how many, and which artifact holds them with their chunks."""

    names: list[str]
    chunks: int
    characters: int
    material: str
    """SHA-256 of `alignment.json`; the chunks themselves would be written at every step."""


class CurrentChunk(TypedDict):
    """The old chunk that is being decided."""

    pair: int
    id: str
    label: str
    number: int
    """From 1, of those that are put to the model."""
    of: int


class PendingTurn(TypedDict):
    """What the model wants done: its calls, those that can't be carried out, a refused answer."""

    calls: list[JsonObject]
    invalid: list[JsonObject]
    refusal: JsonObject | None


class ComparisonState(TypedDict, total=False):
    document_a: DocumentReference
    document_b: DocumentReference
    current_chunk_a: CurrentChunk | None
    messages: Annotated[Sequence[BaseMessage], add_messages]
    """Of the current chunk alone."""
    comparison_results: list[JsonObject]
    """Decisions, as plain JSON; of those before them the portions in `put_away` hold the rest."""
    processed_chunks_a: list[str]
    """Ids of the chunks in `comparison_results`."""

    sheets: int
    """How many have been decided."""
    sheets_left: int
    closer: list[str]
    """SHA-256 of lists of old chunks about which no sheet said enough."""
    put_away: list[str]
    """SHA-256 of portions of decisions: thousands of them in the state would fill the disk."""
    position: int
    """How many chunks have been decided one by one."""
    rounds: int
    """Rounds of tools for the current chunk."""
    refusals: int
    tools_used: list[str]
    turn: PendingTurn | None
    result: str
    """SHA-256 of the artifact that holds the result."""


RESULT = "comparison_result"
MOST_NEW = 20
LONGEST_EXPLANATION = 2_000
_LONGEST_REASON = 300
_LONGEST_LISTED = 100


class SaidResult(BaseModel):
    """The arguments of the tool that ends a chunk's dialogue."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    new_ids: list[str] = Field(
        max_length=MOST_NEW, description="ids of the new chunks it became; [] if it was deleted"
    )
    explanation: str = Field(min_length=1, max_length=LONGEST_EXPLANATION)
    confidence: float = Field(ge=0, le=1)


RESULT_TOOL = ToolSpec.of(SaidResult, name=RESULT, description=prompts.TOOLS[RESULT])


class Refusal(Frozen):
    """Why an answer is not accepted, in the words of the catalogue."""

    text_id: str
    params: dict[str, str] = Field(default_factory=dict[str, str])

    def reason(self, language: Language) -> str:
        return tell(f"comparison.refused.{self.text_id}", language, **self.params)


def read_result(turn: ToolTurn) -> SaidResult | Refusal | None:
    """The decision in a turn; a refusal where it can't be read; None where there is none yet."""
    for call in turn.calls:
        if call.name == RESULT:
            return _checked(call.arguments)
    for bad in turn.invalid:
        if bad.name == RESULT:
            return Refusal(text_id="malformed", params={"reason": bad.error[:_LONGEST_REASON]})
    if turn.calls or turn.invalid:
        return None
    return _in_words(turn.text)


def refusal_of(said: SaidResult, view: PairView, chunk: Chunk) -> Refusal | None:
    """What is wrong with a decision that can be read."""
    unknown = [each for each in said.new_ids if each not in view.new.places]
    if unknown:
        return Refusal(text_id="unknown_ids", params={"ids": _listed(unknown)})
    settled = [each for each in said.new_ids if view.is_settled_elsewhere(each, chunk.id)]
    if settled:
        return Refusal(text_id="settled_ids", params={"ids": _listed(settled)})
    exact = view.exact_counterpart(chunk.id)
    if exact is not None and exact not in said.new_ids:
        return Refusal(text_id="exact_left_out", params={"ids": exact})
    documents = (view.old.folded, view.new.folded)
    wrong = invented(said.explanation, documents, _names(view, chunk, said))
    if wrong:
        return Refusal(text_id="quotes", params={"quotes": _listed(wrong)})
    return None


def accepted(said: SaidResult, chunk: Chunk, tools: list[str]) -> Decision:
    return Decision(
        old=chunk.id,
        new=tuple(dict.fromkeys(said.new_ids)),
        explanation=printable(said.explanation).strip(),
        confidence=said.confidence,
        tools=tuple(tools),
    )


def failed(chunk_id: str, problem: Problem, tools: list[str]) -> Decision:
    return Decision(old=chunk_id, problem=problem, tools=tuple(tools))


def not_accepted(chunk_id: str, refusal: Refusal, language: Language) -> Problem:
    return InvalidOutput(
        "comparison_not_decided", chunk=chunk_id, reason=refusal.reason(language)
    ).problem


def rounds_used(chunk_id: str, rounds: int) -> Problem:
    return InvalidOutput("comparison_rounds_used", chunk=chunk_id, rounds=rounds).problem


def _in_words(text: str) -> SaidResult | Refusal:
    """Some models write the call as JSON, in a fence or with a sentence around it."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        written: object = json.loads(text[begin : end + 1])
    except (ValueError, RecursionError):  # thousands of brackets
        return Refusal(text_id="in_words")
    for _ in range(2):
        inner = _inside(written)
        if inner is None:
            break
        written = inner
    return _checked(written)


def _checked(written: object) -> SaidResult | Refusal:
    """Also of a call that fits its schema: in JSON there is no saying that NaN is not wanted."""
    try:
        return SaidResult.model_validate(written)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = f"{place}: {first['msg']}"[:_LONGEST_REASON]
        return Refusal(text_id="malformed", params={"reason": reason})


def _inside(written: object) -> object | None:
    if not isinstance(written, dict):
        return None
    fields = cast("dict[str, Any]", written)
    return fields.get(RESULT, fields.get("arguments"))


def _names(view: PairView, chunk: Chunk, said: SaidResult) -> list[str]:
    """What may stand in quotation marks though no document says so."""
    new = [each for new_id in said.new_ids if (each := view.new.chunk(new_id)) is not None]
    names = [view.old.side.name, view.new.side.name]
    for each in (chunk, *new):
        names += [each.id, each.label]
    return names


def _listed(texts: list[str]) -> str:
    return ", ".join(text[:_LONGEST_LISTED] for text in texts[:5])


PORTION = 40
_NAME = "decisions.json"


async def put_away(state: ComparisonState, context: RunContext[Any]) -> ComparisonState:
    """A full portion goes to the run's files: the state is written at every step."""
    decided = state.get("comparison_results", [])
    if len(decided) < PORTION:
        return {}
    sha256 = await keep_list(context, decided)
    return {
        "put_away": [*state.get("put_away", []), sha256],
        "comparison_results": [],
        "processed_chunks_a": [],
    }


async def keep_list(context: RunContext[Any], values: Sequence[Any]) -> str:
    """Among the run's files; its SHA-256."""
    data = json.dumps(values, ensure_ascii=False).encode()
    return await asyncio.to_thread(context.place.files.keep, context.run_id, data)


async def read_list(context: RunContext[Any], sha256: str) -> list[Any]:
    data = await context.read(FileRef(file_id=sha256, name=_NAME, size=0))
    return cast("list[Any]", json.loads(data))


async def all_decisions(
    state: ComparisonState, context: RunContext[Any]
) -> dict[int, list[Decision]]:
    """By pair, in the order in which they were made."""
    entries: list[JsonObject] = []
    for sha256 in state.get("put_away", []):
        entries += await read_list(context, sha256)
    entries += state.get("comparison_results", [])
    by_pair: dict[int, list[Decision]] = {}
    for entry in entries:
        pair = cast("int", entry["pair"])
        told = {name: value for name, value in entry.items() if name != "pair"}
        by_pair.setdefault(pair, []).append(Decision.model_validate(told))
    return by_pair
