"""`sanbo doctor`: whether everything is in place, and what to do where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from sanbo.cli import conventions
from sanbo.cli.bench import read_settings
from sanbo.cli.conventions import Json
from sanbo.cli.root import Everywhere
from sanbo.cli.screen import Mark, err, mark, out, print_json, show_line, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidSettings

if TYPE_CHECKING:
    from sanbo.service.doctor import Check

app = typer.Typer(add_completion=False)


@app.command(help="cli.help.doctor")
def doctor(context: typer.Context, as_json: Json = False) -> int:
    checks = examined(context.obj)
    broken = any(check.level == "broken" for check in checks)
    if as_json:
        found = [check.model_dump(mode="json") for check in checks]
        print_json({"healthy": not broken, "checks": found})
    else:
        show_checks(checks)
    return conventions.FAILED if broken else conventions.SUCCEEDED


def examined(everywhere: Everywhere) -> Sequence[Check]:
    # Loaded when called: the checks bring SQLAlchemy with them, which help can do without.
    from sanbo.service.doctor import examine  # noqa: PLC0415

    try:
        return examine(read_settings(everywhere))
    except InvalidSettings as error:
        return examine(error.problem)


def show_checks(checks: Sequence[Check]) -> None:
    console = out()
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for check in checks:
        text = words(check.text)
        if check.hint:
            text.append_text(Text("\n")).append_text(words(check.hint, "dim"))
        table.add_row(mark(console, _mark(check)), words(check.title, "bold"), text)
    console.print(table)
    levels = [check.level for check in checks]
    if "broken" in levels:
        show_line(err(), "broken", tell("cli.doctor.broken", count=levels.count("broken")))
    elif "warning" in levels:
        show_line(err(), "warning", tell("cli.doctor.warning", count=levels.count("warning")))
    else:
        show_line(err(), "ok", tell("cli.doctor.ok"))


def _mark(check: Check) -> Mark:
    return check.level
