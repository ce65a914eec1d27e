"""Options are tried before a plan runs: what a run would take is never refused."""

import json

import pytest

from sanbo.blocks.catalog import Catalog
from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.messages import use_language
from sanbo.plans.findings import Finding
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.validating import validate
from sanbo.plans.validating.schema_reading import holds_file
from tests.unit.plans.corpus import SETTINGS, catalog, source_of_text

_SHIPPED = Catalog.load(None)
_HEAD = """\
apiVersion: v1
id: plan
version: 1.0.0
graph:
  - {id: read, block: demo.rows, in: {name: 売上}}
"""


@pytest.mark.parametrize("spec", _SHIPPED.specs, ids=lambda spec: spec.reference)
def test_no_declared_sample_is_refused_whatever_of_it_another_step_gives(spec: BlockSpec) -> None:
    for sample in spec.dry_run.samples:
        given = {
            name: f"${{read.{name}}}" if holds_file(spec.inputs[name].schema_) else value
            for name, value in sample.inputs.items()
            if value is not None
        }
        for port in (None, *given):
            inputs = given if port is None else {**given, port: f"${{read.{port}}}"}
            nodes = [{"id": "tried", "block": spec.id, "in": inputs}]
            plan = {"apiVersion": "v1", "id": "plan", "version": "1.0.0", "graph": nodes}
            found = validate(source_of_text(json.dumps(plan)), _SHIPPED, SETTINGS)
            assert [each.message for each in found if each.code == "wrong_input"] == []


def _found(graph: str) -> tuple[Finding, ...]:
    return validate(source_of_text(_HEAD + graph), catalog(), SETTINGS)


@pytest.mark.parametrize(
    "options",
    [
        "keys: ${form.keys}, strategy: fuzzy",
        "window: ${form.keys}, strategy: window",
        "keys: [{left: a, right: b, weight: ${form.keys.0.weight}}]",
        "keys: [${form.keys.0}], fuzzy: ${form.keys.1}",
    ],
)
def test_an_option_that_another_step_gives_is_not_missed(options: str) -> None:
    graph = f"""\
  - {{id: form, block: transforms.pick, in: {{source: {{a: 1}}, path: a}}, out: {{value: keys}}}}
  - id: link
    block: matching.record_linkage
    in: {{left: "${{read.rows}}", right: "${{read.rows}}", {options}}}
"""
    assert [each for each in _found(graph) if each.code == "wrong_input"] == []


def test_the_message_numbers_entries_as_the_plan_does() -> None:
    graph = """\
  - id: write
    block: excel.update_workbook
    in:
      operations:
        - {type: add_sheet, sheet: 結果}
        - {type: insert_rows, sheet: 結果, row: -}
"""
    (found,) = _found(graph)
    assert found.line == 11
    assert "operations[1]" in found.message


def test_what_is_kept_of_a_text_is_told_in_the_language_that_is_spoken() -> None:
    source = PlanSource(plan=PlanText(text="id: ["))
    told = validate(source, catalog(), SETTINGS)[0].message
    with use_language("en"):
        assert validate(source, catalog(), SETTINGS)[0].message != told
