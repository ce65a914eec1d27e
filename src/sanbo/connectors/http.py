"""Requests to hosts on the list: redirects are checked again, size and time are bounded.

Secrets that settings name for them stand in the environment, and are masked from then on.
"""

import asyncio
import hashlib
import os
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import httpx

from sanbo.connectors.addresses import Destination, Resolve, destination, look_up
from sanbo.connectors.settings import AllowedHost, ConnectorSettings
from sanbo.kernel.problems import (
    InvalidInput,
    LimitExceeded,
    MissingDependency,
    ProviderFailed,
    SanboError,
    TimedOut,
)
from sanbo.kernel.secrets import protect, redact


def secret_value(name: str, variables: Mapping[str, str] = os.environ) -> str:
    value = variables.get(name, "")
    if not value:
        raise MissingDependency("connector_secret_missing", name=name)
    protect(value)
    return value


def protect_named(settings: ConnectorSettings, variables: Mapping[str, str] = os.environ) -> None:
    """Before anything is written."""
    for name in _named(settings):
        protect(variables.get(name, ""))


def _named(settings: ConnectorSettings) -> Iterator[str]:
    for host in settings.hosts.values():
        yield from host.headers.values()
    yield from settings.webhooks.values()
    yield from (server.password for server in settings.mail.values() if server.password)


CONNECT_SECONDS = 10.0
_MB = 1 << 20
_NOT_BY_PLANS = frozenset(
    {
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "upgrade",
        "te",
        "trailer",
        "expect",
        "proxy-authorization",
        "accept-encoding",
        "idempotency-key",
    }
)
_HIDDEN = frozenset({"set-cookie", "set-cookie2"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_READING = frozenset({"GET", "HEAD"})
BUSY = frozenset({429, 502, 503, 504})


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    key: str
    """The same when a step runs again after a crash: the server can tell that it knows it."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    params: Mapping[str, str | list[str]] = field(default_factory=dict[str, "str | list[str]"])
    content: bytes = b""
    seconds: float = 30
    named: AllowedHost | None = None
    """The rules of an address that the settings hold; without them, the list's."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    text: str
    elapsed_ms: int

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()  # reads all the world's root certificates


async def send(request: Request, settings: ConnectorSettings, resolve: Resolve = look_up) -> Reply:
    """Whatever status the server answers with; a problem where it does not answer."""
    if len(request.content) > settings.max_request_mb * _MB:
        raise LimitExceeded("connector_request_large", limit=settings.max_request_mb)
    for name, value in request.headers.items():
        if name.casefold() in _NOT_BY_PLANS or not _is_header(name, value):
            raise InvalidInput("connector_header_refused", port="headers", name=name[:100])
    seconds, began = min(request.seconds, settings.max_seconds), time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            status, headers, text = await _followed(request, settings, resolve)
    except TimeoutError:
        raise TimedOut("connector_slow", host=_host(request.url), seconds=seconds) from None
    return Reply(status, headers, text, int((time.monotonic() - began) * 1000))


async def _followed(
    request: Request, settings: ConnectorSettings, resolve: Resolve
) -> tuple[int, dict[str, str], str]:
    url, given = httpx.URL(_clean(request.url)), dict(request.headers)
    if request.params:
        url = url.copy_merge_params({**request.params})
    for _ in range(settings.max_redirects + 1):
        place = await destination(str(url), request.method, settings, resolve, named=request.named)
        reply = await _asked(request, place, given, settings)
        status, headers, _text = reply
        if status not in _REDIRECTS or request.method not in _READING or "location" not in headers:
            return reply
        before, url = url, url.join(_clean(headers["location"]))
        if (url.scheme, url.host, url.port) != (before.scheme, before.host, before.port):
            given = {}  # what was meant for one host is not told to another
    # pyrefly: ignore[unbound-name]
    raise LimitExceeded("connector_redirects", host=place.host, limit=settings.max_redirects)


async def _asked(
    request: Request, place: Destination, given: Mapping[str, str], settings: ConnectorSettings
) -> tuple[int, dict[str, str], str]:
    headers = httpx.Headers({"Accept": "*/*", "User-Agent": "sanbo"})
    headers.update(given)
    # These win, however a plan spells them.
    for name, variable in place.rules.headers.items():
        headers[name] = secret_value(variable)
    headers["Host"] = place.url.netloc.decode("ascii")
    # A few bytes could unpack to gigabytes: nothing is unpacked.
    headers["Accept-Encoding"] = "identity"
    headers["Idempotency-Key"] = hashlib.sha256(request.key.encode()).hexdigest()
    client = httpx.AsyncClient(
        verify=_tls(), trust_env=False, timeout=httpx.Timeout(None, connect=CONNECT_SECONDS)
    )
    failure: SanboError | None = None
    async with client:
        for address in place.addresses:
            asked = client.build_request(
                request.method,
                place.url.copy_with(host=str(address), fragment=None),
                headers=headers,
                content=request.content or None,
                extensions={"sni_hostname": place.host},
            )
            try:
                return await _read(client, asked, place.host, settings)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failure = _unreachable(place.host, error)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise _unreachable(place.host, error) from None
    assert failure is not None
    raise failure


async def _read(
    client: httpx.AsyncClient, asked: httpx.Request, host: str, settings: ConnectorSettings
) -> tuple[int, dict[str, str], str]:
    reply = await client.send(asked, stream=True)
    try:
        if reply.headers.get("content-encoding", "identity") != "identity":
            raise ProviderFailed("connector_reply_packed", host=host, recoverable=False)
        body = bytearray()
        async for part in reply.aiter_raw():
            body += part
            if len(body) > settings.max_response_mb * _MB:
                raise LimitExceeded(
                    "connector_reply_large", host=host, limit=settings.max_response_mb
                )
    finally:
        await reply.aclose()
    try:
        text = body.decode(reply.charset_encoding or "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    headers = {name: value for name, value in reply.headers.items() if name not in _HIDDEN}
    return reply.status_code, headers, text


def _unreachable(host: str, error: Exception) -> ProviderFailed:
    reason = redact(" ".join(str(error).split())[:300]) or type(error).__name__
    return ProviderFailed("connector_unreachable", host=host, reason=reason)


def _is_header(name: str, value: str) -> bool:
    is_name = bool(name) and all(
        each.isascii() and (each.isalnum() or each in "-_") for each in name
    )
    return is_name and all(" " <= each <= "~" for each in value)


def _clean(url: str) -> str:
    try:
        httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise InvalidInput("connector_url_invalid", url=url[:200]) from None
    return url


def _host(url: str) -> str:
    return httpx.URL(url).host
