"""SSE clients that cost next to nothing: many fit in one process beside the servers they measure.

A client notes when which bytes came, and nothing else; what they say is read when all is over.
"""

import asyncio
import re
import time
from bisect import bisect_left
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from typing_extensions import override

_NUMBER = re.compile(rb"\nid: (\d+)\r\nevent: ")


@dataclass(frozen=True)
class Wish:
    """What a client asks for."""

    address: str
    """Of the server."""
    run_id: str
    after: int
    token: str = ""
    parts: bool = False

    def request(self) -> bytes:
        place = urlsplit(self.address).netloc
        query = "parts=true" if self.parts else f"after={self.after}"
        lines = [f"GET /api/v1/runs/{self.run_id}/events?{query} HTTP/1.1", f"Host: {place}"]
        lines += [f"Authorization: Bearer {self.token}"] if self.token else []
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


@dataclass
class Client(asyncio.Protocol):
    wish: Wish
    ended: asyncio.Future[None]
    _pieces: list[bytes] = field(default_factory=list[bytes])
    _ends: list[int] = field(default_factory=list[int])
    """Up to where the stream had come with each piece."""
    _times: list[float] = field(default_factory=list[float])
    _size: int = 0

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(self.wish.request())

    @override
    def data_received(self, data: bytes) -> None:
        self._times.append(time.time())
        self._pieces.append(data)
        self._size += len(data)
        self._ends.append(self._size)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    @property
    def status(self) -> int:
        """0 where nothing was answered."""
        first = self._pieces[0].split(b" ", 2) if self._pieces else ()
        return int(first[1]) if len(first) > 1 else 0

    @property
    def begins_at(self) -> float:
        """When the answer began."""
        return self._times[0] if self._times else 0.0

    def arrivals(self) -> list[tuple[int, float]]:
        """The number of every event, and when it came."""
        text = b"".join(self._pieces)
        return [
            (int(each[1]), self._times[bisect_left(self._ends, each.end())])
            for each in _NUMBER.finditer(text)
        ]


async def connect(wishes: list[Wish], at_once: int = 50) -> list[Client]:
    """A few at a time, as people come; each is connected, and has asked."""
    loop = asyncio.get_running_loop()
    gate = asyncio.Semaphore(at_once)

    async def one(wish: Wish) -> Client:
        place = urlsplit(wish.address)
        assert place.hostname is not None
        assert place.port is not None
        client = Client(wish, loop.create_future())
        async with gate:
            await loop.create_connection(lambda: client, place.hostname, place.port)
            while not client.status and not client.ended.done():
                await asyncio.sleep(0.01)
        return client

    return list(await asyncio.gather(*(one(wish) for wish in wishes)))
