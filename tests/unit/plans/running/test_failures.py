"""Failures: halt, go on without, or try again; and a problem that says where and what to do."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import Code, InvalidOutput
from sanbo.plans.running.calls import leaves
from sanbo.plans.running.surroundings import Activity, LimitedActivity
from sanbo.runs.model import NodeError, NodeStart, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.workflows.planning import (
    answer,
    events,
    exports,
    on_bench,
    outputs,
    plan,
    run,
    settings_of,
    start,
    statuses,
    worked,
)


def test_a_halting_failure_stops_the_others_and_names_node_block_and_inputs(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"
    text = plan(
        f"""
  - {{id: slow, block: test.work, in: {{value: 1, seconds: 0.4, trace: "{trace}"}}}}
  - {{id: later, block: test.work, in: {{value: "${{slow.value}}", trace: "{trace}"}}}}
  - {{id: ok, block: test.work, in: {{value: [1, 2], trace: "{trace}"}}}}
  - id: bad
    block: test.work
    in: {{value: "${{ok.value}}", fail: "${{vars.fail}}", trace: "{trace}"}}
""",
        top="vars: {fail: true}",
    )

    async def work(bench: Workbench) -> None:
        failed = await run(bench, text)
        assert failed.status is Status.FAILED
        problem = failed.problem
        assert problem is not None
        assert problem.code is Code.INPUT_VALIDATION_FAILED
        assert problem.hint
        assert problem.recoverable
        assert problem.details["node_id"] == "bad"
        assert problem.details["block"] == "test.work@1.0.0"
        assert problem.input_snapshot["value"] == [1, 2]
        await asyncio.sleep(0.5)
        told = await events(bench, failed)
        assert told[-1].payload.event == "run_complete", "something went on after the end"
        assert [step.path for step in failed.steps if step.status == "failed"] == [("bad",)]

        # Taken up again, what was finished stands, and what had failed is tried once more.
        await bench.resume(LOCAL, failed.run_id)
        again = await bench.wait(LOCAL, failed.run_id)
        assert again.status is Status.FAILED
        assert worked(trace).count("ok") == 1
        assert worked(trace).count("bad") == 2

    on_bench(settings_of(tmp_path), work)


def test_with_continue_the_outputs_are_null_and_the_run_goes_on(tmp_path: Path) -> None:
    text = plan(
        """
  - {id: bad, block: test.work, in: {value: 1, fail: true}, policy: {on_error: continue}}
  - {id: next, block: test.work, in: {value: "${bad.value}"}}
  - {id: strict, block: test.add, in: {a: "${bad.value}"}, policy: {on_error: continue}}
  - id: each
    type: loop
    policy: {on_error: continue}
    foreach: {input: [1, 2], itemVar: x}
    body: {plan: {graph: [{id: w, block: test.add, in: {a: "${next.value}"}}]}}
""",
        top="exports: [{from: next.value, as: next}, {from: each.iterations, as: n}]",
    )
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert exports(ended) == {"next": None, "n": None}
    assert statuses(ended) == {
        "bad": "failed",
        "next": "succeeded",
        "strict": "failed",
        "each": "failed",
    }
    steps = {step.path: step for step in ended.steps}
    assert steps["bad",].problem is not None
    assert not [step for step in ended.steps if step.status in ("running", "waiting")]


def test_a_node_is_tried_again_as_often_as_its_policy_says(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = plan(
        f"""
  - id: third
    block: test.work
    in: {{value: 3, fails_first: 2, trace: "{trace}"}}
    policy: {{on_error: retry, retries: 2, backoff: {{seconds: 0.05, factor: 2}}}}
  - id: never
    block: test.work
    in: {{value: "${{third.value}}", fails_first: 9, trace: "{trace}"}}
""",
        top="policy: {on_error: retry, retries: 1, backoff: {seconds: 0}}",
    )

    async def work(bench: Workbench) -> None:
        failed = await run(bench, text)
        assert failed.status is Status.FAILED
        assert worked(trace) == ["third"] * 3 + ["never"] * 2
        told = [
            (event.path[0], event.payload.retry, event.payload.retry_in_ms)
            for event in await events(bench, failed)
            if isinstance(event.payload, NodeError)
        ]
        assert told == [("third", 1, 50), ("third", 2, 100), ("never", 1, 0), ("never", 1, None)]
        attempts = [
            (event.path[0], event.payload.attempt)
            for event in await events(bench, failed)
            if isinstance(event.payload, NodeStart)
        ]
        assert attempts == [("third", 1), ("third", 2), ("third", 3), ("never", 1), ("never", 2)]

    on_bench(settings_of(tmp_path), work)


RETRY = "policy: {on_error: retry, retries: 2, backoff: {seconds: 0}}"


def test_what_would_fail_in_the_same_way_again_is_not_tried_again(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = plan(
        f"""
  - {{id: wrong, block: test.work, in: {{value: 1, fail: true, trace: "{trace}"}}}}
