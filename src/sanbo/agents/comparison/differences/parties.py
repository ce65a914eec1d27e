"""Who stands in whose place: parties of a contract that a sentence exchanges."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sanbo.agents.comparison.differences.segments import Segment
from sanbo.agents.comparison.differences.spans import Span, spans_within

_OPPOSED: tuple[tuple[str, ...], ...] = (
    ("甲", "乙", "丙", "丁"),
    ("委託者", "受託者"),
    ("発注者", "受注者"),
    ("注文者", "請負人"),
    ("貸主", "借主"),
    ("賃貸人", "賃借人"),
    ("貸付人", "借入人"),
    ("売主", "買主"),
    ("譲渡人", "譲受人"),
    ("開示者", "受領者"),
    ("債権者", "債務者"),
    ("使用者", "労働者"),
    ("社長", "取締役", "本部長", "部長", "次長", "課長", "係長", "主任", "所属長", "上長", "店長"),
    ("管理者", "責任者", "担当者"),
    ("buyer", "purchaser", "seller"),
    ("customer", "client", "supplier", "vendor", "provider", "contractor"),
    ("licensor", "licensee"),
    ("lessor", "lessee"),
    ("landlord", "tenant"),
    ("employer", "employee"),
    ("disclosing party", "receiving party"),
    ("party a", "party b"),
    ("manager", "director", "supervisor", "head of department", "officer", "administrator"),
)
"""Those of one row are never the same person in one contract."""
_ROW = {name: row for row, names in enumerate(_OPPOSED) for name in names}
_ROLES = "|".join(name for names in _OPPOSED[1:] for name in names if not name.isascii())
_LATIN = "|".join(name for names in _OPPOSED for name in names if name.isascii())
_OTHER = "相手方|他方当事者|(?i:the other party)"
"""Whoever of them it is: named to tell which became which."""
_ALL = "(?i:each party|either party|both parties|the parties)"
_ONE = (
    "(?:(?<![一-鿿])[甲乙丙丁](?![種類号板斐状虫])"  # 甲種, 甲板 and 装甲 are no party
    rf"|(?<![一-鿿])(?:{_ROLES})|\b(?i:{_LATIN})\b)"
)
_PARTY = re.compile(
    rf"{_OTHER}|\b{_ALL}\b|両当事者|{_ONE}(?:(?:及び|並びに|又は|and|or){_ONE}){{0,3}}"
)
_SENTENCE = re.compile(r"[^。．\n.;]+(?:\.(?=\S)[^。．\n.;]*)*")
_JAPANESE_PART = re.compile("に対し|から|より|[はがもにへとをの]")
_PARTS = {"は": "who", "が": "who", "も": "who", "に対し": "に", "へ": "に", "より": "から"}
_ENGLISH_PART = re.compile(r"\b(to|from|by|with|of|for|on|against)\s+(?:the\s+)?$", re.IGNORECASE)
_WINDOW = 24
_MOST = 12
"""Sentences of one change that are looked at."""
_ALIKE = 60


class _Named(NamedTuple):
    party: str
    part: str
    """What it has to do with the sentence: who acts, to whom, whose."""


def exchanges(old: str, new: str, changed: Sequence[Segment]) -> Iterator[tuple[str, str]]:
    """Parties in each other's place in one sentence, in the words of both sides."""
    if not _PARTY.search(old) or not _PARTY.search(new):
        return
    here, there = ([found.span() for found in _SENTENCE.finditer(text)] for text in (old, new))
    seen: set[tuple[Span, Span]] = set()
    for segment in changed:
        before, after = segment[1:3], segment[3:5]
        if not _PARTY.search(old, *before) and not _PARTY.search(new, *after):
            continue
        ours, theirs = _around(here, before), _around(there, after)
        for pair in _same_sentences(old, ours, new, theirs):
            if pair not in seen:
                seen.add(pair)
                yield from _in_each_others_place(_named(old, pair[0]), _named(new, pair[1]))


