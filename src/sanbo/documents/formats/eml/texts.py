"""Headers and texts of a mail, decoded: which of two texts says it all, and safe names of files."""

import base64
import binascii
import quopri
import re
from email.errors import MessageError
from email.message import Message

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.encodings import decode_declared
from sanbo.documents.formats.html.reader import add_page, page_text
from sanbo.kernel.problems import UnsupportedFormat

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
