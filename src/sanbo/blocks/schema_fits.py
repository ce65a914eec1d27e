"""Whether a value of one schema can be given to another, as far as the two can tell beforehand.

It is about what can't work: where a schema says nothing, everything fits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sanbo.blocks.schema_failures import type_words
from sanbo.blocks.spec import FILE, Schema
from sanbo.kernel.messages import tell

_NULL = frozenset({"null"})
_ALL = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


@dataclass(frozen=True)
class Misfit:
    path: str
    """Inside the value: `items[].amount`; empty for the value itself."""
    given: str
    wanted: str
    """In words, in the reader's language."""

    @property
    def text(self) -> str:
        kind = "inside" if self.path else "whole"
        return tell(f"block_misfit.{kind}", path=self.path, given=self.given, wanted=self.wanted)


def fits(output: Schema, input: Schema) -> Misfit | None:
    """None where some value of the first can be given to the second."""
    return _misfit(output, input, "")


def may_be_null(schema: Schema) -> bool:
    """Whether the schema itself says that there may be nothing."""
    if branches := _branches(schema):
        return any(may_be_null(branch) for branch in branches)
    if "enum" in schema:
        return None in schema["enum"]
    return "null" in _listed(schema.get("type"))


def _misfit(output: Any, wanted: Any, path: str) -> Misfit | None:
    if not isinstance(output, Mapping) or not isinstance(wanted, Mapping):
        return None
    given, want = cast("Schema", output), cast("Schema", wanted)
    if branches := _branches(given):
        return _best([_misfit(branch, want, path) for branch in branches], given, want, path)
    if branches := _branches(want):
        return _best([_misfit(given, branch, path) for branch in branches], given, want, path)
    shared = _kinds(given) & _kinds(want)
    # That both may be nothing is no reason to pass one to the other.
    is_only_null = shared == _NULL and _NULL not in (_kinds(given), _kinds(want))
    if not shared or is_only_null:
        return _different(given, want, path)
    return (
        _first(_misfit(given, part, path) for part in _listed(want.get("allOf")))
        or _literals(given, want, path)
        or _inside(given, want, shared, path)
    )


def _first(found: Iterable[Misfit | None]) -> Misfit | None:
    return next((each for each in found if each), None)


def _best(found: Sequence[Misfit | None], given: Schema, want: Schema, path: str) -> Misfit | None:
    if not found or None in found:
        return None
    return found[0] if len(found) == 1 else _different(given, want, path)


def _different(given: Schema, want: Schema, path: str) -> Misfit:
    return Misfit(path, type_words(given), type_words(want))


def _literals(given: Schema, want: Schema, path: str) -> Misfit | None:
    """Two lists of choices with nothing in common."""
    offered, allowed = _choices(given), _choices(want)
    if offered is None or allowed is None or any(each in allowed for each in offered):
        return None
    return Misfit(path, _or(offered), _or(allowed))


def _inside(given: Schema, want: Schema, shared: frozenset[str], path: str) -> Misfit | None:
    if "array" in shared and (found := _misfit(given.get("items"), want.get("items"), f"{path}[]")):
        return found
    if "object" not in shared:
        return None
    if bool(want.get(FILE)) and not given.get(FILE) and _lacks(given, "file_id"):
        return _different(given, want, path)
    return _properties(given, want, path)


def _properties(given: Schema, want: Schema, path: str) -> Misfit | None:
    offered = cast("Mapping[str, Any]", given.get("properties") or {})
    wanted = cast("Mapping[str, Any]", want.get("properties") or {})
    for name in wanted:
        below = f"{path}.{name}" if path else name
        if name in offered and (found := _misfit(offered[name], wanted[name], below)):
            return found
        if name in _listed(want.get("required")) and _lacks(given, name):
            return Misfit(below, tell("block_type.nothing"), type_words(wanted[name]))
    if want.get("additionalProperties") is False:
        for name in _listed(given.get("required")):
            if name not in wanted:
                below = f"{path}.{name}" if path else name
                kind = type_words(offered.get(name, {}))
                return Misfit(below, kind, tell("block_type.nothing"))
    return None


def _lacks(given: Schema, name: str) -> bool:
    """Whether values of this schema surely have no such property."""
    properties: Mapping[str, Any] = given.get("properties") or {}
    return name not in properties and given.get("additionalProperties") is False


def _kinds(schema: Schema) -> frozenset[str]:
    kinds = frozenset(_listed(schema.get("type"))) or _ALL
    # A number may be whole, and a whole one is a number.
    return kinds | {"integer", "number"} if kinds & {"integer", "number"} else kinds


def _choices(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return list(schema["enum"]) if "enum" in schema else None


def _branches(schema: Schema) -> list[Schema]:
    return [*_listed(schema.get("anyOf")), *_listed(schema.get("oneOf"))]


def _listed(value: object) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(cast("Sequence[Any]", value))
    return [] if value is None else [value]


def _or(values: Sequence[object]) -> str:
    return tell("block_type.or").join(str(value) for value in values[:10])
