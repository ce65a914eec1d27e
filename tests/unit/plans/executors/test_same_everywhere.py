"""A plan gives the same wherever its blocks compute."""

import asyncio
from collections.abc import Generator
from contextlib import AsyncExitStack

import pytest
from hypothesis import HealthCheck, given, settings

from sanbo.plans.workflow import Plans
from sanbo.runs.model import Status
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from tests.examples import examples
from tests.unit.plans.executors.small_cluster import name_of, small_cluster
from tests.unit.plans.running.reference import Made, plans
from tests.workflows.planning import exports, run, settings_of

Opened = tuple[asyncio.Runner, Workbench]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Generator[Opened]:
    """One workbench, and so one set of processes, for all examples."""
    workspace = tmp_path_factory.mktemp("same")
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        chosen = settings_of(workspace, SANBO_PLANS__MAX_WORKERS="2")
        bench = runner.run(stack.enter_async_context(open_workbench(chosen, (Plans(),))))
        yield runner, bench
        runner.run(stack.aclose())


@pytest.fixture(scope="module")
def cluster() -> Generator[str]:
    with small_cluster(2) as made:
        yield name_of(made)


@pytest.mark.parametrize(
    "executor", ["processes", pytest.param("dask", marks=pytest.mark.thorough)]
)
@settings(
    max_examples=examples(8),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(made=plans())
def test_any_plan_gives_what_the_naive_runner_gives(
    opened: Opened, cluster: str, executor: str, made: Made
) -> None:
    runner, bench = opened
    place = cluster if executor == "dask" else executor
    ended = runner.run(run(bench, made.text, called=made.called, executor=place))
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert exports(ended) == made.exports
