"""CSV files: read in whatever encoding they were exported (`file.read_csv`), and written so that a
spreadsheet opens them as they are meant (`file.write_csv`).
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any, Literal, cast

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given, NewFile
from sanbo.blocks.file.sources import read_workspace_file
from sanbo.blocks.file.total_rows import TotalRows
from sanbo.blocks.transforms.options import chosen_fields
from sanbo.documents.columns import Cell, ColumnType, infer_columns, typed
from sanbo.documents.formats.csv import Delimited, read_delimited
from sanbo.documents.model import Source
from sanbo.kernel.problems import InvalidInput, SanboError
from sanbo.tables.rows import fields_in, value_at
from sanbo.tables.values import as_number, text_of

# ---- `file.read_csv` -----------------------------------------------------------------------------


_TABS = frozenset({"\\t", "tab", "TAB"})
_NAMES = {"sjis": "cp932", "shift_jis": "cp932", "shift-jis": "cp932", "windows-31j": "cp932"}
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


class ReadCsv(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        source = _source(given, context)
        if source.data.startswith(_WORKBOOKS):
            raise InvalidInput("block_csv_is_workbook", name=source.name)
        if not source.data.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
            raise InvalidInput("block_csv_empty", name=source.name)
        has_header = None if given.has_header == "auto" else given.has_header
        table = _read(source.data, given, has_header=has_header)
        if has_header is None and table.header is None and _is_header_alone(table):
            table = _read(source.data, given, has_header=True)
        width = len(table.rows[0]) if table.rows else 0
        names = table.header or [str(number) for number in range(width)]
        totals = TotalRows(given.totals, context)
        kept = totals.places_kept(names, cast("list[list[Cell]]", table.rows), table.row_numbers)
        table = replace(
            table,
            rows=[table.rows[place] for place in kept],
            row_numbers=[table.row_numbers[place] for place in kept],
        )
        cells, types, warnings = _values(table, names, given.types)
        rows = [
            {name: None if cell == "" else cell for name, cell in zip(names, row, strict=True)}
            for row in cells
        ]
        for warning in (*table.warnings, *warnings):
            context.warn(warning)
        left_out = {"total_rows": totals.numbers.get("", [])} if totals.is_left_out else {}
        summary = _summary(source, table, names, types, warnings)
        return {"rows": rows, "summary": summary | left_out}


def _read(data: bytes, given: Given, *, has_header: bool | None) -> Delimited:
    return read_delimited(
        data,
        delimiter=_delimiter(given.delimiter),
        has_header=has_header,
        encoding=_encoding(given.encoding),
    )


def _is_header_alone(table: Delimited) -> bool:
    """A month without payments: several different words in the only row, and no figure."""
    if len(table.rows) != 1 or len(table.rows[0]) < 2:
        return False
    cells = [cell.strip() for cell in table.rows[0]]
    is_worded = all(cell and not any(map(str.isdecimal, cell)) for cell in cells)
    return is_worded and len(set(cells)) == len(cells)


def _source(given: Given, context: BlockContext) -> Source:
    if (given.bytes is None) == (not given.path):
        raise InvalidInput("block_one_of_two", first="bytes", second="path")
    if given.bytes is None:
        return read_workspace_file(given.path, context)
    return Source(name=given.bytes.name, data=context.files.read(given.bytes))


def _delimiter(written: str) -> str | None:
    if written == "auto":
        return None
    return "\t" if written in _TABS else written


def _encoding(written: str) -> str | None:
    name = written.strip().lower()
    return None if name == "auto" else _NAMES.get(name, name)


def _values(
    table: Delimited, names: Sequence[str], wanted: Literal["auto", "text"]
) -> tuple[list[list[Any]], list[ColumnType], list[SanboError]]:
    """Numbers and dates where a whole column is made of them; codes such as 0012 stay text."""
    if wanted == "text":
        text: ColumnType = "text"
        return cast("list[list[Any]]", table.rows), [text for _ in names], []
    rows = cast("list[list[Cell]]", table.rows)
    types: list[ColumnType] = infer_columns(rows)
    empty: ColumnType = "empty"
    types.extend(empty for _ in range(len(names) - len(types)))
    read = typed(rows, types)
    cells = [[_json(cell) for cell in row] for row in read.rows]
    odd: dict[int, list[int]] = {}
    for cell in read.unreadable:  # kept as they are written: a cell must not get lost
        cells[cell.row][cell.column] = cell.text
        odd.setdefault(cell.column, []).append(table.row_numbers[cell.row])
    warnings: list[SanboError] = [
        InvalidInput(
            "block_csv_odd_cells",
            column=names[column],
            count=len(lines),
            lines=", ".join(str(line) for line in lines[:5]),
        )
        for column, lines in odd.items()
    ]
    return cells, types, warnings


def _json(cell: Cell) -> str | int | float | bool | None:
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return cell if cell is None or isinstance(cell, str | int | float | bool) else str(cell)


def _summary(
    source: Source,
    table: Delimited,
    names: Sequence[str],
    types: Sequence[ColumnType],
    warnings: Sequence[SanboError],
) -> dict[str, Any]:
    problems = [each.problem for each in (*table.warnings, *warnings)]
    return {
        "name": source.name,
        "path": source.name,
        "rows": len(table.rows),
        "columns": list(names),
        "types": dict(zip(names, types, strict=True)),
        "encoding": table.encoding,
        "delimiter": table.delimiter,
        "has_header": table.header is not None,
        "header_row": table.header_row if table.header is not None else None,
        "title": table.title,
        "warnings": [
            {"code": str(each.code), "message": each.message, "hint": each.hint}
            for each in problems
        ],
    }


# ---- `file.write_csv` ----------------------------------------------------------------------------


_ENCODINGS = {"utf-8-sig": "utf-8-sig", "utf-8": "utf-8", "cp932": "cp932", "shift_jis": "cp932"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MOST_EXAMPLES = 5


class WriteCsv(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        columns = chosen_fields(given.columns, given.rows, "columns") or {
            name: name for name in fields_in(given.rows)
        }
        table = [[value_at(row, field) for field in columns.values()] for row in given.rows]
        escaped = 0
        lines: list[list[str]] = [list(columns)] if given.header and columns else []
        for row in table:
            texts = [_text(cell) for cell in row]
            if given.formulas == "escape":
                safe = [_escaped(text, cell) for text, cell in zip(texts, row, strict=True)]
                escaped += sum(one != other for one, other in zip(texts, safe, strict=True))
                texts = safe
            lines.append(texts)
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=_separator(given.delimiter), lineterminator="\r\n").writerows(
            lines
        )
        data, replaced = _encoded(buffer.getvalue(), _ENCODINGS[given.encoding])
        if replaced:
            unwritable = InvalidInput(
                "block_csv_unwritable",
                encoding=given.encoding,
                count=len(replaced),
                characters="、".join(replaced[:_MOST_EXAMPLES]),
            )
            if given.on_unwritable == "fail":
                raise unwritable
            context.warn(unwritable)
        name = given.name if "." in given.name else f"{given.name}.csv"
        return {
            "file": NewFile(name, data, "text/csv"),
            "summary": {
                "name": name,
                "rows": len(given.rows),
                "columns": list(columns),
                "encoding": given.encoding,
                "escaped": escaped,
                "unwritable": replaced,
            },
        }


def _text(cell: JsonValue) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list):
        return "、".join(text_of(each) for each in cell)
    return text_of(cell)


def _escaped(text: str, cell: JsonValue) -> str:
    """A text that a spreadsheet would take for a formula begins with an apostrophe then."""
    is_text = isinstance(cell, str) and as_number(cell) is None
    return f"'{text}" if is_text and text.startswith(_FORMULA) else text


def _separator(written: str) -> str:
    return "\t" if written.lower() in ("tab", "\\t") else written


def _encoded(text: str, encoding: str) -> tuple[bytes, Sequence[str]]:
    try:
        return text.encode(encoding), []
    except UnicodeEncodeError:
        pass
    odd = [each for each in dict.fromkeys(text) if not _can_be(each, encoding)]
    return text.encode(encoding, "replace"), odd


def _can_be(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
