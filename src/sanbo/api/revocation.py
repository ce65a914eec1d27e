"""What a token has opened ends with it: streams and WebSockets of a revoked one are let go."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from starlette.types import Message, Receive, Scope

from sanbo.service.access import Access, Caller

logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0


class Revocations:
    """Looks, while requests of bearers are under way, whether their tokens still stand."""

    def __init__(self, get_access: Callable[[], Access]) -> None:
        self._get_access = get_access
        self._under_way: Counter[str] = Counter()
        self._revoked: dict[str, asyncio.Event] = {}
        self._looking: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watched(self, caller: Caller) -> AsyncGenerator[asyncio.Event]:
        """The event is set when the caller's token is revoked."""
        token = caller.token_hash
        self._under_way[token] += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield self._revoked.setdefault(token, asyncio.Event())
        finally:
            self._under_way[token] -= 1
            if not self._under_way[token]:
                del self._under_way[token], self._revoked[token]

    async def _look(self) -> None:
        """For as long as there is somebody to look for."""
        while self._under_way:
            await asyncio.sleep(LOOK_SECONDS)
            watched = set(self._under_way)
            try:
                standing = await asyncio.to_thread(self._get_access().standing, watched)
            except Exception:  # the database is away: whoever is in stays in, nobody comes in
                logger.exception("tokens could not be looked up")
                continue
            for token in watched - standing:
                if token in self._revoked:
                    self._revoked[token].set()


def until(revoked: asyncio.Event, receive: Receive, scope: Scope) -> Receive:
    """What a client sends, and that it has gone once its token is revoked."""
    gone: Message = (
        {"type": "http.disconnect"}
        if scope["type"] == "http"
        else {"type": "websocket.disconnect", "code": 1006}
    )

    async def receive_until_revoked() -> Message:
        if revoked.is_set():
            return gone
        coming = asyncio.ensure_future(receive())
        ending = asyncio.ensure_future(revoked.wait())
        try:
            await asyncio.wait({coming, ending}, return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else gone
        finally:
            for waiting in (coming, ending):
                if not waiting.done():
                    waiting.cancel()
                    with suppress(asyncio.CancelledError):
                        await waiting

    return receive_until_revoked
