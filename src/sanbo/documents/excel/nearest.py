"""Names in the texts of problems: the one that was probably meant, or a few out of many."""

from collections.abc import Iterable
from difflib import get_close_matches

from sanbo.kernel.text import matching_form

_SHOWN = 10


def nearest(wanted: str, known: Iterable[str], count: int = 3) -> str:
    """Known names, nearest first."""
    by_form = {matching_form(name): name for name in known if name.strip()}
    forms = get_close_matches(matching_form(wanted), by_form, n=count, cutoff=0.0)
    return listed(by_form[form] for form in forms) or "–"


def listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:_SHOWN]) + (" …" if len(every) > _SHOWN else "")
