"""What a command asks for and reads: once, however long the run or the plan."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sanbo.blocks.contract import block_folder
from sanbo.plans import load
from sanbo.plans.workflow import Plans
from sanbo.service import catalog, plans
from sanbo.service.workbench import Workbench
from tests.unit.cli.conftest import Sanbo

LOOP = """\
apiVersion: v1
id: many
version: 1.0.0
graph:
  - id: each
    type: loop
    foreach: { input: "${vars.items}", itemVar: item, max_concurrency: 4 }
    body:
      plan:
        graph:
          - { id: one, block: flow.assert, in: { condition: "${vars.item}", message: no } }
        exports: [{ from: one.passed, as: ok }]
    out: { collect: [ok] }
vars: { items: ITEMS }
"""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each was called."""
    counted: Counter[str] = Counter()

    def count(place: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(place, name)

        def counting(*given: Any, **named: Any) -> Any:
            counted[name] += 1
            return real(*given, **named)

        monkeypatch.setattr(place, name, counting)

    count(Workbench, "head")
    count(load, "_read")
    count(block_folder, "read_spec")
    count(plans, "validation_of")
    return counted


def test_a_long_loop_does_not_ask_how_the_run_stands_at_each_event(
    sanbo: Sanbo, tmp_path: Path, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "WORKFLOWS", (Plans(),))
    plan = tmp_path / "many.yaml"
    plan.write_text(LOOP.replace("ITEMS", str([1] * 60)), "utf-8")
    made = sanbo("plan", "run", str(plan), "--json")
    assert made.code == 0
    assert made.json["result"]["nodes"]["each"]["status"] == "succeeded"
    assert calls["head"] <= 3
    assert calls["_read"] <= 2  # who looks may ask for it at the same moment as the engine
    assert calls["read_spec"] <= 1, "the plan's own block alone"


def test_a_list_of_plans_reads_each_of_them_once_and_checks_none_that_it_knows(
    sanbo: Sanbo, workspace: Path, calls: Counter[str]
) -> None:
    plan = workspace / "designs" / "many.yaml"
    plan.parent.mkdir(parents=True)
    plan.write_text(LOOP.replace("ITEMS", "[1]"), "utf-8")
    first = sanbo("plan", "list", "--json")
    assert first.code == 0
    assert all(each["valid"] for each in first.json)
    assert calls["_read"] <= len(first.json)
    assert calls["validation_of"] == 1, "samples are valid by their tests"
    calls.clear()
    assert sanbo("plan", "list", "--json").json == first.json
    assert calls["validation_of"] == calls["read_spec"] == 0


def test_a_plan_that_was_changed_or_is_wrong_is_checked_again(
    sanbo: Sanbo, workspace: Path, calls: Counter[str]
) -> None:
    plan = workspace / "designs" / "many.yaml"
    plan.parent.mkdir(parents=True)
    for text, is_valid in ((LOOP, True), (LOOP.replace("flow.assert", "flow.asert"), False)):
        plan.write_text(text.replace("ITEMS", "[1]"), "utf-8")
        for _ in range(2):
            (listed,) = (
                each for each in sanbo("plan", "list", "--json").json if each["plan_id"] == "many"
            )
            assert listed["valid"] is is_valid
    assert calls["validation_of"] == 3, "once while it was valid, and each time it is not"
    own = workspace / "block_specs" / "own.yaml"
    own.parent.mkdir()
    own.write_text("id: own.block\nversion: 1.0.0\nentrypoint: own.py:Own\n", "utf-8")
    plan.write_text(LOOP.replace("ITEMS", "[1]"), "utf-8")
    calls.clear()
    assert sanbo("plan", "list").code == 0
    assert calls["validation_of"] == 4, "a new block may be a newer version of one in use"
