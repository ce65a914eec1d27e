"""What differs between two documents, on a sheet: a model decides all that is in doubt at once.

Chunk by chunk, it could not see that another old clause fits a candidate better, nor that a clause
of which the program is sure kept its number and words over another rule.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sanbo.agents.comparison import prompts
from sanbo.agents.comparison.decisions import MOST_NEW, SaidResult, accepted, refusal_of
from sanbo.agents.comparison.material import Material, PairView, SideView
from sanbo.agents.comparison.model import Chunk, Decision
from sanbo.agents.comparison.tools import shown
from sanbo.kernel.messages import Language
from sanbo.llm.model import Message, Wish
from sanbo.llm.prompts import as_data, cut

MOST_OLD = 30
LONGEST_SHEET = 14_000
"""Characters of all texts on a sheet."""
LONGEST_CLAUSE = 1_200
LONGEST_EFFECT = 600
NEAREST = 3
"""Candidates of each doubt, where not everything fits on one sheet."""
MOST_RIVALS = 6
"""Others that claim what a doubt may have become, and counterparts of its own."""
SURE_ENOUGH = 0.5
"""Below it a chunk is looked at by itself, with tools."""
_MOST_SAID = 2 * MOST_OLD
_TOKENS_A_DECISION = 250


class Sheet(NamedTuple):
    asked: tuple[str, ...]
    """Old chunks in doubt."""
    open: tuple[str, ...]
    """These, and others about which the model may say something else than the program: each chunk
    on one sheet only."""
    old: tuple[str, ...]
    """All that are shown."""
    new: tuple[str, ...]


class SaidOfChunk(BaseModel):
    model_config = ConfigDict(frozen=True)

    old_id: str = Field(max_length=200)
    new_ids: list[str] = Field(max_length=MOST_NEW)
    confidence: float = Field(ge=0, le=1)
    effect: str = Field(min_length=1, max_length=LONGEST_EFFECT)


class SaidOfSheet(BaseModel):
    model_config = ConfigDict(frozen=True)

    decisions: list[SaidOfChunk] = Field(max_length=_MOST_SAID)

    @field_validator("decisions", mode="before")
    @classmethod
    def _those_that_can_be_read(cls, said: Any) -> Any:
        """One that can't be read is as one left out: it does not cost the others."""
        if not isinstance(said, list):
            return said
        return [read for one in cast("list[Any]", said)[:_MOST_SAID] if (read := _readable(one))]


class Read(NamedTuple):
    decisions: list[Decision]
    closer: list[str]
    """Old chunks that are to be looked at by themselves."""


_of_materials: WeakKeyDictionary[Material, list[tuple[int, Sheet]]] = WeakKeyDictionary()


def every_sheet(material: Material) -> list[tuple[int, Sheet]]:
    """Each with the number of its pair."""
    if (known := _of_materials.get(material)) is None:
        known = _of_materials[material] = [
            (number, sheet)
            for number, _ in material.both()
            for sheet in sheets_of(material.view(number))
        ]
    return known


def sheets_of(view: PairView) -> list[Sheet]:
    """None where nothing is in doubt; one where all that differs has room on it."""
    doubts = sorted(view.doubts, key=view.old.places.__getitem__)
    if not doubts:
        return []
    same = {old: new for old in view.old.places if (new := _same(view, old)) is not None}
    olds, news = _differing(view.old, same.keys()), _differing(view.new, set(same.values()))
    whole = Sheet(tuple(doubts), tuple(olds), tuple(olds), tuple(news))
    if len(olds) <= MOST_OLD and len(news) <= MOST_OLD and _length(view, whole) <= LONGEST_SHEET:
        return [whole]
    return list(_around(view, doubts, frozenset(olds), frozenset(news)))


