"""Office files finished by hand: the libraries write the frame, we the thousands of rows in it.

Cell by cell, python-docx and openpyxl take many seconds for what a long regulation needs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo


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
