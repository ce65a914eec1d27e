"""A notice to people: as a webhook, as Slack or Teams take it, or as mail through a server and to
people whom the settings name."""

import asyncio
import hashlib
import smtplib
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.connectors.addresses import Resolve, look_up
from sanbo.connectors.http import Reply, Request, secret_value, send
from sanbo.connectors.settings import AllowedHost, ConnectorSettings, MailServer, Provider
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import (
    InvalidInput,
    LimitExceeded,
    MissingDependency,
    NotFound,
    PermissionDenied,
    ProviderFailed,
    SanboError,
)
from sanbo.kernel.secrets import redact


@dataclass(frozen=True)
class Attachment:
    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class Letter:
    to: tuple[str, ...]
    subject: str
    text: str
    message_id: str
    """The same when it is sent again, so that a reader's program can tell."""
    attachments: tuple[Attachment, ...] = ()


def server_named(name: str, settings: ConnectorSettings) -> MailServer:
    """By name; without one, the only one."""
    if not settings.mail:
        raise MissingDependency("mail_not_set")
    if not name and len(settings.mail) == 1:
        return next(iter(settings.mail.values()))
    if name not in settings.mail:
        raise NotFound(
            "mail_server_unknown", name=name or "–", nearest=alternatives(name, settings.mail)
        )
    return settings.mail[name]


def check_recipients(to: Sequence[str], server: MailServer) -> tuple[str, ...]:
    """Plain addresses, all of them of people who may get mail."""
    allowed = {each.casefold() for each in server.recipients}
    if not to:
        raise InvalidInput("mail_without_recipient", port="target")
    for each in to:
        try:
            address = Address(addr_spec=each)
        except (MessageError, ValueError, IndexError):
            raise InvalidInput("mail_address_invalid", port="target", address=each[:200]) from None
        known = {each.casefold(), f"@{address.domain.casefold()}"}
        if not address.username or not address.domain or not each.isascii():
            raise InvalidInput("mail_address_invalid", port="target", address=each[:200])
        if allowed.isdisjoint(known):
            raise PermissionDenied("mail_recipient_refused", address=each)
    return tuple(to)


def send_letter(letter: Letter, server: MailServer, seconds: float) -> str:
    """What the server said; blocking."""
    message = _message(letter, server)
    try:
        with _connected(server, seconds) as smtp:
            if server.user:
                smtp.login(server.user, secret_value(server.password))
            refused = smtp.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        raise _problem(server, error) from None
    if refused:
        raise ProviderFailed("mail_refused", host=server.host, reason="、".join(sorted(refused)))
    return "250 OK"


def _connected(server: MailServer, seconds: float) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.security == "tls":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=seconds, context=context)
    smtp = smtplib.SMTP(server.host, server.port, timeout=seconds)
    try:
        if server.security == "starttls":
            smtp.starttls(context=context)
    except BaseException:
        smtp.close()
        raise
    return smtp


def _message(letter: Letter, server: MailServer) -> EmailMessage:
    message = EmailMessage()
    # On one line: what comes from data can't add headers.
    message["Subject"] = " ".join(letter.subject.split())
    message["From"] = server.sender
    message["To"] = ", ".join(letter.to)
    message["Date"] = formatdate(localtime=True)
    message["Message-ID"] = f"<{letter.message_id}@sanbo.invalid>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    for each in letter.attachments:
        kind, _, exact = each.media_type.partition("/")
        name = " ".join(each.name.replace("/", "_").replace("\\", "_").split())
        message.add_attachment(
            each.data,
            maintype=kind if exact else "application",
            subtype=exact or "octet-stream",
            filename=name,
        )
    return message


def _problem(server: MailServer, error: Exception) -> SanboError:
    reason = redact(" ".join(str(error).split())[:300]) or type(error).__name__
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return PermissionDenied("mail_login_refused", host=server.host)
    if isinstance(error, smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused):
        return ProviderFailed("mail_refused", host=server.host, reason=reason)
    return ProviderFailed("mail_unreachable", host=server.host, reason=reason)


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
