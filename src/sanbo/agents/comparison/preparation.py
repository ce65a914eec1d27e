"""Documents to pairs: which belongs to which, cut into chunks, aligned. In a process of its own.

Documents of two folders are paired by name, else by what they say.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import PurePosixPath

from sanbo.agents.comparison import given as limits
from sanbo.agents.comparison.chunking.sides import Letter
from sanbo.agents.comparison.chunking.tables import table_side
from sanbo.agents.comparison.given import SIZE, PackedSide, ReadDocument, SideName
from sanbo.agents.comparison.material import Compared
from sanbo.agents.comparison.model import Alignment, Change, Doubt, Frozen, Pair, Place, Side
from sanbo.documents.extract import unpacked
from sanbo.documents.model import Document
from sanbo.kernel.problems import InvalidInput, Problem, UnsupportedFormat
from sanbo.kernel.text import matching_form
from sanbo.language.eras import NAMES
from sanbo.sandbox.calls import pieces_apart
from sanbo.sandbox.memory import Memory

_SIGN = r"[\s_\-.()\[\]【】〔〕]"
_YEAR = rf"(?:(?:19|20)[0-9]{{2}}|(?:{NAMES}|(?<![a-z])[rh])(?:[0-9]{{1,2}}|元))"
_DATE = rf"{_YEAR}(?:年度?|[._\-])?(?:[0-9]{{1,2}}(?:月|[._\-])?(?:[0-9]{{1,2}}日?)?)?"
_VERSION = (
    r"(?<![a-z])(?:v|ver|version|rev)[.\s_]{0,5}[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}"
    r"|第?[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}版"
)
_STATE = (
    "(?:改[定正訂]|変更|修正|更新|見直し)[前後版案]?|(?:現行|最新|最終|確定)版?|[旧新]版?"
    "|(?:の)?コピー|copy|old|new|final|draft|before|after|案"
)
_NOISE = re.compile(
    rf"{_SIGN}{{0,5}}(?:{_DATE}版?|{_VERSION}|\([0-9]{{1,3}}\)){_SIGN}{{0,5}}(?![a-z0-9])"
    rf"|{_SIGN}{{1,5}}(?:{_STATE})(?={_SIGN}|$)"
    rf"|^{_SIGN}{{0,5}}(?:(?:{_STATE}){_SIGN}{{1,5}}|[旧新](?=\S\S))"
)
_SIGNS = re.compile(f"{_SIGN}+")


def base_name(name: str) -> str:
    return PurePosixPath(name).name


def same_name(name: str) -> str:
    """Without its extension and in matching form: a contract as DOCX and as PDF."""
    path = PurePosixPath(name)
    return matching_form(str(path.with_suffix("") if path.suffix else path))


def without_version(name: str) -> str:
    """The same with dates, versions and 旧, 新 taken out of the last name; empty if that is all."""
    folder, _, last = same_name(name).rpartition("/")
    kept = last
    while (shorter := _NOISE.sub("", kept)) != kept:
        kept = shorter
    kept = _SIGNS.sub("", kept)
    return f"{folder}/{kept}" if kept else ""


_LENGTH = 8
_READ = 8_000
"""Characters from the beginning of each text: enough to know it by."""
_STRETCHES = 150_000
"""About so many are looked at altogether; of more texts, a sample of each."""
_MOST_TEXTS = 25
"""A stretch that stands in more of them is boilerplate, and tells nothing."""


def resemblances(old: Sequence[str], new: Sequence[str]) -> dict[tuple[int, int], float]:
    """By index of old and new: the share of the shorter one that is in both.

    What stands in few texts counts for more than what many have.
    """
    read = sum(min(len(text), _READ) for text in (*old, *new))
    one_in = 1 + read // _STRETCHES
    holders_old = _holders([_sample(text, one_in) for text in old])
    holders_new = _holders([_sample(text, one_in) for text in new])
    shared: defaultdict[tuple[int, int], float] = defaultdict(float)
    size_old = [0.0] * len(old)
    size_new = [0.0] * len(new)
    for stretch in holders_old.keys() | holders_new.keys():
        before, after = holders_old.get(stretch, ()), holders_new.get(stretch, ())
        if max(len(before), len(after)) > _MOST_TEXTS:
            continue
        weight = 2 / (len(before) + len(after))
        _add(size_old, before, weight)
        _add(size_new, after, weight)
        for one in before:
            for other in after:
                shared[one, other] += weight
    return {
        (one, other): both / min(size_old[one], size_new[other])
        for (one, other), both in shared.items()
    }


def _holders(samples: Sequence[set[str]]) -> dict[str, list[int]]:
    """In which texts each stretch stands."""
    holders: dict[str, list[int]] = defaultdict(list)
    for at, sample in enumerate(samples):
        for stretch in sample:
            holders[stretch].append(at)
    return holders


def _add(sizes: list[float], texts: Iterable[int], weight: float) -> None:
    for text in texts:
        sizes[text] += weight


def _sample(text: str, one_in: int) -> set[str]:
    """Stretches chosen by the two signs that they begin with: both texts choose the same."""
    plain = "".join(matching_form(text[:_READ]).split())
    return {
        plain[at : at + _LENGTH]
        for at, (first, second) in enumerate(pairwise(plain[: -_LENGTH + 2]))
        if (31 * ord(first) + ord(second)) % one_in == 0
    } or {plain}


_LEAST_RESEMBLANCE = 0.2
"""Share of the shorter document that stands in the other, too; less is chance and boilerplate."""

_BY_NAME: tuple[Callable[[str], str], ...] = (
    lambda name: name,
    same_name,
    without_version,
    lambda name: same_name(base_name(name)),
    lambda name: without_version(base_name(name)),
)
"""From the surest to the least sure way in which two names are one."""


def pair_documents(
    old: Sequence[Document], new: Sequence[Document]
) -> list[tuple[int | None, int | None]]:
    """Indices of old and new, each once: in the order of the new names, old ones alone last."""
    partner: dict[int, int] = {}
    alone_old, alone_new = set(range(len(old))), set(range(len(new)))

    def pair(pairs: Iterable[tuple[int, int]]) -> None:
        for before, after in pairs:
            if before in alone_old and after in alone_new:
                partner[after] = before
                alone_old.discard(before)
                alone_new.discard(after)

    for form in _BY_NAME:
        for before, after in _same(old, new, alone_old, alone_new, form):
            pair(_one_to_one(old, new, before, after))
    pair(_by_content(old, new, sorted(alone_old), sorted(alone_new)))
    return _in_order(old, new, partner, alone_old)


def _same(
    old: Sequence[Document],
    new: Sequence[Document],
    alone_old: set[int],
    alone_new: set[int],
    form: Callable[[str], str],
) -> list[tuple[list[int], list[int]]]:
    """Groups of those that are called the same."""
    groups: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for at in sorted(alone_old):
        groups[form(old[at].name)][0].append(at)
    for at in sorted(alone_new):
        groups[form(new[at].name)][1].append(at)
    return [group for name, group in groups.items() if name and all(group)]


def _one_to_one(
    old: Sequence[Document], new: Sequence[Document], before: list[int], after: list[int]
) -> list[tuple[int, int]]:
    """One of each are a pair; of several, those whose content is the nearest."""
    if len(before) == len(after) == 1:
        return [(before[0], after[0])]
    return _by_content(old, new, before, after)


def _by_content(
    old: Sequence[Document], new: Sequence[Document], before: Sequence[int], after: Sequence[int]
) -> list[tuple[int, int]]:
    if not before or not after:
        return []
    found = resemblances([old[at].text for at in before], [new[at].text for at in after])
    ranked = sorted(((-share, before[one], after[other]) for (one, other), share in found.items()))
    return [(one, other) for share, one, other in ranked if -share >= _LEAST_RESEMBLANCE]


def _in_order(
    old: Sequence[Document],
    new: Sequence[Document],
    partner: dict[int, int],
    alone_old: set[int],
) -> list[tuple[int | None, int | None]]:
    by_new = sorted(range(len(new)), key=lambda at: (new[at].name, at))
    left = sorted(alone_old, key=lambda at: (old[at].name, at))
    return [*((partner.get(at), at) for at in by_new), *((at, None) for at in left)]


OLD, NEW = "A:", "B:"


def told_apart(pair: Pair) -> Pair:
    """`K-1` of the old table becomes `A:K-1`, of the new `B:K-1`; others stay as they are."""
    if pair.old is None or pair.new is None or not _is_keyed(pair):
        return pair
    alignment = pair.alignment
    links = [
        link.model_copy(update={"old": _with(OLD, link.old), "new": _with(NEW, link.new)})
        for link in alignment.links
    ]
    doubts = [_doubt(doubt) for doubt in alignment.doubts]
    linked_old = {each for link in alignment.links for each in link.old}
    linked_new = {each for link in alignment.links for each in link.new}
    return Pair(
        old=_side(pair.old, OLD),
        new=_side(pair.new, NEW),
        alignment=Alignment(
            links=tuple(links),
            doubts=tuple(doubts),
            unlinked={
                **_unlinked(alignment, pair.old, linked_old, OLD),
                **_unlinked(alignment, pair.new, linked_new, NEW),
            },
            similarity=alignment.similarity,
        ),
    )


def as_named(changes: Iterable[Change], pair: Pair) -> list[Change]:
    """With the ids that stand in the tables."""
    if not _is_keyed(pair):
        return list(changes)
    return [
        change.model_copy(
            update={
                "old": tuple(each.removeprefix(OLD) for each in change.old),
                "new": tuple(each.removeprefix(NEW) for each in change.new),
                "old_places": _places(change.old_places, OLD),
                "new_places": _places(change.new_places, NEW),
            }
        )
        for change in changes
    ]


def _is_keyed(pair: Pair) -> bool:
    return pair.old is not None and pair.new is not None and pair.old.keyed and pair.new.keyed


def _with(mark: str, ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(mark + each for each in ids)


def _side(side: Side, mark: str) -> Side:
    chunks = [
        chunk.model_copy(
            update={
                "id": mark + chunk.id,
                "parent": None if chunk.parent is None else mark + chunk.parent,
            }
        )
        for chunk in side.chunks
    ]
    return side.model_copy(update={"chunks": tuple(chunks)})


def _doubt(doubt: Doubt) -> Doubt:
    candidates = [each.model_copy(update={"id": NEW + each.id}) for each in doubt.candidates]
    return doubt.model_copy(update={"old": OLD + doubt.old, "candidates": tuple(candidates)})


def _unlinked(alignment: Alignment, side: Side, linked: set[str], mark: str) -> dict[str, float]:
    known = alignment.unlinked
    return {
        mark + chunk.id: known[chunk.id]
        for chunk in side.chunks
        if chunk.id not in linked and chunk.id in known
    }


def _places(places: Sequence[Place], mark: str) -> tuple[Place, ...]:
    return tuple(place.model_copy(update={"id": place.id.removeprefix(mark)}) for place in places)


_ALIGNER = "sanbo.agents.comparison.alignment.align"
"""By name: scikit-learn and scipy are not for a command that merely starts."""
Align = Callable[[Side, Side], Alignment]
Couple = tuple[ReadDocument | None, ReadDocument | None]
_NAMES = 20


class SideFacts(Frozen):
    names: tuple[str, ...]
    """The first of them."""
    chunks: int
    characters: int


class Prepared(Frozen):
    """What is known of the sides without looking into them."""

    old: SideFacts
    new: SideFacts


async def prepare_apart(
    old: PackedSide,
    new: PackedSide,
    *,
    id_column: str,
    text_column: str,
) -> tuple[Prepared, Memory]:
    """The second is a `Compared` in JSON."""
    with old.memory, new.memory:
        made = await pieces_apart(
            compared_in,
            [old.problems, new.problems],
            id_column,
            text_column,
            inputs=[old.memory, new.memory],
            limits=limits.WORKING,
        )
    with made:
        return await asyncio.to_thread(_taken_apart, made.view())


def _taken_apart(data: memoryview) -> tuple[Prepared, Memory]:
    (size,) = SIZE.unpack_from(data)
    prepared = Prepared.model_validate_json(bytes(data[SIZE.size : SIZE.size + size]))
    return prepared, Memory.of([data[SIZE.size + size :]])


def compared_in(
    problems: Sequence[Sequence[Problem | None]],
    id_column: str,
    text_column: str,
    old: memoryview,
    new: memoryview,
) -> Iterator[bytes]:
    sides = [_documents(data, told) for data, told in zip((old, new), problems, strict=True)]
    compared = prepare(*sides, id_column=id_column, text_column=text_column)
    prepared = Prepared(old=_facts(compared.pairs, "old"), new=_facts(compared.pairs, "new"))
    head = prepared.model_dump_json().encode()
    yield SIZE.pack(len(head))
    yield head
    yield compared.model_dump_json().encode()


def _documents(data: memoryview, problems: Sequence[Problem | None]) -> list[ReadDocument]:
    found: list[ReadDocument] = []
    at = 0
    for problem in problems:
        (size,) = SIZE.unpack_from(data, at)
        at += SIZE.size
        found.append(ReadDocument(document=unpacked(data[at : at + size]), problem=problem))
        at += size
    return found


def _facts(pairs: Sequence[Pair], name: SideName) -> SideFacts:
    sides = [side for pair in pairs if (side := pair.old if name == "old" else pair.new)]
    return SideFacts(
        names=tuple(side.name for side in sides[:_NAMES]),
        chunks=sum(len(side.chunks) for side in sides),
        characters=sum(len(side.text) for side in sides),
    )


def prepare(
    old: Sequence[ReadDocument],
    new: Sequence[ReadDocument],
    *,
    id_column: str = "",
    text_column: str = "",
) -> Compared:
    sides: tuple[tuple[SideName, Sequence[ReadDocument]], ...] = (("old", old), ("new", new))
    for name, given in sides:
        _refuse_too_much(name, given)
    couples = [
        (None if a is None else old[a], None if b is None else new[b]) for a, b in _paired(old, new)
    ]
    compared = [couple for couple in couples if _unread(couple) is None]
    left_out = [problem for couple in couples if (problem := _unread(couple)) is not None]
    pairs: list[Pair] = []
    chunks: dict[SideName, int] = {"old": 0, "new": 0}
    for number, (before, after) in enumerate(compared, 1):
        prefix = f"{number}-" if len(compared) > 1 else ""

        def side(read: ReadDocument | None, letter: Letter, prefix: str = prefix) -> Side | None:
            if read is None:
                return None
            return table_side(
                read.document, letter, prefix, id_column=id_column, text_column=text_column
            )

        before_side, after_side = side(before, "A"), side(after, "B")
        cut: tuple[tuple[SideName, Side | None], ...] = (("old", before_side), ("new", after_side))
        for name, each in cut:
            chunks[name] += len(each.chunks) if each else 0
            if chunks[name] > limits.MOST_CHUNKS:
                raise limits.too_much(name, limits.MOST_CHARACTERS)
        pairs.append(_aligned(before_side, after_side))
    if not pairs:
        raise InvalidInput("comparison_nothing_compared", reason=left_out[0].message)
    if len(pairs) == 1:
        _refuse_empty(pairs[0])
    return Compared(pairs=tuple(pairs), left_out=tuple(left_out))


def _paired(
    old: Sequence[ReadDocument], new: Sequence[ReadDocument]
) -> list[tuple[int | None, int | None]]:
    if len(old) == 1 and len(new) == 1:
        return [(0, 0)]  # whatever they are called
    return pair_documents([each.document for each in old], [each.document for each in new])


def _unread(couple: Couple) -> Problem | None:
    """Of a pair of which one can't be read nothing is told: the other would look deleted."""
    for read in couple:
        if read is not None and read.problem is not None:
            return UnsupportedFormat(
                "comparison_left_out", name=read.document.name, reason=read.problem.message
            ).problem
    return None


