"""CEL's programs, from its compiled module alone.

Importing the package would also load its interactive command line: half a second at every start.
"""

from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Protocol, cast

from pydantic import JsonValue


class Program(Protocol):
    def execute(self, context: dict[str, JsonValue]) -> object: ...


class _Cel(Protocol):
    def compile(self, source: str) -> Program: ...


def compile_program(source: str) -> Program:
    """`ValueError` for what is no CEL."""
    return _module().compile(source)


@cache
def _module() -> _Cel:
    package = find_spec("cel")
    assert package is not None
    found = PathFinder.find_spec("cel.cel", package.submodule_search_locations)
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return cast("_Cel", module)
