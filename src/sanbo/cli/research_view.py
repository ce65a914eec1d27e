"""A research on the screen: the report, how to go on, and the notes of a session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.markdown import Markdown

from sanbo.cli.progress import show_line
from sanbo.cli.run_view import local_time
from sanbo.cli.screen import err, harmless, out, say, words
from sanbo.kernel.messages import tell
from sanbo.service.research import report_file, result_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from sanbo.runs.model import Run
    from sanbo.service.research import Note

MOST_PASSAGES = 10


def written(run: Run) -> bytes:
    """The report as a file holds it."""
    return (result_of(run).report_md.rstrip("\n") + "\n").encode()


def show_report(run: Run) -> None:
    """Laid out on a terminal; a pipe gets Markdown, which is made to be read and kept as such."""
    result = result_of(run)
    console = out()
    file = report_file(run)
    is_markdown = file is None or file.media_type == "text/markdown"  # else by the setting
    if console.is_terminal and is_markdown:
        console.print()
        console.print(Markdown(harmless(result.report_md)))
    else:
        sys.stdout.write(harmless(result.report_md).rstrip("\n") + "\n")
    if result.partial:
        show_line(err(), "warning", tell("cli.research.partial", reason=result.partial_reason))
    elif not result.answered:
        show_line(err(), "warning", tell("cli.research.unanswered"))


def show_session(run: Run) -> None:
    session = run.conversation_id
    again = f"sanbo research … --session {session}"
    show_line(err(), "ok", tell("cli.research.session", session=session))
    show_line(err(), "ok", tell("cli.research.go_on", command=again))
    trail = f"sanbo research notes --session {session}"
    show_line(err(), "ok", tell("cli.research.see_notes", command=trail))


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
