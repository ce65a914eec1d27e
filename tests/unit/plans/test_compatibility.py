"""A block gets a new major version: what that means for a plan that was kept."""

from pathlib import Path

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.compatibility import upgrades_of
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.running.plan import pinned_versions

BLOCK = """\
id: own.add
version: {version}
entrypoint: add.py:Add
inputs:
{inputs}
outputs: {{{outputs}: {{type: number}}}}
description: 足す
"""
PLAN = """\
id: sums
version: 1.0.0
graph:
  - {id: open, block: own.add, in: {a: 1, b: 2}, out: {total: sum}}
  - {id: pinned, block: own.add@1, in: {a: "${open.sum}", b: 1}}
"""


def test_a_new_major_version_is_told_with_what_it_breaks(tmp_path: Path) -> None:
    folder = tmp_path / "block_specs"
    folder.mkdir()
    first = "  a: {type: number}\n  b: {type: number}"
    (folder / "one.yaml").write_text(
        BLOCK.format(version="1.2.0", inputs=first, outputs="total"), "utf-8"
    )
    source = PlanSource(plan=PlanText(text=PLAN))
    kept = pinned_versions(source, Catalog.load(tmp_path))
    assert upgrades_of(source, kept, Catalog.load(tmp_path)) == ()
    second = "  a: {type: string}\n  c: {type: number, required: true}"
    (folder / "two.yaml").write_text(
        BLOCK.format(version="2.0.0", inputs=second, outputs="result"), "utf-8"
    )
    found = upgrades_of(source, kept, Catalog.load(tmp_path))
    assert [(each.node, each.newest, each.is_pinned) for each in found] == [
        (("open",), "2.0.0", False),
        (("pinned",), "2.0.0", True),
    ]
    assert [(each.kind, each.port) for each in found[0].breaks] == [
        ("input_changed", "a"),
        ("input_gone", "b"),
        ("input_needed", "c"),
        ("output_gone", "total"),
    ]
