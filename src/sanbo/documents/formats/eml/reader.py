"""Reads mails: who wrote what to whom and when, the text, and what was attached."""

from email.message import Message

from sanbo.documents.builder import DocumentBuilder
from sanbo.documents.formats.eml.headers import header
from sanbo.documents.formats.eml.parts import data_of, name_of, parse_mail, parts_of
from sanbo.documents.formats.eml.texts import add_text
from sanbo.documents.model import Document, Source
from sanbo.kernel.problems import LimitExceeded, UnsupportedFormat

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


def attachments(source: Source) -> list[Source]:
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
