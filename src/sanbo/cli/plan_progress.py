"""A plan as it runs: each node by its title as it ends, loops with how far they have come."""

import time
from collections.abc import Iterable

from rich.console import Group
from rich.table import Table
from rich.text import Text
from typing_extensions import override

from sanbo.cli.progress import TEXT_LINES, Progress, duration
from sanbo.cli.screen import Mark, harmless, mark, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import (
    Event,
    InteractionOpen,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    Run,
    is_iteration,
)
from sanbo.service.plan_pictures import figure_of_source, without_iterations
from sanbo.service.plan_runs import source_of

MOST_AT_WORK = 12


class PlanProgress(Progress):
    """Inside loops only what went wrong is told line by line: they may have thousands of items."""

    def __init__(self, run: Run) -> None:
        self._counts: dict[Path, tuple[int, int | None]] = {}
        nodes = tuple(figure_of_source(source_of(run)).everything())
        self._named = {item.path: item.title for item in nodes}
        super().__init__(run)

    @override
    def remember(self, events: Iterable[Event]) -> None:
        for event in events:
            self._learn(event)

    @override
    def show(self, event: Event) -> None:
        self._learn(event)
        path, payload = event.path, event.payload
        if is_iteration(path):
            return
        match payload:
            case NodeComplete() | NodeSkipped() if not self._is_told(path):
                self._began.pop(path, None)
            case NodeComplete(warnings=warnings) if warnings:  # what they say stands at the end
                self._end(path, "warning", duration(payload.duration_ms))
            case NodeSkipped():
                self._end(path, "skipped", tell("cli.plan.skipped"))
            case NodeError(retry_in_ms=wait) if wait is not None:
                self._tell_retry(path, payload)
            case InteractionOpen():
                self._began.pop(path, None)
            case LoopIteration():
                pass
            case _:
                super().show(event)

    def _learn(self, event: Event) -> None:
        path, payload = event.path, event.payload
        match payload:
            case NodeStart(title=title):
                self._titles[path] = title
            case LoopIteration(of=of):
                done, known = self._counts.get(path[:-1], (0, None))
                self._counts[path[:-1]] = (done, known if of is None else of)
            case NodeComplete() if is_iteration(path):
                done, known = self._counts.get(path[:-1], (0, None))
                self._counts[path[:-1]] = (done + 1, known)
            case _:
                pass

    def _is_told(self, path: Path) -> bool:
        """Nodes of the plan and of its subflows; not what is inside an agent, nor a question."""
        return path in self._named

    def _tell_retry(self, path: Path, payload: NodeError) -> None:
        line = mark(self._console, "warning").append(" ").append_text(self._name(path))
        seconds = duration(payload.retry_in_ms)
        told = tell("cli.plan.retry", wait=seconds, reason=payload.error.message)
        self._console.print(line.append(f"  {harmless(told)}", style="dim"), soft_wrap=True)

    @override
    def _end(self, path: Path, kind: Mark, note: str) -> None:
        self._began.pop(path, None)
        line = mark(self._console, kind).append(" ").append_text(self._name(path))
        count = self._count(path)
        line.append(f"{count}  {harmless(note)}", style="dim")
        self._console.print(line, soft_wrap=True)

    def _name(self, path: Path) -> Text:
        """Titles from the outside in; of an item, its number."""
        name = Text()
        for depth in range(1, len(path) + 1):
            here = path[:depth]
            shown = str(int(here[-1][1:]) + 1) if is_iteration(here) else self._title(here)
            last = depth == len(path)
            name.append(harmless(shown) + ("" if last else " › "), style="" if last else "dim")
        return name

    def _title(self, path: Path) -> str:
        return self._named.get(without_iterations(path)) or self._titles.get(path) or path[-1]

    def _count(self, path: Path) -> str:
        if path not in self._counts:
            return ""
        done, of = self._counts[path]
        return f"  {done}/{of}" if of is not None else f"  {done}"

    @override
    def _at_work(self) -> Group:
        rows = Table.grid(padding=(0, 1))
        at_work = [each for each in self._began.items() if not is_iteration(each[0])]
        for path, began in at_work[:MOST_AT_WORK]:
            elapsed = duration(int((time.monotonic() - began) * 1000), whole=True)
            rows.add_row(
                self._spinner, self._name(path), words(f"{self._count(path)} {elapsed}", "dim")
            )
        if len(at_work) > MOST_AT_WORK:
            more = tell("cli.show.more", count=len(at_work) - MOST_AT_WORK)
            rows.add_row(Text(), words(more, "dim"), Text())
        if not at_work:
            rows.add_row(self._spinner, words(tell("cli.progress.waiting"), "dim"), Text())
        tail = self._text.splitlines()[-TEXT_LINES:]
        return Group(rows, *(words(f"  {line}", "dim") for line in tail))
