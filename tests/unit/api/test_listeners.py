"""Who connects and does not go on costs nobody anything: not its reading, nor its writing."""

import json
import socket
import time
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sanbo.api import events, security
from sanbo.api.sockets import TimedHttp
from sanbo.service.feed import Shared
from tests.unit.api.serving import (
    ENVIRONMENT,
    PATIENCE,
    Server,
    serving,
    settled,
    start,
    wait_until,
)
from tests.unit.api.test_problems import check

LONG = 3_000_000
"""More than a connection holds by itself."""


class Impatient(TimedHttp):
    header_seconds = 0.4
    stalled_seconds = 0.4


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    workspace = tmp_path_factory.mktemp("impatient") / "workspace"
    settings = ENVIRONMENT | {"SANBO_SERVER__MAX_STREAMS": "3"}
    with serving(workspace, requires_token=False, http=Impatient, environment=settings) as server:
        yield server


@contextmanager
def raw(server: Server, sent: bytes = b"") -> Generator[socket.socket]:
    """A connection that does only what it is told."""
    host, port = server.host.split(":")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE)
        connection.connect((host, int(port)))
        connection.sendall(sent)
        yield connection


def request(server: Server, line: str, *headers: str) -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: {server.host}", *headers, "", ""]).encode()


def start_as(client: httpx.Client, bearer: dict[str, str]) -> str:
    body = {"workflow": "ledger", "input": {"entries": 1}}
    return client.post("/api/v1/runs", json=body, headers=bearer).json()["run_id"]


def rest_of(connection: socket.socket) -> bytes:
    """Everything until the other side has ended it."""
    received = b""
    with suppress(ConnectionResetError):
        while piece := connection.recv(1 << 16):
            received += piece
    return received


def test_a_listener_that_does_not_read_is_let_go_and_can_come_back(impatient: Server) -> None:
    with impatient.client() as client:
        run = start(client, "papers", text="長" * (LONG // 3))
        run_id = settled(client, run["run_id"])["run_id"]
        asked = request(impatient, f"GET /api/v1/runs/{run_id}/events")
        with raw(impatient, asked) as stuck, raw(impatient, asked) as another:
            wait_until(lambda: impatient.readers() == 2)
            wait_until(lambda: impatient.readers() == 0)
            assert len(impatient.workbench.streams) == 0
            for connection in (stuck, another):
                assert len(rest_of(connection)) < LONG
        # What it had not taken is there for whoever comes back.
        resumed = client.get(f"/api/v1/runs/{run_id}/events", headers={"Last-Event-ID": "1"})
    assert "id: 1\r\n" not in resumed.text
    assert "event: run_complete" in resumed.text


def test_a_large_event_arrives_whole_with_signs_of_life_around_it(local: Server) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "papers", text="長" * 300_000)["run_id"])["run_id"]
        messages = client.get(f"/api/v1/runs/{run_id}/events").text.split("\r\n\r\n")
        recorded = client.get(f"/api/v1/runs/{run_id}/journal").text.splitlines()
    data = [each.partition("data: ")[2] for each in messages if "data: " in each]
    assert data == recorded


