"""Changes written by hand: `月額[[100万円|120万円]]とする` is what was and what is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.agents.comparison.model import (
    Change,
    ComparedDocument,
    ComparedPair,
    ComparisonResult,
    Flag,
    FlagDetail,
    Kind,
    Piece,
    Place,
)
from sanbo.agents.comparison.outputs.report import summarise, tables_md
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem

_CHANGED = re.compile(r"\[\[(.*?)\|(.*?)\]\]", re.DOTALL)


@dataclass(frozen=True)
class Written:
    kind: Kind
    text: str
    """Of both sides; of an added or deleted one its own."""
    old_label: str = ""
    new_label: str = ""
    flags: tuple[Flag, ...] = ()
    details: tuple[tuple[Flag, str, str], ...] = ()
    explanation: str = ""
    confidence: float = 1.0
    headings: tuple[str, ...] = ()
    page: int | None = None
    old_rank: float | None = None
    """Where it stands in the old document, when that is not where it stands in this list."""
    problem: Problem | None = None


def pieces(text: str) -> tuple[Piece, ...]:
    found: list[Piece] = []
    at = 0
    for mark in _CHANGED.finditer(text):
        if mark.start() > at:
            same = text[at : mark.start()]
            found.append(Piece(op="equal", old=same, new=same))
        old, new = mark.groups()
        op = "insert" if not old else "delete" if not new else "replace"
        found.append(Piece(op=op, old=old, new=new))
        at = mark.end()
    if at < len(text):
        found.append(Piece(op="equal", old=text[at:], new=text[at:]))
    return tuple(found)


def changes_of(rows: Sequence[Written], *, pair: int = 0, first_order: int = 0) -> list[Change]:
    """In the order of the documents; several chunks of a side are its lines."""
    ranks = sorted(
        range(len(rows)),
        key=lambda at: at if (rank := rows[at].old_rank) is None else rank,
    )
    starts = {at: place * 1000 for place, at in enumerate(ranks)}
    return [
        _change(row, pair, first_order + at, starts[at], at * 1000) for at, row in enumerate(rows)
    ]


def _change(row: Written, pair: int, order: int, old_start: int, new_start: int) -> Change:
    parts = pieces(row.text)
    old = "" if row.kind == "added" else "".join(part.old for part in parts)
    new = "" if row.kind == "deleted" else "".join(part.new for part in parts)
    old_places = _places("A", old, row.old_label, row, old_start) if old else ()
    new_places = _places("B", new, row.new_label, row, new_start) if new else ()
    return Change(
        kind=row.kind,
        old=tuple(place.id for place in old_places),
        new=tuple(place.id for place in new_places),
        old_text=old,
        new_text=new,
        diff=parts if old and new and any(part.op != "equal" for part in parts) else (),
        flags=row.flags,
        flag_details=tuple(
            FlagDetail(flag=flag, old=was, new=now) for flag, was, now in row.details
        ),
        explanation=row.explanation,
        confidence=row.confidence,
        decided_by="rules",
        pair=pair,
        order=order,
        old_places=old_places,
        new_places=new_places,
        problem=row.problem,
    )


def _places(letter: str, text: str, label: str, row: Written, start: int) -> tuple[Place, ...]:
    lines = text.split("\n") if row.kind in ("split", "merged") else [text]
    labels = label.split("/")
    return tuple(
        Place(
            id=f"{letter}{start + number}",
            label=labels[min(number, len(labels) - 1)],
            start=start + number,
            end=start + number + len(line),
            page=row.page,
            headings=row.headings,
        )
        for number, line in enumerate(lines)
    )


def document(name: str) -> ComparedDocument:
    return ComparedDocument(name=name, format="docx", chunks=30, characters=3000)


RELATED = ComparedPair(
    old=document("旧.docx"), new=document("新.docx"), similarity=0.9, outcome="related"
)


def result_of(
    changes: Sequence[Change],
    pairs: Sequence[ComparedPair] = (RELATED,),
    language: Language = "ja",
) -> ComparisonResult:
    ordered = sorted(
        changes, key=lambda change: (not change.needs_attention, change.pair, change.order)
    )
    return ComparisonResult(
        changes=tuple(ordered),
        summary=summarise(ordered, pairs, language=language, doubtful_sent=0, chunks=30),
        table_md=tables_md(ordered, pairs, language=language),
        pairs=tuple(pairs),
    )
