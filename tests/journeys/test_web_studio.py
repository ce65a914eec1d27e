"""The studio in Chromium: a sample is copied, mended, drawn on, tried, kept, approved and run."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from sanbo.service.plan_list import SHIPPED
from tests.journeys.conftest import Guarded, OpenPage, logged_in, put_plan
from tests.journeys.web_visitor import fits, is_accessible
from tests.journeys.workbench_server import WorkbenchServer

ADDED = """
  - id: distinct
    block: transforms.distinct
    in:
      items: ${over.filtered}"""
SAMPLE = "common/budget_check"
PHONE = 390


def _node(page: Page, key: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{key}"]')


def _opens(page: Page, key: str) -> None:
    """Again where the picture still moved under the mouse."""
    form = page.locator(".studio-form")
    for _ in range(10):
        _node(page, key).click()
        try:
            form.wait_for(timeout=3000)
        except PlaywrightTimeout:
            continue
        return
    expect(form).to_be_visible()


def _says(page: Page, words: str) -> None:
    expect(page.locator(".studio-notice")).to_contain_text(words)


def _drags_in(page: Page, block: str) -> None:
    page.get_by_role("button", name=block).hover()
    page.mouse.down()
    box = page.locator(".react-flow__pane").bounding_box()
    assert box
    for way in (20, 60):  # a drag begins where the mouse has moved, and then it moves on
        page.mouse.move(box["x"] + way, box["y"] + way, steps=4)
    page.mouse.up()


def _connects(page: Page, source: tuple[str, str], target: tuple[str, str]) -> None:
    page.get_by_role("button", name="全体を表示").click()
    page.wait_for_timeout(300)  # the picture moves there
    start = _node(page, source[0]).locator(f'.source[data-handleid="{source[1]}"]')
    end = _node(page, target[0]).locator(f'.target[data-handleid="{target[1]}"]')
    start.hover(force=True)
    page.mouse.down()
    box = end.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()


def _designs(page: Page) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})  # ports that a mouse can meet
    expect(_node(page, "over")).to_be_visible()
    expect(page.get_by_text("誤りも注意もありません。")).to_be_visible()
    # A fault is told at its line as it is typed, and mended with what is offered there.
    _opens(page, "result")  # its lines come into view
    page.locator(".cm-line", has_text="block: transforms.pick").click()
    page.keyboard.press("End")
    page.keyboard.type("x")
    expect(page.locator(".findings")).to_contain_text("transforms.pickx")
    expect(page.locator(".cm-lint-marker-error")).to_be_visible()
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.press("Control+Space")
    page.locator(".cm-tooltip-autocomplete li", has_text="transforms.pick").click()
    expect(page.get_by_text("誤りも注意もありません。")).to_be_visible()
    page.locator(".studio-form").get_by_role("button", name="閉じる").click()
    # A block is dragged in, taken back, and dragged in again by redo.
    page.get_by_label("ブロックを探す").fill("distinct")
    _drags_in(page, "transforms.distinct")
    expect(_node(page, "distinct")).to_be_visible()
    page.get_by_role("button", name="元に戻す").click()
    expect(_node(page, "distinct")).to_have_count(0)
    page.get_by_role("button", name="やり直す").click()
    expect(_node(page, "distinct")).to_be_visible()
    page.locator(".studio-form").get_by_role("button", name="閉じる").click()
    _connects(page, ("over", "summary"), ("distinct", "items"))
    _says(page, "つなげません")
    expect(page.locator('.findings [data-tone="bad"]')).to_have_count(1)  # it lacks an input
    line = page.locator('.react-flow__edge[data-id="over.filtered>distinct.items"]')
    _connects(page, ("over", "filtered"), ("distinct", "items"))
    expect(line).to_have_count(1)
    page.get_by_role("button", name="試し実行").click()
    _says(page, "見本の値で最後まで通りました。")
    expect(page.locator(".studio-sample").first).to_be_visible()
    is_accessible(page)
    page.get_by_role("button", name="版として保存").click()
    _says(page, "版 1.0.0 を保存しました。")
    page.get_by_role("button", name="元に戻す").click()
    page.get_by_role("button", name="版 1.0.0 との違い").click()
    expect(page.locator('.studio-diff .graph-node[data-change="changed"]')).to_contain_text(
        "distinct"
    )
    page.get_by_role("button", name="やり直す").click()
    page.get_by_role("button", name="承認を依頼").click()
    _says(page, "承認を依頼しました。")
    page.get_by_role("button", name="承認する").click()
    expect(page.locator(".studio > .problem")).to_be_visible()  # one's own: four eyes


def _goes_on_with_the_next_version(page: Page) -> None:
    """What is approved is not changed, but followed by another version; here that is undone."""
    page.get_by_role("button", name="transforms.limit").click()
    _says(page, "版 1.0.0 は下書きではないため、このままでは保存できません。")
    expect(page.get_by_role("button", name="版として保存")).to_be_disabled()
    page.get_by_role("button", name="版 1.1.0 として直す").click()
    expect(page.get_by_role("button", name="版として保存")).to_be_enabled()
    page.get_by_role("button", name="元に戻す").click()
    page.get_by_role("button", name="元に戻す").click()


@pytest.mark.thorough
def test_a_copy_of_a_sample_is_designed_approved_by_another_and_run(
    guarded: Guarded, open_page: OpenPage
) -> None:
    url = guarded.server.url
    page = logged_in(open_page(f"{url}/plans?plan={SAMPLE}", quiet=False), guarded.aoki)
    page.get_by_role("link", name="複製して設計する").click()
    _designs(page)
    answer = httpx.get(
        f"{url}/api/v1/plans/budget_check_copy/versions/1.0.0",
        headers={"Authorization": f"Bearer {guarded.aoki}"},
    )
    before = (SHIPPED / f"{SAMPLE}.yaml").read_text("utf-8")
    renamed = before.replace("id: budget_check\n", "id: budget_check_copy\n")
    assert answer.json()["text"] == renamed.replace("\n\nexports:", f"\n{ADDED}\n\nexports:")
    other = logged_in(open_page(page.url, quiet=False), guarded.mori)
    other.get_by_role("button", name="承認する").click()
    _says(other, "承認しました。")
    _goes_on_with_the_next_version(other)
    other.get_by_role("button", name="実行する").click()
    expect(other).to_have_url(re.compile(r"/plans\?run="))


@pytest.mark.thorough
def test_on_a_phone_text_and_graph_are_tabs_and_both_languages_and_looks_are_accessible(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(f"{server.url}/studio?copy={SAMPLE}", width=PHONE, height=844)
    expect(_node(page, "over")).to_be_visible()
    expect(page.locator(".cm-content")).to_be_hidden()
    fits(page)
    page.get_by_role("tab", name="YAML").click()
    expect(page.locator(".cm-content")).to_be_visible()
    expect(page.locator(".react-flow")).to_be_hidden()
    fits(page)
    is_accessible(page)
    wide = open_page(f"{server.url}/studio?copy={SAMPLE}", locale="en-US")
    wide.get_by_role("button", name="Dark appearance").click()
    _opens(wide, "over")
    expect(wide.get_by_label("Choose a reference for items")).to_be_visible()
    is_accessible(wide)


TRIAL = """\
apiVersion: v1
id: trial
version: 1.0.0
title: 高額の確認
graph:
  - id: ask
    title: 明細を受け取る
    block: ui.interactive_input
    in:
      message: 明細を選んでください。
      requirements: [{ id: file, type: file, label: 明細, accept: .csv }]
  - id: rows
    title: CSVを読む
    block: file.read_csv
    in: { bytes: "${ask.collected_data.file}" }
  - id: large
    title: 高額の行
    block: transforms.filter
    in:
      items: ${rows.rows}
      conditions: [{ field: 金額, operator: gte, value: 1000 }]
