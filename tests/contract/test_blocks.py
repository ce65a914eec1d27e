"""The blocks of plans in circulation: each line of their contract with a call relying on it."""

import base64
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest
from openpyxl import Workbook, load_workbook

from sanbo.kernel.messages import read_yaml
from sanbo.kernel.problems import SanboError
from tests.unit.blocks.computing import Computed, compute

_OPEN = {
    "summary",
    "write_summary",
    "period",
    "matching.record_linkage",
    "matching.semantic_topk",
    "matching.similarity_cluster",
}
"""Outputs that may tell more than the contract."""
HERE = Path(__file__).parent / "blocks"
CASES = [
    pytest.param(case, id=case["rule"])
    for file in sorted(HERE.glob("*.yaml"))
    for case in cast("list[dict[str, Any]]", read_yaml(file))
]


@pytest.mark.parametrize("case", CASES)
def test_a_block_gives_what_its_contract_says(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case.get("without_program"):
        monkeypatch.setenv("PATH", str(tmp_path))
    given = dict(case["in"])
    for name, text in case.get("folder", {}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(str(text).encode(case.get("encoding", "utf-8")))
    if "zip" in case:
        given["zip_bytes"] = {"name": "a.zip", "base64": _zip(case["zip"])}
    if "raw" in case:  # a file in another encoding
        data = case["raw"].encode(case["encoding"])
        given["bytes"] = {"name": "a.csv", "base64": base64.b64encode(data).decode()}
    if "book" in case:
        name = "b.xlsx" if case.get("port") != "bytes" else "b"
        given[case.get("port", "workbook")] = {"name": name, "base64": _book(case["book"])}
    if fails := case.get("fails"):
        with pytest.raises(SanboError) as problem:
            compute(case["block"], given, workspace_files=tmp_path)
        assert problem.value.problem.text_id == fails
        return
    made = compute(case["block"], given, workspace_files=tmp_path)
    for port, expected in case.get("out", {}).items():
        assert _part(made[port], expected, whole=not _OPEN & {port, case["block"]}) == expected
    for port, text in case.get("file", {}).items():
        assert made.bytes_of(made[port]).decode() == text
    _check_shapes(case, made)
    assert {each.text_id for each in made.warnings} == set(case.get("warned", ()))


def _zip(entries: dict[str, str]) -> str:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return base64.b64encode(buffer.getvalue()).decode()


def _check_shapes(case: dict[str, Any], made: Computed) -> None:
    """Of blocks whose outputs are told by what is in them."""
    if "zipped" in case:
        found, wanted = made["evidence"], case["zipped"]
        assert [file["path"] for file in found["files"]] == wanted["paths"]
        assert (found["by_dir"], found["total_files"]) == (wanted["by_dir"], len(wanted["paths"]))
        first = {name: found["files"][0][name] for name in wanted["first"]}
        assert first == wanted["first"]
        data = next(iter(case["zip"].values())).encode()
        assert found["files"][0]["sha1"] == hashlib.sha1(data).hexdigest()
    if "groups" in case:
        found = {
            one["key"]: [file["path"] for file in one["evidence"]["files"]]
            for one in made["groups"]
        }
        assert found == case["groups"]
        wanted = case["in"].get("instruction")
        assert {one.get("instruction") for one in made["groups"]} == {wanted}
    for name in case.get("features", ()):
        assert all(name in one["features"] for one in made["features"])
    for port in ("chunks", "stored"):
        for number, expected in enumerate(case.get(port, ())):
            assert _part(made[port][number], expected, whole=False) == expected
    for name, text in case.get("texts", {}).items():
        (file,) = (one for one in made["evidence"]["files"] if one["name"] == name)
        assert file["text_excerpt"] == text
    if port := case.get("encoded"):
        data = made.bytes_of(made["workbook_updated"])
        assert base64.b64decode(made[port]) == data
    for number, expected in enumerate(case.get("evidence", ())):
        assert _part(made["evidence"]["files"][number], expected, whole=False) == expected
    if "candidates" in case:
        assert [one["right"]["b"] for one in made["candidates"]] == case["candidates"]
    if {"cells", "fills", "sheets"} & case.keys():
        _check_book(case, load_workbook(io.BytesIO(made.bytes_of(made["workbook_updated"]))))


def _check_book(case: dict[str, Any], book: Any) -> None:
    if "sheets" in case:
        assert book.sheetnames == case["sheets"]
    for sheet, cells in case.get("cells", {}).items():
        assert {at: book[sheet][at].value for at in cells} == cells
    for sheet, cells in case.get("fills", {}).items():
        assert {at: book[sheet][at].fill.start_color.rgb[-6:] for at in cells} == cells


def _book(sheets: dict[str, list[list[Any]]]) -> str:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for at, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                sheet.cell(at, column, value)
    data = io.BytesIO()
    book.save(data)
    return base64.b64encode(data.getvalue()).decode()


def _part(value: Any, expected: Any, *, whole: bool) -> Any:
    """What is expected of it: of entries with more to tell, no more than that."""
    if whole:
        return value
    if isinstance(expected, list) and isinstance(value, list):
        found, wanted = cast("list[Any]", value), cast("list[Any]", expected)
        parts = [_part(one, other, whole=False) for one, other in zip(found, wanted, strict=False)]
        return parts if len(found) == len(wanted) else found
    if not isinstance(expected, dict) or not isinstance(value, dict):
        return value
    known = cast("dict[str, Any]", value)
    return {name: known.get(name) for name in cast("dict[str, Any]", expected)}
