"""`excel.write`: cells, columns and matching rows into a workbook, or rows as a whole sheet."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.excel.appending import append_table
from sanbo.blocks.excel.books import delivered, given_workbook, opened
from sanbo.blocks.excel.desk import DEFAULT_SHEET, Desk, Step, rehearse
from sanbo.blocks.excel.operations import failed, update_cells
from sanbo.blocks.excel.records import records_of
from sanbo.blocks.excel.row_updates import update_columns, update_rows_by_match
from sanbo.blocks.excel.spellings import KEYS, Operation, config_of, operation_of
from sanbo.blocks.excel.styling import sheets_begun, style_tables, total_tables
from sanbo.blocks.transforms.options import Option
from sanbo.documents.excel.references import cell_at, letters
from sanbo.kernel.problems import SanboError

Updates = list[JsonValue] | dict[str, JsonValue] | None
_CELL_WORDS = frozenset(word for words in KEYS["cell_updates"].values() for word in words) - {
    "value",
    "data",
    "values",
    "formula",
}
_COLUMN_WORDS = ("column", "col")
_CONFIG_WORDS = {
    "worksheet": "sheet",
    "start_col": "start_column",
    "first_column": "start_column",
    "include_header": "write_header",
    "include_headers": "write_header",
    "header": "write_header",
    "headers": "write_header",
    "filename": "name",
    "file_name": "name",
    "output_name": "name",
}
"""Other words for keys of `output_config`."""


class OutputConfig(Option):
    """Where `data` goes, and what the workbook is called then."""

    sheet: str | None = None
    sheet_name: str | None = None
    start_cell: str | None = None
    target: str | None = None
    start_row: int | None = None
    start_column: int | str | None = None
    header_row: int | None = None
    columns: JsonValue = None
    write_header: bool = True
    clear_existing: bool = False
    append: bool = False
    name: str | None = None
    base64: bool | None = None
    dates_as_text: bool = False
    style: bool = True
    """On sheets that were empty: a header that is seen and stays, widths, thousands."""
    totals: bool | list[str] | None = None
    """A row of sums below: of all amounts, or of these columns. By default, where `data` is written
    to a sheet that was empty; readers of the workbook's rows don't count it among them."""


class Write(Block[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        # A text is the reference to what another step gives.
        written = {port: value for port, value in given.items() if not isinstance(value, str)}
        config: Any = written.get("output_config") or {}
        rehearse(_all_steps(written, _config(config)))

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        config = _config(given.output_config or {})
        source = given_workbook(given.workbook, context)
        name = config.name or source.name
        steps = _all_steps(dict(given), config)
        first = next((sheet for step, _ in steps if (sheet := step.text("sheet"))), DEFAULT_SHEET)
        desk = Desk(opened(source, first), name, dates_as_text=config.dates_as_text)
        begun = sheets_begun(desk)
        for number, (operation, step) in enumerate(steps, start=1):
            desk.number, desk.operation = number, operation.kind
            try:
                step(desk, operation)
            except SanboError as error:
                raise failed(error, operation.place, operation.kind) from error
        if config.style:
            style_tables(desk, begun)
        is_plain = config.totals is None and not config.style
        total_tables(desk, set(desk.workbook.sheets) if is_plain else begun, config.totals)
        desk.tell(context)
        summary = desk.summary(len(steps))
        written = desk.rows_appended + desk.rows_updated
        return {
            **delivered(desk.workbook.save(), name, as_text=config.base64),
            "write_summary": {**summary, "rows_written": written, "sheet": _last_sheet(desk)},
        }


def _all_steps(given: Mapping[str, Any], config: OutputConfig) -> list[Step]:
    return [
        *_steps("cell_updates", given, "cell_updates", update_cells),
        *_steps("column_updates", given, "column_updates", update_columns),
        *_steps("match_updates", given, "update_rows_by_match", update_rows_by_match),
        *_data_steps(given.get("data"), config),
    ]


def _config(given: Mapping[str, JsonValue]) -> OutputConfig:
    words = {_CONFIG_WORDS.get(key, key): value for key, value in given.items()}
    return config_of(OutputConfig, words, "output_config", "excel_output_config_key")


def _steps(
    port: str, given: Mapping[str, Any], kind: str, step: Callable[[Desk, Operation], None]
) -> list[Step]:
    updates: Updates = given.get(port)
    if updates is None:
        return []
    if isinstance(updates, list):
        places = [(f"{port}[{number}]", each) for number, each in enumerate(updates)]
    else:
        places = [(port, updates)]
    return [
        (operation_of(_with_cells(each) if kind == "cell_updates" else each, place, kind), step)
        for place, each in places
    ]


def _with_cells(given: JsonValue) -> JsonValue:
    """`{A1: 値, B1: 値}` means its cells, `{row: 2, column: B, value: 値}` the one at B2."""
    if not isinstance(given, dict) or not _CELL_WORDS.isdisjoint(given):
        return given
    if "row" in given and any(word in given for word in _COLUMN_WORDS):
        rest = {key: each for key, each in given.items() if key not in {"row", *_COLUMN_WORDS}}
        column = next(given[word] for word in _COLUMN_WORDS if word in given)
        return {**rest, "target": f"{_letters(column)}{given['row']}"}
    cells = {key: value for key, value in given.items() if _is_address(key)}
    rest = {key: value for key, value in given.items() if key not in cells}
    return {**rest, "cells": cells}


def _letters(column: JsonValue) -> str:
    """A column by its letters or its number from 1."""
    written = str(column).strip()
    return letters(int(written)) if written.isdecimal() and int(written) else written


def _is_address(text: str) -> bool:
    try:
        cell_at(text)
    except SanboError:
        return False
    return True


def _data_steps(data: JsonValue, config: OutputConfig) -> list[Step]:
    """Rows go to one sheet; an object of lists of rows, to a sheet for each of its keys."""
    sheet = config.sheet or config.sheet_name
    if data is None:
        return []
    if sheet is None and isinstance(data, dict) and _is_by_sheet(data):
        return [_data_step(rows, name, f"data.{name}", config) for name, rows in data.items()]
    return [_data_step(data, sheet, "data", config)]


def _is_by_sheet(data: Mapping[str, JsonValue]) -> bool:
    lists = [rows for rows in data.values() if isinstance(rows, list)]
    return len(lists) == len(data) and any(isinstance(row, dict) for rows in lists for row in rows)


def _data_step(data: JsonValue, sheet: str | None, place: str, config: OutputConfig) -> Step:
    records_of(data, place)  # refused before anything is written
    if config.append or config.header_row is not None or config.start_row is not None:
        given: dict[str, JsonValue] = {
            "rows": data,
            "sheet": sheet,
            "columns": config.columns,
            "header_row": config.header_row,
            "start_row": config.start_row,
            "append": config.append,
            "by_header": True,
            "write_header": config.write_header,
            "clear_existing": config.clear_existing,
            "first_column": _letters(config.start_column) if config.start_column else None,
        }
        return Operation("column_updates", place, given), update_columns
    given = {
        "rows": data,
        "sheet": sheet,
        "columns": config.columns,
        "target": config.start_cell or config.target or f"{_letters(config.start_column or 1)}1",
        "header": config.write_header,
        "clear_existing": config.clear_existing,
    }
    return Operation("append_table", place, given), append_table


def _last_sheet(desk: Desk) -> str | None:
    cells = [each for _, _, change in desk.changes for each in change.cells]
    return cells[-1].sheet if cells else None
