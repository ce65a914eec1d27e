"""Loops and subflows: what they give, in each other, and what is left of them in memory."""

from pathlib import Path
from typing import Any

from sanbo.plans.running.outcomes import STORED
from sanbo.runs.fold import RunFold
from sanbo.runs.model import Status
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
)

FORMS = plan(
    """
  - id: bare
    type: loop
    foreach: {input: [{n: 1}, {n: 2}], itemVar: row, indexVar: i}
    body:
      plan:
        graph:
          - {id: w, block: test.work, in: {value: "${row.n}:${vars.row.n}:${i}"}, out: {value: v}}
          - {id: no, block: test.work, in: {value: 1}, when: {expr: "false"}}
  - id: empty
    type: loop
    foreach: {input: [], itemVar: x}
    body: {plan: {graph: [{id: w, block: test.work, in: {value: 1}}]}}
  - id: nested
    type: loop
    foreach: {input: [[1, 2], [3]], itemVar: list, max_concurrency: 2}
    body:
      plan:
        vars: {ten: 10}
        graph:
          - id: inner
            type: loop
            foreach: {input: "${list}", itemVar: x}
            body:
              plan:
                graph: [{id: a, block: test.add, in: {a: "${x}", b: "${vars.ten}"}}]
                exports: [{from: a.sum, as: s}]
            out: {collect: s}
        exports: [{from: inner.s, as: sums}]
    out: {collect: sums}
  - id: calls
    type: loop
    foreach: {input: [1, 2], itemVar: x}
    body: {call: {plan_id: part, inputs: {n: "${x}"}}}
    out: {collect: sum}
  - id: sub
    type: subflow
    call: {plan_id: part, inputs: {n: 5}}
    out: {exports: [{from: sum, as: total}]}
  - id: carried
    type: loop
    while: {condition: {expr: "${a.sum} == null || ${a.sum} < 30"}, max_iterations: 9}
    body:
      plan:
        vars: {total: 0}
        graph: [{id: a, block: test.add, in: {a: "${vars.total}", b: 10}}]
        exports: [{from: a.sum, as: total}]
  - id: never
    type: loop
    while: {condition: {expr: "${vars.n} > 100"}, max_iterations: 2}
    body:
      plan:
        graph: [{id: w, block: test.work, in: {value: 1}}]
        exports: [{from: w.value, as: v}]
  - id: gives_up
    type: loop
    while: {condition: {expr: "true"}, max_iterations: 2, on_exhausted: continue, indexVar: i}
    body:
      plan:
        graph: [{id: w, block: test.work, in: {value: "${i}"}}]
        exports: [{from: w.value, as: v}]
""",
    top="vars: {n: 1}",
)
PART = plan(
    '  - {id: a, block: test.add, in: {a: "${vars.n}", b: "${vars.m}"}}',
    top="vars: {n: 0, m: 100}\nexports: [{from: a.sum, as: sum}]",
    plan_id="part",
)


def test_every_kind_of_loop_and_a_subflow_give_what_they_promise(tmp_path: Path) -> None:
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, FORMS, called={"part": PART}))
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert outputs(ended, "bare") == {
        "results": [
            {"v": "1:1:0"},
            {"v": "2:2:1"},
        ],
        "iterations": 2,
    }
    assert outputs(ended, "empty") == {"results": [], "iterations": 0}
    assert outputs(ended, "nested")["sums"] == [[11.0, 12.0], [13.0]]
    assert outputs(ended, "calls")["sum"] == [101.0, 102.0]
    assert outputs(ended, "sub") == {"sum": 105.0, "total": 105.0}
    assert outputs(ended, "carried") == {"total": 30.0, "iterations": 3, "completed": True}
    assert outputs(ended, "never") == {"v": None, "iterations": 0, "completed": True}
    assert outputs(ended, "gives_up") == {"v": 1, "iterations": 2, "completed": False}
    steps = {step.path: step for step in ended.steps}
    assert (steps["bare",].iterations, steps["bare",].of) == (2, 2)


