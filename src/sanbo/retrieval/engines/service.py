"""A search server as the user knows it, and what its failures mean.

The clients' exceptions hold requests and, some of them, the key: nothing of them is kept or
chained, only a status and the server's words, redacted and cut to a readable length.
"""

import logging
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
        if not usable or parts.username or parts.password:  # pyright: ignore[reportPossiblyUnboundVariable]
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
