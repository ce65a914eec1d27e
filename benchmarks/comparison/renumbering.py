"""Numbers after an amendment: paragraphs and items in order, articles as drafters number them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from .numerals import KANJI, from_kanji, to_circled, to_kanji, to_wide
from .passages import Group, Level, Passage

Numbering = Literal["keep", "shift", "anew"]
"""New articles become 第三条の二; or what follows moves up; or the whole law is counted anew."""

_ARTICLE = re.compile(rf"第([{KANJI}]+)条((?:の[{KANJI}]+(?![部方種]))*)")
# `同法第九条`, `労働基準法（…）第九条`: another law's article stays.
_OWN_REFERENCE = re.compile(rf"(?<![法令則）号]){_ARTICLE.pattern}")
_PLAIN_ITEM = re.compile(rf"[{KANJI}]+")


def renumber(
    groups: Sequence[Group],
    old: Sequence[Passage],
    numbering: Numbering,
    *,
    begin: int = 0,
    by: int = 0,
) -> None:
    """Gives all the numbers that fit their new places, and lets references follow."""
    for group in groups:
        if group.is_article and group.touched:
            group.passages = _counted_within(group.passages)
    _number_articles(groups, numbering, begin, by)
    kept = [group for group in groups if group.is_article and group.passages[0].origins]
    renamed = {
        old[group.passages[0].origins[0]].mark: group.passages[0].mark
        for group in kept
        if group.section == 0
    }
    for group in kept:
        head = group.passages[0]
        if head.mark != old[head.origins[0]].mark:
            group.passages[0] = _tagged(head)
    for group in groups:
        if group.section == 0:
            group.passages = [_following(passage, renamed) for passage in group.passages]


def next_branch(mark: str, taken: set[str]) -> str:
    """第三条 → 第三条の二, or the first that is free."""
    stem = _ARTICLE.findall(mark)[-1]
    for branch in range(2, 100):
        candidate = f"第{stem[0]}条{stem[1]}の{to_kanji(branch)}"
        if candidate not in taken:
            return candidate
    raise ValueError(mark)


def _number_articles(groups: Sequence[Group], numbering: Numbering, begin: int, by: int) -> None:
    section, count = -1, 0
    for group in groups:
        if not group.is_article:
            continue
        head = group.passages[0]
        first, last = _span(head.mark)
        if numbering == "shift" and group.section == 0 and first >= begin:
            group.passages[0] = replace(head, mark=_each_number(head.mark, lambda n: n + by))
        if numbering == "anew" and group.section == 0:
            if group.section != section:
                section, count = group.section, first
            moved = count - first
            plain = head.mark if last > first else f"第{to_kanji(first)}条"
            group.passages[0] = replace(head, mark=_each_number(plain, lambda n, d=moved: n + d))
            count += last - first + 1


def _span(mark: str) -> tuple[int, int]:
    numbers = [from_kanji(found[0]) for found in _ARTICLE.findall(mark)]
    return numbers[0], numbers[-1]


def _each_number(mark: str, change: Callable[[int], int]) -> str:
    return _ARTICLE.sub(
        lambda found: f"第{to_kanji(change(from_kanji(found[1])))}条{found[2]}", mark
    )


def _following(passage: Passage, renamed: dict[str, str]) -> Passage:
    if passage.level is Level.OTHER or not passage.origins:
        return passage
    body = _OWN_REFERENCE.sub(lambda found: renamed.get(found[0], found[0]), passage.body)
    return passage if body == passage.body else _tagged(replace(passage, body=body))


def _tagged(passage: Passage) -> Passage:
    return replace(passage, edits=passage.edits | {"renumber"}) if passage.origins else passage


def _counted_within(passages: Sequence[Passage]) -> list[Passage]:
    """Paragraphs as ２, ３ …; the items of each list as 一, 二 … unless they have branches."""
    counted: list[Passage] = []
    circled = any(p.level is Level.PARAGRAPH and p.mark[0] in "①②③④⑤⑥⑦⑧⑨⑩" for p in passages)
    paragraphs = 1
    for passage in passages:
        if passage.level is Level.PARAGRAPH:
            paragraphs += 1
            mark = to_circled(paragraphs) if circled else to_wide(paragraphs)
            counted.append(replace(passage, mark=mark))
        else:
            counted.append(passage)
    return _items_in_order(counted)


def _items_in_order(passages: list[Passage]) -> list[Passage]:
    lists: list[list[int]] = []
    for at, passage in enumerate(passages):
        if passage.level is not Level.ITEM:
            lists.append([])
        elif passage.depth == 0 and lists:
            lists[-1].append(at)
    for places in lists:
        if all(_PLAIN_ITEM.fullmatch(passages[at].mark) for at in places):
            for number, at in enumerate(places, start=1):
                passages[at] = replace(passages[at], mark=to_kanji(number))
    return passages
