"""Did you mean: the nearest of the names that there are."""

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from sanbo.kernel.messages import tell

MOST_NAMES = 12
LONGEST = 100
_NEAR = 60


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
    by_fold = {each[:LONGEST].casefold(): each for each in names}
    wanted = name[:LONGEST].casefold()
    found = process.extractOne(wanted, by_fold.keys(), scorer=fuzz.ratio, score_cutoff=_NEAR)
    return by_fold[found[0]] if found else ""


def shortened(text: object, limit: int = LONGEST) -> str:
    """For messages: no finding is longer than a screen because a plan is odd."""
    written = str(text)
    return written if len(written) <= limit else written[: limit - 1] + "…"
