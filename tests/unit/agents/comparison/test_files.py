"""The files of a comparison: offered by every run, made when somebody asks for one."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from sanbo.agents.comparison import results
from sanbo.kernel.messages import Language
from sanbo.runs.model import Run
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.unit.agents.comparison.comparing import (
    NEW,
    OLD,
    artifact_of,
    compared,
    on_bench,
    rules,
)

MADE_LATER = (".html", ".docx", ".xlsx")


async def read(bench: Workbench, run: Run, ending: str) -> bytes:
    return await bench.artifact_bytes(LOCAL, run.run_id, artifact_of(run, ending).artifact_id)


def test_a_run_writes_no_file_that_nobody_has_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    really = results.written_apart

    async def counted(
        output: results.Offered, sources: Sequence[bytes], language: Language, *, folds: bool
    ) -> bytes:
        written.append(output)
        return await really(output, sources, language, folds=folds)

    monkeypatch.setattr("sanbo.agents.comparison.workflow.written_apart", counted)
    monkeypatch.setattr(results, "written_apart", counted)
    run = compared(rules(tmp_path), old_text=OLD, new_text=NEW)
    assert written == []

    async def later(bench: Workbench) -> None:
        for _ in range(2):
            assert (await read(bench, run, ".docx")).startswith(b"PK")

    on_bench(rules(tmp_path), later)
    assert written == ["docx"]


def test_every_file_is_made_after_a_restart_and_is_the_same_each_time(tmp_path: Path) -> None:
    run = compared(rules(tmp_path), old_text=OLD, new_text=NEW, fold_renumbered=True)

    async def later(bench: Workbench) -> dict[str, bytes]:
        return {ending: await read(bench, run, ending) for ending in MADE_LATER}

    once, again = on_bench(rules(tmp_path), later), on_bench(rules(tmp_path), later)
    assert "月額" in once[".html"].decode()
    assert once[".html"] == again[".html"]
    assert once[".docx"] == again[".docx"]
    assert _parts(once[".xlsx"]) == _parts(again[".xlsx"])


def _parts(workbook: bytes) -> dict[str, bytes]:
    """Without when it was made."""
    with ZipFile(BytesIO(workbook)) as archive:
        return {
            name: archive.read(name) for name in archive.namelist() if name != "docProps/core.xml"
        }
