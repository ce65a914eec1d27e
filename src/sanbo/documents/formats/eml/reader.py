"""Reads mails: who wrote what to whom and when, the text, and what was attached."""

import io
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.generator import BytesGenerator
from email.message import Message
from email.policy import Compat32, compat32
from typing import cast

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.file_formats import ending_of
from sanbo.documents.formats.eml.texts import (
    MALFORMED,
    add_text,
    file_name,
    header,
    is_stub,
    payload_of,
    safe_name,
    text_of,
)
from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

_SIGNS_OF_A_MAIL = ("from", "to", "subject", "date", "received", "message-id", "mime-version")
_DEEPEST = 50
_TEXTS = ("text/plain", "text/html")


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
    return _Sorter(name).sorted(message)


def data_of(part: Message) -> bytes:
    """Of a mail within the mail, all of it."""
    is_mail = part.get_content_type() == "message/rfc822"
    return _whole_message(part) if is_mail else payload_of(part)


def name_of(part: Message, number: int) -> str:
    if name := file_name(part):
        return name
    kind = part.get_content_type()
    ending = ending_of(kind) or mimetypes.guess_extension(kind) or ".bin"
    if kind == "message/rfc822":
        inner = next(_children(part), None)
        subject = header(inner, "subject") if inner is not None else ""
        if subject:
            return safe_name(subject[:80]) + ending
    return f"attachment-{number}{ending}"


class _Sorter:
    def __init__(self, name: str) -> None:
        self._name = name
        self._said: dict[Message, str] = {}
        """Alternatives may stand within alternatives: each text is read once."""

    def sorted(self, message: Message) -> Parts:
        parts = Parts()
        self._sort(message, parts, depth=0)
        return parts

    def _sort(self, part: Message, parts: Parts, depth: int) -> None:
        if depth > _DEEPEST:
            raise LimitExceeded("eml_too_deep", name=self._name)
        kind = part.get_content_type()
        if kind == "multipart/alternative":
            self._sort_alternatives(part, parts, depth)
        elif part.is_multipart() and kind != "message/rfc822":
            for child in _children(part):
                self._sort(child, parts, depth + 1)
        elif part.get_content_maintype() == "multipart" or (
            kind in _TEXTS and not _is_attached(part, is_whole_mail=depth == 0)
        ):
            parts.texts.append(part)
        elif not _is_picture_in_text(part):
            parts.files.append(part)

    def _sort_alternatives(self, part: Message, parts: Parts, depth: int) -> None:
        """The same text several times: plain if it says it, else the richer one."""
        choices: list[Parts] = []
        for child in _children(part):
            choices.append(Parts())
            self._sort(child, choices[-1], depth + 1)
        parts.texts.extend(self._chosen(choices))
        for choice in choices:
            parts.files.extend(choice.files)

    def _chosen(self, choices: list[Parts]) -> list[Message]:
        readable = [c.texts for c in choices if any(data_of(text).strip() for text in c.texts)]
        readable.sort(key=lambda texts: texts[0].get_content_type() != "text/plain")
        if len(readable) < 2:
            return readable[0] if readable else []
        plain, rich, *_ = readable
        if plain[0].get_content_type() != "text/plain":
            return plain
        return rich if is_stub(self._text(plain), self._text(rich)) else plain

    def _text(self, texts: list[Message]) -> str:
        for part in texts:
            if part not in self._said:
                self._said[part] = text_of(part)
        return "\n".join(self._said[part] for part in texts)


def _children(part: Message) -> Iterator[Message]:
    payload: object = part.get_payload()
    if isinstance(payload, list):
        for child in cast("list[object]", payload):
            if isinstance(child, Message):
                yield cast("Message", child)


def _is_attached(part: Message, *, is_whole_mail: bool) -> bool:
    """A name makes a part a file, unless it is all there is: some programs name the body."""
    if part.get_content_disposition() == "attachment":
        return True
    return not is_whole_mail and file_name(part) is not None


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


MAX_ATTACHMENTS = 500
MAX_MAILS_IN_MAILS = 5
_HEADERS = ("From", "To", "Cc", "Date", "Subject")


def read(source: Source) -> Document:
    message = parse_mail(source)
    parts = parts_of(message, name=source.name)
    builder = DocumentBuilder(source.name, "eml")
    builder.title = header(message, "Subject") or None
    lines = [f"{name}: {value}" for name in _HEADERS if (value := header(message, name))]
    builder.paragraph("\n".join(lines), role="metadata")
    before = builder.length
    for part in parts.texts:
        add_text(builder, part)
    if builder.length == before:
        builder.warn(UnsupportedFormat("eml_without_body"))
    files = _files(parts.files)
    builder.paragraph(
        "\n".join(f"Attachment: {name} ({len(data):,} bytes)" for name, data in files),
        role="metadata",
    )
    if len(parts.files) > MAX_ATTACHMENTS:
        builder.warn(LimitExceeded("eml_too_many_attachments", limit=MAX_ATTACHMENTS))
    if not builder.length:
        raise UnsupportedFormat("document_without_text", name=source.name)
    return builder.build()


def attachments(source: Source, _allowed: object = None) -> list[Source]:
    """The attached files, named `mail.eml/file.pdf`; attached mails end in .eml.

    At most `MAX_ATTACHMENTS`; LimitExceeded for a mail within too many others.
    """
    mails = sum(part.lower().endswith(".eml") for part in source.name.split("/"))
    if mails > MAX_MAILS_IN_MAILS:
        raise LimitExceeded("eml_too_deep", name=source.name)
    parts = parts_of(parse_mail(source), name=source.name)
    return [
        Source(name=f"{source.name}/{name}", data=data)
        for name, data in _files(parts.files)
        if data
    ]


def _files(parts: list[Message]) -> list[tuple[str, bytes]]:
    """Names are told apart: 資料.pdf, 資料 (2).pdf."""
    files: list[tuple[str, bytes]] = []
    counts: dict[str, int] = {}
    for number, part in enumerate(parts[:MAX_ATTACHMENTS], start=1):
        name = name_of(part, number)
        counts[name] = counts.get(name, 0) + 1
        if counts[name] > 1:
            stem, dot, ending = name.rpartition(".")
            name = f"{stem} ({counts[name]}).{ending}" if dot else f"{name} ({counts[name]})"
        files.append((name, data_of(part)))
    return files
