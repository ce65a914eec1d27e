"""What is in force: the fold over all changes, its thresholds, and new versions. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from sanbo.agents.grace.calibration.changes import (
    CalibrationFitted,
    Change,
    Cutoffs,
    Figures,
    FitKind,
    ThresholdsMoved,
    VersionUsed,
)
from sanbo.agents.grace.calibration.feedback import Feedback
from sanbo.agents.grace.calibration.scored import Method, can_be_scored, score_now
from sanbo.agents.grace.confidence.chances import chance, refit
from sanbo.agents.grace.confidence.fitted import FITTED
from sanbo.agents.grace.confidence.model import Fitted, Label
from sanbo.agents.grace.confidence.thresholds import (
    GOOD_IN_A_ROW,
    adjusted,
    auroc,
    brier,
    expected_calibration_error,
    level,
    silent_threshold,
)
from sanbo.agents.grace.schemas import ThresholdsUsed
from sanbo.agents.grace.settings import GraceSettings
from sanbo.kernel.messages import Language, tell

NAMES = ("silent", "notify", "confirm")


@dataclass(frozen=True)
class Standing:
    """What all changes add up to."""

    fitted: Fitted = FITTED
    versions: Mapping[str, Fitted] = field(default_factory=lambda: {FITTED.version: FITTED})
    moved: ThresholdsMoved | None = None
    """The last move; None where there was none."""

    @classmethod
    def of(cls, changes: Iterable[Change]) -> "Standing":
        versions = {FITTED.version: FITTED}
        fitted, moved = FITTED, None
        for change in changes:
            match change.body:
                case CalibrationFitted(fitted=made):
                    versions[made.version] = made
                case VersionUsed(version=version):
                    # One that only an earlier Sanbo shipped: its numbers are gone.
                    fitted = versions.get(version, FITTED)
                case ThresholdsMoved() as body:
                    moved = body
        return cls(fitted, versions, moved)

    @property
    def since(self) -> int:
        """The verdicts from this number on move the thresholds."""
        return 1 if self.moved is None else self.moved.since

    def offsets(self, settings: GraceSettings) -> Cutoffs:
        """What feedback has moved, as far as the settings still let it."""
        if self.moved is None or not settings.adjust_thresholds:
            return Cutoffs()
        base, after, most = self.moved.base, self.moved.after, settings.most_adjustment
        # Whoever has set a threshold anew since has spoken: it holds as it is set.
        return Cutoffs(
            **{
                name: max(-most, min(most, getattr(after, name)))
                for name in NAMES
                if getattr(base, name) == getattr(settings.thresholds, name)
            }
        )


def replayed(settings: GraceSettings, feedback: Sequence[Feedback], since: int) -> Cutoffs:
    """The offsets that these verdicts make, one after the other, from what is configured."""
    start = now = ThresholdsUsed(**settings.thresholds.model_dump())
    heard: list[Label] = []
    for each in feedback:
        if each.number < since or not each.answered or each.method != settings.score:
            continue
        label = each.label
        if label.good and _is_told_enough(label, heard, now):
            continue
        heard.append(label)
        moved = adjusted(now, settings.thresholds, heard, settings.most_adjustment, "ja")
        # A bad answer is heard once, also where the bound lets nothing move.
        if moved != now or not label.good:
            heard = []
        now = moved
    return Cutoffs(**{name: round(getattr(now, name) - getattr(start, name), 4) for name in NAMES})


def _is_told_enough(label: Label, heard: Sequence[Label], now: ThresholdsUsed) -> bool:
    """Another good one of a level tells nothing where so many have moved nothing.

    Else thousands of them would be gone through again for each that comes.
    """
    of_level = level(label.score, now)
    alike = sum(level(each.score, now) == of_level for each in heard)
    return of_level == "silent" or alike >= GOOD_IN_A_ROW


# ---- labels as the version in use would score them -----------------------------------------


def labels_of(
    feedback: Iterable[Feedback], standing: Standing, method: Method
) -> tuple[Label, ...]:
    """Without those that tell nothing about this way of scoring."""
    labels: list[Label] = []
    for each in feedback:
        score = score_now(each, standing.fitted, standing.versions, method)
        if each.answered and score is not None:
            labels.append(each.label.model_copy(update={"score": score}))
    return tuple(labels)


# ---- the thresholds ------------------------------------------------------------------------


def thresholds_in_force(
    settings: GraceSettings,
    standing: Standing,
    feedback: Sequence[Feedback],
    language: Language,
) -> ThresholdsUsed:
    """As configured, moved by feedback; the silent one by risk where that is set."""
    offsets = standing.offsets(settings)
    configured = settings.thresholds
    confirm = _moved(configured.confirm, offsets.confirm)
    notify = max(confirm, _moved(configured.notify, offsets.notify))
    silent = _moved(configured.silent, offsets.silent)
    told = [_told_offsets(offsets, settings, language)]
    if settings.most_wrong_silent is not None:
        labels = labels_of(feedback, standing, settings.score)
        silent, by_risk = _by_risk(settings, settings.most_wrong_silent, labels, language)
        told = [by_risk, *told]
    return ThresholdsUsed(
        silent=max(notify, silent),
        notify=notify,
        confirm=confirm,
        told=tell("grace_calibration.told.between", language).join(told),
    )


def _moved(configured: float, offset: float) -> float:
    return round(min(1.0, max(0.0, configured + offset)), 4)


def _by_risk(
    settings: GraceSettings, most_wrong: float, labels: Sequence[Label], language: Language
) -> tuple[float, str]:
    found = silent_threshold(labels, most_wrong)
    share = f"{most_wrong:.0%}"
    if found is not None:
        text = "risk_shown"
        silent = found
    else:
        # A true score of 95% is wrong once in twenty times: that is as much as can be promised.
        text = "risk_expected"
        silent = max(settings.thresholds.silent, 1 - most_wrong)
    told = tell(f"grace_calibration.told.{text}", language, share=share, count=len(labels))
    return round(silent, 4), told


def _told_offsets(offsets: Cutoffs, settings: GraceSettings, language: Language) -> str:
    by_risk = settings.most_wrong_silent is not None
    moves = [
        tell(
            "grace_calibration.told.move",
            language,
            level=tell(f"grace_calibration.level.{name}", language),
            offset=f"{getattr(offsets, name):+.3f}",
        )
        for name in NAMES
        if getattr(offsets, name) and not (by_risk and name == "silent")
    ]
    if not moves:
        return tell("grace_calibration.told.settings", language)
    listed = tell("grace_calibration.told.and", language).join(moves)
    return tell("grace_calibration.told.feedback", language, moves=listed)


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
