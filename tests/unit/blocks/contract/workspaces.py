"""Workspaces with blocks of their own."""

from pathlib import Path
from textwrap import dedent

SPEC = """\
id: {id}
version: {version}
entrypoint: {entrypoint}
description: 値を2倍にします。
inputs:
  number: {{type: integer, required: true}}
outputs:
  double: {{type: integer}}
dry_run:
  samples:
    - inputs: {{number: 2}}
      outputs: {{double: 4}}
"""

CODE = """\
from sanbo.blocks.block import Block, BlockContext, BlockInputs

class DoubleInputs(BlockInputs):
    number: int

class Double(Block[DoubleInputs]):
    Inputs = DoubleInputs

    def run(self, given, context):
        return {"double": given.number * FACTOR}

FACTOR = 2
"""


class Workspace:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path / "block_specs"
        self.folder.mkdir(parents=True)

    def write(self, file: str, text: str) -> Path:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")
        return path

    def add(
        self,
        block_id: str = "my.double",
        version: str = "1.0.0",
        *,
        file: str = "",
        entrypoint: str = "my/double.py:Double",
    ) -> None:
        text = SPEC.format(id=block_id, version=version, entrypoint=entrypoint)
        self.write(file or f"my/{block_id}-{version}.yaml", text)
        self.write("my/double.py", CODE)
