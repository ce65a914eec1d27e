"""Collections on the screen: what was read and what was not, lists, hits with their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from sanbo.cli.screen import (
    Mark,
    err,
    harmless,
    is_live,
    local_time,
    mark,
    out,
    say,
    show_line,
    words,
)
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import Problem

if TYPE_CHECKING:
    from sanbo.service.collections import CollectionInfo, DocumentInfo, Hit, Outcome, Position

# What is shown and kept of a long list: whoever indexes 10,000 files can't read 10,000 lines.
MOST_LINES = 200
NAME_WIDTH = 40
_MARKS: dict[str, Mark] = {
    "added": "ok",
    "replaced": "ok",
    "unchanged": "ok",
    "removed": "ok",
    "skipped": "skipped",
    "failed": "broken",
}


class IndexReport:
    """Counts everything, and keeps the first of what a person should look at."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.chunks = 0
        self.noteworthy: list[Outcome] = []
        self.left_out = 0

    def take(self, outcome: Outcome) -> None:
        self.counts[outcome.status] += 1
        self.chunks += outcome.chunks
        if outcome.problem is not None or outcome.warnings:
            if len(self.noteworthy) < MOST_LINES:
                self.noteworthy.append(outcome)
            else:
                self.left_out += 1

    @property
    def was_read(self) -> bool:
        return any(self.counts[status] for status in ("added", "replaced", "unchanged", "removed"))


def watched(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    """With a bar where somebody watches. Archives hold more files than were counted."""
    console = err()
    if not is_live(console):
        yield from outcomes
        return
    columns = (
        TextColumn("{task.fields[name]}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total, name=tell("cli.index.reading"))
        for done, outcome in enumerate(outcomes, start=1):
            name = _short(outcome.name)
            progress.update(task, completed=done, total=max(total, done), name=name)
            yield outcome


def show_report(name: str, report: IndexReport) -> None:
    console = out()
    if report.noteworthy:
        table = Table(box=None, pad_edge=False, show_header=True)
        table.add_column(tell("cli.index.file"), overflow="fold", ratio=2)
        table.add_column(tell("cli.index.result"), no_wrap=True)
        table.add_column(tell("cli.index.reason"), overflow="fold", ratio=3)
        for outcome in report.noteworthy:
            table.add_row(words(_one_line(outcome.name)), _status(outcome), _reasons(outcome))
        console.print(table)
    if report.left_out:
        say(tell("cli.index.more", count=report.left_out))
    counts = tell("cli.index.separator").join(
        tell("cli.index.count", status=tell(f"cli.index.status.{status}"), count=count)
        for status in _MARKS
        if (count := report.counts[status])
    )
    kind: Mark = "ok" if report.was_read else "broken"
    if not report.counts:
        show_line(err(), "warning", tell("cli.index.nothing", collection=name))
        return
    show_line(err(), kind, tell("cli.index.done", collection=name, counts=counts))


def _status(outcome: Outcome) -> Text:
    kind: Mark = "warning" if outcome.problem is None else _MARKS[outcome.status]
    text = mark(out(), kind)
    return text.append(" " + tell(f"cli.index.status.{outcome.status}"))


def _reasons(outcome: Outcome) -> Text:
    problems = [outcome.problem] if outcome.problem is not None else list(outcome.warnings)
    text = Text("\n").join(_reason(problem) for problem in problems[:3])
    if len(problems) > 3:
        text.append("\n" + tell("cli.index.more_warnings", count=len(problems) - 3), style="dim")
    return text


def _reason(problem: Problem) -> Text:
    shown = problem.in_language(current_language())
    return words(shown.message).append("\n").append_text(words(f"→ {shown.hint}", "dim"))


def show_collections(infos: list[CollectionInfo]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column(tell("cli.collections.name"), no_wrap=True)
    table.add_column(tell("cli.collections.documents"), justify="right")
    table.add_column(tell("cli.collections.chunks"), justify="right")
    for name in ("engine", "updated"):
        table.add_column(tell(f"cli.collections.{name}"), no_wrap=True)
    for info in infos:
        table.add_row(
            words(info.name),
            words(f"{info.documents:,}"),
            words(f"{info.chunks:,}"),
            words(info.engine),
            words(local_time(info.updated_at)),
        )
    out().print(table)


def show_documents(documents: list[DocumentInfo]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column(tell("cli.collections.document"), overflow="fold")
    for name in ("format", "pages", "chunks", "warnings"):
        table.add_column(tell(f"cli.collections.{name}"), no_wrap=True)
    table.add_column(tell("cli.collections.id"), no_wrap=True)
    for info in documents:
        table.add_row(
            words(info.name),
            words(info.format),
            words(info.pages or ""),
            words(f"{info.chunks:,}"),
            words(len(info.warnings) or ""),
            words(info.document_id, "dim"),
        )
    out().print(table)


def show_hits(hits: list[Hit]) -> None:
    console = out()
    for number, hit in enumerate(hits, start=1):
        line = Text(f"{number}. ", style="bold").append_text(words(hit.document_name, "bold"))
        place = place_of(hit.position)
        if place:
            line.append(f"  {place}", style="cyan")
        line.append(f"  {hit.score:.2f}", style="dim")
        console.print(line, soft_wrap=True)
        text = Text(hit.text)
        for span in hit.highlights:
            text.stylize("bold yellow", span.start, span.end)
        console.print(_harmless(text), soft_wrap=True)
        console.print()


def place_of(position: Position) -> str:
    """Page, sheet, rows and headings, as a person would say them."""
    parts: list[str] = []
    if position.page is not None:
        parts.append(tell("place.page", page=position.page))
    if position.sheet is not None:
        parts.append(tell("place.sheet", sheet=harmless(position.sheet)))
    if position.row is not None:
        if position.last_row is None or position.last_row == position.row:
            parts.append(tell("place.row", row=position.row))
        else:
            parts.append(tell("place.rows", first=position.row, last=position.last_row))
    if position.headings:
        parts.append(harmless(" › ".join(position.headings)))
    return "  ".join(parts)


def _harmless(text: Text) -> Text:
    """Control characters act on terminals; each is shown as a blank, so that spans still fit."""
    plain = "".join(
        letter if letter in "\n\t" or harmless(letter) else " " for letter in text.plain
    )
    return Text(plain, spans=text.spans)


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _short(name: str) -> str:
    name = harmless(_one_line(name))
    return name if len(name) <= NAME_WIDTH else "…" + name[1 - NAME_WIDTH :]
