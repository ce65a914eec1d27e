"""One line an event: when, where, what."""

from rich.console import Console
from rich.text import Text

from sanbo.cli.parts_view import duration
from sanbo.cli.screen import words
from sanbo.kernel.messages import tell
from sanbo.runs.model import (
    ArtifactMade,
    Event,
    InteractionAnswered,
    InteractionOpen,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    RunComplete,
    RunStart,
    RunWaiting,
    TextDelta,
)


def show_event(console: Console, event: Event) -> None:
    line = Text()
    line.append(f"{event.seq or '':>5} ", style="dim")
    line.append(f"{event.time.astimezone():%H:%M:%S} ", style="dim")
    line.append(f"{event.payload.event:<21}", style="cyan")
    line.append_text(words(f"{'/'.join(event.path)}  "))
    line.append_text(words(_summary(event), "dim"))
    console.print(line, soft_wrap=True)


def _summary(event: Event) -> str:
    match event.payload:
        case RunStart(workflow=workflow, resumed=resumed):
            summary = f"{workflow} " + (tell("cli.event.resumed") if resumed else "")
        case NodeStart(title=title):
            summary = title
        case NodeComplete(duration_ms=milliseconds):
            summary = duration(milliseconds)
        case NodeSkipped(reason=reason):
            summary = reason
        case NodeError(error=problem):
            summary = f"{problem.code} {problem.message}"
        case LoopIteration(iteration=number):
            summary = str(number)
        case InteractionOpen(interaction=interaction):
            summary = interaction.message
        case InteractionAnswered(by=person):
            summary = tell("cli.event.answered", by=person)
        case ArtifactMade(artifact=artifact):
            summary = artifact.name
        case TextDelta(text=text):
            summary = text.strip()
        case RunWaiting():
            summary = tell("cli.status.waiting")
        case RunComplete(status=status, total_duration_ms=milliseconds):
            summary = tell(f"cli.status.{status}") + f" {duration(milliseconds)}"
    return summary
