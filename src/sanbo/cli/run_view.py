"""A run on the screen: how it ended, everything there is to know about it, and what it asks."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table
from rich.text import Text as Words

from sanbo.cli.asking import default_text, fields_of, kind_of
from sanbo.cli.parts_view import heading, show_parts
from sanbo.cli.screen import Mark, err, harmless, local_time, mark, out, say, show_line, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.reports.names import format_of
from sanbo.runs.model import Interaction, JsonObject, Requirement, Run, RunSummary, Status
from sanbo.runs.parts import Facts, Files, Graph, Part, Progress, Score, Text, Trouble

if TYPE_CHECKING:
    from sanbo.cli.bench import Bench


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


LONGEST_TITLE = 40
STATUS_MARKS: dict[Status, Mark] = {
    Status.QUEUED: "running",
    Status.RUNNING: "running",
    Status.WAITING: "waiting",
    Status.SUCCEEDED: "ok",
    Status.FAILED: "broken",
    Status.CANCELLED: "skipped",
}


def show_outcome(bench: Bench, run: Run, parts: Sequence[Part], *, put_off: bool = False) -> None:
    """What a person wants to see at a stop: the result, or what is asked, or how to go on."""
    shown = [part for part in parts if not part.is_aside and not part.interaction_id]
    match run.status:
        case Status.SUCCEEDED:
            show_result(bench, run, shown)
            show_success(run)
        case Status.WAITING:
            show_questions(out(), run, parts, put_off=put_off)
            show_line(err(), "waiting", tell("cli.outcome.waiting", run_id=run.run_id))
        case Status.FAILED:
            show_line(err(), "broken", tell("cli.outcome.failed", run_id=run.run_id))
            for part in shown:
                _say_how_to_try_again(run, part)
        case _:
            show_line(err(), "skipped", tell("cli.outcome.cancelled", run_id=run.run_id))


def show_success(run: Run) -> None:
    """With warnings it looks otherwise than without."""
    if run.warnings:
        count = len(run.warnings)
        told = tell("cli.outcome.succeeded_warned", run_id=run.run_id, count=count)
        show_line(err(), "warning", told)
    else:
        show_line(err(), "ok", tell("cli.outcome.succeeded", run_id=run.run_id))


def show_result(bench: Bench, run: Run, parts: Sequence[Part]) -> None:
    """Laid out on a terminal; a pipe gets the document, where there is one."""
    console = out()
    is_judged = any(isinstance(part, Score) and part.may_be_judged for part in parts)
    texts = [part for part in parts if isinstance(part, Text) and part.document]
    if texts and not console.is_terminal:
        sys.stdout.write(harmless(document_of(bench, run, texts[0]).decode()))
        sys.stdout.flush()
        parts = [part for part in parts if isinstance(part, Facts | Trouble)]
    show_parts(console, parts)
    if any(isinstance(part, Files) for part in parts):
        hint = tell("cli.show.artifact_hint", run_id=run.run_id)
        console.print(words(hint, "dim"), soft_wrap=True)
    if is_judged:
        command = f"sanbo calibration feedback {run.run_id} good"
        show_line(err(), "ok", tell("cli.show.feedback", command=command))


def document_of(bench: Bench, run: Run, text: Text) -> bytes:
    """What a text and all beside it are kept as; the text itself where that is gone."""
    assert text.document is not None
    try:
        _, content = bench.artifact(run.run_id, text.document.artifact_id)
    except NotFound:
        content = text.markdown.encode()
    data = content if isinstance(content, bytes) else content.read_bytes()
    return data.rstrip(b"\n") + b"\n"


def main_document(bench: Bench, run: Run, output: Path | None = None) -> bytes:
    """Of a run that gives one; where it is written to an Office file or a page, its report."""
    form = None if output is None else format_of(output.name)
    if form is not None and form != "md":
        return bench.report(run.run_id, form).data
    texts = (part for part in bench.parts(run.run_id) if isinstance(part, Text))
    return document_of(bench, run, next(text for text in texts if text.document))


def _say_how_to_try_again(run: Run, part: Part) -> None:
    """The commands that do it again: from the step that failed, from the question before it."""
    for retry in part.retries if isinstance(part, Trouble) else ():
        command = f"sanbo runs replay {run.run_id} --from {shlex.quote('/'.join(retry.path))}"
        text = "cli.show.replay_question" if retry.is_question else "cli.show.replay"
        say(tell(text, step=retry.title, command=command))


def show_run(run: Run, parts: Sequence[Part], interrupted: Set[str]) -> None:
    """Everything there is to know."""
    console = out()
    _show_facts(console, run, interrupted)
    has_steps = any(isinstance(part, Progress) for part in parts)
    shown = [part for part in parts if not (isinstance(part, Graph) and has_steps)]
    show_parts(console, (part for part in shown if isinstance(part, Progress)))
    show_questions(console, run, parts)
    result = [
        part
        for part in shown
        if not part.interaction_id and not isinstance(part, Progress)
        if not (isinstance(part, Trouble) and not part.is_warning)
    ]
    if run.result is not None:
        heading(console, tell("cli.show.result"))
    show_parts(console, result)
    if run.artifacts:
        hint = tell("cli.show.artifact_hint", run_id=run.run_id)
        console.print(words(hint, "dim"), soft_wrap=True)
    if _is_interrupted(run, interrupted):
        _say_how_to_go_on(run)


def show_list(runs: list[RunSummary], interrupted: Set[str]) -> None:
    console = out()
    table = Table(box=None, pad_edge=False)
    table.add_column(tell("cli.show.run"), no_wrap=True)
    table.add_column(tell("cli.show.workflow"))
    table.add_column(tell("cli.show.title"), no_wrap=True, max_width=LONGEST_TITLE)
    for name in ("status", "owner", "created"):
        table.add_column(tell(f"cli.show.{name}"))
    for run in runs:
        table.add_row(
            words(run.run_id),
            words(run.workflow),
            words(run.title),
            _status_words(console, run, interrupted),
            words(run.owner),
            words(local_time(run.created_at)),
        )
    console.print(table)
    for run in [run for run in runs if _is_interrupted(run, interrupted)][:1]:
        _say_how_to_go_on(run)


def _say_how_to_go_on(run: Run | RunSummary) -> None:
    show_line(err(), "waiting", tell("cli.interrupted_run", run_id=run.run_id))


def _status_words(console: Console, run: Run | RunSummary, interrupted: Set[str]) -> Words:
    found = _plain_status(console, run, interrupted)
    count = run.warnings if isinstance(run.warnings, int) else len(run.warnings)
    if count and run.status is Status.WAITING:
        found.append(" " + tell("cli.status.warnings", count=count))
    return found


def _plain_status(console: Console, run: Run | RunSummary, interrupted: Set[str]) -> Words:
    if _is_interrupted(run, interrupted):
        return mark(console, "waiting").append(" " + tell("cli.status.interrupted"))
    if isinstance(run, RunSummary) and run.status is Status.WAITING and run.due_at is not None:
        late = "overdue" if run.due_at < datetime.now(UTC) else "due"
        told = tell(f"cli.event.{late}", due=local_time(run.due_at))
        waits = tell(f"cli.status.{run.status}")
        sign: Mark = "broken" if late == "overdue" else "waiting"
        return mark(console, sign).append(f" {waits} {told}")
    count = run.warnings if isinstance(run.warnings, int) else len(run.warnings)
    if count and run.status is Status.SUCCEEDED:
        return mark(console, "warning").append(" " + tell("cli.status.warned", count=count))
    return mark(console, STATUS_MARKS[run.status]).append(" " + tell(f"cli.status.{run.status}"))


def _is_interrupted(run: Run | RunSummary, interrupted: Set[str]) -> bool:
    """After Ctrl-C or a crash its status still says that it is at work."""
    return run.run_id in interrupted and run.status in (Status.QUEUED, Status.RUNNING)


def _show_facts(console: Console, run: Run, interrupted: Set[str]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    facts: list[tuple[str, Words]] = [
        ("run", words(run.run_id)),
        ("workflow", words(run.workflow)),
        *([("title", words(run.title))] if run.title else []),
        *([("edition", words(run.edition))] if run.edition else []),
        ("status", _status_words(console, run, interrupted)),
        ("created", words(local_time(run.created_at))),
        ("updated", words(local_time(run.updated_at))),
        ("conversation", words(run.conversation_id)),
        ("owner", words(run.owner)),
        ("engine", words(_engine(run))),
        ("usage", words(_usage(run))),
    ]
    if run.replay_of is not None:
        step = "/".join(run.replay_of.step) or tell("cli.show.corrected_from")
        origin = f"{run.replay_of.run_id} ({step})"
        facts.append(("replay_of", words(origin)))
    for name, value in facts:
        table.add_row(tell(f"cli.show.{name}"), value)
    console.print(table)


def _engine(run: Run) -> str:
    engine = run.engine
    if engine.provider == "rules":
        return tell("cli.show.rules")
    place = f" ({engine.base_url_host})" if engine.base_url_host else ""
    return f"{engine.provider} · {engine.model}{place}"


def _usage(run: Run) -> str:
    usage = run.usage
    if not usage.calls:
        return tell("cli.show.no_calls")
    dollars = usage.cost_usd
    known = dollars is not None
    cost = tell("cli.show.cost", dollars=f"{dollars:.4f}") if known else tell("cli.show.no_price")
    return tell(
        "cli.show.calls",
        calls=usage.calls,
        input=usage.input_tokens,
        output=usage.output_tokens,
        cost=cost,
    )
