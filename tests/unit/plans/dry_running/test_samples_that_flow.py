"""What runs passes the dry run, and what samples hide does not."""

from pathlib import Path

import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.dry_running import dry_run
from sanbo.plans.model import Finding, PlanSource, PlanText
from sanbo.plans.settings import PlanSettings

FORM = """
  - id: form
    block: ui.interactive_input
    in:
      mode: collect
      requirements: [{id: book, type: file, label: ブック, accept: ".xlsx"}]
    out: {collected_data: entered}
"""
GOOD = {
    "a form's file that is picked": FORM
    + """
  - {id: pick, block: transforms.pick, in: {source: "${form.entered}", path: book}}
  - {id: read, block: excel.read_data, in: {workbook: "${pick.value}"}}
""",
    "a loop over a filter that keeps nothing of the sample": """
  - {id: read, block: file.read_csv, in: {path: a.csv}}
  - id: keep
    block: transforms.filter
    in: {items: "${read.rows}", conditions: [{field: 金額, operator: gt, value: 999999999}]}
  - id: loop
    type: loop
    foreach: {input: "${keep.filtered}"}
    body:
      plan:
        graph: [{id: p, block: transforms.pick, in: {source: "${item}"}, out: {value: v}}]
    out: {collect: all}
""",
}
SPEC = """
id: own.block
version: 1.0.0
entrypoint: own.py:Own
inputs: {{n: {{type: integer, required: true}}}}
outputs: {{made: {{type: integer}}}}
dry_run: {{samples: [{sample}]}}
"""
CODE = """
from sanbo.blocks.block import Block

class Own(Block):
    def run(self, given, context):
        return {"made": given.n}
"""
BROKEN = {
    "no sample of what is only exported": ("", CODE, "no_sample"),
    "a sample that breaks its own type": (
        "{inputs: {n: 1}, outputs: {made: 一}}",
        CODE,
        "sample_wrong",
    ),
    "code that can't be imported": (
        "{inputs: {n: 1}, outputs: {made: 1}}",
        "import nosuchmodule",
        "block_unloadable",
    ),
}


def _findings(graph: str, workspace: Path | None = None, top: str = "") -> tuple[Finding, ...]:
    text = f"id: p\nversion: 1.0.0\n{top}graph:\n{graph}"
    source = PlanSource(plan=PlanText(text=text, file="p.yaml"))
    return dry_run(source, Catalog.load(workspace), PlanSettings()).findings


@pytest.mark.parametrize("case", GOOD)
def test_what_runs_passes(case: str) -> None:
    assert not [each for each in _findings(GOOD[case]) if each.severity == "error"]


@pytest.mark.parametrize("case", BROKEN)
def test_what_samples_hide_is_told(case: str, tmp_path: Path) -> None:
    sample, code, expected = BROKEN[case]
    folder = tmp_path / "block_specs"
    folder.mkdir()
    (folder / "own.yaml").write_text(SPEC.format(sample=sample), "utf-8")
    (folder / "own.py").write_text(code, "utf-8")
    graph = "  - {id: a, block: own.block, in: {n: 1}}"
    found = _findings(graph, tmp_path, "exports: [{from: a.made, as: x}]\n")
    assert [each.code for each in found if each.severity == "error"] == [expected]
