"""Where a request may go: a host on the list, at an address that was looked up once and checked.

Names, addresses in any spelling and redirects all come through here. A name could lead elsewhere
when it is looked up a second time, so the connection goes to the address that was checked.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import httpx

from sanbo.connectors.settings import AllowedHost, ConnectorSettings
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, PermissionDenied, ProviderFailed

LONGEST_URL = 8000
_PORTS = {"https": 443, "http": 80}
_TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
"""IPv6 networks whose last 32 bits are an IPv4 address."""

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True)
class Destination:
    """An allowed host, and where it is."""

    url: httpx.URL
    host: str
    rules: AllowedHost
    addresses: tuple[Address, ...]


async def look_up(host: str, port: int) -> Sequence[str]:
    """By the machine's own resolver."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


async def destination(
    url: str,
    method: str,
    settings: ConnectorSettings,
    resolve: Resolve = look_up,
    *,
    named: AllowedHost | None = None,
) -> Destination:
    """`named`: the rules of an address that the settings themselves hold, and no plan."""
    parsed, host, port = parts(url)
    rules = named or _rules(parsed, host, port, settings)
    if method not in rules.methods:
        allowed = ", ".join(rules.methods)
        raise PermissionDenied("connector_method_refused", host=host, method=method, known=allowed)
    if parsed.scheme != "https" and not rules.plain:
        raise PermissionDenied("connector_plain_refused", host=host)
    try:
        found = await resolve(host, port)
    except (OSError, UnicodeError):
        raise ProviderFailed("connector_name_unknown", host=host) from None
    addresses = tuple(dict.fromkeys(ip_address(each.partition("%")[0]) for each in found))
    if not addresses:
        raise ProviderFailed("connector_name_unknown", host=host)
    for address in addresses:
        if not _is_allowed(address, host, rules):
            raise PermissionDenied("connector_private_refused", host=host, address=str(address))
    return Destination(parsed, host, rules, addresses)


def parts(url: str) -> tuple[httpx.URL, str, int]:
    """The address as the client itself reads it, with its host and port."""
    if len(url) > LONGEST_URL or "\\" in url or any(each.isspace() for each in url):
        raise InvalidInput("connector_url_invalid", url=url[:200])
    try:
        parsed = httpx.URL(url)
        host = parsed.raw_host.decode("ascii")
        port = parsed.port or _PORTS.get(parsed.scheme, 0)
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise InvalidInput("connector_url_invalid", url=url[:200]) from None
    is_odd = not host or "%" in host or not 0 < port < 65536
    if parsed.scheme not in _PORTS or is_odd:
        raise InvalidInput("connector_url_invalid", url=url[:200])
    if parsed.userinfo:
        raise InvalidInput("connector_url_userinfo", host=host)
    return parsed, host, port


def _rules(url: httpx.URL, host: str, port: int, settings: ConnectorSettings) -> AllowedHost:
    shown = f"[{host}]" if ":" in host else host
    is_usual = port == _PORTS[url.scheme]
    place = shown if is_usual else f"{shown}:{port}"
    for name, rules in settings.hosts.items():
        if name.casefold() == place or (is_usual and name.casefold() == f"{shown}:{port}"):
            return rules
    near = alternatives(place, settings.hosts)
    raise PermissionDenied("connector_host_refused", host=place, nearest=near)


def _is_allowed(address: Address, host: str, rules: AllowedHost) -> bool:
    inner = _meant(address)
    if inner.is_multicast or inner.is_unspecified:
        return False
    if inner.is_link_local:
        # Where clouds hand out their keys: not even by a name, only by the address itself.
        return rules.private and host == str(address)
    return inner.is_global or rules.private


def _meant(address: Address) -> Address:
    """The IPv4 address inside of an IPv6 one, as machines on the way would take it."""
    if isinstance(address, IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and address.teredo is not None:
        inner = address.teredo[1]
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if inner is None and any(address in network for network in _TRANSLATED):
        inner = low
    if inner is None and int(address) >> 32 == 0 and int(low) > 1:
        inner = low  # `::127.0.0.1`
    return inner or address
