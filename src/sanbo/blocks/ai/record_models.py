"""The dynamic model that a language model's reply must fit, and values in one form."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, create_model

from sanbo.blocks.ai.values import as_amount, as_date
from sanbo.blocks.ai.wanted import TEXT, Shape, Wanted


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
        return Literal[wanted.enum]  # pyright: ignore[reportInvalidTypeForm]
    if wanted.kind == "array":
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