""",
        top=RETRY,
    )
    failed = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert failed.status is Status.FAILED
    assert worked(trace) == ["wrong"]


def test_an_exhausted_loop_is_not_begun_again(tmp_path: Path) -> None:
    text = plan(
        """
  - id: until
    type: loop
    while: {condition: {expr: "${ask.approved} != true"}, max_iterations: 1, on_exhausted: fail}
    body: {plan: {graph: [{id: ask, block: ui.interactive_input, in: {mode: confirm}}]}}
""",
        top=RETRY,
    )

    async def work(bench: Workbench) -> None:
        waiting = await run(bench, text)
        failed = await answer(bench, waiting, {"approved": False})
        assert failed.status is Status.FAILED, "a question is asked again"
        assert failed.problem is not None
        assert failed.problem.text_id == "loop_exhausted"

    on_bench(settings_of(tmp_path), work)


def test_what_was_tried_again_inside_is_not_tried_again_around_it(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    inside = f'{{id: w, block: test.work, in: {{fails_first: 99, trace: "{trace}"}}}}'
    text = plan(
        f"""
  - id: each
    type: loop
    foreach: {{input: [1], itemVar: x}}
    body: {{plan: {{graph: [{inside}]}}}}
""",
        top=RETRY,
    )
    failed = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert failed.status is Status.FAILED
    assert worked(trace) == ["each/#0/w"] * 3


def test_a_called_plan_that_does_not_try_again_itself_is_tried_again(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    called = plan(
        f"""
  - {{id: w, block: test.work, in: {{value: 5, fails_first: 2, trace: "{trace}"}}}}
""",
        top="exports: [{from: w.value, as: v}]",
        plan_id="called",
    )
    text = plan(
        "  - {id: sub, type: subflow, call: {plan_id: called}}",
        top=f"{RETRY}\nexports: [{{from: sub.v, as: v}}]",
    )
    ended = on_bench(
        settings_of(tmp_path), lambda bench: run(bench, text, called={"called": called})
    )
    assert exports(ended) == {"v": 5}
    assert worked(trace) == ["sub/w"] * 3


def test_every_failed_node_is_named_with_its_path_and_title(tmp_path: Path) -> None:
    text = plan(
        """
  - id: each
    type: loop
    policy: {on_error: continue}
    foreach: {input: [1], itemVar: x}
    body:
      plan:
        graph:
          - {id: w, title: 金額を確かめる, block: test.work, in: {value: "${x}", fail: true}}
  - {id: words, block: test.work, in: {value: abc}}
  - {id: sum, block: test.add, in: {a: "${words.value}"}, policy: {on_error: continue}}
  - id: asked
    block: test.work
    in: {value: 1}
    when: {expr: "${words.value} > 1"}
    policy: {on_error: continue}
"""
    )
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert ended.result is not None
    nodes: Any = ended.result["nodes"]
    told = {
        name: (node["problem"]["details"]["node_id"], node["problem"]["details"]["node_title"])
        for name, node in nodes.items()
        if node["problem"]
    }
    assert told == {
        "each": ("each/#0/w", "金額を確かめる"),
        "sum": ("sum", "sum"),
        "asked": ("asked", "asked"),
    }
    for step in ended.steps:
        if step.status == "failed":
            assert step.problem is not None
            assert step.problem.details["node_title"]


@pytest.mark.parametrize("limited", ["loop", "subflow"])
def test_the_limit_of_a_loop_or_subflow_stops_all_that_is_inside(
    tmp_path: Path, limited: str
) -> None:
    trace = tmp_path / "trace"
    inside = f'{{id: w, block: test.work, in: {{seconds: 600, trace: "{trace}"}}}}'
    loop = f"type: loop, foreach: {{input: [1], itemVar: x}}, body: {{plan: {{graph: [{inside}]}}}}"
    around = loop if limited == "loop" else "type: subflow, call: {plan_id: called}"
    text = plan(f"  - {{id: all, title: 全体, {around}, policy: {{timeout_ms: 1500}}}}")
    called = {"called": plan(f"  - {inside}", plan_id="called")} if limited == "subflow" else {}

    failed = on_bench(
        settings_of(tmp_path), lambda bench: run(bench, text, called=called), seconds=60
    )
    assert failed.problem is not None
    assert failed.problem.code is Code.TIMEOUT_ERROR
    assert failed.problem.text_id == "plan_node_slow"
    assert failed.problem.details["node_id"] == "all"
    assert failed.problem.details["node_title"] == "全体"


def test_the_limit_that_a_plan_gives_each_node_is_not_that_of_a_loop_as_a_whole(
    tmp_path: Path,
) -> None:
    text = plan(
        """
  - id: each
    type: loop
    foreach: {input: [1, 2, 3], itemVar: x, max_concurrency: 1}
    body:
      plan:
        graph:
          - {id: w, block: test.work, in: {seconds: 0.2}, policy: {timeout_ms: 60000}}
