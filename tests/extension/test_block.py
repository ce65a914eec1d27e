"""The guide's block works as it stands there, in both languages."""

import re
from pathlib import Path

import pytest

from sanbo.blocks.contract.catalog import Catalog
from tests.unit.blocks.computing import compute
from tests.unit.blocks.contract.workspaces import Workspace

_FENCED = re.compile(r"```(?:yaml|python)\n# block_specs/(\S+)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_block_of_the_guide_runs(tmp_path: Path, language: str) -> None:
    workspace = Workspace(tmp_path)
    files = _FENCED.findall(Path(f"docs/guides/blocks.{language}.md").read_text("utf-8"))
    assert len(files) == 2
    for file, text in files:
        workspace.write(file, text)
    catalog = Catalog.load(tmp_path)
    assert catalog.problems == ()
    spec = catalog.resolve("billing.with_tax")
    (sample,) = spec.dry_run.samples
    made = compute("billing.with_tax", sample.inputs, catalog=catalog)
    assert made.outputs == sample.outputs
    assert (
        compute("billing.with_tax", {"amount": 105, "rate": 0.08}, catalog=catalog)["total"] == 113
    )
