"""A collection: documents that were read, and finding things in them."""

import gzip
import os
import re
import shutil
import threading
import time
import unicodedata
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import regex
from filelock import FileLock, Timeout

from sanbo.documents.chunks import Chunk, Cut, chunk
from sanbo.documents.model import Document, Position
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, MissingDependency, NotFound
from sanbo.kernel.text import matching_form
from sanbo.retrieval.catalogue import Catalogue, CollectionRecord, Version
from sanbo.retrieval.engines.engine import SearchEngine
from sanbo.retrieval.model import (
    Candidate,
    CollectionInfo,
    DocumentInfo,
    Filter,
    Frozen,
    Hit,
    IndexedChunk,
    Span,
)
from sanbo.retrieval.ranking import with_verbatim
from sanbo.retrieval.tokens import query_surfaces, speakable

_MARK = regex.compile(r"[\p{M}\uff9e\uff9f]")
_UNIT = regex.compile(r"\X")
_SOLID = re.compile(r"[^\W_ぁ-ゖ]{2,}")


class _Normal(dict[int, str]):
    """For `translate`, which runs at the speed of the machine: each letter is looked up once."""

    def __missing__(self, letter: int) -> str:
        self[letter] = unicodedata.normalize("NFKC", chr(letter)).casefold()
        return self[letter]


_NORMAL = _Normal()


def terms_of(query: str) -> frozenset[str]:
    """What to look for: content words as written and as in the dictionary, and solid runs.

    Not the single characters that a run is cut into: 第三者 would light up every 第.
    """
    runs: list[str] = _SOLID.findall(matching_form(query))
    single = {letter for run in runs for letter in run}
    return frozenset((*runs, *(word for word in query_surfaces(query) if word not in single)))


def highlights(terms: frozenset[str], text: str) -> tuple[Span, ...]:
    """Spans of `text`, in order and apart from each other."""
    form, origin = _form(text)
    covered: set[int] = set()
    for term in terms:
        at = form.find(term)
        while at >= 0:
            covered.update(range(origin[at], _end(origin, at + len(term), len(text))))
            at = form.find(term, at + 1)
    return _spans(sorted(covered))


def _end(origin: Sequence[int], at: int, length: int) -> int:
    """Where the next unit of the text begins."""
    return origin[at] if at < len(origin) else length


def _form(text: str) -> tuple[str, Sequence[int]]:
    """The text in matching form, character by character, and where each one comes from."""
    if _MARK.search(text) is None:  # nearly always, and then a character is a letter
        whole = text.translate(_NORMAL)
        if len(whole) == len(text):  # no letter has no form, so each has just one
            return whole, range(len(text))
    form: list[str] = []
    origin: list[int] = []
    for unit in _UNIT.finditer(text):  # ｶﾞ is one letter in two characters
        for piece in unicodedata.normalize("NFKC", unit.group()).casefold():
            form.append(piece)
            origin.append(unit.start())
    return "".join(form), origin


def _spans(positions: list[int]) -> tuple[Span, ...]:
    runs: list[list[int]] = []
    for at in positions:
        if runs and runs[-1][1] == at:
            runs[-1][1] = at + 1
        else:
            runs.append([at, at + 1])
    return tuple(Span(start=start, end=end) for start, end in runs)


MOST_HITS = 100
CHUNKS_AT_ONCE = 256
MOST_ASKED = 20_000
LONGEST_QUERY = 2_000


class ReadDocument(Frozen):
    """A document as it was read, ready to be put into a collection."""

    document_id: str
    source: str
    version: str
    container: str | None = None
    sha256: str
    size: int
    document: Document
    metadata: dict[str, str]
    replaces: str | None = None
    """The version that counted when this one was read."""


class Stopped(Exception):
    """Whoever asked for the work does not want it any more."""


class KeptDocument(Frozen):
    """What a collection keeps of a document beside the engine's part."""

    document: Document
    cuts: tuple[Cut, ...]

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


