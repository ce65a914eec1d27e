"""The server dies or is replaced in the middle, and nothing is lost."""

import pytest

from tests.journeys.conftest import OpenPage
from tests.journeys.visitor import begin, clicks, has_typed, is_saved, sees, sees_status, types
from tests.journeys.workbench_server import WorkbenchServer


def test_question_and_draft_survive_a_killed_server_and_a_stopped_one_says_what_goes_on(
    own_server: WorkbenchServer, open_page: OpenPage
) -> None:
    own_server.start()
    page = open_page(begin(own_server, "expenses", title="停電"), quiet=False)
    sees(page, "承認しますか。")
    types(page, "理由", "書きかけの")
    is_saved(own_server, page, "書きかけの")
    own_server.kill()
    own_server.start()
    page.reload()
    sees(page, "承認しますか。")
    has_typed(page, "理由", "書きかけの")
    clicks(page, "承認する")
    sees_status(page, "完了")
    page.close()
    begin(own_server, "expenses", title="途中", step_seconds=60)
    assert own_server.stop() == 0
    assert "途中の実行は、次に起動したときに続きから進みます。" in own_server.said()
    assert "Traceback" not in own_server.said()


@pytest.mark.thorough
def test_form_that_has_changed_is_merged_with_a_warning(
    own_server: WorkbenchServer, open_page: OpenPage
) -> None:
    own_server.start()
    page = open_page(f"{own_server.url}/streamlit/new?workflow=purchase", quiet=False)
    types(page, "案件名", "机の買い替え")
    types(page, "予算", "五万円")
    types(page, "備考", "急ぎません")
    is_saved(own_server, page, "急ぎません")
    own_server.kill()
    own_server.start(JOURNEY_FORM="changed")
    page.reload()
    sees(page, "項目「案件名」はなくなったため、入力を破棄しました。")
    sees(page, "項目「予算」の種類が変わったため、入力を破棄しました。")
    has_typed(page, "備考", "急ぎません")
    clicks(page, "確認しました")
    page.get_by_text("入力を破棄しました").first.wait_for(state="detached")
