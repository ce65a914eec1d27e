"""The notes of a session on the screen: what was searched for, found, decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanbo.cli.run_view import local_time
from sanbo.cli.screen import err, out, say, show_line, words
from sanbo.kernel.messages import tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from sanbo.service.notes import Note

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
