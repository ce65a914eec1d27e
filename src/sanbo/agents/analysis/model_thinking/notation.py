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
from sanbo.agents.analysis.spec.columns import with_columns
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.spec.words import Sort

Json = dict[str, Any]
MOST_SPECS, MOST_CHOICES = 6, 3
LONGEST_WHY, LONGEST_TEXT = 120, 200
_LONGEST_VALUE, _MOST_ITEMS = 80, 10
_SHORT = 50
_TAGS = ("op", "kind", "fn")
# Maps by column, and what their lists call the value.
_LISTS = {"metrics": "agg", "methods": "method"}
# Fields whose defaults serve; a person can change them in the reading.
_LEFT_OUT = frozenset({"type", "sample", "ddof", "bias", "alpha", "abc", "title", "horizontal"})
_CELLS = ("value", "groups", "text", "labels")  # fields that may hold what stands in the table
_ROWS = ("*", "")  # what models write as the column of a row count
_MADE = "\0"


# ---- a spec as it is written ----


def written(spec: AnySpec, known: Sequence[str], may_say: Callable[[str], bool]) -> Json:
    """`known`: columns that can be named. Values that must not be said are left as `…`."""

    def mark(name: str) -> str:
        return name if name in known else f"{_MADE}{name}"

    def told(value: Any, place: str = "") -> Any:
        if isinstance(value, Sort):
            return {"by": told(mark(value.by)), "ascending": value.ascending}
        if isinstance(value, BaseModel):
            return {
                name: told(inner, name)
                for name, field in type(value).model_fields.items()
                if name != "type" and (inner := getattr(value, name)) is not None
                if name in _TAGS or inner != field.get_default(call_default_factory=True)
            }
        if place in _LISTS:
            return [
                {"column": told(column), _LISTS[place]: each}
                for column, inner in cast("Mapping[str, Any]", value).items()
                for each in (cast("tuple[Any]", inner) if isinstance(inner, tuple) else (inner,))
            ]
        if isinstance(value, list | tuple):
            return [told(each, place) for each in cast("Sequence[Any]", value)]
        if isinstance(value, str) and value.startswith(_MADE):
            return {"made": value.removeprefix(_MADE)}
        is_closed = isinstance(value, str) and place in _CELLS and not may_say(value)
        return "…" if is_closed else value

    whole = cast("Json", told(with_columns(spec, mark)))
    tag = "kind" if spec.type == "plot" else "op"
    return {tag: whole.pop(tag), **whole}


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
        name: _mapped(_LISTS[name], cast("list[Any]", each))
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
    text = _string(LONGEST_TEXT)
    forms = {
        "ok": {},
        "specs": {"specs": _array({"$ref": "#/$defs/Step"}, 1, MOST_SPECS)},
        "ask": {"question": text, "choices": _array(text, 0, MOST_CHOICES)},
        "refuse": {"scope": TypeAdapter(OutOfScope).json_schema()},
    }
    actions: list[Json] = []
    for action, needed in forms.items():
        if action != "ok" or has_draft:
            form = _object(action={"type": "string", "const": action}, **needed)
            form["properties"]["why"] = _string(LONGEST_WHY)
            actions.append(form)
    plain = [_string(_LONGEST_VALUE), {"type": "number"}, {"type": "boolean"}]
    known: Json = {
        "Column": {"anyOf": [{"type": "string", "enum": list(columns)}, _object(made=text)]},
        "Value": {"anyOf": [*([{"type": "string", "enum": [*values]}] if values else []), *plain]},
        "Input": {"type": "string", "enum": list(inputs)},
    }
    return _object(decision={"anyOf": actions}) | {"$defs": known | _vocabulary()}


def _string(most: int) -> Json:
    return {"type": "string", "maxLength": most}


def _array(items: Json, least: int = 0, most: int = _MOST_ITEMS) -> Json:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _object(**properties: Any) -> Json:
    form: Json = {"type": "object", "properties": properties, "required": list(properties)}
    return form | {"additionalProperties": False}


@cache
def _vocabulary() -> Json:
    """The forms of all operations, charts, conditions and expressions; each part once."""
    whole = TypeAdapter(AnySpec).json_schema()
    shared: dict[str, str] = {}
    made: Json = {}
    for name, form in cast("Json", whole["$defs"]).items():
        made[f"C_{name}" if name == "Column" else name] = _form(form, shared)
    steps = [name for name, form in made.items() if "input" in form.get("properties", {})]
    made["Step"] = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in steps]}
    return made | {name: json.loads(part) for part, name in shared.items()}


def _form(node: Json, shared: dict[str, str], name: str = "") -> Json:
    if "$ref" in node:
        return {"$ref": str(node["$ref"]).replace("/Column", "/C_Column")}
    is_column = node.get("format") == "column" or (name == "by" and node.get("type") == "string")
    if is_column or name == "input":
        return {"$ref": "#/$defs/Column" if is_column else "#/$defs/Input"}
    if name in _LISTS:
        inner = node["additionalProperties"]
        value = _form(inner.get("items", inner), shared)
        pair = _object(column={"$ref": "#/$defs/Column"}, **{_LISTS[name]: value})
        return _once(_array(pair), shared)
    if arms := node.get("anyOf") or node.get("oneOf"):
        return _choice(cast("list[Json]", arms), shared, name)
    if node.get("type") == "object":
        return _fields(node, shared)
    kept = ("type", "enum", "const", "minimum", "maximum")
    form = {key: node[key] for key in kept if key in node}
    if form == {"type": "string"}:
        form = _string(_LONGEST_VALUE)
    elif form.get("type") == "array":
        form = _array(_form(node["items"], shared, name), node.get("minItems", 0))
    return _once(form, shared)


def _choice(arms: Sequence[Json], shared: dict[str, str], name: str) -> Json:
    if {arm.get("type") for arm in arms} >= {"string", "integer", "number", "boolean"}:
        nullable = [arm for arm in arms if arm.get("type") == "null"]
        return {"anyOf": [{"$ref": "#/$defs/Value"}, *nullable]}
    flat = [inner for arm in arms for inner in arm.get("oneOf", [arm])]
    return _once({"anyOf": [_form(arm, shared, name) for arm in flat]}, shared)


def _fields(node: Json, shared: dict[str, str]) -> Json:
    fields = {name: each for name, each in node["properties"].items() if name not in _LEFT_OUT}
    needed = dict.fromkeys([*(tag for tag in _TAGS if tag in fields), *node.get("required", [])])
    order = dict.fromkeys([*needed, *fields])
    return _object(**{n: _form(fields[n], shared, n) for n in order}) | {"required": [*needed]}


def _once(form: Json, shared: dict[str, str]) -> Json:
    """A long part stands once, under a name of its own."""
    text = json.dumps(form)
    if len(text) < _SHORT:
        return form
    return {"$ref": f"#/$defs/{shared.setdefault(text, f'Part{len(shared) + 1}')}"}