""",
        top="policy: {timeout_ms: 300}",
    )
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text), seconds=60)
    assert ended.status is Status.SUCCEEDED, ended.problem


def test_people_are_not_hurried_by_the_limit_around_them() -> None:
    """With a clock of its own: no machine is too slow for it."""

    async def told(*, waits_for_a_person: bool) -> str:
        loop = asyncio.get_running_loop()
        now = loop.time()
        passed = 0.0
        loop.time = lambda: now + passed  # type: ignore[method-assign]
        activity = Activity()
        activity.enter()
        answer: asyncio.Future[str] = loop.create_future()
        limit = 10.0

        async def inside() -> str:
            async with asyncio.timeout(None) as timeout:
                limited = LimitedActivity(activity, timeout, limit)
                return await (limited.away(answer) if waits_for_a_person else answer)

        task = asyncio.create_task(inside())
        await asyncio.sleep(0)
        passed = 1000.0
        for _ in range(3):
            await asyncio.sleep(0)
        if not answer.done():
            answer.set_result("はい")
        return await task

    assert asyncio.run(told(waits_for_a_person=True)) == "はい"
    with pytest.raises(TimeoutError):
        asyncio.run(told(waits_for_a_person=False))


def test_a_block_that_takes_too_long_is_really_stopped(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = plan(f"""
  - id: slow
    block: test.work
    in: {{value: 1, seconds: 600, trace: "{trace}"}}
    policy: {{timeout_ms: 300}}
""")
    began = time.monotonic()
    failed = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert failed.problem is not None
    assert failed.problem.code is Code.TIMEOUT_ERROR
    assert failed.problem.details["node_id"] == "slow"
    assert time.monotonic() - began < 300
    lines = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    assert [line["what"] for line in lines] == ["begin"]


def test_what_nobody_foresaw_is_a_problem_with_the_words_of_the_exception(
    tmp_path: Path,
) -> None:
    text = plan("  - {id: odd, block: test.work, in: {raises: 'half-secret words'}}")
    failed = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert failed.problem is not None
    assert failed.problem.code is Code.INTERNAL_ERROR
    assert "half-secret words" in failed.problem.message + failed.problem.hint


def test_outputs_and_inputs_are_checked_on_every_call(tmp_path: Path) -> None:
    text = plan(
        """
  - {id: words, block: test.work, in: {value: abc}}
  - {id: sum, block: test.add, in: {a: "${words.value}"}}
"""
    )
    failed = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert failed.problem is not None
    assert failed.problem.text_id == "block_input_invalid"
    fields: Any = failed.problem.details["fields"]
    assert [each["path"] for each in fields] == ["a"]
    assert failed.problem.input_snapshot == {"a": "abc"}


def test_a_run_is_cancelled_at_once_and_writes_nothing_more(tmp_path: Path) -> None:
    text = plan("""
  - {id: slow, block: test.work, in: {value: 1, seconds: 0.5}}
  - {id: next, block: test.work, in: {value: "${slow.value}"}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: よろしいですか}}
""")

    async def work(bench: Workbench) -> None:
        begun = await start(bench, text)
        async for event in bench.follow(LOCAL, begun.run_id):
            if event.payload.event == "interaction_open":
                break
        cancelled = await bench.cancel(LOCAL, begun.run_id)
        assert cancelled.status is Status.CANCELLED
        assert cancelled.open_interactions == ()
        before = await events(bench, begun)
        await asyncio.sleep(0.6)
        assert await events(bench, begun) == before

    on_bench(settings_of(tmp_path), work)


def test_a_loop_whose_question_is_left_behind_by_continue_asks_no_more(tmp_path: Path) -> None:
    text = plan("""
  - id: each
    type: loop
    policy: {on_error: continue}
    foreach: {input: [1, 2], itemVar: x, max_concurrency: 2}
    body:
      plan:
        graph:
          - {id: slow, block: test.work, in: {value: "${x}", seconds: 0.1}}
          - id: ask
            block: ui.interactive_input
            in: {mode: confirm, message: "${x}番"}
            when: {expr: "${x} == 1"}
          - id: bad
            block: test.work
            in: {value: "${slow.value}", fail: true}
            when: {expr: "${x} == 2"}
  - {id: other, block: ui.interactive_input, in: {mode: confirm, message: 別の質問}}
