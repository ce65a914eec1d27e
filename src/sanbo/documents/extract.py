"""Reads whatever a person brings: the format is told by the content, not by the name alone."""

import logging
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import NoReturn
from zipfile import BadZipFile, ZipFile

from sanbo.documents.archives import ArchiveLimits
from sanbo.documents.encodings import decode
from sanbo.documents.file_formats import (
    documents,
    format_by_name,
    formats,
    function_of,
    media_type_of,
)
from sanbo.documents.limits import ReadingLimits, limited
from sanbo.documents.model import Document, Format, Skipped, Source
from sanbo.documents.ooxml.package import has_password, is_compound_file
from sanbo.documents.transport import packed, packed_files
from sanbo.kernel.problems import LimitExceeded, SanboError, Unexpected, UnsupportedFormat

MOST_BYTES = 500 * 1024 * 1024

_ARCHIVE = "zip"
_PLAIN_TEXT = "text"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_PICTURES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"BM",
    b"II*\x00",
    b"MM\x00*",
)


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
    if format not in documents():
        raise UnsupportedFormat("file_is_archive", name=source.name)
    document: Document = function_of(formats()[format].reader)(source)
    named = format_by_name(source.name)
    if named is not None and named.name != format:
        mismatch = UnsupportedFormat(
            "file_named_otherwise", name=source.name, named=named.name, format=format
        )
        document = document.model_copy(update={"warnings": (mismatch.problem, *document.warnings)})
    if not document.text.strip():
        raise UnsupportedFormat("file_without_text", name=source.name)
    return document


def format_of(source: Source) -> Format:
    data = source.data
    for format in formats().values():
        if format.begins is not None and format.begins(data):
            return format.name
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"):
        return _packed(source)
    if is_compound_file(data):
        return _compound(source)
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
        named = format_by_name(source.name)
        return named.name if named is not None and named.main_parts else _ARCHIVE
    for format in formats().values():
        if not names.isdisjoint(format.main_parts):
            return format.name
    if "content.xml" in names and "mimetype" in names:
        named = format_by_name(source.name)
        if named is None or not media_type_of(source.name).startswith(_OPEN_DOCUMENT):
            _refuse(source)
        return named.name
    return _ARCHIVE


def _compound(source: Source) -> Format:
    """Word, Excel and PowerPoint before 2007, and today's files under a password."""
    if has_password(source.data):
        raise UnsupportedFormat("file_password", name=source.name)
    for format in formats().values():
        if any(name.encode("utf-16-le") in source.data for name in format.streams):
            return format.name
    raise UnsupportedFormat("file_old_office", name=source.name)


def _text_format(source: Source) -> Format:
    named = format_by_name(source.name)
    if named is not None and named.is_text:
        return named.name
    try:
        text = decode(source.data).text.strip()
    except SanboError:
        _refuse(source)
    alike = (each.name for each in formats().values() if each.looks_so and each.looks_so(text))
    return next(alike, _PLAIN_TEXT)


def _refuse(source: Source) -> NoReturn:
    raise UnsupportedFormat("file_unknown", name=source.name)


def warm_up() -> None:
    """Each file is read in a copy of this process, which then has nothing to load."""
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    for format in formats().values():
        for path in filter(None, (format.reader, format.unpacker)):
            function_of(path)


def document_in(name: str, most: ReadingLimits, data: memoryview) -> Iterator[bytes]:
    yield from packed(_read(Source(name=name, data=bytes(data)), most))


def files_in(
    name: str, kind: Format, allowed: ArchiveLimits, skip: int, data: memoryview
) -> Iterator[bytes]:
    """Of an archive or a mail, after the first `skip`."""
    source = Source(name=name, data=bytes(data))
    files: Iterable[Source | Skipped] = function_of(formats()[kind].unpacker)(source, allowed)
    yield from packed_files(files, skip)


def pictures_in(name: str, most: int, data: memoryview) -> Iterator[bytes]:
    """The first pages of a document as they look; none of a format without pages."""
    source = Source(name=name, data=bytes(data))
    if path := formats()[format_of(source)].pictures:
        yield from packed_files(function_of(path)(source, most), 0)


def format_in(name: str, data: memoryview) -> Iterator[bytes]:
    """Nothing where it can't be told: reading the file says why."""
    try:
        yield format_of(Source(name=name, data=bytes(data))).encode()
    except SanboError:
        return


def _read(source: Source, most: ReadingLimits) -> Document:
    try:
        with limited(most):
            return extract(source)
    except (SanboError, MemoryError):
        raise
    except RecursionError:
        raise MemoryError from None
    except Exception as error:
        kind = type(error).__name__
        raise Unexpected("file_reader_defect", name=source.name, kind=kind) from error
