"""Did you mean: of the names that there are, those nearest to one that is not."""

from collections.abc import Iterable
from itertools import islice

from sanbo.kernel.text import listed, matching_form

NEAR = 0.6
_CLEAR = 0.5
_MEANT = 3
_MOST_COMPARED = 2000
_LONGEST_COMPARED = 100
"""Letters: comparing costs their square, and names come from strangers' files."""


def nearest(name: str, known: Iterable[str], count: int = 1, *, least: float = NEAR) -> list[str]:
    """The likeliest first, none of them less alike than `least`; with 0, any will do."""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - loaded where something was misspelt

    wanted = matching_form(name[:_LONGEST_COMPARED])

    def likeness(candidate: str) -> float:
        form = matching_form(candidate[:_LONGEST_COMPARED])
        # 新宿 means 新宿店 more than 新橋, and sales means sales_amount.
        part = 0.5 if wanted and form and (wanted in form or form in wanted) else 0.0
        return ratio(wanted, form) / 100 + part

    likely = {each: likeness(each) for each in islice(dict.fromkeys(known), _MOST_COMPARED)}
    best = max(likely.values(), default=0.0)
    if best >= _CLEAR:  # what is far from it only distracts
        least = max(least, NEAR * best)
    ranked = sorted(likely, key=lambda each: likely[each], reverse=True)
    return [each for each in ranked if likely[each] >= least][:count]


def alternatives(wanted: str, known: Iterable[str]) -> str:
    """Those nearest to it, for a hint."""
    names = [name for name in known if name.strip()]
    return listed(nearest(wanted, names, _MEANT, least=0)) or "–"
