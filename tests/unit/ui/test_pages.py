"""Pages without a browser: what they say when there is nothing to show, or something breaks."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.service.access import LOCAL
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.settings import Settings, load_settings
from sanbo.ui import connection
from sanbo.ui.page_setup import SCRIPT
from sanbo.ui.session_state import start_key
from tests.workflows import WORKFLOWS


@pytest.fixture
def own_settings(tmp_path: Path) -> Settings:
    return load_settings(tmp_path / "workspace", {"SANBO_LLM__PROVIDER": "rules"})


@pytest.fixture
def bench(own_settings: Settings) -> Generator[BlockingWorkbench]:
    with blocking_workbench(own_settings, WORKFLOWS) as opened:
        connection.provide(opened, requires_token=False)
        yield opened
        connection.withdraw()


@pytest.fixture
def empty_bench(own_settings: Settings) -> Generator[BlockingWorkbench]:
    with blocking_workbench(own_settings, ()) as opened:
        connection.provide(opened, requires_token=False)
        yield opened
        connection.withdraw()


def _page(draw: Any, **session: object) -> AppTest:
    """A page by itself, without the frame's navigation."""
    page = AppTest.from_function(draw, default_timeout=20)
    for name, value in session.items():
        page.session_state[name] = value
    return page.run()


def _new_run() -> None:
    from sanbo.ui.views.new_run import new_run_page  # noqa: PLC0415

    new_run_page()


def _broken() -> None:
    from sanbo.ui.boundary import guarded  # noqa: PLC0415

    @guarded
    def draw() -> None:
        raise ZeroDivisionError("sk-0123456789abcdef0123456789abcdef")

    draw()


def test_frame_opens_with_an_empty_list(bench: BlockingWorkbench) -> None:
    page = AppTest.from_file(str(SCRIPT), default_timeout=20).run()
    assert not page.exception
    assert page.title[0].value == "実行一覧"
    assert "まだ実行はありません" in page.info[0].value


@pytest.mark.usefixtures("empty_bench")
def test_without_any_workflow_the_page_says_so_and_what_to_do() -> None:
    page = _page(_new_run)
    assert "ワークフローがまだ入っていません" in page.info[0].value
    assert not page.button


def test_every_change_goes_to_the_session_and_the_draft_at_once(bench: BlockingWorkbench) -> None:
    page = _page(_new_run, chosen_workflow="expenses")
    page.text_area[0].set_value("10月の出張費").run()
    key = start_key("expenses")
    assert page.session_state[key].values["title"] == "10月の出張費"
    draft = bench.workbench.drafts.load(LOCAL.owner, key)
    assert draft is not None
    assert draft["values"] == page.session_state[key].values
    again = _page(_new_run, chosen_workflow="expenses")
    assert again.text_area[0].value == "10月の出張費"


def test_wrong_input_names_the_field_in_the_readers_language(bench: BlockingWorkbench) -> None:
    page = _page(_new_run, chosen_workflow="expenses")
    next(button for button in page.button if button.label == "実行する").click().run()
    assert "「件名」を入力してください。" in page.error[0].value
    assert not page.exception


@pytest.mark.usefixtures("bench")
def test_defect_is_shown_as_a_problem_and_never_as_a_traceback() -> None:
    page = _page(_broken)
    assert not page.exception
    assert "ZeroDivisionError" in page.error[0].value
    assert "sk-" not in "".join(element.value for element in (*page.error, *page.info))