exports: [{ from: large.filtered, as: rows }]
"""


@pytest.mark.thorough
def test_a_plan_is_run_up_to_a_node_on_a_small_file_and_on_from_there(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    put_plan(server, "trial", TRIAL)
    (tmp_path / "small.csv").write_text("金額\n500\n2000\n", "utf-8")
    page = open_page(f"{server.url}/studio?plan=trial")
    _opens(page, "rows")
    page.get_by_role("button", name="ここまで実行").click()
    trial = page.get_by_role("region", name="「CSVを読む」までの実行")
    trial.locator("input[type=file]").set_input_files(tmp_path / "small.csv")
    expect(trial.get_by_role("button", name="small.csvを外す")).to_be_visible()
    trial.get_by_role("button", name="送信する").click()
    expect(page.locator(".studio-sample", has_text="small.csv")).to_be_visible()
    expect(trial).to_contain_text("2000")
    # On to the next: nobody is asked for the file again.
    page.locator(".studio-form").get_by_role("button", name="閉じる").click()
    _opens(page, "large")
    page.get_by_role("button", name="ここまで実行").click()
    further = page.get_by_role("region", name="「高額の行」までの実行")
    expect(further.locator(".question")).to_have_count(0)
    expect(page.locator(".studio-sample", has_text="[2] 金額: 500")).to_be_visible()
    expect(page.locator(".studio-form")).to_contain_text("2000")
    is_accessible(page)
    # Two of its steps become a plan of their own, which goes on with the same file.
    form = page.locator(".studio-form")
    for key in ("rows", "large"):
        form.get_by_role("button", name="閉じる").click()
        page.get_by_role("button", name="全体を表示").click()
        page.wait_for_timeout(300)  # the picture moves there
        _opens(page, key)
        form.get_by_role("checkbox").check()
    form.get_by_role("button", name="閉じる").click()
    grouping = page.get_by_role("region", name="手順をまとめる")
    grouping.get_by_label("まとめた手順のID").fill("narrow")
    is_accessible(page)
    grouping.get_by_role("button", name="別のプランにする").click()
    _says(page, "プラン「narrow@1.0.0」を下書きとして保存し")
    expect(page.get_by_text("誤りも注意もありません。")).to_be_visible()
    page.get_by_role("button", name="ここまで実行").click()
    called = page.get_by_role("region", name="「narrow」までの実行")
    expect(called.locator(".parts")).to_contain_text("2000")
    expect(called.locator(".question")).to_have_count(0)
