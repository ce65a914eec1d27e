"""All rows of a comparison of two documents: every chunk of both in exactly one.

Headings follow the clauses under them: a title may stand over another rule now.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from sanbo.agents.comparison.alignment.matches import moved_links
from sanbo.agents.comparison.differences.explanations import Happened, explain
from sanbo.agents.comparison.differences.flags import flags_of_change, flags_of_one_side, in_order
from sanbo.agents.comparison.differences.renumbering import (
    Citing,
    NewPlaces,
    cited_words,
    corresponding_places,
    new_places,
    only_renumbered,
)
from sanbo.agents.comparison.differences.segments import pieces, segments
from sanbo.agents.comparison.differences.tokens import Reading, read, same_but_for_white_space
from sanbo.agents.comparison.model import (
    ATTENTION,
    Change,
    Chunk,
    DecidedBy,
    Decision,
    FlagDetail,
    Kind,
    Link,
    Pair,
    Piece,
    Place,
    Side,
)
from sanbo.agents.comparison.numbering import own_mark
from sanbo.agents.comparison.references import references
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem

Edge = tuple[str, str, float]
"""An old chunk, a new one, and how sure it is that they correspond."""


@dataclass(frozen=True)
class _Under:
    """Where the clauses under headings came from and went to, by links and by what was decided."""

    over_old: dict[str, str]
    over_new: dict[str, str]
    went: Mapping[str, Mapping[str, float]]
    """Of an old heading: the new ones, and how sure that is."""
    came: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, pair: Pair, edges: Iterable[Edge]) -> "_Under":
        over_old, over_new = _headings(pair.old), _headings(pair.new)
        went: defaultdict[str, dict[str, float]] = defaultdict(dict)
        came: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for one, other, confidence in edges:
            if one in over_old and other in over_new:
                here, there = over_old[one], over_new[other]
                sure = min(confidence, went[here].get(there, 1.0))
                went[here][there] = came[there][here] = sure
        return cls(over_old, over_new, dict(went), dict(came))

    def left(self, one: str, other: str) -> bool:
        return one in self.went and other not in self.went[one]

    def taken(self, one: str, other: str) -> bool:
        return other in self.came and one not in self.came[other]

    def sure(self, one: str, other: str) -> float:
        known = (*self.went.get(one, {}).values(), *self.came.get(other, {}).values())
        return min(known)


def with_headings(
    pair: Pair, settled: Mapping[str, Decision], edges: Sequence[Edge]
) -> tuple[list[Edge], dict[str, float]]:
    """With the headings that lost their counterparts, and how sure that is.

    Only where something was decided about a clause under them, and nothing about themselves. Titles
    that differ part where what stands under one denies it. One that stays word for word parts where
    what stands under both does, or where its clauses went under a heading that is nobody's.
    """
    if not settled:
        return list(edges), {}
    under = _Under.of(pair, edges)
    chunks = {chunk.id: chunk for side in (pair.old, pair.new) if side for chunk in side.chunks}
    decided = {under.over_old[one] for one in settled if one in under.over_old} - settled.keys()
    claimed = {under.over_new.get(other) for one in settled.values() for other in one.new}
    kept: dict[tuple[str, str], float] = {}
    released: dict[str, float] = {}
    for one, other, confidence in edges:
        is_open = one not in settled and (one in decided or other in claimed)
        if is_open and _denied(under, chunks[one], chunks[other]):
            released |= dict.fromkeys((one, other), under.sure(one, other))
        else:
            kept[one, other] = confidence
    owners = Counter(other for _, other in kept)
    of_old: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in kept:
        of_old[one].append(other)
    for here in (id for id in chunks if id in decided):  # in the order of the document
        targets = under.went.get(here, {})
        lost = [other for other in of_old[here] if under.left(here, other)]
        is_free = len(lost) == len(of_old[here]) and not any(owners[there] for there in targets)
        if len(targets) == 1 and is_free:
            for other in lost:
                del kept[here, other]
                owners[other] -= 1
                released[other] = under.sure(here, other)
            kept |= {(here, there): sure for there, sure in targets.items()}
            owners.update(targets.keys())
    linked = {id for both in kept for id in both}
    return (
        [(one, other, confidence) for (one, other), confidence in kept.items()],
        {id: confidence for id, confidence in released.items() if id not in linked},
    )


def _denied(under: _Under, one: Chunk, other: Chunk) -> bool:
    left, taken = under.left(one.id, other.id), under.taken(one.id, other.id)
    return (left and taken) if one.key == other.key else (left or taken)


def _headings(side: Side | None) -> dict[str, str]:
    """Of each chunk, the heading that it stands under."""
    chunks = side.chunks if side else ()
    headings = {chunk.id for chunk in chunks if chunk.kind == "heading"}
    return {chunk.id: chunk.parent for chunk in chunks if chunk.parent in headings}


_UNKNOWN = 0.5


@dataclass
class Group:
    """Chunks that become one row: those of each side are in the order of their document."""

    old: list[str] = field(default_factory=list[str])
    new: list[str] = field(default_factory=list[str])
    confidence: float = 1.0
    decided_by: DecidedBy = "rules"
    explanation: str = ""
    problem: Problem | None = None
    in_doubt: bool = False
    """The aligner was not sure, and nobody has settled it."""


def grouped(pair: Pair, decisions: Sequence[Decision]) -> list[Group]:
    """Every chunk of both sides is in exactly one group."""
    old, new = _places(pair.old), _places(pair.new)
    settled = {one.old: one for one in decisions if one.problem is None and one.old in old}
    edges, released = with_headings(pair, settled, list(_edges(pair, settled, new)))
    groups = _components([*old, *new], edges, old)
    by_id = {id: group for group in groups for id in (*group.old, *group.new)}
    for one, other, confidence in edges:
        if one not in settled:
            group = by_id[other]
            group.confidence = min(group.confidence, confidence)
    _alone(groups, pair, settled, released)
    _decided(by_id, settled.values())
    _doubted(by_id, pair, settled, decisions)
    return groups


def _edges(pair: Pair, settled: dict[str, Decision], new: dict[str, int]) -> Iterator[Edge]:
    for link in pair.alignment.links:
        for one in link.old:
            if one not in settled:
                yield from ((one, other, link.confidence) for other in link.new)
    for decision in settled.values():
        # An id that is nowhere in the document corresponds to nothing.
        yield from (
            (decision.old, other, decision.confidence) for other in decision.new if other in new
        )


def _components(ids: Sequence[str], edges: Iterable[Edge], old: dict[str, int]) -> list[Group]:
    """What is linked, also over several links, is one group."""
    head = {id: id for id in ids}

    def find(id: str) -> str:
        while head[id] != id:
            head[id] = head[head[id]]
            id = head[id]
        return id

    for one, other, _ in edges:
        head[find(other)] = find(one)
    groups: dict[str, Group] = {}
    for id in ids:
        group = groups.setdefault(find(id), Group())
        (group.old if id in old else group.new).append(id)
    return list(groups.values())


def _alone(
    groups: Iterable[Group],
    pair: Pair,
    settled: dict[str, Decision],
    released: Mapping[str, float],
) -> None:
    """How sure it is that what has no counterpart has none."""
    freed = {
        other: settled[one].confidence
        for link in pair.alignment.links
        for one in link.old
        if one in settled
        for other in link.new
    }
    freed |= released
    for group in groups:
        if group.old and group.new:
            continue
        (id,) = (*group.old, *group.new)
        if id in freed:
            group.confidence, group.decided_by = freed[id], "model"
        else:
            group.confidence = pair.alignment.unlinked.get(id, _UNKNOWN if _two(pair) else 1.0)


def _two(pair: Pair) -> bool:
    return pair.old is not None and pair.new is not None


def _decided(by_id: dict[str, Group], decisions: Iterable[Decision]) -> None:
    for decision in decisions:
        group = by_id[decision.old]
        is_first = group.decided_by == "rules"
        alone = not group.old or not group.new
        before = 1.0 if is_first and alone else group.confidence
        group.confidence = min(before, decision.confidence)
        group.decided_by = "model"
        said = (group.explanation, decision.explanation.strip())
        group.explanation = "\n".join(dict.fromkeys(text for text in said if text))


def _doubted(
    by_id: dict[str, Group],
    pair: Pair,
    settled: dict[str, Decision],
    decisions: Iterable[Decision],
) -> None:
    for doubt in pair.alignment.doubts:
        if doubt.old not in settled and doubt.old in by_id:
            by_id[doubt.old].in_doubt = True
    for decision in decisions:
        if decision.problem is not None and decision.old in by_id:
            group = by_id[decision.old]
            group.problem, group.in_doubt = decision.problem, True


def changes_of(
    pair: Pair,
    decisions: Sequence[Decision],
    *,
    number: int,
    language: Language,
    first_order: int = 0,
) -> list[Change]:
    """In the order of the new document, with what was deleted where it stood."""
    groups = grouped(pair, decisions)
    view = _view(pair, groups)
    rows = _with_captions(_in_document_order(pair, groups, view.moved), view.chunks)
    return [
        _change(group, view, number=number, order=first_order + at, language=language)
        for at, group in enumerate(rows)
    ]


def attention_first(changes: Iterable[Change]) -> list[Change]:
    """What needs attention by its most important flag; then the rest in document order."""
    return sorted(changes, key=_attention)


def _attention(change: Change) -> tuple[int, int, int, int]:
    flags = [ATTENTION.index(flag) for flag in change.flags if flag in ATTENTION]
    if flags:
        return min(flags), -len(flags), change.pair, change.order
    says_other = change.kind not in _SAYS_THE_SAME and not change.flags
    return len(ATTENTION) + (not says_other), 0, change.pair, change.order


_SAYS_THE_SAME: tuple[Kind, ...] = ("unchanged", "renumbered", "moved")


# ---- One row ----


@dataclass(frozen=True)
class _View:
    """What every row is seen against."""

    chunks: dict[str, Chunk]
    moved: frozenset[str]
    """Old ids of what left its order."""
    went: NewPlaces | None


def _view(pair: Pair, groups: Sequence[Group]) -> _View:
    chunks = {chunk.id: chunk for side in (pair.old, pair.new) if side for chunk in side.chunks}
    if pair.old is None or pair.new is None:
        return _View(chunks, frozenset(), None)
    linked = [group for group in groups if group.old and group.new]
    links = [
        Link(old=tuple(group.old), new=tuple(group.new), confidence=group.confidence)
        for group in linked
    ]
    moved = moved_links(pair.old, pair.new, links)
    went = new_places(pair.old, pair.new, [(link.old, link.new) for link in links])
    return _View(chunks, frozenset(id for at in moved for id in linked[at].old), went)


@dataclass(frozen=True)
class _Seen:
    """What the texts of a row show."""

    kind: Kind
    diff: tuple[Piece, ...] = ()
    details: tuple[FlagDetail, ...] = ()
    references_changed: bool = False


def _change(group: Group, view: _View, *, number: int, order: int, language: Language) -> Change:
    olds = [view.chunks[id] for id in group.old]
    news = [view.chunks[id] for id in group.new]
    seen = _seen(olds, news, view)
    doubtful = group.problem is not None or (group.in_doubt and seen.kind != "unchanged")
    happened = Happened(
        seen.kind,
        seen.diff,
        seen.details,
        doubtful,
        olds[0].label if len(olds) == 1 else "",
        news[0].label if len(news) == 1 else "",
        seen.references_changed,
        len(olds),
        len(news),
    )
    return Change(
        kind=seen.kind,
        old=tuple(group.old),
        new=tuple(group.new),
        old_text=_text(olds),
        new_text=_text(news),
        diff=seen.diff,
        flags=in_order(seen.details, *(("doubtful",) if doubtful else ())),
        flag_details=seen.details,
        explanation=group.explanation or explain(happened, language),
        confidence=group.confidence,
        decided_by=group.decided_by,
        pair=number,
        order=order,
        old_places=tuple(map(_place, olds)),
        new_places=tuple(map(_place, news)),
        problem=group.problem,
    )


def _seen(olds: Sequence[Chunk], news: Sequence[Chunk], view: _View) -> _Seen:
    if not olds or not news:
        chunks = [*olds, *news]
        details = flags_of_one_side(_read(chunks), added=not olds)
        # The id of a row counts nothing.
        labels = {chunk.label for chunk in chunks}
        details = tuple(one for one in details if (one.old or one.new) not in labels)
        return _Seen("deleted" if olds else "added", (), details)
    if len(olds) > 1 or len(news) > 1:
        kind: Kind = "merged" if len(olds) >= len(news) else "split"
        return _compared(kind, olds, news)
    old, new = olds[0], news[0]
    moved = old.id in view.moved
    if same_but_for_white_space(old.text, new.text):
        return _Seen("moved" if moved else "unchanged", (), _left_behind(old, new, view))
    return _reworded(old, new, view, moved=moved)


def _left_behind(old: Chunk, new: Chunk, view: _View) -> tuple[FlagDetail, ...]:
    """The text is the same, though what it refers to has another number now."""
    if view.went is None or view.went.all_stay:  # then the texts, being the same, agree
        return ()
    found = _citing(old), _citing(new)
    pairs = zip(*(range(len(one.references)) for one in found), strict=False)
    return tuple(dict.fromkeys(view.went.strays(*found, pairs)))


def _citing(chunk: Chunk) -> Citing:
    mark = own_mark(chunk.text, is_heading=chunk.kind == "heading")
    since = mark.end if mark else 0
    found = (one for one in references(chunk.text) if one.start >= since)
    return Citing(chunk.label, chunk.text, tuple(found))


def _reworded(old: Chunk, new: Chunk, view: _View, *, moved: bool) -> _Seen:
    before, after = _read([old]), _read([new])
    found = segments(before, after)
    reworded = not only_renumbered(before, after)
    strays: tuple[FlagDetail, ...] = ()
    if view.went is not None:
        here = Citing(old.label, before.squeezed, before.references)
        there = Citing(new.label, after.squeezed, after.references)
        pairs = corresponding_places(before, after, found)
        strays = tuple(dict.fromkeys(view.went.strays(here, there, pairs, reworded=reworded)))
    diff = pieces(before, after, found)
    if not reworded:
        followed = cited_words(before) != cited_words(after)
        return _Seen("moved" if moved else "renumbered", diff, strays, followed)
    details = (*flags_of_change(before, after, found), *strays)
    return _Seen("moved_changed" if moved else "changed", diff, details)


def _compared(kind: Kind, olds: Sequence[Chunk], news: Sequence[Chunk]) -> _Seen:
    before, after = _read(olds), _read(news)
    found = segments(before, after)
    if all(segment.equal for segment in found):
        return _Seen(kind)
    return _Seen(kind, pieces(before, after, found), flags_of_change(before, after, found))


def _read(chunks: Sequence[Chunk]) -> Reading:
    return read(*(chunk.text for chunk in chunks), is_heading=chunks[0].kind == "heading")


def _text(chunks: Sequence[Chunk]) -> str:
    return "\n".join(chunk.text for chunk in chunks)


def _place(chunk: Chunk) -> Place:
    position = chunk.position
    return Place(
        id=chunk.id,
        label=chunk.label,
        start=position.start,
        end=position.end,
        page=position.page,
        sheet=position.sheet,
        row=position.row,
        headings=position.headings,
    )


# ---- The order in which they are read ----


def _in_document_order(pair: Pair, groups: Sequence[Group], moved: frozenset[str]) -> list[Group]:
    old, new = _places(pair.old), _places(pair.new)
    came_after = _last_new_place(groups, old, new, moved)

    def place(group: Group) -> tuple[int, int, int]:
        if group.new:
            return new[group.new[0]], 0, 0
        at = old[group.old[0]]
        return came_after[at], 1, at

    return sorted(groups, key=place)


def _last_new_place(
    groups: Sequence[Group], old: dict[str, int], new: dict[str, int], moved: frozenset[str]
) -> list[int]:
    """For each place of the old document, where what stood before it is now; -1 at the start."""
    stays = [-1] * len(old)
    for group in groups:
        if group.old and group.new and group.old[0] not in moved:
            for id in group.old:
                stays[old[id]] = new[group.new[0]]
    return list(accumulate(stays, max))


def _places(side: Side | None) -> dict[str, int]:
    return {} if side is None else {chunk.id: at for at, chunk in enumerate(side.chunks)}


_CAPTION = re.compile(r"\s*[（(][^（）()\n]{1,40}[）)]\s*")


def _with_captions(groups: Iterable[Group], chunks: Mapping[str, Chunk]) -> list[Group]:
    """An article that came or went is one row with the line in brackets over it."""
    rows: list[Group] = []
    for group in groups:
        above = [*rows[-1].old, *rows[-1].new] if rows else []
        is_caption = len(above) == 1 and _CAPTION.fullmatch(chunks[above[0]].text)
        if is_caption and _one_sided(rows[-1], group) and own_mark(chunks[_first(group)].text):
            over = rows.pop()
            group.old, group.new = over.old + group.old, over.new + group.new
            group.confidence = min(over.confidence, group.confidence)
        rows.append(group)
    return rows


def _one_sided(one: Group, other: Group) -> bool:
    """Whether both are of the same document alone."""
    return not (one.old or other.old) or not (one.new or other.new)


def _first(group: Group) -> str:
    return (*group.old, *group.new)[0]
