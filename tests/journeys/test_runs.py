"""A run from its start to its end, as a person sees it in the browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import OpenPage
from tests.journeys.visitor import begin, clicks, sees, sees_status, types
from tests.journeys.workbench_server import WorkbenchServer


def test_run_started_from_the_page_succeeds(server: WorkbenchServer, open_page: OpenPage) -> None:
    page = open_page(f"{server.url}/streamlit/")
    sees(page, "実行一覧")
    clicks(page, "新しい実行")
    page.wait_for_url("**/new")
    expect(page.locator("h1")).to_have_text("新しい実行")
    page.get_by_label("ワークフロー").click()
    page.get_by_role("option", name="経費の集計").click()
    types(page, "件名", "10月の出張費")
    types(page, "承認が必要な金額", "100000")
    clicks(page, "実行する")
    sees_status(page, "完了")
    sees(page, "合計 46,000 円（旅費）")
    sees(page, "report.md")
    sees(page, "ルール（モデルなし）")
    assert re.search(r"/run\?run=run_\w+", page.url)
    page.reload()
    sees_status(page, "完了")
    page.get_by_role("link", name="実行一覧").click()
    sees(page, "経費の集計")


@pytest.mark.thorough
def test_live_view_updates_by_itself(server: WorkbenchServer, open_page: OpenPage) -> None:
    url = begin(server, "expenses", title="旅費", limit=10**6, step_seconds=1.5)
    page = open_page(url)
    sees_status(page, "実行中")
    sees(page, "金額を読み取る")
    sees(page, "報告書を作る")
    sees_status(page, "完了")
    sees(page, "合計 46,000 円（旅費）")


@pytest.mark.thorough
def test_confirmation_is_answered(server: WorkbenchServer, open_page: OpenPage) -> None:
    page = open_page(begin(server, "expenses", title="会議"))
    sees(page, "合計は 46,000 円です。承認しますか。")
    sees_status(page, "回答待ち")
    types(page, "コメント", "確認しました")
    clicks(page, "承認する")
    sees_status(page, "完了")
    expect(page.get_by_text("ご回答をお願いします")).to_have_count(0)


@pytest.mark.thorough
def test_rejection_leads_to_the_next_question(server: WorkbenchServer, open_page: OpenPage) -> None:
    page = open_page(begin(server, "approval", topic="備品"))
    sees(page, "この案でよろしいですか。")
    types(page, "コメント", "もっと短く")
    clicks(page, "差し戻す")
    sees(page, "revise")
    sees_status(page, "回答待ち")
    expect(page.get_by_label("コメント")).to_have_value("")
    clicks(page, "承認する")
    sees_status(page, "完了")


@pytest.mark.thorough
def test_run_is_cancelled(server: WorkbenchServer, open_page: OpenPage) -> None:
    page = open_page(begin(server, "expenses", title="長い", step_seconds=60))
    sees_status(page, "実行中")
    clicks(page, "中止する")
    sees_status(page, "中止")
    sees(page, "この実行は中止されました。")


@pytest.mark.thorough
def test_failed_run_shows_its_problem_and_can_be_retried(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(begin(server, "expenses", title="失敗", fail_at="add"))
    sees_status(page, "失敗")
    expect(page.get_by_role("alert").first).to_contain_text("add")
    page.get_by_text("エラー詳細").click()
    sees(page, "INPUT_VALIDATION_FAILED")
    clicks(page, "再実行")
    sees(page, "2回目")
    sees_status(page, "失敗")


@pytest.mark.thorough
def test_run_is_done_again_from_a_step(server: WorkbenchServer, open_page: OpenPage) -> None:
    page = open_page(begin(server, "expenses", title="やり直し", limit=10**6))
    sees_status(page, "完了")
    before = page.url
    page.get_by_role("button", name="ここからやり直す").nth(1).click()
    page.wait_for_url(lambda url: url != before and "run=" in url)
    sees_status(page, "完了")
    sees(page, "やり直す前の実行を開く")


@pytest.mark.thorough
def test_run_is_deleted_after_a_question(server: WorkbenchServer, open_page: OpenPage) -> None:
    url = begin(server, "expenses", title="消す", limit=10**6)
    page = open_page(f"{server.url}/streamlit/")
    clicks(page, "削除")
    sees(page, "元に戻せません")
    page.get_by_role("dialog").get_by_role("button", name="やめる").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto(url)
    sees_status(page, "完了")
    clicks(page, "この実行を削除")
    sees(page, "元に戻せません")
    page.get_by_role("dialog").get_by_role("button", name="削除する").click()
    page.wait_for_url(f"{server.url}/streamlit/")
    page.goto(url)
    sees(page, "見つかりません")


@pytest.mark.thorough
def test_trail_can_be_downloaded(server: WorkbenchServer, open_page: OpenPage) -> None:
    page = open_page(begin(server, "expenses", title="記録", limit=10**6))
    sees_status(page, "完了")
    page.get_by_text("実行の記録").click()
    with page.expect_download() as download:
        clicks(page, "JSONLをダウンロード")
    lines = download.value.path().read_text("utf-8").splitlines()
    assert '"event":"run_start"' in lines[0]
    assert '"event":"run_complete"' in lines[-1]
    with page.expect_download() as report:
        page.get_by_role("button", name="ダウンロード", exact=True).click()
    assert "合計 46,000 円" in report.value.path().read_text("utf-8")
