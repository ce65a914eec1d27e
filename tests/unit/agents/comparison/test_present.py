"""A comparison as people see it, at every moment."""

from pathlib import Path

import pytest

from sanbo.agents.comparison.workflow import Comparison
from sanbo.runs.model import Status
from sanbo.runs.parts import Changes, Progress, Text, Trouble
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings
from tests.presenting import Presented, ids, one, words
from tests.unit.agents.comparison.comparing import (
    NEW,
    OLD,
    Talker,
    compare,
    decide,
    doubting,
    on_bench,
    rules,
    with_model,
)


def _presented(settings: Settings, **given: object) -> Presented:
    async def work(bench: Workbench) -> Presented:
        run = await compare(bench, **given)
        return Presented(Comparison(), await bench.events(LOCAL, run.run_id))

    return on_bench(settings, work)


def test_the_summary_comes_first_then_the_changes_with_their_words(tmp_path: Path) -> None:
    shown = _presented(rules(tmp_path), old_text=OLD, new_text=NEW)
    parts = shown.end()
    assert ids(parts)[:2] == ["summary", "changes"]
    assert "3件" in one(parts, Text, "summary").markdown
    changes = one(parts, Changes)
    assert changes.total_items == len(changes.items) == 3
    [pay] = [item for item in changes.items if item.new and "月額33万円" in item.new.text]
    assert (pay.change, pay.label, pay.tone) == ("changed", "変更", "caution")
    assert "金額・数量" in pay.flags
    assert [(each.op, each.text) for each in pay.diff if each.op != "same"] == [
        ("deleted", "30万円"),
        ("added", "33万円"),
    ]
    assert "Changed" in words(one(shown.end("en"), Changes))
    progress = one(shown.at(Status.RUNNING), Progress)
    assert all("select_next_chunk" not in step.id for step in progress.steps)


def test_paragraphs_that_a_model_looks_at_are_one_step_with_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sanbo.agents.comparison.alignment.align.align", doubting(1, 3))
    with Talker() as model:
        model.replies(decide("B2"), decide("B4"))
        shown = _presented(with_model(tmp_path, model), old_text=OLD, new_text=NEW)
    told = {step.detail for progress in shown.ever() for step in progress.steps}
    assert {"段落 1/2 を確認中：A2", "段落 2/2 を確認中：A4"} <= told
    steps = {step.id: step for step in one(shown.end(), Progress).steps}
    assert (steps["paragraphs"].done, steps["paragraphs"].of) == (2, 2)
    assert steps["paragraphs"].status == "succeeded"
    explained = words(one(shown.end(), Changes))
    assert "内容が変わりました。" in explained


def test_of_many_changes_the_first_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    old = "\n\n".join(f"第{n}の段落は、項目{n}について{n}円を定めます。" for n in range(530))
    new = old.replace("円を定め", "ドルを定め")
    changes = one(_presented(rules(tmp_path), old_text=old, new_text=new).end(), Changes)
    assert (len(changes.items), changes.total_items) == (500, 530)


def test_what_can_not_be_read_is_a_problem(tmp_path: Path) -> None:
    given = {"id_column": "番号", "old_text": OLD, "new_text": NEW}
    parts = _presented(rules(tmp_path), **given).end()
    assert one(parts, Trouble).problem.message
