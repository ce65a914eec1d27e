"""The page of two documents side by side, as a visitor uses it."""

from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from sanbo.agents.comparison.outputs.html import side_by_side
from tests.journeys.conftest import OpenPage
from tests.journeys.visitor import sees
from tests.unit.agents.comparison.outputs.contracts import contract
from tests.unit.agents.comparison.outputs.written_changes import Written, changes_of, result_of

NO_SIDEWAYS_SCROLLING = "document.documentElement.scrollWidth <= window.innerWidth"


@pytest.fixture
def view(tmp_path: Path) -> str:
    return _stored(tmp_path, side_by_side(contract("ja"), [], "ja"))


def _stored(folder: Path, page: str) -> str:
    file = folder / "view.html"
    file.write_text(page, "utf-8")
    return file.as_uri()


def _listed(page: Page, words: str) -> Locator:
    return page.locator(".list a").filter(has_text=words)


def _row(page: Page, words: str) -> Locator:
    return page.locator(".row.differs").filter(has_text=words)


def _top(cell: Locator) -> float:
    box = cell.bounding_box()
    assert box
    return box["y"]


def test_list_leads_to_both_places_and_highlights_them(view: str, open_page: OpenPage) -> None:
    page = open_page(view)
    _listed(page, "旧第６条 → 新第７条").click()
    row = _row(page, "令和７年４月１日")
    expect(row).to_have_class("row differs changed attention current")
    for side in (".old", ".new"):
        expect(row.locator(side)).to_be_in_viewport()
        shadow = row.locator(side).evaluate("cell => getComputedStyle(cell).boxShadow")
        assert "inset" in shadow
    expect(page.locator(".list li.current")).to_have_count(1)


def test_moved_article_is_found_where_it_was_and_where_it_is(
    view: str, open_page: OpenPage
) -> None:
    page = open_page(view, height=600)
    _listed(page, "旧第３条の２ → 新第13条").click()
    here = page.locator(".row.moved_changed").first
    there = page.locator(".row.gone").filter(has_text="第３条の２")
    expect(here).to_be_in_viewport()
    assert "current" in (there.get_attribute("class") or "")
    here.get_by_role("link", name="移動前の場所を見る").click()
    expect(there).to_be_in_viewport()
    there.get_by_role("link", name="新文書の第13条へ移動").click()
    expect(here).to_be_in_viewport()


def test_columns_scroll_together(view: str, open_page: OpenPage) -> None:
    page = open_page(view, height=500)
    row = _row(page, "再委託")
    row.scroll_into_view_if_needed()
    before = _top(row.locator(".old"))
    assert before == _top(row.locator(".new"))
    row.locator(".old").hover()
    page.mouse.wheel(0, 120)
    page.wait_for_function(
        "([top]) => Math.abs(document.querySelector('#c6 .old').getBoundingClientRect().top - top)"
        " > 50",
        arg=[before],
    )
    assert _top(row.locator(".old")) == _top(row.locator(".new"))
    sees(page, "旧：業務委託契約書_2024年版.docx")
    expect(page.locator(".head")).to_be_in_viewport()


def test_filters_by_kind_and_by_flag(view: str, open_page: OpenPage) -> None:
    page = open_page(view)
    sees(page, "16 / 16 件を表示")
    page.get_by_label("追加").uncheck()
    sees(page, "13 / 16 件を表示")
    expect(_row(page, "費用負担").first).to_be_hidden()
    page.get_by_label("期限").check()
    sees(page, "1 / 16 件を表示")
    expect(page.locator(".list li:visible")).to_have_count(1)
    expect(_row(page, "金60万円")).to_be_visible()
    page.get_by_label("変更 5").uncheck()
    sees(page, "条件に合う変更はありません。")
    page.get_by_role("button", name="絞り込みを解除").click()
    sees(page, "16 / 16 件を表示")
    expect(_row(page, "費用負担").first).to_be_visible()


