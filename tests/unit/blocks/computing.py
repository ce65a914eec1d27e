"""A computing block run as the engine runs it: checked inputs in, checked outputs out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sanbo.blocks.block import Block, BlockContext
from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.samples import filled, stored
from sanbo.blocks.contract.schemas import check_inputs, check_outputs, typed_inputs
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem


class Computed:
    """Outputs, and the bytes of the files that the block was given or has made."""

    def __init__(
        self, outputs: Mapping[str, Any], data: Mapping[str, bytes], warnings: Sequence[Problem]
    ) -> None:
        self.outputs = outputs
        self.warnings = warnings
        self._data = data

    def __getitem__(self, port: str) -> Any:
        return self.outputs[port]

    def bytes_of(self, file: Mapping[str, Any]) -> bytes:
        return self._data[file["file_id"]]


def compute(
    reference: str,
    given: Mapping[str, Any],
    *,
    catalog: Catalog | None = None,
    language: Language = "ja",
    workspace_files: Path | None = None,
) -> Computed:
    """Files are given as in samples: `{name, text}` or `{name, base64}`."""
    known = catalog or Catalog.load(None)
    spec = known.resolve(reference)
    block = known.block(spec)
    assert issubclass(block, Block)
    inputs = filled(spec.inputs, given)
    checked = check_inputs(spec, inputs.values)
    context = BlockContext(language, inputs.files, "node", "key", workspace_files)
    data = dict(inputs.files.data)
    made = stored(dict(block().run(typed_inputs(block, spec, checked), context)), data)
    return Computed(check_outputs(spec, made), data, context.warnings)
