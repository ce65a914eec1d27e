"""The jobs of `calls`: one function of ours, by its name, with what it was given."""

import pickle
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from pydantic import TypeAdapter


class Called(NamedTuple):
    """Pickled on the way in alone: it comes from the process that guards, not from the guarded."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]

    def function(self) -> Callable[..., Any]:
        return getattr(import_module(self.module), self.name)


def nothing() -> None:
    """For a process that is only to be there."""


def perform(job: bytes, inputs: Sequence[memoryview], output: BinaryIO) -> bytes:
    """Pieces of bytes go into the output; anything else is told as JSON."""
    called = Called(*pickle.loads(job))  # noqa: S301 - see above
    made: Any = called.function()(*called.arguments, *inputs, **called.named)
    if hasattr(made, "__next__"):
        for piece in made:
            output.write(piece)
        return b""
    # The whole model, not the fields that the annotation of a base class would show.
    return TypeAdapter(Any).dump_json(made)
