"""The report as it is written: by WebSocket and by Server-Sent Events, and who is let go."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from sanbo.api.graphql.endpoint import Handler
from tests.unit.api.researching import COLLECTION, QUESTION, researched
from tests.unit.api.serving import Server, settled, start, wait_until

PROTOCOL = Subprotocol("graphql-transport-ws")
REPORT = """subscription ($id: ID!, $after: Int! = 0) { report(runId: $id, after: $after) {
  __typename
  ... on StepBegun { seq name title }
  ... on StepDone { seq step { __typename
    ... on RetrieveStep { cycle queries { text hits } passages { document relevance } }
    ... on DecideStep { enough reason stopReason } ... on AnswerStep { characters } } }
  ... on StepFailed { seq name problem { code message } }
  ... on ReportText { text soFar }
  ... on ReportDone { seq run { status result { reportMd } } }
} }"""


@pytest.fixture
def client(researching: Server) -> Generator[httpx.Client]:
    with researching.client("aoki") as opened:
        yield opened


@contextmanager
def connected(
    server: Server, who: str = "aoki", *, init: bool = True, origin: str = "", language: str = "en"
) -> Generator[ClientConnection]:
    sent = {"Accept-Language": language}
    if origin:
        sent["Origin"] = origin
    if who:
        sent["Authorization"] = f"Bearer {server.tokens[who]}"
    address = f"ws://{server.host}/graphql"
    with connect(address, additional_headers=sent, subprotocols=[PROTOCOL]) as socket:
        if init:
            socket.send('{"type": "connection_init"}')
            assert json.loads(socket.recv(10)) == {"type": "connection_ack"}
        yield socket


def subscribe(socket: ClientConnection, name: str, query: str, **variables: object) -> None:
    payload = {"query": query, "variables": variables}
    socket.send(json.dumps({"id": name, "type": "subscribe", "payload": payload}))


def updates(socket: ClientConnection, name: str = "1") -> Iterator[dict[str, Any]]:
    """Of one subscription, until it is complete."""
    while True:
        message = json.loads(socket.recv(20))
        assert message["id"] == name
        if message["type"] == "complete":
            return
        assert message["type"] == "next", message
        assert "errors" not in message["payload"], message
        yield message["payload"]["data"]["report"]


def _check(seen: list[dict[str, Any]], run: dict[str, Any]) -> None:
    kinds = [update["__typename"] for update in seen]
    assert kinds[0] == "StepBegun"
    assert kinds[-1] == "ReportDone"
    done = [each["step"]["__typename"] for each in seen if each["__typename"] == "StepDone"]
    assert done[:2] == ["RetrieveStep", "DecideStep"]
    assert done[-1] == "AnswerStep"
    seqs = [update["seq"] for update in seen if "seq" in update]
    assert seqs == sorted(set(seqs))
    assert seen[-1]["run"] == {
        "status": "SUCCEEDED",
        "result": {"reportMd": run["result"]["report_md"]},
    }


def test_a_report_is_streamed_by_websocket_as_it_is_written(
    researching: Server, client: httpx.Client
) -> None:
    with connected(researching) as socket:
        run_id = start(client, "research", question=QUESTION, collection=COLLECTION)["run_id"]
        subscribe(socket, "1", REPORT, id=run_id)
        seen = list(updates(socket))
    run = settled(client, run_id)
    _check(seen, run)
    text = ""
    for update in seen:
        if update["__typename"] == "ReportText":
            text = update["text"] if update["soFar"] else text + update["text"]
    assert "5,000円" in text
    wait_until(lambda: researching.readers() == 0)


def test_a_report_is_streamed_by_server_sent_events(
    researching: Server, client: httpx.Client
) -> None:
    run_id = start(client, "research", question=QUESTION, collection=COLLECTION)["run_id"]
    body = {"query": REPORT, "variables": {"id": run_id}}
    events = {"Accept": "text/event-stream"}
    with client.stream("POST", "/graphql", json=body, headers=events) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in stream.iter_lines() if line and not line.startswith(":")]
    assert lines[-2:] == ["event: complete", "data: "]
    sent = [json.loads(line.removeprefix("data: ")) for line in lines[1:-2:2]]
    _check([each["data"]["report"] for each in sent], settled(client, run_id))
    wait_until(lambda: researching.readers() == 0)


def test_who_comes_back_gets_what_was_missed_and_nothing_twice(
    researching: Server, client: httpx.Client
) -> None:
    run = researched(client)
    with connected(researching) as socket:
        subscribe(socket, "1", REPORT, id=run["run_id"])
        whole = list(updates(socket))
        middle = whole[2]["seq"]
        subscribe(socket, "2", REPORT, id=run["run_id"], after=middle)
        rest = list(updates(socket, "2"))
        subscribe(socket, "3", REPORT, id=run["run_id"], after=10_000)
        assert list(updates(socket, "3")) == []
    assert rest == [each for each in whole if each["seq"] > middle]


def test_queries_and_mutations_work_on_a_connection_too(researching: Server) -> None:
    with connected(researching) as socket:
        subscribe(socket, "q", "{ collections { name } }")
        answer = json.loads(socket.recv(10))
        assert {"name": COLLECTION} in answer["payload"]["data"]["collections"]
        assert json.loads(socket.recv(10)) == {"id": "q", "type": "complete"}


def test_somebody_elses_run_is_not_followed(researching: Server, client: httpx.Client) -> None:
    run = researched(client)
    papers = settled(client, start(client, "papers")["run_id"])
    for who, run_id in (("baba", run["run_id"]), ("aoki", papers["run_id"]), ("aoki", "run_x")):
        with connected(researching, who, language="ja") as socket:
            subscribe(socket, "1", REPORT, id=run_id)
            message = json.loads(socket.recv(10))
            errors = (
                message["payload"]["errors"] if message["type"] == "next" else message["payload"]
            )
            assert errors[0]["extensions"]["code"] == "NOT_FOUND"
            assert "見つかりません" in errors[0]["message"]


def test_a_client_that_goes_away_is_no_longer_fed(
    researching: Server, client: httpx.Client
) -> None:
    run_id = settled(client, start(client, "expenses", title="出張")["run_id"])["run_id"]
    body = {"query": REPORT, "variables": {"id": run_id}}
    # A run that waits for a person is followed for as long as somebody looks; only research may be
    # looked at here, so it is called one.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sanbo.service.research.RESEARCH", "expenses")
        with connected(researching) as socket:
            subscribe(socket, "1", REPORT, id=run_id)
            subscribe(socket, "2", REPORT, id=run_id)
            wait_until(lambda: researching.readers() == 2)
            socket.send('{"id": "1", "type": "complete"}')
            wait_until(lambda: researching.readers() == 1)
        wait_until(lambda: researching.readers() == 0)
        events = {"Accept": "text/event-stream"}
        with client.stream("POST", "/graphql", json=body, headers=events) as stream:
            lines = stream.iter_lines()  # held: one that is let go of ends its connection
            next(lines)
            wait_until(lambda: researching.readers() == 1)
        wait_until(lambda: researching.readers() == 0)


# ---- who is let in, and for how long ----


def test_nobody_connects_without_a_token_or_from_another_site(researching: Server) -> None:
    with pytest.raises(InvalidStatus), connected(researching, who=""):
        pass
    for origin in ("https://evil.example", "null"):
        with pytest.raises(InvalidStatus), connected(researching, origin=origin):
            pass
    with connected(researching, origin=researching.url):
        pass
    with connected(researching, origin=f"https://{researching.host}"):
        pass  # behind a proxy that ends TLS


def test_another_protocol_is_refused(researching: Server) -> None:
    token = {"Authorization": f"Bearer {researching.tokens['aoki']}"}
    with (
        connect(
            f"ws://{researching.host}/graphql",
            additional_headers=token,
            subprotocols=[Subprotocol("graphql-ws")],
        ) as socket,
        pytest.raises(ConnectionClosed),
    ):
        socket.recv(10)


@pytest.mark.parametrize(
    "message",
    [
        "x",
        "[]",
        "null",
        '{"type": 5}',
        '{"type": "nonsense"}',
        '{"type": "subscribe"}',
        '{"type": "subscribe", "id": [1], "payload": {"query": "{ __typename }"}}',
        '{"type": "subscribe", "id": "1", "payload": null}',
        '{"type": "subscribe", "id": "1", "payload": {"query": 5}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{a}", "variables": [1]}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "' + "{a" * 5000 + '"}}',
        '{"type": "complete", "id": {}}',
        '{"type": "connection_init", "payload": []}',
        b"\x00\xff",
    ],
)
def test_a_message_that_is_none_ends_the_connection_and_nothing_else(
    researching: Server, message: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(researching) as socket:
        socket.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(10)
    assert closed.value.rcvd is not None
    assert 4400 <= closed.value.rcvd.code < 4500
    assert not caplog.records


def test_who_subscribes_before_the_greeting_is_refused(researching: Server) -> None:
    with connected(researching, init=False) as socket:
        subscribe(socket, "1", "{ __typename }")
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_who_neither_asks_nor_listens_is_let_go(
    researching: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handler, "idle_seconds", 0.2)
    with connected(researching) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4408


def test_one_caller_has_no_more_connections_than_allowed(
    researching: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(researching.workbench.streams, "most_of_one", 1)
    with connected(researching, "baba"):
        with pytest.raises(InvalidStatus), connected(researching, "baba"):
            pass
        with connected(researching, "aoki"):
            pass


def test_a_stream_too_many_is_refused(researching: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(researching.workbench.streams, "most_of_one", 1)
    with (
        researching.client("baba", Accept="text/event-stream") as baba,
        connected(researching, "baba"),
    ):
        refused = baba.post("/graphql", json={"query": REPORT, "variables": {"id": "run_x"}})
    assert (refused.status_code, refused.json()["code"]) == (429, "RESOURCE_LIMIT")
