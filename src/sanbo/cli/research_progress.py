"""A research as it advances: what was searched for and found, what was decided, the report."""

from collections.abc import Iterator

from rich.console import Group
from rich.markdown import Markdown
from rich.segment import Segment, Segments
from typing_extensions import override

from sanbo.cli.progress import Progress
from sanbo.cli.screen import harmless, words
from sanbo.kernel.messages import tell
from sanbo.runs.model import ArtifactMade, Event, NodeComplete, TextDelta
from sanbo.service.research import AnswerStep, AnyStep, DecideStep, RetrieveStep, step_of

LONGEST_QUERY = 60
ROWS_FOR_STEPS = 6
"""Of the screen, above the report that is being written."""


class ResearchProgress(Progress):
    """After each step what it came to; where somebody watches, the report as it is written."""

    @override
    def show(self, event: Event) -> None:
        match event.payload:
            case TextDelta(text=text, so_far=so_far):
                self._text = text if so_far else self._text + text
            case ArtifactMade():
                pass  # the report itself is shown at the end
            case NodeComplete():
                super().show(event)
                self._text = ""
                step = step_of(event)
                for line in () if step is None else told(step):
                    self._console.print(words(f"  {line}", "dim"), soft_wrap=True)
            case _:
                super().show(event)

    @override
    def _at_work(self) -> Group:
        text, self._text = self._text, ""
        steps = super()._at_work()
        self._text = text
        return Group(steps, self._newest_lines(text)) if text else steps

    def _newest_lines(self, text: str) -> Segments:
        """Of the report as it will look: as many as the screen has room for."""
        width = self._console.options
        lines = self._console.render_lines(Markdown(harmless(text)), width, pad=False)
        room = max(1, self._console.height - ROWS_FOR_STEPS)
        shown: list[Segment] = []
        for line in lines[-room:]:
            shown += [*line, Segment.line()]
        return Segments(shown)


def told(step: AnyStep) -> Iterator[str]:
    match step:
        case RetrieveStep():
            yield from _searched(step)
        case DecideStep():
            yield from _decided(step)
        case AnswerStep():
            yield from _answered(step)


def _searched(step: RetrieveStep) -> Iterator[str]:
    if step.problem:
        yield step.problem
    for query in step.queries:
        text = "cli.research.cached" if query.cached else "cli.research.searched"
        yield tell(text, cycle=query.cycle, query=_short(query.text), hits=query.hits)
    yield tell("cli.research.found", new=len(step.passages), total=step.passages_in_all)


def _decided(step: DecideStep) -> Iterator[str]:
    yield tell("cli.research.decided", reason=step.reason)
    if step.stop_reason is None and step.next_queries:
        quoted = (tell("cli.research.query", query=_short(query)) for query in step.next_queries)
        yield tell("cli.research.next", queries=tell("cli.research.and").join(quoted))


def _answered(step: AnswerStep) -> Iterator[str]:
    if step.partial:
        yield tell("cli.research.partial", reason=step.partial_reason)
    yield tell("cli.research.written", citations=step.citations)
    if step.refused:
        yield tell("cli.research.refused", count=step.refused)


def _short(query: str) -> str:
    query = " ".join(query.split())
    return query if len(query) <= LONGEST_QUERY else query[: LONGEST_QUERY - 1] + "…"
