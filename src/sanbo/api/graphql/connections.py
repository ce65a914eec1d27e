"""WebSocket connections for subscriptions (`graphql-transport-ws`): for what, and how long."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any, cast

from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
)
from strawberry.subscriptions.protocols.graphql_transport_ws.types import Message
from typing_extensions import override

from sanbo.api.graphql.asking import Asking
from sanbo.api.graphql.limits import is_nested_too_deep

MOST_AT_ONCE = 20
"""Operations on one connection."""
INIT_WAIT = timedelta(seconds=10)
IDLE_SECONDS = 60.0
IDLE = 4408


class Handler(BaseGraphQLTransportWSHandler[Asking, None]):
    """Lets go who neither asks nor listens, and whoever does not speak the protocol."""

    idle_seconds = IDLE_SECONDS

    @override
    async def handle(self) -> None:
        watching = asyncio.create_task(self._watch())
        try:
            await super().handle()
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _watch(self) -> None:
        idle_turns = 0
        while idle_turns < 2:
            await asyncio.sleep(self.idle_seconds / 2)
            idle_turns = 0 if self.operations else idle_turns + 1
        with suppress(Exception):  # it may be gone at this very moment
            await self.websocket.close(IDLE, "Idle")

    @override
    async def handle_task_exception(self, error: Exception) -> None:
        """A client may go at any moment, also while something is on its way to it."""
        if not isinstance(error, WebSocketDisconnected):
            await super().handle_task_exception(error)

    @override
    async def handle_message(self, message: Message) -> None:
        if _is_well_formed(message):
            await super().handle_message(message)
        else:
            await self.handle_invalid_message("Invalid message")


def _is_well_formed(message: object) -> bool:
    """What the protocol's own reader takes for granted."""
    sent = cast("dict[str, object]", message)
    if sent.get("type") not in ("subscribe", "complete"):
        return isinstance(sent.get("type"), str)
    if not isinstance(sent.get("id"), str):
        return False
    return sent["type"] == "complete" or _is_operation(sent.get("payload"))


def _is_operation(payload: object) -> bool:
    if not isinstance(payload, dict):
        return False
    sent = cast("dict[str, Any]", payload)
    query = sent.get("query")
    return (
        isinstance(query, str)
        and not is_nested_too_deep(query)
        and isinstance(sent.get("variables"), dict | None)
        and isinstance(sent.get("operationName"), str | None)
    )
