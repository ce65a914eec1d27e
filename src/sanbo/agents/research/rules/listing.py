"""Questions that ask for all of something: every item of the list or table that answers."""

import re
from collections.abc import Sequence

from sanbo.agents.research.rules.choosing import Chosen

LONGEST = 12
_ALL = re.compile(
    r"すべて|全て|全部|全員|一覧|列挙|もれなく|箇条書き|挙げて|どんな種類|どのような種類|何種類|手順(?:を|は|$)"
    r"|\b(?:list|all|every|which ones|what are the)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"^(?:[・●○◆■*•‣-]|[0-9０-９]{1,2}[.．)）、]|[①-⑳]|[（(][0-9０-９一-十ア-ンa-z]{1,2}[)）])"
)


def asks_for_all(question: str) -> bool:
    return _ALL.search(question) is not None


def listed(ranked: Sequence[Chosen]) -> list[Chosen]:
    """A list's items (or a table's rows) in their order after what leads to them; else nothing."""
    rows = [each for each in ranked if each.sentence.is_row and not each.is_header]
    items = [each for each in ranked if _ITEM.match(each.sentence.text)]
    found = max(rows, items, key=len)
    if len(found) < 2:
        return []
    found.sort(key=lambda each: each.sentence.start)
    start = found[0].sentence.start
    before = [
        each
        for each in ranked
        if each.sentence.start < start and each.speaks_of_it and not each.is_header
    ]
    prose = [each for each in before if not each.sentence.is_row and not each.sentence.is_heading]
    return [*prose[:1], *found][:LONGEST]
