"""Stopped after any event, a run goes on to the same end, and nothing finished is done again."""

import asyncio
from collections import Counter
from pathlib import Path

from sanbo.runs.model import Event, JsonObject, NodeComplete, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.examples import spread
from tests.workflows.planning import (
    exports,
    given,
    on_bench,
    plan,
    settings_of,
    stopped_after,
    to_the_end,
    worked,
)

PLAN = plan(
    """
  - {id: first, block: test.work, in: {value: 1, trace: "${vars.trace}"}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm, message: "${first.value}で可"}}
  - {id: branch, block: test.work, in: {value: "${first.value}", trace: "${vars.trace}"}}
  - id: each
    type: loop
    foreach: {input: [甲, 乙], itemVar: name, max_concurrency: 2}
    body:
      plan:
        graph:
          - {id: note, block: test.work, in: {value: "${name}", trace: "${vars.trace}"}}
          - id: reason
            block: ui.interactive_input
            in:
              mode: collect
              message: "${name}の理由"
              requirements: [{id: why, type: text, label: 理由}]
            out: {collected_data: form}
            when: {expr: "${name} == '乙'"}
          - id: told
            block: test.work
            in: {value: "${note.value}${reason.form.why}", trace: "${vars.trace}"}
        exports: [{from: told.value, as: said}]
    out: {collect: said}
  - id: sub
    type: subflow
    call: {plan_id: part, inputs: {n: "${branch.value}", trace: "${vars.trace}"}}
  - id: until
    type: loop
    while: {condition: {expr: "${count.value} != 2"}, max_iterations: 5, indexVar: i}
    body:
      plan:
        graph: [{id: count, block: test.work, in: {value: "${i}", trace: "${vars.trace}"}}]
  - {id: report, block: test.report, in: {title: 報告, lines: "${each.said}"}, after: [ask, sub]}
""",
    top="""
vars: {trace: ""}
exports:
  - {from: each.said, as: said}
  - {from: sub.sum, as: sum}
  - {from: ask.approved, as: approved}
  - {from: until.iterations, as: iterations}
  - {from: report.characters, as: characters}
""",
)
PART = plan(
    """
  - {id: one, block: test.work, in: {value: "${vars.n}", trace: "${vars.trace}"}}
  - {id: two, block: test.add, in: {a: "${one.value}", b: 10}}
""",
    top="vars: {n: 0, trace: ''}\nexports: [{from: two.sum, as: sum}]",
    plan_id="part",
)
RESULT = {
    "said": ["甲", "乙急ぎ"],
    "sum": 11.0,
    "approved": True,
    "iterations": 3,
    "characters": 10,
}
ANSWERS: dict[str, JsonObject] = {
    "ask": {"approved": True},
    "each/#1/reason": {"why": "急ぎ"},
}


async def _stopped_after(
    bench: Workbench, history: list[Event], seq: int, trace: Path
) -> tuple[Run, set[str]]:
    """A run whose journal ends with this event, as a killed process leaves it, taken up."""
    run_id = await stopped_after(bench, history, seq, {"trace": str(trace)})
    ended = await to_the_end(bench, run_id, ANSWERS)
    finished = {
        "/".join(event.path) for event in history[:seq] if isinstance(event.payload, NodeComplete)
    }
    return ended, finished


def test_stopped_after_any_event_a_run_ends_the_same_and_repeats_nothing_finished(
    tmp_path: Path,
) -> None:
    async def work(bench: Workbench) -> None:
        begun = await bench.start(LOCAL, "plan", given(PLAN, called={"part": PART}))
        undisturbed = await to_the_end(bench, begun.run_id, ANSWERS)
        assert exports(undisturbed) == RESULT
        history = await bench.events(LOCAL, begun.run_id)
        kinds = {event.payload.event for event in history}
        assert {"loop_iteration", "node_skipped", "interaction_open", "artifact"} <= kinds

        async def check(seq: int) -> None:
            trace = tmp_path / f"trace{seq}"
            ended, finished = await _stopped_after(bench, history, seq, trace)
            assert ended.status is Status.SUCCEEDED, f"stopped after {seq}: {ended.problem}"
            assert exports(ended) == RESULT, f"stopped after {seq}"
            done = Counter(worked(trace))
            assert not finished & done.keys(), f"stopped after {seq}: done again"
            assert set(done.values()) <= {1}
            assert not [step for step in ended.steps if step.status in ("running", "waiting")]
            events = await bench.events(LOCAL, ended.run_id)
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            questions = Counter(
                event.path for event in events if event.payload.event == "interaction_open"
            )
            assert set(questions.values()) == {1}, f"stopped after {seq}: asked again"
            assert len(ended.artifacts) == 1

        await asyncio.gather(*(check(seq) for seq in spread(range(1, len(history)), 12)))

    on_bench(settings_of(tmp_path), work, 120)
