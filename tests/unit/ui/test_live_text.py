"""Streamed text reaches whoever looks, for as long as the step is at work."""

import asyncio
import time
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel
from typing_extensions import override

from sanbo.runs.workflow import Finished, RunContext, Workflow
from sanbo.service.access import LOCAL
from sanbo.service.blocking import blocking_workbench
from sanbo.settings import load_settings
from sanbo.ui.live_text import LiveTexts


class Nothing(BaseModel):
    pass


class Writer(Workflow[Nothing, Nothing]):
    name = "writer"
    titles: ClassVar = {"ja": "書く", "en": "Write"}
    descriptions: ClassVar = {"ja": "", "en": ""}
    input_model = Nothing
    result_model = Nothing

    @override
    async def advance(self, context: RunContext[Nothing]) -> Finished[Nothing]:
        async def write() -> None:
            for _ in range(20):
                context.say("書", "write")
                await asyncio.sleep(0.1)

        await context.step("write", write)
        return Finished(Nothing())


def test_text_grows_while_the_step_writes_and_goes_when_it_has_ended(tmp_path: Path) -> None:
    texts = LiveTexts()
    settings = load_settings(tmp_path, {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, (Writer(),)) as bench:
        run = bench.call(bench.workbench.start(LOCAL, "writer", {}))
        seen: list[str] = []
        while not bench.call(bench.workbench.get(LOCAL, run.run_id)).status.is_final:
            seen.append(texts.of(bench, LOCAL, run.run_id).get(("write",), ""))
            time.sleep(0.1)
        assert max(map(len, seen)) >= 3
        assert [len(text) for text in seen if text] == sorted(len(text) for text in seen if text)
        assert texts.of(bench, LOCAL, run.run_id) == {}
