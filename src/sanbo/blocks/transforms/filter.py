"""transforms.filter: the rows that fit conditions, and those that do not."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, BlockInputs
from sanbo.blocks.transforms.conditions import Question, read_conditions
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.blocks.transforms.outlining import Transform
from sanbo.tables.rows import Row
from sanbo.tables.values import Match


class Options(Option):
    logic: Literal["all", "any", "and", "or", "AND", "OR"] = Field(
        default="all", validation_alias=AliasChoices("logic", "mode", "combine")
    )
    match: Match = "matching"
    case_sensitive: bool = False
    """The same as an exact match."""
    missing_field: Literal["fail", "null"] = "fail"


class FilterInputs(BlockInputs):
    items: list[JsonValue]
    conditions: JsonValue
    options: Row = Field(default_factory=Row)


class Filter(Transform[FilterInputs]):
    Inputs = FilterInputs

    @override
    def run(self, given: FilterInputs, context: BlockContext) -> Mapping[str, Any]:
        options = read_as(Options, given.options, "options")
        question = Question(
            read_conditions(given.conditions, "conditions"),
            together=all if options.logic.lower() in ("all", "and") else any,
            match="exact" if options.case_sensitive else options.match,
        )
        if options.missing_field == "fail":
            question.require_fields(given.items)
        filtered: list[JsonValue] = []
        excluded: list[JsonValue] = []
        for number, item in enumerate(given.items):
            (filtered if question.holds(item, number) else excluded).append(item)
        return {
            "filtered": filtered,
            "excluded": excluded,
            "summary": {
                "total": len(given.items),
                "filtered": len(filtered),
                "excluded": len(excluded),
                "incomparable": question.doubts.count,
                "incomparable_examples": question.doubts.examples,
            },
        }
