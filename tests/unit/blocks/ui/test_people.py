"""Whom a question is put to, until when, and who approves after whom."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from sanbo.blocks.ui.form import deadline, read_due
from sanbo.kernel.problems import NotFound, PermissionDenied
from sanbo.language.moments import parse_span
from sanbo.runs.journal import Journal
from sanbo.runs.model import InteractionDue, JsonObject, Run, Status
from sanbo.service.access import LOCAL, OPERATOR, Caller
from sanbo.service.workbench import Workbench
from tests.unit.blocks.one_block import begin, by_rules, on_bench, outputs, upload

BLOCK = "ui.interactive_input"
FIELD: JsonObject = {"id": "reason", "type": "text", "label": "理由"}
SUZUKI, TANAKA = Caller("suzuki"), Caller("tanaka", roles=frozenset({"部長"}))
SATO = Caller("sato", roles=frozenset({"部長"}))


def test_lengths_of_time_are_read_as_people_write_them() -> None:
    for written, span in {
        "3d": timedelta(days=3),
        "2週間": timedelta(weeks=2),
        "１日 12時間": timedelta(days=1, hours=12),
        "90 min": timedelta(minutes=90),
        "PT48H": timedelta(days=2),
    }.items():
        assert parse_span(written) == span, written
    for wrong in ("", "3", "d", "3か月", "0d", "3dd", "3d ago", "P"):
        assert parse_span(wrong) is None, wrong


def test_a_day_is_due_at_its_end_and_a_reminder_comes_before() -> None:
    due_at, remind_at = deadline("令和8年11月30日", "1d", node="n")
    assert due_at is not None
    assert due_at.astimezone().strftime("%Y-%m-%d %H:%M") == "2026-11-30 23:59"
    assert remind_at == due_at - timedelta(days=1)
    assert read_due("2026-11-30T17:00+09:00") == datetime(2026, 11, 30, 8, tzinfo=UTC)


def _moments(run_id: str, journal: Journal) -> list[bool]:
    told = (event.payload for event in journal.read(run_id))
    return [each.overdue for each in told if isinstance(each, InteractionDue)]


def test_the_clock_says_once_each_that_a_question_is_due(tmp_path: Path) -> None:
    settings, begun = by_rules(tmp_path / "w"), dict[str, Run]()

    async def ask(bench: Workbench) -> None:
        given: JsonObject = {"mode": "confirm", "due": "3d", "reminder": "1d"}
        begun["run"] = run = await begin(bench, BLOCK, given)
        [listed] = await bench.list(LOCAL)
        [asked] = run.open_interactions
        assert listed.due_at == asked.due_at
        assert asked.due_at is not None
        journal = Journal(bench.access.database)
        now = asked.due_at.timestamp()
        for moment, told in ((now - 2 * 86_400, []), (now - 3600, [False]), (now - 60, [False])):
            journal.remind(moment)
            assert _moments(run.run_id, journal) == told
        marked = await bench.get(LOCAL, run.run_id)
        assert (marked.status, marked.open_interactions[0].mark) == (Status.WAITING, "soon")

    async def later(bench: Workbench) -> None:
        run, journal = begun["run"], Journal(bench.access.database)
        [asked] = run.open_interactions
        assert asked.due_at is not None
        late = asked.due_at.timestamp() + 1
        await asyncio.gather(*(asyncio.to_thread(journal.remind, late) for _ in range(4)))
        assert _moments(run.run_id, journal) == [False, True]
        marked = await bench.get(LOCAL, run.run_id)
        assert (marked.status, marked.open_interactions[0].mark) == (Status.WAITING, "overdue")
        await bench.answer(LOCAL, run.run_id, {"approved": True})
        assert outputs(await bench.wait(LOCAL, run.run_id))["approved"] is True
        journal.remind(late + 86_400)
        assert _moments(run.run_id, journal) == [False, True]
        [listed] = await bench.list(LOCAL)
        assert listed.due_at is None

    on_bench(settings, ask)
    on_bench(settings, later)


def test_a_server_says_by_itself_what_is_overdue(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        given: JsonObject = {"mode": "confirm", "due": "2026-01-31"}
        run = await begin(bench, BLOCK, given)
        async for event in bench.follow(LOCAL, run.run_id):
            if isinstance(event.payload, InteractionDue):
                assert event.payload.overdue
                break

    on_bench(by_rules(tmp_path / "w"), work)


def test_others_see_a_question_and_who_is_asked_answers_it(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        given: JsonObject = {"requirements": [FIELD], "assignee": "suzuki", "role": "部長"}
        run = await begin(bench, BLOCK, given)
        assert (await bench.get(LOCAL, run.run_id)).open_interactions[0].for_me  # alone
        for name in ("suzuki", "tanaka", "mori"):
            bench.access.create_token(name, ["部長"] if name == "tanaka" else [])
        assert not (await bench.get(LOCAL, run.run_id)).open_interactions[0].for_me
        with pytest.raises(PermissionDenied, match="suzuki、部長"):
            await bench.answer(LOCAL, run.run_id, {"reason": "x"})
        with pytest.raises(NotFound):
            await bench.get(Caller("mori"), run.run_id)
        for caller, for_me in ((LOCAL, False), (SUZUKI, True), (TANAKA, True), (OPERATOR, True)):
            [listed] = await bench.list(caller)
            assert (listed.for_me, listed.waits_for) == (for_me, ("suzuki", "部長"))
        assert await bench.list(Caller("mori")) == []
        for forbidden in (bench.cancel, bench.delete, bench.resume):
            with pytest.raises(PermissionDenied, match="local"):
                await forbidden(SUZUKI, run.run_id)
        with pytest.raises(PermissionDenied, match="local"):
            await bench.replay(SUZUKI, run.run_id, ("node",))
        await bench.answer(TANAKA, run.run_id, {"reason": "出張"})
        made = outputs(await bench.wait(LOCAL, run.run_id))
        assert (made["collected_data"], made["metadata"]["by"]) == ({"reason": "出張"}, "tanaka")

    on_bench(by_rules(tmp_path / "w"), work)


APPROVAL: JsonObject = {
    "mode": "confirm",
    "requirements": [FIELD],
    "approvers": ["suzuki", {"role": "部長"}, {"role": "部長"}],
}


@pytest.mark.parametrize("refused_by", [None, 1])
def test_approvers_are_asked_in_order_and_a_refusal_ends_it(
    tmp_path: Path, refused_by: int | None
) -> None:
    async def work(bench: Workbench) -> None:
        for caller in (SUZUKI, TANAKA, SATO):
            bench.access.create_token(caller.owner, sorted(caller.roles))
        run = await begin(bench, BLOCK, APPROVAL)
        with pytest.raises(NotFound):  # it is not her turn
            await bench.answer(TANAKA, run.run_id, {"approved": True})
        approvals: list[Any] = []
        for turn, caller in enumerate((SUZUKI, TANAKA, SATO)):
            if turn == 2:
                with pytest.raises(PermissionDenied, match="別の方"):
                    await bench.answer(TANAKA, run.run_id, {"approved": True})
            said: JsonObject = {"approved": turn != refused_by, "comment": f"{turn}"}
            [asked] = (await bench.get(caller, run.run_id)).open_interactions
            assert ("これまでの承認" in asked.context) == (turn > 0)
            first = {"reason": "更新"} if turn == 0 else {}
            await bench.answer(caller, run.run_id, said | first)
            approvals.append((caller.owner, turn != refused_by, f"{turn}"))
            run = await bench.wait(LOCAL, run.run_id)
            if turn == refused_by:
                break
        made = outputs(run)
        assert made["approved"] is (refused_by is None)
        assert made["collected_data"] == {"reason": "更新"}
        told = made["metadata"]["approvals"]
        assert [(each["by"], each["approved"], each["comment"]) for each in told] == approvals
        assert all(each["answered_at"] for each in told)

    on_bench(by_rules(tmp_path / "w"), work)


def test_whoever_is_alone_approves_for_all(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await begin(bench, BLOCK, APPROVAL)
        for turn in range(3):
            first = {"reason": "更新"} if turn == 0 else {}
            await bench.answer(LOCAL, run.run_id, {"approved": True, **first})
            run = await bench.wait(LOCAL, run.run_id)
        assert [each["by"] for each in outputs(run)["metadata"]["approvals"]] == ["local"] * 3

    on_bench(by_rules(tmp_path / "w"), work)


def test_help_shows_a_picture_that_the_run_has(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        file = await upload(bench, tmp_path, "見本.png", b"\x89PNG\r\n\x1a\n")
        shown = file.model_dump(mode="json")
        field: JsonValue = {
            **FIELD,
            "help": {"text": {"ja": "右上です", "en": "top"}, "picture": shown},
        }
        given: JsonObject = {"requirements": [field, {**FIELD, "id": "b", "hint": "任意の文"}]}
        run = await begin(bench, BLOCK, given, [file])
        first, second = run.open_interactions[0].requirements
        assert first.help is not None
        assert second.help is not None
        assert (first.help.text, second.help.text) == ("右上です", "任意の文")
        assert await bench.artifact_bytes(LOCAL, run.run_id, file.file_id) == b"\x89PNG\r\n\x1a\n"

    on_bench(by_rules(tmp_path / "w"), work)
