"""Killed at any event while a secret was typed and another branch works: it is asked again."""

import asyncio
from pathlib import Path

from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.examples import spread
from tests.workflows.planning import (
    events,
    everything_written,
    exports,
    on_bench,
    plan,
    settings_of,
    start,
    stopped_after,
    to_the_end,
)

ONE, OTHER = "茶柱-wasabi-73", "山吹-ginnan-11"
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
  - {id: slow, block: test.work, in: {value: 1, seconds: 0.6}}
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


def test_a_run_killed_at_any_event_is_resumable_and_asks_again(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)

    async def whole(bench: Workbench) -> tuple[list[object], object]:
        begun = await start(bench, TEXT)
        while not (asked := (await bench.get(LOCAL, begun.run_id)).open_interactions):
            await asyncio.sleep(0.01)
        # While the slow branch is at work, as somebody at a screen would.
        await bench.answer(LOCAL, begun.run_id, ANSWERS["form"], asked[0].interaction_id)
        ended = await to_the_end(bench, begun.run_id, ANSWERS)
        return list(await events(bench, ended)), exports(ended)

    history, expected = on_bench(settings, whole)

    for seq in spread(range(1, len(history)), 8):

        async def again(bench: Workbench, seq: int = seq) -> None:
            run_id = await stopped_after(bench, history, seq)  # pyright: ignore[reportArgumentType]
            ended = await to_the_end(bench, run_id, ANSWERS)
            assert ended.status is Status.SUCCEEDED, (seq, ended.problem)
            assert exports(ended) == expected
            await bench.delete(LOCAL, run_id)

        on_bench(settings, again)
    written = everything_written(tmp_path)
    assert ONE not in written
    assert OTHER not in written
