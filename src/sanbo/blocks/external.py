"""Other systems: `external.api.http` sends one request to a host that the settings list, every
other is refused; `notifier.notify` tells people something, by a webhook, Slack, Teams or mail.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import JsonValue
from pydantic_core import to_json
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.connectors.addresses import parts
from sanbo.connectors.http import BUSY, Reply, Request, send
from sanbo.connectors.notices import Attachment, Notice, deliver
from sanbo.kernel.problems import ProviderFailed, TimedOut
from sanbo.runs.model import FileRef

# ---- requests ------------------------------------------------------------------------------------


class Http(EngineBlock[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        url = given.get("url")
        if isinstance(url, str) and "${" not in url:
            parts(url)

    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any]:
        content, kind = _content(given.body)
        given_headers: dict[str, JsonValue] = given.headers or {}
        params: dict[str, JsonValue] = given.params or {}
        headers = {name: _text(value) for name, value in given_headers.items()}
        if kind and not any(name.casefold() == "content-type" for name in headers):
            headers["Content-Type"] = kind
        request = Request(
            method=given.method,
            url=given.url,
            key=context.run.idempotency_key(),
            headers=headers,
            params={
                name: [_text(each) for each in value] if isinstance(value, list) else _text(value)
                for name, value in params.items()
                if value is not None
            },
            content=content,
            seconds=given.timeout_sec,
        )
        retry: dict[str, int] = given.retry or {}
        reply = await _answered(
            request, context, retry.get("max_retries", 0), retry.get("backoff_ms", 200) / 1000
        )
        return {
            "status": reply.status,
            "response_json": _json(reply),
            "response_text": reply.text,
            "headers": reply.headers,
            "summary": {"ok": reply.is_ok, "elapsed_ms": reply.elapsed_ms},
        }


async def _answered(request: Request, context: EngineContext, retries: int, pause: float) -> Reply:
    """Tried again where the server did not answer, or was busy; under the same key."""
    settings = context.run.place.settings.connectors
    for attempt in range(retries + 1):
        is_last = attempt == retries
        try:
            reply = await send(request, settings)
            if is_last or reply.status not in BUSY:
                return reply
        except (ProviderFailed, TimedOut) as failure:
            if is_last or not failure.problem.recoverable:
                raise
        await asyncio.sleep(pause * 2**attempt)
    raise AssertionError


def _content(body: JsonValue) -> tuple[bytes, str]:
    if body is None:
        return b"", ""
    if isinstance(body, str):
        return body.encode(), "text/plain; charset=utf-8"
    return to_json(body), "application/json"


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else to_json(value).decode()


def _json(reply: Reply) -> JsonValue:
    """None where it is no JSON."""
    if "json" not in reply.headers.get("content-type", "") and reply.text[:1] not in ("{", "["):
        return None
    try:
        return orjson.loads(reply.text)
    except orjson.JSONDecodeError:
        return None


# ---- notices -------------------------------------------------------------------------------------


class Notify(EngineBlock[Given]):
    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any]:
        target: dict[str, Any] = given.target or {}
        options: dict[str, Any] = given.options or {}
        to: Any = target.get("to") or ()
        notice = Notice(
            provider=given.provider,
            key=context.run.idempotency_key(),
            message=given.message,
            title=given.title or "",
            url=target.get("url") or "",
            webhook_key=target.get("webhook_key") or "",
            channel=target.get("channel") or "",
            to=(to,) if isinstance(to, str) else tuple(to),
            server=options.get("server") or "",
            attachments=tuple([await _read(each, context) for each in given.attachments or ()]),
            seconds=options.get("timeout_sec") or 30,
        )
        reply = await deliver(notice, context.run.place.settings.connectors)
        if not reply.is_ok:
            failure = ProviderFailed("notice_refused", status=reply.status, text=reply.text[:200])
            context.warn(failure)
        return {"ok": reply.is_ok, "response": {"status": reply.status, "text": reply.text}}


async def _read(attached: Any, context: EngineContext) -> Attachment:
    """A file, or a file under another name."""
    file: FileRef = attached if isinstance(attached, FileRef) else attached["bytes"]
    name = file.name if isinstance(attached, FileRef) else attached.get("name") or file.name
    return Attachment(name, file.media_type, await context.read(file))
