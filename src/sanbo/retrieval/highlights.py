"""Where in a text the words of a query stand, whatever their width, case or form."""

import re
import unicodedata
from collections.abc import Sequence

import regex

from sanbo.kernel.text import matching_form
from sanbo.retrieval.model import Span
from sanbo.retrieval.tokens import query_surfaces

_MARK = regex.compile(r"[\p{M}\uff9e\uff9f]")
_UNIT = regex.compile(r"\X")
_SOLID = re.compile(r"[^\W_ぁ-ゖ]{2,}")


class _Normal(dict[int, str]):
    """For `translate`, which runs at the speed of the machine: each letter is looked up once."""

    def __missing__(self, letter: int) -> str:
        self[letter] = unicodedata.normalize("NFKC", chr(letter)).casefold()
        return self[letter]


_NORMAL = _Normal()


def terms_of(query: str) -> frozenset[str]:
    """What to look for: content words as written and as in the dictionary, and solid runs.

    Not the single characters that a run is cut into: 第三者 would light up every 第.
    """
    runs: list[str] = _SOLID.findall(matching_form(query))
    single = {letter for run in runs for letter in run}
    return frozenset((*runs, *(word for word in query_surfaces(query) if word not in single)))


def highlights(terms: frozenset[str], text: str) -> tuple[Span, ...]:
    """Spans of `text`, in order and apart from each other."""
    form, origin = _form(text)
    covered: set[int] = set()
    for term in terms:
        at = form.find(term)
        while at >= 0:
            covered.update(range(origin[at], _end(origin, at + len(term), len(text))))
            at = form.find(term, at + 1)
    return _spans(sorted(covered))


def _end(origin: Sequence[int], at: int, length: int) -> int:
    """Where the next unit of the text begins."""
    return origin[at] if at < len(origin) else length


def _form(text: str) -> tuple[str, Sequence[int]]:
    """The text in matching form, character by character, and where each one comes from."""
    if _MARK.search(text) is None:  # nearly always, and then a character is a letter
        whole = text.translate(_NORMAL)
        if len(whole) == len(text):  # no letter has no form, so each has just one
            return whole, range(len(text))
    form: list[str] = []
    origin: list[int] = []
    for unit in _UNIT.finditer(text):  # ｶﾞ is one letter in two characters
        for piece in unicodedata.normalize("NFKC", unit.group()).casefold():
            form.append(piece)
            origin.append(unit.start())
    return "".join(form), origin


def _spans(positions: list[int]) -> tuple[Span, ...]:
    runs: list[list[int]] = []
    for at in positions:
        if runs and runs[-1][1] == at:
            runs[-1][1] = at + 1
        else:
            runs.append([at, at + 1])
    return tuple(Span(start=start, end=end) for start, end in runs)
