"""The guard around the server: hosts, origins, headers, the login page, WebSockets."""

import re

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from sanbo.api.login import Attempts, local_path
from sanbo.api.security import STRICT_POLICY, UI_POLICY
from tests.unit.api.serving import Server, settled, start
from tests.unit.api.test_problems import check

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

# ---- hosts and origins ----


@pytest.mark.parametrize("host", ["localhost", "localhost:9999", "127.0.0.1", "[::1]:8501"])
def test_loopback_answers_to_names_of_this_machine(local: Server, host: str) -> None:
    with local.client(Host=host) as client:
        assert client.get("/api/v1/runs").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:8501", "localhost.evil.example", "127.0.0.1.evil.example",
        "localhost@evil.example", "192.168.0.7", "", "localhost:port", "[::1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/api/v1/runs", "/api/v1/health", "/"])
def test_loopback_refuses_foreign_names(local: Server, host: str, path: str) -> None:
    with local.client(Host=host) as client:
        check(client.get(path), 403, "PERMISSION_DENIED")


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://localhost"},
    {"Origin": "file://"},
    {"Sec-Fetch-Site": "cross-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_changes_from_other_sites_are_refused(
    local: Server, guarded: Server, headers: dict[str, str]
) -> None:
    for server, who in ((local, ""), (guarded, "aoki")):
        with server.client(who, **headers) as client:
            before = len(client.get("/api/v1/runs").json()["runs"])
            response = client.post("/api/v1/runs", json={"workflow": "ledger"})
            check(response, 403, "PERMISSION_DENIED")
            assert len(client.get("/api/v1/runs").json()["runs"]) == before
            check(client.post("/login", data={"token": "x"}), 403, "PERMISSION_DENIED")


def test_changes_from_our_own_pages_are_taken(local: Server) -> None:
    with local.client(Origin=local.url, **{"Sec-Fetch-Site": "same-origin"}) as client:
        assert start(client, "ledger", entries=1)
    proxied = {"Host": "localhost", "Origin": "https://localhost"}
    with local.client(**proxied) as client:  # a proxy that ends TLS in front of us
        assert start(client, "ledger", entries=1)


def test_no_other_origin_is_ever_permitted(local: Server) -> None:
    preflight = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    with local.client() as client:
        for response in (
            client.options("/api/v1/runs", headers=preflight),
            client.get("/api/v1/runs", headers={"Origin": "https://evil.example"}),
            client.get("/", headers={"Origin": "https://evil.example"}),
        ):
            assert not [name for name in response.headers if name.startswith("access-control")]
        assert client.options("/api/v1/runs", headers=preflight).status_code == 405


# ---- headers ----


