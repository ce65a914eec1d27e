"""What Word and Excel files have in common: columns as wide as their text needs, and rows that we
write into the frame, which the libraries write.

Cell by cell, python-docx and openpyxl take many seconds for what a long regulation needs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

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


@dataclass(frozen=True)
class Content:
    before: str
    """The mark in the frame, of which the last is meant."""
    xml: str
    leave_out: re.Pattern[str] | None = None
    """What the frame says and is no longer true."""


def with_content(frame: bytes, content: Mapping[str, Content]) -> bytes:
    """The file with the contents of its parts, by their names in the archive."""
    buffer = BytesIO()
    with ZipFile(BytesIO(frame)) as source, ZipFile(buffer, "w", ZIP_DEFLATED) as target:
        for member in source.infolist():
            data = source.read(member)
            if member.filename in content:
                data = _filled(data.decode("utf-8"), content[member.filename]).encode()
            # Without the moment of writing: made again of the same, it is the same.
            target.writestr(ZipInfo(member.filename), data, ZIP_DEFLATED)
    return buffer.getvalue()


def _filled(frame: str, content: Content) -> str:
    if content.leave_out is not None:
        frame = content.leave_out.sub("", frame, count=1)
    before, mark, after = frame.rpartition(content.before)
    assert mark, f"the frame has no {content.before}"
    return f"{before}{content.xml}{mark}{after}"
