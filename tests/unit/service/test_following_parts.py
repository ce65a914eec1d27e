"""Whoever follows what a run shows and has fallen behind sees next where the run is now."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

from sanbo.plans.workflow import Plans
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS

ITEMS = 1500
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
            async with aclosing(bench.follow_parts(LOCAL, run.run_id)) as updates:
                async for update in updates:
                    if update is not None:
                        seen.append(update.status)
                    while not (await bench.head(LOCAL, run.run_id)).status.is_final:
                        await asyncio.sleep(0.01)  # it reads on when all is over
                    if len(seen) > 1:
                        break
            return seen

    seen = asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
    assert seen[1] is Status.SUCCEEDED
