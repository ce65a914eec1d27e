"""How often GRACE is right, and how well it knows.

    python benchmarks/grace.py --data ../shared/data/qa [--questions 1000] [--removed 1000]
        [--set jsquad|jaquad-dev] [--seed 0] [--png FILE] [--quick] [--verbose]

Every paragraph of a question set is a document of one collection; questions go through the real
workflow, without a model (`rules`), on the product's own settings. A run that waits for a person
is told to proceed. As many other questions are asked of collections from which their paragraphs
were removed (a fifth of them at a time, so that most of each article stays: the hard case).
`--quick` leaves the workflow out: search, answer and score by the same functions, in a third of
the time.

The top answer is the first sentence, or the nearest one where GRACE says that nothing answers. It
is *right* if it holds an accepted span, after NFKC and without white space. A sentence whose
subject is left out is told with the title of what it speaks of (ラオス：…); how often only that
title holds the span is told beside.

The targets use this one definition for all questions. A removed paragraph does not always take
the answer with it: another paragraph may say the same, and a short span stands somewhere by
chance. So the same figures are printed beside for the strict reading, in which no question is
answered rightly whose paragraph was removed.

What is unseen: the confidence was fitted on other articles than those measured here (JSQuAD is
split by the article's title; JaQuAD-train shares no title with either set). The passages'
relevance, which the confidence builds on, was fitted on half of JSQuAD's *paragraphs*, also of the
articles measured here; figures for the other half alone are printed beside. JaQuAD-dev is unseen by
both. Beside it, on the same questions and answers: the fixed-weight score.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from grace_asking import Telling, Told, quickly, through_workflow
from grace_data import is_right, labels_of, of_articles
from qa_data import Asked, QuestionSet, SetName, build, load

from sanbo.agents.analysis.charts.picture import picture
from sanbo.agents.grace.confidence import (
    FITTED,
    Label,
    auroc,
    expected_calibration_error,
    level,
    reliability,
)
from sanbo.agents.grace.settings import GraceSettings
from sanbo.kernel.messages import set_language

RIGHT_TARGET = 0.70
AUROC_TARGET = 0.85
ECE_TARGET = 0.05
SILENT_TARGET = 0.95
AT_A_TIME = 5
"""The removed paragraphs are removed in so many turns."""


class Outcome(NamedTuple):
    asked: Asked
    removed: bool
    unseen: bool
    """Its paragraph was not used to fit the passages' relevance."""
    told: Told

    @property
    def right(self) -> bool:
        return is_right(self.asked, self.told.text)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", choices=("jsquad", "jaquad-dev"), default="jsquad")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--removed", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--png", type=Path, help="where the reliability diagram goes")
    parser.add_argument("--quick", action="store_true", help="without the workflow")
    parser.add_argument("--verbose", action="store_true", help="which silent answers are wrong")
    arguments = parser.parse_args()
    set_language("ja")
    name: SetName = arguments.set
    questions = load(arguments.data, name)
    there, gone = _draw(questions, arguments.questions, arguments.removed, arguments.seed)
    print(
        f"{name}: {len(questions.paragraphs):,} paragraphs; {len(there)} questions,"
        f" {len(gone)} with their paragraphs removed; confidence {FITTED.version}"
    )
    tell = quickly if arguments.quick else through_workflow
    began = time.perf_counter()
    outcomes = _outcomes(questions, there, tell, removed=False)
    for turn in range(AT_A_TIME):
        outcomes += _outcomes(questions, gone[turn::AT_A_TIME], tell, removed=True)
    print(f"asked in {time.perf_counter() - began:.0f} s")
    held = _report(outcomes, verbose=arguments.verbose)
    if arguments.png is not None:
        _draw_reliability(outcomes, arguments.png)
        print(f"\nreliability diagram: {arguments.png}")
    sys.exit(0 if held else 1)


def _draw(
    questions: QuestionSet, many: int, removed: int, seed: int
) -> tuple[list[Asked], list[Asked]]:
    """Different questions for both, of articles that the confidence was not fitted on."""
    unseen = (
        of_articles(questions, for_fitting=False) if questions.name == "jsquad" else questions.asked
    )
    shuffled = random.Random(seed).sample(unseen, min(many + removed, len(unseen)))
    return shuffled[:many], shuffled[many:]


def _outcomes(
    questions: QuestionSet, asked: Sequence[Asked], tell: Telling, *, removed: bool
) -> list[Outcome]:
    if not asked:
        return []
    without = {each.number for each in asked} if removed else set[int]()
    with tempfile.TemporaryDirectory() as folder:
        library, _ = build(Path(folder), questions.paragraphs, without=without)
        library.close()
        told = tell(Path(folder), asked)
    fitted_on = questions.name == "jsquad"
    return [
        Outcome(
            each,
            removed,
            not (fitted_on and questions.paragraphs[each.number].is_for_fitting),
            one,
        )
        for each, one in zip(asked, told, strict=True)
    ]


# ---- judging -----------------------------------------------------------------------------------


