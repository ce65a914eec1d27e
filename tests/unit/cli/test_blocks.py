"""`sanbo blocks`: what plans can be made of, at the command line."""

from pathlib import Path

from tests.unit.blocks.contract.workspaces import Workspace
from tests.unit.cli.conftest import Sanbo


def test_blocks_are_listed_with_those_of_the_workspace_and_its_problems(
    sanbo: Sanbo, workspace: Path
) -> None:
    own = Workspace(workspace)
    own.add()
    own.write("broken.yaml", "id: my.broken\nversion: 1.0.0\nentrypoints: x\n")
    listed = sanbo("blocks", "list")
    assert listed.code == 0
    assert "file.read_csv" in listed.out
    assert "［自作］ 値を2倍にします。" in listed.out
    assert "broken.yaml の3行目" in listed.err
    found = sanbo("blocks", "list", "--json").json
    by_id = {block["id"]: block for block in found["blocks"]}
    assert by_id["my.double"]["is_own"] is True
    assert by_id["file.read_csv"]["is_own"] is False
    assert found["problems"][0]["details"]["line"] == 3


def test_a_block_is_shown_with_its_ports_and_an_example(sanbo: Sanbo) -> None:
    shown = sanbo("blocks", "show", "file.read_csv@^1")
    assert shown.code == 0
    assert "file.read_csv@1." in shown.out
    assert "has_header" in shown.out
    assert "summary.encoding" in shown.out
    assert "選択肢 auto text" in shown.out
    assert "入金明細.csv" in shown.out
    english = sanbo("--lang", "en", "blocks", "show", "file.parse_zip_2tier")
    assert "The ZIP file" in english.out
    as_json = sanbo("blocks", "show", "file.read_csv", "--json").json
    assert as_json["inputs"]["encoding"]["default"] == "auto"
    assert as_json["inputs"]["bytes"]["json_schema"]["x-file"] is True
    assert as_json["samples"][0]["outputs"]["summary"]["rows"] == 2


def test_a_block_that_is_not_there_is_told_with_the_nearest(sanbo: Sanbo) -> None:
    missing = sanbo("blocks", "show", "file.read_cvs")
    assert missing.code == 1
    assert "file.read_csv" in missing.err
    wrong = sanbo("blocks", "show", "file.read_csv@newest", "--json")
    assert wrong.code == 1
    assert wrong.json["problem"]["code"] == "INPUT_VALIDATION_FAILED"
    assert "1.0.0" in sanbo("blocks", "show", "file.read_csv@9").err
