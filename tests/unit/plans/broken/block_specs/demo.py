"""Blocks of the corpus: their contracts are what is tested, nothing runs."""

from collections.abc import Mapping
from typing import Any

from sanbo.blocks.block import Block, BlockContext, BlockInputs


class _Never(Block[BlockInputs]):
    Inputs = BlockInputs

    def run(self, given: BlockInputs, context: BlockContext) -> Mapping[str, Any]:
        raise AssertionError("a plan that is only checked runs no block")


class Rows(_Never): ...


class Total(_Never): ...


class Say(_Never): ...


class Send(_Never): ...


class Copy(_Never): ...


class Bare(_Never): ...


class Moved(_Never): ...


class Former(_Never): ...
