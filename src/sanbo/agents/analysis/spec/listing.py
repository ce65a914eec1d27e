"""Names as they are asked for and told."""

from collections.abc import Iterable, Sequence

from sanbo.kernel.text import matching_form

CANDIDATES = 5
SHOWN_LENGTH = 80


def alike(name: str, known: Iterable[str]) -> str | None:
    """The one that is the same but for width, case and spaces; None where two are."""
    wanted = matching_form(name)
    found = {candidate for candidate in known if matching_form(candidate) == wanted}
    return found.pop() if len(found) == 1 else None


def shown(text: object) -> str:
    """A name from outside, as part of a sentence: one line, not too long."""
    line = " ".join(str(text)[: 4 * SHOWN_LENGTH].split())
    return line if len(line) <= SHOWN_LENGTH else f"{line[: SHOWN_LENGTH - 1]}…"


def listed(names: Sequence[object]) -> str:
    return " / ".join(shown(name) for name in names)
