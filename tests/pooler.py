"""A pooler as PgBouncer is in transaction mode, at its harshest: no transaction of a client meets
the connection of the one before. What a client leaves in it is not there in the next."""

import asyncio
import itertools
import struct
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

SERVERS = 3
"""For each client."""
_NO_ENCRYPTION = {80877103, 80877104}
_READY, _IDLE = b"Z", b"I"


async def _message(reader: StreamReader) -> tuple[bytes, bytes]:
    """Its kind, and all of it."""
    head = await reader.readexactly(5)
    return head[:1], head + await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)


class _Client:
    def __init__(self, reader: StreamReader, writer: StreamWriter, socket: Path) -> None:
        self._reader, self._writer, self._socket = reader, writer, socket

    async def serve(self) -> None:
        startup = await self._startup()
        servers = [await asyncio.open_unix_connection(self._socket) for _ in range(SERVERS)]
        try:
            for position, (reader, writer) in enumerate(servers):
                writer.write(startup)
                kind = b""
                while kind != _READY:
                    kind, message = await _message(reader)
                    if position == 0:
                        self._writer.write(message)
            await self._transactions(servers)
        finally:
            for _, writer in servers:
                writer.close()
            self._writer.close()

    async def _startup(self) -> bytes:
        while True:
            length = await self._reader.readexactly(4)
            rest = await self._reader.readexactly(struct.unpack("!I", length)[0] - 4)
            if struct.unpack("!I", rest[:4])[0] not in _NO_ENCRYPTION:
                return length + rest
            self._writer.write(b"N")

    async def _transactions(self, servers: list[tuple[StreamReader, StreamWriter]]) -> None:
        for reader, writer in itertools.cycle(servers):
            _, message = await _message(self._reader)
            writer.write(message)
            asking = asyncio.create_task(self._hand_on(writer))
            try:
                while True:
                    kind, answer = await _message(reader)
                    self._writer.write(answer)
                    if kind == _READY and answer[5:] == _IDLE:
                        break
            finally:
                asking.cancel()
                with suppress(asyncio.CancelledError, asyncio.IncompleteReadError):
                    await asking

    async def _hand_on(self, writer: StreamWriter) -> None:
        while True:
            writer.write(await _whole(self._reader))


async def _whole(reader: StreamReader) -> bytes:
    """Cancelled only between messages: what has begun to come is read."""
    first = await reader.readexactly(1)
    return first + await asyncio.shield(asyncio.ensure_future(_rest(reader)))


async def _rest(reader: StreamReader) -> bytes:
    length = await reader.readexactly(4)
    return length + await reader.readexactly(struct.unpack("!I", length)[0] - 4)


@contextmanager
def pooled(socket: Path) -> Generator[int]:
    """The port on loopback of a pooler before the server with this socket."""
    loop, started, ports = asyncio.new_event_loop(), threading.Event(), list[int]()

    clients = set[asyncio.Task[None]]()

    async def accept(reader: StreamReader, writer: StreamWriter) -> None:
        clients.add(asyncio.ensure_future(_Client(reader, writer, socket).serve()))

    async def serve() -> None:
        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        started.set()
        with suppress(asyncio.CancelledError):
            await server.serve_forever()
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)

    task = loop.create_task(serve())
    thread = threading.Thread(target=loop.run_until_complete, args=(task,), daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(10)
