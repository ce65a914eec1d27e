"""People in the loop: several questions open at once, answered in any order, days later."""

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest

from sanbo.runs.journal import Journal
from sanbo.runs.model import InteractionAnswered, Run, Status
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
    worked,
)

YES: dict[str, Any] = {"approved": True}


def asks(node: str, message: str = "よろしいですか", **more: str) -> str:
    extra = "".join(f", {key}: {value}" for key, value in more.items())
    form = f'{{mode: confirm, message: "{message}"}}'
    return f"  - {{id: {node}, block: ui.interactive_input, in: {form}{extra}}}\n"


def open_at(run: Run) -> list[str]:
    return sorted("/".join(each.path) for each in run.open_interactions)


def test_questions_of_several_branches_are_open_at_once_and_answered_in_any_order(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"
    text = plan(
        asks("a")
        + asks("b")
        + f"""
  - {{id: after_a, block: test.work, in: {{value: "${{a.approved}}", trace: "{trace}"}}}}
  - {{id: after_b, block: test.work, in: {{value: "${{b.approved}}", trace: "{trace}"}}}}
""",
        top="exports: [{from: after_a.value, as: a}, {from: after_b.value, as: b}]",
    )

    async def work(bench: Workbench) -> None:
        for order in itertools.permutations(["a", "b"]):
            trace.unlink(missing_ok=True)
            waiting = await run(bench, text)
            assert waiting.status is Status.WAITING
            assert open_at(waiting) == ["a/answer", "b/answer"]
            waiting = await answer(bench, waiting, YES, order[0])
            assert waiting.status is Status.WAITING
            assert worked(trace) == [f"after_{order[0]}"]
            ended = await answer(bench, waiting, {"approved": False}, order[1])
            assert ended.status is Status.SUCCEEDED
            assert exports(ended) == {order[0]: True, order[1]: False}
            # A node that waited began once.
            starts = [e.path for e in await events(bench, ended) if e.payload.event == "node_start"]
            assert len(starts) == len(set(starts))

    on_bench(settings_of(tmp_path), work)


def test_an_answer_is_taken_up_at_once_while_another_branch_is_still_at_work(
    tmp_path: Path,
) -> None:
    text = plan(
        asks("ask")
        + """
  - {id: after, block: test.work, in: {value: "${ask.approved}"}}
  - {id: slow, block: test.work, in: {value: 1, seconds: 1.5}}
"""
    )

    async def work(bench: Workbench) -> None:
        begun = await start(bench, text)
        order: list[tuple[str, str]] = []
        async for event in bench.follow(LOCAL, begun.run_id):
            if event.path:
                order.append((event.payload.event, event.path[0]))
            if event.payload.event == "interaction_open":
                assert (await bench.get(LOCAL, begun.run_id)).status is Status.RUNNING
                await bench.answer(LOCAL, begun.run_id, YES)
        assert order.index(("node_complete", "after")) < order.index(("node_complete", "slow"))

    on_bench(settings_of(tmp_path), work)


def test_an_answer_given_in_another_process_wakes_the_node_that_asked(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    text = plan(
        asks("ask")
        + """
  - {id: after, block: test.work, in: {value: "${ask.approved}"}}
  - {id: slow, block: test.work, in: {value: 1, seconds: 2.5}}
"""
    )

    async def work(bench: Workbench) -> None:
        begun = await start(bench, text)
        async for event in bench.follow(LOCAL, begun.run_id):
            if event.payload.event == "interaction_open":
                break
        # As another process would: straight into the journal.
        journal = Journal(bench.access.database)
        given = InteractionAnswered(interaction_id="ask:answer", answer=YES, by="local")
        await asyncio.to_thread(journal.answer, begun.run_id, given)
        order = [
            (event.payload.event, event.path[0])
            async for event in bench.follow(LOCAL, begun.run_id)
            if event.path
        ]
        assert order.index(("node_complete", "after")) < order.index(("node_complete", "slow"))

    on_bench(settings, work)


NESTED = plan(
    """
  - id: each
    type: loop
    foreach: {input: [甲, 乙], itemVar: name, max_concurrency: 2}
    body:
      plan:
        graph:
          - id: ask
            block: ui.interactive_input
            in: {mode: confirm, message: "${name}様への支払"}
          - id: sub
            type: subflow
            call: {plan_id: check, inputs: {name: "${name}", ok: "${ask.approved}"}}
        exports: [{from: sub.said, as: said}]
    out: {collect: said}
""",
    top="exports: [{from: each.said, as: said}]",
)
CHECK = plan(
    """
  - id: reason
    block: ui.interactive_input
    in:
      mode: collect
      message: "${vars.name}様の理由"
      requirements: [{id: why, type: text, label: 理由}]
    out: {collected_data: form}
  - {id: told, block: test.work, in: {value: "${vars.name}:${vars.ok}:${reason.form.why}"}}
""",
    top="vars: {name: '', ok: false}\nexports: [{from: told.value, as: said}]",
    plan_id="check",
)


@pytest.mark.parametrize("restarts", [False, True])
def test_people_are_asked_in_loops_and_subflows_and_runs_survive_restarts(
    tmp_path: Path, restarts: bool
) -> None:
    settings = settings_of(tmp_path)
    to_do: list[tuple[str, Any]] = [
        ("each/#1/ask", {"approved": False}),
        ("each/#1/sub/reason", {"why": "期日前"}),
        ("each/#0/ask", YES),
        ("each/#0/sub/reason", {"why": "確認済"}),
    ]

    async def begin(bench: Workbench) -> Run:
        waiting = await run(bench, NESTED, called={"check": CHECK})
        assert open_at(waiting) == ["each/#0/ask/answer", "each/#1/ask/answer"]
        first = waiting.open_interactions[0]
        assert first.state_key == "plan:test::node:each/#0/ask::v1.0.0"
        return waiting

    async def go_on(bench: Workbench, known: Run) -> Run:
        now = await bench.get(LOCAL, known.run_id)
        node, said = to_do.pop(0)
        return await answer(bench, now, said, node)

    async def all_at_once(bench: Workbench) -> Run:
        now = await begin(bench)
        while not now.status.is_final:
            now = await go_on(bench, now)
        return now

    if restarts:
        now = on_bench(settings, begin)
        while not now.status.is_final:
            known = now
            now = on_bench(settings, lambda bench, known=known: go_on(bench, known))
    else:
        now = on_bench(settings, all_at_once)
    assert now.status is Status.SUCCEEDED, now.problem
    assert exports(now) == {"said": ["甲:true:確認済", "乙:false:期日前"]}


def test_a_loop_asks_until_the_person_agrees(tmp_path: Path) -> None:
    text = plan("""
  - id: until
    type: loop
    while:
      condition: {expr: "${ok.approved} != true"}
      max_iterations: 3
      indexVar: n
      on_exhausted: fail
    body:
      plan:
        graph:
          - {id: ok, block: ui.interactive_input, in: {mode: confirm, message: "${n}回目"}}
        exports: [{from: ok.approved, as: approved}]
""")

    async def work(bench: Workbench) -> None:
        waiting = await run(bench, text)
        waiting = await answer(bench, waiting, {"approved": False})
        assert [each.message for each in waiting.open_interactions] == ["1回目"]
        ended = await answer(bench, waiting, YES)
        assert outputs(ended, "until") == {"approved": True, "iterations": 2, "completed": True}

        waiting = await run(bench, text)
        for _ in range(3):
            waiting = await answer(bench, waiting, {"approved": False})
        assert waiting.status is Status.FAILED
        assert waiting.problem is not None
        assert waiting.problem.text_id == "loop_exhausted"
        assert waiting.problem.details["node_id"] == "until"

    on_bench(settings_of(tmp_path), work)
