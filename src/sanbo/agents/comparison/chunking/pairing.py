"""Which document of the old folder became which of the new: by name, else by what they say."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from sanbo.agents.comparison.chunking.names import base_name, same_name, without_version
from sanbo.agents.comparison.chunking.resemblance import resemblances
from sanbo.documents.model import Document

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
