"""The blocks of plans in circulation that need people or models, line by line of their contract."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from sanbo.agents.analysis.workflow import Analysis
from sanbo.kernel.messages import read_yaml
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Run, Status
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.scripted_model import Json, ScriptedModel, Vectors
from tests.unit.blocks.one_block import answer, begin, by_rules, on_bench, outputs, upload

DIFFERENCE = ("path", "type", "from", "to")
CASES = cast(
    "list[dict[str, Any]]",
    read_yaml(Path(__file__).parent / "engine.yaml"),
)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["rule"]) for case in CASES])
def test_a_block_gives_what_its_contract_says(case: dict[str, Any], tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        run = await begin(bench, case["block"], case["in"])
        said = {**case.get("answer", {}), **await _uploaded(bench, case, tmp_path)}
        if "answer" in case or said:
            assert run.status is Status.WAITING, run.problem
            run = await answer(bench, run, said)
        return run

    if case.get("refused"):
        with pytest.raises(InvalidInput):
            on_bench(by_rules(tmp_path / "w"), work)
        return
    run = _run(case, tmp_path, work)
    if case.get("fails"):
        assert run.status is Status.FAILED
        return
    made = outputs(run)
    for port, expected in case["out"].items():
        whole = port != "summary"
        found = made[port] if whole else {name: made[port][name] for name in expected}
        if port == "diffs":
            found = [
                {name: each[name] for name in ("path", "type", "from", "to")} for each in found
            ]
        assert found == expected
    for port, names in case.get("tells", {}).items():
        assert set(names) <= made[port].keys()
    if "names" in case:
        assert {field: _names(each) for field, each in made["collected_data"].items()} == case[
            "names"
        ]
    if "provenance" in case:
        first = made["items_with_provenance"][0]
        known = {**first, **first["__provenance__"]}
        assert {name: known[name] for name in case["provenance"]} == case["provenance"]
        assert {"captured_at", "run_id", "node_id"} <= known.keys()
        assert made["items_with_provenance"][1]["value"] == 5


def _names(value: Any) -> Any:
    if isinstance(value, list):
        return [_names(each) for each in cast("list[Any]", value)]
    return value["name"]


async def _uploaded(bench: Workbench, case: dict[str, Any], folder: Path) -> dict[str, Any]:
    async def stored(name: str) -> Any:
        return (await upload(bench, folder, name, name)).model_dump(mode="json")

    given: dict[str, Any] = {}
    for field, named in cast("dict[str, list[str] | str]", case.get("uploads", {})).items():
        several = isinstance(named, list)
        given[field] = [await stored(each) for each in named] if several else await stored(named)
    return given


def _run(case: dict[str, Any], workspace: Path, work: Any) -> Run:
    if "says" not in case and "vectors" not in case:
        return on_bench(by_rules(workspace / "w"), work)
    with ScriptedModel() as script:
        if "vectors" in case:
            script.otherwise(Vectors(tuple(case["vectors"])))
        else:
            script.otherwise(Json({"records": [case["says"]], "quotes": []}))
        llm = script.settings(max_attempts=1)
        settings = load_settings(workspace / "w", {}).model_copy(update={"llm": llm})
        return on_bench(settings, work)


_SALES: list[Any] = [{"店舗": "東京", "売上": 100}, {"店舗": "大阪", "売上": 80}]


@pytest.mark.parametrize(
    ("dataframes", "tables"),
    [
        (_SALES, 1),
        ({"columns": ["店舗", "売上"], "rows": [["東京", 100], ["大阪", 80]]}, 1),
        ([_SALES, _SALES], 2),
        ({"a": _SALES}, 1),
    ],
)
def test_pandas_agent_answers_about_a_table_however_it_is_given(
    dataframes: Any, tables: int, tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "dataframes": dataframes,
        "instruction": "店舗別の売上合計を多い順に、JSONで",
        **{"header_type": "single", "flatten_multiindex": True, "flatten_joiner": "__"},
        **{"sample_rows": 1000, "allow_dangerous_code": True, "verbose": False},
    }

    async def work(bench: Workbench) -> Run:
        return await begin(bench, "table.pandas_agent", given)

    made = outputs(on_bench(by_rules(tmp_path / "w"), work, (Analysis(),)))
    first = json.loads(made["answer"])[0]
    assert (first["店舗"], 100 in first.values()) == ("東京", True)
    assert made["summary"]["tables"] == tables
    assert made["intermediate_steps"]
