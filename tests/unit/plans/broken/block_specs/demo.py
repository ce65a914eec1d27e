"""Blocks of the corpus: their contracts are what is tested, nothing runs."""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict

from sanbo.blocks.block import Block, BlockContext, BlockInputs


class _Whatever(BlockInputs):
    model_config = ConfigDict(extra="allow")


class _Never(Block[_Whatever]):
    Inputs = _Whatever

    def run(self, given: _Whatever, context: BlockContext) -> Mapping[str, Any]:
        raise AssertionError("a plan that is only checked runs no block")


class Rows(_Never): ...


class Total(_Never): ...


class Say(_Never): ...


class Send(_Never): ...


class Copy(_Never): ...


class Bare(_Never): ...


class Moved(_Never): ...


class Former(_Never): ...
