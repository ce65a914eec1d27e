"""Reads whatever a person brings: the format is told by the content, not by the name alone.

What was read passes between processes in pieces that are quickly taken in: a process
that serves others would stand still while it reads one large JSON.
"""

import logging
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any, NoReturn
from zipfile import BadZipFile, ZipFile

from pydantic import TypeAdapter

from sanbo.documents.builder import ReadingLimits, limited
from sanbo.documents.encodings import decode
from sanbo.documents.file_formats import (
    documents,
    format_by_name,
    formats,
    function_of,
    media_type_of,
)
from sanbo.documents.formats.zip import ArchiveLimits
from sanbo.documents.model import Block, Document, Format, Frozen, Skipped, Source, Table
from sanbo.documents.ooxml.package import has_password, is_compound_file
from sanbo.kernel.problems import LimitExceeded, Problem, SanboError, Unexpected, UnsupportedFormat

_PIECE = struct.Struct(">cI")
_HEAD, _TEXT, _BLOCKS, _ROWS = b"H", b"T", b"B", b"R"
_BLOCKS_A_PIECE = 2_000
_CELLS_A_PIECE = 20_000
_LARGEST_PIECE = 64 << 20
_WITHOUT_ROWS: dict[str, tuple[()]] = {"rows": (), "row_starts": (), "row_numbers": ()}

_Rows = tuple[list[tuple[str, ...]], list[int], list[int]]
_BLOCKS_JSON = TypeAdapter(list[Block])
_ROWS_JSON: TypeAdapter[_Rows] = TypeAdapter(_Rows)


def packed(document: Document) -> Iterator[bytes]:
    yield from _piece(_HEAD, document.model_copy(update={"text": "", "blocks": ()}))
    yield from _framed(_TEXT, document.text.encode())
    waiting: list[Block] = []
    for block in document.blocks:
        is_table = isinstance(block, Table)
        waiting.append(block.model_copy(update=_WITHOUT_ROWS) if is_table else block)
        if is_table or len(waiting) == _BLOCKS_A_PIECE:
            yield from _framed(_BLOCKS, _BLOCKS_JSON.dump_json(waiting))
            waiting = []
        if is_table:
            yield from _rows_of(block)
    if waiting:
        yield from _framed(_BLOCKS, _BLOCKS_JSON.dump_json(waiting))


def unpacked(data: memoryview) -> Document:
    """ValueError where it is not what `packed` gives: nothing of it is trusted."""
    head: Document | None = None
    text = ""
    blocks: list[Block] = []
    rows: _Rows = ([], [], [])
    for kind, body in _pieces(data):
        if kind == _ROWS:
            for known, new in zip(rows, _ROWS_JSON.validate_json(body), strict=True):
                # pyrefly: ignore[bad-argument-type]
                known.extend(new)
            continue
        _fill_last(blocks, rows)
        rows = ([], [], [])
        if kind == _HEAD:
            head = Document.model_validate_json(body)
        elif kind == _TEXT:
            text = body.decode()
        else:
            blocks.extend(_BLOCKS_JSON.validate_json(body))
    _fill_last(blocks, rows)
    if head is None:
        raise ValueError("a document without its head")
    return head.model_copy(update={"text": text, "blocks": tuple(blocks)})


def _rows_of(table: Table) -> Iterator[bytes]:
    width = max(1, *(len(row) for row in table.rows[:1]), len(table.columns or ()))
    step = max(1, _CELLS_A_PIECE // width)
    for begin in range(0, len(table.rows), step):
        part: Sequence[Any] = (
            table.rows[begin : begin + step],
            table.row_starts[begin : begin + step],
            table.row_numbers[begin : begin + step],
        )
        yield from _framed(_ROWS, TypeAdapter(Any).dump_json(part))


def _fill_last(blocks: list[Block], rows: _Rows) -> None:
    if rows[0]:
        last = blocks[-1] if blocks else None
        if not isinstance(last, Table):
            raise ValueError("rows of no table")
        filled = {
            "rows": tuple(rows[0]),
            "row_starts": tuple(rows[1]),
            "row_numbers": tuple(rows[2]),
        }
        blocks[-1] = last.model_copy(update=filled)


def _piece(kind: bytes, model: Document) -> Iterator[bytes]:
    return _framed(kind, model.model_dump_json().encode())


def _framed(kind: bytes, body: bytes) -> Iterator[bytes]:
    yield _PIECE.pack(kind, len(body))
    yield body


def _pieces(data: memoryview) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(data):
        kind, size = _head(bytes(data[at : at + _PIECE.size]))
        at += _PIECE.size
        if at + size > len(data) or (size > _LARGEST_PIECE and kind != _TEXT):
            raise ValueError("a piece without its end")
        yield kind, bytes(data[at : at + size])
        at += size


def _head(data: bytes) -> tuple[bytes, int]:
    if len(data) < _PIECE.size:
        raise ValueError("a piece without its head")
    return _PIECE.unpack(data)


# ---- files ---------------------------------------------------------------------------------

_FILE, _SKIPPED, _FAILED, _MORE = b"F", b"S", b"X", b"M"
_MOST_AT_ONCE = 256 << 20
_NAME = struct.Struct(">I")
Read = Callable[[int, int], bytes]
"""So many bytes, from a place on."""


class Failed(Frozen):
    """What ended the reading of a container; the files before it stand."""

    problem: Problem


class More(Frozen):
    """There are others, which were left for the next time."""


def packed_files(files: Iterable[Source | Skipped], skip: int) -> Iterator[bytes]:
    """Those after the first `skip`, until there is enough for once."""
    size = 0
    try:
        for number, file in enumerate(files):
            if number < skip:
                continue
            if size > _MOST_AT_ONCE:
                yield from _framed(_MORE, b"")
                return
            if isinstance(file, Skipped):
                yield from _framed(_SKIPPED, file.model_dump_json().encode())
                continue
            size += len(file.data)
            name = file.name.encode("utf-8", "surrogatepass")
            yield _PIECE.pack(_FILE, _NAME.size + len(name) + len(file.data))
            yield _NAME.pack(len(name)) + name
            yield file.data
    except SanboError as error:
        yield from _framed(_FAILED, Failed(problem=error.problem).model_dump_json().encode())


def unpacked_files(read: Read, size: int) -> Iterator[Source | Skipped | Failed | More]:
    """One in memory at a time."""
    at = 0
    while at < size:
        kind, length = _head(read(_PIECE.size, at))
        body = read(length, at + _PIECE.size)
        at += _PIECE.size + length
        if len(body) < length or (kind == _FILE and length < _NAME.size):
            raise ValueError("a file without its end")
        if kind == _FILE:
            (name,) = _NAME.unpack_from(body)
            yield Source(
                name=body[_NAME.size : _NAME.size + name].decode("utf-8", "surrogatepass"),
                data=body[_NAME.size + name :],
            )
        elif kind == _SKIPPED:
            yield Skipped.model_validate_json(body)
        else:
            yield More() if kind == _MORE else Failed.model_validate_json(body)


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
    documents: see `zip.read_archive`."""
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
    is_claimed = format_by_name(source.name) is not None
    raise UnsupportedFormat("file_damaged" if is_claimed else "file_unknown", name=source.name)


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
