"""Mail through a server that the settings name, to people whom they name."""

import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate

from sanbo.connectors.secret_values import secret_value
from sanbo.connectors.settings import ConnectorSettings, MailServer
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import (
    InvalidInput,
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
