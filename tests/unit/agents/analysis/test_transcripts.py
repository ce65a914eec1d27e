"""Tasks as a model, or a reader in its place, has answered them: played again."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.analysis.judging import Question, judge

from sanbo.agents.analysis.results import AnalysisResult
from sanbo.runs.model import Run
from sanbo.service.workbench import Workbench
from tests.scripted_model import ScriptedModel, Text
from tests.unit.agents.analysis.conversation import ask, give, on_bench, result_of, with_model

ROOT = Path(__file__).parents[4]
KEPT = sorted((ROOT / "benchmarks/analysis/transcripts").glob("*.task.json"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name.removesuffix(".task.json"))
def test_a_kept_task_comes_to_the_same_end(path: Path, tmp_path: Path) -> None:
    kept: dict[str, Any] = json.loads(path.read_text("utf-8"))
    question = Question.model_validate(kept["question"])
    table = ROOT / question.table
    with ScriptedModel() as model:

        async def work(bench: Workbench) -> Run:
            run: Run | None = None
            file = await give(bench, table.read_bytes(), table.name)
            for asked in (*question.before, question.ask):
                run = await ask(bench, asked, file, after=run)
            assert run is not None
            return run

        model.replies(*(Text(reply) for reply in kept["replies"]))
        run = on_bench(with_model(tmp_path, model), work)
        assert len(model.requests) == kept["task"]["calls"]
    verdict = judge(question, AnalysisResult.model_validate(result_of(run)))
    assert verdict.outcome == kept["task"]["outcome"], verdict.reason
