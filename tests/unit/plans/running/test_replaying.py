"""Replaying from a node: what does not depend on it stands, and no model is paid twice."""

from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.workflows.planning import answer, exports, on_bench, plan, run, settings_of, worked

PLAN = plan(
    """
  - {id: a, block: test.work, in: {value: 1, trace: "${vars.trace}"}}
  - {id: b, block: test.work, in: {value: "${a.value}", trace: "${vars.trace}"}}
  - {id: side, block: test.work, in: {value: 9, seconds: 0.1, trace: "${vars.trace}"}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: "${side.value}番"}}
  - id: each
    type: loop
    foreach: {input: [1, 2], itemVar: x}
    body:
      plan:
        graph:
          - {id: p, block: test.work, in: {value: "${x}", trace: "${vars.trace}"}}
          - {id: q, block: test.work, in: {value: "${p.value}${b.value}", trace: "${vars.trace}"}}
        exports: [{from: q.value, as: y}]
    out: {collect: y}
  - id: sub
    type: subflow
    call: {plan_id: part, inputs: {trace: "${vars.trace}"}}
  - {id: last, block: test.work, in: {value: "${each.y}", trace: "${vars.trace}"}}
""",
    top="vars: {trace: ''}\nexports: [{from: last.value, as: out}, {from: ask.approved, as: ok}]",
)
PART = plan(
    """
  - {id: s, block: test.work, in: {value: 1, trace: "${vars.trace}"}}
  - {id: t, block: test.work, in: {value: "${s.value}", trace: "${vars.trace}"}}
""",
    top="vars: {trace: ''}\nexports: [{from: t.value, as: t}]",
    plan_id="part",
)

DOWN = {
    ("a",): ["a", "b", "each/#0/p", "each/#0/q", "each/#1/p", "each/#1/q", "last"],
    ("b",): ["b", "each/#0/p", "each/#0/q", "each/#1/p", "each/#1/q", "last"],
    ("last",): ["last"],
    ("each",): ["each/#0/p", "each/#0/q", "each/#1/p", "each/#1/q", "last"],
    ("each", "#1"): ["each/#1/p", "each/#1/q", "last"],
    ("each", "#0", "q"): ["each/#0/q", "last"],
    ("sub",): ["sub/s", "sub/t"],
    ("sub", "t"): ["sub/t"],
}


def test_a_replay_does_again_what_depends_on_the_node_and_nothing_else(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    async def work(bench: Workbench) -> None:
        variables: Any = {"trace": str(trace)}
        waiting = await run(bench, PLAN, called={"part": PART}, vars=variables)
        first = await answer(bench, waiting, {"approved": True})
        assert exports(first) == {"out": ["11", "21"], "ok": True}
        for step, again in DOWN.items():
            trace.unlink()
            replay = await bench.replay(LOCAL, first.run_id, step)
            ended = await bench.wait(LOCAL, replay.run_id)
            assert ended.status is Status.SUCCEEDED, ended.problem
            assert exports(ended) == exports(first)
            assert sorted(worked(trace)) == again, step
        trace.unlink()
        replay = await bench.replay(LOCAL, first.run_id, ("side",))
        asking = await bench.wait(LOCAL, replay.run_id)
        assert asking.status is Status.WAITING
        assert worked(trace) == ["side"]
        assert exports(await answer(bench, asking, {"approved": False})) == {
            "out": ["11", "21"],
            "ok": False,
        }
        for unknown in (("nowhere",), ("each", "q"), ("sub", "x")):
            with pytest.raises(NotFound):
                await bench.replay(LOCAL, first.run_id, unknown)

    on_bench(settings_of(tmp_path), work)


def test_a_failed_run_is_run_again_from_the_node_that_failed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = plan(f"""
  - {{id: a, block: test.work, in: {{value: 1, trace: "{trace}"}}}}
  - {{id: bad, block: test.work, in: {{value: "${{a.value}}", fails_first: 1, trace: "{trace}"}}}}
  - {{id: slow, block: test.work, in: {{value: 1, seconds: 0.3, trace: "{trace}"}}}}
""")

    async def work(bench: Workbench) -> Run:
        failed = await run(bench, text)
        assert failed.problem is not None
        step = tuple(str(failed.problem.details["node_id"]).split("/"))
        replay = await bench.replay(LOCAL, failed.run_id, step)
        return await bench.wait(LOCAL, replay.run_id)

    ended = on_bench(settings_of(tmp_path), work)
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert worked(trace).count("a") == 1
    assert worked(trace).count("slow") == 2


def test_inside_what_was_given_up_a_replay_works_again(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    part = plan(
        f"""
  - {{id: bad, block: test.work, in: {{fails_first: 1, value: 7, trace: "{trace}"}}}}
  - {{id: ask, block: ui.interactive_input, in: {{mode: confirm, message: 可}}}}
""",
        plan_id="part",
        top="exports: [{from: bad.value, as: value}]",
    )
    text = plan(
        "  - {id: sub, type: subflow, call: {plan_id: part}, policy: {on_error: continue}}",
        top="exports: [{from: sub.value, as: value}]",
    )

    async def work(bench: Workbench) -> None:
        given_up = await run(bench, text, called={"part": part})
        assert exports(given_up) == {"value": None}
        copy = await bench.replay(LOCAL, given_up.run_id, ("sub", "bad"))
        asked = await bench.wait(LOCAL, copy.run_id)
        assert exports(await answer(bench, asked, {"approved": True})) == {"value": 7}

    on_bench(settings_of(tmp_path), work)
    assert worked(trace) == ["sub/bad", "sub/bad"]
