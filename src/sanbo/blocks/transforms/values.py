"""Values in the fields of rows: made numbers, days, yes or no, text (`transforms.coerce_values`),
or others by rules in their order (`transforms.replace_values`).
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Literal

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockContext, Given, Transform
from sanbo.blocks.contract.schemas import schema_by_example
from sanbo.blocks.spec import Schema
from sanbo.blocks.transforms.options import Option, listed, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.tables.operators import Pattern
from sanbo.tables.rows import Row, Rows, fields_in, known_as, require_column
from sanbo.tables.values import Casting, Kind, Match, cast, is_blank, key_of, kind_of, text_of

# ---- `transforms.coerce_values` ------------------------------------------------------------------


_MOST_LISTED = 100
_MOST_NAMED = 5
_EXAMPLES: Mapping[Kind, JsonValue] = {
    "number": 1000,
    "integer": 1000,
    "date": "2024-05-01",
    "datetime": "2024-05-01T09:00:00",
    "month": "2024-05",
    "time": "09:00:00",
    "boolean": True,
    "text": "A",
    "list": ["A"],
}


class Coercion(Casting):
    field: str
    type: str = Field(validation_alias=AliasChoices("type", "to"))
    on_error: Literal["null", "keep", "fail"] | None = "keep"
    formats: list[str] = Field(default_factory=list[str])
    """Of days and moments, in the letters of strptime; tried before all else."""
    day: Literal["first", "last"] | None = "first"
    default: JsonValue = None
    """For empty values."""
    optional: bool = False
    """The rows may be without the field."""


class CoerceValues(Transform[Given]):
    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        coercions = read_coercions(given.get("specs"))
        row = {one.field: _EXAMPLES[kind_of(one.type)] for one in coercions}
        return {"rows": schema_by_example([row]), "first": schema_by_example(row)} if row else {}

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        rows = [dict(item) for item in given.items]
        failures: Rows = []
        by_field: dict[str, dict[str, int]] = {}
        for coercion in read_coercions(given.specs):
            field = known_as(given.items, coercion.field)
            try:
                require_column(given.items, field, "specs")
            except InvalidInput as unknown:
                if not coercion.optional:
                    context.warn(unknown)
            by_field[field] = _coerce(
                rows, coercion.model_copy(update={"field": field}), failures, context
            )
        return {
            "rows": rows,
            "first": rows[0] if rows else None,
            "summary": {
                "input": len(rows),
                "converted": sum(one["converted"] for one in by_field.values()),
                "specs": len(by_field),
                "failed": len(failures),
                "fields": by_field,
                "failures": failures[:_MOST_LISTED],
            },
        }


def read_coercions(given: JsonValue) -> list[Coercion]:
    """`金額: number`, `金額: {type: number, decimals: 0}`, or `[{field: 金額, type: number}]`."""
    if isinstance(given, dict) and not {"field", "type"} <= set(given):
        entries: list[JsonValue] = [
            {"field": field, **(one if isinstance(one, dict) else {"type": one})}
            for field, one in given.items()
        ]
    else:
        entries = listed(given)
    coercions = [read_as(Coercion, one, f"specs.{number}") for number, one in enumerate(entries)]
    for coercion in coercions:
        kind_of(coercion.type)
    return coercions


def _coerce(
    rows: Rows, coercion: Coercion, failures: Rows, context: BlockContext
) -> dict[str, int]:
    kind = kind_of(coercion.type)
    converted = empty = 0
    failed: Rows = []
    for number, row in enumerate(rows):
        if coercion.field not in row:
            continue
        value = row[coercion.field]
        if is_blank(value):
            empty += 1
            is_text = kind == "text" and "default" not in coercion.model_fields_set
            row[coercion.field] = "" if is_text else coercion.default
            continue
        made = _by_formats(value, kind, coercion) or cast(value, kind, coercion)
        if made is None:
            failed.append({"row": number, "field": coercion.field, "value": value})
            if coercion.on_error in ("null", None):
                row[coercion.field] = None
        else:
            converted += 1
            row[coercion.field] = made
    if failed and coercion.on_error == "fail":
        raise _refused(coercion, failed)
    if failed:
        context.warn(_refused(coercion, failed, "transform_not_coerced"))
    failures.extend({**failure, "type": coercion.type} for failure in failed)
    return {"converted": converted, "empty": empty, "failed": len(failed)}


def _by_formats(value: JsonValue, kind: Kind, coercion: Coercion) -> JsonValue:
    if kind not in ("date", "datetime"):
        return None
    for written in coercion.formats:
        try:
            moment = datetime.strptime(text_of(value).strip(), written)
        except ValueError:
            continue
        return moment.date().isoformat() if kind == "date" else moment.isoformat()
    return None


def _refused(
    coercion: Coercion, failed: Rows, text_id: str = "transform_coerce_failed"
) -> InvalidInput:
    shown = [f"{int(str(one['row'])) + 1}: {text_of(one['value'])[:40]}" for one in failed]
    return InvalidInput(
        text_id,
        field=coercion.field,
        type=coercion.type,
        count=len(failed),
        rows="、".join(shown[:_MOST_NAMED]),
        details={"field": coercion.field, "failures": failed[:_MOST_LISTED]},
    )


# ---- `transforms.replace_values` -----------------------------------------------------------------


MatchBy = Literal[
    "matching", "equals", "exact", "company", "contains", "starts_with", "regex", "empty"
]
EVERY_FIELD = "*"


class Mapped(Option):
    from_: JsonValue = Field(default=None, alias="from")
    to: JsonValue = None


class Rule(Option):
    field: str = ""
    fields: list[str] = Field(default_factory=list[str])
    from_: JsonValue = Field(
        default=None, validation_alias=AliasChoices("from", "old", "value", "find")
    )
    to: JsonValue = Field(
        default=None, validation_alias=AliasChoices("to", "new", "replacement", "with")
    )
    map: dict[str, JsonValue] | None = Field(
        default=None, validation_alias=AliasChoices("map", "mapping")
    )
    pattern: str = ""
    """A regular expression, instead of `from` and `match: regex`."""
    mappings: list[Mapped] | None = None
    """The whole value becomes `to` of the first that fits, also where only a part of it does."""
    case_insensitive: bool = True
    match: MatchBy = "matching"
    otherwise: JsonValue = Field(
        default=None, validation_alias=AliasChoices("otherwise", "default")
    )
    """What other values become; without it they stay."""


Change = Callable[[JsonValue], JsonValue]


class ReplaceValues(Transform[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        rows = [dict(item) for item in given.items]
        counts: list[Row] = []
        for number, rule in enumerate(read_rules(given.rules)):
            fields = _fields(rule, rows, number)
            count = _replace(rows, fields, _change(rule, number))
            counts.append({"rule": number, "fields": list[JsonValue](fields), "replaced": count})
        return {
            "rows": rows,
            "summary": {
                "input": len(rows),
                "replaced": sum(int(str(count["replaced"])) for count in counts),
                "rules": len(counts),
                "by_rule": counts,
            },
        }


def read_rules(written: JsonValue) -> list[Rule]:
    """A list of rules, or `{field: {old: new}}`."""
    if (
        isinstance(written, dict)
        and written
        and all(isinstance(one, dict) for one in written.values())
    ):
        written = [{"field": field, "map": one} for field, one in written.items()]
    return read_as(list[Rule], listed(written), "rules")


def _fields(rule: Rule, rows: Rows, number: int) -> list[str]:
    names = [*rule.fields, *([rule.field] if rule.field else [])] or [EVERY_FIELD]
    if EVERY_FIELD in names:
        return fields_in(rows)
    names = [known_as(rows, name) for name in names]
    if rule.mappings is None:
        for name in names:
            require_column(rows, name, f"rules.{number}.field")
    return names


def _replace(rows: Rows, fields: list[str], change: Change) -> int:
    count = 0
    for row in rows:
        for field in fields:
            if field in row:
                old, new = row[field], change(row[field])
                if new is not old and new != old:
                    row[field] = new
                    count += 1
    return count


def _change(rule: Rule, number: int) -> Change:
    if rule.mappings is not None:
        return _by_first_fit(rule, rule.mappings)
    if rule.match == "empty":
        return lambda value: rule.to if is_blank(value) else value
    if rule.match == "regex" or rule.pattern:
        return _by_pattern(rule)
    if rule.match in ("contains", "starts_with"):
        return _by_words(rule)
    match = "matching" if rule.match == "equals" else rule.match
    return _by_value(rule, match, number)


def _by_first_fit(rule: Rule, mappings: list[Mapped]) -> Change:
    """Texts as they are written, their case aside."""
    how: Match = "matching" if rule.case_insensitive else "exact"
    tests: list[tuple[Callable[[JsonValue], bool], JsonValue]] = []
    for one in mappings:
        if rule.match == "regex":
            pattern = Pattern(text_of(one.from_), ignoring_case=rule.case_insensitive)
            tests.append((partial(_found_in, pattern), one.to))
        elif rule.match in ("contains", "starts_with"):
            word = _cased(text_of(one.from_), rule)
            tests.append((partial(_has_word, word, rule), one.to))
        else:
            tests.append((partial(_is_same, one.from_, how), one.to))
    return lambda value: next((to for fits, to in tests if fits(value)), _other(rule, value))


def _found_in(pattern: Pattern, value: JsonValue) -> bool:
    return value is not None and pattern.found_in(text_of(value))


def _has_word(word: str, rule: Rule, value: JsonValue) -> bool:
    text = _cased(text_of(value), rule)
    return bool(word) and (text.startswith(word) if rule.match == "starts_with" else word in text)


def _cased(text: str, rule: Rule) -> str:
    return matching_form(text) if rule.case_insensitive else text


def _is_same(wanted: JsonValue, how: Match, value: JsonValue) -> bool:
    return key_of(wanted, how) == key_of(value, how)


def _pairs(rule: Rule) -> list[tuple[JsonValue, JsonValue]]:
    if rule.map is not None:
        return list(rule.map.items())
    return [
        (one, rule.to) for one in (rule.from_ if isinstance(rule.from_, list) else [rule.from_])
    ]


def _by_value(rule: Rule, match: Literal["matching", "exact", "company"], number: int) -> Change:
    """The whole value; a mapping's keys are texts, so that "1" there means 1, too."""
    if rule.map is None and "from_" not in rule.model_fields_set:
        raise InvalidInput("transform_rule_from", rule=number)
    known = {key_of(old, match): new for old, new in _pairs(rule)}
    if rule.map is not None and match == "exact":
        return lambda value: known.get(key_of(text_of(value), match), _other(rule, value))
    return lambda value: known.get(key_of(value, match), _other(rule, value))


def _other(rule: Rule, value: JsonValue) -> JsonValue:
    return rule.otherwise if "otherwise" in rule.model_fields_set else value


def _by_words(rule: Rule) -> Change:
    """Part of a text, as it is written."""
    pairs = [(text_of(old), text_of(new)) for old, new in _pairs(rule) if not is_blank(old)]

    def change(value: JsonValue) -> JsonValue:
        if not isinstance(value, str):
            return value
        for old, new in pairs:
            if rule.match == "contains":
                value = value.replace(old, new)
            elif value.startswith(old):
                value = new + value[len(old) :]
        return value

    return change


def _by_pattern(rule: Rule) -> Change:
    written = [(rule.pattern, rule.to)] if rule.pattern else _pairs(rule)
    pairs = [(Pattern(text_of(old)), text_of(new)) for old, new in written]

    def change(value: JsonValue) -> JsonValue:
        if not isinstance(value, str):
            return value
        for pattern, new in pairs:
            value = pattern.replaced_in(value, new)
        return value

    return change
