"""`excel.read_data`: the rows of a workbook's sheets by their headers."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Literal

from openpyxl.formula.tokenizer import Tokenizer
from pydantic import Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.excel.books import BookSource, given_workbook
from sanbo.blocks.excel.spellings import config_of, truth
from sanbo.blocks.file.sources import read_workspace_file
from sanbo.blocks.file.total_rows import TotalRows
from sanbo.blocks.transforms.options import Option
from sanbo.documents.columns import Cell
from sanbo.documents.excel.book import Book
from sanbo.documents.excel.formulas import check_stays_inside
from sanbo.documents.excel.references import Area, area_of
from sanbo.documents.excel.tables import rows_of_totals
from sanbo.documents.sheet_tables import SheetTable, find_tables
from sanbo.documents.sheets import Sheet, read_sheets, shown
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import (
    InvalidInput,
    MissingDependency,
    NotFound,
    ProviderFailed,
    TimedOut,
)
from sanbo.kernel.text import listed, matching_form

_RECALC_KEYS = ("enabled", "engine", "soffice_path", "timeout_sec")


HeaderRow = int | Literal["auto"] | None
"""`auto`: the table is looked for, below titles and through merged headings."""


class SheetConfig(Option):
    name: str
    header_row: HeaderRow = None
    range: str | None = None
    skip_empty_rows: bool | None = None
    required: list[str] = Field(default_factory=list[str])
    """Headings without which nothing is read: what is to be written later needs them."""


class ReadConfig(Option):
    header_row: HeaderRow = None
    skip_empty_rows: bool = True
    date_as_iso: bool = True
    sheets: list[SheetConfig | str] | SheetConfig | str | None = None
    mode: Literal["single", "multi"] | None = None


@dataclass(frozen=True)
class _Wanted:
    sheet: Sheet
    header_row: int | None
    """None: to be looked for."""
    area: Area | None
    skip_empty_rows: bool
    required: Sequence[str] = ()


class ReadData(Block[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        config = given.get("read_config")
        sheets = _config(config).sheets if isinstance(config, dict) else None
        for each in sheets if isinstance(sheets, list) else [sheets]:
            if isinstance(each, SheetConfig) and each.range:
                area_of(each.range)
        _recalc_options(given.get("recalc"))

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        config = _config(given.read_config or {})
        source = _source(given, context)
        if source.data is None:
            raise InvalidInput("excel_nothing_to_read", name=source.name)
        sheets, recalc = _sheets(source, source.data, given.recalc)
        totals = rows_of_totals(source.data)
        sheets = [_without_totals(sheet, totals.get(sheet.name, 0)) for sheet in sheets]
        wanted = _wanted(sheets, config)
        sums = TotalRows(given.totals, context)
        data = {each.sheet.name: _rows(each, sums, iso=config.date_as_iso) for each in wanted}
        nothing: list[dict[str, JsonValue]] = []
        mode = config.mode or given.mode
        warnings = [
            tell("excel_not_calculated", sheet=each.sheet.name, count=each.sheet.not_calculated)
            for each in wanted
            if each.sheet.not_calculated
        ]
        return {
            "data": data,
            "rows": next(iter(data.values())) if len(data) == 1 and mode == "single" else nothing,
            "summary": {
                "workbook_name": source.name,
                "sheets": len(data),
                "sheet_names": [sheet.name for sheet in sheets],
                "rows": {name: len(rows) for name, rows in data.items()},
                "recalc": recalc,
                "mode": mode,
                "totals_left_out": totals,
                "warnings": warnings,
                **({"total_rows": sums.numbers} if sums.is_left_out else {}),
            },
        }


def _without_totals(sheet: Sheet, row: int) -> Sheet:
    """The sums that `excel.write` put below a table are none of its rows."""
    at = row - sheet.first_row
    if not row or not 0 <= at < len(sheet.rows):
        return sheet
    nothing: list[Cell] = [None] * len(sheet.rows[at])
    rows = [nothing if place == at else cells for place, cells in enumerate(sheet.rows)]
    return replace(sheet, rows=rows if at < len(rows) - 1 else rows[:-1])


def _source(given: Given, context: BlockContext) -> BookSource:
    if given.path:
        found = read_workspace_file(given.path, context)
        return BookSource(found.name, found.data)
    return given_workbook(given.bytes if given.workbook is None else given.workbook, context)


def _config(given: Mapping[str, JsonValue]) -> ReadConfig:
    return config_of(ReadConfig, given, "read_config", "excel_read_config_key")


def _sheets(
    source: BookSource, data: bytes, recalc: bool | dict[str, JsonValue] | None
) -> tuple[list[Sheet], dict[str, JsonValue]]:
    """Calculated anew only where asked for and where a result is missing."""
    options = _recalc_options(recalc)
    is_wanted = truth(options.get("enabled", True))
    sheets = read_sheets(data)
    if not is_wanted:
        return sheets, {"enabled": False, "status": "off"}
    if not any(sheet.not_calculated for sheet in sheets):
        return sheets, {"enabled": True, "status": "not_needed"}
    seconds = options.get("timeout_sec")
    limit = int(seconds) if isinstance(seconds, int | float) else SECONDS
    sheets = read_sheets(recalculated(data, source.name, limit))
    return sheets, {"enabled": True, "status": "recalculated"}


def _recalc_options(recalc: JsonValue) -> dict[str, JsonValue]:
    options: dict[str, JsonValue] = (
        recalc if isinstance(recalc, dict) else {"enabled": bool(recalc)}
    )
    for key in options:
        if key not in _RECALC_KEYS:
            near = alternatives(key, list(_RECALC_KEYS))
            raise InvalidInput("excel_recalc_key", place="recalc", key=key, nearest=near)
    return options


def _wanted(sheets: Sequence[Sheet], config: ReadConfig) -> list[_Wanted]:
    asked = config.sheets
    listed = asked if isinstance(asked, list) else [] if asked is None else [asked]
    configs = [SheetConfig(name=each) if isinstance(each, str) else each for each in listed]
    if not configs:
        configs = [SheetConfig(name=sheet.name) for sheet in sheets if not sheet.is_hidden]
    return [
        _Wanted(
            _named(sheets, each.name),
            _row_number(each.header_row or config.header_row),
            area_of(each.range) if each.range else None,
            config.skip_empty_rows if each.skip_empty_rows is None else each.skip_empty_rows,
            each.required,
        )
        for each in configs
    ]


def _row_number(written: HeaderRow) -> int | None:
    return None if written == "auto" else written or 1


def _named(sheets: Sequence[Sheet], name: str) -> Sheet:
    alike = [sheet for sheet in sheets if matching_form(sheet.name) == matching_form(name)]
    exact = [sheet for sheet in alike if sheet.name == name]
    if not alike:
        near = alternatives(name, [sheet.name for sheet in sheets])
        raise NotFound("excel_sheet_missing", sheet=name, nearest=near)
    return (exact or alike)[0]


def _rows(wanted: _Wanted, sums: TotalRows, *, iso: bool) -> list[dict[str, JsonValue]]:
    names, rows, numbers = _cells(wanted)
    # A sheet with headings alone is read as one row that has none.
    _require(wanted, names or [shown(cell) for row in rows[:1] for cell in row])
    kept = sums.places_kept(names, rows, numbers, wanted.sheet.name)
    return _named_rows(names, [rows[place] for place in kept], skip=wanted.skip_empty_rows, iso=iso)


def _require(wanted: _Wanted, names: Sequence[str]) -> None:
    known = {matching_form(name) for name in names}
    missing = [name for name in wanted.required if matching_form(name) not in known]
    if missing:
        raise NotFound(
            "excel_header_missing",
            sheet=wanted.sheet.name,
            header=listed(missing),
            nearest=alternatives(missing[0], names),
        )


def _cells(wanted: _Wanted) -> tuple[list[str], Sequence[Sequence[Cell]], Sequence[int]]:
    """Names, rows below them, and the sheet's numbers of those."""
    if wanted.header_row is None and wanted.area is None:
        found = [part for part in find_tables(wanted.sheet) if isinstance(part, SheetTable)]
        if not found:
            return [], [], []
        table = max(found, key=lambda each: len(each.rows) * len(each.column_numbers))
        return table.columns or [], table.rows, table.row_numbers
    grid = _grid(wanted)
    header = (wanted.header_row or 1) - 1
    if header >= len(grid):
        return [], [], []
    first = (wanted.area.top if wanted.area else 1) + header + 1
    names = [shown(cell) for cell in grid[header]]
    return names, grid[header + 1 :], range(first, first + len(grid))


