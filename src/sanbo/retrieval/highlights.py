"""Where in a passage the words of a question stand."""

import re
import unicodedata
from collections.abc import Sequence

import regex

from sanbo.kernel.text import matching_form
from sanbo.retrieval.model import Span
from sanbo.retrieval.tokens import folded, query_surfaces

# What may become one letter with the one before: marks, ﾞ and ﾟ, and the letters of 한글.
_JOINED = regex.compile(r"[\p{M}\uff9e\uff9f\u1100-\u11ff\u3130-\u318f\uffa0-\uffdc]")
# What nearly every text is made of, and nothing of that; told in a third of the time.
_USUAL = re.compile(
    r"[\0-\u02ff\u2010-\u20cf\u2100-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u30ff\u3400-\u9fff\uff01-\uff9d]*"
)
_UNIT = regex.compile(r"\X")
_SOLID = re.compile(r"[^\W_ぁ-ゖ]{2,}")


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
    found: list[tuple[int, int]] = []
    for term in terms:
        at = form.find(term)
        while at >= 0:
            found.append((origin[at], _end(origin, at + len(term), len(text))))
            at = form.find(term, at + 1)
    return _joined(sorted(found))


def _end(origin: Sequence[int], at: int, length: int) -> int:
    """Where the next unit of the text begins."""
    return origin[at] if at < len(origin) else length


def _form(text: str) -> tuple[str, Sequence[int]]:
    """The text in matching form, character by character, and where each one comes from."""
    if _USUAL.fullmatch(text) or _JOINED.search(text) is None:  # each letter has its own form
        whole = folded(text)
        if len(whole) == len(text):  # no letter has no form, so each has just one
            return whole, range(len(text))
    form: list[str] = []
    origin: list[int] = []
    for unit in _UNIT.finditer(text):  # ｶﾞ is one letter in two characters
        for piece in unicodedata.normalize("NFKC", unit.group()).casefold():
            form.append(piece)
            origin.append(unit.start())
    return "".join(form), origin


def _joined(found: list[tuple[int, int]]) -> tuple[Span, ...]:
    """Those that touch or overlap are one."""
    spans: list[list[int]] = []
    for start, end in found:
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(end, spans[-1][1])
        elif start < end:
            spans.append([start, end])
    return tuple(Span(start, end) for start, end in spans)
