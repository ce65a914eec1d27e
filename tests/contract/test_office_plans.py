"""Plans written from the contract alone, each with its outcome worked out by hand beforehand."""

import asyncio
import datetime as dt
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.messages import read_yaml
from sanbo.plans.dry_running import dry_run
from sanbo.plans.model import PlanText
from sanbo.plans.store import Designs
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS

HERE = Path(__file__).parent / "plans"
ENVIRONMENT = {"SANBO_LLM__PROVIDER": "rules"}
PLANS = sorted(path.name for path in HERE.iterdir() if (path / "plan.yaml").exists())


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_gives_what_was_worked_out_by_hand(name: str, tmp_path: Path) -> None:
    folder = HERE / name
    inputs = read_yaml(folder / "inputs.yaml") or {}
    expected = read_yaml(folder / "expected.yaml")
    settings = load_settings(tmp_path, {**ENVIRONMENT, **_set(inputs)})
    text = (folder / "plan.yaml").read_text("utf-8")
    source = Designs([folder]).source(PlanText(text=text, file=str(folder / "plan.yaml")))
    found = dry_run(source, Catalog.load(None), settings.plans).findings
    assert not [each for each in found if each.severity == "error"]

    async def work() -> tuple[Run, dict[str, Path]]:
        async with open_workbench(settings) as bench:
            begun = await bench.start(
                LOCAL,
                "plan",
                {"source": source.model_dump(mode="json"), "vars": inputs.get("vars", {})},
            )
            ended = await asyncio.wait_for(
                _answered(bench, begun, inputs, folder), PATIENCE_SECONDS
            )
            return ended, await _books(bench, ended, tmp_path)

    ended, books = asyncio.run(work())
    assert ended.status is Status.SUCCEEDED, ended.problem
    assert list(_unlike(expected, ended, books)) == []


def _set(inputs: Any) -> dict[str, str]:
    """What the plan may read of the environment, and what of it is there."""
    named = inputs.get("env") or {}
    there = {key: str(value) for key, value in named.items() if value is not None}
    return {"SANBO_PLANS__ENV": json.dumps(list(named)), **there} if named else {}


async def _answered(bench: Workbench, begun: Run, inputs: Any, folder: Path) -> Run:
    """To its end: files are uploaded, and every question gets what is written down for its node."""
    forms, answers = inputs.get("forms") or {}, inputs.get("answers") or {}
    said = {node: {**forms.get(node, {}), **answers.get(node, {})} for node in {**forms, **answers}}
    while True:
        now = await bench.wait(LOCAL, begun.run_id)
        if now.status.is_final:
            return now
        for asked in now.open_interactions:
            answer = await _uploaded(bench, said[asked.path[-2]], folder)
            for field in asked.requirements:
                if field.type == "folder" and isinstance(answer.get(field.id), dict):
                    answer[field.id] = [answer[field.id]]
                if field.id == "choice" and "choice" not in answer:  # the first one approves
                    answer["choice"] = field.options[0 if answer["approved"] else 1].value
            known: Any = asked.answer_schema["properties"]
            fitting: JsonObject = {key: value for key, value in answer.items() if key in known}
            await bench.answer(LOCAL, now.run_id, fitting, asked.interaction_id)


