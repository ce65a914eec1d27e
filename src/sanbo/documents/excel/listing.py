"""Names in the texts of problems: those that were probably meant, or a few out of many."""

from collections.abc import Iterable

from sanbo.kernel.nearest import nearest

_SHOWN = 10
_MEANT = 3


def alternatives(wanted: str, known: Iterable[str]) -> str:
    """Known names, nearest first."""
    names = [name for name in known if name.strip()]
    return listed(nearest(wanted, names, _MEANT, least=0)) or "–"


def listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:_SHOWN]) + (" …" if len(every) > _SHOWN else "")
