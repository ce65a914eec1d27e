"""What is done to make a table ready, said to people as it is done; each kind can be left."""

from collections.abc import Collection, Iterable
from typing import Any

from sanbo.agents.analysis.profile import Preparation, PreparationKind
from sanbo.kernel.messages import tell
from sanbo.kernel.text import listed

_LONGEST = 40
_MOST = 5


class Preparations:
    def __init__(self, as_written: Collection[PreparationKind] = ()) -> None:
        self._as_written = frozenset(as_written)
        self._said = [
            Preparation(kind=kind, text=tell(f"analysis_ready.left.{kind}"), is_done=False)
            for kind in sorted(self._as_written)
        ]

    def __iter__(self) -> Any:
        return iter(self._said)

    def wants(self, kind: PreparationKind) -> bool:
        return kind not in self._as_written

    def say(
        self, kind: PreparationKind, text: str, *, is_done: bool = True, **values: str | int
    ) -> None:
        """`text` of `analysis_ready`. Where nothing was changed, it cautions."""
        said = tell(f"analysis_ready.{text}", None, **values)
        self._said.append(Preparation(kind=kind, text=said, is_done=is_done))


def few(cells: Iterable[object]) -> str:
    """Cells, names or numbers of rows, for people."""
    return listed((short(str(cell)) for cell in cells), _MOST)


def short(text: str, most: int = _LONGEST) -> str:
    text = " ".join(text.splitlines())
    return text if len(text) <= most else f"{text[:most]}…"
