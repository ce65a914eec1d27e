"""The one interface to where a collection's chunks are kept, and what they are called there.

Where that is a server, what its failures mean. The clients' exceptions hold requests and, some of
them, the key: nothing of them is kept or chained, only a status and the server's words, redacted
and cut to a readable length.
"""

import hashlib
import logging
import re
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

from sanbo.kernel.problems import (
    InvalidSettings,
    MissingDependency,
    PermissionDenied,
    ProviderFailed,
    SanboError,
    TimedOut,
)
from sanbo.kernel.secrets import protect, redact
from sanbo.retrieval.model import Candidate, Filter, IndexedChunk
from sanbo.retrieval.vectors import TextVectors

log = logging.getLogger(__name__)

_WORDS_LIMIT = 300


@dataclass(frozen=True)
class Place:
    """Where a person sets something: in `sanbo.yaml`, and in the environment."""

    setting: str
    variable: str


@dataclass(frozen=True)
class Service:
    name: str
    address: Place
    key: Place

    def not_configured(self, place: Place) -> MissingDependency:
        return MissingDependency(
            "engine_not_configured",
            service=self.name,
            setting=place.setting,
            variable=place.variable,
        )

    def checked_address(self, address: str | None) -> str:
        """The address, if a request could go there; passwords in it would end up in logs."""
        if not address:
            raise self.not_configured(self.address)
        try:
            parts = urlsplit(address)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        # pyrefly: ignore[unbound-name]
        if not usable or parts.username or parts.password:
            raise InvalidSettings(
                "engine_address_invalid",
                service=self.name,
                setting=self.address.setting,
                variable=self.address.variable,
            )
        return address

    def checked_key(self, key: SecretStr | None, address: str) -> str | None:
        """The key, if it can travel in a header."""
        value = key.get_secret_value() if key else ""
        if not value:
            return None
        protect(value)
        if not all("!" <= character <= "~" for character in value):
            raise InvalidSettings(
                "engine_key_unusable",
                service=self.name,
                setting=self.key.setting,
                variable=self.key.variable,
            )
        if address.startswith("http:") and not _is_this_machine(address):
            log.warning("%s: the key travels unencrypted, use https", self.address.variable)
        return value

    def unreachable(self, host: str) -> ProviderFailed:
        return ProviderFailed(
            "engine_unreachable",
            service=self.name,
            host=host,
            setting=self.address.setting,
            variable=self.address.variable,
        )

    def timed_out(self, seconds: float) -> TimedOut:
        return TimedOut("engine_timed_out", service=self.name, seconds=seconds)

    def malformed(self, kind: str) -> ProviderFailed:
        return ProviderFailed(
            "engine_malformed_reply",
            service=self.name,
            setting=self.address.setting,
            variable=self.address.variable,
            details={"kind": kind},
        )

    def refused(self, status: int, words: str) -> SanboError:
        """What an error status of the server means."""
        reason = readable(words)
        if status in (401, 403):
            return PermissionDenied(
                "engine_key_refused",
                service=self.name,
                status=status,
                setting=self.key.setting,
                variable=self.key.variable,
            )
        if status == 429:
            return ProviderFailed("engine_busy", service=self.name)
        if status in (408, 504):
            return TimedOut("engine_gave_up", service=self.name, status=status)
        if status >= 500:
            return ProviderFailed(
                "engine_server_error", service=self.name, status=status, reason=reason
            )
        if status == 404:
            return MissingDependency(
                "engine_not_there",
                service=self.name,
                setting=self.address.setting,
                variable=self.address.variable,
            )
        return ProviderFailed(
            "engine_request_refused",
            service=self.name,
            status=status,
            reason=reason,
            recoverable=False,
        )


def embedding_mismatch(collection: str, had: str, now: str) -> InvalidSettings:
    return InvalidSettings("engine_embedding_mismatch", collection=collection, had=had, now=now)


def readable(words: str) -> str:
    # Redacted first: half a key that survives the cut would no longer be recognised.
    words = " ".join(redact(words).split())
    return words if len(words) <= _WORDS_LIMIT else words[:_WORDS_LIMIT] + "…"


def _is_this_machine(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class SearchEngine(ABC):
    """Chunks of one collection. Called from several threads; blocking; raises SanboErrors only."""

    writable: bool = True
    """False for an index that others keep: it can be searched, not changed."""
    in_process: bool = False
    """True where a search keeps a core of this process busy and waits for no server."""

    @abstractmethod
    def add(
        self, chunks: Sequence[IndexedChunk], vectors: Sequence[TextVectors] | None = None
    ) -> None:
        """`vectors`: those of their searched texts, where they were made beforehand."""

    @abstractmethod
    def remove(self, document_id: str, version: str) -> None:
        """Removes a version's chunks; one that is not there is removed already."""

    @abstractmethod
    def flush(self) -> None:
        """When this returns, everything added and removed so far survives a crash."""

    @abstractmethod
    def settle(self) -> None:
        """After many changes: whatever makes the next searches fast."""

    @abstractmethod
    def search(self, query: str, limit: int, where: Filter) -> list[Candidate]:
        """Best first. `limit` counts chunks of any version; the caller drops outdated ones."""

    def is_there(self) -> bool:
        """Whether there is an index at all; an engine that can't tell says yes."""
        return True

    @abstractmethod
    def drop(self) -> None:
        """Removes the collection with everything in it; one that is not there is gone already."""

    @abstractmethod
    def close(self) -> None: ...


PREFIX = "sanbo-"
# What Azure AI Search allows, the strictest: lower-case letters, digits, single dashes between.
_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST = 80
_DIGEST = 12
_LOOKS_HASHED = re.compile(rf"-[0-9a-f]{{{_DIGEST}}}")
# A server's keyword may have 32,766 bytes; a longer fact is known by its hash.
_LONGEST_FACT = 8_000

_POINTS = uuid.UUID("5d1cf0a5-6f0a-4c55-9d5f-0a8f2ac4d6a1")


def server_name(collection: str) -> str:
    """The collection's name on a server, always the same for one and different for two.

    `contracts-2025` becomes `sanbo-contracts-2025`. What a server would not take (`契約書`, `A_b`)
    keeps its letters and digits and gets a hash: `sanbo-9fb9a15489eb`, `sanbo-a-b-08eb65adb1a8`.
    """
    is_plain = _PLAIN.fullmatch(collection) and len(collection) <= _LONGEST
    if is_plain and not _LOOKS_HASHED.search(f"-{collection}"[-_DIGEST - 1 :]):
        return PREFIX + collection
    readable = "-".join(re.findall("[a-z0-9]+", collection.lower()))[:_LONGEST].strip("-")
    digest = hashlib.sha256(collection.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return PREFIX + (f"{readable}-{digest}" if readable else digest)


def point_id(chunk: IndexedChunk) -> str:
    """The same for the same document, version and ordinal, so that adding twice is adding once."""
    return str(uuid.uuid5(_POINTS, f"{chunk.document_id}\n{chunk.version}\n{chunk.ordinal}"))


def fact(key: str, value: str) -> str:
    """Metadata as one keyword `key=value`, so that any key can be filtered by."""
    name = key.replace("\\", "\\\\").replace("=", "\\=")
    if len(name) + len(value) <= _LONGEST_FACT:
        return f"{name}={value}"
    return "sha256:" + hashlib.sha256(f"{name}={value}".encode()).hexdigest()


def facts(metadata: dict[str, str]) -> list[str]:
    return [fact(key, value) for key, value in metadata.items()]


def searched_text(chunk: IndexedChunk) -> str:
    return f"{chunk.context}\n{chunk.text}"
