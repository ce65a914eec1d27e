"""Back to an earlier form, and no further than a chosen node: what does not depend on it stands."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.runs.parts import Graph
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from sanbo.storage.tables import uploads
from tests.workflows import planning
from tests.workflows.planning import answer, exports, on_bench, plan, run, settings_of, worked

WIZARD = plan(
    """
  - id: first
    title: 対象
    block: ui.interactive_input
    in:
      mode: collect
      requirements:
        - {id: month, type: text, label: 対象月}
        - {id: paper, type: file, label: 書類, required: false}
        - {id: word, type: text, label: 合言葉, secret: true, required: false}
  - {id: costly, block: test.work, in: {value: 7, trace: "${vars.trace}"}}
  - id: second
    block: ui.interactive_input
    in:
      mode: collect
      message: "${first.collected_data.month} の上限"
      requirements: [{id: limit, type: number, label: 上限}]
  - {id: sum, block: test.add, in: {a: "${second.collected_data.limit}", b: "${costly.value}"}}
  - {id: last, block: ui.interactive_input, in: {mode: confirm, message: "計 ${sum.sum}"}}
  - {id: log, block: test.work, in: {value: 1, trace: "${vars.trace}"}, after: [last]}
""",
    top="vars: {trace: ''}\nexports: [{from: sum.sum, as: sum}, {from: last.approved, as: ok}]",
)


async def _waits(bench: Workbench, now: Run) -> Run:
    stopped = await bench.wait(LOCAL, now.run_id)
    assert stopped.status is Status.WAITING, stopped.problem
    return stopped


def _defaults(now: Run) -> dict[str, object]:
    [asked] = now.open_interactions
    return {field.id: field.default for field in asked.requirements}


def test_an_earlier_form_asks_again_with_what_was_answered_and_the_rest_stands(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"

    async def work(bench: Workbench) -> None:
        paper = await bench.upload(LOCAL, b"x", "paper.txt")
        given: JsonObject = {
            "month": "9月",
            "paper": paper.model_dump(mode="json"),
            "word": "ひらけごま",
        }
        began = await run(bench, WIZARD, vars={"trace": str(trace)})
        second = await answer(bench, began, given)
        third = await answer(bench, second, {"limit": 3})
        [graph] = [p for p in await bench.parts(LOCAL, third.run_id) if isinstance(p, Graph)]
        forms = [(node.id, node.status) for node in graph.nodes if node.is_question]
        assert forms == [("first", "succeeded"), ("second", "succeeded"), ("last", "waiting")]
        with pytest.raises(NotFound):
            await bench.resume(LOCAL, third.run_id, step=("nowhere",))
        assert (await bench.get(LOCAL, third.run_id)).status is Status.WAITING

        back = await _waits(bench, await bench.resume(LOCAL, third.run_id, step=("first",)))
        assert (await bench.get(LOCAL, third.run_id)).status is Status.CANCELLED
        assert back.replay_of is not None
        assert back.replay_of.run_id == third.run_id
        # A password was written nowhere, so that it is asked for anew.
        assert _defaults(back) == {"month": "9月", "paper": given["paper"], "word": None}
        # The upload itself is forgotten after a week; the run still has the file.
        with bench.drafts.database.write() as connection:
            connection.execute(sa.delete(uploads))
        again = await answer(bench, back, {"month": "10月", "paper": given["paper"]})
        assert again.open_interactions[0].message == "10月 の上限"
        assert _defaults(again) == {"limit": 3}
        ended = await answer(bench, await answer(bench, again, {}), {"approved": True})
        assert exports(ended) == {"sum": 10, "ok": True}
        assert worked(trace) == ["costly", "log"]

    on_bench(settings_of(tmp_path), work)


def test_a_run_up_to_a_node_runs_what_that_needs_and_gives_what_it_gives(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    async def work(bench: Workbench) -> None:
        start: JsonObject = {**planning.given(WIZARD, {}), "vars": {"trace": str(trace)}}
        with pytest.raises(InvalidInput):
            await bench.start(LOCAL, "plan", start | {"until": "smu"})
        alone = await bench.start(LOCAL, "plan", start | {"until": "costly"})
        ended = await bench.wait(LOCAL, alone.run_id)
        assert (ended.status, exports(ended)) == (Status.SUCCEEDED, {"value": 7})
        assert [step.key for step in ended.steps] == ["costly"]
        assert "costly" in ended.title

        # On with the same data: what was done is not done again.
        further = await bench.replay(LOCAL, ended.run_id, (), {"until": "sum"})
        asked = await answer(bench, await _waits(bench, further), {"month": "9月"})
        ended = await answer(bench, asked, {"limit": 3})
        assert exports(ended) == {"sum": 10}
        assert worked(trace) == ["costly"]
        # With a node changed, that one alone.
        changed = planning.given(WIZARD.replace("value: 7", "value: 8"), {})
        again = await bench.replay(LOCAL, ended.run_id, (), {"source": changed["source"]})
        ended = await bench.wait(LOCAL, again.run_id)
        assert exports(ended) == {"sum": 11}
        assert worked(trace) == ["costly", "costly"]
        # And to the end.
        whole = await bench.replay(LOCAL, ended.run_id, (), {"until": ""})
        ended = await answer(bench, await _waits(bench, whole), {"approved": True})
        assert exports(ended) == {"sum": 11, "ok": True}

    on_bench(settings_of(tmp_path), work)
