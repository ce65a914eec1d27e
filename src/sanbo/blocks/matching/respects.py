"""The fields of rows that are compared, and with what measure."""

from collections.abc import Sequence

from pydantic import JsonValue

from sanbo.blocks.matching.alike import Alike
from sanbo.blocks.matching.companies import Companies
from sanbo.blocks.matching.comparisons import Comparison, Kind, Near, Respect, Same, Tolerance
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.language.companies import has_company_form
from sanbo.tables.rows import Rows, require_field, value_at
from sanbo.tables.values import as_day, as_number, is_blank, key_of, text_of
from sanbo.tables.vocabulary import Vocabulary

KINDS = Vocabulary[Kind](
    {
        "exact": "code id same",
        "text": "string fuzzy",
        "company": "name 会社名",
        "number": "amount numeric 金額",
        "date": "day datetime 日付",
    }
)
AUTO = "auto"
_LOOKED_AT = 1000
_MOST_OF = 0.9
_SOME_OF = 0.2
_LONGEST = 500
_LARGEST = 1e300
"""What fits into a float with room to calculate; no amount is larger."""


def kind_of(word: str) -> Kind:
    found = KINDS.find(word)
    if found is None:
        raise InvalidInput("matching_kind_unknown", given=word, known=f"{AUTO}, {KINDS}")
    return found


def is_kind(word: str) -> bool:
    return KINDS.find(word) is not None or word.strip().lower() == AUTO


def kind_of_values(left: Sequence[JsonValue], right: Sequence[JsonValue]) -> Kind:
    """Amounts, days and companies are known by nearly all the values; the rest is text."""
    filled = [one for one in (*left[:_LOOKED_AT], *right[:_LOOKED_AT]) if not is_blank(one)]
    if not filled:
        return "text"
    if sum(as_number(one) is not None for one in filled) >= _MOST_OF * len(filled):
        return "number"
    if sum(as_day(one) is not None for one in filled) >= _MOST_OF * len(filled):
        return "date"
    forms = sum(has_company_form(text_of(one)) for one in filled)
    return "company" if forms >= _SOME_OF * len(filled) else "text"


def column(rows: Rows, field: str, port: str) -> list[JsonValue]:
    require_field(rows, field, port)
    return [value_at(row, field) for row in rows]


def comparison_of(
    respect: Respect, left: Sequence[JsonValue], right: Sequence[JsonValue], tolerance: Tolerance
) -> Comparison:
    if respect.kind == "exact":
        return Same(respect, [key_of(one) for one in left], [key_of(one) for one in right])
    if respect.kind == "number":
        return Near(respect, _numbers(left), _numbers(right), tolerance)
    if respect.kind == "date":
        return Near(respect, _days(left), _days(right), tolerance)
    texts = [[text_of(one)[:_LONGEST] for one in side] for side in (left, right)]
    if respect.kind == "company":
        return Companies(respect, texts[0], texts[1])
    return Alike(respect, list(map(_plain, texts[0])), list(map(_plain, texts[1])))


def _numbers(values: Sequence[JsonValue]) -> list[float | None]:
    numbers = [as_number(value) for value in values]
    return [
        None if number is None or abs(number) > _LARGEST else float(number) for number in numbers
    ]


def _days(values: Sequence[JsonValue]) -> list[float | None]:
    days = [as_day(value) for value in values]
    return [None if day is None else float(day.toordinal()) for day in days]


def _plain(text: str) -> str:
    return matching_form(text).replace(" ", "")
