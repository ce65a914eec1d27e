"""A notice to people: as a webhook, as Slack or Teams take it, or as mail."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.connectors.addresses import Resolve, look_up
from sanbo.connectors.http import Reply, Request, send
from sanbo.connectors.mail import Attachment, Letter, check_recipients, send_letter, server_named
from sanbo.connectors.secret_values import secret_value
from sanbo.connectors.settings import AllowedHost, ConnectorSettings, Provider
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, LimitExceeded, NotFound

_MB = 1 << 20
LONGEST_SUBJECT = 200


@dataclass(frozen=True)
class Notice:
    provider: Provider
    key: str
    message: str
    title: str = ""
    url: str = ""
    webhook_key: str = ""
    channel: str = ""
    to: tuple[str, ...] = ()
    server: str = ""
    attachments: tuple[Attachment, ...] = ()
    seconds: float = 30


async def deliver(notice: Notice, settings: ConnectorSettings, resolve: Resolve = look_up) -> Reply:
    """What the server said, whatever that was."""
    if notice.provider == "email":
        return await _mailed(notice, settings)
    if notice.attachments:
        raise InvalidInput("notice_attachments", port="attachments", provider=notice.provider)
    url, rules = _address(notice, settings)
    request = Request(
        method="POST",
        url=url,
        key=notice.key,
        headers={"Content-Type": "application/json"},
        content=to_json(_SHAPES[notice.provider](notice)),
        seconds=notice.seconds,
        named=rules,
    )
    return await send(request, settings, resolve)


def _address(notice: Notice, settings: ConnectorSettings) -> tuple[str, AllowedHost | None]:
    if bool(notice.url) == bool(notice.webhook_key):
        raise InvalidInput("notice_where", port="target")
    if notice.url:
        return notice.url, None  # a plan's own: only to hosts on the list
    if notice.webhook_key not in settings.webhooks:
        near = alternatives(notice.webhook_key, settings.webhooks)
        raise NotFound("notice_webhook_unknown", name=notice.webhook_key, nearest=near)
    url = secret_value(settings.webhooks[notice.webhook_key])
    return url, AllowedHost(methods=("POST",), private=True, plain=True)


def _plain(notice: Notice) -> Mapping[str, JsonValue]:
    return {"title": notice.title, "message": notice.message, "channel": notice.channel or None}


def _slack(notice: Notice) -> Mapping[str, JsonValue]:
    text = f"*{_in_slack(notice.title)}*\n" if notice.title else ""
    shaped: dict[str, JsonValue] = {"text": text + _in_slack(notice.message)}
    return shaped | ({"channel": notice.channel} if notice.channel else {})


def _in_slack(text: str) -> str:
    """As Slack asks for it: so nobody is called (`<!channel>`) by what stands in data."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _teams(notice: Notice) -> Mapping[str, JsonValue]:
    title: list[JsonValue] = []
    if notice.title:
        title = [{"type": "TextBlock", "text": notice.title, "weight": "Bolder", "wrap": True}]
    card: JsonValue = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [*title, {"type": "TextBlock", "text": notice.message, "wrap": True}],
    }
    media_type = "application/vnd.microsoft.card.adaptive"
    return {"type": "message", "attachments": [{"contentType": media_type, "content": card}]}


_SHAPES = {"webhook": _plain, "slack": _slack, "teams": _teams}


async def _mailed(notice: Notice, settings: ConnectorSettings) -> Reply:
    server = server_named(notice.server, settings)
    if sum(len(each.data) for each in notice.attachments) > settings.max_request_mb * _MB:
        raise LimitExceeded("connector_request_large", limit=settings.max_request_mb)
    letter = Letter(
        to=check_recipients(notice.to, server),
        subject=(notice.title or notice.message)[:LONGEST_SUBJECT],
        text=notice.message,
        message_id=hashlib.sha256(notice.key.encode()).hexdigest()[:40],
        attachments=notice.attachments,
    )
    seconds = min(notice.seconds, settings.max_seconds)
    words = await asyncio.to_thread(send_letter, letter, server, seconds)
    return Reply(250, {}, words, 0)
