"""The texts of a mail: plain ones by paragraphs, HTML as a page, and which of two says it all."""

import re
from email.message import Message

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.formats.declared_encoding import decode_declared
from sanbo.documents.formats.eml.headers import MALFORMED, parameter
from sanbo.documents.formats.html.reader import add_page, page_text
from sanbo.kernel.problems import UnsupportedFormat

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
