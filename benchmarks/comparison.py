"""How well and at what cost two documents are compared, beside what a person has without Sanbo.

    python benchmarks/comparison.py --data ../shared/data/compare [--part NAME] [--verbose]

1. synthetic: five laws are amended by chance (inserted, deleted, rewritten, moved, swapped, split,
   merged, renumbered), so that what corresponds is known by construction.
2. asvs: a standard that was written anew, against the official map of its requirements.
3. pairs: every pair of documents under the data folder; what is true of each result.
4. cost: 100, 1,000 and 5,000 paragraphs of which every one was edited.
5. consequence: 150 labelled changes: which flags they get, and whether what matters comes first.
6. reworded: two editions by people who had not seen the aligner: which clauses correspond.

Beside Sanbo's aligner (`rules`, without a model) stand `difflib` over paragraphs and pairing by
number. Ends with 1 when a target is missed.
"""

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

PARTS = ("synthetic", "asvs", "pairs", "cost", "consequence", "reworded")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(), help="not for the last two")
    parser.add_argument("--part", choices=PARTS, help="only this one")
    parser.add_argument("--seeds", type=int, default=10, help="of the synthetic edits")
    parser.add_argument("--verbose", action="store_true", help="what was linked wrongly")
    arguments = parser.parse_args()
    parts: dict[str, Callable[[], bool]] = {
        "synthetic": lambda: _part("synthetic").run(
            arguments.data, arguments.seeds, verbose=arguments.verbose
        ),
        "asvs": lambda: _part("asvs").run(arguments.data, verbose=arguments.verbose),
        "pairs": lambda: _part("pairs").run(arguments.data),
        "cost": lambda: _part("cost").run(),
        "consequence": lambda: _part("consequence").run(verbose=arguments.verbose),
        "reworded": lambda: _part("reworded").run(verbose=arguments.verbose),
    }
    held = [run() for name, run in parts.items() if arguments.part in (None, name)]
    sys.exit(0 if all(held) else 1)


def _part(name: str) -> Any:
    """Imported when its turn comes: each measures other parts of the product."""
    return import_module(f"comparison.{name}")


if __name__ == "__main__":
    main()
