"""Which way something is drawn: artifacts by media type, values by their shape. No drawing here."""

import csv
import io
import json
from typing import Literal, NamedTuple, cast

from pydantic import JsonValue

from sanbo.runs.model import Artifact

View = Literal["markdown", "table", "json", "image", "text", "download"]

MAX_INLINE_BYTES = 2_000_000
MAX_IMAGE_BYTES = 20_000_000
MAX_ROWS = 1000

_BY_TYPE: dict[str, View] = {
    "text/markdown": "markdown",
    "text/csv": "table",
    "text/tab-separated-values": "table",
    "application/json": "json",
    "image/png": "image",
    "image/jpeg": "image",
    "image/gif": "image",
    "image/webp": "image",
    "text/plain": "text",
    "application/yaml": "text",
    "text/yaml": "text",
}


def view_of(artifact: Artifact) -> View:
    """HTML, SVG and office documents can carry instructions or need their own program: download."""
    media_type = artifact.media_type.split(";")[0].strip().casefold()
    view = _BY_TYPE.get(media_type, "download")
    limit = MAX_IMAGE_BYTES if view == "image" else MAX_INLINE_BYTES
    return view if artifact.size <= limit else "download"


class Table(NamedTuple):
    columns: list[str]
    rows: list[list[object]]
    total: int
    """Rows there are; `rows` holds the first ones."""


def table_of_csv(data: bytes, delimiter: str = ",") -> Table:
    text = data.decode("utf-8-sig", errors="replace")
    records = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if not records:
        return Table([], [], 0)
    columns = _distinct(records[0])
    rows: list[list[object]] = [[*_padded(row, len(columns))] for row in records[1:]]
    return Table(columns, rows[:MAX_ROWS], len(rows))


def table_of_value(value: JsonValue) -> Table | None:
    """A list of flat objects, or `{columns, rows}`; None when a table would hide something."""
    if isinstance(value, dict) and {"columns", "rows"} <= value.keys():
        columns, rows = value["columns"], value["rows"]
        if isinstance(columns, list) and isinstance(rows, list):
            return _table_of_columns([str(name) for name in columns], rows)
    if not isinstance(value, list) or not value:
        return None
    if not all(isinstance(row, dict) and row for row in value):
        return None
    records = cast("list[dict[str, JsonValue]]", value)
    if any(isinstance(cell, dict | list) for record in records for cell in record.values()):
        return None
    names = list(dict.fromkeys(name for record in records for name in record))
    cells: list[list[object]] = [[record.get(name) for name in names] for record in records]
    return Table(names, cells[:MAX_ROWS], len(cells))


def _table_of_columns(columns: list[str], rows: list[JsonValue]) -> Table | None:
    cells: list[list[object]] = []
    for row in rows:
        if isinstance(row, list):
            cells.append([*_padded([_cell(value) for value in row], len(columns))])
        elif isinstance(row, dict):
            cells.append([_cell(row.get(name)) for name in columns])
        else:
            return None
    return Table(_distinct(columns), cells[:MAX_ROWS], len(cells))


def value_view(name: str, value: JsonValue) -> Literal["markdown", "table", "text", "json", "none"]:
    """How one value of a result or of a question's context is shown."""
    if value is None or value in ("", [], {}):
        return "none"
    if table_of_value(value) is not None:
        return "table"
    if isinstance(value, str):
        return "markdown" if name.endswith("_md") else "text"
    if isinstance(value, dict | list):
        return "json"
    return "text"


def scalar(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "✓" if value else "–"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    return str(value)


def _cell(value: JsonValue) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _padded(row: list[object] | list[str], width: int) -> list[object]:
    return [*row[:width], *([None] * (width - len(row)))]


def _distinct(names: list[str]) -> list[str]:
    """Column names as a data frame needs them: none twice."""
    seen: dict[str, int] = {}
    distinct: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct
