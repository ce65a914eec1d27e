"""Parts on the screen: every kind is drawn, and nothing that stands in one acts on the terminal."""

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO, StringIO, TextIOWrapper
from typing import get_args

import pytest
from rich.console import Console

from sanbo.cli.asking import _after as asked_after
from sanbo.cli.parts_view import score_bar, show_parts
from sanbo.cli.progress import Watch
from sanbo.cli.run_view import show_questions
from sanbo.kernel.problems import InvalidInput, Problem
from sanbo.runs.model import Artifact, Choice, Interaction, Option, Requirement, Run, Status
from sanbo.runs.parts import (
    ChangeItem,
    Changes,
    Column,
    Fact,
    Facts,
    Figure,
    Files,
    Graph,
    GraphEdge,
    GraphNode,
    Part,
    PartsUpdate,
    Progress,
    ProgressStep,
    Score,
    Segment,
    Side,
    SourceItem,
    Sources,
    Table,
    Text,
    Trouble,
)

NOW = datetime(2026, 9, 1, tzinfo=UTC)
EVIL = "\x1b]0;taken\x07[x](http://evil.example) <b>領収書</b> \u202e第1条"
FILE = Artifact(artifact_id="a" * 64, name=f"図 {EVIL}.png", media_type="image/png", size=1200)


def _every_kind(words: str) -> list[Part]:
    side = Side(place=words, text=words)
    return [
        Text(id="text", title=words, markdown=f"**太字** {words}"),
        Text(id="plain", markdown=words, is_plain=True),
        Table(
            id="table",
            title=words,
            columns=(Column(name=words), Column(name="比", kind="share", decimals=1)),
            rows=((words, 0.256), (None, 1)),
            total_rows=50,
        ),
        Figure(id="figure", title=words, picture=FILE, description=words),
        Sources(
            id="sources",
            title="出典",
            items=(SourceItem(mark="1", document=words, quote=words, is_verified=False),),
        ),
        Score(id="score", title="確信度", value=0.936, level=words, explanation=(words,)),
        Changes(
            id="changes",
            old_name=words,
            new_name=words,
            items=(
                ChangeItem(
                    id="1",
                    change="changed",
                    label=words,
                    old=side,
                    new=side,
                    diff=(
                        Segment(op="same", text="月額"),
                        Segment(op="deleted", text=f"30万円{words}"),
                        Segment(op="added", text="33万円"),
                    ),
                    flags=(words,),
                    explanation=words,
                    confidence=0.5,
                ),
            ),
            total_items=80,
        ),
        Graph(
            id="graph",
            nodes=(GraphNode(id="a", title=words),),
            edges=(GraphEdge(source="a", target="b", label=words),),
        ),
        Files(id="files", title="成果物", items=(FILE,)),
        Facts(id="facts", items=(Fact(label=words, value=words), Fact(label="数", value=1234567))),
        Trouble(id="trouble", title=words, problem=_problem(words), is_warning=True),
        Progress(
            id="progress",
            title="手順",
            steps=(ProgressStep(id="s", title=words, status="running", detail=words),),
        ),
    ]


