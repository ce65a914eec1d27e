"""A plan gives the same wherever its blocks compute."""

import asyncio
import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sanbo.kernel.settings import load_settings
from sanbo.plans.workflow import Plans
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from tests.unit.plans.executors.blocks import write_blocks
from tests.unit.plans.executors.small_cluster import name_of, small_cluster

RunPlan = Callable[[Mapping[str, Any], str], Any]
CONSTANTS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.text(alphabet="aあ$🙂", max_size=3)
)


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """Blocks that hand on values of earlier ones, some of them skipped, some for each item."""
    nodes: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 6))):
        earlier = [f"${{{node['id']}.{_port(node)}}}" for node in nodes]
        values = st.one_of(CONSTANTS, st.sampled_from(earlier)) if earlier else CONSTANTS
        value = draw(st.one_of(values, st.lists(values, max_size=3)))
        node: dict[str, Any] = {"id": f"n{number}", "block": "try.echo", "in": {"value": value}}
        if draw(st.integers(0, 3)) == 0:
            node = _loop(f"n{number}", draw(st.lists(values, max_size=4)))
        elif draw(st.integers(0, 3)) == 0:
            node["when"] = {"left": 1, "op": "eq", "right": draw(st.integers(0, 1))}
        nodes.append(node)
    return {"apiVersion": "v1", "id": "same", "version": "1.0.0", "graph": nodes}


def _port(node: Mapping[str, Any]) -> str:
    return "value" if "block" in node else "each"


def _loop(name: str, items: list[Any]) -> dict[str, Any]:
    one = {"id": "one", "block": "try.echo", "in": {"value": ["${vars.item}"]}}
    return {
        "id": name,
        "type": "loop",
        "foreach": {"input": items, "itemVar": "item", "max_concurrency": 2},
        "body": {"plan": {"graph": [one], "exports": [{"from": "one.value", "as": "each"}]}},
        "out": {"collect": ["each"]},
    }


def expected(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What each node hands on, one after the other, without an engine."""
    known: dict[str, Any] = {}

    def meant(value: Any) -> Any:
        if isinstance(value, list):
            return [meant(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        is_reference = isinstance(value, str) and value.startswith("${")
        return known[value[2:].partition(".")[0]] if is_reference else value

    for node in plan["graph"]:
        if "foreach" in node:
            known[node["id"]] = [[item] for item in meant(node["foreach"]["input"])]
        elif node.get("when", {}).get("right", 1) == 1:
            known[node["id"]] = meant(node["in"]["value"])
        else:
            known[node["id"]] = None
    return known


@contextmanager
def running(workspace: Path) -> Generator[RunPlan]:
    """One workbench, and so one set of processes, for all examples."""
    given = {"SANBO_LLM__PROVIDER": "rules", "SANBO_PLANS__MAX_WORKERS": "2"}
    with asyncio.Runner() as runner:
        opened = open_workbench(load_settings(workspace, given), (Plans(),))
        bench = runner.run(opened.__aenter__())

        async def run(plan: Mapping[str, Any], executor: str) -> Any:
            source: Any = {"plan": {"text": json.dumps(plan, ensure_ascii=False)}}
            begun = await bench.start(LOCAL, "plan", {"source": source, "executor": executor})
            ended = await bench.wait(LOCAL, begun.run_id)
            assert ended.status is Status.SUCCEEDED, ended.problem
            return (ended.result or {})["nodes"]

        yield lambda plan, executor: runner.run(run(plan, executor))
        runner.run(opened.__aexit__(None, None, None))


@pytest.fixture(scope="module")
def run_plan(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunPlan]:
    with running(write_blocks(tmp_path_factory.mktemp("same") / "workspace")) as run:
        yield run


@pytest.fixture(scope="module")
def cluster() -> Generator[str]:
    with small_cluster(2) as made:
        yield name_of(made)


@pytest.mark.parametrize("executor", ["threads", "processes", "dask"])
@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(plan=plans())
def test_plan_gives_what_its_nodes_give_one_after_the_other(
    run_plan: RunPlan, cluster: str, executor: str, plan: dict[str, Any]
) -> None:
    nodes: Any = run_plan(plan, cluster if executor == "dask" else executor)
    wanted = expected(plan)
    for node in plan["graph"]:
        outputs: Any = nodes[node["id"]]["outputs"]
        value = None if outputs is None else outputs[_port(node)]
        assert value == wanted[node["id"]]
