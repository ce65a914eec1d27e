"""Blobs in an object store: S3, Google Cloud Storage or Azure Blob Storage, through obstore.

Nothing is held as a whole: large files go up in parts and come down in ranges. Who needs a path
gets one in a cache on this machine, which has a limit. What a store answers when it refuses is not
shown: it may name keys, and what they were asked with.

Of uploads that a killed process left unfinished, S3 keeps, and charges for, the parts. obstore has
no way to list them. Azure drops such parts after a week; Google's buckets, and S3's, do so by a
rule of theirs.
"""

import hashlib
import re
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import obstore
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from botocore.session import Session
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import ObjectStore, from_url
from typing_extensions import override

from sanbo.kernel.problems import NotFound, StorageUnavailable
from sanbo.kernel.secrets import protect
from sanbo.storage.blob_place import FolderBlobs
from sanbo.storage.blobs import (
    Blobs,
    Content,
    changed_meanwhile,
    checked,
    damaged,
    file_pieces,
    key_of,
    missing,
    read_verified,
    sha256_of,
)
from sanbo.storage.failures import disk_failures

if TYPE_CHECKING:
    from obstore import GetOptions


ABANDONED = timedelta(hours=6)
"""Longer than any upload takes that is still under way somewhere."""
_OURS = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}", re.ASCII)


def abort_abandoned(url: str, older_than: timedelta = ABANDONED) -> int:
    """Those of blobs below this address; how many they were."""
    place = urlsplit(url)
    if place.scheme != "s3":
        return 0
    prefix = f"{place.path.strip('/')}/".removeprefix("/")
    session: Any = Session()  # it has no types
    client = session.create_client(
        "s3",
        region_name=environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or "us-east-1",
        config=Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 2}),
    )
    before, count = datetime.now(UTC) - older_than, 0
    pages = client.get_paginator("list_multipart_uploads")
    for page in pages.paginate(Bucket=place.hostname, Prefix=prefix):
        for upload in page.get("Uploads", ()):
            is_ours = _OURS.fullmatch(upload["Key"].removeprefix(prefix)) is not None
            if is_ours and upload["Initiated"] <= before:
                named = {"Key": upload["Key"], "UploadId": upload["UploadId"]}
                client.abort_multipart_upload(Bucket=place.hostname, **named)
                count += 1
    return count


NO_PLACE = ("NoSuchBucket", "ContainerNotFound", "InvalidBucketName")
_WHO_AM_I = ("169.254.169.254", "169.254.170.2", "metadata.google.internal")
"""Asked for credentials where the environment has none."""


class ObjectMissing(Exception):
    """The store is there, and has no such object."""


@contextmanager
def object_failures(place: str, *, is_writing: bool = False) -> Generator[None]:
    try:
        yield
    except (BaseError, FileNotFoundError, BotoCoreError, ClientError) as error:
        raise _told(error, place, is_writing=is_writing) from None


def _told(error: Exception, place: str, *, is_writing: bool) -> Exception:
    words = str(error)
    code = _code(words)
    if code in NO_PLACE or any(f"({name})" in words for name in NO_PLACE):
        return StorageUnavailable("blobs_place_missing", place=place)
    if isinstance(error, FileNotFoundError) and not is_writing:
        return ObjectMissing(place)
    if _is_refusal(error) or any(each in words for each in _WHO_AM_I):
        return StorageUnavailable("blobs_refused", place=place, reason=code or "–")
    return StorageUnavailable("blobs_unreachable", place=place, reason=code or _first_words(words))


def _code(words: str) -> str:
    """S3's, Google's and Azure's answers have one: `<Code>NoSuchBucket</Code>`."""
    _, found, rest = words.partition("<Code>")
    return rest.partition("</Code>")[0][:60] if found else ""


def _is_refusal(error: Exception) -> bool:
    if isinstance(error, PermissionDeniedError | UnauthenticatedError | NoCredentialsError):
        return True
    answer: Any = getattr(error, "response", {})  # of botocore, which has no types
    return answer.get("ResponseMetadata", {}).get("HTTPStatusCode") in (401, 403)


def _first_words(words: str) -> str:
    """How the request ended, without where it went."""
    line = words.partition("\n")[0]
    return line.rpartition(" - ")[2][:200] or "–"