def messages_of(view: PairView, sheet: Sheet, language: Language) -> list[Message]:
    told = {
        "old_document": cut(view.old.side.name, 200),
        "new_document": cut(view.new.side.name, 200),
        "old_chunks": [
            each | _proposed(view, sheet, old_id)
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
    return Wish(most_tokens=_TOKENS_A_DECISION * (4 + len(sheet.open)), temperature=0)


def read(said: SaidOfSheet, view: PairView, sheet: Sheet) -> Read:
    """What is accepted of it. The rest of what was in doubt or spoken of is looked at again, and so
    is whoever lost its counterpart without a word."""
    decided: dict[str, Decision] = {}
    refused: set[str] = set()
    for each in said.decisions:
        if each.old_id not in sheet.open:
            continue
        decision = _decision(each, view, sheet)
        before = decided.get(each.old_id)
        if decision is None or (before is not None and before.new != decision.new):
            refused.add(each.old_id)
        else:
            decided[each.old_id] = decision
    accepted_ones = [one for old, one in decided.items() if old not in refused]
    taken = {new for one in accepted_ones for new in one.new}
    losing = (old for new in taken if (link := view.links_of_new.get(new)) for old in link.old)
    open_ones = {*refused, *sheet.asked, *losing} - {one.old for one in accepted_ones}
    return Read(accepted_ones, list(_in_order(view.old, open_ones)))


def without_rivals(said: Read, claimed: Container[str]) -> Read:
    """What another sheet has given away already is looked at again, by somebody who sees that."""
    rivals = [one for one in said.decisions if any(new in claimed for new in one.new)]
    kept = [one for one in said.decisions if one not in rivals]
    return Read(kept, [*said.closer, *(one.old for one in rivals if one.old not in said.closer)])


def _decision(said: SaidOfChunk, view: PairView, sheet: Sheet) -> Decision | None:
    """None where it is not sure, not accepted, or names what was not shown."""
    chunk = _existing(view.old, said.old_id)
    result = SaidResult(new_ids=said.new_ids, explanation=said.effect, confidence=said.confidence)
    is_shown = {*said.new_ids} <= {*sheet.new}
    if said.confidence < SURE_ENOUGH or not is_shown or refusal_of(result, view, chunk) is not None:
        return None
    return accepted(result, chunk, [])


def _readable(said: object) -> SaidOfChunk | None:
    try:
        fields = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
        effect = fields.get("effect")
        short = {"effect": cut(effect, LONGEST_EFFECT)} if isinstance(effect, str) else {}
        read = SaidOfChunk.model_validate(fields | short)
    except ValidationError:
        return None
    return read if any(letter.isalnum() for letter in read.effect) else None


def _around(
    view: PairView, doubts: Sequence[str], olds: frozenset[str], news: frozenset[str]
) -> Iterator[Sheet]:
    """As many doubts as have room, each with what it may have become and who else claims that."""
    spoken: set[str] = set(doubts)
    sheet = Sheet((), (), (), ())
    for doubt in doubts:
        own = _of_doubt(view, doubt, olds, news, spoken)
        spoken.update(own.open)
        grown = Sheet(
            (*sheet.asked, doubt),
            (*sheet.open, *own.open),
            _in_order(view.old, (*sheet.old, *own.old)),
            _in_order(view.new, (*sheet.new, *own.new)),
        )
        is_full = max(len(grown.old), len(grown.new) // 2) > MOST_OLD
        if sheet.asked and (is_full or _length(view, grown) > LONGEST_SHEET):
            yield sheet
            grown = own
        sheet = grown
    yield sheet


def _of_doubt(
    view: PairView, doubt: str, olds: frozenset[str], news: frozenset[str], spoken: set[str]
) -> Sheet:
    link = view.links_of_old.get(doubt)
    best = [each.id for each in view.doubts[doubt].candidates if each.id in news][:NEAREST]
    near = dict.fromkeys((*(link.new[:MOST_RIVALS] if link else ()), *best))
    claims = [claim for new in near if (claim := view.links_of_new.get(new))]
    rivals = [old for claim in claims for old in claim.old if old in olds and old != doubt]
    rivals = list(dict.fromkeys(rivals))[:MOST_RIVALS]
    return Sheet(
        (doubt,),
        (doubt, *(old for old in rivals if old not in spoken)),
        _in_order(view.old, (doubt, *rivals)),
        _in_order(view.new, near),
    )


def _same(view: PairView, old_id: str) -> str | None:
    """The new chunk that says the same under whatever number, where nobody doubts it."""
    link = view.links_of_old.get(old_id)
    if link is None or len(link.old) != 1 or len(link.new) != 1 or old_id in view.doubts:
        return None
    old, new = view.old.chunk(old_id), view.new.chunk(link.new[0])
    return link.new[0] if old and new and old.key == new.key else None


def _differing(side: SideView, same: Container[str]) -> list[str]:
    """What became of a heading is what became of the clauses under it."""
    parents = {chunk.parent for chunk in side.side.chunks}
    return [
        chunk.id
        for chunk in side.side.chunks
        if chunk.id not in same and not (chunk.kind == "heading" and chunk.id in parents)
    ]


def _proposed(view: PairView, sheet: Sheet, old_id: str) -> dict[str, object]:
    """Where the program found nothing, that is not sure either."""
    link = view.links_of_old.get(old_id)
    in_doubt = old_id in sheet.asked or (link is None and old_id in sheet.open)
    return {"program": list(link.new) if link else [], "in_doubt": in_doubt}


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


def _in_order(side: SideView, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*ids}, key=side.places.__getitem__))


def _length(view: PairView, sheet: Sheet) -> int:
    sides = ((view.old, sheet.old), (view.new, sheet.new))
    return sum(
        min(LONGEST_CLAUSE, len(_existing(side, each).text)) for side, ids in sides for each in ids
    )
