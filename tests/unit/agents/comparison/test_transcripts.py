"""Comparisons as a reader in a model's place has decided them: played again."""

import json
from pathlib import Path

import pytest
from benchmarks.comparison.reworded import cases_of, pairs_told

from sanbo.agents.comparison.model import ComparisonResult
from tests.scripted_model import ScriptedModel, Text
from tests.unit.agents.comparison.comparing import compared_files, result_of, with_model

FOLDER = Path(__file__).parents[4] / "benchmarks/comparison/reworded_second"
REPLIES: dict[str, list[str]] = json.loads((FOLDER / "replies.json").read_text("utf-8"))
SIDES = ("old", "new")
CASES = {case.name: case for case in cases_of(FOLDER)}


@pytest.mark.parametrize("name", sorted(REPLIES))
def test_a_kept_comparison_comes_to_the_same_end(name: str, tmp_path: Path) -> None:
    old, new = ({f"{side}.md": (FOLDER / name / f"{side}.md").read_bytes()} for side in SIDES)
    with ScriptedModel() as model:
        model.replies(*map(Text, REPLIES[name]))
        run = compared_files(with_model(tmp_path, model), old, new)
        assert len(model.requests) == len(REPLIES[name])
    changes = ComparisonResult.model_validate(result_of(run)).changes
    assert pairs_told(CASES[name], changes) == CASES[name].truth