class Collection:
    """Called from several threads; several processes may use the same collection."""

    def __init__(
        self,
        record: CollectionRecord,
        catalogue: Catalogue,
        engine: SearchEngine,
        folder: Path,
        timeout_seconds: float,
    ) -> None:
        self.name = record.name
        self._key = record.key
        self._catalogue = catalogue
        self._engine = engine
        self._folder = folder
        self._texts = folder / "texts"
        self._timeout = timeout_seconds
        self._writer = FileLock(folder / "writer.lock", thread_local=False)
        self._writing = threading.RLock()
        self._is_dropped = False

    # ---- looking ----

    def search(self, query: str, *, limit: int = 10, where: Filter | None = None) -> list[Hit]:
        """The best chunks for a query; only of versions that count."""
        limit = max(1, min(limit, MOST_HITS))
        query = speakable(query)[:LONGEST_QUERY]
        where = where or Filter()
        # Chunks that don't count any more, or not yet, may be among the first, and many where a
        # large document is just being written: more are asked for until there are enough.
        asked = limit + 5
        found = self._engine.search(query, asked, where)
        counted = self._counted(found)
        while len(counted) < limit and len(found) >= asked and asked < MOST_ASKED:
            asked *= 4
            found = self._engine.search(query, asked, where)
            counted = self._counted(found)
        if not found:
            self._check_engine()
        terms = terms_of(query)
        return [_hit(terms, candidate) for candidate in with_verbatim(query, counted)[:limit]]

    def _counted(self, found: list[Candidate]) -> list[Candidate]:
        if not self._engine.writable:
            return found
        ids = (candidate.chunk.document_id for candidate in found)
        versions = self._catalogue.versions(self._key, ids)
        return [
            candidate
            for candidate in found
            if versions.get(candidate.chunk.document_id) == candidate.chunk.version
        ]

    def _check_engine(self) -> None:
        """An index that was there and is not any more must not look like nothing found."""
        if self._engine.is_there():
            return
        info = self._catalogue.info(self._key)
        if info is not None and info.chunks:
            reason = tell("collection_index_missing")
            raise MissingDependency("collection_damaged", collection=self.name, reason=reason)

    def info(self) -> CollectionInfo:
        """Its line in the catalogue; a problem where it was deleted meanwhile."""
        info = self._catalogue.info(self._key)
        if info is None:
            raise NotFound("collection_unknown", collection=self.name)
        return info

    @property
    def keeps_texts(self) -> bool:
        """False for an index that others make: what its engine holds is all there is."""
        return self._engine.writable

    @property
    def in_process(self) -> bool:
        """Whether a search works in this process and waits for no server."""
        return self._engine.in_process

    def all_documents(self) -> Iterator[DocumentInfo]:
        """Page by page, and right also when what was given is removed meanwhile."""
        last = ""
        while page := self._catalogue.documents_after(self._key, last):
            yield from page
            last = page[-1].document_id

    def document(self, document_id: str) -> DocumentInfo:
        info = self._catalogue.document(self._key, document_id)
        if info is None:
            raise NotFound("document_unknown", document=document_id, collection=self.name)
        return info

    def version_of(self, document_id: str) -> str | None:
        return self._catalogue.versions(self._key, [document_id]).get(document_id)

    def is_whole(self, document_id: str, version: str) -> bool:
        """Whether what belongs to a version that counts is there; else it is to be read again."""
        return self._text_path((document_id, version)).exists() and self._engine.is_there()

    def within(self, container: str) -> list[str]:
        return self._catalogue.within(self._key, container)

    def read(self, document_id: str) -> KeptDocument:
        """The document as it was when it was indexed; chunk n is the hit `document_id.n`."""
        info = self.document(document_id)
        path = self._text_path((document_id, info.version))
        try:
            return KeptDocument.model_validate_json(gzip.decompress(path.read_bytes()))
        except (OSError, EOFError, ValueError, zlib.error):  # gone, cut off, or damaged
            raise NotFound("document_text_missing", document=info.name) from None

    # ---- changing ----

    def put(
        self, read: Sequence[ReadDocument], stopped: Callable[[], bool] = lambda: False
    ) -> list[DocumentInfo]:
        """Adds documents, or replaces what was read from the same source.

        Until this returns, searches see the versions from before; a crash leaves those, and so
        does `stopped`, which is asked between portions and raises `Stopped`.
        """
        chunks: dict[str, list[Chunk]] = {}
        for item in read:
            if stopped():
                raise Stopped
            chunks[item.document_id] = chunk(item.document)
        infos = [_info(item, len(chunks[item.document_id])) for item in read]
        versions = [(item.document_id, item.version) for item in read]
        with self._right_to_write():
            self._catalogue.announce(self._key, versions)
            for item in read:
                self._keep(item, chunks[item.document_id])
            indexed = (_indexed(item, piece) for item in read for piece in chunks[item.document_id])
            while some := list(islice(indexed, CHUNKS_AT_ONCE)):
                if stopped() or self._is_dropped:
                    raise Stopped
                self._engine.add(some)
            self._engine.flush()
            outdated = self._catalogue.publish(self._key, infos)
            if outdated is None:  # deleted by somebody else meanwhile
                self.drop()
                raise NotFound("collection_unknown", collection=self.name)
            self._remove(outdated)
        return infos

    def remove(self, document_ids: Sequence[str]) -> None:
        with self._right_to_write():
            self._remove(self._catalogue.withdraw(self._key, document_ids))

    def settle(self) -> None:
        self._engine.settle()

    def drop(self) -> None:
        """The engine's part and the texts; the catalogue's part is the library's."""
        self._is_dropped = True  # who is writing stops soon
        with self._writing:
            self._engine.drop()
            self._engine.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        self._engine.close()

    def _remove(self, versions: Sequence[Version]) -> None:
        if not versions:
            return
        for document_id, version in versions:
            self._engine.remove(document_id, version)
            self._text_path((document_id, version)).unlink(missing_ok=True)
        self._engine.flush()
        self._catalogue.removed(self._key, versions)

    @contextmanager
    def _right_to_write(self) -> Generator[None]:
        """One writer at a time, over all processes; it first clears up after those that died."""
        if not self._engine.writable:
            raise Conflict("collection_read_only", collection=self.name)
        if not self._writing.acquire(timeout=self._timeout):
            raise Conflict("collection_busy", collection=self.name, recoverable=True)
        try:
            self._texts.mkdir(parents=True, exist_ok=True)
            try:
                self._writer.acquire(timeout=self._timeout)
            except Timeout:
                raise Conflict("collection_busy", collection=self.name, recoverable=True) from None
            try:
                self._remove(self._catalogue.abandoned(self._key))
                yield
            finally:
                self._writer.release()
        finally:
            self._writing.release()

    def _keep(self, item: ReadDocument, pieces: Sequence[Chunk]) -> None:
        path = self._text_path((item.document_id, item.version))
        partial = path.with_suffix(".partial")
        kept = KeptDocument(document=item.document, cuts=tuple(piece.cut for piece in pieces))
        data = kept.model_dump_json().encode()
        with partial.open("wb") as writer:
            writer.write(gzip.compress(data, compresslevel=5, mtime=0))
            writer.flush()
            os.fsync(writer.fileno())  # what the catalogue names must survive a power cut
        partial.replace(path)

    def _text_path(self, version: Version) -> Path:
        return self._texts / f"{version[0]}-{version[1]}.json.gz"


