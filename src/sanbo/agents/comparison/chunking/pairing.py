"""Which document of the old folder became which of the new: by name, else by what they say."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from sanbo.documents.model import Document
from sanbo.kernel.text import matching_form
from sanbo.language.eras import NAMES

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
