"""A result on the screen, whatever workflow it is of: texts as texts, small values as a list."""

import json

from pydantic import JsonValue
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from sanbo.cli.screen import harmless, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import JsonObject

MARKDOWN_ENDING = "_md"
MAX_VALUE = 300


def show_result(console: Console, result: JsonObject | None) -> None:
    """Large and nested values are cut short here; `--json` has all of them."""
    if not result:
        return
    values = Table.grid(padding=(0, 2))
    values.add_column(style="dim", no_wrap=True)
    values.add_column()
    texts: list[str] = []
    for name, value in result.items():
        if name.endswith(MARKDOWN_ENDING) and isinstance(value, str):
            texts.append(value)
        elif value not in (None, [], {}, ""):
            values.add_row(words(name), words(_short(value)))
    for text in texts:
        # A pipe gets the text as it is: Markdown is made to be read and kept as such.
        console.print(Markdown(harmless(text)) if console.is_terminal else words(text))
    if values.row_count:
        console.print(values)


def _short(value: JsonValue) -> str:
    if isinstance(value, bool):
        return tell("cli.ask.yes" if value else "cli.ask.no")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
