"""Connections that became WebSockets: they may rest, but not leave what was sent to them."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from websockets.asyncio.client import connect

from sanbo.api.sockets import TimedHttp, TimedWebSocket

PATIENCE = 30.0


class _Hasty(TimedHttp):
    header_seconds = 0.2


class _Stern(TimedWebSocket):
    stalled_seconds = 0.3


class _Line:
    """Answers every message, a thousand times as long where it is asked to."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            return
        await receive()
        await send({"type": "websocket.accept"})
        try:
            while (message := await receive())["type"] == "websocket.receive":
                times = 1_000_000 if message["text"] == "長く" else 1
                await send({"type": "websocket.send", "text": message["text"] * times})
        finally:
            self.ended.set()


@asynccontextmanager
async def _served(line: _Line) -> AsyncGenerator[int]:
    config = uvicorn.Config(line, port=0, http=_Hasty, ws=_Stern, lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await serving


def test_a_websocket_outlives_the_time_for_headers() -> None:
    async def talked() -> str:
        async with _served(_Line()) as port, connect(f"ws://127.0.0.1:{port}") as line:
            await asyncio.sleep(4 * _Hasty.header_seconds)
            await line.send("まだいます")
            return str(await line.recv())

    assert asyncio.run(talked()) == "まだいます"


def test_a_websocket_that_takes_nothing_is_given_up() -> None:
    async def stuck() -> None:
        line = _Line()
        async with _served(line) as port:
            connection = socket.create_connection(("127.0.0.1", port))
            # From now on nobody reads what comes.
            async with connect(
                f"ws://127.0.0.1:{port}",
                sock=connection,
                max_queue=1,
                max_size=None,
                compression=None,
            ) as client:
                for _ in range(4):
                    await client.send("長く")
                await asyncio.wait_for(line.ended.wait(), PATIENCE)
                client.transport.abort()

    asyncio.run(stuck())
