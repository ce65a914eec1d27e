"""A plan's run as people see it, at every moment."""

from pathlib import Path

from sanbo.plans.workflow import Plans
from sanbo.runs.model import JsonObject, Status
from sanbo.runs.parts import Facts, Graph, Progress, Table, Trouble
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.presenting import Presented, one, words
from tests.workflows.planning import on_bench, settings_of, start, to_the_end

PLAN = """\
apiVersion: v1
id: large
version: 1.0.0
vars: { names: [東京, 大阪], rows: [{ name: A, amount: 3 }, { name: B, amount: 40 }], ok: 1 }
graph:
  - id: ask
    title: { ja: 確認, en: Confirm }
    block: ui.interactive_input
    in: { mode: confirm, message: よろしいですか。 }
  - id: large
    title: 高額の行を選ぶ
    block: transforms.filter
    after: [ask]
    in:
      items: ${vars.rows}
      conditions: [{ field: amount, operator: gte, value: 10 }]
  - id: never
    title: しない
    block: transforms.flatten_items
    when: { expr: "${large.filtered.length} > 9" }
    in: { results_list: [] }
  - id: each
    title: 店ごとに
    type: loop
    after: [large]
    foreach: { input: "${vars.names}", itemVar: name }
    body:
      plan:
        graph:
          - id: check
            title: 店
            block: flow.assert
            in: { condition: "${vars.ok}", message: だめです }
exports:
  - { from: large.filtered, as: payments }
  - { from: ask.approved, as: approved }
"""


def _presented(workspace: Path, text: str = PLAN) -> Presented:
    said: dict[str, JsonObject] = {"ask": {"approved": True}}

    async def work(bench: Workbench) -> Presented:
        begun = await start(bench, text)
        await to_the_end(bench, begun.run_id, said)
        return Presented(Plans(), await bench.events(LOCAL, begun.run_id))

    return on_bench(settings_of(workspace), work)


def test_nodes_are_seen_before_they_begin_while_they_wait_and_as_they_end(tmp_path: Path) -> None:
    shown = _presented(tmp_path)
    waiting = {step.id: step for step in one(shown.at(Status.WAITING), Progress).steps}
    assert (waiting["ask"].status, waiting["large"].status) == ("waiting", "pending")
    ended = {step.id: step for step in one(shown.end(), Progress).steps}
    assert (ended["each"].done, ended["each"].of) == (2, 2)
    assert (ended["never"].status, ended["never"].detail) == (
        "skipped",
        "条件に合わないためスキップ",
    )
    assert one(shown.end("en"), Progress).steps[0].title == "Confirm"
    graph = one(shown.end(), Graph)
    assert {node.id: node.status for node in graph.nodes}["each/check"] == "succeeded"
    assert ("ask", "large") in {(edge.source, edge.target) for edge in graph.edges}


def test_exports_are_tables_and_facts(tmp_path: Path) -> None:
    shown = _presented(tmp_path)
    parts = shown.end()
    table = one(parts, Table)
    assert (table.title, table.rows) == ("高額の行を選ぶ", (("B", 40),))
    assert [column.kind for column in table.columns] == ["text", "number"]
    assert "はい" in words(one(parts, Facts))
    assert [each.label for each in one(parts, Facts).items] == ["確認"]
    assert [each.label for each in one(shown.end("en"), Facts).items] == ["Confirm"]


def test_exports_of_one_node_are_told_apart_and_names_of_ones_own_stay(tmp_path: Path) -> None:
    more = "  - { from: large.excluded, as: others }\n  - { from: each.results, as: 店の結果 }\n"
    parts = _presented(tmp_path, PLAN + more).end()
    titles = [part.title for part in parts if part.id.startswith("exports")]
    assert "高額の行を選ぶ（payments）" in titles
    assert "高額の行を選ぶ（others）" in titles
    assert any("店の結果" in words(part) for part in parts if part.id.startswith("exports"))


def test_a_failure_says_from_where_it_can_be_done_again(tmp_path: Path) -> None:
    shown = _presented(tmp_path, PLAN.replace("ok: 1", "ok: 0"))
    trouble = one(shown.end(), Trouble)
    assert [retry.path for retry in trouble.retries] == [("each", "#0", "check")]
    failed = [step.title for step in one(shown.end(), Progress).steps if step.status == "failed"]
    assert "店ごとに › 1 › 店" in failed
