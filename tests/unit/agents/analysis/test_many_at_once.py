import asyncio
from pathlib import Path
from typing import cast

from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.examples import examples
from tests.unit.agents.analysis.conversation import SALES, give, on_bench, settings_of


def test_many_conversations_about_different_tables_all_get_their_answers(tmp_path: Path) -> None:
    async def one(bench: Workbench, number: int) -> Run:
        file = await give(bench, SALES + f"\n2025-12-31,店{number},家電,{number}".encode())
        given: JsonObject = {
            "question": "店舗別の売上合計",
            "file": cast("JsonObject", file.model_dump(mode="json")),
        }
        run = await bench.start(LOCAL, "analysis", given)
        return await bench.wait(LOCAL, run.run_id)

    async def work(bench: Workbench) -> list[Run]:
        return list(await asyncio.gather(*(one(bench, number) for number in range(examples(40)))))

    runs = on_bench(settings_of(tmp_path), work)
    assert {run.status for run in runs} == {Status.SUCCEEDED}
    answers = [str((run.result or {})["tables"]) for run in runs]
    assert all(f"店{number}" in answer for number, answer in enumerate(answers))
