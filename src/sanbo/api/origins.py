"""Where a request comes from: not from a web page of somebody else.

A page on any site can make a browser send requests to this server. Three things stop it: on
loopback only this machine's own names are answered (a foreign name that points here is DNS
rebinding), whatever changes state must come from our own pages, and no CORS header permits more.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers

from sanbo.kernel.problems import PermissionDenied
from sanbo.service.access import is_loopback

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_PORTS = {"http": 80, "https": 443}


def check_host(headers: Headers) -> None:
    """That the caller knows this server by a name of this machine."""
    host = headers.get("host", "")
    place = _place("http", host)
    if place is None or not is_loopback(place[0]):
        raise PermissionDenied("api_host_refused", host=host[:200])


def check_origin(headers: Headers) -> None:
    """That a browser, if it is one, sends this from a page of ours."""
    origin = headers.get("origin")
    if origin is not None and not _same_place(origin, headers.get("host", "")):
        raise PermissionDenied("api_origin_refused", origin=origin[:200])
    if headers.get("sec-fetch-site") == "cross-site":
        raise PermissionDenied("api_origin_refused", origin=origin or "cross-site")


def _same_place(origin: str, host: str) -> bool:
    """By name and port alone: behind a proxy that ends TLS, we do not know our own scheme."""
    scheme, _, rest = origin.partition("://")
    ours = _place(scheme, host)
    return scheme in _PORTS and ours is not None and _place(scheme, rest) == ours


def _place(scheme: str, netloc: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(f"//{netloc}")
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or parts.netloc != netloc or "@" in netloc:
        return None
    return parts.hostname, port if port is not None else _PORTS.get(scheme, 0)