def test_a_failure_inside_says_where_and_a_loop_over_nothing_is_skipped(tmp_path: Path) -> None:
    text = plan("""
  - id: each
    type: loop
    foreach: {input: [1, 2], itemVar: x, max_concurrency: 1}
    body:
      plan:
        graph:
          - {id: sub, type: subflow, call: {plan_id: bad, inputs: {n: "${x}"}}}
""")
    bad = plan(
        '  - {id: w, block: test.work, in: {value: "${vars.n}", fail: true}}',
        top="vars: {n: 0}",
        plan_id="bad",
    )
    nothing = plan("""
  - {id: none, block: test.work, in: {value: 1}, when: {expr: "false"}}
  - id: each
    type: loop
    foreach: {input: "${none.value}", itemVar: x}
    body: {plan: {graph: [{id: w, block: test.work, in: {value: 1}}]}}
""")

    async def work(bench: Workbench) -> None:
        failed = await run(bench, text, called={"bad": bad})
        assert failed.problem is not None
        assert failed.problem.details["node_id"] == "each/#0/sub/w"
        assert {step.path for step in failed.steps if step.status == "failed"} == {
            ("each",),
            ("each", "#0", "sub"),
            ("each", "#0", "sub", "w"),
        }
        assert statuses(await run(bench, nothing)) == {"none": "skipped", "each": "skipped"}

    on_bench(settings_of(tmp_path), work)


def test_what_was_inside_a_loop_is_forgotten_when_it_has_ended(tmp_path: Path) -> None:
    text = plan("""
  - {id: rows, block: test.rows, in: {count: 300}}
  - id: each
    type: loop
    foreach: {input: "${rows.rows}", itemVar: row, max_concurrency: 8}
    body:
      plan:
        graph:
          - {id: a, block: test.add, in: {a: "${row.no}"}}
          - {id: b, block: test.add, in: {a: "${a.sum}"}}
        exports: [{from: b.sum, as: s}]
    out: {collect: s}
  - {id: last, block: test.length, in: {rows: "${each.s}"}}
""")

    async def work(bench: Workbench) -> None:
        ended = await run(bench, text)
        assert outputs(ended, "last") == {"length": 300}
        history = await events(bench, ended)
        fold, most = RunFold(), 0
        for event in history:
            fold.apply(event)
            most = max(most, len(fold.steps))
        # Three nodes, and at most a few iterations with their nodes at a time.
        assert most < 40
        assert len(fold.steps) == 3
        assert len(fold.outputs) == 3
        assert len(ended.steps) == 3
        assert fold._below == {}

    on_bench(settings_of(tmp_path), work)


def test_large_outputs_are_kept_beside_the_journal_and_read_again(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    text = plan(
        """
  - {id: rows, block: test.rows, in: {count: 20000, text: 請求書}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: 続けますか}}
  - {id: count, block: test.length, in: {rows: "${rows.rows}"}, after: [ask]}
""",
        top="exports: [{from: rows.rows, as: rows}, {from: count.length, as: length}]",
    )

    async def first(bench: Workbench) -> Any:
        waiting = await run(bench, text)
        assert waiting.status is Status.WAITING
        stored = sum(len(event.model_dump_json()) for event in await events(bench, waiting))
        assert stored < 20_000
        return waiting

    waiting = on_bench(settings, first)

    async def second(bench: Workbench) -> None:
        await bench.answer(LOCAL, waiting.run_id, {"approved": True})
        ended = await bench.wait(LOCAL, waiting.run_id)
        result: Any = exports(ended)
        assert result["length"] == 20_000
        assert result["rows"].keys() == {STORED}
        assert outputs(ended, "rows").keys() == {STORED}
        files = bench._place.files
        assert files.read(result["rows"][STORED]["file_id"])[:12] == b'[{"no":0,"te'

    on_bench(settings, second)
