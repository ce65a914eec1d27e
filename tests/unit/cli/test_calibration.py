"""How true scores are, at the command line."""

import json
import random
from pathlib import Path

import pytest

from sanbo.agents.grace.confidence.model import FITTED
from sanbo.service import catalog
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from tests.unit.agents.grace.calibration.judging import Judging
from tests.unit.cli.conftest import Sanbo
from tests.workflows import WORKFLOWS
from tests.workflows.answers import Answers


@pytest.fixture(autouse=True)
def _with_answers(monkeypatch: pytest.MonkeyPatch, _as_shipped: None) -> None:
    monkeypatch.setattr(catalog, "WORKFLOWS", (Answers(), *WORKFLOWS))


def _asked(sanbo: Sanbo, score: float = 0.95) -> str:
    given = json.dumps({"score": score})
    return sanbo("runs", "start", "grace", "--input", given, "--json").json["run_id"]


def test_an_answer_is_judged_and_what_that_moved_is_told(sanbo: Sanbo) -> None:
    run_id = _asked(sanbo)
    bad = sanbo("calibration", "feedback", run_id, "bad", "--comment", "金額が違います")
    assert bad.code == 0
    assert "評価を記録しました：悪い" in bad.err
    assert "自動で回答 0.900 → 0.910" in bad.err
    good = sanbo("calibration", "feedback", run_id, "good", "--json").json
    assert good["feedback"]["earlier"][0]["comment"] == "金額が違います"
    assert good["after"]["silent"] == 0.9
    shown = sanbo("calibration", "show")
    assert shown.code == 0
    assert "良い 1件、悪い 0件" in shown.out
    assert "0.900 → 0.910" in shown.out
    assert "0.9–1.0" in shown.out
    assert "1件しか" in shown.err
    taken_back = sanbo("--lang", "en", "calibration", "feedback", run_id, "withdraw")
    assert "taken back" in taken_back.err
    assert sanbo("calibration", "show", "--json").json["labels"]["good"] == 0


def test_wrong_calls_say_what_to_do(sanbo: Sanbo) -> None:
    assert sanbo("calibration", "feedback", "run_none", "good").code == 1
    run_id = _asked(sanbo)
    assert sanbo("calibration", "feedback", run_id, "great").code == 2
    early = sanbo("calibration", "fit", "--json")
    assert early.code == 1
    assert early.json["problem"]["code"] == "CONFLICT"
    assert "200件" in sanbo("calibration", "fit").err
    unknown = sanbo("calibration", "use", "9.9")
    assert unknown.code == 1
    assert FITTED.version in unknown.err
    assert "すでに使用中" in sanbo("calibration", "use", FITTED.version).err


def test_a_fit_that_is_no_better_is_told_with_how_to_use_it_all_the_same(
    sanbo: Sanbo, workspace: Path
) -> None:
    dice = random.Random(3)
    said = [dice.uniform(0.05, 0.98) for _ in range(200)]
    database = open_database(load_settings(workspace, {}))
    Judging(database).all_of((each, "good" if dice.random() < each else "bad") for each in said)
    database.close()
    fitted = sanbo("calibration", "fit", "--kind", "isotonic")
    assert fitted.code == 0
    assert "良くなっていません" in fitted.err
    version = f"{FITTED.version}+isotonic-1"
    assert f"sanbo calibration use {version}" in fitted.err
    shown = sanbo("calibration", "show", "--json").json
    assert shown["version"] == FITTED.version
    assert any(version in warning for warning in shown["warnings"])


def test_a_new_version_is_fitted_and_taken_back(sanbo: Sanbo, workspace: Path) -> None:
    database = open_database(load_settings(workspace, {}))
    Judging(database).all_of(
        (0.5 + number / 500, "bad" if number % 3 else "good") for number in range(200)
    )
    database.close()
    assert "sanbo calibration fit" in sanbo("calibration", "show").err
    fitted = sanbo("calibration", "fit", "--kind", "isotonic", "--reason", "月次")
    assert fitted.code == 0
    assert f"sanbo calibration use {FITTED.version}" in fitted.err
    versions = sanbo("calibration", "show", "--json").json["versions"]
    assert [each["in_use"] for each in versions] == [True, False]
    assert f"{FITTED.version}+isotonic-" in sanbo("calibration", "show").out
    back = sanbo("calibration", "use", FITTED.version, "--json").json
    assert back["version"] == FITTED.version
