import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.grace.confidence import (
    Label,
    adjusted,
    level,
    most_wrong_at,
    silent_threshold,
)
from sanbo.agents.grace.schemas import ThresholdsUsed
from sanbo.agents.grace.settings import GraceThresholds
from tests.unit.agents.grace.confidence.labels import label

CONFIGURED = GraceThresholds()
USED = ThresholdsUsed(silent=0.9, notify=0.7, confirm=0.4)


@pytest.mark.parametrize(
    ("score", "expected"),
    [(1.0, "silent"), (0.9, "silent"), (0.89, "notify"), (0.7, "notify"), (0.4, "confirm"),
     (0.39, "escalate"), (0.0, "escalate")],
)  # fmt: skip
def test_a_threshold_belongs_to_the_level_above_it(score: float, expected: str) -> None:
    assert level(score, USED) == expected


# ---- by risk ---------------------------------------------------------------------------------


def test_few_labels_show_nothing_about_a_small_risk() -> None:
    assert silent_threshold([label(0.95, True)] * 50, most_wrong=0.05) is None


def test_sixty_good_answers_show_that_hardly_one_in_twenty_is_wrong() -> None:
    assert silent_threshold([label(0.95, True)] * 60, most_wrong=0.05) == 0.95


def test_the_threshold_is_as_low_as_the_risk_allows() -> None:
    good = [label(0.5 + nth / 1000, True) for nth in range(400)]
    bad = [label(0.5 + nth / 1000, False) for nth in range(0, 100, 2)]
    found = silent_threshold([*good, *bad], most_wrong=0.05)
    assert found is not None
    assert 0.55 < found < 0.6
    assert most_wrong_at([*good, *bad], found) <= 0.05 + 1e-6


def test_where_too_many_are_wrong_no_threshold_keeps_the_risk() -> None:
    labels = [label(0.9, nth % 5 > 0) for nth in range(500)]
    assert silent_threshold(labels, most_wrong=0.05) is None


def test_without_an_answer_everything_may_be_wrong() -> None:
    assert most_wrong_at([], 0.5) == pytest.approx(1.0)


# ---- by feedback -----------------------------------------------------------------------------


def test_a_bad_silent_answer_raises_the_silent_threshold() -> None:
    after = adjusted(USED, CONFIGURED, [label(0.95, False)], 0.05, "ja")
    assert after.silent == 0.91
    assert (after.notify, after.confirm) == (USED.notify, USED.confirm)
    assert "0.900" in after.told
    assert "0.910" in after.told


def test_one_good_notified_answer_moves_nothing() -> None:
    assert adjusted(USED, CONFIGURED, [label(0.8, True)], 0.05, "ja") == USED


def test_several_good_notified_answers_lower_the_silent_threshold_a_little() -> None:
    after = adjusted(USED, CONFIGURED, [label(0.8, True)] * 5, 0.05, "en")
    assert after.silent == 0.895
    assert "Lowered" in after.told


def test_a_bad_silent_answer_outweighs_good_notified_ones() -> None:
    labels = [*[label(0.8, True)] * 10, label(0.95, False)]
    assert adjusted(USED, CONFIGURED, labels, 0.05, "ja").silent == 0.91


def test_good_silent_answers_and_bad_escalated_ones_are_as_they_should_be() -> None:
    labels = [*[label(0.95, True)] * 20, *[label(0.1, False)] * 20]
    assert adjusted(USED, CONFIGURED, labels, 0.05, "ja") == USED


@given(
    st.lists(
        st.builds(Label, features=st.just({}), score=st.floats(0, 1), good=st.booleans()),
        max_size=80,
    ),
    st.floats(0, 0.3),
)
def test_thresholds_stay_near_what_is_configured_and_in_order(
    labels: list[Label], most: float
) -> None:
    now = USED
    for nth in range(0, len(labels), 7):
        now = adjusted(now, CONFIGURED, labels[nth : nth + 7], most, "ja")
        assert now.confirm < now.notify < now.silent <= 1
        for name in ("silent", "notify", "confirm"):
            assert abs(getattr(now, name) - getattr(CONFIGURED, name)) <= most + 1e-4
