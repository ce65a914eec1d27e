"""Part 1: links after synthetic edits of the law texts, beside two baselines."""

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sanbo.agents.comparison.model import Side

from .baselines import SYSTEMS, predicted
from .edits import amended
from .errors import print_errors
from .gold import Gold, Ids, Predicted, gold_of, read_side
from .order import judged_moves
from .passages import Level, main_provisions, read_passages
from .renumbering import Numbering
from .scores import Share, Target, report

AMENDMENTS = {"light": (0.01, 1), "heavy": (0.04, 2)}
"""The share of articles that each sort of edit touches, and at least how many."""
NUMBERINGS: tuple[Numbering, ...] = ("keep", "shift", "anew")
EDITS = ("insert", "delete", "rewrite", "move", "swap", "split", "merge", "renumber", "untouched")


class Case(NamedTuple):
    name: str
    old: Side
    new: Side
    gold: Gold


@dataclass
class Tally:
    """What one system found."""

    precision: Share = field(default_factory=Share)
    recall: Share = field(default_factory=Share)
    move_recall: Share = field(default_factory=Share)
    false_moves: Share = field(default_factory=Share)
    split_recall: Share = field(default_factory=Share)
    by_edit: defaultdict[str, Share] = field(default_factory=lambda: defaultdict(Share))
    wrong_by_edit: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    seconds: float = 0.0

    def add(self, case: Case, found: Predicted) -> None:
        gold = case.gold
        right = found.pairs & gold.pairs
        self.precision.add(len(right), len(found.pairs))
        self.recall.add(len(right), len(gold.pairs))
        self.split_recall.add(sum(f <= found.pairs for f in gold.splits), len(gold.splits))
        taken = {ids for ids in gold.pairs if {"move", "swap"} & _edits(gold, ids)}
        moves = judged_moves(case.old, case.new, gold.pairs, found, taken)
        self.move_recall.add(moves.found, moves.gold)
        self.false_moves.add(moves.false, moves.predicted)
        for ids in gold.pairs:
            for edit in _edits(gold, ids) or {"untouched"}:
                self.by_edit[edit].add(ids in right, 1)
        for ids in found.pairs - gold.pairs:
            for edit in _edits(gold, ids) or {"untouched"}:
                self.wrong_by_edit[edit] += 1


def run(data: Path, seeds: int, *, verbose: bool) -> bool:
    tallies = {name: Tally() for name in SYSTEMS}
    documents = 0
    for case in cases(data, seeds):
        documents += 1
        for name, linking in SYSTEMS.items():
            started = time.perf_counter()
            links = linking(case.old, case.new)
            tallies[name].seconds += time.perf_counter() - started
            found = predicted(case.old, case.new, links)
            tallies[name].add(case, found)
            if verbose and name == "Sanbo":
                print_errors(case.name, case.old, case.new, case.gold.pairs, found.pairs)
    print(f"Synthetic edits of the law texts: {documents} amended laws, {seeds} seeds")
    _print_systems(tallies)
    _print_edits(tallies["Sanbo"])
    sanbo = tallies["Sanbo"]
    return report(
        [
            Target("link precision", sanbo.precision.value, 0.995),
            Target("link recall", sanbo.recall.value, 0.98),
            Target("move recall", sanbo.move_recall.value, 0.95),
            Target("false moves", sanbo.false_moves.value, 0.05, at_most=True),
            Target("split/merge recall", sanbo.split_recall.value, 0.80),
        ]
    )


def cases(data: Path, seeds: int, only: str = "") -> Iterator[Case]:
    """Every law, amended lightly and heavily for each seed, numbered in three ways in turn."""
    laws = {
        path.parent.name: read_passages(path.read_text("utf-8"))
        for path in sorted(data.glob("law-*/old.md"))
    }
    for name, old in laws.items():
        if only not in name:
            continue
        old_side = read_side(old, "A")
        articles = sum(passage.level is Level.ARTICLE for passage in old)
        others = (main_provisions(law) for other, law in laws.items() if other != name)
        foreign = [passage for law in others for passage in law]
        for seed in range(seeds):
            for weight, (share, least) in AMENDMENTS.items():
                rounds = max(least, round(share * articles))
                numbering = NUMBERINGS[seed % len(NUMBERINGS)]
                case = f"{name} {weight} {seed}"
                new = amended(old, foreign, seed=case, rounds=rounds, numbering=numbering)
                new_side = read_side(new, "B")
                yield Case(case, old_side, new_side, gold_of(old, old_side, new, new_side))


def _edits(gold: Gold, ids: Ids) -> frozenset[str]:
    none: frozenset[str] = frozenset()
    return gold.edits.get(ids[0], none) | gold.edits.get(ids[1], none)


def _print_systems(tallies: dict[str, Tally]) -> None:
    print(
        f"  {'':12} {'precision':>10} {'recall':>10} {'moves':>10} {'false m.':>10}"
        f" {'split/merge':>12} {'seconds':>9}"
    )
    for name, tally in tallies.items():
        print(
            f"  {name:12} {tally.precision!s:>10} {tally.recall!s:>10} {tally.move_recall!s:>10}"
            f" {tally.false_moves!s:>10} {tally.split_recall!s:>12} {tally.seconds:9.1f}"
        )


def _print_edits(tally: Tally) -> None:
    print(f"  Sanbo by edit {'pairs':>8} {'found':>9} {'wrong pairs':>12}")
    for edit in EDITS:
        share, wrong = tally.by_edit[edit], tally.wrong_by_edit[edit]
        print(f"  {edit:13} {share.whole:8,} {share!s:>9} {wrong:12,}")