def test_renumbering_is_folded_and_unfolded(view: str, open_page: OpenPage) -> None:
    page = open_page(view)
    row = _row(page, "第三者に漏らしてはならない")
    expect(row).to_be_visible()
    page.get_by_label("番号変更をたたむ").check()
    expect(row).to_be_hidden()
    expect(_row(page, "規定を準用する")).to_be_visible()
    page.get_by_text("（変更なし・番号変更のみ").click()
    expect(row).to_be_visible()
    page.get_by_label("番号変更をたたむ").uncheck()
    expect(row).to_be_visible()


def test_unchanged_stretch_opens_on_a_click(view: str, open_page: OpenPage) -> None:
    page = open_page(view)
    hidden = page.locator(".new").get_by_text("次のとおり業務委託契約を締結する")
    expect(hidden).to_be_hidden()
    page.get_by_text("（変更なし 4 段落）").first.click()
    expect(hidden).to_be_visible()


def test_keys_go_from_change_to_change(view: str, open_page: OpenPage) -> None:
    page = open_page(view, height=500)
    for key, number in (("n", 1), ("n", 2), ("p", 1), ("p", 16), ("n", 1)):
        page.keyboard.press(key)
        expect(page.locator(".row.current:not(.gone)")).to_have_id(f"c{number}")
        expect(page.locator(f"#c{number}")).to_be_in_viewport()
    page.get_by_role("button", name="次の変更").click()
    expect(page.locator("#c2")).to_be_in_viewport()


def test_phone_shows_old_above_new_without_scrolling_sideways(
    view: str, open_page: OpenPage
) -> None:
    page = open_page(view, width=390, height=844)
    row = _row(page, "金60万円")
    row.scroll_into_view_if_needed()
    assert _top(row.locator(".old")) < _top(row.locator(".new"))
    expect(row.locator(".new .tag")).to_be_visible()
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)


def test_page_works_inside_a_sandboxed_frame(tmp_path: Path, open_page: OpenPage) -> None:
    inner = escape(side_by_side(contract("en"), [], "en"))
    outer = f'<iframe sandbox="allow-scripts" width="1000" height="700" srcdoc="{inner}"></iframe>'
    page = open_page(_stored(tmp_path, f"<!DOCTYPE html><title>x</title>{outer}"))
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("10 of 10 shown")).to_be_visible()
    expect(frame.locator("h1")).to_be_hidden()  # the page around it has told that
    frame.locator(".list a").filter(has_text="old 4 → new 5").click()
    expect(frame.locator("#c4")).to_be_in_viewport()
    expect(frame.locator("#c4.current")).to_have_count(1)
    frame.get_by_label("Deleted").uncheck()
    expect(frame.get_by_text("9 of 10 shown")).to_be_visible()


def test_without_scripts_it_is_a_plain_table(view: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(view)
    row = _row(page, "金60万円")
    expect(row.locator("del").first).to_be_visible()
    assert _top(row.locator(".old")) == _top(row.locator(".new"))
    expect(page.get_by_role("button", name="次の変更")).to_be_hidden()
    expect(page.locator(".filters")).to_be_hidden()
    page.get_by_text("（変更なし 4 段落）").first.click()
    sees(page, "次のとおり業務委託契約を締結する")
    context.close()


@pytest.mark.thorough
def test_thousands_of_changes_stay_usable(tmp_path: Path, open_page: OpenPage) -> None:
    rows = [
        Written(
            "changed",
            f"第{n}条　委託料は[[金{n}万円|金{n + 1}万円]]とし、翌月末日までに支払う。" * 2,
            f"第{n}条",
            f"第{n}条",
            ("amount",) if n % 2 else (),
        )
        for n in range(1, 5001)
    ]
    page = open_page(_stored(tmp_path, side_by_side(result_of(changes_of(rows)), [], "ja")))
    shown = page.locator("#shown")  # by selectors: looking for words would take minutes here
    expect(shown).to_have_text("5000 / 5000 件を表示")
    page.locator(".list li[data-n='5000'] a").click()
    expect(page.locator("#c5000")).to_be_in_viewport()
    page.keyboard.press("p")
    expect(page.locator("#c4999")).to_be_in_viewport()
    page.locator("input[value=amount]").check()
    expect(shown).to_have_text("2500 / 5000 件を表示")
    page.keyboard.press("n")
    expect(page.locator(".row.current")).to_be_in_viewport()
