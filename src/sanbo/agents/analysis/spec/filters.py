"""Which rows: conditions that all hold, and one level of alternatives."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from sanbo.agents.analysis.spec.words import ColumnName, Ddof, NumberColumn, Scalar, Strict

CompareOp = Literal["==", "!=", ">", ">=", "<", "<="]
OutlierMethod = Literal["iqr", "zscore"]


class Compare(Strict):
    col: ColumnName
    op: CompareOp
    value: Scalar


class Among(Strict):
    col: ColumnName
    op: Literal["in", "not_in"]
    value: tuple[Scalar, ...] = Field(min_length=1)


class Contains(Strict):
    """The text stands in the cell as it is: no pattern."""

    col: ColumnName
    op: Literal["contains", "not_contains", "starts_with", "ends_with"]
    value: str = Field(min_length=1)


class CompareStat(Strict):
    """Against a figure of the rows that the other conditions leave, or of each row's group."""

    col: NumberColumn
    op: CompareOp
    stat: Literal["mean", "median", "min", "max", "q25", "q75"]
    by: ColumnName | None = None


class Presence(Strict):
    col: ColumnName
    op: Literal["is_null", "not_null"]
    value: None = None


class Outlying(Strict):
    """Whether a number lies outside of what its column (or group of rows) usually holds."""

    col: NumberColumn
    op: Literal["is_outlier", "not_outlier"]
    method: OutlierMethod = "iqr"
    threshold: float | None = Field(default=None, gt=0)
    """1.5 interquartile ranges or 3 standard deviations unless told."""
    by: ColumnName | None = None
    ddof: Ddof = 1


_MODELS: Mapping[str, type[Strict]] = {
    word: model
    for model in (Compare, Among, Contains, Presence, Outlying)
    for word in get_args(model.model_fields["op"].annotation)
}
OPERATORS: tuple[str, ...] = tuple(_MODELS)


def condition_model(value: object) -> type[Strict]:
    """By the operator; without a known one `Compare`, which names those that there are."""
    if not isinstance(value, dict):
        return type(value) if isinstance(value, Strict) else Compare
    given = cast("dict[str, Any]", value)
    op = given.get("op")
    found = _MODELS.get(op, Compare) if isinstance(op, str) else Compare
    return CompareStat if found is Compare and "stat" in given else found


Condition = Annotated[
    Annotated[Compare, Tag("Compare")]
    | Annotated[CompareStat, Tag("CompareStat")]
    | Annotated[Among, Tag("Among")]
    | Annotated[Contains, Tag("Contains")]
    | Annotated[Presence, Tag("Presence")]
    | Annotated[Outlying, Tag("Outlying")],
    Discriminator(lambda value: condition_model(value).__name__),
]


class AnyOf(Strict):
    """One of these holds. Not nested further."""

    any_of: tuple[Condition, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _not_nested(cls, value: Any) -> Any:
        if any(isinstance(part, dict) and "any_of" in part for part in _parts(value)):
            raise ValueError("any_of can't stand inside any_of")
        return value


def _parts(value: object) -> Sequence[object]:
    given = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    parts = given.get("any_of")
    return cast("Sequence[object]", parts) if isinstance(parts, list | tuple) else ()


def _filter_kind(value: Any) -> str:
    if isinstance(value, dict):
        return "any_of" if "any_of" in value else "condition"
    return "any_of" if isinstance(value, AnyOf) else "condition"


Filter = Annotated[
    Annotated[AnyOf, Tag("any_of")] | Annotated[Condition, Tag("condition")],
    Discriminator(_filter_kind),
]
Filters = tuple[Filter, ...]
"""All of them hold."""
