import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.grace.confidence import (
    Label,
    auroc,
    brier,
    coverage,
    expected_calibration_error,
    reliability,
)
from tests.unit.agents.grace.confidence.labels import boastful_labels, honest_labels, label

some_labels = st.lists(
    st.builds(Label, features=st.just({}), score=st.floats(0, 1), good=st.booleans()), max_size=40
)


def test_scores_that_tell_all_apart_have_an_auroc_of_one() -> None:
    assert auroc([label(0.9, True), label(0.8, True), label(0.3, False)]) == 1.0


def test_scores_that_tell_nothing_have_an_auroc_of_a_half() -> None:
    assert auroc([label(0.5, True), label(0.5, False), label(0.5, True)]) == 0.5


def test_without_bad_answers_there_is_nothing_to_tell_apart() -> None:
    assert auroc([label(0.9, True)]) is None
    assert auroc([]) is None


@given(some_labels)
def test_auroc_is_how_often_a_good_answer_wins_against_a_bad_one(labels: list[Label]) -> None:
    good = [each.score for each in labels if each.good]
    bad = [each.score for each in labels if not each.good]
    pairs = [(g > b) + (g == b) / 2 for g in good for b in bad]
    if pairs:
        assert auroc(labels) == pytest.approx(sum(pairs) / len(pairs))


def test_honest_scores_have_a_small_calibration_error_and_boastful_ones_a_large_one() -> None:
    honest = expected_calibration_error(honest_labels(4000))
    boastful = expected_calibration_error(boastful_labels(4000))
    assert honest is not None
    assert boastful is not None
    assert honest < 0.03
    assert boastful == pytest.approx(0.25, abs=0.03)


def test_without_labels_there_are_no_figures() -> None:
    assert expected_calibration_error([]) is None
    assert brier([]) is None
    assert reliability([]) == ()
    assert coverage([]) == ()


@given(some_labels)
def test_every_answer_stands_in_one_bin(labels: list[Label]) -> None:
    bins = reliability(labels)
    assert sum(each.answers for each in bins) == len(labels)
    assert all(each.low - 1e-9 <= each.said <= each.high + 1e-9 for each in bins)


@given(some_labels)
def test_a_lower_threshold_covers_more(labels: list[Label]) -> None:
    points = coverage(labels)
    assert [point.coverage for point in points] == sorted(
        (point.coverage for point in points), reverse=True
    )
    if labels:
        assert points[0].coverage == 1.0
        for point in points:
            reached = [each.good for each in labels if each.score >= point.threshold]
            assert point.answers == len(reached)
            assert point.precision == pytest.approx(sum(reached) / len(reached))


def test_the_order_of_the_labels_does_not_matter() -> None:
    labels = honest_labels(200)
    shuffled = random.Random(3).sample(labels, len(labels))
    assert auroc(labels) == pytest.approx(auroc(shuffled))
    assert coverage(labels) == coverage(shuffled)
