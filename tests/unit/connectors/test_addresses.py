"""No plan reaches an address of this machine or network, however it is written."""

import asyncio
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from sanbo.connectors.addresses import Resolve, destination, look_up
from sanbo.connectors.http import Request, send
from sanbo.connectors.settings import AllowedHost, ConnectorSettings
from sanbo.kernel.messages import read_yaml
from sanbo.kernel.problems import LimitExceeded, PermissionDenied, SanboError
from tests.unit.connectors.servers import Answer, Asked, certificate_for, http_server

CORPUS: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "refused_addresses.yaml")
OPEN = AllowedHost(methods=("GET", "POST"), plain=True)
PRIVATE = AllowedHost(methods=("GET", "POST"), plain=True, private=True)


def resolving(*answers: Sequence[str]) -> Resolve:
    """Another answer each time; the last one again and again."""
    left = list(answers)

    async def resolve(host: str, port: int) -> Sequence[str]:
        _ = host, port
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


def hosts(*names: str, rules: AllowedHost = OPEN) -> ConnectorSettings:
    return ConnectorSettings(hosts=dict.fromkeys(names, rules))


def _host_of(url: str) -> list[str]:
    """As somebody would write it into the list who wanted to let it through."""
    try:
        found = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError):
        return ["good.example"]
    name = f"[{found.raw_host.decode()}]" if ":" in found.host else found.raw_host.decode()
    return [name, f"{name}:{found.port}", "good.example"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["url"] or "empty") for case in CORPUS])
def test_what_is_private_is_refused_even_where_its_name_is_on_the_list(
    case: dict[str, Any],
) -> None:
    resolve = resolving(case["at"]) if "at" in case else look_up
    for settings in (ConnectorSettings(), hosts(*_host_of(case["url"]))):
        with pytest.raises(SanboError) as refused:
            asyncio.run(destination(case["url"], "GET", settings, resolve))
        kinds = {
            "connector_url_invalid",
            "connector_url_userinfo",
            "connector_host_refused",
            "connector_private_refused",
        }
        # A resolver may not know an odd spelling at all.
        assert refused.value.problem.text_id in kinds | {"connector_name_unknown"}


def test_a_public_address_on_the_list_is_taken_and_no_other_port_method_or_scheme() -> None:
    settings = ConnectorSettings(hosts={"good.example": AllowedHost()})
    found = resolving(["93.184.216.34"])

    async def ask(url: str, method: str = "GET") -> str:
        return str((await destination(url, method, settings, found)).addresses[0])

    assert asyncio.run(ask("https://GOOD.example/x")) == "93.184.216.34"
    for url, method, reason in (
        ("https://good.example:8443/", "GET", "connector_host_refused"),
        ("https://good.example/", "POST", "connector_method_refused"),
        ("http://good.example/", "GET", "connector_plain_refused"),
        ("https://sub.good.example/", "GET", "connector_host_refused"),
        ("https://good.example.evil.example/", "GET", "connector_host_refused"),
    ):
        with pytest.raises(PermissionDenied) as refused:
            asyncio.run(ask(url, method))
        assert refused.value.problem.text_id == reason


def test_a_named_private_host_is_reached_but_never_where_clouds_keep_their_keys() -> None:
    settings = hosts("inside.example", rules=PRIVATE)
    at = asyncio.run(
        destination("http://inside.example/", "GET", settings, resolving(["10.0.0.1"]))
    )
    assert str(at.addresses[0]) == "10.0.0.1"
    for address in ("169.254.169.254", "::ffff:169.254.169.254", "0.0.0.0", "224.0.0.1"):
        with pytest.raises(PermissionDenied):
            asyncio.run(
                destination("http://inside.example/", "GET", settings, resolving([address]))
            )


def test_a_name_that_resolves_differently_the_second_time_gets_nothing() -> None:
    with http_server() as server:
        place = f"turn.example:{server.port}"
        settings = hosts(place).model_copy(update={"max_seconds": 0.5})
        with pytest.raises(SanboError):  # nobody is at the first address; the second is ours
            asyncio.run(
                send(
                    Request("GET", f"http://{place}/", "k"),
                    settings,
                    resolving(["198.51.99.1"], ["127.0.0.1"]),
                )
            )
        assert server.asked == []
        # And where the first is allowed, it is that one that is asked.
        allowed = hosts(place, rules=PRIVATE)
        turning = resolving(["127.0.0.1"], ["198.51.99.1"])
        reply = asyncio.run(send(Request("GET", f"http://{place}/", "k"), allowed, turning))
        assert (reply.status, server.asked[0].headers["host"]) == (200, place)


def test_redirects_are_checked_again_and_what_was_meant_for_one_host_stays_there() -> None:
    def away(asked: Asked) -> Answer:
        return Answer(302, headers={"Location": asked.path.partition("?to=")[2]})

    with http_server() as inside, http_server(away) as server:
        settings = ConnectorSettings(
            hosts={
                f"a.example:{server.port}": PRIVATE,
                f"b.example:{inside.port}": PRIVATE,
                f"c.example:{inside.port}": OPEN,
            }
        )
        at = resolving(["127.0.0.1"])

        def follow(target: str, method: str = "GET") -> int:
            url = f"http://a.example:{server.port}/?to={target}"
            request = Request(
                method, url, "k", headers={"X-Secret": "v", "Authorization": "Basic x"}
            )
            return asyncio.run(send(request, settings, at)).status

        for target in (
            f"http://127.0.0.1:{inside.port}/",
            f"http://c.example:{inside.port}/",
            f"http://b.example@127.0.0.1:{inside.port}/",
            "file:///etc/passwd",
            "//169.254.169.254/",
        ):
            with pytest.raises(SanboError) as refused:
                follow(target)
            assert refused.value.problem.text_id.startswith("connector_")
        assert inside.asked == []
        assert follow(f"http://b.example:{inside.port}/ok") == 200
        assert inside.asked[0].headers.keys().isdisjoint({"x-secret", "authorization"})
        assert follow(f"http://b.example:{inside.port}/ok", "POST") == 302  # told, not followed
        with pytest.raises(LimitExceeded):
            follow(f"http://a.example:{server.port}/?to=/")


def test_tls_is_for_the_name_and_the_connection_to_the_checked_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certificate_for(tmp_path, "good.example")
    trusted = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr("sanbo.connectors.http._tls", lambda: trusted)
    with http_server(certificate=certificate) as server:
        names = (f"good.example:{server.port}", f"other.example:{server.port}")
        settings = hosts(*names, rules=PRIVATE)
        at = resolving(["127.0.0.1"])
        good, other = (Request("GET", f"https://{name}/", "k", seconds=10) for name in names)
        assert asyncio.run(send(good, settings, at)).status == 200
        with pytest.raises(SanboError) as refused:
            asyncio.run(send(other, settings, at))
        assert refused.value.problem.text_id == "connector_unreachable"
