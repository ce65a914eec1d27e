"""Documents as they were read, in a folder: what a hit is shown and cited from."""

import ctypes
import gzip
import os
import shutil
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from sanbo.documents.chunks import Chunk, Cut
from sanbo.documents.model import Document, Frozen, Position
from sanbo.kernel.problems import NotFound
from sanbo.retrieval.catalogue import Version


class KeptDocument(Frozen):
    """What a collection keeps of a document beside the engine's part."""

    document: Document
    cuts: tuple[Cut, ...]

    @classmethod
    def of(cls, document: Document, chunks: Iterable[Chunk]) -> Self:
        return cls(document=document, cuts=tuple(piece.cut for piece in chunks))

    @property
    def chunks(self) -> list[Chunk]:
        return [cut.of(self.document) for cut in self.cuts]

    def chunk(self, ordinal: str) -> Chunk:
        is_number = ordinal.isascii() and ordinal.isdecimal() and len(ordinal) < 10
        if not (is_number and int(ordinal) < len(self.cuts)):
            raise NotFound("chunk_unknown", chunk=ordinal[:20], document=self.document.name)
        return self.cuts[int(ordinal)].of(self.document)

    def page_around(self, position: Position, most: int) -> tuple[int, int]:
        """The span of the page or sheet that a position is on, at most so far to each side."""
        same = [
            block.position
            for block in self.document.blocks
            if (block.position.page, block.position.sheet) == (position.page, position.sheet)
        ]
        begin = min((other.start for other in same), default=position.start)
        end = max((other.end for other in same), default=position.end)
        return max(begin, position.start - most), min(end, position.end + most)


class KeptTexts:
    """A file for each version. One writer at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, documents: Iterable[tuple[Version, KeptDocument]]) -> None:
        """When this returns, all of them survive a power cut."""
        self._folder.mkdir(parents=True, exist_ok=True)
        partials: list[tuple[Path, Path]] = []
        for version, kept in documents:
            path = self._path(version)
            partial = path.with_suffix(".partial")
            data = kept.model_dump_json().encode()
            partial.write_bytes(gzip.compress(data, compresslevel=5, mtime=0))
            partials.append((partial, path))
        _secure(self._folder, [partial for partial, _ in partials])
        for partial, path in partials:
            partial.replace(path)

    def has(self, version: Version) -> bool:
        return self._path(version).exists()

    def read(self, version: Version) -> KeptDocument | None:
        """None where it is gone, cut off, or damaged."""
        try:
            data = gzip.decompress(self._path(version).read_bytes())
            return KeptDocument.model_validate_json(data)
        except (OSError, EOFError, ValueError, zlib.error):
            return None

    def remove(self, version: Version) -> None:
        self._path(version).unlink(missing_ok=True)

    def drop(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, version: Version) -> Path:
        return self._folder / f"{version[0]}-{version[1]}.json.gz"


def _secure(folder: Path, files: list[Path]) -> None:
    """What the catalogue names must be on disk: the disk is waited for once, not for each file."""
    place = os.open(folder, os.O_RDONLY)
    try:
        if sys.platform == "linux" and ctypes.CDLL(None).syncfs(place) == 0:
            return
    finally:
        os.close(place)
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())
