"""GRACE in the browser: an answer with how sure it is, a dialog where it is not, what people say.

That no request leaves, and no script of a document runs, is checked by `open_page`.
"""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.slow_research import ENDLESS
from tests.journeys.test_places import NO_SIDEWAYS_SCROLLING
from tests.journeys.visitor import clicks, has_typed, is_saved, sees, settled, types
from tests.journeys.workbench_server import WorkbenchServer

RULES = """# 社用車規程

社用車の燃料代は、1回につき6,000円まで会社が負担します。

社用車を使う人は、前日の17時までに総務課へ予約します。<img src=x onerror='window.acted = true'>
"""
COLLECTION = "社用車規程"
QUESTION = "社用車の燃料代は1回いくらまで会社が負担しますか"
LONG_MS = 90_000  # two cores are shared
UNSURE = {"SILENT": "0.99999", "NOTIFY": "0.99998", "CONFIRM": "0.001"}
THRESHOLDS = {f"GRACE_THRESHOLDS__{name}": value for name, value in UNSURE.items()}


def _index(server: WorkbenchServer, collection: str) -> None:
    api = f"{server.url}/api/v1"
    file = httpx.post(f"{api}/files", files={"file": ("社用車規程.md", RULES.encode())}).json()
    address = f"{api}/collections/{collection}/documents"
    assert httpx.post(address, json={"files": [file]}, timeout=60).status_code == 200


def _asks(page: Page, question: str) -> None:
    expect(page.locator("h1")).to_have_text("GRACE（確信度つき回答）")
    settled(page)
    typed = page.get_by_test_id("stChatInputTextArea")
    typed.fill(question)
    typed.press("Enter")


def test_a_question_is_answered_looked_up_judged_and_seen_in_the_calibration(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    _index(server, COLLECTION)
    page = open_page(f"{server.url}/streamlit/grace?collection={COLLECTION}")
    _asks(page, QUESTION)
    answer = page.locator("[class*='st-key-grace-answer-']").first
    expect(answer).to_contain_text("6,000円まで会社が負担します。[1]", timeout=LONG_MS)
    sees(page, "自動で回答")
    settled(page)
    clicks(page, "文書の中で見る")
    expect(page.locator("mark").first).to_contain_text("1回につき6,000円まで")
    page.reload()
    expect(page.locator("mark").first).to_be_visible()
    settled(page)
    page.get_by_text("なぜこの確信度か").first.click()
    expect(page.locator(".sanbo-scale").first).to_be_visible()
    clicks(page, "違う")
    sees(page, "しきい値が変わりました：「自動で回答」3%→4%")
    page.reload()
    sees(page, "評価を記録しました")
    settled(page)
    page.get_by_role("link", name="確信度の較正").first.click()
    expect(page.locator("h1")).to_have_text("確信度の較正")
    expect(page.locator("canvas, .vega-embed svg").first).to_be_visible(timeout=LONG_MS)
    sees(page, "「自動で回答」3%→4%")
    settled(page)
    slider = page.get_by_role("slider", name="「自動で回答」にする確信度の下限")
    slider.focus()
    slider.press("End")
    sees(page, "1件の扱いが変わります。")
    sees(page, "silent: 1")
    assert page.evaluate("window.acted") is None


@pytest.mark.thorough
def test_an_unsure_answer_waits_through_a_killed_server_and_is_confirmed_on_a_phone(
    own_server: WorkbenchServer, open_page: OpenPage
) -> None:
    own_server.start(**THRESHOLDS)
    _index(own_server, COLLECTION)
    page = open_page(f"{own_server.url}/streamlit/grace", width=390, height=844, quiet=False)
    _asks(page, QUESTION)
    expect(page.get_by_text("この回答でよいか、確認してください").first).to_be_visible(
        timeout=LONG_MS
    )
    settled(page)
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    types(page, "指示", "2026年度の規程で")
    is_saved(own_server, page, "2026年度の規程で")
    own_server.kill()
    own_server.start(**THRESHOLDS)
    page.reload()
    sees(page, "この回答でよいか、確認してください")
    has_typed(page, "指示", "2026年度の規程で")
    settled(page)
    page.get_by_role("button", name="この回答でよい").click()
    expect(page.get_by_text("人が確認して").first).to_be_visible(timeout=LONG_MS)
    expect(page.locator("[class*='st-key-grace-answer-']").first).to_contain_text("6,000円")
    settled(page)
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)


@pytest.mark.thorough
def test_a_plan_is_watched_reloaded_and_stopped_in_the_middle(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    _index(server, ENDLESS)
    page = open_page(f"{server.url}/streamlit/grace?collection={ENDLESS}", width=390, height=844)
    _asks(page, QUESTION)
    running = page.locator(".sanbo-plan .sanbo-running")
    expect(running).to_be_visible(timeout=LONG_MS)
    page.reload()
    expect(running).to_be_visible(timeout=LONG_MS)
    expect(page.locator(".sanbo-plan .sanbo-success")).to_be_visible()
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    settled(page)
    clicks(page, "中止する")
    sees(page, "この質問は中止しました")
    settled(page)
    clicks(page, "新しい会話")
    expect(page.get_by_role("link", name=QUESTION).first).to_be_visible()
