"""Answers of GRACE and its questions on the screen, whatever stands in them."""

from datetime import UTC, datetime
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from rich.console import Console

from sanbo.cli import grace_question, grace_view
from sanbo.cli.grace_progress import GraceProgress
from sanbo.cli.score_bar import score_bar
from sanbo.runs.model import (
    Event,
    Interaction,
    NodeComplete,
    NodeStart,
    Option,
    Requirement,
    Run,
    Status,
    TextDelta,
)
from sanbo.service.grace import (
    AnswerSentence,
    Confidence,
    ExecutionPlan,
    ExecutionResult,
    ExecutionState,
    Intervention,
    PlanStep,
    Replan,
    SearchStatistics,
    Source,
    StepResult,
    ThresholdsUsed,
)
from sanbo.service.grace_written import written

NOW = datetime(2026, 9, 1, tzinfo=UTC)
RUN_ID = "run_0123"
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


def _run(result: ExecutionResult = RESULT) -> Run:
    return Run.model_validate(
        {
            "run_id": RUN_ID,
            "workflow": "grace",
            "conversation_id": "conv_1",
            "status": Status.SUCCEEDED,
            "input": {},
            "language": "ja",
            "owner": "local",
            "engine": {"provider": "rules"},
            "result": result.model_dump(mode="json"),
            "created_at": NOW,
            "updated_at": NOW,
            "last_seq": 0,
            "artifacts": (),
            "open_interactions": (),
            "problem": None,
            "usage": {},
            "steps": (),
            "replay_of": None,
        }
    )


def _screen(width: int = 80) -> tuple[Console, StringIO]:
    shown = StringIO()
    return Console(file=shown, force_terminal=True, width=width, color_system=None), shown


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


def test_on_a_terminal_it_is_laid_out_and_told_how_to_judge_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen, shown = _screen()
    monkeypatch.setattr(grace_view, "out", lambda: screen)
    grace_view.show_answer(_run())
    text = shown.getvalue()
    assert "**" not in text
    assert "確信度  ███████████████████░  94%  自動で回答" in text
    assert "[1] 旅費規程.md（第3章 旅費の額）  ✓ 原文と照合済み" in text
    assert "計画の見直し" in text
    assert not set(text) & set("\x07\u202e")
    assert f"sanbo calibration feedback {RUN_ID} good" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("score", "bar"),
    [(0, "□□□□□□□□□□   0%"), (0.96, "■■■■■■■■■□  96%"), (1, "■■■■■■■■■■ 100%")],
)
def test_a_bar_is_full_for_the_whole_alone_and_drawn_with_letters_there_are(
    score: float, bar: str
) -> None:
    console = Console(file=TextIOWrapper(BytesIO(), encoding="cp932"))
    assert score_bar(console, score, "silent").plain == bar


# ---- questions ----


def _interaction(*, escalate: bool = False) -> Interaction:
    actions = ("inform", "proceed", "cancel") if escalate else ("proceed", "modify", "cancel")
    text = "information" if escalate else "instruction"
    return Interaction(
        interaction_id="i1",
        mode="collect",
        message="この回答でよいですか。",
        requirements=(
            Requirement(
                id="action",
                type="select",
                label="どうしますか",
                options=tuple(Option(value=each, label=f"{each}する") for each in actions),
                default="inform" if escalate else None,
            ),
            Requirement(id=text, type="text", label="内容", required=False),
        ),
        context={
            "proposal_md": "…",
            "sentences": [SENTENCE.model_dump(mode="json")],
            "confidence": SURE.model_dump(mode="json"),
            "explanation": list(SURE.explanation),
            "sources": [_source(1).model_dump(mode="json")],
        },
        path=("ask",),
        opened_at=NOW,
        answer_schema={},
    )


def test_a_question_shows_the_answer_and_its_score_and_a_command_for_each_choice() -> None:
    screen, shown = _screen()
    run = _run().model_copy(update={"open_interactions": (_interaction(),)})
    grace_question.show_matter(screen, _interaction())
    grace_question.show_ways_to_answer(screen, run, _interaction())
    text = shown.getvalue()
    assert "1泊12,000円を上限とします。[1]" in text
    assert "94%" in text
    assert "質問の語の9割が" in text
    assert "原文と照合済み" in text
    for data in ('{"action": "proceed"}', '{"action": "cancel"}'):
        assert f"sanbo runs answer {RUN_ID} --data '{data}'\n" in text
    assert '{"action": "modify", "instruction": "' in text


def test_a_plan_is_shown_before_it_is_agreed_to() -> None:
    screen, shown = _screen()
    context = {"plan_md": "…", "plan": PLAN.model_dump(mode="json")}
    grace_question.show_matter(screen, _interaction().model_copy(update={"context": context}))
    assert "1. 「宿泊費」を検索します。" in shown.getvalue()


def test_words_are_asked_for_only_where_the_choice_needs_them() -> None:
    action, text = _interaction(escalate=True).requirements
    assert grace_question.field_to_ask(action, {}) == action
    assert grace_question.field_to_ask(text, {"action": "proceed"}) is None
    asked = grace_question.field_to_ask(text, {"action": "inform"})
    assert asked is not None
    assert asked.required


# ---- progress ----


def _event(path: str, payload: NodeComplete | NodeStart | TextDelta) -> Event:
    return Event(run_id=RUN_ID, seq=None, time=NOW, path=(path,), payload=payload)


def test_steps_are_told_once_with_their_score_and_those_to_come_are_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen, shown = _screen(200)
    monkeypatch.setattr("sanbo.cli.progress.err", lambda: screen)
    found = StepResult(
        step_id=1,
        action="rag_search",
        status="success",
        confidence=SURE,
        statistics=SearchStatistics(hits=6),
    )
    planned = ExecutionState(question="宿泊費の上限は", phase="executing", plan=PLAN)
    later = planned.model_copy(
        update={
            "statuses": {1: "success", 2: "failed"},
            "results": (
                found,
                StepResult(step_id=2, action="reasoning", status="skipped", reason="手順1が失敗"),
            ),
            "replans": RESULT.replans,
        }
    )
    progress = GraceProgress(_run())
    for path, output in (("plan", planned), ("step", found), ("review", later), ("ask", later)):
        progress.show(_event(path, NodeStart(key=path, title="手順")))
        outputs = output.model_dump(mode="json")
        progress.show(_event(path, NodeComplete(key=path, outputs=outputs, duration_ms=20)))
    told = shown.getvalue()
    assert told.count("█████████░  94%  1. 「宿泊費」を検索します。  6か所") == 1
    assert told.count("計画：手順2個") == 1
    assert told.count("計画の見直し1回目（全体を立て直し）：回答の確信度が低いためです。") == 1
    assert "手順1が失敗" in told
    again = GraceProgress(_run())
    outputs = planned.model_dump(mode="json")
    again.show(_event("plan", NodeComplete(key="plan", outputs=outputs, duration_ms=1)))
    again.show(_event("finish", TextDelta(text="12,000円です。")))
    screen.print(again._at_work())  # pyright: ignore[reportPrivateUsage]
    waiting = shown.getvalue().removeprefix(told)
    assert "2. 答えます。" in waiting
    assert "12,000円です。" in waiting
