"""How wide columns are: as their text needs, within what there is."""

import re
from collections.abc import Sequence

MOST_LOOKED_AT = 200
"""Rows."""
LATIN = 0.9
"""How wide a Latin letter is on average, in the measure of columns: a digit."""
_LEAST, _MOST = 6.0, 44.0
_NARROW = re.compile(
    "[^\u1100-\u11ff\u2010-\u2bff\u2e80-\uff60\uffe0-\uffe6\U0001f000-\U0003ffff]+"
)


def width_of(text: str) -> float:
    """Of a line, in digits."""
    narrow = sum(map(len, _NARROW.findall(text)))
    return 2 * (len(text) - narrow) + LATIN * narrow


def wanted(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[float]:
    """Of each column, in digits: the longest line of its first rows."""
    count = max([len(header), *(len(row) for row in rows[:1])])
    widths: list[float] = []
    for at in range(count):
        texts = [*header[at : at + 1], *(row[at] for row in rows[:MOST_LOOKED_AT] if at < len(row))]
        longest = max((width_of(one) for text in texts for one in text.split("\n")), default=0)
        widths.append(min(max(longest + 2, _LEAST), _MOST))
    return widths


def shared(
    header: Sequence[str], rows: Sequence[Sequence[str]], parts: Sequence[int] = ()
) -> list[float]:
    """Of each column, as a share of the whole."""
    widths = [float(part) for part in parts] or wanted(header, rows)
    return [width / sum(widths) for width in widths]
