"""An answer of GRACE as people keep it: everything they should know, whatever stands in it."""

import pytest

from sanbo.agents.grace.answer_text import written
from sanbo.agents.grace.schemas import (
    AnswerSentence,
    Confidence,
    ExecutionPlan,
    ExecutionResult,
    Intervention,
    PlanStep,
    Replan,
    Source,
    ThresholdsUsed,
)

EVIL = "\x1b]0;taken\x07[x](http://evil.example) <b>領収書</b> \u202e第1条"
PLAN = ExecutionPlan(
    plan_id="p1",
    original_query="宿泊費の上限は",
    complexity=0.1,
    made_by="rules",
    steps=(
        PlanStep(step_id=1, action="rag_search", description="「宿泊費」を検索します。"),
        PlanStep(step_id=2, action="reasoning", description="答えます。", depends_on=(1,)),
    ),
)


def _source(number: int, **changes: object) -> Source:
    source = Source(
        id=number,
        document="旅費規程.md",
        document_id="d1",
        format="markdown",
        page=None,
        chunk_id="d1.3",
        quote=EVIL,
        start=0,
        end=9,
        headings=("第3章 旅費の額",),
        score=0.9,
        verified=True,
    )
    return source.model_copy(update=changes)


SURE = Confidence(
    score=0.936,
    level="silent",
    method="calibrated",
    version="1",
    explanation=("質問の語の9割が1つの文にそろっています。",),
)
SENTENCE = AnswerSentence(text="1泊12,000円を上限とします。", sources=(1,))
RESULT = ExecutionResult(
    question=f"宿泊費の上限は {EVIL}",
    collections=("社内規程",),
    answer_md="**1泊12,000円**を上限とします。[1]",
    answered=True,
    sentences=(SENTENCE,),
    confidence=SURE.score,
    decision="silent",
    factors=(),
    explanation=SURE.explanation,
    method="calibrated",
    calibration="1",
    thresholds=ThresholdsUsed(silent=0.9, notify=0.7, confirm=0.4),
    plan=PLAN,
    steps=(),
    sources=(
        _source(1),
        _source(2, verified=False),
        _source(3, kind="person", document="利用者からの情報", verified=False, headings=()),
        _source(4, kind="web", document="お知らせ", url="https://example.com/x", verified=False),
    ),
    replans=(
        Replan(
            number=1,
            trigger="low_confidence",
            strategy="full",
            reason="回答の確信度が低いためです。",
            step_id=2,
            kept=(1,),
            added=(3,),
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
            text="海外の場合です",
        ),
    ),
)


def test_everything_that_a_person_should_know_stands_beside_the_answer_in_the_file() -> None:
    text = written(RESULT, "ja")
    assert text.startswith("# 宿泊費の上限は")
    for told in (
        "**1泊12,000円**を上限とします。[1]",
        "確信度：■■■■■■■■■■■■■■■■■■■□ 94%（自動で回答）",
        "- 質問の語の9割が1つの文にそろっています。",
        "- [1] 旅費規程.md（第3章 旅費の額）【原文と照合済み】",
        "- [2] 旅費規程.md（第3章 旅費の額）【原文と照合できません】",
        "- [3] 利用者からの情報【利用者からの情報】",
        "Webの検索結果",
        "全体を立て直し）：回答の確信度が低いためです。",
        "回答の確認：指示を加えて調べ直す（海外の場合です）",
    ):
        assert told in text
    assert not set(text) & set("\x1b\x07\u202e")
    assert "\\[x\\](http" in text, "words of documents are no links"
    assert "<b>" not in text.replace("\\<b", "")
    assert "Sources" in written(RESULT, "en")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"decision": "notify", "confidence": 0.8}, "回答して通知"),
        ({"decision": "confirm", "confidence": 0.5}, "出典を確認してから"),
        ({"decision": "escalate", "confidence": 0.1}, "このまま使わないで"),
        ({"answered": False}, "裏付ける記述がありません"),
        (
            {"plan": PLAN.model_copy(update={"made_by": "template", "problem": "循環しています"})},
            "循環しています",
        ),
        (
            {"interventions": (RESULT.interventions[0].model_copy(update={"action": "proceed"}),)},
            "人が確認して",
        ),
    ],
)
def test_what_is_special_about_an_answer_is_told(changes: dict[str, object], told: str) -> None:
    assert told in written(RESULT.model_copy(update=changes), "ja")
