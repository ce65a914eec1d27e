"""The parts of a mail: which are its text, which are attached files."""

import io
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.generator import BytesGenerator
from email.message import Message
from email.policy import Compat32, compat32
from typing import cast

from sanbo.documents.formats.eml.headers import MALFORMED, file_name, header, safe_name
from sanbo.documents.model import Source
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

_SIGNS_OF_A_MAIL = ("from", "to", "subject", "date", "received", "message-id", "mime-version")
_DEEPEST = 50
_TEXTS = ("text/plain", "text/html")
_UNNAMED = {"message/rfc822": ".eml", "text/plain": ".txt", "text/html": ".html"}


@dataclass
class Parts:
    texts: list[Message] = field(default_factory=list[Message])
    files: list[Message] = field(default_factory=list[Message])


class _Verbatim(Compat32):
    """Writes headers as they came; the library's own way refuses or changes broken ones."""

    def fold_binary(self, name: str, value: str) -> bytes:
        return f"{name}: {value}\n".encode("utf-8", "surrogateescape")


def parse_mail(source: Source) -> Message:
    """With the older policy: it keeps headers raw, where the newer one fails on broken ones."""
    try:
        message = message_from_bytes(source.data, policy=compat32)
    except RecursionError as error:
        raise LimitExceeded("eml_too_deep", name=source.name) from error
    except MALFORMED as error:
        raise UnsupportedFormat(
            "eml_damaged", name=source.name, details={"reason": str(error)}
        ) from error
    if not any(header(message, name) for name in _SIGNS_OF_A_MAIL):
        raise UnsupportedFormat("eml_not_mail", name=source.name)
    return message


def parts_of(message: Message, *, name: str) -> Parts:
    parts = Parts()
    _sort(message, parts, name, depth=0)
    return parts


def data_of(part: Message) -> bytes:
    """Decoded from base64 or quoted-printable, as far as that goes."""
    if part.get_content_type() == "message/rfc822":
        return _whole_message(part)
    try:
        payload = part.get_payload(decode=True)
    except MALFORMED:
        payload = None
    return payload if isinstance(payload, bytes) else b""


def name_of(part: Message, number: int) -> str:
    if name := file_name(part):
        return name
    kind = part.get_content_type()
    ending = _UNNAMED.get(kind) or mimetypes.guess_extension(kind) or ".bin"
    if kind == "message/rfc822":
        inner = next(_children(part), None)
        subject = header(inner, "subject") if inner is not None else ""
        if subject:
            return safe_name(subject[:80]) + ending
    return f"attachment-{number}{ending}"


def _sort(part: Message, parts: Parts, name: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise LimitExceeded("eml_too_deep", name=name)
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        _sort_alternatives(part, parts, name, depth)
    elif part.is_multipart() and kind != "message/rfc822":
        for child in _children(part):
            _sort(child, parts, name, depth + 1)
    elif (kind in _TEXTS and not _is_attached(part)) or part.get_content_maintype() == "multipart":
        parts.texts.append(part)
    elif not _is_picture_in_text(part):
        parts.files.append(part)


def _sort_alternatives(part: Message, parts: Parts, name: str, depth: int) -> None:
    """The same text several times: plain if it says anything, else the richer one."""
    choices: list[Parts] = []
    for child in _children(part):
        choices.append(Parts())
        _sort(child, choices[-1], name, depth + 1)
    readable = [choice for choice in choices if any(data_of(text).strip() for text in choice.texts)]
    readable.sort(key=lambda choice: choice.texts[0].get_content_type() != "text/plain")
    for chosen in readable[:1]:
        parts.texts.extend(chosen.texts)
    for choice in choices:
        parts.files.extend(choice.files)


def _children(part: Message) -> Iterator[Message]:
    payload: object = part.get_payload()
    if isinstance(payload, list):
        for child in cast("list[object]", payload):
            if isinstance(child, Message):
                yield cast("Message", child)


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or file_name(part) is not None


def _is_picture_in_text(part: Message) -> bool:
    """A logo or smiley that an HTML text shows: nobody attached it."""
    return (
        part.get_content_maintype() == "image"
        and part.get("content-id") is not None
        and part.get_content_disposition() != "attachment"
    )


def _whole_message(part: Message) -> bytes:
    inner = next(_children(part), None)
    if inner is None:
        return b""
    buffer = io.BytesIO()
    try:
        BytesGenerator(buffer, mangle_from_=False, policy=_Verbatim()).flatten(inner)
    except (*MALFORMED, RecursionError):
        return b""
    return buffer.getvalue()
