"""Specs as a model reads and writes them: their own JSON, in the forms that every schema can say.

A free map has no form in strict JSON Schema: metrics are a list. A column that another step of the
same reply makes is `{"made": "売上_sum"}`, so that all others can be an enumeration.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter

from sanbo.agents.analysis.decision import OutOfScope
from sanbo.agents.analysis.spec.binding import with_columns
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.spec.words import Sort

Json = dict[str, Any]
MOST_SPECS = 6
MOST_CHOICES = 3
LONGEST_WHY = 120
LONGEST_TEXT = 200
_LONGEST_VALUE = 80
_MOST_ITEMS = 10
_TAGS = ("op", "kind", "fn")
_LISTS = {"metrics": "agg", "methods": "method"}
"""Maps by column, and what their lists call the value."""
_LEFT_OUT = frozenset({"type", "sample", "ddof", "bias", "alpha", "abc", "title", "horizontal"})
"""Fields whose defaults serve; a person can change them in the reading."""
_ROWS = ("*", "")
"""What models write as the column of a row count."""
_SHORT = 50
_MADE = "\0"


# ---- a spec as it is written ----


def written(spec: AnySpec, known: Sequence[str], say: Callable[[str], bool]) -> Json:
    """`known`: columns that can be named. Values that must not be said are left as `…`."""

    def mark(name: str) -> str:
        return name if name in known else f"{_MADE}{name}"

    told = cast("Json", _written(with_columns(spec, mark), mark))
    tag = "kind" if spec.type == "plot" else "op"
    ordered = {tag: told.pop(tag), **told}
    return cast("Json", _sayable(ordered, say))


def _written(value: Any, mark: Callable[[str], str]) -> Any:
    if isinstance(value, Sort):
        return {"by": _written(mark(value.by), mark), "ascending": value.ascending}
    if isinstance(value, BaseModel):
        return {
            name: _listed(name, inner, mark)
            for name, field in type(value).model_fields.items()
            if name != "type"
            and (inner := getattr(value, name)) is not None
            and (name in _TAGS or inner != field.get_default(call_default_factory=True))
        }
    if isinstance(value, list | tuple):
        return [_written(each, mark) for each in cast("Sequence[Any]", value)]
    if isinstance(value, str) and value.startswith(_MADE):
        return {"made": value.removeprefix(_MADE)}
    return value


def _listed(name: str, value: Any, mark: Callable[[str], str]) -> Any:
    if name not in _LISTS:
        return _written(value, mark)
    return [
        {"column": _written(column, mark), _LISTS[name]: each}
        for column, inner in cast("Mapping[str, Any]", value).items()
        for each in (inner if isinstance(inner, tuple) else (inner,))
    ]


def _sayable(told: Any, say: Callable[[str], bool], place: str = "") -> Any:
    if isinstance(told, dict):
        pairs = cast("Json", told).items()
        return {name: _sayable(inner, say, name) for name, inner in pairs}
    if isinstance(told, list):
        return [_sayable(each, say, place) for each in cast("list[Any]", told)]
    is_cell = isinstance(told, str) and place in ("value", "groups", "text", "labels")
    return "…" if is_cell and not say(cast("str", told)) else told


def read(told: Json) -> AnySpec:
    """Validated as any spec from outside is; `InvalidInput` where it says nonsense."""
    return read_spec(_read(told))


def _read(told: Any) -> Any:
    if isinstance(told, list):
        return [_read(each) for each in cast("list[Any]", told)]
    if not isinstance(told, dict):
        return told
    given = {name: each for name, each in cast("Json", told).items() if each is not None}
    if given.keys() == {"made"}:
        return given["made"]
    return {
        name: _mapped(_LISTS[name], each)
        if name in _LISTS and isinstance(each, list)
        else _read(each)
        for name, each in given.items()
    }


def _mapped(word: str, listed: list[Any]) -> Json:
    found: Json = {}
    for each in cast("list[Json]", _read(listed)):
        column, value = str(each.get("column", "")), each.get(word)
        if word == "method":
            found[column] = value
        elif column not in _ROWS:  # rows are counted where nothing is measured
            found.setdefault(column, [])
            found[column] += [value] if value not in found[column] else []
    return found


# ---- the schema of a reply ----


def reply_schema(
    columns: Sequence[str], values: Sequence[str], inputs: Sequence[str], *, has_draft: bool
) -> Json:
    """One form for each action, its needed fields first."""
    why = {"type": "string", "maxLength": LONGEST_WHY}
    text = {"type": "string", "maxLength": LONGEST_TEXT}
    specs = {"type": "array", "items": {"$ref": "#/$defs/Step"}, "minItems": 1}
    choices = {"type": "array", "items": text, "maxItems": MOST_CHOICES}
    scopes = TypeAdapter(OutOfScope).json_schema()
    forms = [
        *([_object(action={"const": "ok"})] if has_draft else []),
        _object(action={"const": "specs"}, specs=specs | {"maxItems": MOST_SPECS}),
        _object(action={"const": "ask"}, question=text, choices=choices),
        _object(action={"const": "refuse"}, scope=scopes),
    ]
    for form in forms:
        form["properties"]["action"]["type"] = "string"
        form["properties"]["why"] = why
    known: Json = {
        "Column": {"anyOf": [{"type": "string", "enum": list(columns)}, _object(made=text)]},
        "Value": {"anyOf": [{"type": "string", "maxLength": _LONGEST_VALUE}, *_PLAIN]},
        "Input": {"type": "string", "enum": list(inputs)},
    }
    if values:
        known["Value"]["anyOf"].insert(0, {"type": "string", "enum": list(values)})
    return _object(decision={"anyOf": forms}) | {"$defs": known | _vocabulary()}


_PLAIN = [{"type": "number"}, {"type": "boolean"}]


def _object(**properties: Any) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def _vocabulary() -> Json:
    """The forms of all operations, charts, conditions and expressions; each part once."""
    whole = TypeAdapter(AnySpec).json_schema()
    shared: dict[str, str] = {}
    made: Json = {}
    for name, form in cast("Json", whole["$defs"]).items():
        made[f"C_{name}" if name == "Column" else name] = _form(form, shared)
    steps = [f"#/$defs/{name}" for name, form in whole["$defs"].items() if _is_step(form)]
    made["Step"] = {"anyOf": [{"$ref": each} for each in steps]}
    return made | {name: json.loads(part) for part, name in shared.items()}


def _is_step(form: Json) -> bool:
    return "input" in form.get("properties", {})


def _form(node: Json, shared: dict[str, str], name: str = "") -> Json:
    if node.get("format") == "column" or (name == "by" and node.get("type") == "string"):
        return {"$ref": "#/$defs/Column"}
    if name == "input":
        return {"$ref": "#/$defs/Input"}
    if "$ref" in node:
        ref = str(node["$ref"])
        return {"$ref": ref.replace("/Column", "/C_Column")}
    if name in _LISTS:
        inner = node["additionalProperties"]
        value = _form(inner.get("items", inner), shared)
        pair = _object(column={"$ref": "#/$defs/Column"}, **{_LISTS[name]: value})
        return _once(_array(pair), shared)
    if arms := node.get("anyOf") or node.get("oneOf"):
        return _choice([cast("Json", arm) for arm in arms], shared, name)
    match node.get("type"):
        case "object":
            return _fields(node, shared)
        case "array":
            return _once(_array(_form(node["items"], shared, name), node), shared)
        case "string" if "enum" not in node and "const" not in node:
            return {"type": "string", "maxLength": _LONGEST_VALUE}
        case _:
            kept = ("type", "enum", "const", "minimum", "maximum")
            return _once({key: node[key] for key in kept if key in node}, shared)


def _choice(arms: Sequence[Json], shared: dict[str, str], name: str) -> Json:
    if {arm.get("type") for arm in arms} >= {"string", "integer", "number", "boolean"}:
        nullable = [arm for arm in arms if arm.get("type") == "null"]
        value: Json = {"$ref": "#/$defs/Value"}
        return {"anyOf": [value, *nullable]} if nullable else value
    flat = [inner for arm in arms for inner in arm.get("oneOf", [arm])]
    return _once({"anyOf": [_form(arm, shared, name) for arm in flat]}, shared)


def _fields(node: Json, shared: dict[str, str]) -> Json:
    fields = {
        name: inner
        for name, inner in cast("Json", node["properties"]).items()
        if name not in _LEFT_OUT
    }
    needed = [*(tag for tag in _TAGS if tag in fields), *node.get("required", [])]
    order = [*needed, *("input",), *fields]
    told = {n: _form(fields[n], shared, n) for n in dict.fromkeys(order) if n in fields}
    return _object(**told) | {"required": list(dict.fromkeys(needed))}


def _array(items: Json, node: Mapping[str, Any] | None = None) -> Json:
    least = (node or {}).get("minItems")
    return {"type": "array", "items": items, "maxItems": _MOST_ITEMS} | (
        {"minItems": least} if least else {}
    )


def _once(form: Json, shared: dict[str, str]) -> Json:
    """A long part stands once, under a name of its own."""
    text = json.dumps(form)
    if len(text) < _SHORT:
        return form
    return {"$ref": f"#/$defs/{shared.setdefault(text, f'Part{len(shared) + 1}')}"}
