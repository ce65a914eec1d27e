"""Of names that exist, those nearest to one that does not."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import islice

from sanbo.kernel.text import matching_form

CANDIDATES = 5
_MOST_COMPARED = 2000
_LONGEST_COMPARED = 100
"""Letters: comparing costs their square, and a hostile table can have many long names."""
SHOWN_LENGTH = 80
_NEAR = 0.5


def nearest(name: str, known: Iterable[str], count: int = CANDIDATES) -> list[str]:
    """The best first; in the order of `known` where nothing is near. Never empty unless it is."""
    wanted = matching_form(name[:_LONGEST_COMPARED])
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)

    def likeness(candidate: str) -> float:
        form = matching_form(candidate[:_LONGEST_COMPARED])
        matcher.set_seq1(form)
        # 新宿 means 新宿店 more than 新橋, and sales means sales_amount.
        part = 0.5 if wanted and form and (wanted in form or form in wanted) else 0.0
        return matcher.ratio() + part

    scores = {candidate: likeness(candidate) for candidate in islice(known, _MOST_COMPARED)}
    best = max(scores.values(), default=0.0)
    # Where one is near, what is far from it only distracts.
    least = 0.6 * best if best >= _NEAR else 0.0
    ranked = sorted(scores, key=lambda candidate: scores[candidate], reverse=True)
    return [candidate for candidate in ranked if scores[candidate] >= least][:count]


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
