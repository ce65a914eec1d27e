"""Whoever follows what a run shows and has fallen behind sees next where the run is now."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

from typing_extensions import override

from sanbo.kernel.messages import Language
from sanbo.plans.workflow import Plans
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import JsonObject, Status
from sanbo.runs.parts import Parts
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS

ITEMS = 600
LOOP: dict[str, Any] = {
    "apiVersion": "v1",
    "id": "many",
    "version": "1.0.0",
    "vars": {"items": list(range(ITEMS))},
    "graph": [
        {
            "id": "each",
            "type": "loop",
            "foreach": {"input": "${vars.items}", "itemVar": "item"},
            "body": {
                "plan": {
                    "graph": [
                        {
                            "id": "one",
                            "block": "transforms.pick",
                            "in": {"source": "${vars.item}"},
                        }
                    ],
                    "exports": [{"from": "one.value", "as": "value"}],
                }
            },
            "out": {"collect": ["value"]},
        }
    ],
}


def test_a_slow_reader_is_not_led_through_all_that_was(tmp_path: Path) -> None:
    async def work() -> list[Status]:
        settings = load_settings(tmp_path, {"SANBO_LLM__PROVIDER": "rules"})
        async with open_workbench(settings, (Plans(),)) as bench:
            given: JsonObject = {"source": {"plan": {"text": json.dumps(LOOP)}}}
            run = await bench.start(LOCAL, "plan", given)
            seen: list[Status] = []
            async with aclosing(bench.follow_parts(LOCAL, run.run_id)) as changes:
                async for change in changes:
                    if change is not None:
                        seen.append(change.update.status)
                    while not (await bench.head(LOCAL, run.run_id)).status.is_final:
                        await asyncio.sleep(0.01)  # it reads on when all is over
            return seen

    seen = asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
    # Between the first and the last what was made for all and is a moment old, and what was just
    # being made.
    assert seen[-1] is Status.SUCCEEDED
    assert len(seen) <= 4


def test_many_who_look_on_are_shown_what_was_made_once(tmp_path: Path) -> None:
    async def work() -> tuple[list[list[bytes]], int]:
        settings = load_settings(tmp_path, {"SANBO_LLM__PROVIDER": "rules"})
        workflow = CountedPlans()
        async with open_workbench(settings, (workflow,)) as bench:
            given: JsonObject = {"source": {"plan": {"text": json.dumps(LOOP)}}}
            run = await bench.start(LOCAL, "plan", given)

            async def follow() -> list[bytes]:
                async with aclosing(bench.follow_parts(LOCAL, run.run_id)) as changes:
                    return [change.json async for change in changes if change is not None]

            return await asyncio.gather(*(follow() for _ in range(50))), workflow.presented

    seen, presented = asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
    last = {changes[-1] for changes in seen}
    assert [json.loads(each)["status"] for each in last] == ["succeeded"]
    assert len({id(change) for changes in seen for change in changes}) <= 3 * presented
    assert presented <= 3 + max(len(changes) for changes in seen)


class CountedPlans(Plans):
    presented = 0

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        self.presented += 1
        return super().present(seen, language)
