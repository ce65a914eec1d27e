"""A part of a reading as a form, by the schema of its spec, and the spec with that part changed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, JsonValue

from sanbo.agents.analysis.spec.phrases import shown_value
from sanbo.agents.analysis.spec.reading import CHARTS, read_spec
from sanbo.agents.analysis.spec.words import metric_name
from sanbo.kernel.messages import has_text, tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.fields import JsonObject, Option, Requirement, Validation

REMOVED = "removed"
_BETWEEN = "、"


def reading_form(
    spec: JsonObject, path: Sequence[str], columns: Sequence[str]
) -> tuple[Requirement, ...]:
    """The fields that the pointers of a chip lead to; none where only words can change it."""
    model = read_spec(_bare(spec))
    schema = _schema(type(model))
    return tuple(
        field
        for number, pointer in enumerate(path)
        for field in _fields(str(number), _steps(pointer), schema, model, columns)
    )


def changed_spec(
    spec: JsonObject, path: Sequence[str], values: Mapping[str, JsonValue]
) -> JsonObject:
    """The spec with what was filled in; a problem says what does not fit."""
    data = read_spec(_bare(spec)).model_dump(mode="json")
    for number, pointer in reversed(list(enumerate(path))):
        mine = {
            name.partition("-")[2]: value
            for name, value in values.items()
            if name.partition("-")[0] == str(number)
        }
        if mine:
            _put(data, _steps(pointer), mine)
    kept = {"result_id": spec["result_id"]} if "result_id" in spec else {}
    return {**read_spec(data).model_dump(mode="json"), **kept}


def _bare(spec: JsonObject) -> JsonObject:
    return {name: value for name, value in spec.items() if name != "result_id"}


def _steps(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


# ---- fields --------------------------------------------------------------------------------


def _fields(
    number: str,
    steps: list[str],
    schema: JsonObject,
    model: BaseModel,
    columns: Sequence[str],
) -> Iterator[Requirement]:
    data = model.model_dump(mode="json")
    match steps:
        case ["kind"]:
            yield _select(f"{number}-value", "kind", _charts(data), data["kind"])
        case ["metrics", *named]:
            kinds = cast("dict[str, list[str]]", data["metrics"])
            column = named[0] if named else ""
            items = _options(_part(schema, ["metrics", "*", "0"]), "agg")
            yield _columns(f"{number}-column", "value_col", columns, column)
            yield _select(f"{number}-agg", "agg", items, (kinds.get(column) or ["sum"])[0])
        case ["filters", at]:
            yield from _condition(number, data["filters"][int(at)], columns)
        case [name, *_] if (found := _part(schema, steps)) is not None:
            yield from _plain(f"{number}-value", name, found, _at(data, steps), columns)
        case _:
            return


def _plain(
    field_id: str, name: str, schema: JsonObject, value: JsonValue, columns: Sequence[str]
) -> Iterator[Requirement]:
    if schema.get("format") == "column":
        yield _columns(field_id, name, columns, str(value or ""))
    elif "enum" in schema:
        yield _select(field_id, name, _options(schema, name), value)
    elif schema.get("type") in ("integer", "number"):
        limits = {
            "integer": schema["type"] == "integer",
            "min": schema.get("minimum"),
            "max": schema.get("maximum"),
        }
        yield Requirement(
            id=field_id,
            type="number",
            label=_label(name),
            default=value,
            required=value is not None,
            validation=Validation.model_validate(limits),
        )
    elif schema.get("type") == "boolean":
        yield Requirement(
            id=field_id, type="boolean", label=_label(name), default=value, required=False
        )
    elif "ascending" in cast("JsonObject", schema.get("properties", {})):
        ascending = isinstance(value, dict) and value.get("ascending")
        options = [
            Option(value="value_desc", label=shown_value("value_desc", "sort")),
            Option(value="value_asc", label=shown_value("value_asc", "sort")),
        ]
        yield _select(field_id, "sort", options, "value_asc" if ascending else "value_desc")


def _condition(number: str, condition: JsonObject, columns: Sequence[str]) -> Iterator[Requirement]:
    if "col" in condition:
        yield _columns(f"{number}-col", "column", columns, str(condition["col"]))
    if condition.get("value") is not None:
        value = condition["value"]
        text = _BETWEEN.join(map(str, value)) if isinstance(value, list) else str(value)
        yield Requirement(
            id=f"{number}-value", type="text", label=tell("analysis_form.value"), default=text
        )
    yield Requirement(
        id=f"{number}-{REMOVED}",
        type="boolean",
        label=tell("analysis_form.remove"),
        default=False,
        required=False,
    )


def _columns(field_id: str, name: str, columns: Sequence[str], value: str) -> Requirement:
    names = dict.fromkeys((*columns, *((value,) if value else ())))
    options = [Option(value=each, label=each) for each in names]
    return _select(field_id, name, options, value or None)


def _select(field_id: str, name: str, options: Sequence[Option], value: JsonValue) -> Requirement:
    return Requirement(
        id=field_id, type="select", label=_label(name), options=tuple(options), default=value
    )


def _options(schema: JsonObject | None, name: str) -> list[Option]:
    values = cast("list[Any]", (schema or {}).get("enum", []))
    return [Option(value=each, label=shown_value(each, name)) for each in values]


def _charts(data: JsonObject) -> list[Option]:
    """Those that can be drawn of the same columns."""
    own = {name: value for name, value in data.items() if value not in (None, (), [], "", False)}
    found: list[Option] = []
    for kind in CHARTS:
        try:
            read_spec({**own, "kind": kind})
        except SanboError:
            continue
        found.append(Option(value=kind, label=tell(f"analysis_chip.kind.{kind}")))
    return found


def _label(name: str) -> str:
    known = (f"analysis_form.{name}", f"analysis_chip.field.{name}")
    return next((tell(each) for each in known if has_text(each)), name)


# ---- schemas -------------------------------------------------------------------------------


def _schema(model: type[BaseModel]) -> JsonObject:
    return model.model_json_schema()


def _part(schema: JsonObject, steps: Sequence[str]) -> JsonObject | None:
    """Where a pointer leads in a schema; `*` for any name, a number for any item."""
    definitions = cast("dict[str, JsonObject]", schema.get("$defs", {}))
    found: JsonObject | None = schema
    for step in steps:
        found = _resolved(found, definitions)
        named = cast("dict[str, JsonObject]", (found or {}).get("properties", {}))
        within = named.get(step) or (found or {}).get("items")
        found = cast("JsonObject | None", within or (found or {}).get("additionalProperties"))
    return _resolved(found, definitions)


def _resolved(
    schema: JsonObject | None, definitions: Mapping[str, JsonObject]
) -> JsonObject | None:
    """Without references, and without the `null` of what may be left out."""
    while schema is not None:
        if "$ref" in schema:
            schema = definitions.get(str(schema["$ref"]).rpartition("/")[2])
        elif "anyOf" in schema:
            ways = cast("list[JsonObject]", schema["anyOf"])
            schema = next((each for each in ways if each.get("type") != "null"), None)
        elif "const" in schema:
            return {"enum": [schema["const"]]}
        else:
            return schema
    return None


# ---- changes -------------------------------------------------------------------------------


def _at(data: Any, steps: Sequence[str]) -> JsonValue:
    found: Any = data
    for step in steps:
        found = found[int(step)] if isinstance(found, list) else found.get(step)
    return cast("JsonValue", found)


def _put(data: dict[str, Any], steps: list[str], values: Mapping[str, JsonValue]) -> None:
    match steps:
        case ["metrics", *named]:
            kinds: dict[str, Any] = data["metrics"]
            kept = [(name, each) for name, each in kinds.items() if name not in named]
            column, kind = str(values["column"]), str(values["agg"])
            before = {metric_name(name, each) for name in named for each in kinds.get(name, ())}
            data["metrics"] = dict([*kept, (column, [kind])])
            if data.get("sort") and data["sort"]["by"] in before:  # it was sorted by what is gone
                data["sort"]["by"] = metric_name(column, cast("Any", kind))
        case ["filters", at]:
            _put_condition(data["filters"], int(at), values)
        case ["sort"] if isinstance(data.get("sort"), dict):
            data["sort"]["ascending"] = values["value"] == "value_asc"
        case _ if "value" in values:
            parent = _at(data, steps[:-1])
            if isinstance(parent, list):
                parent[int(steps[-1])] = values["value"]
            elif isinstance(parent, dict):
                parent[steps[-1]] = values["value"]
        case _:
            return


def _put_condition(filters: list[Any], at: int, values: Mapping[str, JsonValue]) -> None:
    if values.get(REMOVED):
        del filters[at]
        return
    condition: dict[str, Any] = filters[at]
    if "col" in values:
        condition["col"] = values["col"]
    if "value" in values:
        before = condition["value"]
        text = str(values["value"])
        if isinstance(before, list):
            condition["value"] = [each.strip() for each in text.split(_BETWEEN) if each.strip()]
        else:
            condition["value"] = _typed(text) if isinstance(before, int | float) else text


def _typed(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text.replace(",", ""))
        except ValueError:
            continue
    return text