_WHO_ACTS = re.compile(r"[がは](?!ない|なく)|、?において(?=.{0,20}行)")
_PERSON = re.compile(
    "[者人長員役方社店課係室署会団庁省署国]$|部(?:門|署)?$|担当$|機関$|窓口$|当社$"
)
_BY = re.compile(
    r"\b(?:be|been|is|are|was|were)\s+(?:\w+\s+){1,4}?by\s+(?:the\s+|an?\s+|each\s+)?$",
    re.IGNORECASE,
)
_NO_PERSON = re.compile(r"\d|ing\b|\b(?:law|post|email|notice|means|reference)\b", re.IGNORECASE)
_ARTICLES = re.compile(r"^(?:the|an?|each)\s+", re.IGNORECASE)


def agents(old: str, new: str, changed: Sequence[Segment]) -> Iterator[tuple[str, str]]:
    """Who does it, where another does it now: 購買部が, by the operator, staff shall."""
    for segment in changed:
        before, after = segment[1:3], segment[3:5]
        gone, come = (
            _ARTICLES.sub("", text[slice(*span)].strip())
            for text, span in ((old, before), (new, after))
        )
        if not gone or not come or max(len(gone), len(come)) > _WINDOW * 2:
            continue
        if gone[:-1] == come[:-1]:  # 参加人 and 参加者
            continue
        if all(_PERSON.search(each) for each in (gone, come)):
            if _WHO_ACTS.match(old, before[1]) and _WHO_ACTS.match(new, after[1]):
                yield gone, come
        elif gone.isascii() and come.isascii() and not _NO_PERSON.search(f"{gone} {come}"):
            sides = ((old, before), (new, after))
            if all(
                _BY.search(text[max(0, span[0] - 2 * _WINDOW) : span[0]]) for text, span in sides
            ):
                yield gone, come


def _around(sentences: Sequence[Span], changed: Span) -> Sequence[Span]:
    """Those that it stands in; where something was taken out, the one it was in."""
    return spans_within(sentences, changed[0] - 1, changed[1] + 1)[:_MOST]


def _same_sentences(
    old: str, ours: Sequence[Span], new: str, theirs: Sequence[Span]
) -> Iterator[tuple[Span, Span]]:
    """Those that say the same but for who is meant."""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - takes 100 ms, at the first difference

    said = [_PARTY.sub("", new[slice(*span)]) for span in theirs]
    for span in ours if theirs else ():
        mine = _PARTY.sub("", old[slice(*span)])
        likeness = [ratio(mine, other) for other in said]
        best = max(range(len(theirs)), key=likeness.__getitem__)
        if likeness[best] >= _ALIKE:
            yield span, theirs[best]


def _named(text: str, sentence: Span) -> list[_Named]:
    found = list(_PARTY.finditer(text, *sentence))
    return [_Named(one.group(), _part(text, sentence, one)) for one in found]


def _part(text: str, sentence: Span, found: re.Match[str]) -> str:
    if after := _JAPANESE_PART.match(text, found.end()):
        return _PARTS.get(after.group(), after.group())
    if text.startswith(("'s", "’s"), found.end()):
        return "の"
    before = _ENGLISH_PART.search(text[max(sentence[0], found.start() - _WINDOW) : found.start()])
    return before.group(1).lower() if before else "who"


def _in_each_others_place(
    ours: Sequence[_Named], theirs: Sequence[_Named]
) -> Iterator[tuple[str, str]]:
    for part in dict.fromkeys(one.part for one in ours):
        before = [one.party for one in ours if one.part == part]
        after = [one.party for one in theirs if one.part == part]
        if len(before) != len(after):  # which became which is not to be told
            continue
        for one, other in zip(before, after, strict=True):
            if one.casefold() != other.casefold() and _are_comparable(one, other):
                yield one, other


def _are_comparable(one: str, other: str) -> bool:
    """Of one row; several together (甲及び乙, each party) stand beside any of them."""
    if any(re.fullmatch(_OTHER, each) for each in (one, other)):
        return False
    rows = [_ROW.get(each.casefold()) for each in (one, other)]
    return None in rows or rows[0] == rows[1]
