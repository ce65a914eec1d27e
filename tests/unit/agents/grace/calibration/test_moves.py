"""What verdicts make of thresholds and scores."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sanbo.agents.grace.calibration.records import (
    Feedback,
    ThresholdsMoved,
    Verdict,
    replayed,
    scored,
)
from sanbo.agents.grace.confidence.model import FITTED, chance
from sanbo.agents.grace.settings import GraceSettings, GraceThresholds
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import NotFound
from sanbo.storage.database import Database
from tests.cpu_time import least_seconds
from tests.unit.agents.grace.calibration.judging import SETTINGS, Judging, asked
from tests.workflows.answers import answered, features


@pytest.fixture
def judge(tmp_path: Path) -> Generator[Judging]:
    database = Database.in_workspace(tmp_path, None)
    database.migrate()
    yield Judging(database)
    database.close()


def test_without_verdicts_the_settings_and_the_shipped_numbers_hold(judge: Judging) -> None:
    current = judge.calibrations.current(GraceSettings(thresholds=GraceThresholds(silent=0.95)))
    assert current.fitted == FITTED
    assert (current.thresholds.silent, current.thresholds.notify) == (0.95, 0.7)
    assert current.thresholds.told == "設定のとおりです。"


def test_a_bad_silent_answer_raises_the_threshold_and_says_so(judge: Judging) -> None:
    heard = judge(0.93, "bad")
    assert (heard.before.silent, heard.after.silent) == (0.9, 0.91)
    assert "評価に応じて調整" in heard.after.told
    assert "+0.010" in heard.after.told
    (change,) = judge.calibrations.changes()
    assert isinstance(change.body, ThresholdsMoved)
    assert (change.actor, change.body.run_id, change.body.verdict) == ("local", "run-1", "bad")
    with use_language("en"):
        assert "feedback" in judge.calibrations.current(SETTINGS).thresholds.told


def test_a_verdict_that_is_taken_back_leaves_nothing_but_the_record(judge: Judging) -> None:
    judge(0.93, "bad")
    heard = judge.calibrations.withdraw_feedback("run-1", settings=SETTINGS, actor="local")
    assert heard.feedback is None
    assert heard.after.silent == 0.9
    assert judge.calibrations.feedback_of("run-1") is None
    assert len(judge.calibrations.changes()) == 2
    with pytest.raises(NotFound):
        judge.calibrations.withdraw_feedback("run-1", settings=SETTINGS, actor="local")


def test_thresholds_never_leave_their_bounds_and_come_back_when_answers_are_good(
    judge: Judging,
) -> None:
    bad = [judge(0.97, "bad").after.silent for _ in range(7)]
    assert bad[:4] == [0.91, 0.92, 0.93, 0.94]
    assert set(bad[4:]) == {0.95}
    good = [judge(0.93, "good").after.silent for _ in range(10)]
    assert good[-1] == 0.94


def test_a_threshold_that_is_set_anew_holds_as_it_is_set(judge: Judging) -> None:
    judge(0.93, "bad")
    anew = SETTINGS.model_copy(update={"thresholds": GraceThresholds(silent=0.85)})
    assert judge.calibrations.current(anew).thresholds.silent == 0.85
    heard = judge(0.86, "good", settings=anew)
    assert heard.after.silent == 0.85
    heard = judge(0.86, "bad", settings=anew)
    assert heard.after.silent == 0.86


def test_narrower_bounds_hold_at_once_and_no_adjustment_means_none(judge: Judging) -> None:
    for _ in range(4):
        judge(0.97, "bad")
    narrow = SETTINGS.model_copy(update={"most_adjustment": 0.02})
    assert judge.calibrations.current(narrow).thresholds.silent == 0.92
    fixed = SETTINGS.model_copy(update={"adjust_thresholds": False})
    assert judge.calibrations.current(fixed).thresholds.silent == 0.9
    heard = judge(0.97, "bad", settings=fixed)
    assert heard.before == heard.after


def test_a_verdict_on_not_found_is_kept_but_is_no_label(judge: Judging) -> None:
    heard = judge(0.2, "bad", found=False)
    assert heard.feedback is not None
    assert not heard.feedback.answered
    assert heard.before == heard.after
    assert judge.calibrations.labels(SETTINGS) == ()


def test_the_silent_threshold_keeps_a_risk(judge: Judging) -> None:
    by_risk = SETTINGS.model_copy(update={"most_wrong_silent": 0.05})
    expected = judge.calibrations.current(by_risk).thresholds
    assert expected.silent == 0.95
    assert "0件では確かめられない" in expected.told
    good: tuple[float, Verdict] = (0.8, "good")
    judge.all_of([good] * 70)
    shown = judge.calibrations.current(by_risk).thresholds
    assert shown.silent == 0.8
    assert "70件から" in shown.told


def test_another_version_begins_with_the_thresholds_as_configured(judge: Judging) -> None:
    for _ in range(19):
        judge(0.5, "good")
    judge(0.97, "bad")
    assert judge.calibrations.current(SETTINGS).thresholds.silent == 0.91
    fitted = judge.calibrations.fit("logistic", settings=SETTINGS, actor="local").fitted
    assert judge.calibrations.current(SETTINGS).thresholds.silent == 0.9
    heard = judge(0.97, "bad", calibration=fitted.version)
    assert heard.after.silent == 0.91


def test_what_was_taken_off_for_a_flaw_stays_off_under_another_version(
    judge: Judging,
) -> None:
    for _ in range(20):
        judge(0.9, "bad")
    asked(judge.database, "flawed")
    judge.calibrations.give_feedback(
        "flawed", answered(0.5, chance=0.75), "good", settings=SETTINGS, actor="local"
    )
    fitted = judge.calibrations.fit("logistic", settings=SETTINGS, actor="local").fitted
    label = judge.calibrations.labels(SETTINGS)[-1]
    assert label.score == pytest.approx(max(0.0, chance(features(0.75), fitted) - 0.25))


def test_weighted_scores_keep_to_themselves(judge: Judging) -> None:
    judge(0.93, "bad")
    weighted = SETTINGS.model_copy(update={"score": "weighted"})
    assert judge.calibrations.labels(weighted) == ()


def test_thousands_of_good_verdicts_are_gone_through_in_no_time() -> None:
    told = [
        Feedback(
            **dict(scored(answered(0.5 + number % 50 / 100))),
            run_id=f"run-{number}",
            number=number,
            verdict="good",
            actor="local",
            time=datetime.now(UTC),
        )
        for number in range(1, 2_001)
    ]
    half = replayed(SETTINGS, told[:1_000], 1)
    assert replayed(SETTINGS, told, 1) == half  # at its bound
    half_takes = least_seconds(lambda: replayed(SETTINGS, told[:1_000], 1))
    assert least_seconds(lambda: replayed(SETTINGS, told, 1)) < 3 * half_takes + 0.1