def _report(outcomes: Sequence[Outcome], *, verbose: bool) -> bool:
    there = [each for each in outcomes if not each.removed]
    gone = [each for each in outcomes if each.removed]
    right = _share([each.right for each in there])
    print("\nThe top answer holds an accepted span")
    print(
        f"  the paragraph is there  {right:.1%}, by the title before the sentence alone"
        f" {_share([_by_title_alone(each) for each in there]):.1%}"
    )
    print(f"  it was removed          {_share([each.right for each in gone]):.1%}")
    _print_levels("there", there)
    _print_levels("removed", gone)
    replanned = _share([bool(each.told.replans) for each in outcomes])
    asked_back = _share([bool(each.told.asked_back) for each in outcomes])
    seconds = sorted(each.told.seconds for each in outcomes)
    print(
        f"  replanned {replanned:.1%}, a person asked {asked_back:.1%},"
        f" median {seconds[len(seconds) // 2]:.2f} s"
    )
    calibrated = _judge("calibrated", outcomes, [each.told.score for each in outcomes])
    _judge("fixed weights", outcomes, [each.told.weighted for each in outcomes])
    if verbose:
        for each in outcomes:
            if not each.right and each.told.score >= GraceSettings().thresholds.silent:
                mark = "removed" if each.removed else "there"
                print(f"    {each.told.score:.3f} {mark}: {each.asked.question}")
                print(f"        {each.told.text} | {each.asked.answers}")
    return _targets(right, calibrated)


class Figures(NamedTuple):
    auroc: float
    ece: float
    silent: float
    """The share of all answers."""
    precision: float
    """Of the silent ones."""


def _targets(right: float, found: Figures) -> bool:
    held = {
        f"top answer holds a gold span ≥ {RIGHT_TARGET:.0%}: {right:.1%}": right >= RIGHT_TARGET,
        f"AUROC ≥ {AUROC_TARGET}: {found.auroc:.3f}": found.auroc >= AUROC_TARGET,
        f"ECE ≤ {ECE_TARGET}: {found.ece:.3f}": found.ece <= ECE_TARGET,
        f"right among silent ≥ {SILENT_TARGET:.0%}: {found.precision:.1%}"
        f" (coverage {found.silent:.1%})": found.precision >= SILENT_TARGET,
    }
    print("\nTargets")
    for target, holds in held.items():
        print(f"  {'held  ' if holds else 'MISSED'}  {target}")
    return all(held.values())


def _judge(name: str, outcomes: Sequence[Outcome], scores: Sequence[float]) -> Figures:
    print(f"\nConfidence, {name}")
    labels = labels_of(scores, [each.right for each in outcomes])
    figures = _print_figures("all", labels)
    strict = [each.right and not each.removed for each in outcomes]
    _print_figures("strict: removed never right", labels_of(scores, strict))
    unseen = [label for label, each in zip(labels, outcomes, strict=True) if each.unseen]
    if len(unseen) < len(labels):
        _print_figures("relevance not fitted on the paragraph", unseen)
    return figures


def _print_figures(name: str, labels: Sequence[Label]) -> Figures:
    silent = [label.good for label in labels if label.score >= GraceSettings().thresholds.silent]
    found = Figures(
        auroc=auroc(labels) or 0.0,
        ece=expected_calibration_error(labels) or 0.0,
        silent=len(silent) / len(labels),
        precision=_share(silent),
    )
    print(
        f"  {name:38} {len(labels):5}  AUROC {found.auroc:.3f}  ECE {found.ece:.3f}"
        f"  silent {found.silent:.1%}, right {found.precision:.1%}"
    )
    return found


def _print_levels(name: str, outcomes: Sequence[Outcome]) -> None:
    counts = Counter(level(each.told.score, GraceSettings().thresholds) for each in outcomes)
    right = Counter(
        level(each.told.score, GraceSettings().thresholds) for each in outcomes if each.right
    )
    told = (f"{each} {counts[each]} (right {right[each]})" for each in counts)
    print(f"  {name:8} " + ", ".join(sorted(told)))


def _by_title_alone(outcome: Outcome) -> bool:
    """Right, but not by the words that are quoted."""
    if not (outcome.told.by_subject and outcome.right):
        return False
    return not is_right(outcome.asked, outcome.told.text.partition("：")[2])


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0


# ---- drawing -----------------------------------------------------------------------------------


def _draw_reliability(outcomes: Sequence[Outcome], path: Path) -> None:
    truth = [each.right for each in outcomes]
    scored = {
        "calibrated": [each.told.score for each in outcomes],
        "fixed weights": [each.told.weighted for each in outcomes],
    }
    rows: list[dict[str, object]] = []
    for name, scores in scored.items():
        labels = labels_of(scores, truth)
        ece = expected_calibration_error(labels) or 0.0
        title = f"{name}: ECE {ece:.3f}, AUROC {auroc(labels) or 0.0:.3f}"
        for each in reliability(labels):
            rows.append({"by": title, "said": each.said, "true": each.true, "n": each.answers})
    whole = {"domain": [0, 1]}
    said = {"field": "said", "type": "quantitative", "title": "confidence", "scale": whole}
    right = {"field": "true", "type": "quantitative", "scale": whole}
    right["title"] = "share of right answers"
    answers = {"field": "n", "type": "quantitative", "title": "answers"}
    axes = {"x": said, "y": right}
    even = {"x": {"datum": 0}, "x2": {"datum": 1}, "y": {"datum": 0}, "y2": {"datum": 1}}
    vega = {
        "data": {"values": rows},
        "facet": {"field": "by", "type": "nominal", "title": None},
        "spec": {
            "width": 420,
            "height": 420,
            "layer": [
                {"mark": {"type": "rule", "strokeDash": [4, 4], "opacity": 0.5}, "encoding": even},
                {"mark": "line", "encoding": axes},
                {"mark": "circle", "encoding": {**axes, "size": answers}},
            ],
        },
    }
    path.write_bytes(picture(json.dumps(vega).encode(), "png"))


if __name__ == "__main__":
    main()
