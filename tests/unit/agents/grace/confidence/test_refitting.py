from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.grace.confidence import (
    FITTED,
    Label,
    auroc,
    expected_calibration_error,
    refit,
)
from sanbo.agents.grace.confidence.model import FitKind, chance, corrected, log_odds, probability
from tests.unit.agents.grace.confidence.labels import boastful_labels, honest_labels, label

KINDS: tuple[FitKind, ...] = ("logistic", "isotonic")


def _corrected(labels: list[Label], kind: FitKind, others: list[Label]) -> list[Label]:
    by = refit(labels, kind, FITTED, "t").recalibration
    assert by is not None
    return [each.model_copy(update={"score": corrected(each.score, by)}) for each in others]


@pytest.mark.parametrize("kind", KINDS)
def test_boastful_scores_are_put_right(kind: FitKind) -> None:
    others = boastful_labels(2000, seed=9)
    after = expected_calibration_error(_corrected(boastful_labels(400), kind, others))
    assert after is not None
    assert after < 0.08


@pytest.mark.parametrize("kind", KINDS)
def test_a_handful_of_labels_moves_little(kind: FitKind) -> None:
    by = refit([label(0.9, False), label(0.6, True)], kind, FITTED, "t").recalibration
    assert by is not None
    for tenth in range(1, 10):
        assert corrected(tenth / 10, by) == pytest.approx(tenth / 10, abs=0.25)


@pytest.mark.parametrize("kind", KINDS)
def test_without_labels_scores_stay_about_what_they_are(kind: FitKind) -> None:
    by = refit([], kind, FITTED, "t").recalibration
    assert by is not None
    for tenth in range(1, 10):
        assert corrected(tenth / 10, by) == pytest.approx(tenth / 10, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
@given(
    labels=st.lists(
        st.builds(Label, features=st.just({}), score=st.floats(0, 1), good=st.booleans()),
        max_size=60,
    ),
    scores=st.lists(st.floats(0, 1), min_size=2, max_size=20),
)
def test_what_scored_more_never_scores_less_afterwards(
    kind: FitKind, labels: list[Label], scores: list[float]
) -> None:
    by = refit(labels, kind, FITTED, "t").recalibration
    assert by is not None
    after = [corrected(score, by) for score in sorted(scores)]
    assert all(0 <= score <= 1 for score in after)
    assert all(low <= high + 1e-9 for low, high in pairwise(after))


@pytest.mark.parametrize("kind", KINDS)
def test_a_version_can_be_stored_and_read_again(kind: FitKind) -> None:
    fitted = refit(honest_labels(60), kind, FITTED, "1+logistic-3")
    assert type(fitted).model_validate_json(fitted.model_dump_json()) == fitted
    assert fitted.version == "1+logistic-3"
    assert fitted.weights == FITTED.weights


def test_a_second_fit_corrects_what_was_shipped_and_not_the_first_correction() -> None:
    first = refit(boastful_labels(400), "logistic", FITTED, "a")
    second = refit(boastful_labels(400), "logistic", first, "b")
    assert second.recalibration == first.recalibration


def test_labels_with_features_are_scored_by_the_shipped_numbers() -> None:
    known = {"relevance": 3.0, "words": 1.2}
    score = chance(known, FITTED)
    labels = [Label(features=known, score=0.1, good=True) for _ in range(200)]
    fitted = refit(labels, "logistic", FITTED, "t")
    assert chance(known, fitted) > score


def test_a_slope_never_turns_the_order_around() -> None:
    upside_down = [each.model_copy(update={"good": not each.good}) for each in honest_labels(900)]
    after = _corrected(upside_down, "logistic", honest_labels(300))
    assert (auroc(after) or 0) > 0.5


@given(st.floats(-11, 11))
def test_log_odds_undo_a_probability(odds: float) -> None:
    assert log_odds(probability(odds)) == pytest.approx(odds, abs=1e-6)
