"""One feature that a plan asks for, and the values of the rows that it is made of."""

from typing import Literal

from pydantic import AliasChoices, Field, JsonValue

from sanbo.blocks.transforms.conditions import Condition
from sanbo.blocks.transforms.options import Option
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.casting import Rounding
from sanbo.tables.rows import Rows, value_at

Column = list[JsonValue]


class Feature(Option):
    name: str = Field(default="", validation_alias=AliasChoices("name", "as"))
    op: str = Field(validation_alias=AliasChoices("op", "type", "func"))
    field: str = ""
    fields: list[str] = Field(default_factory=list[str])
    value: JsonValue = None
    """One more operand, the same in every row."""
    by: list[str] = Field(default_factory=list[str])
    """Within rows that have these fields in common."""
    decimals: int | None = Field(default=None, ge=-15, le=15)
    rounding: Rounding = "half_up"
    separator: str = ""
    count: int = Field(default=1, ge=0, le=10_000)
    pattern: str = ""
    bins: list[float] = Field(default_factory=list[float])
    labels: list[str] = Field(default_factory=list[str])
    start_month: int = Field(default=4, ge=1, le=12)
    order: Literal["asc", "desc"] = "desc"
    conditions: list[Condition] = Field(default_factory=list[Condition])
    logic: Literal["all", "any", "and", "or"] = "all"

    @property
    def operands(self) -> list[str]:
        return [*([self.field] if self.field else []), *self.fields]

    def column(self, rows: Rows) -> Column:
        """Of the one field that it is about."""
        if len(self.operands) != 1:
            raise InvalidInput("transform_feature_fields", name=self.name, op=self.op, wanted=1)
        return [value_at(row, self.operands[0]) for row in rows]

    def columns(self, rows: Rows, *, least: int, most: int | None = None) -> list[Column]:
        """Of all its fields, and then of `value`."""
        columns = [[value_at(row, name) for row in rows] for name in self.operands]
        if "value" in self.model_fields_set:
            columns.append([self.value] * len(rows))
        if len(columns) < least or (most is not None and len(columns) > most):
            raise InvalidInput("transform_feature_fields", name=self.name, op=self.op, wanted=least)
        return columns
