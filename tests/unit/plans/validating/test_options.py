"""Options are tried before a plan runs: what a run would take is never refused."""

import json
import time
from itertools import count

import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.spec import BlockSpec
from sanbo.documents.excel.book import Change, Update
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.messages import use_language
from sanbo.plans.model import Finding, PlanSource, PlanText
from sanbo.plans.validating import validate
from sanbo.plans.validating.schemas import holds_file
from tests.unit.plans.corpus import SETTINGS, catalog, source_of_text

_SHIPPED = Catalog.load(None)
_OF_THE_PLAN = {("sql.query", "sql"), ("transforms.compute", "columns")}
"""What is code stands in the plan itself."""
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
            if (spec.id, port) in _OF_THE_PLAN:
                continue
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


def test_rows_in_the_plan_are_not_blamed_for_options_that_another_step_gives() -> None:
    graph = """\
  - {id: form, block: transforms.pick, in: {source: {a: 1}, path: a}, out: {value: fields}}
  - id: reconcile
    block: matching.reconcile
    in:
      invoices: [{請求先: 青葉商店, 請求金額: 1000}]
      payments: [{摘要: 青葉商店, お預り金額: 1000}]
      invoice_fields: ${form.fields}
      date_window: ${form.fields}
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


@pytest.mark.parametrize("variable", ["''", "[]", "null", "0"])
def test_an_empty_variable_waits_for_who_starts_or_calls_the_plan(variable: str) -> None:
    text = f"""\
apiVersion: v1
id: plan
version: 1.0.0
vars: {{year: {variable}}}
graph:
  - id: quarter
    block: transforms.compute_fiscal_quarter
    in: {{fiscal_year: "${{vars.year}}", quarter: 1}}
"""
    found = validate(source_of_text(text), catalog(), SETTINGS)
    assert [each for each in found if each.code == "wrong_input"] == []


_LARGE = "A1:XFD100"


def test_a_large_range_is_tried_at_its_first_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    applied = Workbook.apply

    def note(self: Workbook, update: Update) -> Change:
        change = applied(self, update)
        written.extend(str(each.cell) for each in change.cells)
        return change

    monkeypatch.setattr(Workbook, "apply", note)
    graph = f"""\
  - id: write
    block: excel.update_workbook
    in:
      operations:
        - {{type: update_cells, sheet: 結果, cells: {{"{_LARGE}": 0}}}}
        - {{type: update_formula_range, sheet: 結果, ranges: "{_LARGE}", formula: "={{row}}"}}
        - {{type: update_cells, sheet: 結果, cells: {{"1:1048576": 0}}}}
        - {{type: format_cells, sheet: 結果, ranges: "{_LARGE}", number_format: [0]}}
"""
    (found,) = [each for each in _found(graph) if each.code == "wrong_input"]
    assert "operations[3]" in found.message
    assert set(written) == {"A1"}


def test_indices_are_checked_without_counting_through_them() -> None:
    graph = f"""\
  - id: some
    block: transforms.select_by_indices
    in: {{items: "${{read.rows}}", indices: {["0-999999"] * 1000 + ["x"]}}}
"""
    assert [each.code for each in _found(graph) if each.code == "wrong_input"] == ["wrong_input"]


def test_a_plan_that_makes_the_trial_slow_is_tried_in_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = count(step=3.0)
    monkeypatch.setattr(time, "thread_time", lambda: next(clock))
    graph = "".join(
        f"""\
  - id: a{number}
    block: transforms.compute_fiscal_quarter
    in: {{fiscal_year: 2026, quarter: 7}}
"""
        for number in range(9)
    )
    found = [each.node for each in _found(graph) if each.code == "wrong_input"]
    assert found == ["a0"]
