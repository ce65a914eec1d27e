"""The design's own example plans: they validate, dry-run and run as they are written."""

import asyncio
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.dry_running import dry_run
from sanbo.plans.model import PlanText
from sanbo.plans.store import Designs
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import Json, ScriptedModel

HERE = Path(__file__).parent / "design"
CONFIG = '{"task_configs": {"accounting_task_1": {"output_config": {"sheet": "照合"}}}}'
ENVIRONMENT = {"SANBO_LLM__PROVIDER": "rules", "SANBO_PLANS__CONFIG": CONFIG}


def _files(folder: Path) -> tuple[Path, Path]:
    with zipfile.ZipFile(folder / "証跡.zip", "w") as archive:
        archive.writestr("A社/請求書.txt", "請求書\n請求金額：110,000円\n件数：2\n")
        archive.writestr("B社/請求書.txt", "請求書\n請求金額：5,500円\n件数：1\n")
    book = Workbook()
    book.worksheets[0].title = "表紙"
    book.save(folder / "台帳.xlsx")
    return folder / "証跡.zip", folder / "台帳.xlsx"


async def _run(bench: Workbench, name: str, folder: Path) -> Run:
    archive, book = [
        (await bench.upload(LOCAL, path, path.name, "application/octet-stream")).model_dump(
            mode="json"
        )
        for path in _files(folder)
    ]
    text = (HERE / f"{name}.yaml").read_text("utf-8")
    source = Designs([HERE / "designs"]).source(PlanText(text=text, file=f"{name}.yaml"))
    begun = await bench.start(LOCAL, "plan", {"source": source.model_dump(mode="json")})
    filled: JsonObject = {
        "evidence_zip": archive,
        "workbook": book,
        "proceed": True,
        "approved": True,
    }
    while True:
        now = await bench.wait(LOCAL, begun.run_id)
        if now.status.is_final:
            return now
        for asked in now.open_interactions:
            known: Any = asked.answer_schema["properties"]
            said: JsonObject = {key: value for key, value in filled.items() if key in known}
            await bench.answer(LOCAL, now.run_id, said, asked.interaction_id)


@pytest.mark.parametrize("name", ["invoice_reconciliation", "other_sections"])
def test_the_designs_plans_pass_and_run_verbatim(name: str, tmp_path: Path) -> None:
    _check(name, tmp_path, load_settings(tmp_path, ENVIRONMENT))


SAID = {
    "invoice_reconciliation": {"count": 2},
    "other_sections": {"summary": "請求書の要約です"},
}


@pytest.mark.parametrize("name", SAID)
def test_the_designs_plans_run_verbatim_with_a_model(name: str, tmp_path: Path) -> None:
    with ScriptedModel() as script:
        script.otherwise(Json({"records": [SAID[name]], "quotes": []}))
        settings = load_settings(tmp_path, {"SANBO_PLANS__CONFIG": CONFIG})
        llm = script.settings(max_attempts=1)
        exports = _check(name, tmp_path, settings.model_copy(update={"llm": llm}))
        assert script.requests
    if name == "invoice_reconciliation":
        assert [item["count"] for item in exports["results"]["results"]["items"]] == [2, 2]
    else:
        assert exports["result"] == [SAID[name]] * 2


def _check(name: str, tmp_path: Path, settings: Settings) -> Any:
    text = (HERE / f"{name}.yaml").read_text("utf-8")
    source = Designs([HERE / "designs"]).source(PlanText(text=text, file=f"{name}.yaml"))
    found = dry_run(source, Catalog.load(None), settings.plans).findings
    assert not [each for each in found if each.severity == "error"]

    async def work() -> Run:
        async with open_workbench(settings) as bench:
            return await asyncio.wait_for(_run(bench, name, tmp_path), PATIENCE_SECONDS)

    ended = asyncio.run(work())
    assert ended.status is Status.SUCCEEDED, ended.problem
    exports: Any = (ended.result or {})["exports"]
    if name == "invoice_reconciliation":
        results = exports["results"]
        assert set(results) == {"results", "summary"}
        assert [item["file"] for item in results["results"]["items"]] == [
            "A社/請求書.txt",
            "B社/請求書.txt",
        ]
        assert results["summary"] == {"total_files": 2}
        assert exports["write_summary"]["sheet"] == "照合"
    else:
        assert [set(one) for one in exports["result"]] == [{"summary"}, {"summary"}]
        assert exports["is_valid"] is True
        assert exports["errors"] == "r1"
    return exports
