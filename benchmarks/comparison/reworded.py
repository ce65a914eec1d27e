"""Part 6: two editions written by people who had not seen the aligner, with what became of what.

Each folder has `old.md`, `new.md` and `truth.yaml`: which clauses correspond, by the number at
their beginning; `replies.json` is what a reader in a model's place said of them. Counted by pairs
of clauses. Beside Sanbo's rules: difflib, pairing by number, and the nearest clause by its letters
with the cut that is best in hindsight.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from typing_extensions import override

from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.agents.comparison.model import Change, Link, Place, Side
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from sanbo.kernel.messages import Language

from .baselines import SYSTEMS, nearest_by_letters
from .scores import Target, report

SETS = ("reworded_fitted", "reworded_unseen", "reworded_second")
Pairs = frozenset[tuple[str, str]]


class Edition(NamedTuple):
    side: Side
    clauses: dict[str, str]
    """Of each chunk the number of its clause; nothing of what stands before the first."""


class Case(NamedTuple):
    name: str
    language: Language
    old: Edition
    new: Edition
    truth: Pairs


class Count(NamedTuple):
    right: int
    said: int
    true: int

    @override
    def __add__(self, other: Any) -> "Count":
        return Count(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, self.said + self.true)

    def __str__(self) -> str:
        precision, recall = self.right / max(1, self.said), self.right / max(1, self.true)
        return f"precision {precision:6.1%}  recall {recall:6.1%}  F1 {self.f1:.3f}"


def run(*, verbose: bool) -> bool:
    held = True
    for name in SETS:
        cases = cases_of(Path(__file__).with_name(name))
        print(f"Two editions ({name}): {len(cases)}, {sum(len(c.truth) for c in cases)} links")
        for language in ("ja", "en"):
            some = [case for case in cases if case.language == language]
            for system, linking in SYSTEMS.items():
                counts = [_count(case, linking(case.old.side, case.new.side)) for case in some]
                print(f"  {language} {system:12} {total(counts)}")
                if system == "Sanbo":
                    held &= report([Target(f"{name} {language} F1", total(counts).f1, 0.72)])
                    if verbose:
                        _tell(some)
            print(f"  {language} {'n-grams':12} {_best_cut(some)}")
    return held


def cases_of(folder: Path) -> list[Case]:
    return [_case(each) for each in sorted(folder.iterdir()) if each.is_dir()]


def _case(folder: Path) -> Case:
    told = yaml.safe_load((folder / "truth.yaml").read_text("utf-8"))
    old = _edition(folder / "old.md", "A", [name for link in told["links"] for name in link["old"]])
    new = _edition(folder / "new.md", "B", [name for link in told["links"] for name in link["new"]])
    truth = frozenset(
        (one, other) for link in told["links"] for one in link["old"] for other in link["new"]
    )
    return Case(folder.name, told["language"], old, new, truth)


def _edition(path: Path, letter: Any, names: Iterable[str]) -> Edition:
    side = document_side(extract(Source(name=path.name, data=path.read_bytes())), letter)
    begins: list[tuple[int, str]] = []
    for name in names:
        found = re.search(rf"^[#\s*]*{re.escape(name)}(?![0-9])", side.text, re.MULTILINE)
        if found is None:
            raise ValueError(f"{path} has no {name}")
        begins.append((found.start(), name))
    begins.sort(reverse=True)
    clauses: dict[str, str] = {}
    for chunk in side.chunks:
        middle = (chunk.position.start + chunk.position.end) // 2
        clauses[chunk.id] = next((name for begin, name in begins if begin <= middle), "")
    return Edition(side, clauses)


def pairs_of(case: Case, links: Iterable[Link]) -> Pairs:
    found = (
        (case.old.clauses[one], case.new.clauses[other])
        for link in links
        for one in link.old
        for other in link.new
    )
    return frozenset(pair for pair in found if all(pair))


def pairs_told(case: Case, changes: Iterable[Change]) -> Pairs:
    """By what a comparison came to, whoever decided it."""
    found = (
        (_clause(case.old, one), _clause(case.new, other))
        for change in changes
        for one in change.old_places
        for other in change.new_places
    )
    return frozenset(pair for pair in found if all(pair))


def clauses_marked(case: Case, changes: Iterable[Change]) -> frozenset[str]:
    """Of either edition, those that a person is told to look at."""
    marked = [change for change in changes if "doubtful" in change.flags]
    old = (f"A{_clause(case.old, place)}" for change in marked for place in change.old_places)
    new = (f"B{_clause(case.new, place)}" for change in marked for place in change.new_places)
    return frozenset((*old, *new))


def _clause(edition: Edition, place: Place) -> str:
    return next(
        edition.clauses[chunk.id]
        for chunk in reversed(edition.side.chunks)
        if chunk.position.start <= place.start
    )


def _count(case: Case, links: Iterable[Link]) -> Count:
    return scored(pairs_of(case, links), case.truth)


def scored(said: Pairs, truth: Pairs) -> Count:
    return Count(len(said & truth), len(said), len(truth))


def total(counts: Iterable[Count]) -> Count:
    summed = Count(0, 0, 0)
    for count in counts:
        summed += count
    return summed


def _best_cut(cases: list[Case]) -> Count:
    """Of the nearest clause of each, those above the similarity that suits these cases best."""
    near: list[tuple[float, Case, tuple[str, str]]] = []
    for case in cases:
        by_clause: dict[tuple[str, str], float] = {}
        for (one, other), score in nearest_by_letters(case.old.side, case.new.side).items():
            pair = case.old.clauses[one], case.new.clauses[other]
            if all(pair):
                by_clause[pair] = max(score, by_clause.get(pair, 0.0))
        near += [(score, case, pair) for pair, score in by_clause.items()]
    near.sort(key=lambda each: -each[0])
    true = sum(len(case.truth) for case in cases)
    best, right = Count(0, 0, true), 0
    for said, (_, case, pair) in enumerate(near, 1):
        right += pair in case.truth
        best = max(best, Count(right, said, true), key=lambda count: count.f1)
    return best


def _tell(cases: list[Case]) -> None:
    for case in cases:
        said = pairs_of(case, SYSTEMS["Sanbo"](case.old.side, case.new.side))
        print(
            f"    {case.name} missed {sorted(case.truth - said)} false {sorted(said - case.truth)}"
        )
