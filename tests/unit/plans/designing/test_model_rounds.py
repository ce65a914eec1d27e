"""With a model: an outline, then rounds of writing and checking, each in the journal."""

import asyncio
from pathlib import Path
from typing import Any

from sanbo.plans.designing.workflow import DesignResult, Designs
from sanbo.runs.model import NodeComplete, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import Json, ScriptedModel

OUTLINE: dict[str, Any] = {
    "title": "大口の抽出",
    "steps": [
        {"id": "", "title": "抽出", "block": "transforms.filter", "who": "", "files": [],
         "gives": "", "says": ""},
    ],
    "open_points": ["金額の基準"],
}  # fmt: skip
GOOD = """\
apiVersion: v1
id: large
version: 1.0.0
graph:
  - id: collect
    block: ui.interactive_input
    in:
      mode: collect
      requirements: [{id: sales, type: file, label: 売上, accept: .csv}]
  - id: read
    block: file.read_csv
    in: {bytes: "${collect.collected_data.sales}"}
  - id: large
    block: transforms.filter
    in:
      items: ${read.rows}
      conditions: [{field: 金額, operator: gte, value: 1000}]
exports:
  - {from: large.filtered, as: rows}
"""
ONE_ERROR = GOOD.replace("${read.rows}", "${reads.rows}")
THREE_ERRORS = (
    ONE_ERROR.replace("transforms.filter", "transforms.filters")
    .replace("large.filtered, as", "large.kept, as")
    .replace("mode: collect", "mode: gather")
)


def designed(workspace: Path, model: ScriptedModel, **more: Any) -> tuple[Run, list[Any]]:
    settings = load_settings(workspace, {}).model_copy(
        update={"llm": model.settings(max_attempts=1)}
    )

    async def work() -> tuple[Run, list[Any]]:
        async with open_workbench(settings, (Designs(),)) as bench:
            given = {"question": "売上CSVから1,000円以上の行を抜き出す", **more}
            run = await bench.start(LOCAL, "design", given, language="ja")
            run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
            events = await bench.events(LOCAL, run.run_id)
            return run, events

    return asyncio.run(work())


def test_three_errors_are_repaired_in_two_rounds(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        model.replies(
            Json(OUTLINE), Json({"yaml": THREE_ERRORS}), Json({"yaml": ONE_ERROR}),
            Json({"yaml": GOOD}),
        )  # fmt: skip
        run, events = designed(tmp_path, model)
    assert run.status is Status.SUCCEEDED, run.problem
    made = DesignResult.model_validate(run.result)
    assert made.rounds == 3
    assert made.is_dry_run
    assert made.text == GOOD
    assert made.outline.open_points == ("金額の基準",)
    ends = [one for one in events if isinstance(one.payload, NodeComplete)]
    assert [one.path[-1] for one in ends] == ["outline", "round-1", "round-2", "round-3"]
    errors = [
        sum(each["severity"] == "error" for each in one.payload.outputs["findings"])
        for one in ends[1:]
    ]
    assert errors == [3, 1, 0]
    assert all(one.payload.calls for one in ends), "each round has its cost"
    told = model.requests[2].prompt
    assert "transforms.filters" in told
    assert "unknown_block" in told


def test_the_best_attempt_is_kept_when_rounds_run_out(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        model.replies(
            Json(OUTLINE), Json({"yaml": THREE_ERRORS}), Json({"yaml": ONE_ERROR}),
            Json({"yaml": THREE_ERRORS}), Json({"yaml": THREE_ERRORS}),
        )  # fmt: skip
        run, _ = designed(tmp_path, model)
    made = DesignResult.model_validate(run.result)
    assert made.rounds == 4
    assert made.text == ONE_ERROR
    assert not made.is_valid
    assert [each.code for each in made.findings if each.severity == "error"]


def test_a_changed_outline_is_followed_and_not_made_again(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        model.replies(Json({"yaml": GOOD}))
        run, _ = designed(tmp_path, model, outline={**OUTLINE, "title": "直した概要"})
    made = DesignResult.model_validate(run.result)
    assert made.outline.title == "直した概要"
    assert "直した概要" in model.requests[0].prompt


def test_a_plan_is_changed_and_what_differs_is_told(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        model.replies(Json({"yaml": GOOD.replace("value: 1000", "value: 5000")}))
        run, _ = designed(tmp_path, model, plan_text=GOOD)
    made = DesignResult.model_validate(run.result)
    assert made.plan_id == "large"
    assert len(made.changes) == 1
    assert "5000" in made.changes[0]
    assert "plan_to_change" in model.requests[0].prompt
