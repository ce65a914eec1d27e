"""A spec from untrusted JSON. What does not fit is named in words that a person understands."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sanbo.agents.analysis.spec.expressions import Expression
from sanbo.agents.analysis.spec.filters import OPERATORS, AnyOf, condition_model
from sanbo.agents.analysis.spec.operations import OPERATIONS, AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.words import CANDIDATES, Sort, Strict, refused
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput

Location = Sequence[int | str]


def _by(key: str, union: Any) -> dict[str, type[Strict]]:
    models = cast("tuple[type[Strict], ...]", get_args(get_args(union)[0]))
    return {
        word: model for model in models for word in get_args(model.model_fields[key].annotation)
    }


CHARTS: Mapping[str, type[Strict]] = _by("kind", PlotSpec)
_FUNCTIONS = _by("fn", Expression)
_ANALYSIS = TypeAdapter[AnalysisSpec](AnalysisSpec)
_PLOT = TypeAdapter[PlotSpec](PlotSpec)

# By the beginning of pydantic's name of an error.
_TYPES: Mapping[str, str] = {
    "string": "text", "int": "whole_number", "float": "number", "finite": "number",
    "tuple": "list", "list": "list", "dict": "object", "model": "object", "bool": "yes_no",
}  # fmt: skip
_BOUNDS: Mapping[str, str] = {
    "ge": "≥", "gt": ">", "le": "≤", "lt": "<", "min_length": "≥", "max_length": "≤",
}  # fmt: skip


def read_spec(data: object) -> AnalysisSpec | PlotSpec:
    """Validated and frozen; `InvalidInput` names the first thing that does not fit."""
    if not isinstance(data, Mapping):
        raise InvalidInput("analysis_spec_no_object")
    given = cast("Mapping[str, object]", data)
    is_plot = _is_plot(given)
    key, models = ("kind", CHARTS) if is_plot else ("op", OPERATIONS)
    word = given.get(key)
    if not isinstance(word, str) or word not in models:
        if word is None:
            raise _missing(key, models)
        raise _unknown(key, word, models)
    try:
        if is_plot:
            return _PLOT.validate_python({**given, "type": "plot"})
        return _ANALYSIS.validate_python({**given, "type": "analysis"})
    except ValidationError as error:
        problem = _explain(error.errors(include_url=False), given, models[word])
    raise problem


def _is_plot(given: Mapping[str, object]) -> bool:
    kind = given.get("type")
    if kind is None:
        return "op" not in given and "kind" in given
    if kind not in ("analysis", "plot"):
        raise _unknown("type", kind, ("analysis", "plot"))
    return kind == "plot"


def _explain(
    errors: Sequence[ErrorDetails], given: Mapping[str, object], model: type[Strict]
) -> InvalidInput:
    # A field that is written wrong is also one that is missing: the former says more.
    error = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    path = _path(error["loc"], given)
    match error["type"]:
        case "extra_forbidden":
            known = _model_at(path[:-1], given, model).model_fields
            return _unknown("field", error["loc"][-1], known)
        case "missing":
            return _missing(str(error["loc"][-1]))
        case "union_tag_not_found":
            return _missing("fn", _FUNCTIONS)
        case "value_error":
            return _inconsistent(path, given, model)
        case _:
            return _unfit(error, path)


def _unfit(error: ErrorDetails, path: Location) -> InvalidInput:
    """A value that its field can't take."""
    kind, context = error["type"], error.get("ctx", {})
    field = ".".join(str(part) for part in path)
    if kind == "literal_error":
        return _unknown_word(path, error["input"], _quoted(str(context.get("expected", ""))))
    if kind == "union_tag_invalid":
        return _unknown_word((*path, "fn"), context.get("tag"), _FUNCTIONS)
    for bound, sign in _BOUNDS.items():
        if bound in context:
            text_id = "analysis_spec_length" if "length" in bound else "analysis_spec_bounds"
            return refused(text_id, field=field, rule=f"{sign} {context[bound]}")
    wanted = next((word for start, word in _TYPES.items() if kind.startswith(start)), "value")
    if path[-1:] == ("value",):
        wanted = "value"  # of any type: pydantic names the one it tried first
    return refused(f"analysis_spec_not.{wanted}", field=field)


def _inconsistent(path: Location, given: Mapping[str, object], model: type[Strict]) -> InvalidInput:
    """Rules over several fields; told apart by where they stand."""
    inside = _model_at(path, given, model)
    if path[-1:] == ("expression",) and inside is not _FUNCTIONS["bin"]:
        return InvalidInput("analysis_spec_expression_size")
    if "any_of" in path:
        return InvalidInput("analysis_spec_nested_any_of")
    texts: dict[type[BaseModel], str] = {
        _FUNCTIONS["bin"]: "analysis_spec_bin",
        OPERATIONS["impute"]: "analysis_spec_impute",
        CHARTS["box"]: "analysis_spec_box",
    }
    if inside in texts:
        return InvalidInput(texts[inside])
    return refused("analysis_spec_other", field=".".join(str(part) for part in path))


def _path(location: Location, given: Mapping[str, object]) -> tuple[int | str, ...]:
    """The location without pydantic's tags of unions, which stand in no JSON."""
    path: list[int | str] = []
    here: object = given
    for part in location:
        if isinstance(here, Mapping) and part in here:
            here = cast("Mapping[object, object]", here)[part]
        elif isinstance(here, list | tuple) and isinstance(part, int):
            here = cast("Sequence[object]", here)[part]
        else:
            continue
        path.append(part)
    return tuple(path)


def _model_at(path: Location, given: Mapping[str, object], model: type[Strict]) -> type[BaseModel]:
    """Of the object that stands at this path."""
    here: Any = given
    for part in path:
        here = here[part]
    if here is given or not isinstance(here, Mapping):
        return model
    found = cast("Mapping[str, object]", here)
    if path[0] == "sort":
        return Sort
    if path[0] != "filters":
        return _FUNCTIONS.get(str(found.get("fn")), model)
    return AnyOf if "any_of" in found else condition_model(found)


def _quoted(expected: str) -> list[str]:
    """Pydantic gives what a Literal allows as a text: 'a', 'b' or 'c'; 0 or 1."""
    return re.findall(r"'([^']*)'", expected) or re.split(r", | or ", expected)


def _unknown_word(path: Location, word: object, known: Iterable[str]) -> InvalidInput:
    if path[0] == "filters" and path[-1] == "op":
        return _unknown("operator", word, OPERATORS)
    return _unknown(".".join(str(part) for part in path), word, known)


_UNKNOWN = {
    "op": "analysis_spec_unknown_op",
    "kind": "analysis_spec_unknown_kind",
    "operator": "analysis_spec_unknown_operator",
    "field": "analysis_spec_unknown_field",
}


def _unknown(field: str, word: object, known: Iterable[str]) -> InvalidInput:
    # Operators are few and short: likeness says little, and all of them can be listed.
    candidates = list(known)
    if field != "operator":
        candidates = nearest(str(word), candidates, CANDIDATES, least=0)
    if field in _UNKNOWN:
        return refused(_UNKNOWN[field], candidates, word=word)
    return refused("analysis_spec_unknown_word", candidates, field=field, word=word)


def _missing(field: str, known: Iterable[str] = ()) -> InvalidInput:
    candidates = list(known)
    return refused("analysis_spec_missing", candidates or None, field=field)
