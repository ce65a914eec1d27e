"""Parts of GRACE's page without a page: the plan as a list, scores as bars, figures in words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.grace.confidence.model import Bin, Point
from sanbo.agents.grace.schemas import (
    Confidence,
    ExecutionPlan,
    ExecutionState,
    Factor,
    Intervention,
    Penalty,
    PlanStep,
    Replan,
    Source,
    StepResult,
    ThresholdsUsed,
)
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import JsonObject
from sanbo.ui.calibration.charts import (
    coverage_spec,
    figures_table,
    likely_range,
    reliability_spec,
    thinned,
)
from sanbo.ui.grace.dialog import proposal_of
from sanbo.ui.grace.feedback import changed
from sanbo.ui.grace.score_bars import factor_rows, headline, scale
from sanbo.ui.grace.work import plan_list

HOSTILE = "<script>act()</script>"
THRESHOLDS = ThresholdsUsed(silent=0.9, notify=0.7, confirm=0.4)


def _confidence(score: float = 0.88) -> Confidence:
    return Confidence(score=score, level="notify", method="calibrated", version="1")


def _source(document: str, page: int | None = None) -> Source:
    return Source(
        id=1,
        document=document,
        document_id="d",
        format="pdf",
        page=page,
        chunk_id="d.0",
        quote="引用",
        start=0,
        end=2,
        score=0.8,
        verified=True,
    )


def _replanned() -> ExecutionState:
    """The second search failed; a person wanted something else; steps 4 and 5 came of it."""
    plan = ExecutionPlan(
        plan_id="p",
        original_query="質問",
        complexity=0.4,
        steps=(
            PlanStep(step_id=1, action="rag_search", description="規程を検索", query="規程"),
            PlanStep(step_id=4, action="rag_search", description="別の語で検索"),
            PlanStep(step_id=5, action="reasoning", description="答える", depends_on=(1, 4)),
        ),
        made_by="template",
        problem="計画の形が違います",
        revision=1,
    )
    results = (
        StepResult(
            step_id=1,
            action="rag_search",
            status="success",
            confidence=_confidence(),
            sources=tuple(_source(f"{name}.pdf", 3) for name in "甲乙丙丁"),
        ),
        StepResult(
            step_id=2,
            action="web_search",
            status="failed",
            problem=NotFound("run_not_found", run_id="x").problem,
        ),
    )
    return ExecutionState(
        question="質問",
        phase="executing",
        plan=plan,
        statuses={1: "success", 4: "running"},
        results=results,
        replans=(
            Replan(
                number=1,
                trigger="user_feedback",
                strategy="partial",
                reason="別の語で調べます。",
                step_id=2,
                kept=(1,),
                added=(4, 5),
            ),
        ),
        interventions=(
            Intervention(
                number=1,
                level="confirm",
                about="answer",
                step_id=2,
                confidence=0.5,
                message="よいですか",
                action="modify",
                text=HOSTILE,
            ),
            Intervention(
                number=2,
                level="confirm",
                about="answer",
                step_id=5,
                confidence=0.5,
                message="まだ誰も答えていない",
            ),
        ),
    )


def _text(html: str) -> str:
    return re.sub(r"<[^>]+>", " ", html)


def test_a_plan_shows_steps_replans_and_peoples_words_in_the_order_of_happening() -> None:
    shown = _text(plan_list(_replanned()))
    told = [
        "定型の計画を使いました：計画の形が違います",
        "1. 規程を検索",
        "88%",
        "甲.pdf 3ページ",
        "ほか1件",
        "2. 見直しで外した手順",
        "失敗",
        "回答の確認",
        "直して調べ直す",
        "計画の見直し 1回目（残りを作り直し）",
        "別の語で調べます。",
        "終わった手順1個はそのまま",
        "4. 別の語で検索",
        "実行中",
        "5. 答える",
        "未着手",
        "手順1、4のあと",
    ]
    places = [shown.index(each) for each in told]
    assert places == sorted(places)
    assert "まだ誰も答えていない" not in shown
    assert plan_list(ExecutionState(question="質問", phase="planning")) == ""


def test_words_of_people_and_documents_are_no_tags() -> None:
    state = _replanned()
    hostile = state.results[0].model_copy(update={"output": HOSTILE, "reason": HOSTILE})
    html = plan_list(state.model_copy(update={"results": (hostile,)}))
    html += factor_rows(
        (Factor(name="a", value=0.5, effect=1, told=HOSTILE),),
        (Penalty(name="no_hits", amount=0.6, told=HOSTILE),),
    )
    html += figures_table(["a"], [[HOSTILE, HOSTILE]], caption=HOSTILE)
    assert "&lt;script&gt;" in html
    assert "<script" not in html


def test_a_score_is_told_in_numbers_and_words_and_never_by_colour_alone() -> None:
    assert "確認が必要" in headline(0.523, "confirm")
    assert "52%" in headline(0.523, "confirm")
    line = _text(scale(0.5, THRESHOLDS))
    assert "40%未満" in line
    assert "90%以上" in line
    factors = (
        Factor(name="weak", value=0.9, effect=0.1, told="弱い"),
        Factor(name="strong", value=0.1, effect=-2.0, told="強い"),
        Factor(name="none", value=0.5, effect=0.0, told="関係なし"),
    )
    rows = _text(factor_rows(factors, (Penalty(name="no_hits", amount=0.6, told="0件"),)))
    assert rows.index("強い") < rows.index("下げた") < rows.index("弱い") < rows.index("上げた")
    assert "ほぼ影響なし" in rows
    assert "60ポイント減点" in rows


def test_what_a_verdict_has_moved_is_said() -> None:
    moved = THRESHOLDS.model_copy(update={"silent": 0.915})
    assert changed(THRESHOLDS, moved) == "しきい値が変わりました：「自動で回答」90%→91.5%"
    assert changed(THRESHOLDS, THRESHOLDS) == "しきい値は変わっていません。"


def test_a_question_that_is_about_no_answer_proposes_none() -> None:
    assert proposal_of({"plan_md": "1. 検索"}) is None
    context: JsonObject = {
        "answered": True,
        "sentences": [{"text": "はい。", "sources": [1]}],
        "confidence": _confidence().model_dump(mode="json"),
        "sources": [_source("甲.pdf").model_dump(mode="json")],
    }
    proposal = proposal_of(context)
    assert proposal is not None
    assert proposal.sentences[0].text == "はい。"


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_likely_range_holds_the_share_and_narrows_with_more_answers(a: int, b: int) -> None:
    good, count = min(a, b), max(a, b)
    share = good / count if count else 0.0
    low, high = likely_range(share, count)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1
    if count:
        wider = likely_range(share, count)
        narrower = likely_range(share, 4 * count)
        assert narrower.high - narrower.low <= wider.high - wider.low + 1e-9


def test_diagrams_have_the_ideal_the_ranges_and_the_threshold_in_force() -> None:
    reliability = reliability_spec([Bin(low=0.8, high=0.9, answers=4, said=0.85, true=0.75)])
    assert [layer["mark"]["type"] for layer in reliability["layer"]] == ["line", "rule", "point"]  # pyright: ignore
    points = [
        Point(threshold=n / 100, answers=100 - n, coverage=1 - n / 100, precision=n / 100)
        for n in range(100)
    ]
    assert len(coverage_spec(points, points[90])["layer"]) == 2  # pyright: ignore
    assert len(coverage_spec(points, None)["layer"]) == 1  # pyright: ignore
    few = thinned(points)
    assert (few[0], few[-1], len(few)) == (points[0], points[-1], 12)
    assert thinned(points[:3]) == points[:3]


@pytest.mark.parametrize("level", ["silent", "notify", "confirm", "escalate"])
def test_every_level_has_its_word(level: str) -> None:
    assert headline(0.5, level)  # pyright: ignore[reportArgumentType]