PART = 8 << 20
PARTS_AT_ONCE = 4
RANGE = 8 * PART
MOST_PARTS = 9_000
"""S3 takes 10,000."""
UNUSED_SECONDS = 3600.0
"""After which the cache lets go of a file: one that was deleted elsewhere does not stay here."""
IN_USE_SECONDS = 60.0
"""For so long after it was given out a path leads to a file."""
TRIM_SECONDS = 60.0
RETRIES = 4
READ_SECONDS = 60
WRITE_SECONDS = 600
"""Stores take minutes to put the parts of a large file together."""
PROBE = "probe"
_SECRETS = (
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
    *("AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_CLIENT_SECRET"),
    *("AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_SAS_KEY", "AZURE_CLIENT_SECRET"),
    *("AZURE_STORAGE_CONNECTION_STRING", "GOOGLE_SERVICE_ACCOUNT_KEY"),
)


class _Cached(NamedTuple):
    used_at: float
    path: Path
    size: int


class ObjectBlobs(Blobs):
    def __init__(self, url: str, cache: FolderBlobs, cache_bytes: int) -> None:
        for name in _SECRETS:
            protect(environ.get(name, ""))
        self.url = url
        self._failures = partial(object_failures, url)
        with self._failures():
            self._store = _opened(url, READ_SECONDS)
            self._slow_store = _opened(url, WRITE_SECONDS)
        self._cache = cache
        self._cache_bytes = cache_bytes
        self._trimming = threading.Lock()
        self._trimmed_at = 0.0
        self._new_bytes = 0
        self._known_damaged: set[str] = set()

    @property
    @override
    def place(self) -> str:
        return self.url

    @override
    def put(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        if not self._has(sha256, len(data)):
            self._send(sha256, data)
        self._cache.put(data)
        self._keep_within_limit(len(data))
        return sha256

    @override
    def put_file(self, source: Path, *, sha256: str | None = None, move: bool = False) -> str:
        sha256 = sha256 or sha256_of(source)
        size = source.stat().st_size
        if not self._has(sha256, size):
            pieces = checked(file_pieces(source, 0, size, PART), sha256, changed_meanwhile)
            self._send(sha256, b"".join(pieces) if size <= PART else pieces, size)
        if move and size <= self._cache_bytes // 4:
            self._cache.put_file(source, sha256=sha256, move=True)
            self._keep_within_limit(size)
        return sha256

    def _has(self, sha256: str, size: int) -> bool:
        if sha256 in self._known_damaged:
            return False
        try:
            with self._failures():
                return obstore.head(self._store, key_of(sha256))["size"] == size
        except ObjectMissing:
            return False

    def _send(self, sha256: str, data: bytes | Iterator[bytes], size: int = 0) -> None:
        """In parts where they come one by one: when one of them fails, none stays."""
        part = max(PART, size // MOST_PARTS)
        with self._failures(is_writing=True):
            obstore.put(
                self._slow_store,
                key_of(sha256),
                data,
                use_multipart=not isinstance(data, bytes),
                chunk_size=part,
                max_concurrency=PARTS_AT_ONCE,
            )
        self._known_damaged.discard(sha256)

    @override
    def get(self, sha256: str) -> bytes:
        try:
            return read_verified(self.path(sha256), sha256)
        except FileNotFoundError:  # another process has just let go of it
            return read_verified(self.path(sha256), sha256)

    @override
    def path(self, sha256: str) -> Path:
        """In the cache; what is not there yet is fetched."""
        if not self._is_here(sha256):
            self._fetch(sha256)
        return self._cache.path(sha256)

    def _is_here(self, sha256: str) -> bool:
        """In the cache; then it counts as used now."""
        if not (self._cache.folder / key_of(sha256)).exists():
            return False
        # Beside the file: one that is touched itself would be verified again.
        mark = self._cache.folder / "used" / sha256
        mark.parent.mkdir(exist_ok=True)
        mark.touch()
        return True

    def _fetch(self, sha256: str) -> None:
        content = self.content(sha256)
        with self._cache.incoming() as file, disk_failures(self._cache.folder):
            with file.open("wb") as writer:
                writer.writelines(content.pieces(0, content.size))
            self._cache.put_file(file, sha256=sha256, move=True)
        self._keep_within_limit(content.size)

    @override
    def content(self, sha256: str) -> Content:
        """Read whole, its last piece comes only where all of it is what was stored."""
        if self._is_here(sha256):
            return self._cache.content(sha256)
        try:
            with self._failures():
                size = obstore.head(self._store, key_of(sha256))["size"]
        except ObjectMissing:
            raise missing(sha256) from None

        def pieces(start: int, end: int) -> Iterator[bytes]:
            ranges = self._ranges(sha256, start, end)
            if (start, end) != (0, size):
                return ranges
            return checked(ranges, sha256, lambda: self._damaged(sha256))

        return Content(size, pieces)

    def _ranges(self, sha256: str, start: int, end: int) -> Iterator[bytes]:
        """Several requests: none lasts for as long as who receives the bytes may take. One that
        breaks off is asked again from where it was."""
        asked_from = -1
        while start < end:
            last = min(end, start + RANGE)
            try:
                for piece in self._pieces(sha256, start, last):
                    start += len(piece)
                    yield piece
            except StorageUnavailable:
                if asked_from == start:
                    raise
                asked_from = start

    def _pieces(self, sha256: str, start: int, end: int) -> Iterator[bytes]:
        try:
            with self._failures():
                options: GetOptions = {"range": (start, end)}
                found = obstore.get(self._slow_store, key_of(sha256), options=options)
            stream = iter(found.stream(PART))
            while True:
                with self._failures():
                    piece = next(stream, None)
                if piece is None:
                    return
                yield bytes(piece)
        except ObjectMissing:
            raise missing(sha256) from None

    def _damaged(self, sha256: str) -> NotFound:
        self._known_damaged.add(sha256)
        return damaged(f"{self.url.rstrip('/')}/{key_of(sha256)}")

    @override
    def remove(self, sha256: str) -> None:
        self._cache.remove(sha256)
        try:
            with self._failures(is_writing=True):
                obstore.delete(self._store, key_of(sha256))
        except ObjectMissing:
            return

    @override
    def incoming(self) -> AbstractContextManager[Path]:
        return self._cache.incoming()

    @override
    def check(self) -> None:
        """Asks for what is never there: who may look, and finds the place, is told so."""
        try:
            with self._failures():
                obstore.get(self._store, PROBE)
        except ObjectMissing:
            return

    @override
    def sweep(self) -> None:
        self._cache.sweep()
        self.trim()
        with self._failures(is_writing=True):
            abort_abandoned(self.url)

    @override
    def close(self) -> None:
        self._cache.close()

    def _keep_within_limit(self, new_bytes: int) -> None:
        """To look at every file for each new one would take longer than to store it."""
        self._new_bytes += new_bytes
        is_much = self._new_bytes > self._cache_bytes // 16
        if is_much or time.monotonic() - self._trimmed_at > TRIM_SECONDS:
            self.trim()

    def trim(self) -> None:
        """Lets go of what nobody has used for long, and beyond the limit of what was used first."""
        with self._trimming:
            self._trimmed_at, self._new_bytes = time.monotonic(), 0
            cached = sorted(self._cached())
            size = sum(each.size for each in cached)
            for used_at, path, bytes_here in cached:
                age = time.time() - used_at
                if age > UNUSED_SECONDS or (size > self._cache_bytes and age > IN_USE_SECONDS):
                    path.unlink(missing_ok=True)
                    (self._cache.folder / "used" / path.name).unlink(missing_ok=True)
                    size -= bytes_here

    def _cached(self) -> Iterator[_Cached]:
        for path in self._cache.folder.glob("[0-9a-f][0-9a-f]/*"):
            mark = self._cache.folder / "used" / path.name
            with suppress(FileNotFoundError):  # gone meanwhile
                stat = path.stat()
                used = mark.stat().st_mtime if mark.exists() else 0.0
                yield _Cached(max(stat.st_mtime, used), path, stat.st_size)


def _opened(url: str, seconds: int) -> ObjectStore:
    return from_url(
        url,
        client_options={
            "allow_http": environ.get("AWS_ALLOW_HTTP", "").casefold() == "true",
            "connect_timeout": timedelta(seconds=5),
            "timeout": timedelta(seconds=seconds),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=20)},
    )
