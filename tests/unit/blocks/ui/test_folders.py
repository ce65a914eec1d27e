"""A folder that a person chooses goes on as one ZIP."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from pydantic import JsonValue

from sanbo.runs.model import JsonObject
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.unit.blocks.one_block import answer, begin, by_rules, on_bench, outputs, upload

FORM: JsonObject = {"requirements": [{"id": "folder", "type": "folder", "label": "請求書"}]}


def test_a_folder_is_one_zip_with_the_paths_of_its_files(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> dict[str, bytes]:
        files = [await upload(bench, tmp_path, name, name) for name in ("4月/a.txt", "5月/b.txt")]
        run = await begin(bench, "ui.interactive_input", FORM)
        given: list[JsonValue] = [file.model_dump(mode="json") for file in files]
        run = await answer(bench, run, {"folder": given})
        packed = outputs(run)["collected_data"]["folder"]
        assert packed["name"] == "請求書.zip"
        data = await bench.artifact_bytes(LOCAL, run.run_id, packed["file_id"])
        with ZipFile(BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    found = on_bench(by_rules(tmp_path / "w"), work)
    assert found == {name: name.encode() for name in ("4月/a.txt", "5月/b.txt")}


def test_a_zip_chosen_for_a_folder_stays_the_file_it_is(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> bool:
        file = await upload(bench, tmp_path, "請求書10月.zip", "PK")
        run = await begin(bench, "ui.interactive_input", FORM)
        given = file.model_dump(mode="json")
        run = await answer(bench, run, {"folder": [given]})
        return outputs(run)["collected_data"]["folder"] == given

    assert on_bench(by_rules(tmp_path / "w"), work)
