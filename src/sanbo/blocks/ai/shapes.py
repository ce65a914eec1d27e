"""What a plan wants to know of each file, and the model that a language model's reply must fit.

`output_schema` in short form or as JSON Schema. Short form: `請求金額: number`, `一致: bool`,
`明細: [{品名: string, 金額: number}]`. In JSON Schema the types of properties may be short as well
(`properties: {file: string}`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, create_model

from sanbo.blocks.ai.values import as_amount, as_date
from sanbo.kernel.problems import InvalidInput

Kind = Literal["number", "integer", "string", "boolean", "date", "datetime", "array", "object"]

_KINDS: Mapping[str, Kind] = {
    "number": "number",
    "float": "number",
    "decimal": "number",
    "double": "number",
    "integer": "integer",
    "int": "integer",
    "string": "string",
    "str": "string",
    "text": "string",
    "boolean": "boolean",
    "bool": "boolean",
    "date": "date",
    "datetime": "datetime",
    "date-time": "datetime",
    "array": "array",
    "list": "array",
    "object": "object",
    "dict": "object",
    "any": "string",
}
_SCHEMA_KEYS = frozenset({"type", "properties", "enum", "items", "anyOf", "oneOf", "$ref", "const"})
MOST_FIELDS = 200
DEEPEST = 6


@dataclass(frozen=True)
class Wanted:
    """One field."""

    name: str
    kind: Kind
    description: str = ""
    enum: tuple[Any, ...] = ()
    fields: tuple["Wanted", ...] = ()
    """Of an object, or of each object of an array."""
    item: "Wanted | None" = None
    """What an array holds; None: texts."""


@dataclass(frozen=True)
class Shape:
    """How what is found is put together."""

    record: tuple[Wanted, ...]
    """Fields of one record in `results.items`."""
    many: bool = False
    """Whether a file may hold several records; else one a file."""
    common: tuple[Wanted, ...] = ()
    """Fields of `results` beside `items`."""
    summary: tuple[Wanted, ...] = ()
    """Fields that the plan wants in `summary`."""
    names: tuple[str, ...] = ()
    """The schema's own top-level keys."""
    around: Literal["", "object", "list"] = ""
    """What `results` of the schema is, where it has one around the records."""

    @property
    def asked(self) -> tuple[Wanted, ...]:
        """The fields of a record that must be looked for: what is known of a file is not."""
        return tuple(each for each in self.record if each.name not in KNOWN)

    @property
    def beside(self) -> tuple[Wanted, ...]:
        """Fields outside the records that must be looked for."""
        return (*self.common, *(each for each in self.summary if each.name not in COUNTED))


KNOWN = frozenset({"file", "group", "missing", "sources", "conflicts", "problem"})
"""What every record has; of these a plan may name some in its schema."""
COUNTED = frozenset(
    {
        "total_files",
        "total_items",
        "total_parts",
        "method",
        "calls",
        "files",
        "missing",
        "failed",
        "images",
        "conflicts",
        "truncated",
    }
)
"""What `summary` always has."""
TEXT = Wanted("text", "string")


def shape_of(output_schema: Mapping[str, JsonValue]) -> Shape:
    """Raises `InvalidInput` where a type can't be understood."""
    if not output_schema:
        return Shape(record=(Wanted("answer", "string"),))
    fields = _fields(_properties(output_schema), "", 0)
    by_name = {each.name: each for each in fields}
    results = by_name.get("results")
    if results is not None and results.kind in ("object", "array"):
        summary = by_name.get("summary")
        inside = results.fields if results.kind == "object" else (replace(results, name="items"),)
        return replace(
            _with_items(inside),
            summary=summary.fields if summary is not None else (),
            names=tuple(by_name),
            around="object" if results.kind == "object" else "list",
        )
    return replace(_with_items(fields), names=tuple(by_name))


def _with_items(fields: Sequence[Wanted]) -> Shape:
    items = next((each for each in fields if each.name == "items" and each.kind == "array"), None)
    if items is None or not items.fields:
        return Shape(record=tuple(fields))
    rest = tuple(each for each in fields if each is not items)
    return Shape(record=items.fields, many=True, common=rest)


