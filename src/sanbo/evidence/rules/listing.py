"""Questions that ask for all of something: every item of the list or table that answers."""

import re
from collections.abc import Sequence
from itertools import takewhile

from sanbo.evidence.rules.choosing import Chosen

LONGEST = 12
_ALL = re.compile(
    r"すべて|全て|全部|全員|一覧|列挙|もれなく|箇条書き|挙げて|どんな種類|どのような種類|何種類|手順(?:を|は|$)"
    r"|\b(?:list|all|every|which ones|what are the)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(r"(?:次|以下|下記)の|各号|\bas follows\b|\bthe following\b", re.IGNORECASE)
_ITEM = re.compile(
    r"^(?:[・●○◆■*•‣-]|[0-9０-９]{1,2}[.．)）、]|[①-⑳]|[（(][0-9０-９一-十ア-ンa-z]{1,2}[)）])"
)


def asks_for_all(question: str) -> bool:
    return _ALL.search(question) is not None


def listed(ranked: Sequence[Chosen]) -> list[Chosen]:
    """A list's items (or a table's rows) in their order after what leads to them; else nothing."""
    telling = [each for each in ranked if not each.only_names]
    rows = [each for each in telling if each.sentence.is_row]
    items = [each for each in telling if _ITEM.match(each.sentence.text)]
    found = max(rows, items, key=len)
    if len(found) < 2:
        return []
    found.sort(key=lambda each: each.sentence.start)
    start = found[0].sentence.start
    before = [each for each in telling if each.sentence.start < start and each.speaks_of_it]
    return [*before[:1], *found][:LONGEST]


def listed_after(lead: Chosen, ranked: Sequence[Chosen]) -> list[Chosen]:
    """What 次のとおり leads to, in its order: of figures only those that the question is about."""
    if not _LEADS.search(lead.sentence.text):
        return []
    after = sorted(
        (each for each in ranked if each.sentence.start > lead.sentence.start),
        key=lambda each: each.sentence.start,
    )
    items = list(takewhile(lambda each: _is_item(each.sentence.text), after))
    figures = [each for each in items if each.holds_kind]
    named = [each for each in figures if each.speaks_of_it]
    return named or figures or items


def is_list(chosen: Sequence[Chosen]) -> bool:
    return sum(bool(_ITEM.match(each.sentence.text)) for each in chosen) > 1


def _is_item(text: str) -> bool:
    return _ITEM.match(text) is not None or not text.endswith(("。", ".", "！", "？"))
