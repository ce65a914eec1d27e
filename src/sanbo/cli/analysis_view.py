"""An analysis on the screen: the answer, its tables, where the rest is and how to go on."""

from __future__ import annotations

import shlex
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from sanbo.cli.problems import show_problem
from sanbo.cli.progress import show_line
from sanbo.cli.screen import err, harmless, out, words
from sanbo.kernel.messages import tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanbo.runs.model import JsonObject, Run
    from sanbo.service.analysis import Replayed

ROWS = 20
COLUMNS = 10


def show_answer(run: Run, file: str, *, is_exported: bool) -> None:
    result = run.result or {}
    console = out()
    answer = str(result.get("answer_md", ""))
    console.print(Markdown(harmless(answer)) if console.is_terminal else words(answer))
    tables = cast("list[JsonObject]", result.get("tables", []))
    own = [table for table in tables if table["name"]]
    for table in own or tables:  # numbers behind a picture mostly stand in a table as well
        _show_table(
            console,
            str(table["title"]),
            cast("list[str]", table["labels"]),
            cast("list[list[JsonValue]]", table["rows"]),
            cast("int", table["row_count"]),
            kinds=cast("list[str]", table["kinds"]),
        )
    figures = cast("list[JsonObject]", result.get("figures", []))
    _show_list(console, "cli.analyze.figures", [str(figure["title"]) for figure in figures])
    _show_list(console, "cli.analyze.assumptions", cast("list[str]", result.get("assumptions", [])))
    if result.get("kind") == "report" and not is_exported:
        show_line(err(), "ok", tell("cli.analyze.export_hint"))
    again = f"sanbo analyze {shlex.quote(file)} … --thread {run.conversation_id}"
    show_line(err(), "ok", tell("cli.analyze.thread_hint", command=again))


def show_replayed(replayed: Replayed) -> None:
    console = out()
    for table in replayed.tables:
        _show_table(console, table.title, table.columns, table.rows, table.row_count)
    if not replayed.is_same_file:
        show_line(err(), "waiting", tell("cli.analyze.other_file"))
    if replayed.problem is not None:
        show_problem(replayed.problem)
    if replayed.differences:
        show_line(err(), "broken", tell("cli.analyze.differs", count=len(replayed.differences)))
        for difference in replayed.differences:
            err().print(words(f"  {difference}"))
    elif replayed.problem is None:
        show_line(err(), "ok", tell("cli.analyze.same", count=len(replayed.tables)))


def _show_table(
    console: Console,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[JsonValue]],
    row_count: int,
    *,
    kinds: Sequence[str] = (),
) -> None:
    console.print()
    console.print(words(title, "bold"))
    table = Table(box=None, pad_edge=False)
    for position, name in enumerate(columns[:COLUMNS]):
        is_number = all(
            isinstance(row[position], int | float) or row[position] is None for row in rows
        )
        table.add_column(harmless(name), justify="right" if is_number else "left")
    for row in rows[:ROWS]:
        cells = zip_longest(row[:COLUMNS], kinds[:COLUMNS], fillvalue="")
        table.add_row(*(words(_cell(value, is_share=kind == "share")) for value, kind in cells))
    console.print(table)
    left_out = row_count - min(len(rows), ROWS)
    if left_out:
        console.print(words(tell("cli.show.more", count=left_out), "dim"))
    if len(columns) > COLUMNS:
        more = tell("cli.analyze.more_columns", count=len(columns) - COLUMNS)
        console.print(words(more, "dim"))


def _cell(value: JsonValue, *, is_share: bool = False) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return tell("cli.ask.yes" if value else "cli.ask.no")
    if isinstance(value, int | float) and is_share:
        return f"{value:.1%}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".") if abs(value) >= 0.001 else f"{value:.4g}"
    return str(value)


def _show_list(console: Console, heading: str, texts: Sequence[str]) -> None:
    if texts:
        console.print()
        console.print(words(tell(heading), "bold"))
        for text in texts:
            console.print(words(f"- {text}"))
