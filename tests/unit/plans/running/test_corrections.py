"""A run goes on with a corrected plan: unchanged nodes stand, changed ones and readers do not."""

import asyncio
import json
from collections.abc import Generator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.kernel.problems import Conflict, InvalidInput
from sanbo.plans.workflow import Plans
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.runs.parts import Progress
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from tests.examples import examples
from tests.patience import PATIENCE_SECONDS
from tests.workflows import planning
from tests.workflows.planning import answer, exports, on_bench, plan, run, settings_of, worked


def _corrected(text: str, **called: str) -> JsonObject:
    return {"source": planning.given(text, called)["source"]}


async def _ended(bench: Workbench, now: Run) -> Run:
    return await bench.wait(LOCAL, now.run_id)


def _chain(trace: Path, *, fails: bool, factor: int = 2, title: str = "") -> str:
    return plan(
        f"""
  - {{id: a, block: test.work, title: "{title}", in: {{value: 1, trace: "{trace}"}}}}
  - {{id: ask, block: ui.interactive_input, in: {{mode: confirm, message: 可}}, after: [a]}}
  - id: b
    block: test.work
    in: {{value: "${{a.value}}", fail: {str(fails).lower()}, trace: "{trace}"}}
    after: [ask]
  - {{id: c, block: test.add, in: {{a: "${{b.value}}", b: "${{vars.factor}}"}}}}
  - {{id: side, block: test.work, in: {{value: "${{vars.other}}", trace: "{trace}"}}}}
""",
        top=f"vars: {{factor: {factor}, other: 5}}\n"
        "exports: [{from: c.sum, as: sum}, {from: side.value, as: side}]",
    )


