"""Features of texts, of how often a value comes up, and of what holds in a row."""

from collections import Counter
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from sanbo.blocks.matching.readings import company_reading
from sanbo.blocks.transforms.conditions import Question
from sanbo.blocks.transforms.feature import Column, Feature
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.language.companies import company_key
from sanbo.tables.operators import Pattern
from sanbo.tables.rows import Rows
from sanbo.tables.values import is_blank, key_of, text_of


def _of_text(make: Callable[[str, Feature], JsonValue]) -> Callable[[Rows, Feature], Column]:
    def made(rows: Rows, feature: Feature) -> Column:
        return [
            None if is_blank(value) else make(text_of(value), feature)
            for value in feature.column(rows)
        ]

    return made


def _concat(rows: Rows, feature: Feature) -> Column:
    columns = feature.columns(rows, least=1)
    return [
        feature.separator.join(text_of(value) for value in values if not is_blank(value))
        for values in zip(*columns, strict=True)
    ]


def _extract(rows: Rows, feature: Feature) -> Column:
    pattern = Pattern(feature.pattern)
    return [pattern.extracted_from(text_of(value)) for value in feature.column(rows)]


def _keys(rows: Rows, feature: Feature) -> list[object]:
    columns = feature.columns(rows, least=1)
    return [tuple(key_of(value) for value in values) for values in zip(*columns, strict=True)]


def _occurrences(rows: Rows, feature: Feature) -> Column:
    """How many rows have the same values in these fields."""
    keys = _keys(rows, feature)
    counts = Counter(keys)
    return [counts[key] for key in keys]


def _is_repeated(rows: Rows, feature: Feature) -> Column:
    """Whether a row before had the same values: the first of them is no repetition."""
    seen: set[object] = set()
    made: Column = []
    for key in _keys(rows, feature):
        made.append(key in seen)
        seen.add(key)
    return made


def _coalesce(rows: Rows, feature: Feature) -> Column:
    columns = feature.columns(rows, least=1)
    return [
        next((value for value in values if not is_blank(value)), None)
        for values in zip(*columns, strict=True)
    ]


def _flag(rows: Rows, feature: Feature) -> Column:
    if not feature.conditions:
        raise InvalidInput("transform_feature_conditions", name=feature.name)
    together = all if feature.logic in ("all", "and") else any
    question = Question(feature.conditions, together=together, port=f"config.{feature.name}")
    question.require_fields(rows)
    return [question.holds(row, number) for number, row in enumerate(rows)]


OF_TEXTS: Mapping[str, Callable[[Rows, Feature], Column]] = {
    "length": _of_text(lambda text, _: len(text)),
    "normalize": _of_text(lambda text, _: matching_form(text)),
    "company_key": _of_text(lambda text, _: company_key(text)),
    "reading": _of_text(lambda text, _: company_reading(text)),
    "left": _of_text(lambda text, feature: text[: feature.count]),
    "right": _of_text(lambda text, feature: text[-feature.count :] if feature.count else ""),
    "concat": _concat,
    "extract": _extract,
    "occurrences": _occurrences,
    "is_repeated": _is_repeated,
    "coalesce": _coalesce,
    "flag": _flag,
    "constant": lambda rows, feature: [feature.value] * len(rows),
}