def _grid(wanted: _Wanted) -> list[list[Cell]]:
    """From row 1 and column A, or the range; `header_row` counts from its first row."""
    sheet = wanted.sheet
    width = sheet.first_column - 1 + (len(sheet.rows[0]) if sheet.rows else 0)
    area = wanted.area or Area(1, 1, sheet.first_row - 1 + len(sheet.rows), width)
    nothing: list[Cell] = []
    rows: list[list[Cell]] = []
    for number in range(area.top, min(area.bottom, sheet.first_row - 1 + len(sheet.rows)) + 1):
        at = number - sheet.first_row
        cells = sheet.rows[at] if 0 <= at < len(sheet.rows) else nothing
        rows.append(
            [
                cells[column - sheet.first_column]
                if 0 <= column - sheet.first_column < len(cells)
                else None
                for column in range(area.left, area.right + 1)
            ]
        )
    return rows


def _named_rows(
    names: Sequence[str], rows: Sequence[Sequence[Cell]], *, skip: bool, iso: bool
) -> list[dict[str, JsonValue]]:
    width = max((len(row) for row in rows), default=len(names))
    fields = _fields([*names, *[""] * (width - len(names))], rows)
    return [
        {name: _json(row[at], iso=iso) if at < len(row) else None for at, name in fields}
        for row in rows
        if not (skip and all(_is_empty(cell) for cell in row))
    ]


