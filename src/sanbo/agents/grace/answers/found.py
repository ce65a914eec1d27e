"""Passages with where they come from: a collection, the web, a person."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from sanbo.documents.model import Position
from sanbo.evidence.finding import relevances_for
from sanbo.evidence.model import Frozen, Passage
from sanbo.evidence.near_duplicates import KnownTexts

Kind = Literal["collection", "web", "person"]

MOST_OF_A_STEP = 999
"""So that the number of a passage never runs into that of the step."""


class FoundPassage(Frozen):
    passage: Passage
    kind: Kind = "collection"
    collection: str = ""
    url: str = ""

    @property
    def place(self) -> tuple[str, str, str]:
        """The same for the same place, whichever step found it."""
        return self.kind, self.collection, self.passage.chunk_id


def numbered(found: Iterable[FoundPassage], step_id: int) -> tuple[FoundPassage, ...]:
    """With ids that no other step of the run gives: `P3001` is the first of step 3."""
    return tuple(
        each.model_copy(
            update={
                "passage": each.passage.model_copy(update={"id": f"P{step_id}{number:03d}"}),
            }
        )
        for number, each in zip(range(1, MOST_OF_A_STEP + 1), found, strict=False)
    )


def each_once(found: Iterable[FoundPassage]) -> tuple[FoundPassage, ...]:
    """The first of each place."""
    places: dict[tuple[str, str, str], FoundPassage] = {}
    for each in found:
        places.setdefault(each.place, each)
    return tuple(places.values())


def said_once(found: Iterable[FoundPassage]) -> tuple[FoundPassage, ...]:
    """Without those that say no more than another: two collections may hold one document."""
    texts = KnownTexts()
    return tuple(each for each in found if texts.add(each.passage.text))


def judged_for(question: str, found: Sequence[FoundPassage]) -> tuple[FoundPassage, ...]:
    """With their relevance for this question, whatever they were searched for with."""
    if not found:
        return ()
    best = relevances_for(question, [each.passage for each in found])
    return tuple(
        each.model_copy(
            update={
                "passage": each.passage.model_copy(
                    update={"relevance": relevance, "relevances": (relevance,)}
                )
            }
        )
        for each, relevance in zip(found, best, strict=True)
    )


def told_passage(
    *, document: str, document_id: str, text: str, kind: Kind, url: str = "", context: str = ""
) -> FoundPassage:
    """What no collection holds: said by a person, or found on the web."""
    passage = Passage(
        id="P0",
        chunk_id=f"{document_id}.0",
        document_id=document_id,
        document=document,
        format="html" if kind == "web" else "text",
        position=Position(start=0, end=len(text)),
        text=text,
        context=context,
        score=0.0,
        relevance=0.0,
        cycle=1,
    )
    return FoundPassage(passage=passage, kind=kind, url=url)


def of_steps(
    steps: Iterable[int], passages: Mapping[int, Sequence[FoundPassage]]
) -> tuple[FoundPassage, ...]:
    return each_once(each for step in steps for each in passages.get(step, ()))
