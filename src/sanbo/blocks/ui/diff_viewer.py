"""`ui.diff_viewer`: shows a person what differs between two values, and asks for approval."""

import asyncio
import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.blocks.spec import text_of
from sanbo.blocks.ui.questions import ask
from sanbo.documents.model import Source
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fields import file_refs
from sanbo.runs.model import APPROVED, COMMENT, Question
from sanbo.runs.workflow import Waiting

# ---- what differs: line by line, row by row, field by field --------------------------------------


Row = dict[str, JsonValue]
Kind = Literal["added", "removed", "changed", "type_change"]

MOST_ALIGNED = 5_000
"""Above this many rows or lines without a key, order is not looked at: aligning is quadratic."""


class Place(NamedTuple):
    """Where something stands: for plans by position from 0, for people as they would call it."""

    path: str = ""
    shown: str = ""

    def field(self, name: str) -> "Place":
        return Place(*(f"{each}.{name}" if each else name for each in self))

    def entry(self, position: int, shown: str = "") -> "Place":
        return Place(f"{self.path}[{position}]", f"{self.shown}[{shown or position + 1}]")


class Difference(NamedTuple):
    place: Place
    kind: Kind
    before: JsonValue
    after: JsonValue


def differences(before: JsonValue, after: JsonValue) -> list[Difference]:
    return list(_between(before, after, Place()))


def _between(before: JsonValue, after: JsonValue, place: Place) -> Iterator[Difference]:
    if _canonical(before) == _canonical(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _objects(before, after, place)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _lists(before, after, place)
    elif isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        found = _sequences(before.splitlines(), after.splitlines(), place)
        yield from (each for each in found if not _is_blank(each))
    elif before is None:
        yield Difference(place, "added", None, after)
    elif after is None:
        yield Difference(place, "removed", before, None)
    elif before != after or isinstance(before, bool) != isinstance(after, bool):  # True equals 1
        kind: Kind = "changed" if _type(before) == _type(after) else "type_change"
        yield Difference(place, kind, before, after)


def _type(value: JsonValue) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if is_number else type(value).__name__


def _is_blank(each: Difference) -> bool:
    """An empty line more or less changes nothing of what a text says."""
    return not any(str(side or "").strip() for side in (each.before, each.after))


def _objects(
    before: Mapping[str, JsonValue], after: Mapping[str, JsonValue], place: Place
) -> Iterator[Difference]:
    for name in dict.fromkeys((*before, *after)):
        here = place.field(name)
        if name not in after:
            yield Difference(here, "removed", before[name], None)
        elif name not in before:
            yield Difference(here, "added", None, after[name])
        else:
            yield from _between(before[name], after[name], here)


def _lists(
    before: Sequence[JsonValue], after: Sequence[JsonValue], place: Place
) -> Iterator[Difference]:
    old, new = _rows(before), _rows(after)
    key = _key(old, new) if old is not None and new is not None else None
    if old is None or new is None or key is None:
        yield from _sequences(before, after, place)
        return
    old_rows = {_canonical(row[key]): row for row in old}
    new_rows = {_canonical(row[key]): row for row in new}
    positions = {name: at for rows in (new_rows, old_rows) for at, name in enumerate(rows)}
    for name in dict.fromkeys((*old_rows, *new_rows)):
        row = old_rows.get(name) or new_rows[name]
        here = place.entry(positions[name], f"{key}={_plain(row[key])}")
        if name not in new_rows:
            yield Difference(here, "removed", old_rows[name], None)
        elif name not in old_rows:
            yield Difference(here, "added", None, new_rows[name])
        else:
            yield from _objects(old_rows[name], new_rows[name], here)


def _rows(values: Sequence[JsonValue]) -> list[Row] | None:
    return (
        cast("list[Row]", list(values))
        if values and all(isinstance(each, dict) for each in values)
        else None
    )


def _key(old: Sequence[Row], new: Sequence[Row]) -> str | None:
    """The first column that names every row of both sides, and at least half of them alike."""
    for name in old[0]:
        left = [_canonical(row[name]) for row in old if row.get(name) not in (None, "")]
        right = [_canonical(row[name]) for row in new if row.get(name) not in (None, "")]
        if len(left) < len(old) or len(right) < len(new):
            continue
        names = set(left), set(right)
        if len(names[0]) < len(left) or len(names[1]) < len(right):
            continue
        if len(names[0] & names[1]) * 2 >= min(len(left), len(right)):
            return name
    return None


def _sequences(
    before: Sequence[JsonValue], after: Sequence[JsonValue], place: Place
) -> Iterator[Difference]:
    old, new = [_canonical(each) for each in before], [_canonical(each) for each in after]
    if len(old) + len(new) > MOST_ALIGNED:
        yield from _without_order(before, after, old, new, place)
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        for offset in range(max(i2 - i1, j2 - j1)):
            i, j = i1 + offset, j1 + offset
            if i >= i2:
                yield Difference(place.entry(j), "added", None, after[j])
            elif j >= j2:
                yield Difference(place.entry(i), "removed", before[i], None)
            else:
                yield from _between(before[i], after[j], place.entry(i))


def _without_order(
    before: Sequence[JsonValue],
    after: Sequence[JsonValue],
    old: Sequence[str],
    new: Sequence[str],
    place: Place,
) -> Iterator[Difference]:
    kept = Counter(old) & Counter(new)
    left = Counter(kept)
    for position, (name, value) in enumerate(zip(old, before, strict=True)):
        if left[name] > 0:
            left[name] -= 1
        else:
            yield Difference(place.entry(position), "removed", value, None)
    left = Counter(kept)
    for position, (name, value) in enumerate(zip(new, after, strict=True)):
        if left[name] > 0:
            left[name] -= 1
        else:
            yield Difference(place.entry(position), "added", None, value)


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else _canonical(value)


# ---- the block -----------------------------------------------------------------------------------


MOST_SHOWN = 200
"""Differences in the question; all of them are in the output."""


class DiffViewer(EngineBlock[Given]):
    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any] | Waiting:
        before = await _readable(given.before, context)
        after = await _readable(given.after, context)
        found = await asyncio.to_thread(differences, before, after)
        answered = await ask(
            _question(text_of(given.message or {}, context.language), found, context.language),
            context,
        )
        if answered is None:
            return Waiting()
        counts = Counter(each.kind for each in found)
        return {
            "diffs": [
                {
                    "path": each.place.path,
                    "type": each.kind,
                    "from": each.before,
                    "to": each.after,
                    "shown": each.place.shown,
                }
                for each in found
            ],
            "approved": answered.answer[APPROVED],
            "metadata": {
                **answered.metadata,
                "comment": answered.answer.get(COMMENT),
                "added": counts["added"],
                "removed": counts["removed"],
                "changed": counts["changed"] + counts["type_change"],
            },
        }