def test_every_kind_of_response_has_security_headers(local: Server, guarded: Server) -> None:
    with local.client() as client, guarded.client() as stranger:
        run_id = settled(client, start(client, "papers")["run_id"])["run_id"]
        artifact = client.get(f"/api/v1/runs/{run_id}/artifacts").json()["artifacts"][0]
        responses = [
            client.get("/api/v1/health"),
            client.get(f"/api/v1/runs/{run_id}/events"),
            client.get(f"/api/v1/runs/{run_id}/artifacts/{artifact['artifact_id']}"),
            client.get("/api/v1/nothing"),
            client.get("/nothing"),
            client.get("/"),
            client.get("/broken"),
            client.get("/api/docs"),
            client.post("/api/v1/runs", content=b"x"),
            client.get("/api/v1/health", headers={"Host": "evil.example"}),
            client.delete(f"/api/v1/runs/{run_id}"),
            stranger.get("/api/v1/runs"),
            stranger.get("/", headers=BROWSER),
            stranger.get("/login"),
            stranger.post("/login", data={"token": "wrong"}),
        ]
    for response in responses:
        headers = response.headers
        assert headers["x-content-type-options"] == "nosniff", response.url
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-frame-options"] in ("DENY", "SAMEORIGIN")
        assert "frame-ancestors" in headers["content-security-policy"]
        assert "microphone=()" in headers["permissions-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers
        assert "http" not in headers["content-security-policy"]


def test_the_api_is_strict_and_the_interface_can_live(local: Server) -> None:
    with local.client() as client:
        assert client.get("/api/v1/runs").headers["content-security-policy"] == STRICT_POLICY
        assert client.get("/api/v1/runs").headers["cache-control"] == "no-store"
        assert client.get("/").headers["content-security-policy"] == UI_POLICY


# ---- the login page ----


def test_a_browser_logs_in_and_out(guarded: Server) -> None:
    with guarded.client(**BROWSER) as browser:
        sent_to = browser.get("/?run=1&tab=b")
        assert sent_to.status_code == 303
        assert sent_to.headers["location"] == "/login?next=%2F%3Frun%3D1%26tab%3Db"
        form = browser.get(sent_to.headers["location"])
        assert form.status_code == 200
        assert 'value="/?run=1&amp;tab=b"' in form.text
        answer = {"token": f" {guarded.tokens['aoki']} ", "next": "/?run=1&tab=b"}
        logged_in = browser.post("/login", data=answer, headers={"Origin": guarded.url})
        assert logged_in.status_code == 303
        assert logged_in.headers["location"] == "/?run=1&tab=b"
        cookie = logged_in.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Path=/" in cookie
        assert "Secure" not in cookie  # plain http here
        assert browser.get("/").text == "<p>workbench</p>"
        assert start(browser, "ledger", entries=1)["owner"] == "aoki"
        logged_out = browser.post("/logout")
        assert (logged_out.status_code, logged_out.headers["location"]) == (303, "/login")
        assert browser.get("/").status_code == 303


def test_the_cookie_is_secure_behind_https(guarded: Server) -> None:
    with guarded.client(Origin=guarded.url.replace("http://", "https://")) as browser:
        response = browser.post("/login", data={"token": guarded.tokens["aoki"]})
    assert "Secure" in response.headers["set-cookie"]


def test_a_bearer_token_counts_before_the_cookie(guarded: Server) -> None:
    with guarded.client("baba", Cookie=f"sanbo_token={guarded.tokens['aoki']}") as client:
        assert start(client, "ledger", entries=1)["owner"] == "baba"


@pytest.mark.parametrize(
    "aim",
    [
        "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example",
        "javascript:alert(1)", "/ok\r\nSet-Cookie: a=b", "/\t/evil.example", "evil", "",
        "/" + "a" * 3000,
    ],
)  # fmt: skip
def test_the_login_leads_nowhere_else(guarded: Server, aim: str) -> None:
    assert local_path(aim) == "/"
    with guarded.client() as browser:
        form = browser.get("/login", params={"next": aim})
        assert 'name="next" value="/"' in form.text
        answer = {"token": guarded.tokens["aoki"], "next": aim}
        assert browser.post("/login", data=answer).headers["location"] == "/"
    with httpx.Client(base_url=guarded.url, headers=BROWSER) as browser:
        refused = browser.get(f"{guarded.url}//evil.example/")
        assert refused.headers["location"] == "/login?next=%2F"


def test_a_link_from_another_site_first_comes_back_as_our_own(guarded: Server) -> None:
    """Browsers hold a strict cookie back on such a link, though its owner is logged in."""
    with guarded.client(**BROWSER, **{"Sec-Fetch-Site": "cross-site"}) as browser:
        response = browser.get("/?run=1")
    assert response.status_code == 200
    assert '<meta http-equiv="refresh" content="0;url=/?run=1">' in response.text


def test_the_login_page_needs_nothing_from_outside(guarded: Server) -> None:
    with guarded.client() as browser:
        english = browser.get("/login").text
        japanese = browser.get("/login", headers={"Accept-Language": "ja"}).text
    assert '<html lang="en">' in english
    assert "アクセストークン" in japanese
    assert "width=device-width" in japanese
    for page in (english, japanese):
        assert not re.search(r"(src|href|url)\s*[=(]\s*['\"]?(https?:)?//", page)
        assert "<script" not in page


def test_a_wrong_token_shows_the_page_again_and_too_many_must_wait(guarded: Server) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.9"}  # a client of its own
    with guarded.client(**forwarded) as browser:
        for _ in range(Attempts.FREE):
            response = browser.post("/login", data={"token": "wrong", "next": "/x"})
            assert response.status_code == 401
            assert "The access token is not valid." in response.text
            assert 'value="/x"' in response.text
            assert "set-cookie" not in response.headers
        waiting = browser.post("/login", data={"token": "wrong again"})
        assert waiting.status_code == 429
        assert int(waiting.headers["retry-after"]) >= 1
        assert "wait" in waiting.text
        right = browser.post("/login", data={"token": guarded.tokens["aoki"]})
        assert right.status_code == 303  # others at the same address are not locked out
    with guarded.client() as other:
        answer = {"token": guarded.tokens["aoki"]}
        assert other.post("/login", data=answer).status_code == 303
        assert other.post("/login", content=b"token=" + b"x" * 100_000).status_code == 401


def test_attempts_wait_twice_as_long_each_time_up_to_a_minute() -> None:
    now = 0.0
    attempts = Attempts(clock=lambda: now)
    waits: list[float] = []
    for _ in range(12):
        attempts.failed("a")
        waits.append(attempts.wait_seconds("a"))
    assert waits[:7] == [0, 0, 1, 2, 4, 8, 16]
    assert waits[-1] == 60
    assert attempts.wait_seconds("b") == 0
    now = 61.0
    assert attempts.wait_seconds("a") == 0
    now = 61.0 + Attempts.FORGOTTEN_SECONDS
    attempts.failed("a")
    assert attempts.wait_seconds("a") == 0


def test_attempts_are_kept_for_a_bounded_number_of_clients() -> None:
    attempts = Attempts(clock=lambda: 0.0)
    for number in range(Attempts.MAX_CLIENTS + 50):
        attempts.failed(str(number))
    assert len(attempts._wrong) == Attempts.MAX_CLIENTS


# ---- WebSockets ----


def test_a_websocket_of_our_own_page_is_accepted(local: Server, guarded: Server) -> None:
    token = guarded.tokens["aoki"]
    for server, headers in (
        (local, {}),
        (local, {"Origin": local.url}),
        (guarded, {"Cookie": f"sanbo_token={token}", "Origin": guarded.url}),
        (guarded, {"Authorization": f"Bearer {token}"}),
    ):
        with connect(server.websocket_url, additional_headers=headers) as socket:
            socket.send("こんにちは")
            assert socket.recv() == "こんにちは"


def test_a_websocket_without_a_token_or_from_another_site_is_refused(
    local: Server, guarded: Server
) -> None:
    cookie = f"sanbo_token={guarded.tokens['aoki']}"
    for server, headers in (
        (guarded, {}),
        (guarded, {"Cookie": "sanbo_token=wrong"}),
        (guarded, {"Cookie": cookie, "Origin": "https://evil.example"}),
        (local, {"Origin": "https://evil.example"}),
        (local, {"Origin": "null"}),
        (local, {"Sec-Fetch-Site": "cross-site"}),
    ):
        with pytest.raises(InvalidStatus) as refused:
            connect(server.websocket_url, additional_headers=headers)
        assert refused.value.response.status_code == 403
