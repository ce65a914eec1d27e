"""Values on the screen, whatever workflow they are of: texts as texts, rows as tables."""

import json
from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table

from sanbo.cli.screen import harmless, words
from sanbo.kernel.messages import tell

MARKDOWN_ENDING = "_md"
MAX_VALUE = 300
MAX_ROWS = 20
MAX_COLUMNS = 8


def show_values(console: Console, values: Mapping[str, JsonValue]) -> None:
    """What was written for people, and else all values, cut short; `--json` has them whole."""
    texts = [
        value
        for name, value in values.items()
        if name.endswith(MARKDOWN_ENDING) and isinstance(value, str) and value
    ]
    for text in texts:
        # A pipe gets the text as it is: Markdown is made to be read and kept as such.
        console.print(Markdown(harmless(text)) if console.is_terminal else words(text))
    if not texts:
        _show_table(console, values)


def _show_table(console: Console, values: Mapping[str, JsonValue]) -> None:
    table = _grid()
    for name, value in values.items():
        if value not in (None, [], {}, ""):
            table.add_row(words(name), _view(value))
    if table.row_count:
        console.print(Padding(table, (0, 0, 0, 2)) if console.is_terminal else table)


def _view(value: JsonValue) -> RenderableType:
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        rows = cast("list[dict[str, JsonValue]]", value)
        columns = list(dict.fromkeys(name for row in rows for name in row))
        if len(columns) <= MAX_COLUMNS:
            return _rows(rows, columns)
    if isinstance(value, dict):
        return _entries(value)
    return words(_short(value))


def _entries(values: Mapping[str, JsonValue]) -> Table:
    table = _grid()
    for name, value in values.items():
        table.add_row(words(name), words(_short(value)))
    return table


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _rows(rows: list[dict[str, JsonValue]], columns: list[str]) -> Table:
    table = Table(*(harmless(name) for name in columns), box=None, pad_edge=False)
    for row in rows[:MAX_ROWS]:
        table.add_row(*(words(_short(row.get(name))) for name in columns))
    if len(rows) > MAX_ROWS:
        table.add_row(words(tell("cli.show.more", count=len(rows) - MAX_ROWS), "dim"))
    return table


def _short(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return tell("cli.ask.yes" if value else "cli.ask.no")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
