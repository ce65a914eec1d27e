"""Killed at any event while a secret was typed and another branch works: it is asked again."""

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from signal import SIGKILL

import pytest

from sanbo.runs.model import (
    Event,
    InteractionAnswered,
    InteractionOpen,
    JsonObject,
    LoopIteration,
    NodeComplete,
    Run,
    Status,
)
from sanbo.service import bootstrap
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.conformance.processes import FORKED, MortalJournal
from tests.examples import is_thorough, spread
from tests.patience import PATIENCE_SECONDS
from tests.workflows.planning import (
    events,
    exports,
    on_bench,
    plan,
    settings_of,
    start,
    stopped_after,
    to_the_end,
)

ONE, OTHER = "chabashira-wasabi-73", "yamabuki-ginnan-11"
TEXT = plan(
    """
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      requirements:
        - {id: user, type: text, label: 利用者}
        - {id: one, type: text, label: 暗証番号, secret: true}
        - {id: other, type: text, label: 合言葉, secret: true}
    out: {collected_data: entered}
  - {id: slow, block: test.work, in: {value: 1, seconds: 0.4}}
  - {id: slower, block: test.work, in: {value: "${slow.value}", seconds: 0.05}}
  - {id: first, block: test.login, in: {password: "${form.entered.one}"}}
  - id: loop
    type: loop
    foreach: {input: [1, 2, 3]}
    body:
      plan:
        graph:
          - id: login
            block: test.login
            in: {password: "${form.entered.other}"}
            out: {length: n}
    out: {collect: lengths}
  - {id: last, block: test.login, in: {password: "${form.entered.one}"}, after: [loop, slower]}
""",
    top="exports: [{from: last.length, as: n}, {from: loop.lengths, as: lengths}]",
)
ANSWERS: dict[str, JsonObject] = {"form": {"user": "u", "one": ONE, "other": OTHER}}


async def _through(bench: Workbench, run_id: str) -> Run:
    """Answers while the slow branch is at work, as somebody at a screen would."""
    now = await bench.get(LOCAL, run_id)
    while not now.open_interactions and not now.status.is_final:
        await asyncio.sleep(0.05)
        now = await bench.get(LOCAL, run_id)
    return await to_the_end(bench, run_id, ANSWERS)


def _assert_asked_again_if_needed(history: Sequence[Event], seq: int) -> None:
    """Both secrets, once, where they had been typed before the stop and the last one needs them."""
    told = [event for event in history if (event.seq or 0) <= seq]
    was_typed = any(isinstance(event.payload, InteractionAnswered) for event in told)
    was_used = any(
        isinstance(event.payload, NodeComplete) and event.path == ("last",) for event in told
    )
    asked = [
        [field.id for field in event.payload.interaction.requirements]
        for event in history
        if isinstance(event.payload, InteractionOpen)
    ]
    again = [["one", "other"]] if was_typed and not was_used else []
    assert asked == [["user", "one", "other"], *again], f"stopped after {seq}"


def _assert_in_no_file(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            assert ONE.encode() not in data, file
            assert OTHER.encode() not in data, file


@pytest.mark.parametrize(
    "executor", ["threads", pytest.param("processes", marks=pytest.mark.thorough)]
)
def test_a_run_stopped_at_any_event_is_resumable_and_asks_again(
    executor: str, tmp_path: Path
) -> None:
    settings = settings_of(tmp_path)

    async def whole(bench: Workbench) -> tuple[list[Event], object]:
        begun = await start(bench, TEXT, executor=executor)
        ended = await _through(bench, begun.run_id)
        return await events(bench, ended), exports(ended)

    history, expected = on_bench(settings, whole, 120)
    for seq in spread(range(1, len(history)), 5):

        async def again(bench: Workbench, seq: int = seq) -> None:
            ended = await _through(bench, await stopped_after(bench, history, seq))
            assert ended.status is Status.SUCCEEDED, (seq, ended.problem)
            assert exports(ended) == expected
            _assert_asked_again_if_needed(await events(bench, ended), seq)

        on_bench(settings, again, 120)
    _assert_in_no_file(tmp_path)


# ---- real processes ------------------------------------------------------------------------------


def _advance(workspace: str, die_after: int | None) -> None:
    """Starts the run, or takes it up; what it puts aside is in the workspace, too."""
    os.environ["TMPDIR"] = tempfile.tempdir = workspace
    if die_after is not None:
        MortalJournal.last = die_after
        bootstrap.Journal = MortalJournal

    async def work(bench: Workbench) -> None:
        known = await bench.list(LOCAL)
        run_id = known[0].run_id if known else (await start(bench, TEXT)).run_id
        await _through(bench, run_id)

    on_bench(settings_of(Path(workspace)), work, 120)


def _advance_in_process(workspace: Path, die_after: int | None = None) -> int | None:
    workspace.mkdir(exist_ok=True)
    process = FORKED.Process(target=_advance, args=(str(workspace), die_after))
    process.start()
    process.join(PATIENCE_SECONDS)
    return process.exitcode


def _ended_in(workspace: Path) -> tuple[Run, list[Event]]:
    async def look(bench: Workbench) -> tuple[Run, list[Event]]:
        [summary] = await bench.list(LOCAL)
        run = await bench.get(LOCAL, summary.run_id)
        return run, await events(bench, run)

    return on_bench(settings_of(workspace), look)


def _chosen(history: Sequence[Event]) -> list[int]:
    """When the secrets are typed, and inside the loop; in `make test-all` every event."""
    if is_thorough():
        return [event.seq or 0 for event in history[:-1]]
    kinds = (InteractionAnswered, LoopIteration)
    return [
        next(event.seq or 0 for event in history if isinstance(event.payload, kind))
        for kind in kinds
    ]


def test_a_killed_process_leaves_a_run_that_another_asks_again_for_and_ends(
    tmp_path: Path,
) -> None:
    assert _advance_in_process(tmp_path / "whole") == 0
    whole, history = _ended_in(tmp_path / "whole")
    for seq in _chosen(history):
        workspace = tmp_path / str(seq)
        assert _advance_in_process(workspace, die_after=seq) == -SIGKILL
        _assert_in_no_file(workspace)
        assert _advance_in_process(workspace) == 0
        ended, told = _ended_in(workspace)
        assert ended.status is Status.SUCCEEDED, (seq, ended.problem)
        assert exports(ended) == exports(whole)
        _assert_asked_again_if_needed(told, seq)
        _assert_in_no_file(workspace)