async def _uploaded(bench: Workbench, value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [await _uploaded(bench, each, folder) for each in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"file"}:
        path = folder / value["file"]
        stored = await bench.upload(LOCAL, path, path.name, "application/octet-stream")
        return stored.model_dump(mode="json")
    return {key: await _uploaded(bench, each, folder) for key, each in value.items()}


async def _books(bench: Workbench, ended: Run, target: Path) -> dict[str, Path]:
    """The workbooks among the exports, by alias."""
    found: dict[str, Path] = {}
    exports: Any = (ended.result or {}).get("exports", {})
    for alias, value in exports.items():
        named = [
            each
            for each in ended.artifacts
            if isinstance(value, dict) and each.name == value.get("name")
        ]
        if named:
            path = target / f"{alias}.xlsx"
            path.write_bytes(await bench.artifact_bytes(LOCAL, ended.run_id, named[-1].artifact_id))
            found[alias] = path
    return found


def _unlike(expected: Any, ended: Run, books: dict[str, Path]) -> Iterator[str]:
    result: Any = ended.result
    exports = result["exports"]
    yield from _values(expected, exports)
    for status in ("skipped", "failed"):
        nodes = {name for name, node in result["nodes"].items() if node["status"] == status}
        if status in expected and nodes != set(expected[status]):
            yield f"{status}: {sorted(nodes)} instead of {sorted(expected[status])}"
    yield from _warnings(expected, ended)
    yield from (
        f"{alias} is there" for alias in expected.get("absent_workbooks") or () if alias in books
    )
    for alias, book in (expected.get("workbooks") or {}).items():
        yield from _cells(alias, book, exports[alias], books[alias])


def _values(expected: Any, exports: Any) -> Iterator[str]:
    for alias, value in (expected.get("result") or {}).items():
        found = exports.get(alias, "absent")
        if isinstance(value, dict) and isinstance(found, dict):  # a summary may tell more
            found = {key: each for key, each in found.items() if key in value}
        if not _same(value, found):
            yield f"{alias}: {exports.get(alias, 'absent')!r} instead of {value!r}"
    for alias, value in (expected.get("subset") or {}).items():
        if not _within(value, exports.get(alias)):
            yield f"{alias}: {exports.get(alias)!r} lacks {value!r}"
    for alias, count in (expected.get("counts") or {}).items():
        if len(exports[alias] or ()) != count:
            yield f"{alias}: {len(exports[alias] or ())} instead of {count}"
    for alias, absent in (expected.get("absent_in") or {}).items():
        if any(_within(one, other) for one in absent for other in exports[alias]):
            yield f"{alias} has one of {absent!r}"
    for one, other in expected.get("equal") or ():
        if exports[one] != exports[other]:
            yield f"{one} is not {other}"


def _warnings(expected: Any, ended: Run) -> Iterator[str]:
    told = [(each.node or "").split("/")[0] for each in ended.warnings]
    due = [each["node"] for each in expected.get("warnings") or ()]
    if expected.get("no_warnings") and told:
        yield f"warnings: {told}"
    yield from (f"no warning of {node}" for node in due if told.count(node) < due.count(node))


def _cells(alias: str, book: Any, given: Any, path: Path) -> Iterator[str]:
    if book.get("name") and given["name"] != book["name"]:
        yield f"{alias}: {given['name']}"
    opened = load_workbook(path)
    if book.get("sheets") and opened.sheetnames != book["sheets"]:
        yield f"{alias}: {opened.sheetnames} instead of {book['sheets']}"
    yield from (
        f"{alias}: {each}" for each in book.get("absent_sheets") or () if each in opened.sheetnames
    )
    for sheet, address, value in book.get("cells") or ():
        cell: Any = opened[sheet][address]
        is_text = isinstance(value, str) and value.startswith("text:")
        wanted = value.removeprefix("text:") if is_text else value
        if not _same(wanted, cell.value) or (is_text and cell.data_type == "f"):
            yield f"{alias} {sheet}!{address}: {cell.value!r} instead of {value!r}"
    if headed := book.get("columns_by_heading"):
        sheet: Any = opened[headed["sheet"]]
        columns = {cell.value: cell.column for cell in sheet[1]}
        for row, values in headed["rows"].items():
            for heading, value in values.items():
                found = sheet.cell(row, columns[heading]).value
                if not _same(value, found):
                    yield f"{alias} {heading} of row {row}: {found!r} instead of {value!r}"
    for sheet, address, colour in book.get("fills") or ():
        cell: Any = opened[sheet][address]
        fill = cell.fill
        if not str(fill.fgColor.rgb).endswith(str(colour)):
            yield f"{alias} {sheet}!{address}: {fill.fgColor.rgb} instead of {colour}"


def _same(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(found, dict):
        return wanted.keys() == found.keys() and all(
            _same(wanted[key], found[key]) for key in wanted
        )
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(_same, wanted, found))
    if isinstance(wanted, dt.date) and isinstance(found, dt.datetime):
        return found == dt.datetime.combine(wanted, dt.time())
    if isinstance(wanted, float) and isinstance(found, int | float):
        return math.isclose(wanted, found, abs_tol=1e-9)
    return wanted == found and isinstance(wanted, bool) == isinstance(found, bool)


def _within(wanted: Any, found: Any) -> bool:
    """Objects may have more keys, lists more items and another order."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(key in found and _within(wanted[key], found[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(found, list):
        return all(any(_within(one, other) for other in found) for one in wanted)
    return _same(wanted, found)
