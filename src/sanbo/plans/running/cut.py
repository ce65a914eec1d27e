"""What falls away of a run when some of its steps are done again."""

from dataclasses import dataclass, field

from sanbo.plans.dependencies import dependencies
from sanbo.plans.model import Graph
from sanbo.runs.model import Path, is_iteration


@dataclass
class Cut:
    dropped: set[Path] = field(default_factory=set[Path])
    """With everything below."""
    reopened: set[Path] = field(default_factory=set[Path])
    """What holds a dropped step: begun as before, but not ended."""
    after: list[tuple[Path, int]] = field(default_factory=list[tuple[Path, int]])
    """Loops of which the iterations from a number on fall away."""

    def drops(self, path: Path) -> bool:
        if any(path[:depth] in self.dropped for depth in range(1, len(path) + 1)):
            return True
        return any(
            len(path) > len(loop)
            and path[: len(loop)] == loop
            and is_iteration(path[: len(loop) + 1])
            and int(path[len(loop)][1:]) >= first
            for loop, first in self.after
        )


def downstream(graph: Graph, name: str) -> set[str]:
    """All that needs the node, or what needs it in turn; not itself."""
    needs = dependencies(graph)
    found: set[str] = set()
    waiting = [name]
    while waiting:
        each = waiting.pop()
        for reader, wanted in needs.items():
            if each in wanted and reader not in found:
                found.add(reader)
                waiting.append(reader)
    return found
