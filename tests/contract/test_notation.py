"""The notation of plans in circulation: every rule of it with a plan that relies on it."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from sanbo.kernel.messages import read_yaml
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.progress import files_given_out
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import exports, statuses

CASES = cast(
    "list[dict[str, Any]]",
    read_yaml(Path(__file__).parent / "notation.yaml"),
)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["rule"]) for case in CASES])
def test_the_notation_means_what_it_says(case: dict[str, Any], tmp_path: Path) -> None:
    designs = tmp_path / "designs"
    designs.mkdir()
    plan = {"id": "p", "version": "1.0.0", **case["plan"]}
    for name, called in {"p.yaml": plan, **case.get("called", {})}.items():
        (designs / name).write_text(
            yaml.safe_dump(called, allow_unicode=True, sort_keys=False), "utf-8"
        )
    environment = {"SANBO_LLM__PROVIDER": "rules"}
    if allowed := case.get("env"):
        environment["SANBO_PLANS__ENV"] = str(allowed).replace("'", '"')
    settings = load_settings(tmp_path, environment)

    async def work() -> Run:
        async with open_workbench(settings) as bench:
            return await asyncio.wait_for(_run(bench), PATIENCE_SECONDS)

    if refused := case.get("refused"):
        with pytest.raises(InvalidInput) as problem:
            asyncio.run(work())
        findings = cast("list[dict[str, Any]]", problem.value.problem.details["findings"])
        assert refused in [each["code"] for each in findings]
        return
    run = asyncio.run(work())
    if fails := case.get("fails"):
        assert run.problem is not None
        assert run.problem.text_id == fails
        return
    assert run.status is Status.SUCCEEDED, run.problem
    if files := case.get("files"):
        assert [made.name for made in files_given_out(run)] == files
        return
    assert exports(run) == case["exports"]
    ended = statuses(run)
    assert [name for name in ended if ended[name] == "skipped"] == case.get("skipped", [])
    assert [name for name in ended if ended[name] == "failed"] == case.get("failed", [])
    for name, told in case.get("warned", {}).items():
        (step,) = (step for step in run.steps if step.path == (name,))
        assert {each.text_id for each in step.warnings} == set(told)


async def _run(bench: Workbench) -> Run:
    begun = await bench.start(LOCAL, "plan", {"plan_id": "p"})
    return await bench.wait(LOCAL, begun.run_id)
