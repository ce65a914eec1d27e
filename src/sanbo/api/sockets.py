"""Connections that make no headway are cut: requests that never end, answers that nobody takes.

Uvicorn limits how long a connection rests between two requests, and nothing else. A peer that
begins a request and stops, or asks for a stream and never reads, would keep what it occupies for
ever: even a connection that the server has closed stays open until what is left for it is taken.
"""

import asyncio
import socket
from typing import Any

from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

UNSENT_BYTES = 1 << 17
"""What the system may hold of an answer beyond what is on its way to the peer; left to itself, it
takes megabytes for everyone who never reads."""


class _Outgoing(asyncio.Protocol):
    """Cuts a connection whose peer has taken nothing of what waits for it for a while."""

    stalled_seconds = 30.0
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stall: asyncio.TimerHandle | None = None

    @override
    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_headway()

    @override
    def resume_writing(self) -> None:
        super().resume_writing()
        self._be_patient()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._be_patient()
        super().connection_lost(exc)

    def _expect_headway(self) -> None:
        if self._stall is None:
            waiting = self.transport.get_write_buffer_size()
            self._stall = self.loop.call_later(self.stalled_seconds, self._look, waiting)

    def _look(self, waited: int) -> None:
        self._stall = None
        if 0 < self.transport.get_write_buffer_size() < waited:
            self._expect_headway()  # slow, but reading: a large download, say
        else:
            self.transport.abort()  # closing it would wait for the peer

    def _be_patient(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None


class TimedHttp(_Outgoing, H11Protocol):
    header_seconds = 20.0
    """From the first sign of a request until all its headers are there."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._headers_due: asyncio.TimerHandle | None = None

    @override
    # pyrefly: ignore[bad-override]
    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        connection = transport.get_extra_info("socket")
        if hasattr(socket, "TCP_NOTSENT_LOWAT") and connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)
        self._expect_headers()

    @override
    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            return  # it has become a WebSocket, which another protocol looks after
        if self.cycle is not before:
            self._headers_have_come()
            self._be_patient()  # the answer before this one has arrived, or it would not ask
        elif self.cycle is None or (self.cycle.response_complete and not self.cycle.more_body):
            self._expect_headers()

    def _expect_headers(self) -> None:
        if self._headers_due is None:
            self._headers_due = self.loop.call_later(self.header_seconds, self.transport.abort)

    def _headers_have_come(self) -> None:
        if self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None

    @override
    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing() or self.cycle.more_body:
            self._expect_headway()

    @override
    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._expect_headway()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._headers_have_come()
        super().connection_lost(exc)

    @override
    def handle_websocket_upgrade(self, event: Any) -> None:
        self._headers_have_come()
        super().handle_websocket_upgrade(event)


class TimedWebSocket(_Outgoing, WebSocketsSansIOProtocol):
    """Only what goes out is watched: between two messages a WebSocket may rest."""
