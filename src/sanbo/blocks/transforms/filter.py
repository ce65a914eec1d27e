"""transforms.filter: the rows that fit conditions, and those that do not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.aggregates import Unreadable
from sanbo.tables.operators import NEEDS_NOTHING, Check, check_of, operator_of
from sanbo.tables.rows import Missing, known_as, path_of, require_field
from sanbo.tables.values import Match, is_blank

_DEEPEST = 10


class Condition(Option):
    """A comparison of one field, or several conditions put together."""

    field: str = ""
    """Empty: the item itself, in a list of plain values."""
    operator: str = Field(default="eq", validation_alias=AliasChoices("operator", "op"))
    value: JsonValue = None
    value2: JsonValue = None
    value_field: str = ""
    """Compare with this field of the same row, instead of a value."""
    all: "list[Condition] | None" = None
    any: "list[Condition] | None" = None
    not_: "Condition | None" = Field(default=None, alias="not")


Asked = Callable[[JsonValue, int], bool | None]
"""Whether the row with this number fits; None where there is nothing to compare it with."""
Together = Literal["all", "any"]


def _decided(answers: Iterator[bool | None], together: Together) -> bool | None:
    """One that is decided either way is enough; else one that is not leaves all open."""
    is_open = False
    for answer in answers:
        if answer is (together == "any"):
            return answer
        is_open |= answer is None
    return None if is_open else together == "all"


def read_conditions(given: JsonValue, port: str) -> list[Condition]:
    """A list of conditions; a single one stands for a list of it."""
    return read_as(list[Condition], given if isinstance(given, list) else [given], port)


class Question:
    """All conditions of a filter, ready to be asked of many rows."""

    def __init__(
        self,
        conditions: Sequence[Condition],
        *,
        together: Together = "all",
        rows: Sequence[JsonValue] = (),
        match: Match = "matching",
        port: str = "conditions",
    ) -> None:
        self.doubts = Unreadable()
        """Rows in which an amount was asked for and something else stands."""
        self._match: Match = match
        self._port = port
        self._rows = rows
        self._fields: list[str] = []
        parts = [self._asked(one, (number,), 0) for number, one in enumerate(conditions)]
        self._parts = parts
        self._together: Together = together

    def holds(self, row: JsonValue, number: int) -> bool | None:
        """None: neither in nor out, for what it is compared with is empty."""
        return _decided((part(row, number) for part in self._parts), self._together)

    def require_fields(self, rows: Sequence[JsonValue]) -> None:
        for field in self._fields:
            require_field(rows, field, self._port)

    def _asked(self, condition: Condition, where: tuple[int | str, ...], depth: int) -> Asked:
        if depth > _DEEPEST:
            raise InvalidInput("transform_conditions_deep", limit=_DEEPEST)
        if condition.all is not None or condition.any is not None:
            together: Together = "all" if condition.all is not None else "any"
            several = condition.all if condition.all is not None else condition.any or []
            parts = [
                self._asked(one, (*where, number), depth + 1) for number, one in enumerate(several)
            ]
            return lambda row, number: _decided((part(row, number) for part in parts), together)
        if condition.not_ is not None:
            inner = self._asked(condition.not_, (*where, "not"), depth + 1)
            return lambda row, number: _opposite(inner(row, number))
        return self._compared(condition)

    def _compared(self, condition: Condition) -> Asked:
        operator = operator_of(condition.operator)
        field = known_as(self._rows, condition.field)
        path = path_of(field) if field else None
        if operator in _LIMITED and "value" in condition.model_fields_set and _is_open(condition):
            return lambda _row, _number: None
        if condition.field and operator not in NEEDS_NOTHING:
            self._fields.append(field)
        beside_it = known_as(self._rows, condition.value_field)
        other = path_of(beside_it) if beside_it else None
        if condition.value_field:
            self._fields.append(beside_it)
        fixed: Check | None = None
        if other is None:
            fixed = check_of(operator, condition.value, condition.value2, self._match)

        def asked(row: JsonValue, number: int) -> bool | None:
            actual = row if path is None else path.of(row)
            if isinstance(actual, Missing):
                actual = None
            test = fixed
            if test is None:
                assert other is not None
                beside = other.of(row)
                if isinstance(beside, Missing) or beside is None:
                    return None
                test = check_of(operator, beside, None, self._match)
            found = test(actual)
            if found is None:
                self.doubts.add(condition.field, [(number, actual)])
            return bool(found)

        return asked


_LIMITED = frozenset(
    {"gt", "gte", "lt", "lte", "between", "not_between", "contains", "not_contains", "in", "not_in"}
)
"""What asks for something to compare with."""


def _is_open(condition: Condition) -> bool:
    if condition.value_field:
        return False
    if "value2" in condition.model_fields_set:
        return is_blank(condition.value) or is_blank(condition.value2)
    return is_blank(condition.value)


def _opposite(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


class Options(Option):
    logic: Literal["all", "any", "and", "or", "AND", "OR"] = Field(
        default="all", validation_alias=AliasChoices("logic", "mode", "combine")
    )
    match: Match = "matching"
    case_sensitive: bool = False
    """The same as an exact match."""
    case_insensitive: bool = True
    missing_field: Literal["fail", "null"] = "null"


class Filter(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        options = read_as(Options, given.options, "options")
        question = Question(
            read_conditions(given.conditions, "conditions"),
            together="all" if options.logic.lower() in ("all", "and") else "any",
            match=options.match
            if options.case_insensitive and not options.case_sensitive
            else "exact",
            rows=given.items,
        )
        try:
            question.require_fields(given.items)
        except InvalidInput as unknown:
            if options.missing_field == "fail":
                raise
            context.warn(unknown)
        filtered: list[JsonValue] = []
        excluded: list[JsonValue] = []
        undecided: list[JsonValue] = []
        kept = {True: filtered, False: excluded, None: undecided}
        for number, item in enumerate(given.items):
            kept[question.holds(item, number)].append(item)
        if undecided:
            context.warn(InvalidInput("transform_undecided", count=len(undecided)))
        if question.doubts.count:
            context.warn(question.doubts.told("transform_incomparable"))
        return {
            "filtered": filtered,
            "excluded": excluded,
            "undecided": undecided,
            "summary": {
                "input": len(given.items),
                "filtered": len(filtered),
                "excluded": len(excluded),
                "undecided": len(undecided),
                "incomparable": question.doubts.count,
                "incomparable_examples": question.doubts.examples,
            },
        }
