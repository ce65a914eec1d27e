"""How much can be compared: beyond it time and memory run out."""

from typing import Literal

from sanbo.documents.limits import ReadingLimits
from sanbo.kernel.problems import LimitExceeded
from sanbo.sandbox.limits import Limits

SideName = Literal["old", "new"]
MOST_CHUNKS = 50_000
"""Of all documents of a side. Far more than any contract or law has."""
MOST_CHARACTERS = 20_000_000
"""Of all documents of a side."""
LONGEST_DOCUMENT = 6_000_000
"""In characters: aligning two such takes minutes and 3 GB, whatever they say."""
MOST_BYTES = 8 * MOST_CHARACTERS
"""Of all documents of a side, as they pass from process to process."""
READING = ReadingLimits(characters=LONGEST_DOCUMENT, parts=MOST_CHUNKS, cells=40 * MOST_CHUNKS)
WORKING = Limits(seconds=1800, memory_bytes=4 << 30)
"""Of the process that aligns, and of the one that writes down what came of it."""


def too_much(side: SideName, characters: int) -> LimitExceeded:
    return LimitExceeded(f"comparison_too_large.{side}", chunks=MOST_CHUNKS, characters=characters)
