"""What is ready starts, as many at once as allowed; nothing waits for what it does not need."""

import json
from pathlib import Path

import pytest

from sanbo.kernel.problems import InvalidInput, SanboError
from sanbo.runs.model import NodeComplete, NodeStart, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.workflows.planning import (
    events,
    exports,
    on_bench,
    outputs,
    plan,
    run,
    settings_of,
    statuses,
    worked,
)

BRANCHES = plan("""
  - {id: a, block: test.work, in: {value: 1, seconds: 0.05}}
  - {id: b, block: test.work, in: {value: "${a.value}", seconds: 0.3}}
  - {id: c, block: test.work, in: {value: 2, seconds: 0.3}}
  - {id: d, block: test.work, in: {value: "${c.value}", seconds: 0.05}}
""")


def test_branches_do_not_wait_for_each_other(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        ended = await run(bench, BRANCHES)
        assert ended.status is Status.SUCCEEDED, ended.problem
        order = [
            (event.payload.event, event.path[0])
            for event in await events(bench, ended)
            if isinstance(event.payload, NodeStart | NodeComplete)
        ]
        assert order.index(("node_start", "b")) < order.index(("node_complete", "c"))
        assert order.index(("node_start", "d")) < order.index(("node_complete", "b"))

    on_bench(settings_of(tmp_path), work)


def _most_at_once(trace: Path) -> int:
    now = most = 0
    for line in trace.read_text("utf-8").splitlines():
        now += 1 if json.loads(line)["what"] == "begin" else -1
        most = max(most, now)
    return most


def test_no_more_nodes_work_at_once_than_the_policy_allows(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    nodes = "\n".join(
        f'  - {{id: n{n}, block: test.work, in: {{value: {n}, seconds: 0.05, trace: "{trace}"}}}}'
        for n in range(8)
    )
    text = plan(nodes, top="policy: {concurrency: {default_max_workers: 3}}")
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert ended.status is Status.SUCCEEDED
    assert _most_at_once(trace) == 3
    assert len(worked(trace)) == 8


@pytest.mark.parametrize(
    ("loop", "policy", "most"),
    [
        ("max_concurrency: 2", "{}", 2),
        ("indexVar: n", "{}", 4),
        ("indexVar: n", "{concurrency: {per_node: {each: 3}}}", 3),
        ("max_concurrency: 6", "{concurrency: {per_node: {each: 3}}}", 3),
        ("max_concurrency: 6", "{concurrency: {default_max_workers: 2}}", 6),
        ("max_concurrency: 6", "{concurrency: {per_node: {w: 2}}}", 2),
    ],
)
def test_a_loop_repeats_as_many_at_once_as_it_and_the_policy_allow(
    tmp_path: Path, loop: str, policy: str, most: int
) -> None:
    trace = tmp_path / "trace"
    text = plan(
        f"""
  - id: each
    type: loop
    foreach: {{input: [1, 2, 3, 4, 5, 6], itemVar: x, {loop}}}
    body:
      plan:
        graph:
          - {{id: w, block: test.work, in: {{value: "${{x}}", seconds: 0.3, trace: "{trace}"}}}}
        exports: [{{from: w.value, as: y}}]
    out: {{collect: y}}
""",
        top=f"policy: {policy}",
    )
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert outputs(ended, "each")["y"] == [1, 2, 3, 4, 5, 6]
    assert _most_at_once(trace) == most


def test_a_node_whose_condition_is_false_is_skipped_and_its_outputs_are_null(
    tmp_path: Path,
) -> None:
    text = plan(
        """
  - {id: a, block: test.add, in: {a: 1}}
  - {id: b, block: test.add, in: {a: 1}, when: {expr: "${a.sum} > 100"}}
  - {id: c, block: test.work, in: {value: "${b.sum}"}}
  - {id: d, block: test.add, in: {a: 5}, when: {left: "${a.sum}", op: eq, right: 2}}
  - {id: e, block: test.work, in: {value: 7}, after: [b]}
""",
        top="exports: [{from: c.value, as: c}, {from: d.sum, as: d}, {from: b.sum, as: b}]",
    )
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert exports(ended) == {"c": None, "d": 6.0, "b": None}
    assert statuses(ended)["b"] == "skipped"
    assert outputs(ended, "b") is None
    [step] = [step for step in ended.steps if step.path == ("b",)]
    assert (step.status, step.reason) == ("skipped", "when_condition_false")


def test_variables_are_given_by_name_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    text = plan(
        '  - {id: a, block: test.add, in: {a: "${vars.n}", b: "${vars.twice}"}}',
        top='vars: {n: 1, twice: "${vars.n}"}',
    )

    async def work(bench: Workbench) -> None:
        assert outputs(await run(bench, text), "a") == {"sum": 2.0}
        assert outputs(await run(bench, text, vars={"n": 5}), "a") == {"sum": 10.0}
        with pytest.raises(InvalidInput) as refused:
            await run(bench, text, vars={"m": 5})
        assert refused.value.problem.text_id == "plan_variable_unknown"

    on_bench(settings_of(tmp_path), work)


def test_a_plan_that_is_not_valid_is_refused_before_a_run_exists(tmp_path: Path) -> None:
    text = plan('  - {id: a, block: test.add, in: {a: "${b.sum}"}}')

    async def work(bench: Workbench) -> None:
        with pytest.raises(InvalidInput) as refused:
            await run(bench, text)
        problem = refused.value.problem
        assert problem.text_id == "plan_invalid"
        assert problem.details["findings"]
        for empty in ({}, {"plan_id": "nowhere"}):
            with pytest.raises(SanboError):
                await bench.start(LOCAL, "plan", dict(empty))
        assert await bench.list(LOCAL) == []

    on_bench(settings_of(tmp_path), work)


def test_a_plan_is_run_by_its_id_as_it_was_when_the_run_began(tmp_path: Path) -> None:
    folder = tmp_path / "designs" / "office"
    folder.mkdir(parents=True)
    (folder / "daily.yaml").write_text(
        plan("  - {id: s, type: subflow, call: {plan_id: office/part, inputs: {n: 4}}}"), "utf-8"
    )
    part = plan(
        '  - {id: a, block: test.add, in: {a: "${vars.n}"}}',
        top="vars: {n: 0}\nexports: [{from: a.sum, as: sum}]",
        plan_id="part",
    )
    (folder / "part.yaml").write_text(part, "utf-8")

    async def work(bench: Workbench) -> None:
        begun = await bench.start(LOCAL, "plan", {"plan_id": "office/daily"})
        ended = await bench.wait(LOCAL, begun.run_id)
        assert outputs(ended, "s") == {"sum": 5.0}
        assert ended.input["blocks"] == {"test.add": "test.add@1.0.0"}

    on_bench(settings_of(tmp_path), work)
