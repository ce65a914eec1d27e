"""Asking a person at the terminal, and what was typed as the value it stands for."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from getpass import getpass
from pathlib import Path
from typing import cast

from pydantic import JsonValue
from rich.console import Console
from rich.text import Text

from sanbo.cli.arguments import existing, upload
from sanbo.cli.bench import Bench
from sanbo.cli.parts_view import show_parts
from sanbo.cli.screen import err, harmless, words
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import InvalidInput, NotFound, Problem
from sanbo.runs.model import (
    APPROVED,
    COMMENT,
    RESPONSE,
    Interaction,
    JsonObject,
    Question,
    Requirement,
    Run,
    file_refs,
)
from sanbo.runs.parts import Part


def value_typed(field: Requirement, typed: str) -> JsonValue:
    """None for nothing; raises a problem that says what was expected."""
    typed = typed.strip()
    return field.kind.typed(field, typed) if typed else None


def path_typed(field: Requirement, typed: str) -> Path:
    # Terminals put quotes around a file that is dropped onto them, or a backslash before a space.
    typed = typed.strip()
    if len(typed) > 1 and typed[0] == typed[-1] and typed[0] in "'\"":
        typed = typed[1:-1]
    path = Path(typed).expanduser()
    path = path if path.exists() else existing(typed.replace("\\ ", " "))
    is_folder = field.kind.files == "folder"
    if is_folder != path.is_dir():
        wanted = "cli.ask.not_a_folder" if is_folder else "cli.ask.not_a_file"
        raise InvalidInput("entry_not_understood", reason=tell(wanted, path=path))
    return path


with suppress(ImportError):  # arrow keys and corrections while typing, where there is readline
    import readline as _readline

    _ = _readline


class GivenUp(Exception):
    """The person closed the input (Ctrl-D): the question stays open."""


def fields_of(question: Question) -> tuple[Requirement, ...]:
    """The fields of the form and those that its mode adds."""
    comment = Requirement(id=COMMENT, type="text", label=tell("answer.comment"), required=False)

    def approved(*, required: bool) -> Requirement:
        label = tell("cli.ask.approved")
        return Requirement(id=APPROVED, type="boolean", label=label, required=required)

    def response(*, required: bool) -> Requirement:
        label = tell("answer.response")
        return Requirement(id=RESPONSE, type="chat", label=label, required=required)

    match question.mode:
        case "collect":
            return question.requirements
        case "confirm":
            return (*question.requirements, approved(required=True), comment)
        case "inquire":
            return (*question.requirements, response(required=question.demands_response))
        case "mixed":
            return (
                *question.requirements,
                approved(required=False),
                comment,
                response(required=False),
            )


def answer_by_asking(
    bench: Bench, run: Run, interaction: Interaction, given: JsonObject | None = None
) -> Run:
    """Asks, sends, and asks again for the fields that were refused; the run as it goes on.

    What is `given` already is not asked.
    """
    console = err()
    parts = bench.parts(run.run_id)
    shown = [part for part in parts if part.interaction_id == interaction.interaction_id]
    _show_question(console, interaction, shown)
    fields = fields_of(interaction)
    answer = dict(given or {})
    answer |= ask_fields(bench, [each for each in fields if each.id not in answer])
    while True:
        try:
            return bench.answer(run.run_id, answer, interaction.interaction_id)
        except InvalidInput as refusal:
            refused = _refused(refusal.problem)
            again = [field for field in fields if field.id in refused]
            if not again:
                raise
            _show_refusal(console, refusal.problem)
            answer |= ask_fields(bench, again)


def ask_fields(bench: Bench, fields: Sequence[Requirement]) -> JsonObject:
    """Field by field; one that belongs to a choice only where that was made."""
    console = err()
    answer: JsonObject = {}
    for given in fields:
        field = _after(given, answer)
        if field is None:
            continue
        _show_field(console, field)
        while True:
            try:
                value = bench.check_field(field, _entry(bench, field, console))
            except (InvalidInput, NotFound) as refusal:
                _show_refusal(console, refusal.problem)
            else:
                break
        if value is not None:
            answer[field.id] = value
    return answer


def _after(field: Requirement, answered: JsonObject) -> Requirement | None:
    """As it is asked after what was answered before; None where it is not needed."""
    wanted = field.only_with
    if wanted is None or wanted.field not in answered:
        return field
    if answered[wanted.field] != wanted.value:
        return None
    return field.model_copy(update={"required": True})


def confirmed(message: str) -> bool:
    """Yes or no, before something that can't be undone; no when nothing was typed."""
    field = Requirement(id="sure", type="boolean", label=message, required=False)
    console = err()
    console.print(words(message + tell("cli.ask.yes_no"), "bold"))
    while True:
        try:
            return value_typed(field, _read(console)) is True
        except InvalidInput as refusal:
            _show_refusal(console, refusal.problem)


