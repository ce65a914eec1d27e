"""Collections in the browser: files in, words found where they stand, and nothing lost."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.test_places import NO_SIDEWAYS_SCROLLING
from tests.journeys.visitor import attaches, clicks, has_typed, is_saved, sees, turns_to, types
from tests.journeys.workbench_server import WorkbenchServer

CONTRACT = """業務委託契約書

第1条（目的）
甲は、社内システムの保守業務を乙に委託し、乙はこれを受託する。

第2条（解約）
甲または乙は、3か月前までに書面で予告することにより、いつでも本契約を解約することができる。

第3条（秘密保持）
甲および乙は、本契約に関して知り得た相手方の秘密を、第三者に開示してはならない。
"""
LIST = "支店,取引先,月額\n東京,馬場システム,800000\n大阪,千葉清掃,120000\n札幌,江藤運送,90000\n"
QUERY = "探したい語句・質問"

Index = Callable[..., str]


@pytest.fixture
def index(server: WorkbenchServer) -> Index:
    """Files into a collection through the API; returns the address of its page."""

    def indexed(name: str, **files: str) -> str:
        api = f"{server.url}/api/v1"
        refs = [
            httpx.post(f"{api}/files", files={"file": (file.replace("__", "."), text.encode())})
            for file, text in files.items()
        ]
        body = {"files": [ref.json() for ref in refs]}
        answer = httpx.post(f"{api}/collections/{name}/documents", json=body, timeout=60)
        assert answer.status_code == 200, answer.text
        assert {each["status"] for each in answer.json()["outcomes"]} == {"added"}, answer.text
        return f"{server.url}/streamlit/collection?collection={quote(name)}"

    return indexed


def _hits(page: Page) -> list[str]:
    expect(page.locator(".sanbo-hit").first).to_be_visible()
    return page.locator(".sanbo-hit .sanbo-name").all_inner_texts()


def test_files_are_read_searched_and_found_again_after_a_reload(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    contract = tmp_path / "業務委託契約書.txt"
    contract.write_text(CONTRACT, "utf-8")
    clients = tmp_path / "取引先一覧.csv"
    clients.write_bytes(LIST.encode("cp932"))
    broken = tmp_path / "壊れた見積書.pdf"
    broken.write_bytes(b"%PDF-1.7\nbroken off")
    page = open_page(f"{server.url}/streamlit/")
    page.get_by_role("link", name="コレクション").click()
    expect(page.locator("h1")).to_have_text("コレクション")
    new = page.locator("details", has_text="新しいコレクションを作る")
    expect(new).to_be_visible()
    if new.get_attribute("open") is None:  # folded where there are collections already
        page.get_by_text("新しいコレクションを作る").click()
    types(page, "コレクション名", "契約関係")
    attaches(page, "ファイル", contract, clients, broken)
    clicks(page, "作成して読み込む")

    sees(page, "追加 2件・読み込めず 1件")
    expect(page.locator("h1")).to_have_text("契約関係")
    refused = page.locator(".sanbo-outcomes tr", has_text="壊れた見積書.pdf")
    expect(refused).to_contain_text("読み込めず")
    expect(refused).to_contain_text("PDFとして開けません")
    expect(refused).to_contain_text("作り直してから追加してください")
    page.reload()
    sees(page, "追加 2件・読み込めず 1件")
    clicks(page, "閉じる")
    expect(page.locator(".sanbo-outcomes")).to_have_count(0)

    types(page, QUERY, "千葉清掃")
    assert _hits(page)[0] == "取引先一覧.csv"
    hit = page.locator(".sanbo-hit").first
    expect(hit.locator(".sanbo-place")).to_have_text("2–4行")
    expect(hit.locator("tr", has_text="大阪").locator("mark").first).to_be_visible()

    types(page, QUERY, "解約の予告")
    expect(page.locator(".sanbo-name").first).to_have_text("業務委託契約書.txt")
    expect(page.locator(".sanbo-hit").first).to_contain_text("第2条（解約）")
    clicks(page, "前後を表示")
    for here in ("first sight", "reload"):
        sees(page, "前後を閉じる")
        expect(page.locator(".sanbo-before")).to_contain_text("第1条（目的）")
        expect(page.locator(".sanbo-here mark", has_text="解約").first).to_be_visible()
        expect(page.locator(".sanbo-after")).to_contain_text("第3条（秘密保持）")
        has_typed(page, QUERY, "解約の予告")
        expect(page.locator("h1")).to_have_text("契約関係")
        if here == "first sight":
            page.reload()


@pytest.mark.thorough
def test_words_of_a_document_are_shown_and_nothing_is_fetched(
    index: Index, open_page: OpenPage
) -> None:
    """That no request leaves, and no script runs, is checked by `open_page`."""
    address = index(
        "持ち込み資料",
        悪意__txt="お知らせの本文\n<script>window.acted = true</script>\n"
        "![図](https://evil.example/a.png)\n<img src=x onerror='window.acted = true'>\n"
        "# 見出し **強調** :red[赤] $x$",
    )
    page = open_page(f"{address}&q={quote('お知らせ')}")
    assert _hits(page) == ["悪意.txt"]
    clicks(page, "前後を表示")
    expect(page.locator(".sanbo-here")).to_be_visible()
    shown = page.locator(".sanbo-here").inner_text()
    assert "<script>window.acted = true</script>" in shown
    assert "![図](https://evil.example/a.png)" in shown
    assert "# 見出し **強調** :red[赤] $x$" in shown
    assert page.locator(".stMain .sanbo-hit").locator("img, script, a, strong").count() == 0
    assert page.evaluate("window.acted") is None


@pytest.mark.thorough
def test_phone_shows_hits_outcomes_and_documents_without_scrolling_sideways(
    index: Index, open_page: OpenPage, tmp_path: Path
) -> None:
    wide = "\t".join(f"とても長い列の見出し{number}" for number in range(20))
    address = index(
        "携帯", 議事録__txt="支店の移転", 幅広__csv=f"{wide}\n{wide}支店\n", 長い__txt="支店" * 300
    )
    page = open_page(f"{address}&q={quote('支店')}", width=390, height=844)
    assert len(_hits(page)) == 3
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    turns_to(page, "追加")
    long_name = tmp_path / f"{'長い名前' * 10}.pdf"
    long_name.write_bytes(b"%PDF-1.7\nbroken off")
    attaches(page, "ファイル", long_name)
    clicks(page, "読み込む")
    sees(page, "読み込めず 1件")
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    turns_to(page, "文書")
    expect(page.locator("[class*='st-key-line-']", has_text="幅広.csv")).to_be_visible()
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)


@pytest.mark.thorough
def test_search_is_narrowed_and_a_link_to_it_leads_to_the_same(
    index: Index, open_page: OpenPage
) -> None:
    address = index("支店の資料", 議事録__txt="大阪支店の移転", 一覧__csv="支店,月額\n大阪,100\n")
    page = open_page(f"{address}&q={quote('大阪')}")
    assert len(_hits(page)) == 2
    page.get_by_text("絞り込み").click()
    page.wait_for_timeout(500)  # unfolding; a list that is open closes when the page moves
    page.get_by_label("形式").click()
    page.get_by_role("option", name="CSV").click()
    expect(page.locator(".sanbo-name")).to_have_count(1)
    expect(page.locator(".sanbo-name")).to_have_text("一覧.csv")
    assert "format=CSV" in page.url
    again = open_page(page.url)
    assert _hits(again) == ["一覧.csv"]
    again.get_by_role("radio", name="English").click()
    sees(again, "Show surroundings")
    expect(again.locator(".sanbo-place")).to_have_text("row 2")
    has_typed(again, "Words or a question", "大阪")


@pytest.mark.thorough
def test_document_and_collection_are_deleted_after_a_question(
    server: WorkbenchServer, index: Index, open_page: OpenPage
) -> None:
    address = index("整理する", 残す__txt="残す文書", 消す__txt="消す文書")
    page = open_page(address)
    turns_to(page, "文書")
    page.locator("[class*='st-key-line-']", has_text="消す.txt").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("「消す.txt」をコレクションから削除します")
    dialog.get_by_role("button", name="削除する").click()
    expect(page.get_by_text("消す.txt")).to_have_count(0)
    sees(page, "残す.txt")
    clicks(page, "このコレクションを削除")
    expect(dialog.get_by_role("button", name="削除する")).to_be_disabled()
    dialog.get_by_text("元に戻せないことを確認しました").click()
    dialog.get_by_role("button", name="削除する").click()
    page.wait_for_url(f"{server.url}/streamlit/collections")
    expect(page.get_by_text("整理する")).to_have_count(0)
    page.goto(address)
    sees(page, "見つかりません")


@pytest.mark.thorough
def test_browsers_back_leads_through_everything_that_was_looked_at(
    server: WorkbenchServer, index: Index, open_page: OpenPage
) -> None:
    index("戻る先", 契約__txt=CONTRACT)
    page = open_page(f"{server.url}/streamlit/collections")
    page.get_by_role("link", name="戻る先").click()
    expect(page.locator("h1")).to_have_text("戻る先")
    types(page, QUERY, "解約の予告")
    page.keyboard.press("Enter")
    assert _hits(page)[0] == "契約.txt"
    page.get_by_role("link", name="コレクション一覧").click()
    expect(page.locator("h1")).to_have_text("コレクション")
    _goes_back_to(page, "collection?")
    expect(page.locator("h1")).to_have_text("戻る先")
    has_typed(page, QUERY, "解約の予告")
    assert _hits(page)[0] == "契約.txt"
    _goes_back_to(page, "collections")
    expect(page.locator("h1")).to_have_text("コレクション")


def _goes_back_to(page: Page, path: str) -> None:
    """Streamlit puts an address without parameters between two pages."""
    for _ in range(2):
        page.go_back()
        page.wait_for_timeout(1000)  # time to be led elsewhere, if it were
        if f"/{path}" in page.url:
            return
        sees(page, "コレクションが選ばれていません")
    pytest.fail(f"Back led to {page.url}")


@pytest.mark.thorough
def test_page_without_a_collection_leads_to_the_list(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(f"{server.url}/streamlit/collection")
    sees(page, "コレクションが選ばれていません")
    page.get_by_role("link", name="コレクション一覧").click()
    expect(page.locator("h1")).to_have_text("コレクション")


@pytest.mark.thorough
def test_tab_is_kept_by_a_reload_and_in_another_language(index: Index, open_page: OpenPage) -> None:
    page = open_page(index("タブ", 契約__txt=CONTRACT))
    turns_to(page, "文書")
    page.wait_for_url("**view=documents**")
    sees(page, "契約.txt")
    page.reload()
    opened = page.get_by_role("tab", name="文書")
    expect(opened).to_have_attribute("aria-selected", "true")
    sees(page, "契約.txt")
    page.get_by_role("radio", name="English").click()
    opened = page.get_by_role("tab", name="Documents")
    expect(opened).to_have_attribute("aria-selected", "true")
    assert "view=documents" in page.url
    sees(page, "1 document · 4 passages")


@pytest.mark.thorough
def test_collection_that_somebody_else_deletes_is_said_to_be_deleted(
    server: WorkbenchServer, index: Index, open_page: OpenPage
) -> None:
    index("似た名前の資料１", 契約__txt=CONTRACT)
    address = index("似た名前の資料２", 契約__txt=CONTRACT)
    page = open_page(address)
    types(page, QUERY, "解約")
    _hits(page)
    httpx.delete(f"{server.url}/api/v1/collections/似た名前の資料２")
    types(page, QUERY, "予告")
    page.keyboard.press("Enter")
    sees(page, "コレクション「似た名前の資料２」は削除されました")
    expect(page.get_by_text("ではありませんか")).to_have_count(0)
    expect(page.get_by_role("tab")).to_have_count(0)
    page.get_by_role("link", name="コレクション一覧").click()
    expect(page.locator("h1")).to_have_text("コレクション")


@pytest.mark.thorough
def test_deleting_what_somebody_else_has_deleted_says_so(
    server: WorkbenchServer, index: Index, open_page: OpenPage
) -> None:
    page = open_page(f"{index('二人で消す', 契約__txt=CONTRACT)}&view=documents")
    clicks(page, "このコレクションを削除")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("元に戻せないことを確認しました").click()
    httpx.delete(f"{server.url}/api/v1/collections/二人で消す")
    dialog.get_by_role("button", name="削除する").click()
    sees(page, "コレクション「二人で消す」は削除されました")
    expect(dialog).to_have_count(0)


@pytest.mark.thorough
def test_new_collection_that_was_begun_is_open_after_a_reload(
    server: WorkbenchServer, index: Index, open_page: OpenPage
) -> None:
    index("先にある", 契約__txt=CONTRACT)
    page = open_page(f"{server.url}/streamlit/collections")
    new = page.locator("details", has_text="新しいコレクションを作る")
    expect(new).to_be_visible()
    if new.get_attribute("open") is None:
        page.get_by_text("新しいコレクションを作る").click()
    types(page, "コレクション名", "書きかけ")
    page.keyboard.press("Tab")
    is_saved(server, page, "書きかけ")
    page.reload()
    has_typed(page, "コレクション名", "書きかけ")
    listed = page.get_by_role("link", name="先にある").bounding_box()
    form = new.bounding_box()
    assert listed is not None
    assert form is not None
    assert form["y"] < listed["y"]
    clicks(page, "リセット")
    clicks(page, "入力を消す")
    has_typed(page, "コレクション名", "")


@pytest.mark.thorough
def test_files_that_can_not_be_read_make_no_collection_and_say_why(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    broken = tmp_path / "壊れた見積書.pdf"
    broken.write_bytes(b"%PDF-1.7\nbroken off")
    page = open_page(f"{server.url}/streamlit/collections")
    new = page.locator("details", has_text="新しいコレクションを作る")
    expect(new).to_be_visible()
    if new.get_attribute("open") is None:
        page.get_by_text("新しいコレクションを作る").click()
    types(page, "コレクション名", "できないもの")
    attaches(page, "ファイル", broken)
    clicks(page, "作成して読み込む")
    sees(page, "コレクション「できないもの」は作られませんでした")
    expect(page.locator(".sanbo-outcomes")).to_contain_text("PDFとして開けません")
