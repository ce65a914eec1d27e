"""`sanbo research`: a cited report from a collection, and the trail of how it was found."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanbo.cli import conventions as exits
from sanbo.cli.arguments import STANDARD_OUTPUT, refuse_unwritable, write_new
from sanbo.cli.asking import GivenUp, confirmed
from sanbo.cli.bench import Bench, open_bench
from sanbo.cli.conventions import Json, QuestionGroup
from sanbo.cli.progress import exit_code, report, say_started, watch
from sanbo.cli.run_view import local_time, main_document, show_result
from sanbo.cli.screen import can_ask, err, out, print_json, say, show_line, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.runs.model import Run, Status
from sanbo.service.research import delete_notes
from sanbo.service.research import notes as read_notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from sanbo.service.research import Note

MOST_PASSAGES = 10


def show_notes(session: str, notes: Sequence[Note]) -> None:
    """By run, then step by step: when, what was searched for, found, decided."""
    if not notes:
        say(tell("cli.research.notes_none", session=session))
        return
    console = out()
    run_id = ""
    for note in notes:
        if note.run_id != run_id:
            if run_id:
                console.print()
            run_id = note.run_id
            console.print(words(tell("cli.research.notes_run", run_id=run_id), "bold"))
        _show_note(console, note)
    command = f"sanbo research notes --session {session} --delete"
    show_line(err(), "ok", tell("cli.research.notes_delete_hint", command=command))


def _show_note(console: Console, note: Note) -> None:
    head = words(f"  {local_time(note.time)}  ", "dim")
    step = tell(f"cli.research.step.{note.node_name}", cycle=note.cycle_no)
    console.print(head.append_text(words(step, "bold")), soft_wrap=True)
    for line in _lines(note):
        console.print(words(f"    {line}"), soft_wrap=True)


def _lines(note: Note) -> Iterator[str]:
    for query in note.queries:
        yield tell("cli.research.note_query", query=query)
    found = sorted(note.retrieved_docs, key=lambda passage: -passage.relevance)
    for passage in found[:MOST_PASSAGES]:
        yield tell(
            "cli.research.note_passage",
            document=passage.document,
            chunk=passage.chunk_id,
            score=f"{passage.score:.2f}",
            relevance=f"{passage.relevance:.0%}",
        )
    if len(note.retrieved_docs) > MOST_PASSAGES:
        yield tell("cli.research.note_more", count=len(note.retrieved_docs) - MOST_PASSAGES)
    if note.decision_reason:
        yield tell("cli.research.note_reason", reason=note.decision_reason)
    if note.final_report:
        yield tell("cli.research.note_report", count=f"{len(note.final_report):,}")


WORKFLOW = "research"
app = typer.Typer(
    cls=QuestionGroup, add_completion=False, invoke_without_command=True, no_args_is_help=True
)
Session = Annotated[str, typer.Option("--session", metavar="ID", help="cli.option.notes_session")]


@app.callback(help="cli.help.research", epilog="cli.help.research_end")
def research(
    context: typer.Context,
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="cli.option.research_question")
    ] = None,
    *,
    collection: Annotated[
        str | None,
        typer.Option("--collection", "-c", metavar="NAME", help="cli.option.research_collection"),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="cli.option.research_session")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="cli.option.research_output"),
    ] = None,
    as_json: Json = False,
) -> int:
    asked = _question(question or [])
    if as_json and output == STANDARD_OUTPUT:
        raise typer.BadParameter(tell("cli.usage.research_json"), param_hint="--json")
    if output is not None and output != STANDARD_OUTPUT:
        refuse_unwritable(output)
    with open_bench(context.obj) as bench:
        given = {"question": asked, "collection": _collection(bench, collection, session)}
        run = bench.start(WORKFLOW, dict(given), session)
        say_started(run)
        run = watch(bench, run)
        if run.status is Status.SUCCEEDED:
            _hand_out(bench, run, output, as_json=as_json)
        else:
            report(bench, run, as_json=as_json)
    _show_session(run)
    return exit_code(run)


@app.command("notes", help="cli.help.research_notes")
def notes(
    context: typer.Context,
    session: Session,
    *,
    delete: Annotated[bool, typer.Option("--delete", help="cli.option.notes_delete")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="cli.option.yes")] = False,
    as_json: Json = False,
) -> int:
    with open_bench(context.obj) as bench:
        found = bench.call(lambda workbench, caller: read_notes(workbench, caller, session))
        if delete:
            return _delete(bench, session, len(found), yes=yes)
    if as_json:
        print_json([note.model_dump(mode="json") for note in found])
    else:
        show_notes(session, found)
    return exits.SUCCEEDED


# ---- the question ----


def _question(typed: list[str]) -> str:
    if len(typed) > 1:
        raise typer.BadParameter(tell("cli.usage.quote_question"), param_hint="QUESTION")
    if not "".join(typed).strip():
        raise typer.BadParameter(tell("cli.usage.question"), param_hint="QUESTION")
    return typed[0]


def _collection(bench: Bench, named: str | None, session: str | None) -> str:
    """The one named, or that of the session, or the only one there is."""
    before = "" if session is None else _collection_before(bench, session)
    if named is not None:
        return bench.collections.info(named).name
    names = [info.name for info in bench.collections.all()]
    chosen = before if before in names else names[0] if len(names) == 1 else ""
    if chosen:
        say(tell("cli.research.collection", name=chosen), "dim")
        return chosen
    if not names:
        raise NotFound("research_no_collection")
    raise InvalidInput("research_which_collection", names="、".join(names))


def _collection_before(bench: Bench, session: str) -> str:
    """That the session's last question was put to."""
    for summary in bench.list(workflow=WORKFLOW, conversation_id=session, limit=1):
        return str(bench.get(summary.run_id).input.get("collection", ""))
    raise NotFound("research_session_not_found", session=session[:80])


# ---- the report ----


def _hand_out(bench: Bench, run: Run, output: Path | None, *, as_json: bool) -> None:
    written = main_document(bench, run, output)
    if output is not None and output != STANDARD_OUTPUT:
        write_new(output, written)
    if as_json:
        print_json(run.model_dump(mode="json"))
    elif output == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(written)
        sys.stdout.buffer.flush()
    elif output is None:
        parts = bench.parts(run.run_id)
        show_result(bench, run, [part for part in parts if not part.is_aside])


def _show_session(run: Run) -> None:
    session = run.conversation_id
    again = f"sanbo research … --session {session}"
    show_line(err(), "ok", tell("cli.research.session", session=session))
    show_line(err(), "ok", tell("cli.research.go_on", command=again))
    trail = f"sanbo research notes --session {session}"
    show_line(err(), "ok", tell("cli.research.see_notes", command=trail))


# ---- the notes ----


def _delete(bench: Bench, session: str, count: int, *, yes: bool) -> int:
    if not yes and not can_ask():
        say(tell("cli.usage.yes_needed"), "red")
        return exits.USAGE
    if not yes and not _sure(session, count):
        say(tell("cli.not_deleted"))
        return exits.FAILED
    deleted = bench.call(lambda workbench, caller: delete_notes(workbench, caller, session))
    say(tell("cli.research.notes_deleted", session=session, count=deleted))
    return exits.SUCCEEDED


def _sure(session: str, count: int) -> bool:
    try:
        return confirmed(tell("cli.research.notes_sure", session=session, count=count))
    except GivenUp:
        return False