def _info(item: ReadDocument, chunks: int) -> DocumentInfo:
    document = item.document
    return DocumentInfo(
        document_id=item.document_id,
        name=document.name,
        source=item.source,
        container=item.container,
        version=item.version,
        sha256=item.sha256,
        format=document.format,
        title=document.title,
        size=item.size,
        pages=document.pages,
        chunks=chunks,
        warnings=document.warnings,
        metadata=item.metadata,
        indexed_at=datetime.fromtimestamp(time.time(), UTC),
    )


def _indexed(item: ReadDocument, piece: Chunk) -> IndexedChunk:
    folders = item.document.name.split("/")[:-1]
    return IndexedChunk(
        document_id=item.document_id,
        version=item.version,
        ordinal=piece.ordinal,
        document_name=item.document.name,
        format=item.document.format,
        folders=tuple("/".join(folders[: depth + 1]) for depth in range(len(folders))),
        text=piece.text,
        context=piece.context,
        position=piece.position,
        metadata=item.metadata,
    )


def _hit(terms: frozenset[str], candidate: Candidate) -> Hit:
    chunk = candidate.chunk
    return Hit(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        document_name=chunk.document_name,
        format=chunk.format,
        text=chunk.text,
        context=chunk.context,
        position=chunk.position,
        score=candidate.score,
        signals=candidate.signals,
        highlights=highlights(terms, chunk.text),
        metadata=chunk.metadata,
    )