def _entry(bench: Bench, field: Requirement, console: Console) -> JsonValue:
    if field.kind.has_columns:
        lines = [_read(console)]
        while lines[-1].strip():
            lines.append(_read(console, "+ "))
        return value_typed(field, "\n".join(lines))
    if field.kind.files is None:
        return value_typed(field, _read_secret(console) if field.secret else _read(console))
    paths = [path_typed(field, typed)] if (typed := _read(console)).strip() else []
    while field.kind.files == "several" and paths and (typed := _read(console, "+ ")).strip():
        paths.append(path_typed(field, typed))
    return upload(bench, field.type, paths) if paths else None


def _read(console: Console, prompt: str = "> ") -> str:
    try:
        # `input` writes its prompt to standard output, which may be a pipe.
        if sys.stdout.isatty():
            return input(prompt)
        console.print(prompt, end="")
        line = sys.stdin.readline()
    except EOFError:
        raise GivenUp from None
    if not line:
        raise GivenUp
    return line.rstrip("\n")


def _read_secret(console: Console) -> str:
    """Not shown while it is typed."""
    if not sys.stdin.isatty():
        return _read(console)
    try:
        return getpass("> ", stream=sys.stderr)
    except EOFError:
        raise GivenUp from None


def _show_question(console: Console, interaction: Interaction, parts: Sequence[Part]) -> None:
    console.print()
    console.print(words(interaction.message, "bold"))
    show_parts(console, parts)
    for line in interaction.chat:
        speaker = tell(f"cli.ask.{line.role}")
        console.print(words(f"  {speaker}: {line.text}", "dim"))
    console.print(words(tell("cli.ask.how"), "dim"))


def _show_field(console: Console, field: Requirement) -> None:
    title = Text(harmless(field.label), style="bold cyan")
    title.append(f" {kind_of(field)}", style="dim")
    if field.default not in (None, ""):
        title.append(" " + tell("cli.ask.default", value=default_text(field)), style="dim")
    console.print(title)
    if field.description:
        console.print(words(f"  {field.description}", "dim"))
    for number, option in enumerate(field.options, start=1):
        console.print(words(f"  {number}. {option.label}"))
    if field.kind.files == "several":
        console.print(words("  " + tell("cli.ask.one_a_line"), "dim"))
    if field.kind.has_columns:
        columns = " , ".join(column.label for column in field.columns)
        console.print(words("  " + tell("cli.ask.one_row_a_line", columns=columns), "dim"))


def default_text(field: Requirement) -> str:
    """What is taken where nothing is typed: files by their names, choices by their labels."""
    if files := file_refs(field.default):
        return "、".join(file.name for file in files)
    labels = {str(option.value): option.label for option in field.options}
    if isinstance(field.default, bool):
        return tell("cli.ask.yes" if field.default else "cli.ask.no")
    values = field.default if isinstance(field.default, list) else [field.default]
    if field.kind.has_columns:
        return json.dumps(values, ensure_ascii=False)
    return "、".join(labels.get(str(value), str(value)) for value in values)


def kind_of(field: Requirement) -> str:
    need = "needed" if field.required and field.default is None else "not_needed"
    return tell(f"cli.field.{need}", kind=field.kind.words[current_language()])


def _show_refusal(console: Console, problem: Problem) -> None:
    for text in _refused(problem).values() or [problem.message]:
        console.print(words(f"  {text}", "red"))


def _refused(problem: Problem) -> dict[str, str]:
    """What is wrong, by field."""
    listed = problem.details.get("fields")
    refused: dict[str, str] = {}
    for each in cast("list[dict[str, str]]", listed if isinstance(listed, list) else []):
        name, message = each["field"], each["message"]
        refused[name] = f"{refused[name]}\n  {message}" if name in refused else message
    return refused