def warm_up() -> None:
    """Its libraries take seconds to load."""
    import_module(_ALIGNER)


def _aligned(old: Side | None, new: Side | None) -> Pair:
    if old is not None and new is not None and old.chunks and new.chunks:
        align: Align = import_module(_ALIGNER).align
        return told_apart(Pair(old=old, new=new, alignment=align(old, new)))
    chunks = (*(old.chunks if old else ()), *(new.chunks if new else ()))
    alone = Alignment(
        links=(), doubts=(), unlinked={chunk.id: 1.0 for chunk in chunks}, similarity=0.0
    )
    return Pair(old=old, new=new, alignment=alone)


def _refuse_too_much(name: SideName, read: Sequence[ReadDocument]) -> None:
    """Before anything is cut into chunks: that alone would take minutes."""
    lengths = [len(each.document.text) for each in read]
    if max(lengths) > limits.LONGEST_DOCUMENT:
        raise limits.too_much(name, limits.LONGEST_DOCUMENT)
    blocks = sum(len(each.document.blocks) for each in read)
    if sum(lengths) > limits.MOST_CHARACTERS or blocks > limits.MOST_CHUNKS:
        raise limits.too_much(name, limits.MOST_CHARACTERS)


def _refuse_empty(pair: Pair) -> None:
    for name, side in (("old", pair.old), ("new", pair.new)):
        if side is not None and not side.chunks:
            raise InvalidInput(f"comparison_empty.{name}", name=side.name)
