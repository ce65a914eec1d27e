"""Jobs of a library that likes to keep a cache."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

_FOLDER = Path(tempfile.mkdtemp(prefix="cached-"))


def perform(job: bytes, inputs: Sequence[memoryview], output: BinaryIO) -> bytes:
    try:
        (_FOLDER / "fonts.json").write_text("{}", "utf-8")
    except OSError:
        return b"no cache"
    return b"a cache"
