"""From a sentence to an approved plan and its result, in Chromium, by two people."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import WAIT_MS, Guarded, OpenPage, logged_in
from tests.journeys.test_web_studio import (
    _connects,
    _drags_in,
    _node,
    _opens,
    _says,
)
from tests.journeys.web_visitor import is_accessible

INSTRUCTION = "売上.csvから金額が1000以上の行を選び、Excelに書き出し、部長が承認する"
ROWS = "店,担当,金額\n東京,青木,500\n大阪,森,2000\n東京,青木,3000\n東京,青木,3000\n"


def _generates(page: Page, sample: Path) -> None:
    made = page.get_by_role("region", name="文章から作る")
    made.get_by_label("作りたい手順").fill(INSTRUCTION)
    made.locator("input[type=file]").first.set_input_files(sample)
    expect(made.get_by_role("button", name="売上.csvを外す")).to_be_visible()
    made.get_by_role("button", name="プランを作る").click()
    sentence = made.get_by_label("手順の文 1")
    expect(sentence).to_have_value(re.compile("1000以上"), timeout=WAIT_MS)
    expect(made.locator(".studio-outline")).to_contain_text("部長")
    # The outline is changed before anything is taken.
    sentence.fill(sentence.input_value().replace("1000", "2000"))
    expect(made.get_by_role("button", name="取り込む")).to_be_disabled()
    made.get_by_role("button", name="この概要で作り直す").click()
    outline = made.locator(".studio-outline")
    expect(outline).to_contain_text("金額が2000以上", timeout=WAIT_MS)
    is_accessible(page)
    made.get_by_role("button", name="取り込む").click()
    _says(page, "取り込みました。")
    expect(_node(page, "filter")).to_be_visible()
    expect(page.get_by_text("誤りも注意もありません。")).to_be_visible()


def _changes_by_a_sentence(page: Page) -> None:
    """Shown by what differs, and then not taken."""
    page.get_by_role("button", name="文章から作る").click()
    made = page.get_by_role("region", name="文章から作る")
    made.get_by_label("直したいこと").fill("承認者を2人にして")
    made.locator("form").get_by_role("button", name="今のプランを直す").last.click()
    taking = made.get_by_role("button", name="違いを確かめて取り込む")
    expect(taking).to_be_visible(timeout=WAIT_MS)
    taking.click()
    proposal = page.get_by_role("region", name="取り込む前の確認")
    expect(proposal.locator(".graph-node[data-change=added]")).to_contain_text("承認")
    proposal.get_by_role("button", name="やめる").click()
    made.get_by_role("button", name="閉じる").click()


def _mends(page: Page) -> None:
    _opens(page, "filter")
    page.locator(".cm-line", has_text="operator: gte").click()
    page.keyboard.press("End")
    page.keyboard.type("x")
    expect(page.locator('.findings [data-tone="bad"]')).to_contain_text("gtex")
    page.keyboard.press("Backspace")
    expect(page.get_by_text("誤りも注意もありません。")).to_be_visible()
    # A node gets another name: whatever reads it follows.
    form = page.locator(".studio-form")
    form.get_by_label("ID").fill("large")
    form.get_by_label("ID").press("Enter")
    _says(page, "「filter」を「large」に変え")
    expect(page.locator(".cm-line", has_text="${large.filtered}").first).to_be_attached()
    form.get_by_role("button", name="閉じる").click()


def _adds(page: Page) -> None:
    page.get_by_label("ブロックを探す").fill("distinct")
    _drags_in(page, "transforms.distinct")
    expect(_node(page, "distinct")).to_be_visible()
    page.locator(".studio-form").get_by_role("button", name="閉じる").click()
    line = page.locator('.react-flow__edge[data-id="large.filtered>distinct.items"]')
    _connects(page, ("large", "filtered"), ("distinct", "items"))
    expect(line).to_have_count(1)
    page.get_by_role("button", name="試し実行").click()
    _says(page, "見本の値で最後まで通りました。")


def _tries(page: Page, sample: Path) -> None:
    _opens(page, "distinct")
    page.get_by_role("button", name="ここまで実行").click()
    trial = page.get_by_role("region", name="「distinct」までの実行")
    trial.locator("input[type=file]").set_input_files(sample)
    expect(trial.get_by_role("button", name="売上.csvを外す")).to_be_visible()
    trial.get_by_role("button", name="送信する").click()
    expect(page.locator(".studio-sample", has_text="[3] 店: 大阪").first).to_be_visible()
    expect(page.locator(".studio-form")).to_contain_text("3000")
    page.locator(".studio-form").get_by_role("button", name="閉じる").click()


def _answers_the_wizard(page: Page, sample: Path) -> None:
    expect(page.locator(".wizard-head")).to_contain_text("ステップ 1 / 2")
    page.locator(".question input[type=file]").set_input_files(sample)
    expect(page.get_by_role("button", name="売上.csvを外す")).to_be_visible()
    page.get_by_role("button", name="送信する").click()
    expect(page.locator(".wizard-head")).to_contain_text("ステップ 2 / 2：部長の承認")
    page.get_by_role("button", name="承認する").click()
    expect(page.locator(".parts")).to_contain_text("結果.xlsx")


def test_a_sentence_becomes_a_plan_that_another_approves_and_runs(
    tmp_path: Path, guarded: Guarded, open_page: OpenPage
) -> None:
    sample = tmp_path / "売上.csv"
    sample.write_text(ROWS, "utf-8")
    studio = f"{guarded.server.url}/studio"
    page = logged_in(open_page(studio, quiet=False), guarded.aoki)
    _generates(page, sample)
    _changes_by_a_sentence(page)
    _mends(page)
    _adds(page)
    _tries(page, sample)
    page.get_by_role("button", name="版として保存").click()
    _says(page, "を保存しました。")
    page.get_by_role("button", name="承認を依頼").click()
    _says(page, "承認を依頼しました。")
    page.get_by_role("button", name="承認する").click()
    expect(page.locator(".studio > .problem")).to_be_visible()  # one's own: four eyes
    other = logged_in(open_page(page.url, quiet=False), guarded.mori)
    other.get_by_role("button", name="承認する").click()
    _says(other, "承認しました。")
    other.get_by_role("button", name="実行する").click()
    expect(other).to_have_url(re.compile(r"/plans\?run="))
    _answers_the_wizard(other, sample)
