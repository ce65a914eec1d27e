from pathlib import Path

import pytest

from sanbo.kernel.problems import NotFound
from sanbo.runs.model import JsonObject
from sanbo.service.access import LOCAL, Caller
from sanbo.service.workbench import Workbench
from tests.unit.agents.analysis.conversation import give, on_bench, settings_of

STRANGER = Caller("stranger")


def test_a_table_in_memory_is_its_owners_alone(tmp_path: Path) -> None:
    """Also for somebody who knows the file's digest, while the registry holds the table."""

    async def work(bench: Workbench) -> None:
        file = await give(bench)
        preview = await bench.analysis.preview(LOCAL, file)
        assert preview.rows == 144
        with pytest.raises(NotFound):
            await bench.analysis.preview(STRANGER, file)
        given: JsonObject = {"question": "概要", "file": file.model_dump(mode="json")}
        with pytest.raises(NotFound):
            await bench.start(STRANGER, "analysis", given)

    on_bench(settings_of(tmp_path), work)
