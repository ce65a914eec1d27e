"""Documents and files on their way between processes: in pieces that are quickly taken in.

A process that serves others would stand still while it reads one large JSON.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pydantic import TypeAdapter

from sanbo.documents.model import Block, Document, Frozen, Skipped, Source, Table
from sanbo.kernel.problems import Problem, SanboError

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
                known.extend(new)  # pyright: ignore[reportArgumentType] - each with its own kind
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
