"""What a block sees, and what becomes of its failures, wherever it runs."""

from pathlib import Path

import pytest

from sanbo.blocks.block import NewFile
from sanbo.kernel.problems import Code
from sanbo.plans.executors.call import files_in, perform
from tests.unit.plans.executors.blocks import MemoryFiles, call


def test_block_gets_its_inputs_and_knows_its_surroundings(workspace: Path) -> None:
    assert perform(call(workspace, "echo", {"a": [1, "二"]})).outputs == {"value": {"a": [1, "二"]}}
    told = perform(call(workspace, "about", language="ja")).outputs
    assert told is not None
    about = told["value"]
    assert (about["node"], about["key"]) == ("steps/about", "run_1/steps")
    assert (about["language"], about["folder"]) == ("ja", "files")


def test_on_another_machine_no_folder_of_this_one_is_named(workspace: Path) -> None:
    told = perform(call(workspace, "about", is_elsewhere=True)).outputs
    assert told is not None
    assert told["value"]["folder"] is None


def test_problem_of_a_block_is_its_own_in_the_language_of_the_run(workspace: Path) -> None:
    problem = perform(call(workspace, "fail", "problem", note="請求.pdf", language="ja")).problem
    assert problem is not None
    assert problem.code is Code.INPUT_VALIDATION_FAILED
    assert "請求.pdf" in problem.message
    assert problem.in_language("ja") == problem


@pytest.mark.parametrize(
    ("how", "text_id"),
    [("other", "block_defect"), ("exit", "block_defect"), ("memory", "block_memory")],
)
def test_what_a_block_did_not_foresee_is_a_problem_that_names_the_node(
    workspace: Path, how: str, text_id: str
) -> None:
    performed = perform(call(workspace, "fail", how))
    assert performed.problem is not None
    assert performed.problem.text_id == text_id
    assert "steps/fail" in performed.problem.message
    assert ("Traceback" in performed.defect) == (text_id == "block_defect")


def test_input_that_does_not_fit_names_its_port(workspace: Path) -> None:
    given = call(workspace, "echo", inputs={"value": 1, "nota": "x"})
    problem = perform(given).problem
    assert problem is not None
    assert problem.code is Code.INPUT_VALIDATION_FAILED
    assert "nota" in str(problem.details)


def test_unknown_block_is_not_found(workspace: Path) -> None:
    problem = perform(call(workspace, "echo", block="try.ecko@1.0.0")).problem
    assert problem is not None
    assert problem.code is Code.NOT_FOUND
    assert "try.echo" in str(problem.details)


def test_edited_block_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "block_specs"
    folder.mkdir()
    spec = "id: own.number\nversion: 1.0.0\nentrypoint: number.py:Number\noutputs: {value: {}}\n"
    code = """
from sanbo.blocks.block import Block, BlockInputs
class Number(Block[BlockInputs]):
    Inputs = BlockInputs
    def run(self, given, context):
        return {"value": 1}
"""
    (folder / "number.yaml").write_text(spec)
    (folder / "number.py").write_text(code)
    monkeypatch.setattr("sanbo.plans.executors.call.LOOK_AGAIN_SECONDS", 0.0)
    given = call(tmp_path, "", block="own.number@1.0.0", inputs={})
    assert perform(given).outputs == {"value": 1}
    (folder / "number.py").write_text(code.replace("1}", "2222}"))
    assert perform(given).outputs == {"value": 2222}


def test_files_are_found_however_deep_and_nothing_else() -> None:
    file = {"file_id": "a" * 64, "name": "a.pdf", "size": 3, "media_type": "application/pdf"}
    odd = [{"file_id": "A" * 64, "name": "x"}, {"file_id": "b" * 64}, {"file_id": 5, "name": "y"}]
    found = list(files_in({"rows": [{"deep": [file]}, *odd], "other": file}))
    assert [each.name for each in found] == ["a.pdf", "a.pdf"]


def test_file_that_was_given_can_be_read_and_a_new_one_made(workspace: Path) -> None:
    files = MemoryFiles(b"abc")
    (file_id,) = files.by_id
    given = call(
        workspace, "read", [{"deep": {"file_id": file_id, "name": "a", "size": 3}}], files=files
    )
    assert perform(given).outputs == {"value": NewFile("copy.txt", b"cba", "text/plain")}
