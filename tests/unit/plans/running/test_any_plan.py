"""Any valid plan gives what a naive runner says it must give."""

import asyncio
from collections.abc import Generator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from sanbo.plans.workflow import Plans
from sanbo.runs.model import Status
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from tests.examples import examples
from tests.unit.plans.running.reference import Made, plans
from tests.workflows.planning import exports, run, settings_of

Opened = tuple[asyncio.Runner, Workbench]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Generator[Opened]:
    """One workbench for all examples."""
    workspace: Path = tmp_path_factory.mktemp("workspace")
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        bench = runner.run(
            stack.enter_async_context(open_workbench(settings_of(workspace), (Plans(),)))
        )
        yield runner, bench
        runner.run(stack.aclose())


@settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(made=plans())
def test_any_plan_gives_what_the_naive_runner_gives(opened: Opened, made: Made) -> None:
    runner, bench = opened
    ended = runner.run(run(bench, made.text, called=made.called))
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert exports(ended) == made.exports