""")

    async def work(bench: Workbench) -> None:
        waiting = await run(bench, text)
        assert waiting.status is Status.WAITING
        assert [each.message for each in waiting.open_interactions] == ["別の質問"]
        await bench.answer(LOCAL, waiting.run_id, {"approved": True})
        ended = await bench.wait(LOCAL, waiting.run_id)
        assert ended.status is Status.SUCCEEDED, ended.problem
        assert outputs(ended, "each") is None

    on_bench(settings_of(tmp_path), work)


def test_outputs_that_hold_themselves_are_refused_and_hang_nothing() -> None:
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(InvalidOutput):
        list(leaves(circle))


@pytest.mark.parametrize(
    ("spelled", "port"),
    [
        (r'"\ud800"', "value"),
        (r'{"a": ["x", {"b": "\udc80"}]}', "value.a[1].b"),
        (r'{"a\udc80": 1}', "value.a?"),
    ],
)
def test_half_a_character_in_an_output_is_refused_by_node_and_port(
    tmp_path: Path, spelled: str, port: str
) -> None:
    text = plan(f"  - {{id: odd, block: test.work, in: {{spelled: {json.dumps(spelled)}}}}}")
    failed = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert failed.problem is not None
    assert failed.problem.code is Code.OUTPUT_SCHEMA_MISMATCH
    assert failed.problem.params == {"node": "odd", "port": port}
    assert failed.problem.details["node_id"] == "odd"


def test_half_a_character_in_the_name_of_a_made_file_is_replaced(tmp_path: Path) -> None:
    text = plan("  - {id: file, block: test.report, in: {title: 月報, undecoded: true}}")
    ended = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert ended.status is Status.SUCCEEDED, ended.problem
    name = outputs(ended, "file")["file"]["name"]
    assert name.endswith(".md")
    assert name.encode()
    assert [each.name for each in ended.artifacts] == [name]


def test_what_stands_under_finally_runs_also_when_the_run_fails(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = f"""id: test
version: 1.0.0
graph:
  - {{id: bad, block: test.work, in: {{value: 1, fail: true}}}}
  - {{id: never, block: test.work, in: {{value: "${{bad.value}}", trace: "{trace}"}}}}
finally:
  - {{id: last, block: test.work, in: {{value: "${{bad.problem.message}}", trace: "{trace}"}}}}
"""
    failed = on_bench(settings_of(tmp_path), lambda bench: run(bench, text))
    assert failed.status is Status.FAILED
    assert failed.problem is not None
    assert failed.problem.details["node_id"] == "bad"
    assert worked(trace) == ["last"]
    assert [step.status for step in failed.steps if step.path == ("last",)] == ["succeeded"]


def test_while_a_form_of_finally_is_open_nothing_that_failed_is_tried_again(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = plan(
        f"""
  - {{id: bad, block: test.work, in: {{fails_first: 1, trace: "{trace}"}}}}
  - {{id: after, block: test.work, in: {{value: "${{bad.value}}", trace: "{trace}"}}}}
""",
        top="""
finally:
  - {id: note, block: ui.interactive_input, in: {mode: confirm, message: 片付け}}
  - {id: last, block: test.work, in: {value: 1}, after: [note]}
""",
    )

    async def work(bench: Workbench) -> None:
        failed = await answer(bench, await run(bench, text), {"approved": True})
        assert failed.status is Status.FAILED
        assert {step.key: step.status for step in failed.steps} == {
            "bad": "failed",
            "note": "succeeded",
            "note/answer": "succeeded",
            "last": "succeeded",
        }
        assert worked(trace) == ["bad"]
        await bench.resume(LOCAL, failed.run_id)  # that is what tries again
        assert (await bench.wait(LOCAL, failed.run_id)).status is Status.SUCCEEDED

    on_bench(settings_of(tmp_path), work)
    assert worked(trace) == ["bad", "bad", "after"]
