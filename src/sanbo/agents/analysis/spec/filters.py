"""Which rows: conditions that all hold, and one level of alternatives."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import Discriminator, Field, Tag, model_validator

from sanbo.agents.analysis.spec.words import ColumnName, Ddof, Scalar, Strict

CompareOp = Literal["==", "!=", ">", ">=", "<", "<="]
OutlierMethod = Literal["iqr", "zscore"]


class Compare(Strict):
    col: ColumnName
    op: CompareOp
    value: Scalar


class Among(Strict):
    col: ColumnName
    op: Literal["in"]
    value: tuple[Scalar, ...] = Field(min_length=1)


class Contains(Strict):
    """The text stands in the cell as it is: no pattern."""

    col: ColumnName
    op: Literal["contains"]
    value: str = Field(min_length=1)


class Presence(Strict):
    col: ColumnName
    op: Literal["is_null", "not_null"]
    value: None = None


class Outlying(Strict):
    """Whether a number lies outside of what its column (or group of rows) usually holds."""

    col: ColumnName
    op: Literal["is_outlier", "not_outlier"]
    method: OutlierMethod = "iqr"
    threshold: float | None = Field(default=None, gt=0)
    """1.5 interquartile ranges or 3 standard deviations unless told."""
    by: ColumnName | None = None
    ddof: Ddof = 1


def _which(value: Any) -> str:
    op: Any = (
        cast("dict[str, Any]", value).get("op")
        if isinstance(value, dict)
        else getattr(value, "op", None)
    )
    match op:
        case "in":
            return "in"
        case "contains":
            return "contains"
        case "is_null" | "not_null":
            return "presence"
        case "is_outlier" | "not_outlier":
            return "outlier"
        case _:
            return "compare"  # which names the operators there are


Condition = Annotated[
    Annotated[Compare, Tag("compare")]
    | Annotated[Among, Tag("in")]
    | Annotated[Contains, Tag("contains")]
    | Annotated[Presence, Tag("presence")]
    | Annotated[Outlying, Tag("outlier")],
    Discriminator(_which),
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
