"""Open questions on the screen: what is asked, the fields of the answer, and how to give it."""

import json
import shlex
from collections.abc import Sequence

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table

from sanbo.cli.asking import fields_of, kind_of
from sanbo.cli.screen import words
from sanbo.cli.value_view import show_values
from sanbo.cli.workflow_view import view_of
from sanbo.kernel.messages import tell
from sanbo.runs.model import Interaction, JsonObject, Requirement, Run


def show_questions(console: Console, run: Run, *, put_off: bool = False) -> None:
    """Of a question that was put off only how to answer it: the person has just read it."""
    view = view_of(run.workflow)
    for interaction in run.open_interactions:
        console.print()
        if view is not None and view.show_ways_to_answer and view.show_matter:
            if not put_off:
                console.print(words(interaction.message, "bold"))
                view.show_matter(console, interaction)
            view.show_ways_to_answer(console, run, interaction)
            continue
        console.print(words(interaction.message, "bold"))
        show_values(console, interaction.context)
        fields = fields_of(interaction)
        show_fields(console, fields)
        several = len(run.open_interactions) > 1
        command = _command(run.run_id, interaction, fields, several=several)
        console.print(words(tell("cli.question.how"), "dim"))
        console.print(words(f"  {command}"), soft_wrap=True)


def show_fields(console: Console, fields: Sequence[Requirement]) -> None:
    table = Table.grid(padding=(0, 2))
    for field in fields:
        choices = " / ".join(str(option.value) for option in field.options)
        note = field.description
        if field.default not in (None, ""):
            default = tell("cli.ask.default", value=field.default)
            note = f"{note} {default}".strip()
        table.add_row(
            words(f"  {field.id}", "cyan"),
            words(field.label),
            words(kind_of(field), "dim"),
            words(choices),
            words(note, "dim"),
        )
    console.print(table)


def _command(
    run_id: str, interaction: Interaction, fields: Sequence[Requirement], *, several: bool
) -> str:
    needed = [field for field in fields if field.required and field.default is None]
    values: JsonObject = {field.id: _example(field) for field in needed if field.kind.files is None}
    parts = ["sanbo", "runs", "answer", run_id]
    if several:
        parts += ["--interaction", interaction.interaction_id]
    parts += ["--data", json.dumps(values, ensure_ascii=False)]
    for field in needed:
        if field.kind.files:
            parts += ["--file", f"{field.id}=…"]
    return shlex.join(parts)


def _example(field: Requirement) -> JsonValue:
    return "…" if "string" in field.kind.value_types else field.kind.example(field)
