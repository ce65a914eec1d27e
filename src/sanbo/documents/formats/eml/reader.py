"""Reads mails: who wrote what to whom and when, the text, and what was attached.

Headers and texts are decoded; of two texts the one that says it all is taken; names of files are
made safe.
"""

import base64
import binascii
import io
import mimetypes
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import MessageError
from email.generator import BytesGenerator
from email.message import Message
from email.policy import Compat32, compat32
from typing import cast

from typing_extensions import override

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.encodings import decode_declared
from sanbo.documents.file_formats import ending_of
from sanbo.documents.formats.html.reader import add_page, page_text
from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

_WORD = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_WORDS = re.compile(r"(?:=\?[^?\s*]+(?:\*[^?\s]*)?\?[bBqQ]\?[^?]*\?=\s*)+")
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
_LONGEST_NAME = 200
# What the library raises on malformed messages, where it means to be lenient.
MALFORMED = (
    MessageError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
)


def header(message: Message, name: str) -> str:
    """All headers of this name, decoded; empty if there is none."""
    values = [value for key, value in message.raw_items() if key.lower() == name.lower()]
    return ", ".join(text for value in values if (text := decoded(str(value))))


def decoded(raw: str) -> str:
    """The parser keeps bytes beyond ASCII as lone surrogates; mails in Japan have plenty."""
    unfolded = _FOLD.sub("", raw)
    pieces: list[str] = []
    at = 0
    for run in _WORDS.finditer(unfolded):
        pieces += [_plain(unfolded[at : run.start()]), _words(run[0])]
        if run[0][-1:].isspace():
            pieces.append(" ")
        at = run.end()
    pieces.append(_plain(unfolded[at:]))
    return " ".join("".join(pieces).split())


def file_name(part: Message) -> str | None:
    """From either header that may hold it, in any of the ways programs write it."""
    for key, where in (("filename", "content-disposition"), ("name", "content-type")):
        name = parameter(part, key, where)
        if name.strip():
            return safe_name(name)
    return None


def parameter(part: Message, key: str, where: str = "content-type") -> str:
    """One parameter of a header, decoded; empty if there is none or it can't be made out."""
    try:
        value = _readable(part, where).get_param(key, header=where)
    except MALFORMED:
        return ""
    if isinstance(value, tuple):  # RFC 2231: charset, language, bytes as Latin-1
        charset, _, text = value
        return decode_declared(text.encode("latin-1", "replace"), charset).text
    return decoded(value) if isinstance(value, str) else ""


def _readable(part: Message, where: str) -> Message:
    """Bytes are read as text before their quotes and backslashes mean anything: 表 ends in one."""
    raw = next((str(value) for key, value in part.raw_items() if key.lower() == where), "")
    if raw.isascii():
        return part
    readable = Message()
    readable[where] = _plain(raw)
    return readable


def safe_name(name: str) -> str:
    """A name, never a path."""
    cleaned = _UNSAFE.sub("_", name).strip(" .")
    if len(cleaned) > _LONGEST_NAME:
        stem, dot, ending = cleaned.rpartition(".")
        keep = ending if dot and len(ending) < 10 else ""
        cleaned = (stem if keep else cleaned)[:_LONGEST_NAME] + (f".{keep}" if keep else "")
    return cleaned or "_"


def _plain(text: str) -> str:
    if text.isascii() and "\x1b" not in text:
        return text
    return decode_declared(text.encode("utf-8", "surrogateescape"), None).text


def _words(run: str) -> str:
    """A character may be cut between two words: bytes of one charset are joined first."""
    pieces: list[tuple[str, bytes]] = []
    for word in _WORD.finditer(run):
        charset, data = word[1].lower(), _bytes(word[2], word[3])
        if pieces and pieces[-1][0] == charset:
            pieces[-1] = (charset, pieces[-1][1] + data)
        else:
            pieces.append((charset, data))
    return "".join(decode_declared(data, charset).text for charset, data in pieces)


def _bytes(encoding: str, text: str) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    if encoding in "qQ":
        return quopri.decodestring(raw.replace(b"_", b" "), header=False)
    try:
        return base64.b64decode(raw + b"=" * (-len(raw) % 4))
    except (binascii.Error, ValueError):
        return raw


_BLANK_LINES = re.compile(r"\n[ \t\u3000]*\n")
# Newsletters and booking systems send "please open this in an HTML viewer" as their plain text.
_TIMES_LONGER = 3
_CHARACTERS_MORE = 200
_LONGEST_POINTER = 200
_POINTS_AT_HTML = re.compile("HTML|ＨＴＭＬ", re.I)


def add_text(builder: DocumentBuilder, part: Message) -> None:
    data = payload_of(part)
    charset = parameter(part, "charset") or None
    if part.get_content_type() == "text/html":
        page = page_text(data, charset)
        add_page(builder, page.text)
    else:
        page = decode_declared(data, charset)
        for paragraph in _BLANK_LINES.split(_unwrapped(page.text, part)):
            builder.paragraph(paragraph)
    if page.replaced:
        builder.warn(UnsupportedFormat("text_bytes_replaced", count=page.replaced))


def text_of(part: Message) -> str:
    """What a person would read in it."""
    builder = DocumentBuilder("", "eml")
    add_text(builder, part)
    return builder.build().text


def is_stub(plain: str, rich: str) -> bool:
    """The plain text only stands in for the HTML one, which holds what the writer meant."""
    if len(plain) <= _LONGEST_POINTER and _POINTS_AT_HTML.search(plain):
        return bool(rich)
    return len(rich) > max(_TIMES_LONGER * len(plain), len(plain) + _CHARACTERS_MORE)


def payload_of(part: Message) -> bytes:
    """Decoded from base64 or quoted-printable, as far as that goes."""
    try:
        payload = part.get_payload(decode=True)
    except MALFORMED:
        payload = None
    return payload if isinstance(payload, bytes) else b""


def _unwrapped(text: str, part: Message) -> str:
    """format=flowed: a line that ends in a space goes on in the next."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if parameter(part, "format").lower() != "flowed":
        return "\n".join(lines)
    drop_space = parameter(part, "delsp").lower() == "yes"
    pieces: list[str] = []
    for line in lines:
        if line.endswith(" ") and line != "-- ":
            pieces.append(line[:-1] if drop_space else line)
        else:
            pieces.append(f"{line}\n")
    return "".join(pieces)


_SIGNS_OF_A_MAIL = ("from", "to", "subject", "date", "received", "message-id", "mime-version")
_DEEPEST = 50
_TEXTS = ("text/plain", "text/html")


@dataclass
class Parts:
    texts: list[Message] = field(default_factory=list[Message])
    files: list[Message] = field(default_factory=list[Message])


class _Verbatim(Compat32):
    """Writes headers as they came; the library's own way refuses or changes broken ones."""

    @override
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
