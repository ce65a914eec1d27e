"""What differs between two documents, on a sheet: a model decides all that is in doubt at once.

Chunk by chunk, it could not see that another old clause fits a candidate better, nor that a clause
of which the program is sure kept its number and words over another rule.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field

from sanbo.agents.comparison import prompts
from sanbo.agents.comparison.decisions import MOST_NEW, SaidResult, accepted, refusal_of
from sanbo.agents.comparison.material import Material, PairView, SideView
from sanbo.agents.comparison.model import Chunk, Decision
from sanbo.agents.comparison.tools import shown
from sanbo.kernel.messages import Language
from sanbo.llm.model import Message, Wish
from sanbo.llm.shown_data import as_data, cut

MOST_OLD = 30
LONGEST_SHEET = 14_000
"""Characters of all texts on a sheet."""
LONGEST_CLAUSE = 1_200
LONGEST_EFFECT = 600
NEAREST = 3
"""Candidates of each doubt, where not everything fits on one sheet."""
SURE_ENOUGH = 0.5
"""Below it a chunk is looked at by itself, with tools."""
_TOKENS_A_DECISION = 250


class Sheet(NamedTuple):
    asked: tuple[str, ...]
    """Old chunks in doubt."""
    old: tuple[str, ...]
    """These, and others about which the model may say something else than the program."""
    new: tuple[str, ...]


class SaidOfChunk(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    old_id: str = Field(max_length=200)
    new_ids: list[str] = Field(max_length=MOST_NEW)
    confidence: float = Field(ge=0, le=1)
    effect: str = Field(min_length=1, max_length=LONGEST_EFFECT)


class SaidOfSheet(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: list[SaidOfChunk] = Field(max_length=2 * MOST_OLD)


class Read(NamedTuple):
    decisions: list[Decision]
    closer: list[str]
    """Old chunks that are to be looked at by themselves."""


def every_sheet(material: Material) -> list[tuple[int, Sheet]]:
    """Each with the number of its pair."""
    return [
        (number, sheet)
        for number, _ in material.both()
        for sheet in sheets_of(material.view(number))
    ]


def sheets_of(view: PairView) -> list[Sheet]:
    """None where nothing is in doubt; one where all that differs has room on it."""
    doubts = sorted(view.doubts, key=view.old.places.__getitem__)
    if not doubts:
        return []
    olds = _differing(view.old, {one for one in view.old.places if _same(view, one) is not None})
    news = _differing(view.new, {same for one in view.old.places if (same := _same(view, one))})
    whole = Sheet(tuple(doubts), tuple(olds), tuple(news))
    if len(olds) <= MOST_OLD and len(news) <= MOST_OLD and _length(view, whole) <= LONGEST_SHEET:
        return [whole]
    return list(_around(view, doubts, frozenset(olds), frozenset(news)))


def messages_of(view: PairView, sheet: Sheet, language: Language) -> list[Message]:
    told = {
        "old_document": cut(view.old.side.name, 200),
        "new_document": cut(view.new.side.name, 200),
        "old_chunks": [
            each | _proposed(view, old_id)
            for old_id, each in zip(sheet.old, _shown(view.old, sheet.old), strict=True)
        ],
        "new_chunks": _shown(view.new, sheet.new),
        "not_shown": {
            "old": len(view.old.side.chunks) - len(sheet.old),
            "new": len(view.new.side.chunks) - len(sheet.new),
        },
    }
    system = prompts.SHEET.format(language=prompts.LANGUAGES[language], sure=SURE_ENOUGH)
    return [SystemMessage(system), HumanMessage(as_data(told))]


def wish_of(sheet: Sheet) -> Wish:
    return Wish(most_tokens=_TOKENS_A_DECISION * (2 + len(sheet.old)), temperature=0)


def read(said: SaidOfSheet, view: PairView, sheet: Sheet) -> Read:
    """What is accepted of it. The rest of what was in doubt or spoken of is looked at again, and so
    is whoever lost its counterpart without a word."""
    decided: dict[str, Decision] = {}
    refused: list[str] = []
    for each in said.decisions:
        chunk = view.old.chunk(each.old_id)
        if chunk is None or each.old_id not in sheet.old:
            continue
        result = SaidResult(
            new_ids=each.new_ids, explanation=each.effect, confidence=each.confidence
        )
        if each.confidence < SURE_ENOUGH or refusal_of(result, view, chunk) is not None:
            refused.append(each.old_id)
        else:
            decided[each.old_id] = accepted(result, chunk, [])
    taken = {new for one in decided.values() for new in one.new}
    losing = (old for new in taken if (link := view.links_of_new.get(new)) for old in link.old)
    open_ones = {*refused, *sheet.asked, *losing} - decided.keys()
    return Read(list(decided.values()), [one for one in sheet.old if one in open_ones])


def _around(
    view: PairView, doubts: Sequence[str], olds: frozenset[str], news: frozenset[str]
) -> Iterable[Sheet]:
    """As many doubts as have room, each with what it may have become and who else claims that."""
    sheet = Sheet((), (), ())
    for doubt in doubts:
        link = view.links_of_old.get(doubt)
        best = [each.id for each in view.doubts[doubt].candidates if each.id in news][:NEAREST]
        near = {*(link.new if link else ()), *best}
        rivals = {
            old for new in near if (other := view.links_of_new.get(new)) for old in other.old
        } & olds
        grown = Sheet(
            (*sheet.asked, doubt),
            _in_order(view.old, {*sheet.old, doubt, *rivals}),
            _in_order(view.new, {*sheet.new, *near}),
        )
        is_full = len(grown.old) > MOST_OLD or _length(view, grown) > LONGEST_SHEET
        if is_full and sheet.asked:
            yield sheet
            own = Sheet((doubt,), _in_order(view.old, {doubt, *rivals}), _in_order(view.new, near))
            grown = own
        sheet = grown
    yield sheet


def _same(view: PairView, old_id: str) -> str | None:
    """The new chunk that says the same under whatever number, where nobody doubts it."""
    link = view.links_of_old.get(old_id)
    if link is None or len(link.old) != 1 or len(link.new) != 1 or old_id in view.doubts:
        return None
    old, new = view.old.chunk(old_id), view.new.chunk(link.new[0])
    return link.new[0] if old and new and old.key == new.key else None


def _differing(side: SideView, same: set[str]) -> list[str]:
    """What became of a heading is what became of the clauses under it."""
    parents = {chunk.parent for chunk in side.side.chunks}
    return [
        chunk.id
        for chunk in side.side.chunks
        if chunk.id not in same and not (chunk.kind == "heading" and chunk.id in parents)
    ]


def _proposed(view: PairView, old_id: str) -> dict[str, object]:
    """Where the program found nothing, that is not sure either."""
    link = view.links_of_old.get(old_id)
    program = list(link.new) if link else []
    return {"program": program, "in_doubt": link is None or old_id in view.doubts}


def _shown(side: SideView, ids: Sequence[str]) -> list[dict[str, object]]:
    """With the heading above each, where it is not the same for all."""
    chunks = [_existing(side, each) for each in ids]
    above = [cut(over[-1].text, 200) if (over := side.above(each)) else "" for each in chunks]
    differs = len(set(above)) > 1
    return [
        {**shown(chunk, LONGEST_CLAUSE), **({"stands_under": under} if differs and under else {})}
        for chunk, under in zip(chunks, above, strict=True)
    ]


def _existing(side: SideView, chunk_id: str) -> Chunk:
    return side.side.chunks[side.places[chunk_id]]


def _in_order(side: SideView, ids: set[str]) -> tuple[str, ...]:
    return tuple(sorted(ids, key=side.places.__getitem__))


def _length(view: PairView, sheet: Sheet) -> int:
    sides = ((view.old, sheet.old), (view.new, sheet.new))
    return sum(
        min(LONGEST_CLAUSE, len(_existing(side, each).text)) for side, ids in sides for each in ids
    )
