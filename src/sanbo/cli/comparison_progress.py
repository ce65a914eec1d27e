"""A comparison as it advances: a line a step, and of the many paragraphs only how far it is."""

from typing import cast

from typing_extensions import override

from sanbo.cli.progress import Progress
from sanbo.cli.screen import words
from sanbo.kernel.messages import tell
from sanbo.runs.model import (
    ArtifactMade,
    Event,
    JsonObject,
    LoopIteration,
    NodeComplete,
    NodeStart,
    TextDelta,
)

_OF_A_PARAGRAPH = frozenset({"select_next_chunk", "call_model", "execute_tools"})


class ComparisonProgress(Progress):
    """Three or more steps for each of hundreds of paragraphs would bury all else."""

    @override
    def show(self, event: Event) -> None:
        payload = event.payload
        is_of_paragraph = bool(event.path) and event.path[-1] in _OF_A_PARAGRAPH
        match payload:
            case LoopIteration():
                self._note = _paragraph(payload)
                if self._live is None:
                    self._console.print(words(f"  {self._note}", "dim"))
            case NodeStart() if is_of_paragraph:
                super().show(event)
                self._notes[event.path] = self._note
            case NodeComplete() if is_of_paragraph:
                self._began.pop(event.path, None)
            case ArtifactMade() | TextDelta():
                pass  # files and the summary are shown as what they are, at the end
            case _:
                super().show(event)

    _note = ""


def _paragraph(iteration: LoopIteration) -> str:
    item = cast("JsonObject", iteration.item or {})
    return tell(
        "cli.compare.paragraph",
        number=iteration.iteration,
        of=item.get("of", "?"),
        label=item.get("label") or item.get("id", ""),
    )
