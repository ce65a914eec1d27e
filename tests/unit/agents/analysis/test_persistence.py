"""With `analysis.persist` everything is in the workspace, and a restart loses nothing."""

from pathlib import Path

from sanbo.runs.model import Run
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.unit.agents.analysis.conversation import (
    SALES,
    ask,
    on_bench,
    ops_of,
    result_of,
    settings_of,
)


def test_a_conversation_goes_on_after_a_restart_with_its_table_and_files(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "workspace", {"SANBO_ANALYSIS__PERSIST": "true"})
    table = tmp_path / "売上.csv"
    table.write_bytes(SALES)

    async def first(bench: Workbench) -> Run:
        assert not bench.keeps_in_memory("analysis")
        file = await bench.upload(LOCAL, table, "売上.csv", "text/csv")
        return await ask(bench, "店舗別の売上合計を多い順に", file)

    async def after_restart(bench: Workbench) -> tuple[Run, int]:
        for artifact in before.artifacts:
            _, content = await bench.artifact(LOCAL, before.run_id, artifact.artifact_id)
            assert isinstance(content, Path)
            assert content.stat().st_size == artifact.size or artifact.made_of
        run = await ask(bench, "円グラフにして", after=before)
        return run, len(await bench.list(LOCAL))

    before = on_bench(settings, first)
    again, runs = on_bench(settings, after_restart)
    assert runs == 2
    assert result_of(again)["kind"] == "report"
    assert "pie" in ops_of(again)


def test_deleting_its_runs_removes_its_files(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "workspace", {"SANBO_ANALYSIS__PERSIST": "true"})
    table = tmp_path / "売上.csv"
    table.write_bytes(SALES)

    async def work(bench: Workbench) -> list[str]:
        file = await bench.upload(LOCAL, table, "売上.csv", "text/csv")
        run = await ask(bench, "店舗別の売上合計を多い順に", file)
        await bench.delete(LOCAL, run.run_id)
        blobs = settings.workspace / "blobs"
        files = (path for path in blobs.rglob("*") if path.is_file())
        return [path.name for path in files if path.suffix != ".lock"]

    left = on_bench(settings, work)
    assert len(left) == 1  # the upload itself, which waits for further questions
