"""Whether two sentences say the same in nearly the same words."""

from sanbo.retrieval.tokens import letters

NEARLY_THE_SAME = 0.8


def pairs(text: str) -> frozenset[str]:
    """Neighbouring letters; figures whole, so that 10日 and 12日 are not alike."""
    form = letters(text)
    return frozenset(form[at : at + 2] for at in range(len(form) - 1))


def is_repeated(text: str, other: str) -> bool:
    """Whether the other says it already, or it only adds to it: the same figures, most letters."""
    if _figures(text) != _figures(other):
        return False
    ours, theirs = pairs(text), pairs(other)
    return len(ours & theirs) >= NEARLY_THE_SAME * min(len(ours), len(theirs))


def is_the_same(text: str, other: str) -> bool:
    """Whether both say it, and neither says more."""
    ours, theirs = pairs(text), pairs(other)
    return _figures(text) == _figures(other) and len(ours & theirs) >= NEARLY_THE_SAME * max(
        len(ours), len(theirs)
    )


def _figures(text: str) -> frozenset[str]:
    return frozenset("".join(c if c.isdigit() else " " for c in letters(text)).split())