def _fields(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[tuple[int, str]]:
    """Names without line breaks; `col3` for a column without one, and none for an empty column."""
    fields: list[tuple[int, str]] = []
    taken: dict[str, int] = {}
    for at, written in enumerate(names):
        name = "".join(written.split("\n")).strip()
        if not name and all(_is_empty(row[at]) for row in rows if at < len(row)):
            continue
        name = name or f"col{at + 1}"
        taken[name] = taken.get(name, 0) + 1
        fields.append((at, name if taken[name] == 1 else f"{name}_{taken[name]}"))
    return fields


def _is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _json(cell: Cell, *, iso: bool) -> JsonValue:
    """A date as ISO, or as offices write it: 2025/04/01."""
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    if isinstance(cell, datetime):
        return cell.isoformat() if iso else cell.strftime("%Y/%m/%d %H:%M:%S")
    if isinstance(cell, date):
        return cell.isoformat() if iso else cell.strftime("%Y/%m/%d")
    if cell is None or isinstance(cell, str | int | float | bool):
        return cell
    return shown(cell)


_PROGRAMS = ("soffice", "libreoffice")
SECONDS = 120
_MOST_SECONDS = 600


def recalculated(data: bytes, name: str, seconds: int = SECONDS) -> bytes:
    """The program is the one on this machine's path: a plan can't name another."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise MissingDependency("excel_recalculation_program", name=name)
    _check_stays_inside(data, name)
    seconds = max(1, min(seconds, _MOST_SECONDS))
    with tempfile.TemporaryDirectory(prefix="sanbo-") as folder:
        place = Path(folder)
        source = place / "in" / "workbook.xlsx"
        source.parent.mkdir()
        source.write_bytes(data)
        _convert(program, source, place, name, seconds)
        made = place / "out" / "workbook.xlsx"
        if not made.is_file():
            raise ProviderFailed("excel_recalculation_failed", name=name)
        return made.read_bytes()


def _check_stays_inside(data: bytes, name: str) -> None:
    """Calculating must not send what cells hold to other machines."""
    book = Book(data, name)
    texts = {text for sheet in book.sheets() for _, text, _ in sheet.formulas()}
    for text in sorted(texts):
        check_stays_inside(text, Tokenizer(f"={text}").items, book.external_links)


def _convert(program: str, source: Path, place: Path, name: str, seconds: int) -> None:
    command = [
        program,
        "--headless",
        "--norestore",
        f"-env:UserInstallation={(place / 'profile').as_uri()}",
        "--convert-to",
        "xlsx:Calc MS Excel 2007 XML",
        "--outdir",
        str(place / "out"),
        str(source),
    ]
    process = subprocess.Popen(  # noqa: S603 - found on the path; the arguments are ours
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(place), "LANG": "ja_JP.UTF-8"},
        start_new_session=True,
    )
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        raise TimedOut("excel_recalculation_slow", name=name, seconds=seconds) from None
    if process.returncode != 0:
        raise ProviderFailed("excel_recalculation_failed", name=name)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With the processes that it started: the program's own is a child of a script."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
