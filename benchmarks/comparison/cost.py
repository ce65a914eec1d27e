"""Part 4: time and memory when every paragraph of a long contract was edited."""

import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from .one_run import Cost

SIZES = (100, 1_000, 5_000)
MOST_SECONDS = 15.0
MOST_MEBIBYTES = 1024.0
MOST_GROWTH = 1.5
_STEPS = ("read", "chunk", "align", "changes", "outputs")


def run() -> bool:
    print("Cost: every paragraph edited; reading, chunks, alignment, changes, all five outputs")
    heads = "".join(f"{step:>9}" for step in _STEPS)
    print(
        f"  {'paragraphs':>10} {'seconds':>8} {'peak MiB':>9}   of the processor:{heads}   difflib"
    )
    costs: list[Cost] = []
    for size in SIZES:
        cost, plain = _measured(size, "sanbo"), _measured(size, "difflib")
        costs.append(cost)
        steps = "".join(f"{cost.steps[step]:9.2f}" for step in _STEPS)
        print(
            f"  {size:10,} {cost.seconds:8.2f} {cost.mebibytes:9.0f}   {'':17}{steps}"
            f" {plain.seconds:9.2f}"
        )
    return all([_held_growth(costs), _held_limits(costs[-1])])


def _measured(paragraphs: int, way: str) -> Cost:
    done = subprocess.run(
        [sys.executable, "-m", "comparison.one_run", str(paragraphs), way],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        check=True,
    )
    return Cost.model_validate_json(done.stdout)


def _held_growth(costs: list[Cost]) -> bool:
    """By time of the processor: what else the machine does would distort it."""
    totals = [sum(cost.steps.values()) for cost in costs]
    growths = [
        math.log(two / one) / math.log(larger / smaller)
        for (one, two), (smaller, larger) in zip(pairwise(totals), pairwise(SIZES), strict=True)
    ]
    held = all(growth < MOST_GROWTH for growth in growths)
    told = ", ".join(f"n^{growth:.2f}" for growth in growths)
    print(f"  growth {told}; target < n^{MOST_GROWTH}: {'held' if held else 'MISSED'}")
    return held


def _held_limits(cost: Cost) -> bool:
    held = cost.seconds <= MOST_SECONDS and cost.mebibytes <= MOST_MEBIBYTES
    print(
        f"  {SIZES[-1]:,} paragraphs: target ≤ {MOST_SECONDS:.0f} s and"
        f" ≤ {MOST_MEBIBYTES:.0f} MiB: {'held' if held else 'MISSED'}"
    )
    return held
