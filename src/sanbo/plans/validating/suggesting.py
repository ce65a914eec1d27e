"""Did you mean: the nearest of the names that there are."""

import difflib
from collections.abc import Iterable

from sanbo.kernel.messages import tell

MOST_NAMES = 12
LONGEST = 100


def suggestion(name: object, known: Iterable[str]) -> str:
    """A sentence for a hint: the name that was probably meant, or all there are, or none."""
    names = list(dict.fromkeys(known))
    near = nearest(str(name), names)
    if near:
        return tell("plan_findings.suggest.near", nearest=near)
    if not names:
        return tell("plan_findings.suggest.none")
    shown = ", ".join(shortened(each) for each in names[:MOST_NAMES])
    return tell(
        "plan_findings.suggest.known", known=shown + (" …" if len(names) > MOST_NAMES else "")
    )


def nearest(name: str, names: Iterable[str]) -> str:
    wanted = name[:LONGEST].casefold()
    by_fold = {each[:LONGEST].casefold(): each for each in names}
    found = difflib.get_close_matches(wanted, by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else ""


def shortened(text: object, limit: int = LONGEST) -> str:
    """For messages: no finding is longer than a screen because a plan is odd."""
    written = str(text)
    return written if len(written) <= limit else written[: limit - 1] + "…"
