"""Nodes put together keep their lines, and the plan gives what it gave."""

from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import Conflict, InvalidInput
from sanbo.plans.model import PlanSource, PlanText, is_valid
from sanbo.plans.node_edits import into_loop, into_subflow
from sanbo.plans.validating import validate
from sanbo.service.workbench import Workbench
from tests.unit.plans.corpus import SETTINGS, catalog
from tests.workflows.planning import exports, on_bench, run, settings_of

TEXT = """\
apiVersion: v1
id: p
version: 1.0.0
vars: { least: 2, rows: [{ n: 1 }, { n: 3 }, { n: 3 }] }
graph:
  - id: keep
    block: transforms.filter
    in:
      items: ${vars.rows}
      conditions: [{ field: n, operator: gte, value: "${vars.least}" }]
  # the same ones once
  - id: once
    block: transforms.distinct   # by all columns
    in:
      items: ${keep.filtered}
  - id: few
    block: transforms.limit
    when: { expr: "${once.rows.length} > 0 and ${keep.filtered.length} > 0" }
    in: { items: "${once.rows}", count: 5 }
  - id: told
    block: transforms.pick
    after: [once]
    in: { source: { n: "${few.rows.length}件（${once.summary.rows}）" }, path: n }
exports:
  - { from: few.rows, as: rows }
  - { from: told.value, as: told }
"""


def _source(text: str, **called: str) -> PlanSource:
    texts = {name.replace("__", "@"): PlanText(text=each) for name, each in called.items()}
    return PlanSource(plan=PlanText(text=text), called=texts)


def _run(tmp_path: Path, text: str, called: dict[str, str] | None = None) -> Any:
    found: list[Any] = []

    async def work(bench: Workbench) -> None:
        found.append(exports(await run(bench, text, called=called or {})))

    on_bench(settings_of(tmp_path), work)
    return found[0]


def test_a_plan_that_calls_its_former_nodes_is_valid_and_gives_the_same(tmp_path: Path) -> None:
    made = into_subflow(TEXT, ["once", "few"], "tidy", "tidying")
    assert made.called_id == "tidying@1.0.0"
    assert "# the same ones once\n  - id: once" in made.called
    assert "# by all columns" in made.called
    assert "id: once" not in made.text
    assert "after: [tidy]" in made.text
    kept = TEXT.split("  # the same", maxsplit=1)[0]
    assert made.text.startswith(kept)
    source = PlanSource(
        plan=PlanText(text=made.text), called={made.called_id: PlanText(text=made.called)}
    )
    findings = validate(source, catalog(), SETTINGS)
    assert is_valid(findings), findings
    before = _run(tmp_path / "a", TEXT)
    assert before["told"] == "1件（1）"
    assert _run(tmp_path / "b", made.text, {made.called_id: made.called}) == before


LOOP = """\
apiVersion: v1
id: p
version: 1.0.0
vars: { groups: { all: [[{ n: 1 }, { n: 1 }], [{ n: 2 }]] } }
graph:
  - { id: take, block: transforms.pick, in: { source: "${vars.groups}", path: all } }
  - id: once
    block: transforms.distinct
    in:
      items: ${take.value}   # each of them
exports: [{ from: once.rows, as: rows }]
"""


def test_nodes_are_repeated_for_each_item(tmp_path: Path) -> None:
    made = into_loop(LOOP, ["once"], "each", "take.value")
    assert "# each of them" in made.text
    assert is_valid(validate(_source(made.text), catalog(), SETTINGS))
    assert _run(tmp_path, made.text) == {"rows": [[{"n": 1}], [{"n": 2}]]}


def test_what_has_no_clear_meaning_is_refused() -> None:
    for nodes in ([], ["nowhere"], ["keep", "few"], ["told"]):  # unknown, one between, an order
        with pytest.raises(InvalidInput):
            into_subflow(TEXT, nodes, "tidy", "tidying")
    with pytest.raises(InvalidInput):
        into_loop(LOOP, ["once"], "each", "take.other")
    with pytest.raises(Conflict):
        into_subflow(TEXT, ["once", "few"], "keep", "tidying")
