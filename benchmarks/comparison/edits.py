"""A law amended by chance: every passage of the new text knows which old ones it comes from."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from .passages import Group, Level, Passage, grouped
from .renumbering import Numbering, next_branch, renumber
from .wording import Wording, composed, merged, rewritten, split_in_two

Edit = Literal["insert", "delete", "rewrite", "move", "swap", "split", "merge", "renumber"]
LEAST_WORDS = 15
"""A shorter passage (`削除`, `略`) is no paragraph that could be told from others."""
NEAR = 12
"""Articles: most moves go no farther."""


def amended(
    old: Sequence[Passage],
    foreign: Sequence[Passage],
    *,
    seed: str,
    rounds: int,
    numbering: Numbering,
) -> list[Passage]:
    """The law after so many edits of every sort, each in an article of its own."""
    drafting = _Drafting(old, foreign, random.Random(seed))
    for _ in range(rounds):
        drafting.swap()
        drafting.move()
        drafting.split()
        drafting.merge()
        drafting.delete()
        drafting.insert()
        drafting.rewrite()
        drafting.rewrite()
    drafting.number(numbering)
    return [passage for group in drafting.groups for passage in group.passages]


class _Drafting:
    """Each article is edited at most once; only what stands once in the law is taken."""

    def __init__(
        self, old: Sequence[Passage], foreign: Sequence[Passage], chance: random.Random
    ) -> None:
        self._old = old
        self._chance = chance
        self.groups = grouped(old)
        bodies = [passage.body for passage in old if passage.level is not Level.OTHER]
        self._wording = Wording.of([body for body in bodies if len(body) >= LEAST_WORDS])
        self._often = {body for body, count in Counter(bodies).items() if count > 1}
        known = set(bodies)
        self._foreign = [
            passage
            for passage in foreign
            if passage.level in (Level.ARTICLE, Level.PARAGRAPH, Level.ITEM)
            and len(passage.body) >= LEAST_WORDS
            and passage.body not in known
        ]
        self._marks = {passage.mark for passage in old if passage.level is Level.ARTICLE}

    def swap(self) -> None:
        """Two articles change places, and with the place the number."""
        first = self._pick(self._is_whole)
        if first is None:
            return
        at = self.groups.index(first)
        partners = [
            group
            for group in self.groups[max(at - NEAR, 0) : at + NEAR]
            if group.section == first.section and self._free(group) and self._is_whole(group)
        ]
        if not partners:
            return
        second = self._chance.choice(partners)
        second.touched = True
        other = self.groups.index(second)
        self.groups[at], self.groups[other] = second, first
        one, two = first.passages[0].mark, second.passages[0].mark
        _tag(first, "swap", mark=two)
        _tag(second, "swap", mark=one)

    def move(self) -> None:
        """A whole article, or a paragraph with its items, to another place."""
        if self._chance.random() < 0.65:
            self._move_article()
        else:
            self._move_paragraph()

    def _move_article(self) -> None:
        group = self._pick(self._is_whole)
        if group is None:
            return
        at = self.groups.index(group)
        places = [
            place
            for place, other in enumerate(self.groups)
            if other.is_article and other.section == group.section and abs(place - at) >= 2
        ]
        near = [place for place in places if abs(place - at) <= NEAR]
        if near and self._chance.random() < 0.8:
            places = near
        if not places:
            return
        after = self.groups[self._chance.choice(places)]
        self.groups.remove(group)
        self.groups.insert(self.groups.index(after) + 1, group)
        _tag(group, "move", mark=self._branch_after(after))
        if self._chance.random() < 0.3:
            self._rewrite_one_of(group.passages, group)

    def _move_paragraph(self) -> None:
        group = self._pick(lambda group: bool(self._movable_paragraphs(group)))
        if group is None:
            return
        start, end = self._chance.choice(self._movable_paragraphs(group))
        at = self.groups.index(group)
        targets = [
            other
            for other in self.groups[max(at - 2 * NEAR, 0) : at + 2 * NEAR]
            if other.section == group.section and self._free(other)
        ]
        if not targets:
            return
        target = self._chance.choice(targets)
        target.touched = True
        moved = [_edited(passage, "move") for passage in group.passages[start:end]]
        del group.passages[start:end]
        place = self._chance.choice(_paragraph_starts(target))[1]
        target.passages[place:place] = moved

    def split(self) -> None:
        """One paragraph becomes two; what stands under it goes with the second."""
        for _ in range(20):
            group = self._pick(lambda group: any(map(self._splits, group.passages)))
            if group is None:
                return
            places = [at for at, passage in enumerate(group.passages) if self._splits(passage)]
            at = self._chance.choice(places)
            passage = group.passages[at]
            halves = split_in_two(passage.body, self._chance)
            if halves is None:
                group.touched = False
                continue
            is_item = passage.level is Level.ITEM
            level, mark = (Level.ITEM, "一") if is_item else (Level.PARAGRAPH, "２")
            first = _edited(replace(passage, body=halves[0]), "split")
            second = replace(first, level=level, mark=mark, caption="", body=halves[1])
            group.passages[at : at + 1] = [first, second]
            return

    def merge(self) -> None:
        """Two neighbours of one level become one, under the first one's number."""
        group = self._pick(lambda group: bool(self._mergeable(group)))
        if group is None:
            return
        at = self._chance.choice(self._mergeable(group))
        first, second = group.passages[at : at + 2]
        together = replace(
            first,
            body=merged(first.body, second.body),
            origins=first.origins + second.origins,
        )
        group.passages[at : at + 2] = [_edited(together, "merge")]

    def delete(self) -> None:
        """A whole article, a paragraph with its items, or an item with what is under it."""
        way = self._chance.choice(("article", "paragraph", "item"))
        if way == "article":
            group = self._pick(self._is_whole)
            if group is not None:
                self.groups.remove(group)
            return
        ranges = self._movable_paragraphs if way == "paragraph" else self._items
        group = self._pick(lambda group: bool(ranges(group)))
        if group is not None:
            start, end = self._chance.choice(ranges(group))
            del group.passages[start:end]

    def insert(self) -> None:
        """A new article, paragraph or item: of this law's clauses, or another law's text."""
        way = self._chance.choice(("article", "article", "paragraph", "item"))
        group = self._pick(lambda group: way != "item" or bool(self._items(group)))
        if group is None:
            return
        body = self._new_text()
        if way == "article":
            head = Passage(
                Level.ARTICLE, self._branch_after(group), self._new_caption(), body, edits=_INSERT
            )
            added = Group(group.section, [head], touched=True)
            if self._chance.random() < 0.5:
                text = self._new_text()
                added.passages.append(Passage(Level.PARAGRAPH, "２", "", text, edits=_INSERT))
            self.groups.insert(self.groups.index(group) + 1, added)
        elif way == "paragraph":
            place = self._chance.choice(_paragraph_starts(group))[1]
            group.passages.insert(place, Passage(Level.PARAGRAPH, "２", "", body, edits=_INSERT))
        else:
            place = self._chance.choice(self._items(group))[1]
            text = body.rstrip("。")
            group.passages.insert(place, Passage(Level.ITEM, "一", "", text, edits=_INSERT))

    def rewrite(self) -> None:
        """A paragraph or item is put in other words, a tenth to two fifths of it."""
        group = self._pick(lambda group: any(map(self._telling, group.passages)))
        if group is not None:
            self._rewrite_one_of(group.passages, group)

    def number(self, numbering: Numbering) -> None:
        articles = sum(group.is_article and not group.section for group in self.groups)
        begin = self._chance.randint(2, max(articles // 2, 3))
        by = self._chance.randint(1, 5)
        renumber(self.groups, self._old, numbering, begin=begin, by=by)

    def _rewrite_one_of(self, passages: Sequence[Passage], group: Group) -> None:
        places = [at for at, passage in enumerate(passages) if self._telling(passage)]
        for at in self._chance.sample(places, k=len(places)):
            body = rewritten(passages[at].body, self._wording, self._chance)
            if body is not None:
                group.passages[at] = _edited(replace(passages[at], body=body), "rewrite")
                return

    def _new_text(self) -> str:
        if self._chance.random() < 0.5:
            return composed(self._wording, self._chance)
        return self._chance.choice(self._foreign).body

    def _new_caption(self) -> str:
        return f"（{self._chance.choice(self._wording.words)}）"

    def _branch_after(self, group: Group) -> str:
        mark = next_branch(group.passages[0].mark, self._marks)
        self._marks.add(mark)
        return mark

    def _pick(self, suits: Callable[[Group], bool]) -> Group | None:
        """An article that was not edited yet, marked as edited from now on."""
        for group in self._chance.sample(self.groups, k=len(self.groups)):
            if self._free(group) and suits(group):
                group.touched = True
                return group
        return None

    def _free(self, group: Group) -> bool:
        plain = group.is_article and "まで" not in group.passages[0].mark
        return plain and "及び" not in group.passages[0].mark and not group.touched

    def _is_whole(self, group: Group) -> bool:
        return all(map(self._unique, group.passages)) and self._telling(group.passages[0])

    def _unique(self, passage: Passage) -> bool:
        return passage.body not in self._often

    def _telling(self, passage: Passage) -> bool:
        return self._unique(passage) and len(passage.body) >= LEAST_WORDS

    def _splits(self, passage: Passage) -> bool:
        return self._telling(passage) and len(passage.body) >= 50 and passage.depth == 0

    def _movable_paragraphs(self, group: Group) -> list[tuple[int, int]]:
        """Not an article's first one, which carries the article's number."""
        return [
            (start, end)
            for start, end in _paragraph_starts(group)[1:]
            if self._telling(group.passages[start])
            and all(map(self._unique, group.passages[start:end]))
        ]

    def _items(self, group: Group) -> list[tuple[int, int]]:
        starts = [
            at
            for at, passage in enumerate(group.passages)
            if passage.level is Level.ITEM and passage.depth == 0
        ]
        ranges: list[tuple[int, int]] = []
        for start in starts:
            end = start + 1
            while end < len(group.passages) and group.passages[end].depth > 0:
                end += 1
            if all(map(self._telling, group.passages[start:end])):
                ranges.append((start, end))
        return ranges

    def _mergeable(self, group: Group) -> list[int]:
        places: list[int] = []
        for at, (first, second) in enumerate(zip(group.passages, group.passages[1:], strict=False)):
            paragraphs = first.level is not Level.ITEM and second.level is Level.PARAGRAPH
            items = first.level is second.level is Level.ITEM and first.depth == second.depth == 0
            if (paragraphs or items) and self._telling(first) and self._telling(second):
                places.append(at)
        return places


_INSERT = frozenset({"insert"})


def _edited(passage: Passage, edit: Edit) -> Passage:
    return replace(passage, edits=passage.edits | {edit})


def _tag(group: Group, edit: Edit, *, mark: str) -> None:
    group.passages = [_edited(passage, edit) for passage in group.passages]
    group.passages[0] = replace(group.passages[0], mark=mark)


def _paragraph_starts(group: Group) -> list[tuple[int, int]]:
    """Each paragraph with its items, from where to where."""
    starts = [at for at, p in enumerate(group.passages) if p.level is not Level.ITEM]
    return list(zip(starts, [*starts[1:], len(group.passages)], strict=True))
