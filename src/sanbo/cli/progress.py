"""A run as it advances: finished steps line by line, those at work with a spinner."""

import time
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from sanbo.cli.screen import Mark, err, harmless, is_live, mark, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import (
    ArtifactMade,
    Event,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    Run,
    TextDelta,
)

TEXT_LINES = 6
REFRESHES_A_SECOND = 8


class Progress:
    """`show` takes events as they come; where nobody watches, only what has ended is written."""

    def __init__(self, run: Run) -> None:
        self._console = err()
        self._titles: dict[Path, str] = {step.path: step.title for step in run.steps}
        self._began: dict[Path, float] = {
            step.path: time.monotonic() for step in run.steps if step.status == "running"
        }
        self._notes: dict[Path, str] = {}
        self._text = ""
        self._spinner = Spinner("dots" if self._console.encoding.startswith("utf") else "line")
        self._live = (
            Live(
                console=self._console,
                get_renderable=self._at_work,
                refresh_per_second=REFRESHES_A_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            if is_live(self._console)
            else None
        )

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def remember(self, events: Iterable[Event]) -> None:
        """What was shown before, by another command: most shows need nothing of it."""

    def show(self, event: Event) -> None:
        path, payload = event.path, event.payload
        match payload:
            case NodeStart():
                self._titles[path] = payload.title
                self._began[path] = time.monotonic()
                self._text = ""
            case NodeComplete():
                self._end(path, "ok", duration(payload.duration_ms))
            case NodeError():
                self._end(path, "broken", duration(payload.duration_ms))
            case NodeSkipped():
                self._end(path, "skipped", payload.reason)
            case LoopIteration():
                self._notes[path] = tell("cli.progress.iteration", number=payload.iteration)
            case ArtifactMade():
                made = tell("cli.progress.artifact", name=payload.artifact.name)
                self._console.print(words(f"  {made}", "dim"))
            case TextDelta():
                self._text = payload.text if payload.so_far else self._text + payload.text
            case _:
                pass

    def _end(self, path: Path, kind: Mark, note: str) -> None:
        self._began.pop(path, None)
        self._notes.pop(path, None)
        line = mark(self._console, kind)
        line.append_text(Text(" ")).append_text(step_name(path, self._titles.get(path, "")))
        self._console.print(line.append(f"  {harmless(note)}", style="dim"))

    def _at_work(self) -> Group:
        rows = Table.grid(padding=(0, 1))
        for path, began in list(self._began.items()):
            elapsed = duration(int((time.monotonic() - began) * 1000), whole=True)
            name = step_name(path, self._titles.get(path, ""))
            rows.add_row(
                self._spinner, name, words(f"{self._notes.get(path, '')} {elapsed}", "dim")
            )
        if not self._began:
            rows.add_row(self._spinner, words(tell("cli.progress.waiting"), "dim"), Text())
        tail = self._text.splitlines()[-TEXT_LINES:]
        return Group(rows, *(words(f"  {line}", "dim") for line in tail))


def step_name(path: Path, title: str) -> Text:
    """The steps above it, then its own title."""
    name = Text()
    for parent in path[:-1]:
        name.append(f"{harmless(parent)} › ", style="dim")
    return name.append(harmless(title or (path[-1] if path else "")))


def duration(milliseconds: int | None, *, whole: bool = False) -> str:
    if milliseconds is None:
        return ""
    seconds = milliseconds / 1000
    if seconds < 60:
        figure = f"{int(seconds)}" if whole else f"{seconds:.1f}"
        return tell("cli.duration.seconds", seconds=figure)
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return tell("cli.duration.minutes", minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, 60)
    return tell("cli.duration.hours", hours=hours, minutes=minutes)


def show_line(console: Console, kind: Mark, text: str) -> None:
    line = mark(console, kind).append(" ").append_text(words(text, "default"))
    console.print(line, soft_wrap=True)