def test_a_failed_run_goes_on_with_the_corrected_plan_and_says_by_which_each_node_was_done(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"

    async def work(bench: Workbench) -> None:
        failed = await answer(
            bench, await run(bench, _chain(trace, fails=True)), {"approved": True}
        )
        assert failed.status is Status.FAILED
        change = _corrected(_chain(trace, fails=False, title="名前"))
        found = await bench.correction(LOCAL, failed.run_id, change)
        assert found is not None
        assert (sorted(found.kept), found.again) == (["a", "ask", "side"], ())
        ended = await _ended(bench, await bench.resume(LOCAL, failed.run_id, change))
        assert exports(ended) == {"sum": 3, "side": 5}
        assert worked(trace) == ["a", "side", "b", "b"] or worked(trace) == ["side", "a", "b", "b"]
        assert ended.replay_of is not None
        assert ended.replay_of.run_id == failed.run_id
        editions = {step.key: step.edition for step in ended.steps if len(step.path) == 1}
        before, after = failed.edition, ended.edition
        assert before != after
        assert before.startswith("test@1.0.0#")
        assert editions == {"a": before, "ask": before, "side": before, "b": after, "c": after}
        parts = await bench.parts(LOCAL, ended.run_id, "ja")
        [progress] = [part for part in parts if isinstance(part, Progress)]
        told = {step.id: step.detail for step in progress.steps}
        assert before in told["a"]
        assert "#" not in told["b"]
        with pytest.raises(Conflict):  # it has come to its end
            await bench.resume(LOCAL, ended.run_id, _corrected(_chain(trace, fails=True)))
        # Done again from a node, with another value of a variable that only `c` reads.
        change = _corrected(_chain(trace, fails=False, factor=10))
        again = await _ended(bench, await bench.replay(LOCAL, ended.run_id, ("c",), change))
        assert exports(again) == {"sum": 11, "side": 5}
        assert len(worked(trace)) == 4
        editions = {step.key: step.edition for step in again.steps if len(step.path) == 1}
        assert (editions["a"], editions["b"], editions["c"]) == (before, after, again.edition)

    on_bench(settings_of(tmp_path), work)


def test_a_waiting_run_is_put_aside_for_its_correction_unless_that_is_no_plan(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"

    async def work(bench: Workbench) -> None:
        waiting = await run(bench, _chain(trace, fails=True))
        with pytest.raises(InvalidInput):
            await bench.resume(LOCAL, waiting.run_id, _corrected("id: x"))
        assert (await bench.get(LOCAL, waiting.run_id)).status is Status.WAITING
        change = _corrected(_chain(trace, fails=False))
        now = await _ended(bench, await bench.resume(LOCAL, waiting.run_id, change))
        assert (await bench.get(LOCAL, waiting.run_id)).status is Status.CANCELLED
        assert exports(await answer(bench, now, {"approved": True})) == {"sum": 3, "side": 5}
        assert sorted(worked(trace)) == ["a", "b", "side"]

    on_bench(settings_of(tmp_path), work)


LOOP = """
  - id: each
    type: loop
    foreach: {{input: [1, 2], itemVar: n, max_concurrency: 1}}
    body:
      plan:
        graph:
          - {{id: dear, block: test.work, in: {{value: "${{n}}", trace: "{trace}"}}}}
          - {{id: cheap, block: test.add, in: {{a: "${{dear.value}}", b: {add}}}}}
        exports: [{{from: cheap.sum, as: sum}}]
    out: {{collect: sum}}
  - {{id: sub, type: subflow, call: {{plan_id: part}}}}
"""


def test_inside_a_loop_and_a_called_plan_only_what_has_changed_is_done_again(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"
    top = "exports: [{from: each.sum, as: sums}, {from: sub.v, as: v}]"

    def loop(add: int) -> str:
        return plan(LOOP.format(trace=trace, add=add), top=top)

    def part(value: int) -> str:
        nodes = f"""
  - {{id: one, block: test.work, in: {{value: 7, trace: "{trace}"}}}}
  - {{id: two, block: test.add, in: {{a: "${{one.value}}", b: {value}}}}}
"""
        return plan(nodes, plan_id="part", top="exports: [{from: two.sum, as: v}]")

    async def work(bench: Workbench) -> None:
        ended = await run(bench, loop(1), called={"part": part(1)})
        assert exports(ended) == {"sums": [2, 3], "v": 8}
        before = worked(trace)
        change = _corrected(loop(10), part=part(20))
        again = await _ended(bench, await bench.replay(LOCAL, ended.run_id, (), change))
        assert exports(again) == {"sums": [11, 12], "v": 27}
        assert worked(trace) == before

    on_bench(settings_of(tmp_path), work)


# ---- any plan, any correction --------------------------------------------------------------------

Nodes = list[dict[str, Any]]


@st.composite
def corrections(draw: st.DrawFn) -> tuple[Nodes, Nodes]:
    """A plan's nodes before and after: some have another number, or read another node."""
    before: Nodes = []
    after: Nodes = []
    for number in range(draw(st.integers(2, 7))):
        names = ["1", *(f"${{n{earlier}.sum}}" for earlier in range(number))]
        node = {"a": draw(st.sampled_from(names)), "b": draw(st.integers(0, 3))}
        before.append(node)
        changed = {"a": draw(st.sampled_from([node["a"], *names])), "b": draw(st.integers(0, 3))}
        after.append(changed if draw(st.integers(0, 3)) == 0 else node)
    return before, after


def _text(nodes: Nodes) -> str:
    graph = [
        {"id": f"n{number}", "block": "test.add", "in": {**node, "a": _number(node["a"])}}
        for number, node in enumerate(nodes)
    ]
    exported = [{"from": f"n{n}.sum", "as": f"x{n}"} for n in range(len(nodes))]
    head = {"apiVersion": "v1", "id": "made", "version": "1.0.0"}
    return json.dumps({**head, "graph": graph, "exports": exported})


def _number(value: str) -> object:
    return int(value) if value.isdigit() else value


def _expected_again(before: Nodes, after: Nodes) -> set[str]:
    again: set[str] = set()
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new or any(f"${{{name}.sum}}" == new["a"] for name in again):
            again.add(f"n{number}")
    return again


@pytest.fixture(scope="module")
def opened(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[tuple[asyncio.Runner, Workbench]]:
    workspace: Path = tmp_path_factory.mktemp("workspace")
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        bench = runner.run(
            stack.enter_async_context(open_workbench(settings_of(workspace), (Plans(),)))
        )
        yield runner, bench
        runner.run(stack.aclose())


@settings(max_examples=examples(40))
@given(made=corrections())
def test_any_corrected_plan_gives_what_it_would_give_anew(
    opened: tuple[asyncio.Runner, Workbench], made: tuple[Nodes, Nodes]
) -> None:
    runner, bench = opened
    before, after = made

    async def work() -> None:
        first = await run(bench, _text(before))
        change = _corrected(_text(after))
        again = await _ended(bench, await bench.replay(LOCAL, first.run_id, (), change))
        assert exports(again) == exports(await run(bench, _text(after)))
        done_again = {step.key for step in again.steps if step.edition == again.edition}
        expected = _expected_again(before, after)
        assert done_again == (expected or {step.key for step in again.steps})

    runner.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