def _problem(words: str) -> Problem:
    return InvalidInput("entry_not_understood", reason=words).problem


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("is_terminal", [True, False])
def test_every_kind_is_drawn_and_nothing_acts_on_the_terminal(
    width: int, is_terminal: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = _every_kind(EVIL)
    assert {type(part) for part in parts} == set(get_args(get_args(Part)[0]))
    shown = _drawn(parts, width, is_terminal=is_terminal)
    shown += capsys.readouterr().err
    assert not set(shown) & set("\x07\u202e\x1b")
    for told in ("領収書", "25.6%", "ほか 48 件", "94%", "[-30万円", "ほかに50件", "1,234,567"):
        assert told in shown.replace("\n  ", "")
    if is_terminal:
        assert max(map(_wide, shown.splitlines())) <= max(width, 200)


def _wide(line: str) -> int:
    return len(line)


def _drawn(parts: Sequence[Part], width: int, *, is_terminal: bool = True) -> str:
    shown = StringIO()
    show_parts(
        Console(file=shown, force_terminal=is_terminal, width=width, color_system=None), parts
    )
    return shown.getvalue()


@pytest.mark.parametrize(
    ("score", "bar"),
    [(0, "□□□□□□□□□□   0%"), (0.96, "■■■■■■■■■□  96%"), (1, "■■■■■■■■■■ 100%")],
)
def test_a_bar_is_full_for_the_whole_alone_and_drawn_with_letters_there_are(
    score: float, bar: str
) -> None:
    console = Console(file=TextIOWrapper(BytesIO(), encoding="cp932"))
    assert score_bar(console, score, "good").plain == bar


# ---- questions ----


def _choosing() -> Interaction:
    return Interaction(
        interaction_id="i1",
        mode="collect",
        message="この回答でよいですか。",
        requirements=(
            Requirement(
                id="action",
                type="select",
                label="どうしますか",
                options=tuple(Option(value=each, label=f"{each}する") for each in ("go", "modify")),
            ),
            Requirement(
                id="instruction",
                type="text",
                label="内容",
                required=False,
                only_with=Choice(field="action", value="modify"),
            ),
        ),
        path=("ask",),
        opened_at=NOW,
        answer_schema={},
    )


def _run(*questions: Interaction) -> Run:
    return Run.model_validate(
        {
            "run_id": "run_0123",
            "workflow": "any",
            "conversation_id": "conv_1",
            "status": Status.WAITING,
            "input": {},
            "language": "ja",
            "owner": "local",
            "engine": {"provider": "rules"},
            "result": None,
            "created_at": NOW,
            "updated_at": NOW,
            "last_seq": 0,
            "artifacts": (),
            "open_interactions": questions,
            "problem": None,
            "usage": {},
            "steps": (),
            "replay_of": None,
        }
    )


def test_a_question_shows_what_it_is_about_and_a_command_for_each_choice() -> None:
    shown = StringIO()
    screen = Console(file=shown, force_terminal=True, width=80, color_system=None)
    about = Text(id="q", markdown="1泊12,000円です。", interaction_id="i1")
    other = Text(id="o", markdown="別の質問のことです。", interaction_id="i2")
    show_questions(screen, _run(_choosing()), (about, other))
    text = shown.getvalue()
    assert "1泊12,000円です。" in text
    assert "別の質問" not in text
    assert 'sanbo runs answer run_0123 --data \'{"action": "go"}\'\n' in text
    assert '{"action": "modify", "instruction": "' in text


def test_words_are_asked_for_only_where_the_choice_needs_them() -> None:
    action, text = _choosing().requirements
    assert asked_after(action, {}) == action
    assert asked_after(text, {"action": "go"}) is None
    asked = asked_after(text, {"action": "modify"})
    assert asked is not None
    assert asked.required


# ---- progress ----


def _update(*steps: ProgressStep, text: str = "") -> PartsUpdate:
    parts: tuple[Part, ...] = (Progress(id="progress", steps=steps),)
    if text:
        parts = (*parts, Text(id="writing/x", markdown=text, is_growing=True))
    ids = tuple(part.id for part in parts)
    return PartsUpdate(run_id="r", seq=1, status=Status.RUNNING, ids=ids, parts=parts)


def test_steps_are_told_once_as_they_end_and_those_to_come_are_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = StringIO()
    screen = Console(file=shown, force_terminal=True, width=200, color_system=None)
    monkeypatch.setattr("sanbo.cli.progress.err", lambda: screen)
    before = ProgressStep(id="0", title="前の手順", status="succeeded")
    found = ProgressStep(
        id="1", title="検索", status="succeeded", score=0.936, tone="good", detail="6か所"
    )
    inside = ProgressStep(id="l/a", title="店の確認", status="succeeded", path=("l", "a"), depth=1)
    loop = ProgressStep(id="l", title="店ごとに", status="running", path=("l",), done=1, of=3)
    tried = ProgressStep(id="t", title="送る", status="running", tone="caution", detail="混雑")
    watch = Watch()
    watch.show(_update(before), was_told=True)
    for _ in range(2):
        watch.show(_update(before, found, loop, inside, tried, text="12,000円**です**。"))
    told = shown.getvalue()
    assert told.splitlines() == ["✓ █████████░  94%  検索  6か所", "! 送る  混雑"]
    screen.print(watch._at_work())
    at_work = shown.getvalue().removeprefix(told)
    assert "店ごとに" in at_work
    assert "1/3" in at_work
    assert "12,000円です。" in at_work
    failed = inside.model_copy(update={"status": "failed", "detail": "だめ\nでした"})
    watch.show(_update(failed))
    assert "✗ 店の確認\n    だめ\n    でした\n" in shown.getvalue()
