"""The passages that a model is shown: those it needs, within a budget, as data."""

import math
from collections.abc import Iterator, Sequence

from sanbo.documents.chunks import sentence_spans
from sanbo.evidence.model import Frozen, Passage, View
from sanbo.retrieval.tokens import terms_of

CUT_MARK = "…"
LONGEST_PASSAGE = 1_500
"""Tokens; of what is longer only the part nearest to the question is shown."""
LONGEST_NAME = 120
_OVERHEAD = 40
"""Tokens of a passage's id, name and place."""


class GivenPassage(Frozen):
    id: str
    document: str
    page: int | None
    sheet: str | None
    about: str
    """Its headings or a table's header."""
    relevance: float
    text: str


def tokens_of(text: str) -> int:
    """More rather than less: one for a Japanese letter, one for three others."""
    wide = sum(not character.isascii() for character in text)
    return math.ceil(wide * 1.1 + (len(text) - wide) / 3)


def given(view: View, budget: int, longest: int = LONGEST_PASSAGE) -> list[GivenPassage]:
    """Most relevant first, every sub-question served, as far as the budget reaches."""
    chosen: list[GivenPassage] = []
    left = budget
    terms = terms_of(" ".join((view.question, *view.sub_questions)))
    for passage in _needed(view):
        most = min(longest, left - _OVERHEAD)
        if most < _OVERHEAD:
            break
        shown = _shown(passage, shortened(passage.text, terms, most))
        left -= _OVERHEAD + tokens_of(shown.text) + tokens_of(shown.about)
        chosen.append(shown)
    return chosen


def _needed(view: View) -> Iterator[Passage]:
    """Of passages that hardly answer, only so many as a search must find at least; and of those of
    further searches, whose words were chosen by who reads them, as many."""
    asked_for = {passage.id for passage in _by_search(view)}
    for place, passage in enumerate(_ranked(view)):
        is_relevant = passage.relevance >= view.relevance_threshold
        if is_relevant or place < view.min_docs_count or passage.id in asked_for:
            yield passage


def _by_search(view: View) -> list[Passage]:
    """Where there were several, the best of each by its own score, most of the last: how likely
    they answer is said of the question's words, and those have not found them."""
    by_cycle: dict[int, list[Passage]] = {}
    for passage in sorted(view.passages, key=lambda each: (-each.cycle, -each.score)):
        by_cycle.setdefault(passage.cycle, []).append(passage)
    newest = by_cycle.pop(view.cycle, []) if view.cycle > 1 else []
    if not newest or not by_cycle:
        return newest[: view.min_docs_count]
    share = math.ceil(view.min_docs_count / len(by_cycle))
    before = [passage for found in by_cycle.values() for passage in found[:share]]
    return [*newest[: view.min_docs_count], *before]


def _ranked(view: View) -> list[Passage]:
    """The best for each sub-question first, then the others by their relevance."""
    best = sorted(view.passages, key=lambda each: each.relevance, reverse=True)
    first: list[Passage] = []
    for place in range(len(view.sub_questions)):
        own = [each for each in best if place < len(each.relevances)]
        if own:
            first.append(max(own, key=lambda each: each.relevances[place]))
    first.sort(key=lambda each: each.relevance, reverse=True)
    return list({passage.id: passage for passage in (*first, *_by_search(view), *best)}.values())


def _shown(passage: Passage, text: str) -> GivenPassage:
    return GivenPassage(
        id=passage.id,
        document=passage.document[:LONGEST_NAME],
        page=passage.position.page,
        sheet=passage.position.sheet,
        about=passage.context[:LONGEST_NAME],
        relevance=round(passage.relevance, 2),
        text=text,
    )


def shortened(text: str, terms: frozenset[str], most: int) -> str:
    """The run of whole sentences with most of the question's words; cuts are marked."""
    if tokens_of(text) <= most:
        return text
    spans = sentence_spans(text)
    start, end = max(_runs(text, spans, most), key=lambda run: _met(text[slice(*run)], terms))
    before = CUT_MARK if start else ""
    after = CUT_MARK if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def _runs(text: str, spans: Sequence[tuple[int, int]], most: int) -> Iterator[tuple[int, int]]:
    """From every sentence on, as many as there is room for; the first is cut if it must be."""
    costs = [tokens_of(text[start:end]) for start, end in spans]
    last, cost = 0, 0
    for first, (start, end) in enumerate(spans):
        if last <= first:
            last, cost = first, 0
        while last < len(spans) and cost + costs[last] <= most:
            cost += costs[last]
            last += 1
        if last > first:
            yield start, spans[last - 1][1]
            cost -= costs[first]
        else:
            yield start, min(end, start + max(1, int(most / 1.1)))


def _met(text: str, terms: frozenset[str]) -> int:
    lowered = text.casefold()
    return sum(term in lowered for term in terms)


def told(passages: Sequence[GivenPassage]) -> list[dict[str, object]]:
    """As a model reads them; what is not known is not mentioned."""
    return [
        {name: value for name, value in passage.model_dump().items() if value not in (None, "")}
        for passage in passages
    ]
