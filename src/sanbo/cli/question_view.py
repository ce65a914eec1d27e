"""Open questions on the screen: what is asked, the fields of the answer, and how to give it."""

import json
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table

from sanbo.cli.asking import default_text, fields_of, kind_of
from sanbo.cli.parts_view import show_parts
from sanbo.cli.screen import local_time, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import Interaction, JsonObject, Requirement, Run
from sanbo.runs.parts import Part


def show_questions(
    console: Console, run: Run, parts: Sequence[Part], *, put_off: bool = False
) -> None:
    """Of a question that was put off only how to answer it: the person has just read it."""
    for interaction in run.open_interactions:
        console.print()
        fields = fields_of(interaction)
        ways = list(_ways(fields))
        if not put_off:
            console.print(words(interaction.message, "bold"))
            show_circumstances(console, interaction)
            show_parts(console, about(interaction, parts))
            if len(ways) == 1:
                show_fields(console, fields)
        console.print()
        console.print(
            words(tell("cli.question.how" if len(ways) == 1 else "cli.question.ways"), "dim")
        )
        for label, answer in ways:
            if label:
                console.print(words(f"  {label}", "dim"), soft_wrap=True)
            command = _command(run, interaction, fields, answer)
            console.print(words(f"  {command}"), soft_wrap=True)


def show_circumstances(console: Console, asked: Interaction) -> None:
    """Who is asked, and until when."""
    if people := "、".join((*asked.assignees, *asked.roles)):
        console.print(words("  " + tell("cli.event.asked", people=people), "dim"))
    if asked.due_at is not None:
        mark = asked.mark or ("overdue" if asked.due_at < datetime.now(UTC) else "due")
        due = tell(f"cli.event.{mark}", due=local_time(asked.due_at))
        console.print(words(f"  {due}", "dim" if mark == "due" else "red"))


def about(interaction: Interaction, parts: Sequence[Part]) -> list[Part]:
    """What a person should know before answering."""
    return [part for part in parts if part.interaction_id == interaction.interaction_id]


def show_fields(console: Console, fields: Sequence[Requirement]) -> None:
    table = Table.grid(padding=(0, 2))
    for field in fields:
        choices = " / ".join(str(option.value) for option in field.options)
        note = field.description
        if field.default not in (None, ""):
            default = tell("cli.ask.default", value=default_text(field))
            note = f"{note} {default}".strip()
        table.add_row(
            words(f"  {field.id}", "cyan"),
            words(field.label),
            words(kind_of(field), "dim"),
            words(choices),
            words(note, "dim"),
        )
    console.print(table)


def _ways(fields: Sequence[Requirement]) -> Iterator[tuple[str, JsonObject]]:
    """The answers there are: one for each choice, where choosing is all that is needed."""
    needed = [each for each in fields if each.required and each.default is None]
    chosen = [each for each in fields if each.required and each.type == "select"]
    if len(chosen) != 1 or any(each not in chosen for each in needed):
        yield "", {each.id: _example(each) for each in needed if not each.kind.files}
        return
    [choice] = chosen
    for option in choice.options:
        answer: JsonObject = {choice.id: option.value}
        for field in fields:
            if field.only_with and field.only_with.value == option.value:
                answer[field.id] = tell("cli.question.your_text")
        yield option.label, answer


def _command(
    run: Run, interaction: Interaction, fields: Sequence[Requirement], answer: JsonObject
) -> str:
    parts = ["sanbo", "runs", "answer", run.run_id]
    if len(run.open_interactions) > 1:
        parts += ["--interaction", interaction.interaction_id]
    parts += ["--data", json.dumps(answer, ensure_ascii=False)]
    for field in fields:
        if field.required and field.default is None and field.kind.files:
            parts += ["--file", f"{field.id}=…"]
    return shlex.join(parts)


def _example(field: Requirement) -> JsonValue:
    return "…" if "string" in field.kind.value_types else field.kind.example(field)
