"""Whether a number means anything here: learned from the pair of documents itself."""

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from sanbo.agents.comparison.alignment.candidates import Pairs
from sanbo.agents.comparison.alignment.matches import Matches
from sanbo.agents.comparison.alignment.outline import Outline

_ALIKE = 60.0
_MOSTLY = 0.7
_ENOUGH = 3
_KEPT_NUMBER = 0.9
_REPEALED = re.compile(
    r"[\[(（【]?(?:削除|廃止|欠番|deleted|repealed|reserved|(?:intentionally )?omitted)"
    r"[\])）】]?[。.]?"
)


def same_label(pairs: Pairs, old: Outline, new: Outline) -> NDArray[np.float64]:
    number: dict[str, int] = {"": -1}
    here = np.array([number.setdefault(label, len(number)) for label in old.labels] or [-1])
    there = np.array([number.setdefault(label, len(number)) for label in new.labels] or [-1])
    one, other = here[pairs.old], there[pairs.new]
    return ((one == other) & (one >= 0)).astype(np.float64)


def label_trust(old: Outline, new: Outline, matches: Matches) -> float:
    """Share of what is surely the same that also kept its number."""
    kept = [
        old.labels[one] == new.labels[other]
        for one, other in matches.pairs()
        if old.labels[one] and new.labels[other]
    ]
    return sum(kept) / len(kept) if len(kept) >= _ENOUGH else 0.0


def link_by_id(old: Outline, new: Outline, matches: Matches) -> bool:
    """Rows of the same id, where such rows mostly say the same: there the id is a key."""
    place = {name: index for index, name in enumerate(new.ids)}
    unique = Counter(new.ids)
    found = [
        (one, place[name])
        for one, name in enumerate(old.ids)
        if unique[name] == 1 and (name in place)
    ]
    if not found:
        return False
    alike = process.cpdist(
        [old.keys[one] for one, _ in found],
        [new.keys[other] for _, other in found],
        scorer=fuzz.ratio,
    )
    if np.mean(alike >= _ALIKE) < _MOSTLY:
        return False
    for (one, other), ratio in zip(found, alike.tolist(), strict=True):
        matches.link(one, other, min(1.0, 0.8 + ratio / 500))
    return True


def link_repealed(old: Outline, new: Outline, matches: Matches) -> None:
    """`第7条　…` that became `第7条　削除`: the number is kept so that no other has to change."""
    place: dict[str, list[int]] = {}
    for other in matches.free_new():
        if new.labels[other] and _REPEALED.fullmatch(new.keys[other]):
            place.setdefault(new.labels[other], []).append(other)
    if not place:
        return
    times = Counter(old.labels)
    for one in matches.free_old():
        found = place.get(old.labels[one], [])
        if len(found) == 1 and times[old.labels[one]] == 1:
            matches.link(one, found[0], _KEPT_NUMBER)
