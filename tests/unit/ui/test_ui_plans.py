"""The pages of plans without a browser: what is listed, what is refused, what came out."""

from collections.abc import Generator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.plans.workflow import Plans
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.service.plans import save_design, source_by_id, start_input
from sanbo.settings import load_settings
from sanbo.ui import connection
from tests.examples import spread

PATIENCE = 60
ADD = """apiVersion: v1
id: tally
version: 1.0.0
title: {ja: "集計", en: "Tally"}
description: {ja: "表を集計します。", en: "Adds a table up."}
vars: {limit: 10, label: "5月", rows: [{"部門": "営業部", "金額": 1000}]}
graph:
  - id: total
    title: {ja: "合計", en: "Total"}
    block: transforms.group_by_agg
    in:
      items: ${vars.rows}
      by: "部門"
      aggregations: {実績: {field: "金額", op: sum}}
  - id: enough
    title: {ja: "件数の確認", en: "Check"}
    block: flow.assert
    in:
      assertions:
        - {name: "上限", value: "${vars.limit}", op: gt, expected: 0, message: "上限がありません"}
exports:
  - {from: total.rows, as: totals}
"""
ASK = """apiVersion: v1
id: keyed
version: 1.0.0
graph:
  - id: ask
    title: {ja: "接続", en: "Connect"}
    block: ui.interactive_input
    in:
      mode: collect
      message: "接続します。"
      requirements:
        - {id: key, type: text, label: "接続キー", secret: true}
        - {id: note, type: text, label: "メモ", required: false}
exports:
  - {from: ask.collected_data, as: given}
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[BlockingWorkbench]:
    folder = tmp_path_factory.mktemp("plans")
    settings = load_settings(folder / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, (Plans(),)) as opened:
        yield opened


@pytest.fixture
def bench(served: BlockingWorkbench) -> Generator[BlockingWorkbench]:
    connection.provide(served, requires_token=False)
    yield served
    connection.withdraw()


def _draw() -> None:
    import streamlit as st  # noqa: PLC0415

    from sanbo.ui.addresses import Addresses, announce  # noqa: PLC0415
    from sanbo.ui.views.plans import plans_page  # noqa: PLC0415

    here = st.Page(plans_page, title="plans")
    announce(Addresses(*[here] * len(Addresses._fields)))
    st.navigation([here]).run()


def _page(**query: str) -> AppTest:
    page = AppTest.from_function(_draw, default_timeout=PATIENCE)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def _said(page: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*page.markdown, *page.caption))


def _html(page: AppTest) -> str:
    return "\n".join(element.proto.body for element in page.get("html"))


def _button(page: AppTest, label: str) -> Any:
    return next(button for button in page.button if button.label == label)


def _ran(bench: BlockingWorkbench, caller: Caller, plan_id: str, **values: int) -> Run:
    given: JsonObject = start_input(source_by_id(bench.workbench.settings, plan_id), values)
    run = bench.call(bench.workbench.start(caller, "plan", given))
    return bench.call(bench.workbench.wait(caller, run.run_id))


def test_without_plans_of_its_own_the_list_says_so_and_shows_the_samples(
    bench: BlockingWorkbench,
) -> None:
    page = _page()
    assert "まだプランはありません" in page.info[0].value
    labels = [link.proto.label for link in page.get("page_link")]
    assert labels[:2] == ["**請求書と入金の照合**", "**月次の経費締め**"]
    assert len([link for link in labels if "budget" not in link]) == len(labels)


def test_a_valid_plan_is_drawn_with_its_variables_and_starts_with_what_was_changed(
    bench: BlockingWorkbench,
) -> None:
    save_design(bench.workbench.settings, ADD, replace=True)
    page = _page(plan="tally")
    assert page.title[0].value == "集計"
    assert "手順：合計、件数の確認" in _html(page)
    assert [each.label for each in page.number_input] == ["limit（必須）"]
    page.number_input[0].set_value(25).run()
    _button(page, "実行する").click().run()
    assert not page.exception
    run = bench.call(bench.workbench.get(LOCAL, str(page.query_params["run"])))
    assert run.input["vars"] == {"limit": 25}


def test_a_broken_plan_opens_with_its_findings_and_can_not_be_started(
    bench: BlockingWorkbench,
) -> None:
    broken = ADD.replace("id: tally", "id: tally_broken").replace("flow.assert", "flow.asert")
    broken = broken.replace('"上限"', '"<script>alert(1)</script>"')
    save_design(bench.workbench.settings, broken, replace=True)
    page = _page(plan="tally_broken")
    assert "誤り1件" in page.error[0].value
    shown = _html(page)
    assert 'id="plan-line-17"' in shown
    assert "unknown_block" in shown
    assert "<script>" not in shown
    page = _page(plan="tally_broken", view="run")
    assert _button(page, "実行する").disabled
    assert "誤りが1件あるため、実行できません。" in _said(page)


def test_what_is_no_yaml_at_all_still_has_its_page(bench: BlockingWorkbench) -> None:
    save_design(bench.workbench.settings, "graph: [\n", "scrap", replace=True)
    for view in ("check", "trial", "text", "run"):
        page = _page(plan="scrap", view=view)
        assert page.title[0].value == "scrap"
    assert "図にできません" in _said(page)


def test_the_dry_run_tells_of_each_node_what_it_would_give(bench: BlockingWorkbench) -> None:
    page = _page(plan="invoice_reconciliation", view="trial")
    assert "すべての手順がつながっています" in page.success[0].value
    shown = _html(page)
    assert "条件に合わない場合（スキップ）" in shown
    assert "請求書の読み取り" in shown


def test_a_finished_run_shows_its_exports_nodes_and_picture(bench: BlockingWorkbench) -> None:
    save_design(bench.workbench.settings, ADD, replace=True)
    run = _ran(bench, LOCAL, "tally")
    assert run.status is Status.SUCCEEDED, run.problem
    page = _page(run=run.run_id)
    assert page.title[0].value == "集計"
    assert page.dataframe[0].value.to_dict("records") == [{"部門": "営業部", "実績": 1000}]
    assert "実行の図。成功 2" in _html(page)
    labels = [block.label for block in page.expander]
    assert any("合計" in label and "成功" in label for label in labels)
    assert any(
        run.run_id in link.proto.query_string for link in _page(plan="tally").get("page_link")
    )


def test_a_failed_run_names_its_node_and_offers_both_ways_on(bench: BlockingWorkbench) -> None:
    save_design(bench.workbench.settings, ADD, replace=True)
    run = _ran(bench, LOCAL, "tally", limit=-1)
    assert run.status is Status.FAILED
    page = _page(run=run.run_id)
    assert "手順「件数の確認」で止まりました" in _said(page)
    assert "上限がありません" in page.error[0].value
    assert page.info, "no hint"
    assert _button(page, "続きから再実行")
    _button(page, "「件数の確認」からやり直す").click().run()
    assert not page.exception
    again = bench.call(bench.workbench.get(LOCAL, str(page.query_params["run"])))
    assert again.replay_of is not None
    assert again.replay_of.step == ("enough",)


LOOP = """apiVersion: v1
id: looped
version: 1.0.0
graph:
  - id: each
    type: loop
    foreach: {input: [1, 2, 0, 4], itemVar: n}
    body:
      plan:
        graph:
          - id: check
            title: {ja: "金額の確認"}
            block: flow.assert
            in: {assertions: [{value: "${n}", op: gt, expected: 0}]}
