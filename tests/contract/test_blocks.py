"""The blocks of plans in circulation: each line of their contract with a call relying on it."""

from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from sanbo.kernel.problems import SanboError
from tests.unit.blocks.computing import Computed, compute

HERE = Path(__file__).parent / "blocks"
CASES = [
    pytest.param(case, id=case["rule"])
    for file in sorted(HERE.glob("*.yaml"))
    for case in cast("list[dict[str, Any]]", yaml.safe_load(file.read_text("utf-8")))
]


@pytest.mark.parametrize("case", CASES)
def test_a_block_gives_what_its_contract_says(case: dict[str, Any]) -> None:
    if fails := case.get("fails"):
        with pytest.raises(SanboError) as problem:
            compute(case["block"], case["in"])
        assert problem.value.problem.text_id == fails
        return
    made = compute(case["block"], case["in"])
    for port, expected in case.get("out", {}).items():
        assert _part(made[port], expected, whole=port != "summary") == expected
    for port, text in case.get("file", {}).items():
        assert made.bytes_of(made[port]).decode() == text
    _check_shapes(case, made)
    assert {each.text_id for each in made.warnings} == set(case.get("warned", ()))


def _check_shapes(case: dict[str, Any], made: Computed) -> None:
    """Of the two blocks whose outputs are told by what is in them."""
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


def _part(value: Any, expected: Any, *, whole: bool) -> Any:
    if whole or not isinstance(expected, dict):
        return value
    return {name: value.get(name) for name in cast("dict[str, Any]", expected)}