def _properties(schema: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """Of the whole schema: JSON Schema has them under `properties`."""
    inside = schema.get("properties")
    is_full = schema.get("type") == "object" or "$schema" in schema
    return inside if is_full and isinstance(inside, dict) else schema


def _fields(properties: Mapping[str, JsonValue], place: str, depth: int) -> tuple[Wanted, ...]:
    if len(properties) > MOST_FIELDS or depth > DEEPEST:
        raise InvalidInput("ai_schema_too_large", fields=MOST_FIELDS, depth=DEEPEST)
    return tuple(_wanted(name, each, place, depth) for name, each in properties.items())


def _wanted(name: str, written: JsonValue, place: str, depth: int) -> Wanted:
    where = f"{place}.{name}" if place else name
    if isinstance(written, str):
        return Wanted(name, _kind(written, where))
    if isinstance(written, list):
        return _array(name, written[0] if written else "string", "", where, depth)
    if isinstance(written, dict):
        return _object(name, written, where, depth)
    raise InvalidInput("ai_schema_type", field=where, written=str(written)[:60])


def _object(name: str, written: Mapping[str, JsonValue], where: str, depth: int) -> Wanted:
    if not _SCHEMA_KEYS & written.keys():
        return Wanted(name, "object", fields=_fields(written, where, depth + 1))
    said = " ".join(
        str(written[key]) for key in ("title", "description") if isinstance(written.get(key), str)
    )
    choices = written.get("enum")
    if isinstance(choices, list) and choices:
        values = tuple(each for each in choices if each is not None)
        return Wanted(name, _kind_of(written, where, "string"), said, enum=values)
    kind = _kind_of(written, where, "object" if "properties" in written else "string")
    if kind == "array":
        return _array(name, written.get("items") or "string", said, where, depth)
    if kind == "object":
        inside = written.get("properties")
        named = inside if isinstance(inside, dict) else {}
        return Wanted(name, "object", said, fields=_fields(named, where, depth + 1))
    return Wanted(name, kind, said)


def _array(name: str, item: JsonValue, said: str, where: str, depth: int) -> Wanted:
    inside = _wanted("item", item, where, depth + 1)
    return Wanted(name, "array", said, fields=inside.fields, item=inside)


def _kind_of(written: Mapping[str, JsonValue], where: str, otherwise: Kind) -> Kind:
    for kind in _types(written):
        found = _kind(kind, where)
        if found == "string" and written.get("format") in ("date", "date-time"):
            return "date" if written["format"] == "date" else "datetime"
        return found
    return "array" if "items" in written else otherwise


def _types(written: Mapping[str, JsonValue]) -> Iterator[str]:
    """Those that are not null, in order, also of `[number, "null"]` and of `anyOf`."""
    declared = written.get("type")
    for each in declared if isinstance(declared, list) else [declared]:
        if isinstance(each, str) and each != "null":
            yield each
    for key in ("anyOf", "oneOf"):
        for choice in cast("list[JsonValue]", written.get(key) or []):
            if isinstance(choice, dict):
                yield from _types(choice)


def _kind(written: str, where: str) -> Kind:
    kind = _KINDS.get(written.strip().rstrip("?").casefold())
    if kind is None:
        raise InvalidInput("ai_schema_type", field=where, written=written[:60])
    return kind


def json_schema(wanted: Wanted, *, nullable: bool = True) -> dict[str, Any]:
    """For the validator, and for people: what can stand in this field."""
    schema: dict[str, Any]
    match wanted.kind:
        case "array":
            inside = json_schema(wanted.item or TEXT, nullable=False)
            return {"type": "array", "items": inside}
        case "object":
            named = {each.name: json_schema(each) for each in wanted.fields}
            schema = {"type": "object", "properties": named, "required": list(named)}
        case "date" | "datetime":
            schema = {"type": "string"}
        case _:
            schema = {"type": wanted.kind}
    if wanted.enum:
        schema["enum"] = [*wanted.enum, *([None] if nullable else [])]
    if nullable:
        schema["type"] = [schema["type"], "null"]
    return schema


_EXAMPLES: Mapping[Kind, JsonValue] = {
    "number": 110000,
    "integer": 3,
    "boolean": True,
    "date": "2026-10-31",
    "datetime": "2026-10-31T00:00:00",
}


def example_of(wanted: Wanted) -> JsonValue:
    if wanted.enum:
        return cast("JsonValue", wanted.enum[0])
    if wanted.kind == "array":
        return [example_of(wanted.item or TEXT)]
    if wanted.kind == "object":
        return {each.name: example_of(each) for each in wanted.fields}
    return _EXAMPLES.get(wanted.kind, wanted.name)


# ---- the model of a reply, and values in one form ------------------------------------------------


class Quote(BaseModel):
    """Where a value stands, word for word."""

    model_config = ConfigDict(extra="ignore")

    field: str
    quote: str


class NumberedQuote(Quote):
    """Where a value of one of several records stands, word for word."""

    record: int = Field(default=0, description="which of the records, from 0")


def reply_model(shape: Shape) -> type[BaseModel]:
    """`{records, beside, quotes}`; names as the plan writes them, whatever they are."""
    record = _model("Record", shape.asked)
    parts: dict[str, Any] = {"records": (list[record], Field(default_factory=list))}
    if shape.beside:
        parts["beside"] = (_model("Beside", shape.beside) | None, None)
    quote = NumberedQuote if shape.many else Quote
    parts["quotes"] = (list[quote], Field(default_factory=list))
    return create_model("Extraction", __config__=ConfigDict(extra="ignore"), **parts)


def _model(title: str, fields: Sequence[Wanted]) -> Any:
    made: dict[str, Any] = {
        # Python's names for them are our own: a plan may call a field anything.
        f"f{number}": (
            _type(each, f"{title}{number}"),
            Field(default=None, alias=each.name, description=each.description or None),
        )
        for number, each in enumerate(fields)
    }
    config = ConfigDict(extra="ignore", populate_by_name=False)
    return create_model(title, __config__=config, **made)


_NOTHING = frozenset({"", "-", "null", "none", "n/a"})


def _or_nothing(said: object) -> object:
    """Null in words, as models like to write it."""
    is_nothing = isinstance(said, str) and said.strip().casefold() in _NOTHING
    return None if is_nothing else said


def _type(wanted: Wanted, title: str) -> Any:
    # pyrefly: ignore[invalid-annotation]
    return Annotated[_bare(wanted, title) | None, BeforeValidator(_or_nothing)]


def _as_number(said: object) -> object:
    """A model may write a number as the document does: 18,400円 is no reason to ask it again."""
    number = as_amount(said, counted=True) if isinstance(said, str) else None
    return said if number is None else number.value


_PLAIN: Mapping[str, Any] = {
    "number": Annotated[float, BeforeValidator(_as_number), Field(allow_inf_nan=False)],
    "integer": Annotated[int, BeforeValidator(_as_number)],
    "boolean": bool,
}


def _bare(wanted: Wanted, title: str) -> Any:
    if wanted.enum:
        # pyrefly: ignore[invalid-literal]
        return Literal[wanted.enum]
    if wanted.kind == "array":
        # pyrefly: ignore[invalid-annotation]
        return list[_bare(wanted.item or TEXT, f"{title}Item")]
    if wanted.kind == "object":
        return _model(title, wanted.fields) if wanted.fields else dict[str, JsonValue]
    return _PLAIN.get(wanted.kind, str)


def normal(wanted: Wanted, value: JsonValue) -> JsonValue:
    """One form for a value: whole numbers without a point, dates in ISO; what is none is null."""
    if value is None:
        return [] if wanted.kind == "array" else None
    if isinstance(value, str):
        return _normal_text(wanted, value)
    if isinstance(value, float):
        # pyrefly: ignore[missing-attribute]
        return int(value) if wanted.kind == "number" and value.is_integer() else value
    if isinstance(value, list):
        return [normal(wanted.item or TEXT, each) for each in value]
    if isinstance(value, dict):
        return normal_record(wanted.fields, value) if wanted.fields else value
    return value


def _normal_text(wanted: Wanted, value: str) -> JsonValue:
    if wanted.kind == "date":
        found = as_date(value)
        return found.isoformat() if found else None
    if wanted.kind == "datetime":
        return _moment(value)
    return value if wanted.enum else value.strip() or None


def _moment(value: str) -> JsonValue:
    try:
        return datetime.fromisoformat(value.strip()).isoformat()
    except ValueError:
        found = as_date(value)
        return found.isoformat() if found else None


def normal_record(fields: Sequence[Wanted], found: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {each.name: normal(each, found.get(each.name)) for each in fields}


def dumped(model: BaseModel) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", model.model_dump(mode="json", by_alias=True))
