"""Did you mean: the nearest of the names that there are."""

from collections.abc import Iterable

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest

MOST_NAMES = 12
LONGEST = 100


def suggestion(name: object, known: Iterable[str]) -> str:
    """A sentence for a hint: the name that was probably meant, or all there are, or none."""
    names = list(dict.fromkeys(known))
    if near := nearest(str(name), names):
        return tell("plan_findings.suggest.near", nearest=near[0])
    if not names:
        return tell("plan_findings.suggest.none")
    shown = ", ".join(shortened(each) for each in names[:MOST_NAMES])
    return tell(
        "plan_findings.suggest.known", known=shown + (" …" if len(names) > MOST_NAMES else "")
    )


def shortened(text: object, limit: int = LONGEST) -> str:
    """For messages: no finding is longer than a screen because a plan is odd."""
    written = str(text)
    return written if len(written) <= limit else written[: limit - 1] + "…"
