"""How long a request's body may take: a peer that stops in the middle of it is let go."""

import asyncio

from starlette.types import Message, Receive

from sanbo.api.problems import Refused
from sanbo.kernel.problems import TimedOut

STALLED_SECONDS = 30.0
BYTES_A_SECOND = 1024
"""Slower than that, after the first half minute, is no line but somebody who holds us up."""
REQUEST_TIMEOUT = 408


def in_time(receive: Receive) -> Receive:
    """Only the time that is spent waiting counts, so what we take ourselves is nobody's fault."""
    taken, waited, is_whole = 0, 0.0, False

    async def receive_in_time() -> Message:
        nonlocal taken, waited, is_whole
        if is_whole:
            return await receive()
        loop = asyncio.get_running_loop()
        began = loop.time()
        patience = min(STALLED_SECONDS, STALLED_SECONDS + taken / BYTES_A_SECOND - waited)
        try:
            async with asyncio.timeout(patience):
                message = await receive()
        except TimeoutError:
            is_whole = True  # whoever asks again waits for the end of the connection
            closing = {"Connection": "close"}
            raise Refused(TimedOut("api_request_stalled"), REQUEST_TIMEOUT, closing) from None
        waited += loop.time() - began
        taken += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        return message

    return receive_in_time
