"""Reads whatever a person brings: the format is told by the content, not by the name alone."""

import re
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import PurePosixPath
from typing import NoReturn
from zipfile import BadZipFile, ZipFile

from sanbo.documents.encodings import decode
from sanbo.documents.model import Document, Format, Source
from sanbo.documents.ooxml.package import has_password, is_compound_file
from sanbo.kernel.problems import LimitExceeded, SanboError, UnsupportedFormat

MOST_BYTES = 500 * 1024 * 1024

# Readers are imported when first needed: together their libraries take a second to load.
READERS: dict[Format, str] = {
    "pdf": "pdf.reader",
    "docx": "docx.reader",
    "xlsx": "xlsx",
    "pptx": "pptx.reader",
    "csv": "csv_text",
    "markdown": "markdown",
    "html": "html.reader",
    "text": "text",
    "eml": "eml.reader",
    "json": "json_text",
}
_EXTENSIONS: dict[str, Format] = {
    "pdf": "pdf",
    "docx": "docx",
    "docm": "docx",
    "xlsx": "xlsx",
    "xlsm": "xlsx",
    "xls": "xlsx",
    "pptx": "pptx",
    "pptm": "pptx",
    "csv": "csv",
    "tsv": "csv",
    "md": "markdown",
    "markdown": "markdown",
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "txt": "text",
    "text": "text",
    "log": "text",
    "eml": "eml",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "zip": "zip",
}
# Which extensions a text may have without its content telling otherwise.
_TEXT_FORMATS: frozenset[Format] = frozenset(("csv", "markdown", "html", "text", "eml", "json"))
_PICTURES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"BM",
    b"II*\x00",
    b"MM\x00*",
)
_MAIN_PARTS: dict[str, Format] = {
    "word/document.xml": "docx",
    "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsx",
    "ppt/presentation.xml": "pptx",
}
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]++|-(?!->))*+-->\s*+)*+"
    rb"<(?:!doctype\s+html|html)\b",
    re.I,
)
_MAIL = re.compile(rb"\A(?:[!-9;-~]++:[^\n]*+\n(?:[ \t][^\n]*+\n)*+){2,}+\r?\n", re.ASCII)
_MAIL_FIELDS = re.compile(rb"^(?:from|to|subject|date|received|mime-version):", re.I | re.M)


def extract(source: Source) -> Document:
    """The document in a file; a problem that says why, where there is none. Archives are not
    documents: see `archives.read_archive`."""
    if len(source.data) > MOST_BYTES:
        raise LimitExceeded(
            "file_too_large", name=source.name, limit_mb=MOST_BYTES // (1024 * 1024)
        )
    if not source.data.strip(b"\x00 \t\r\n"):
        raise UnsupportedFormat("file_empty", name=source.name)
    format = format_of(source)
    if format == "zip":
        raise UnsupportedFormat("file_is_archive", name=source.name)
    document = _reader(format)(source)
    named = _by_extension(source.name)
    if named is not None and named != format:
        mismatch = UnsupportedFormat(
            "file_named_otherwise", name=source.name, named=named, format=format
        )
        document = document.model_copy(update={"warnings": (mismatch.problem, *document.warnings)})
    if not document.text.strip():
        raise UnsupportedFormat("file_without_text", name=source.name)
    return document


def format_of(source: Source) -> Format:
    data = source.data
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"):
        return _packed(source)
    if is_compound_file(data):
        return _ole(source)
    if data.startswith(_PICTURES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        raise UnsupportedFormat("file_is_picture", name=source.name)
    return _text_format(source)


def _packed(source: Source) -> Format:
    """A ZIP file, or one of the office formats, which are ZIP files too."""
    try:
        with ZipFile(BytesIO(source.data)) as package:
            names = set(package.namelist())
    except (BadZipFile, ValueError, OSError, NotImplementedError):
        # Truncated: the reader of what it claims to be says what is wrong with it.
        named = _by_extension(source.name)
        return named if named in ("docx", "xlsx", "pptx") else "zip"
    for part, format in _MAIN_PARTS.items():
        if part in names:
            return format
    if "content.xml" in names and "mimetype" in names:
        if source.name.lower().endswith(".ods"):
            return "xlsx"
        _refuse(source)
    return "zip"


def _ole(source: Source) -> Format:
    """Word, Excel and PowerPoint before 2007, and today's files under a password."""
    if has_password(source.data):
        raise UnsupportedFormat("file_password", name=source.name)
    if any(name.encode("utf-16-le") in source.data for name in ("Workbook", "Book")):
        return "xlsx"
    raise UnsupportedFormat("file_old_office", name=source.name)


def _text_format(source: Source) -> Format:
    named = _by_extension(source.name)
    if _HTML.match(source.data[:4096]):
        return "html"
    if _MAIL.match(source.data) and len(set(_MAIL_FIELDS.findall(source.data[:8192]))) >= 2:
        return "eml"
    if named in _TEXT_FORMATS:
        return named
    try:
        text = decode(source.data).text.strip()
    except SanboError:
        _refuse(source)
    if text[:1] in ("{", "[") and text[-1:] in ("}", "]"):
        return "json"
    if text.startswith("<") and "</" in text:
        return "html"
    return "text"


def _refuse(source: Source) -> NoReturn:
    raise UnsupportedFormat("file_unknown", name=source.name)


def _by_extension(name: str) -> Format | None:
    return _EXTENSIONS.get(PurePosixPath(name.lower()).suffix.removeprefix("."))


def _reader(format: Format) -> Callable[[Source], Document]:
    return import_module(f"sanbo.documents.formats.{READERS[format]}").read