"""


def test_a_node_in_a_loop_is_run_again_from_its_own_turn(bench: BlockingWorkbench) -> None:
    save_design(bench.workbench.settings, LOOP, replace=True)
    run = _ran(bench, LOCAL, "looped")
    page = _page(run=run.run_id)
    assert "手順「金額の確認（3回目）」で止まりました" in _said(page)
    _button(page, "「金額の確認（3回目）」からやり直す").click().run()
    again = bench.call(bench.workbench.wait(LOCAL, str(page.query_params["run"])))
    assert again.replay_of is not None
    assert again.replay_of.step == ("each", "#2", "check")
    events = bench.call(bench.workbench.events(LOCAL, again.run_id))
    failed = next(event.path for event in events if event.payload.event == "node_error")
    assert failed == ("each", "#2", "check"), "the turns before it stand"


def test_a_password_is_hidden_and_never_kept_as_a_draft(bench: BlockingWorkbench) -> None:
    save_design(bench.workbench.settings, ASK, replace=True)
    run = _ran(bench, LOCAL, "keyed")
    page = _page(run=run.run_id)
    key = page.text_input[0]
    assert key.proto.type == key.proto.PASSWORD
    key.set_value("himitsu-7781").run()
    page.text_area[0].set_value("至急").run()
    draft = bench.workbench.drafts.load(LOCAL.owner, run.open_interactions[0].state_key)
    assert draft is not None
    assert draft["values"] == {"note": "至急"}
    assert "接続" in _said(page)


def test_a_question_that_was_answered_elsewhere_does_not_just_vanish(
    bench: BlockingWorkbench,
) -> None:
    save_design(bench.workbench.settings, ASK, replace=True)
    run = _ran(bench, LOCAL, "keyed")
    page = _page(run=run.run_id)
    bench.call(bench.workbench.answer(LOCAL, run.run_id, {"key": "from-elsewhere-1"}))
    bench.call(bench.workbench.wait(LOCAL, run.run_id))
    page.run()
    assert "ほかの画面などから回答がありました" in page.info[0].value


def test_nobody_sees_a_run_of_somebody_else(bench: BlockingWorkbench) -> None:
    save_design(bench.workbench.settings, ADD, replace=True)
    run = _ran(bench, Caller("baba"), "tally")
    page = _page(run=run.run_id)
    assert "見つかりません" in page.error[0].value


@pytest.mark.parametrize("named", spread(["nothing", "x" * 500, "../../etc/passwd"], 2))
def test_an_address_of_no_plan_is_a_problem_with_a_hint(
    bench: BlockingWorkbench, named: str
) -> None:
    page = _page(plan=named)
    assert page.error
    assert page.info


def _draw_record() -> None:
    import streamlit as st  # noqa: PLC0415

    from sanbo.ui.addresses import Addresses, announce  # noqa: PLC0415
    from sanbo.ui.views.run import run_page  # noqa: PLC0415

    here = st.Page(run_page, title="run")
    announce(Addresses(*[here] * len(Addresses._fields)))
    st.navigation([here]).run()


def test_the_page_of_all_runs_shows_a_plans_exports_and_leads_to_its_own(
    bench: BlockingWorkbench,
) -> None:
    save_design(bench.workbench.settings, ADD, replace=True)
    run = _ran(bench, LOCAL, "tally")
    page = AppTest.from_function(_draw_record, default_timeout=PATIENCE)
    page.query_params["run"] = run.run_id
    page.run()
    assert not page.exception
    assert page.dataframe[0].value.to_dict("records") == [{"部門": "営業部", "実績": 1000}]
    assert any(link.proto.label == "プランの図と手順を見る" for link in page.get("page_link"))
