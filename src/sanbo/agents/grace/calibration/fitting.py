"""A new version of the score, and how good it is on answers that it was not fitted to. Pure."""

from collections.abc import Iterable, Sequence
from random import Random

from sanbo.agents.grace.calibration.changes import Figures, FitKind
from sanbo.agents.grace.calibration.feedback import Feedback
from sanbo.agents.grace.calibration.scored import can_be_scored
from sanbo.agents.grace.confidence.chances import chance
from sanbo.agents.grace.confidence.figures import auroc, brier, expected_calibration_error
from sanbo.agents.grace.confidence.model import Fitted, Label
from sanbo.agents.grace.confidence.refitting import refit

FOLDS = 5


def labels_to_fit(feedback: Iterable[Feedback], base: Fitted) -> tuple[Feedback, ...]:
    """Judged answers that were scored as a whole: those of several parts have no features."""
    return tuple(each for each in feedback if each.answered and can_be_scored(each, base))


def newly_fitted(labels: Sequence[Label], kind: FitKind, base: Fitted) -> Fitted:
    """Its version tells what was corrected and how; the number of its change is still to come."""
    return refit(labels, kind, base, f"{base.version.partition('+')[0]}+{kind}")


def numbered(fitted: Fitted, change: int) -> Fitted:
    return fitted.model_copy(update={"version": f"{fitted.version}-{change}"})


def held_out(labels: Sequence[Label], kind: FitKind, base: Fitted) -> tuple[Label, ...]:
    """Every label with the score of a fit to the labels of the other folds."""
    # In an order of chance, the same each time: verdicts come in turns, on like answers in a row.
    shuffled = Random(FOLDS).sample(labels, len(labels))  # noqa: S311 - nothing to guess
    scored: list[Label] = []
    for nth in range(FOLDS):
        others = [label for place, label in enumerate(shuffled) if place % FOLDS != nth]
        fitted = refit(others, kind, base, "")
        scored += [
            label.model_copy(update={"score": chance(label.features, fitted)})
            for label in shuffled[nth::FOLDS]
        ]
    return tuple(scored)


def figures_of(labels: Sequence[Label]) -> Figures:
    return Figures(ece=expected_calibration_error(labels), auroc=auroc(labels), brier=brier(labels))
