"""What belongs to a sentence that answers: the rest of its clause, exceptions, a list's items."""

from collections.abc import Sequence
from itertools import pairwise

from sanbo.evidence.model import Passage
from sanbo.evidence.rules.choices import Chosen
from sanbo.evidence.rules.sentences import sentences

LONGEST = 200
"""Letters of a clause with what is told beside it; a letter of Latin script counts half."""


_FEWEST_LINES = 2


def of_clauses(passage: Passage) -> bool:
    """Made of clauses, list items, short paragraphs or rows, and no running text."""
    named = passage.position.headings
    found = [
        each
        for each in sentences(passage.text)
        if not each.is_heading and each.text.lstrip("# ") not in named
    ]
    lines = sum("\n" in passage.text[a.end : b.start] for a, b in pairwise(found))
    return lines >= _FEWEST_LINES or any(each.is_row for each in found)


def with_clause(best: Chosen, beside: Sequence[Chosen]) -> list[Chosen]:
    """The sentences around it, in their order; none where it stands in running text.

    A regulation says in one paragraph what is forbidden and in the next when it is allowed, a list
    says it in all its items. Running text of one paragraph is no clause: one sentence answers.
    """
    in_order = sorted(beside, key=lambda each: each.sentence.start)
    at = next((nth for nth, each in enumerate(in_order) if each.sentence == best.sentence), None)
    if at is None or best.sentence.is_row:
        return []
    own = _paragraph(in_order, at, best.passage)
    if own == (0, len(in_order)) or _letters(in_order, *own) > LONGEST:
        return []
    first, last = own
    place = best.passage
    while True:
        goes_on = last < len(in_order) and not _broken(in_order[last - 1], in_order[last], place)
        after = _paragraph(in_order, last, place)[1] if goes_on else last
        if after > last and _letters(in_order, first, after) <= LONGEST:
            last = after
            continue
        leads = first > 0 and not _broken(in_order[first - 1], in_order[first], place)
        before = _paragraph(in_order, first - 1, place)[0] if leads else first
        if before == first or _letters(in_order, before, last) > LONGEST:
            break
        first = before
    return [
        each
        for each in in_order[first:last]
        if each.sentence != best.sentence and not each.only_names and not each.sentence.is_row
    ]


def _paragraph(in_order: Sequence[Chosen], at: int, passage: Passage) -> tuple[int, int]:
    """From and to: sentences between which no line ends."""
    first, last = at, at + 1
    while first > 0 and not _apart(in_order[first - 1], in_order[first], passage):
        first -= 1
    while last < len(in_order) and not _apart(in_order[last - 1], in_order[last], passage):
        last += 1
    return first, last


def _broken(one: Chosen, other: Chosen, passage: Passage) -> bool:
    """Something between them was left out: a question, whose answer is another thing."""
    return bool(passage.text[one.sentence.end : other.sentence.start].strip())


def _apart(one: Chosen, other: Chosen, passage: Passage) -> bool:
    return "\n" in passage.text[one.sentence.end : other.sentence.start]


def _letters(in_order: Sequence[Chosen], first: int, last: int) -> float:
    return sum(
        0.5 if letter.isascii() else 1.0
        for each in in_order[first:last]
        for letter in each.sentence.text
    )
