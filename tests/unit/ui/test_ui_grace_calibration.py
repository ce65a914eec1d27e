"""The calibration's page without a browser: how true, what if, fitting anew and going back."""

from collections.abc import Generator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.agents.grace.calibration.feedback import Verdict
from sanbo.agents.grace.confidence.fitted import FITTED
from sanbo.service.access import LOCAL
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.service.calibration import give_feedback
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from sanbo.ui import connection
from tests.unit.agents.grace.calibration.judging import SETTINGS, Judging
from tests.workflows.answers import Answers

PATIENCE = 60
JUDGED: list[tuple[float, Verdict]] = [
    (0.15 + 0.2 * (n % 5), "good" if n % 5 == 4 or n % 7 == 0 else "bad") for n in range(30)
]


@pytest.fixture
def bench(tmp_path: Path) -> Generator[BlockingWorkbench]:
    settings = load_settings(tmp_path / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    settings = settings.model_copy(update={"grace": SETTINGS})
    with blocking_workbench(settings, (Answers(),)) as opened:
        connection.provide(opened, requires_token=False)
        yield opened
        connection.withdraw()


def _draw() -> None:
    import streamlit as st  # noqa: PLC0415

    from sanbo.ui.addresses import Addresses, announce  # noqa: PLC0415
    from sanbo.ui.views.calibration import calibration_page  # noqa: PLC0415

    here = st.Page(calibration_page, title="calibration")
    announce(Addresses(*[here] * len(Addresses._fields)))
    st.navigation([here]).run()


def _page() -> AppTest:
    page = AppTest.from_function(_draw, default_timeout=PATIENCE).run()
    assert not page.exception
    assert not page.error
    return page


def _click(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception


def _said(page: AppTest) -> str:
    shown = (*page.markdown, *page.caption, *page.subheader, *page.info, *page.warning, *page.code)
    html = [element.proto.body for element in page.get("html")]
    return "\n".join((*(str(element.value) for element in shown), *html))


def _judge(bench: BlockingWorkbench, judged: list[tuple[float, Verdict]]) -> None:
    database = open_database(bench.workbench.settings)
    Judging(database).all_of(judged)
    database.close()


def test_without_a_verdict_nothing_is_drawn_and_that_is_said(bench: BlockingWorkbench) -> None:
    page = _page()
    assert page.title[0].value == "確信度の較正"
    assert not page.get("vega_lite_chart")
    assert page.info, "no honest words where nothing is known"
    assert "まだ分かりません" in _said(page)
    assert f"版 {FITTED.version}" in _said(page)
    assert "過去の質問はまだありません" in _said(page)
    assert "評価が20件たまると" in _said(page)
    assert "作り直す" not in [button.label for button in page.button]


def test_thresholds_are_tried_on_past_questions_and_change_nothing(
    bench: BlockingWorkbench,
) -> None:
    run = bench.call(bench.workbench.start(LOCAL, "grace", {"score": 0.8}))
    bench.call(bench.workbench.wait(LOCAL, run.run_id))
    bench.call(give_feedback(bench.workbench, LOCAL, run.run_id, "bad"))
    page = _page()
    said = _said(page)
    assert "過去の質問1件のうち、0件の扱いが変わります。" in said
    assert "「回答して通知」70%→71%" in said, "the history of the thresholds"
    assert len(page.get("vega_lite_chart")) == 2
    page.slider[0].set_value(75.0).run()
    assert "1件の扱いが変わります" in _said(page)
    assert "回答して通知 → 自動で回答" in _said(page)
    assert "silent: 0.75" in _said(page)
    page.slider[1].set_value(80.0).run()
    assert "上から順に大きい値にしてください" in _said(page)
    _click(page, "いまの値に戻す")
    assert "0件の扱いが変わります" in _said(page)
    assert bench.workbench.calibrations.current(SETTINGS).thresholds.silent == 0.9


def test_the_score_is_fitted_anew_and_taken_back(bench: BlockingWorkbench) -> None:
    _judge(bench, JUDGED)
    page = _page()
    assert "30件" in _said(page)
    [true, _] = page.get("vega_lite_chart")
    assert "実際に正しかった割合" in str(true.proto), "no words for who can't see it"
    page.text_input[0].set_value("評価が **たまった** ため").run()
    _click(page, "作り直す")
    said = _said(page)
    assert "作り直しに使っていない回答で測った値" in said
    assert "**たまった**" not in said
    in_use = bench.workbench.calibrations.current(SETTINGS).fitted.version
    assert in_use != FITTED.version
    assert f"版 {in_use}" in said
    _click(page, "この版を使う")
    assert bench.workbench.calibrations.current(SETTINGS).fitted.version == FITTED.version


def test_the_shipped_version_tells_what_it_was_measured_at(
    bench: BlockingWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = {"auroc": 0.91, "ece": 0.02, "silent": 0.3, "right among silent": 0.97, "other": 1}
    origin = FITTED.origin.model_copy(update={"held_out": {"よその記事": measured}})
    monkeypatch.setattr(
        "sanbo.service.calibration.FITTED", FITTED.model_copy(update={"origin": origin})
    )
    said = _said(_page())
    assert "「自動で回答」のうち正しい割合" in said
    for figure in ("よその記事", "0.910", "97%"):
        assert figure in said
