"""Two documents in the browser: brought, compared, read side by side; and all there again."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.test_places import NO_SIDEWAYS_SCROLLING
from tests.journeys.visitor import clicks, has_typed, sees, settled, turns_to, types
from tests.journeys.workbench_server import WorkbenchServer

OLD = """# 業務委託契約書

第1条（目的）
甲は、社内システムの保守業務を乙に委託し、乙はこれを受託する。

第2条（委託料）
委託料は、月額100万円とする。

第3条（秘密保持）
甲および乙は、本契約に関して知り得た相手方の秘密を、第三者に開示してはならない。

第4条（協議）
本契約に定めのない事項は、甲乙協議のうえ決定する。
"""
NEW = OLD.replace("100万円", "120万円").replace(
    "第4条（協議）",
    "第4条（再委託）\n乙は、甲の承諾なく業務を再委託してはならない。"
    "<img src=x onerror='window.acted = true'>\n\n第5条（協議）",
)
COMPARE = "比較する"
LONG_MS = 90_000  # what compares is loaded once, and two cores are shared


def _brings(page: Page, old: Path, new: Path) -> None:
    turns_to(page, "ファイル")  # a form is found as it was left
    for position, path in enumerate((old, new)):
        page.locator(".stFileUploader:visible input").nth(position).set_input_files(path)
        expect(page.get_by_role("button", name="外す")).to_have_count(position + 1)
        settled(page)


def _chooses(page: Page, label: str, option: str) -> None:
    settled(page)  # a list that is open closes when the page is drawn again
    field = page.get_by_label(label, exact=True)
    field.click()
    page.get_by_role("option", name=option).click()
    expect(field).to_have_value(option)


def _compares(page: Page) -> None:
    button = page.get_by_role("button", name=COMPARE, exact=True)
    expect(button).to_be_enabled()
    settled(page)
    button.click()


def _view(page: Page) -> FrameLocator:
    expect(page.locator(".st-key-comparison-view iframe")).to_be_visible(timeout=LONG_MS)
    return page.frame_locator(".st-key-comparison-view iframe")


def _raised(page: Page) -> Locator:
    """The amount that changed, marked in the new document."""
    return _view(page).locator("ins", has_text="120万円")


def _files(folder: Path) -> tuple[Path, Path]:
    old, new = folder / "契約書（旧）.md", folder / "契約書（新）.md"
    old.write_text(OLD, "utf-8")
    new.write_text(NEW, "utf-8")
    return old, new


def test_two_files_are_compared_read_and_downloaded_and_a_reload_shows_the_same(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    """That no request leaves, and no script of a document runs, is checked by `open_page`."""
    page = open_page(f"{server.url}/streamlit/")
    page.get_by_role("link", name="文書の比較").click()
    expect(page.locator("h1")).to_have_text("文書の比較")
    sees(page, "旧と新のファイルを選んでください")
    expect(page.get_by_role("button", name=COMPARE, exact=True)).to_be_disabled()
    _brings(page, *_files(tmp_path))
    page.reload()
    expect(page.get_by_role("button", name="外す")).to_have_count(2)
    _compares(page)

    for here in ("first sight", "reload"):
        sees(page, "契約書（旧）.md → 契約書（新）.md")
        badge = page.locator(".stMarkdownBadge", has_text="変更 1").first
        expect(badge).to_be_visible(timeout=LONG_MS)
        expect(page.locator(".stMarkdownBadge", has_text="金額・数量 1")).to_be_visible()
        assert "run=run_" in page.url
        expect(_raised(page)).to_be_visible()
        if here == "first sight":
            page.reload()
    for kind, name in (
        ("Word", "新旧対照表.docx"),
        ("Excel", "新旧対照表.xlsx"),
        ("HTML", "比較結果.html"),
        ("Markdown", "比較結果.md"),
        ("JSON", "比較結果.json"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"（{kind}）").click()
        assert download.value.suggested_filename == name
        assert download.value.path().stat().st_size > 100

    page.get_by_role("radio", name="English").click()
    sees(page, "Compare again")
    clicks(page, "Compare again")
    expect(page.get_by_role("button", name="Remove")).to_have_count(2)
    expect(page.get_by_role("link", name="契約書（旧）.md → 契約書（新）.md").first).to_be_visible()


@pytest.mark.thorough
def test_the_view_scrolls_filters_and_jumps_within_the_page_and_has_no_right_of_ours(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(f"{server.url}/streamlit/comparison")
    turns_to(page, "文章を貼り付け")
    types(page, "旧（変更前）の文章", NEW)
    sees(page, "新（変更後）の文章を貼り付けてください")
    types(page, "新（変更後）の文章", OLD)
    settled(page)
    clicks(page, "旧と新を入れ替える")
    has_typed(page, "旧（変更前）の文章", OLD)
    page.reload()
    has_typed(page, "新（変更後）の文章", NEW)
    _compares(page)
    expect(_raised(page)).to_be_visible()
    view = _view(page)
    added = view.locator('.row[data-kind="added"]')
    view.locator("input[name=kind][value=added]").uncheck()
    expect(added.first).to_be_hidden()
    view.locator("#reset").click()
    expect(added.first).to_be_visible()
    view.locator("input[name=flag][value=amount]").check()
    expect(added.first).to_be_hidden()
    expect(_raised(page)).to_be_visible()
    view.locator(".list a", has_text="120万円").click()
    here = view.locator(".row.current")
    expect(here.locator(".old del", has_text="100万円")).to_be_in_viewport()
    expect(here.locator(".new ins", has_text="120万円")).to_be_in_viewport()
    view.locator("#reset").click()
    expect(view.locator(".new", has_text="<img src=x onerror").first).to_be_visible()

    frame = page.frames[-1]
    assert frame.evaluate("self.origin") == "null", "it could act as its reader"
    assert frame.evaluate("window.acted") is None
    assert page.evaluate("window.acted") is None


@pytest.mark.thorough
def test_two_documents_of_a_collection_are_compared(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    api = f"{server.url}/api/v1"
    texts = {"契約書 2024.txt": OLD, "契約書 2025.txt": NEW}
    texts |= {f"議事録{number}.txt": f"会議{number}の記録" for number in range(12)}
    files = [
        httpx.post(f"{api}/files", files={"file": (name, text.encode())}).json()
        for name, text in texts.items()
    ]
    address = f"{api}/collections/比較する契約/documents"
    assert httpx.post(address, json={"files": files}, timeout=60).status_code == 200
    page = open_page(f"{server.url}/streamlit/comparison")
    turns_to(page, "コレクションから")
    _chooses(page, "コレクション", "比較する契約")
    types(page, "文書名で絞り込む", "2024")
    page.wait_for_timeout(600)  # typed text is sent after a pause
    _chooses(page, "旧（変更前）の文書", "契約書 2024.txt")
    types(page, "文書名で絞り込む", "2025")
    page.wait_for_timeout(600)
    _chooses(page, "新（変更後）の文書", "契約書 2025.txt")
    _compares(page)
    sees(page, "契約書 2024.txt → 契約書 2025.txt")
    expect(_raised(page)).to_be_visible()


@pytest.mark.thorough
def test_a_file_that_cannot_be_read_is_explained_and_the_form_stays(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    old, new = _files(tmp_path)
    broken = tmp_path / "壊れた契約書.pdf"
    broken.write_bytes(b"%PDF-1.7\nbroken off")
    page = open_page(f"{server.url}/streamlit/comparison")
    _brings(page, old, broken)
    _compares(page)
    problem = page.locator(".stAlert").first
    expect(problem).to_contain_text("壊れた契約書.pdf", timeout=LONG_MS)
    expect(page.locator(".stAlert")).to_have_count(2)  # what happened, and what to do
    expect(page.get_by_role("button", name="外す")).to_have_count(2)
    settled(page)
    page.get_by_role("button", name="外す").last.click()
    expect(page.get_by_role("button", name="外す")).to_have_count(1)
    settled(page)
    page.locator(".stFileUploader:visible input").nth(1).set_input_files(new)
    expect(page.get_by_role("button", name="外す")).to_have_count(2)
    _compares(page)
    expect(_raised(page)).to_be_visible()


@pytest.mark.thorough
def test_phone_shows_form_and_result_without_scrolling_sideways(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server.url}/streamlit/comparison", width=390, height=844)
    _brings(page, *_files(tmp_path))
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    _compares(page)
    expect(_raised(page)).to_be_visible()
    expect(page.locator("h1")).to_be_in_viewport()
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    assert page.frames[-1].evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
