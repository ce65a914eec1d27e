"""An answer of GRACE on the screen: how sure it is and why, where it stands, how to judge it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.markdown import Markdown

from sanbo.cli.progress import show_line
from sanbo.cli.score_bar import score_bar
from sanbo.cli.screen import err, harmless, mark, out, words
from sanbo.kernel.messages import current_language, tell
from sanbo.service.grace import result_of
from sanbo.service.grace_written import Told, ToldSource, level_words, told, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from sanbo.runs.model import Run
    from sanbo.service.grace import Level

WIDE = 20


def show_answer(run: Run) -> None:
    """Laid out on a terminal; a pipe gets Markdown, which is made to be read and kept as such."""
    result = result_of(run)
    console = out()
    if not console.is_terminal:
        sys.stdout.write(harmless(written(result, current_language())))
        sys.stdout.flush()
    else:
        beside = told(result, current_language())
        console.print()
        for notice in beside.notices:
            show_line(console, "warning", notice)
        console.print(Markdown(harmless(result.answer_md)))
        show_score(console, result.confidence, result.decision, beside.advice)
        _show_beside(console, beside)
    if not result.cancelled:
        _show_feedback(run)


def answer_file(run: Run) -> bytes:
    """The answer as a file holds it."""
    return written(result_of(run), current_language()).encode()


def show_score(console: Console, score: float, level: Level, advice: str = "") -> None:
    console.print()
    line = words(tell("cli.grace.confidence"), "bold").append("  ")
    line.append_text(score_bar(console, score, level, WIDE))
    line.append("  ").append_text(words(level_words(level, current_language())))
    console.print(line, soft_wrap=True)
    if advice:
        console.print(words(f"  {advice}", "dim"), soft_wrap=True)


def show_list(console: Console, heading: str, lines: Iterable[str]) -> None:
    listed = list(lines)
    if listed:
        console.print()
        console.print(words(tell(heading), "bold"))
        for line in listed:
            console.print(words(f"  {tell('cli.grace.bullet')}{line}"), soft_wrap=True)


def show_sources(console: Console, sources: Iterable[ToldSource]) -> None:
    listed = list(sources)
    if not listed:
        return
    console.print()
    console.print(words(tell("grace_written.heading.sources"), "bold"))
    for source in listed:
        line = words(f"  [{source.number}] ", "cyan").append_text(words(source.place, "default"))
        line.append("  ").append_text(mark(console, "ok" if source.verified else "warning"))
        line.append_text(words(f" {source.check}", "dim"))
        console.print(line, soft_wrap=True)
        quote = tell("cli.grace.quote", quote=source.quote)
        console.print(words(f"      {quote}", "dim"), soft_wrap=True)


def _show_beside(console: Console, beside: Told) -> None:
    show_list(console, "grace_written.heading.reasons", beside.reasons)
    show_sources(console, beside.sources)
    show_list(console, "grace_written.heading.replans", beside.replans)
    show_list(console, "grace_written.heading.interventions", beside.interventions)


def _show_feedback(run: Run) -> None:
    command = f"sanbo calibration feedback {run.run_id} good"
    show_line(err(), "ok", tell("cli.grace.feedback", command=command))
