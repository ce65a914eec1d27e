"""Blocks that only compute on what they are given: their options can be tried before a plan runs.

On no rows at all such a block takes no time, has no effect, and refuses just those options that
no data could make right.
"""

from collections.abc import Mapping
from typing import ClassVar, cast

from pydantic import JsonValue, ValidationError
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, In
from sanbo.kernel.messages import current_language
from sanbo.runs.model import FileRef


class _NoFiles:
    def read(self, file: FileRef) -> bytes:
        raise FileNotFoundError(file.name)


def nowhere() -> BlockContext:
    """For a block that is tried outside of any run."""
    return BlockContext(current_language(), _NoFiles(), "", "")


class PureBlock(Block[In]):
    needed: ClassVar[tuple[str, ...]] = ("items",)
    """Inputs that hold the rows."""

    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        nothing: dict[str, JsonValue] = {name: [] for name in cls.needed}
        try:
            inputs = cls.Inputs.model_validate({**given, **nothing})
        except ValidationError:  # an option comes from another step, or is told by its own type
            return
        cls().run(cast("In", inputs), nowhere())
