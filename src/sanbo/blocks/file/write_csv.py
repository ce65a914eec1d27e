"""`file.write_csv`: rows as a CSV file that a spreadsheet opens as it is meant."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given, NewFile
from sanbo.blocks.transforms.options import chosen_fields
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import fields_in, value_at
from sanbo.tables.values import as_number, text_of

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
        csv.writer(buffer, delimiter=_delimiter(given.delimiter), lineterminator="\r\n").writerows(
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


def _delimiter(written: str) -> str:
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
