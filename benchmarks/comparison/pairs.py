"""Part 3: every pair under the data folder, and what must be true of its result."""

import re
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.chunking.sides import Letter, document_side
from sanbo.agents.comparison.chunking.tables import table_side
from sanbo.agents.comparison.differences.changes import changes_of
from sanbo.agents.comparison.model import Change, Kind, Pair, Place, Side
from sanbo.agents.comparison.preparation import as_named, told_apart
from sanbo.documents.extract import extract
from sanbo.documents.model import Source

from .numerals import KANJI

REORDERED = "terms-github-additional"
"""Its sections were put in alphabetical order."""
KINDS: tuple[Kind, ...] = get_args(Kind)
_REFERENCE = re.compile(rf"第[{KANJI}0-9０-９]+[編章節款目条項号](?:の[{KANJI}]+)*")
_OWN_NUMBER = re.compile(
    rf"(?:[{KANJI}]+(?:の[{KANJI}]+)*|[0-9０-９]+[.．]?|[①-⑳]|[ア-ンa-zA-Z][.)]?|[（(].[）)])"
    r"(?=[\s　])"
)


class Measured(NamedTuple):
    name: str
    changes: Sequence[Change]
    doubtful: float
    seconds: float
    rebuilt: bool
    only_numbers: int
    """Rows called changed in which nothing but numbers of articles and items differs."""


def run(data: Path) -> bool:
    folders = [folder for folder in sorted(data.iterdir()) if folder.is_dir()]
    measured = [one for folder in folders if (one := _without_crash(folder))]
    print(f"All pairs: {len(measured)} of {len(folders)} without a crash")
    shown = {kind: kind.replace("moved_changed", "m_chg")[:9] for kind in KINDS}
    print(f"  {'':24}" + "".join(f"{shown[kind]:>10}" for kind in KINDS))
    for one in measured:
        counts = Counter(change.kind for change in one.changes)
        print(f"  {one.name:24}" + "".join(f"{counts[kind]:10,}" for kind in KINDS))
    print(f"  {'':24} {'doubtful':>9} {'seconds':>8} {'rebuilt':>8} {'only numbers changed':>21}")
    for one in measured:
        told = "yes" if one.rebuilt else "NO"
        print(
            f"  {one.name:24} {one.doubtful:9.1%} {one.seconds:8.2f} {told:>8}"
            f" {one.only_numbers:21,}"
        )
    held = all(one.rebuilt and not one.only_numbers for one in measured)
    held = held and len(measured) == len(folders)
    told = "held" if held else "MISSED"
    print(f"  target: no crash, all rebuilt, renumbering never changed: {told}")
    reordered = [_sections_moved(one) for one in measured if one.name == REORDERED]
    return held and all(reordered)


def _without_crash(folder: Path) -> Measured | None:
    try:
        return _measured(folder)
    except Exception:  # noqa: BLE001 - whatever it is, it is this pair's result
        traceback.print_exc()
        return None


def _measured(folder: Path) -> Measured:
    started = time.perf_counter()
    old, new = _side(folder, "old", "A"), _side(folder, "new", "B")
    pair = told_apart(Pair(old=old, new=new, alignment=align(old, new)))
    changes = as_named(changes_of(pair, [], number=0, language="ja"), pair)
    seconds = time.perf_counter() - started
    return Measured(
        folder.name,
        changes,
        len(pair.alignment.doubts) / len(old.chunks),
        seconds,
        _rebuilds(old, [(change.old_text, change.old_places) for change in changes])
        and _rebuilds(new, [(change.new_text, change.new_places) for change in changes]),
        sum(change.kind == "changed" and _only_numbers(change) for change in changes),
    )


def _side(folder: Path, name: str, letter: Letter) -> Side:
    path = next(iter(sorted(folder.glob(f"{name}.*"))))
    document = extract(Source(name=path.name, data=path.read_bytes()))
    if document.format == "csv":
        columns = {"id_column": "req_id", "text_column": "req_description"}
        return table_side(document, letter, "", **columns)
    return document_side(document, letter)


def _rebuilds(side: Side, rows: Sequence[tuple[str, Sequence[Place]]]) -> bool:
    """Whether the rows' own texts, put where they say they stand, are the document."""
    pieces: list[tuple[int, str]] = []
    for text, places in rows:
        at = 0
        for place in places:
            length = place.end - place.start
            pieces.append((place.start, text[at : at + length]))
            at += length + 1
    whole = "".join(text for _, text in sorted(pieces, key=lambda piece: piece[0]))
    return _squeezed(whole) == _squeezed(side.text)


def _only_numbers(change: Change) -> bool:
    return _without_numbers(change.old_text) == _without_numbers(change.new_text)


def _without_numbers(text: str) -> str:
    return _squeezed(_REFERENCE.sub("#", _OWN_NUMBER.sub("", text.lstrip(), count=1)))


def _sections_moved(one: Measured) -> bool:
    """Sections that stand in both texts must be linked, and those out of order be `moved`."""
    headings = [change for change in one.changes if _is_title(change)]
    print(f"  sections of {one.name}:")
    for change in headings:
        print(f"    {change.kind:14} {' '.join((change.new_text or change.old_text).split())[:70]}")
    old = {_title(change.old_text) for change in headings if change.kind == "deleted"}
    new = {_title(change.new_text) for change in headings if change.kind == "added"}
    moved = sum(change.kind in ("moved", "moved_changed") for change in headings)
    held = bool(moved) and not old & new
    print(
        f"  target: {moved} sections moved, {len(old & new)} of the same title deleted and"
        f" added (must be 0): {'held' if held else 'MISSED'}"
    )
    return held


def _is_title(change: Change) -> bool:
    text = change.new_text or change.old_text
    places = change.new_places or change.old_places
    return len(places) == 1 and _squeezed(text) in {
        _squeezed(title) for title in places[0].headings
    }


def _title(text: str) -> str:
    return _squeezed(_OWN_NUMBER.sub("", text.lstrip(), count=1))


def _squeezed(text: str) -> str:
    return "".join(text.split())
