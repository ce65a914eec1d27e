"""A SearXNG server asked for pages of the web; what it lists is shown, and never opened."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import httpx

from sanbo.agents.grace.settings import GraceSettings
from sanbo.evidence.model import Frozen
from sanbo.kernel.markdown import one_line
from sanbo.kernel.problems import PermissionDenied, ProviderFailed, SanboError, TimedOut

SECONDS = 15.0
MOST_BYTES = 2_000_000
MOST_PAGES = 20
LONGEST_QUERY = 300
LONGEST_TITLE = 200
LONGEST_TEXT = 2_000
LONGEST_ADDRESS = 2_000


class WebPage(Frozen):
    title: str
    url: str
    text: str
    """What the search engine says of it."""


class _Unreadable(Exception):
    """Too much, or no list of pages."""


class WebSearch:
    """Off unless `grace.web_search_url` is set."""

    def __init__(self, url: str, key: str | None, *, seconds: float = SECONDS) -> None:
        parts = urlsplit(url)
        self._url = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/search", query=""))
        self._host = parts.hostname or ""
        # Packed, two million bytes may be two thousand million: only what is sent as it is is read.
        self._headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._seconds = seconds

    async def search(self, query: str) -> tuple[WebPage, ...]:
        try:
            # Redirects lead to hosts that nobody has configured, and the key would go along.
            # The limit is one for all of it: a server may send a letter a second.
            async with (
                asyncio.timeout(self._seconds),
                httpx.AsyncClient(timeout=self._seconds, follow_redirects=False) as client,
            ):
                return _pages(await self._read(client, query))
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut("grace_web_timed_out", host=self._host, seconds=self._seconds) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            # A UnicodeError quotes the header that can't be sent, which may hold the key.
            kind = {"kind": type(error).__name__}
            raise ProviderFailed("grace_web_unreachable", host=self._host, details=kind) from None
        except _Unreadable:
            raise ProviderFailed("grace_web_unreadable", host=self._host) from None

    async def _read(self, client: httpx.AsyncClient, query: str) -> bytes:
        asked = {"q": query[:LONGEST_QUERY], "format": "json"}
        read = bytearray()
        async with client.stream("GET", self._url, params=asked, headers=self._headers) as response:
            if not response.is_success:
                raise self._refusal(response.status_code)
            async for piece in response.aiter_raw():
                read += piece
                if len(read) > MOST_BYTES:
                    raise _Unreadable
        return bytes(read)

    def _refusal(self, status: int) -> SanboError:
        if status in (401, 403):
            return PermissionDenied("grace_web_refused", host=self._host, status=status)
        return ProviderFailed("grace_web_failed", host=self._host, status=status)


def web_search_of(settings: GraceSettings) -> WebSearch | None:
    if settings.web_search_url is None:
        return None
    key = settings.web_search_api_key
    return WebSearch(settings.web_search_url, key.get_secret_value() if key else None)


def _pages(body: bytes) -> tuple[WebPage, ...]:
    try:
        listed: object = json.loads(body)
    except (ValueError, RecursionError):
        raise _Unreadable from None
    if not isinstance(listed, dict):
        raise _Unreadable
    results = cast("dict[str, object]", listed).get("results")
    if not isinstance(results, list):
        raise _Unreadable
    pages = {page.url: page for page in _read_pages(cast("list[object]", results))}
    return tuple(pages.values())[:MOST_PAGES]


def _read_pages(results: list[object]) -> Iterator[WebPage]:
    for each in results:
        if not isinstance(each, dict):
            continue
        entry = cast("dict[str, Any]", each)
        url, text = _text(entry.get("url")), _text(entry.get("content"), LONGEST_TEXT)
        if text and _is_address(url):
            title = _text(entry.get("title"), LONGEST_TITLE) or url
            yield WebPage(title=title, url=url, text=text)


def _text(value: object, most: int = LONGEST_ADDRESS) -> str:
    return one_line(value, most) if isinstance(value, str) else ""


def _is_address(url: str) -> bool:
    """Shown as a link: nothing but a web page's address may be one."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
