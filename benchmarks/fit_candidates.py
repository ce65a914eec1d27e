"""Fits what makes a sentence the answer beside all others (`WEIGHTS` of GRACE's candidates).

    python benchmarks/fit_candidates.py --data ../shared/data/qa [--questions 200]

Conditional logistic regression: of all sentences of what was found, the probability of those that
answer. Office questions of the development half, of the organisations for fitting and of those of
the corpus that the reader was not taught with, and questions about JSQuAD's fitting articles; both
languages and JSQuAD count the same. Told for each: how often the best sentence is one that answers,
and one of the best three (for office questions by leaving out one document in six).
"""

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from grace_data import Floats, of_articles, search
from office_corpus import judged, unmet
from office_data import LANGUAGES
from qa_data import build, document_id, load
from scipy.optimize import minimize

from sanbo.agents.grace.rules.candidates import WEIGHTS, Candidate, candidates

RIDGE = 0.1
FOLDS = 6
NAMES = tuple(WEIGHTS)


class Pool(NamedTuple):
    """A row for each sentence."""

    document: str
    rows: Floats
    answers: Floats


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=200, help="of JSQuAD")
    arguments = parser.parse_args()
    office = {language: _office(language) for language in LANGUAGES}
    jsquad = _jsquad(arguments.data, 2 * arguments.questions)
    half = len(jsquad) // 2
    for language, pools in office.items():
        others = [*(each for name, each in office.items() if name != language), jsquad[:half]]
        _tell(f"office, {language}", pools, [_without(pools, nth) for nth in range(FOLDS)], others)
    fitted = _fit([*office.values(), jsquad[:half]])
    unseen = jsquad[half:]
    print("jsquad, not fitted on:", _right(unseen, [fitted] * len(unseen)))
    print(", ".join(f'"{name}": {weight:.1f}' for name, weight in zip(NAMES, fitted, strict=True)))


def _office(language: str) -> list[Pool]:
    pools: list[Pool] = []
    for one in unmet(language):
        passages = judged(one)
        found = candidates(one.question, passages)
        golden = dict(zip((each.chunk_id for each in one.passages), one.golden, strict=True))
        right = [
            each.chosen.sentence.start in golden[each.chosen.passage.chunk_id] for each in found
        ]
        pools += _pool(f"{one.organisation}/{one.document}", found, right)
    return pools


def _jsquad(data: Path, many: int) -> list[Pool]:
    asked_of = load(data, "jsquad")
    drawn = random.Random(3).sample(of_articles(asked_of, for_fitting=True), many)
    pools: list[Pool] = []
    with tempfile.TemporaryDirectory() as folder:
        library, collection = build(Path(folder), asked_of.paragraphs)
        for asked in drawn:
            passages = search(collection, asked.question, (asked.question,))
            found = candidates(asked.question, passages)
            own = document_id(asked.number)
            right = [
                each.chosen.passage.document_id == own
                and asked.is_answered_in(each.chosen.sentence.text)
                for each in found
            ]
            pools += _pool(own, found, right)
        library.close()
    return pools


def _pool(document: str, found: Sequence[Candidate], right: Sequence[bool]) -> list[Pool]:
    """None where no sentence answers."""
    if not any(right):
        return []
    rows = [[counted[name] for name in NAMES] for each in found if (counted := each.counted())]
    return [Pool(document, np.array(rows), np.array(right, dtype=float))]


def _fit(sets: Sequence[Sequence[Pool]]) -> Floats:
    spread = np.concatenate([pool.rows for pools in sets for pool in pools]).std(0) + 1e-9
    scaled = [(pool.rows / spread, pool.answers, 1 / len(each)) for each in sets for pool in each]

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = RIDGE / 2 * float(weights @ weights), RIDGE * weights
        for rows, answers, share in scaled:
            odds = rows @ weights
            all_of_it = np.exp(odds - odds.max())
            right = all_of_it * answers
            total += share * float(np.log(all_of_it.sum()) - np.log(right.sum()))
            slope = slope + share * (rows.T @ (all_of_it / all_of_it.sum() - right / right.sum()))
        return total, slope

    best: Floats = minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B").x
    return best / spread


def _fold(pools: Sequence[Pool], pool: Pool) -> int:
    return sorted({each.document for each in pools}).index(pool.document) % FOLDS


def _without(pools: Sequence[Pool], nth: int) -> list[Pool]:
    return [each for each in pools if _fold(pools, each) != nth]


def _tell(
    name: str,
    pools: Sequence[Pool],
    folds: Sequence[Sequence[Pool]],
    others: Sequence[Sequence[Pool]],
) -> None:
    fits = [_fit([fold, *others]) for fold in folds]
    print(f"{name}: {_right(pools, [fits[_fold(pools, each)] for each in pools])}")


def _right(pools: Sequence[Pool], weights: Sequence[Floats]) -> str:
    first = three = 0
    for pool, by in zip(pools, weights, strict=True):
        order = np.argsort(-(pool.rows @ by))
        first += bool(pool.answers[order[0]])
        three += bool(pool.answers[order[:3]].any())
    return f"best {first / len(pools):.1%}, of three {three / len(pools):.1%} of {len(pools)}"


if __name__ == "__main__":
    main()
