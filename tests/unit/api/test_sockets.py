"""A connection that became a WebSocket is no request whose headers never come."""

import asyncio
from typing import Any

import uvicorn
from websockets.asyncio.client import connect

from sanbo.api.sockets import TimedHttp, TimedWebSocket


class _Hasty(TimedHttp):
    header_seconds = 0.2


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


def test_a_websocket_outlives_the_time_for_headers() -> None:
    async def talked() -> str:
        config = uvicorn.Config(_echo, port=0, http=_Hasty, ws=TimedWebSocket, lifespan="off")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}") as line:
            await asyncio.sleep(4 * _Hasty.header_seconds)
            await line.send("まだいます")
            answer = await line.recv()
        server.should_exit = True
        await serving
        return str(answer)

    assert asyncio.run(talked()) == "まだいます"
