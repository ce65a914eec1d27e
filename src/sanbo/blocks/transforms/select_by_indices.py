"""transforms.select_by_indices: rows by their place in a list."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import listed
from sanbo.kernel.problems import InvalidInput, LimitExceeded

_PART = re.compile(r"(-?\d{1,9})(?:\s*(?:-|\.\.|～|〜|:)\s*(-?\d{1,9}))?")
_MOST = 1_000_000


class SelectByIndices(Transform[Given]):
    is_tried_empty = False

    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        for _ in _ranges(given.get("indices")):
            pass  # not counted through: each may be a million

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        places: list[int] = []
        missing: list[int] = []
        for index in _indices(given.indices):
            place = index - given.start if index >= 0 else index + len(given.items)
            if 0 <= place < len(given.items):
                places.append(place)
            elif given.on_missing == "skip":
                missing.append(index)
            else:
                raise _out_of_range(index, given)
            if len(places) + len(missing) > _MOST:
                raise LimitExceeded("transform_indices_too_many", limit=_MOST)
        if given.exclude:
            left_out = set(places)
            places = [place for place in range(len(given.items)) if place not in left_out]
        rows = [_row(given.items[place]) for place in places]
        if missing:
            context.warn(_out_of_range(missing[0], given))
        return {
            "rows": rows,
            "summary": {"total": len(given.items), "selected": len(rows), "missing": missing},
        }


def _row(item: JsonValue) -> JsonValue:
    return item if isinstance(item, dict) else {"value": item}


def _indices(given: JsonValue) -> Iterator[int]:
    for each in _ranges(given):
        yield from each


def _ranges(given: JsonValue) -> Iterator[range]:
    """`[0, 2]`, `"0, 2-4"`, or entries that have an `index`, such as a search's results."""
    for entry in listed(given):
        one = entry.get("index") if isinstance(entry, dict) else entry
        if isinstance(one, str):
            yield from _written(one)
        elif isinstance(one, int | float) and not isinstance(one, bool) and one == int(one):
            yield range(int(one), int(one) + 1)
        else:
            raise InvalidInput("transform_index_unreadable", given=str(one)[:80])


def _written(text: str) -> Iterator[range]:
    for part in re.split(r"[,、，\s]+", text.strip()):
        found = _PART.fullmatch(part)
        if found is None:
            raise InvalidInput("transform_index_unreadable", given=text[:80])
        first = int(found[1])
        last = int(found[2]) if found[2] else first
        if last - first > _MOST:
            raise LimitExceeded("transform_indices_too_many", limit=_MOST)
        yield range(first, last + 1)


def _out_of_range(index: int, given: Given) -> InvalidInput:
    last = len(given.items) - 1 + given.start
    return InvalidInput(
        "transform_index_missing", index=index, first=given.start, last=last, count=len(given.items)
    )
