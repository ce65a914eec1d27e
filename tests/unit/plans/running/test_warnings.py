"""Run-level warnings: what is to be known of a run that went on, and what a policy makes of it."""

from pathlib import Path
from typing import Any

import pytest

from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.workflows.planning import answer, exports, on_bench, plan, run, settings_of

COERCE = """
  - id: coerce
    block: transforms.coerce_values
    policy: {policy}
    in: {{items: [{{n: 未定}}], specs: [{{field: n, type: number}}]}}
    out: {{rows: rows}}
  - {{id: after, block: transforms.pick, in: {{source: "${{coerce.rows}}"}}, out: {{value: got}}}}
"""
CASES = {
    "a node that failed under continue": (
        "  - {id: bad, block: transforms.pick, in: {source: x, return: number}}",
        {("bad", "INPUT_VALIDATION_FAILED")},
    ),
    "one inside a loop": (
        """
  - id: loop
    type: loop
    foreach: {input: [1, 2]}
    body: {plan: {graph: [{id: bad, block: transforms.pick, in: {source: x, return: number}}]}}
""",
        {("loop", "INPUT_VALIDATION_FAILED")},
    ),
    "a file that could not be read": (
        "  - {id: read, block: file.read_csv, in: {path: nosuch.csv}}",
        {("read", "NOT_FOUND")},
    ),
    "fields that the rules could not fill": (
        "  - {id: ai, block: ai.process_llm, in: {evidence_data: 本文です, prompt: 読む,"
        " output_schema: {要約: string}}}",
        {("ai", "DEPENDENCY_NOT_FOUND")},
    ),
    "rows that could not be judged": (
        "  - {id: f, block: transforms.filter, in: {items: [{n: 1}],"
        ' conditions: [{field: n, operator: gt, value: "${vars.limit}"}]}}',
        {("f", "INPUT_VALIDATION_FAILED")},
    ),
    "columns left blank": (
        "  - {id: w, block: excel.write, in: {column_updates: {sheet: S, columns: [nosuch],"
        " values: [{a: 1}]}}}",
        {("w", "NOT_FOUND")},
    ),
    "a value that was kept as it was": (
        COERCE.format(policy="null"),
        {("coerce", "INPUT_VALIDATION_FAILED")},
    ),
    "a reference to nothing": (
        '  - {id: r, block: transforms.pick, in: {source: ["${vars.limit.x.y}", "${vars.no.x}"]}}',
        {("r", "DEPENDENCY_NOT_FOUND")},
    ),
    "nothing": ("  - {id: a, block: transforms.pick, in: {source: 1}}", set[tuple[str, str]]()),
}
TOP = "vars: {limit: null}\npolicy: {on_error: continue}"


@pytest.mark.parametrize("case", CASES)
def test_a_run_tells_what_went_on_without(case: str, tmp_path: Path) -> None:
    graph, expected = CASES[case]

    async def work(bench: Workbench) -> tuple[Run, list[Any]]:
        ended = await run(bench, plan(graph, top=TOP))
        return ended, await bench.list(LOCAL)

    ended, listed = on_bench(settings_of(tmp_path), work)
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert {(each.node, each.code) for each in ended.warnings} == expected
    assert all(each.message and each.hint for each in ended.warnings)
    assert [one.warnings for one in listed] == [len(ended.warnings)]


def test_a_policy_halts_at_a_warning_or_asks(tmp_path: Path) -> None:
    halting = plan(COERCE.format(policy="{on_warning: halt}"))
    asking = plan(COERCE.format(policy="null"), top="policy: {on_warning: ask}")

    async def work(bench: Workbench) -> None:
        failed = await run(bench, halting)
        assert failed.problem is not None
        assert failed.problem.text_id == "transform_not_coerced"
        waiting = await run(bench, asking)
        (asked,) = waiting.open_interactions
        assert "未定" in str(asked.context)
        ended = await answer(bench, waiting, {"approved": True})
        assert exports(ended) == {"rows": [{"n": "未定"}], "got": [{"n": "未定"}]}
        assert [each.node for each in ended.warnings] == ["coerce"]
        refused = await answer(bench, await run(bench, asking), {"approved": False})
        assert refused.status is Status.FAILED

    on_bench(settings_of(tmp_path), work)


def test_a_run_that_waits_is_listed_with_its_warnings(tmp_path: Path) -> None:
    text = plan(
        """
  - {id: bad, block: test.work, in: {fail: true}, policy: {on_error: continue}}
  - {id: ask, block: ui.interactive_input, in: {mode: confirm}, after: [bad]}
"""
    )

    async def work(bench: Workbench) -> list[int]:
        waiting = await run(bench, text)
        counts = [(await bench.list(LOCAL))[0].warnings]
        await answer(bench, waiting, {"approved": True})
        return [*counts, (await bench.list(LOCAL))[0].warnings]

    assert on_bench(settings_of(tmp_path), work) == [1, 1]
