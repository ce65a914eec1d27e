"""Plans that a reader in a model's place has designed: made, run and judged again."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from benchmarks.plan_generation import STAGES, judge

from sanbo.service.bootstrap import blocking_workbench
from sanbo.settings import load_settings
from tests.scripted_model import Reply, Request, ScriptedModel, Text

KEPT = Path(__file__).parents[4] / "benchmarks/plan_generation/third"
EVERY_DAY = ("04", "13")
"""Documents that the model reads, and a manual."""
CASES = [
    pytest.param(name, marks=() if name in EVERY_DAY else pytest.mark.thorough)
    for name in sorted(each.parent.name for each in KEPT.glob("*/transcript.json"))
]


@pytest.mark.parametrize("name", CASES)
def test_a_kept_design_comes_to_the_same_end(name: str, tmp_path: Path) -> None:
    folder = KEPT / name
    kept: dict[str, Any] = json.loads((folder / "transcript.json").read_text("utf-8"))
    case = {"folder": folder, **yaml.safe_load((folder / "case.yaml").read_text("utf-8"))}
    with ScriptedModel() as model:
        model.replies(*(Text(reply) for reply in kept["design"]))
        model.otherwise(lambda request: _reading(kept["readings"], request))
        settings = load_settings(tmp_path, {}).model_copy(update={"llm": model.settings()})
        with blocking_workbench(settings) as bench:
            judged = judge(bench, settings, case, None)
        assert len(model.requests) == len(kept["design"]) + len(kept["readings"])
    assert (judged.stage == len(STAGES)) == kept["right"], judged.reasons


def _reading(readings: dict[str, str], request: Request) -> Reply:
    """Documents are read side by side: each by its name."""
    (reply,) = [reply for file, reply in readings.items() if f'"{file}"' in request.prompt]
    return Text(reply)


def test_a_model_sees_a_document_and_the_values_of_a_column(tmp_path: Path) -> None:
    """Labels of a paper and the words of a state are not to be guessed."""
    with ScriptedModel() as model:
        model.otherwise(Text("{}"))
        settings = load_settings(tmp_path, {}).model_copy(update={"llm": model.settings()})
        with blocking_workbench(settings) as bench:
            for name in ("06", "12"):
                folder = KEPT / name
                case = {
                    "folder": folder,
                    **yaml.safe_load((folder / "case.yaml").read_text("utf-8")),
                }
                judge(bench, settings, case, None)
        prompts = [request.prompt for request in model.requests]
    assert any("取引先：株式会社青葉商事" in prompt for prompt in prompts)
    assert any('"差戻し"' in prompt for prompt in prompts)
