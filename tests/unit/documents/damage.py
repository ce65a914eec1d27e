"""Files as they come after a bad download, a broken disk or a hostile hand."""

import io
import random
import zipfile
from collections.abc import Callable, Iterator

from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import SanboError


def damaged(data: bytes, count: int) -> Iterator[bytes]:
    """Cut off, with flipped bits, with a stretch missing, doubled or blank. The same every time."""
    dice = random.Random(20240401)
    for _ in range(count):
        at, length = dice.randrange(len(data)), dice.randrange(1, 200)
        yield data[:at]
        yield data[:at] + data[at + length :]
        yield data[:at] + data[at : at + length] * 2 + data[at + length :]
        yield data[:at] + bytes(length) + data[at + length :]
        broken = bytearray(data)
        for _ in range(dice.randrange(1, 20)):
            broken[dice.randrange(len(broken))] ^= 1 << dice.randrange(8)
        yield bytes(broken)


def damaged_inside(package: bytes, count: int, *, ending: str = ".xml") -> Iterator[bytes]:
    """A whole ZIP whose parts are damaged, so that checksums don't catch it."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        names = [name for name in archive.namelist() if name.endswith(ending)]
    for name in names:
        with zipfile.ZipFile(io.BytesIO(package)) as archive:
            part = archive.read(name)
        for broken in damaged(part, max(1, count // len(names))):
            yield repacked(package, lambda other, data: broken if other == name else data)  # noqa: B023


def repacked(package: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """Every part as `change` wants it; None leaves it out."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(package)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            if (part := change(name, old.read(name))) is not None:
                new.writestr(name, part)
    return buffer.getvalue()


def read_or_problem(
    read: Callable[[Source], Document], data: bytes, name: str
) -> Document | SanboError:
    """Whatever else is raised is a defect, and fails the test."""
    try:
        document = read(Source(name=name, data=data))
    except SanboError as problem:
        return problem
    assert document.text.strip(), "an empty document must be a problem"
    for block in document.blocks:
        assert document.text_of(block).strip()
    return document
