"""A client for event streams, as the standard describes one, that can be cut at any byte."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import httpx


@dataclass(frozen=True)
class Message:
    id: str | None
    event: str
    data: str


async def messages(response: httpx.Response) -> AsyncGenerator[Message]:
    """Whole messages only: what a broken connection leaves half-read is dropped."""
    buffer = ""
    async for text in response.aiter_text():
        buffer += text
        while "\r\n\r\n" in buffer:
            block, _, buffer = buffer.partition("\r\n\r\n")
            if (message := _parsed(block)) is not None:
                yield message


def _parsed(block: str) -> Message | None:
    fields = dict(
        line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":")
    )
    if "data" not in fields:
        return None
    return Message(fields.get("id"), fields["event"], fields["data"])