def test_an_event_is_not_written_out_anew_for_each_who_reads_it(
    local: Server, waiting_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: Counter[int | None] = Counter()
    write = events._frame

    def counted(shared: Shared, data: bytes) -> bytes:
        written[shared.event.seq] += 1
        return write(shared, data)

    monkeypatch.setattr(events, "_frame", counted)
    address = f"/api/v1/runs/{waiting_run['run_id']}/events"
    with ExitStack() as stack:
        client = stack.enter_context(local.client())
        before = local.readers()
        streams = [stack.enter_context(client.stream("GET", address)) for _ in range(8)]
        lines = [each.iter_lines() for each in streams]
        for each in lines:
            assert any(line == "event: interaction_open" for line in each)
        assert local.readers() == before + 8
        client.post(f"/api/v1/runs/{waiting_run['run_id']}/answer", json={"approved": True})
        for each in lines:
            assert any(line == "event: run_complete" for line in each)
    first_live = max(seq for seq in written if seq is not None)
    assert first_live > 3
    # Of what is new, and of a page of the journal where somebody was late: not once for each of 8.
    assert max(written[seq] for seq in written if seq is not None) <= 2


def test_one_caller_has_no_more_streams_than_allowed(impatient: Server) -> None:
    with ExitStack() as stack:
        client = stack.enter_context(impatient.client())
        run_id = settled(client, start(client, "expenses", title="出張")["run_id"])["run_id"]
        address = f"/api/v1/runs/{run_id}/events"
        streams = [stack.enter_context(client.stream("GET", address)) for _ in range(3)]
        refused = client.get(address)
        check(refused, 429, "RESOURCE_LIMIT")
        assert int(refused.headers["retry-after"]) > 0
        # Another caller has streams of its own.
        token = impatient.workbench.access.create_token("chiba")
        bearer = {"Authorization": f"Bearer {token}"}
        theirs = start_as(client, bearer)
        assert client.get(f"/api/v1/runs/{theirs}/events", headers=bearer).status_code == 200
        streams[0].close()
        wait_until(lambda: len(impatient.workbench.streams) == 2)
        with client.stream("GET", address) as again:
            assert again.status_code == 200


@pytest.mark.parametrize("sent", [b"", b"GET /api/v1/health HTTP/1.1\r\nHost: local"])
def test_a_request_whose_headers_never_end_is_cut(impatient: Server, sent: bytes) -> None:
    with raw(impatient, sent) as connection:
        assert rest_of(connection) == b""


def test_headers_that_drip_are_cut_as_well(impatient: Server) -> None:
    with raw(impatient, b"GET / HTTP/1.1\r\n") as connection:
        with suppress(OSError):
            while True:
                connection.sendall(b"X-A: b\r\n")
                time.sleep(0.05)
        assert rest_of(connection) == b""


def test_a_second_request_on_a_connection_has_the_same_limit(impatient: Server) -> None:
    with raw(impatient, request(impatient, "GET /api/v1/health")) as connection:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET / HTTP/1.1\r\nX")
        assert b"HTTP/1.1" not in rest_of(connection)


@pytest.mark.parametrize("path", ["/api/v1/runs", "/api/v1/files?name=a.csv"])
@pytest.mark.parametrize("drips", [False, True])
def test_a_body_that_stalls_is_a_problem(
    impatient: Server, monkeypatch: pytest.MonkeyPatch, path: str, drips: bool
) -> None:
    monkeypatch.setattr(security, "STALLED_SECONDS", 0.4)
    asked = request(
        impatient, f"POST {path}", "Content-Type: application/json", "Content-Length: 100000"
    )
    with raw(impatient, asked + b"{") as connection:
        with suppress(OSError):
            while drips:
                connection.sendall(b" ")
                time.sleep(0.05)
        head, _, body = rest_of(connection).partition(b"\r\n\r\n")
    if drips:
        return  # it was cut while it sent: what it was told may be lost
    assert head.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in head.lower()
    assert json.loads(body)["code"] == "TIMEOUT_ERROR"


def test_who_is_refused_before_it_has_sent_everything_does_not_stay(impatient: Server) -> None:
    asked = request(impatient, "POST /api/v1/runs", "Content-Type: a/b", "Content-Length: 100000")
    with raw(impatient, asked) as connection:
        assert rest_of(connection).startswith(b"HTTP/1.1 415")


def test_the_streams_of_a_revoked_token_end(
    guarded: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "LOOK_SECONDS", 0.1)
    access = guarded.workbench.access
    guarded.tokens["doi"] = access.create_token("doi")
    with guarded.client("doi") as doi, guarded.client("aoki") as aoki:
        run_id = settled(doi, start(doi, "expenses", title="出張")["run_id"])["run_id"]
        others = settled(aoki, start(aoki, "expenses", title="出張")["run_id"])["run_id"]
        with (
            aoki.stream("GET", f"/api/v1/runs/{others}/events") as kept,
            doi.stream("GET", f"/api/v1/runs/{run_id}/events") as stream,
        ):
            lines, kept_lines = stream.iter_lines(), kept.iter_lines()
            assert next(lines)
            access.revoke_token("doi")
            access.create_token("doi")  # of the same name, but not the same
            assert not any(line == "event: run_complete" for line in lines)
            for _ in range(2):
                assert any(line.startswith(": ping") for line in kept_lines)
        assert doi.get("/api/v1/runs").status_code == 401
    access.revoke_token("doi")


def test_a_websocket_of_a_revoked_token_is_closed(
    guarded: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "LOOK_SECONDS", 0.1)
    token = guarded.workbench.access.create_token("endo")
    headers = {"Authorization": f"Bearer {token}"}
    with connect(guarded.websocket_url, additional_headers=headers) as opened:
        guarded.workbench.access.revoke_token("endo")
        with pytest.raises(ConnectionClosed) as closed:
            opened.recv(PATIENCE)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_a_long_journal_comes_in_parts_and_word_for_word(local: Server) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "ledger", entries=300)["run_id"])["run_id"]
        response = client.get(f"/api/v1/runs/{run_id}/journal")
    assert response.headers["transfer-encoding"] == "chunked"
    assert [json.loads(line)["seq"] for line in response.text.splitlines()] == list(range(1, 603))