async def _readable(value: JsonValue, context: EngineContext) -> JsonValue:
    """A file is compared by its text."""
    files = file_refs(value) if isinstance(value, dict) and "file_id" in value else []
    if len(files) != 1:
        return value
    source = Source(name=files[0].name, data=await context.read(files[0]))
    document = await context.readers.read_apart(source)
    return document.text


def _place(path: str, language: Language) -> str:
    """`[3]` is what a person calls line 3."""
    if line := re.fullmatch(r"\[(\d+)\]", path):
        return tell("blocks_ui.diff.line", language, number=line[1])
    return path or tell("blocks_ui.diff.whole", language)


def _kind(kind: Kind, language: Language) -> str:
    return tell(f"blocks_ui.diff.{'changed' if kind == 'type_change' else kind}", language)


def _question(message: str, found: list[Difference], language: Language) -> Question:
    counts = Counter(each.kind for each in found)
    shown = [
        {
            tell("blocks_ui.diff.place", language): _place(each.place.shown, language),
            tell("blocks_ui.diff.kind", language): _kind(each.kind, language),
            tell("blocks_ui.diff.before", language): each.before,
            tell("blocks_ui.diff.after", language): each.after,
        }
        for each in found[:MOST_SHOWN]
    ]
    counted = tell(
        "blocks_ui.diff.counts" if found else "blocks_ui.diff.none",
        language,
        added=counts["added"],
        removed=counts["removed"],
        changed=counts["changed"] + counts["type_change"],
        shown=len(shown),
        total=len(found),
    )
    return Question(
        mode="confirm",
        message=message or tell("blocks_ui.diff.asked", language),
        context={
            tell("blocks_ui.diff.summary", language): counted,
            tell("blocks_ui.diff.differences", language): [dict(row) for row in shown],
        },
    )
