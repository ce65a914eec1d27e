"""What a plan says about how records of two tables are to be compared."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import AliasChoices, Field, JsonValue

from sanbo.blocks.matching.comparisons import (
    Alike,
    Companies,
    Comparison,
    Kind,
    Near,
    Respect,
    Same,
    Tolerance,
)
from sanbo.blocks.transforms.options import Option, listed, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.language.companies import has_company_form
from sanbo.tables.rows import Rows, known_as, require_field, value_at
from sanbo.tables.values import Vocabulary, as_day, as_number, is_blank, key_of, text_of

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
_AS_WRITTEN = (AUTO, "string")
"""With `strategy: exact`; `type: exact` looks past width and case."""
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
    field = known_as(rows, field)
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
    """The same words in another order are the same: Sakura Foods, Foods Sakura."""
    return "".join(sorted(matching_form(text).split()))


Strategy = Literal["exact", "fuzzy", "window", "combined", "hybrid"]
"""`hybrid` is another word for `combined`."""
DEFAULT_THRESHOLD = 0.85
_NAMED = {"date": "date", "amount": "number", "number": "number", "日付": "date", "金額": "number"}
_INSIDE = 0.5
"""What a pair scores at least that is inside its window."""


class LinkKey(Option):
    field: str = ""
    left: str = ""
    right: str = ""
    type: str = AUTO
    weight: float = Field(default=1.0, gt=0, le=1000)
    threshold: float | None = Field(default=None, ge=0, le=100)
    """What this key alone must reach."""
    tolerance: float = Field(default=0, ge=0)
    percent: float = Field(default=0, ge=0, lt=90)
    days: float = Field(default=0, ge=0)

    @property
    def has_tolerance(self) -> bool:
        return bool(self.tolerance or self.percent or self.days)

    @property
    def tolerated(self) -> Tolerance:
        apart = max(self.tolerance, self.days)
        return Tolerance(apart, apart, self.percent / 100)


class LinkWindow(Option):
    field: str = ""
    left: str = ""
    right: str = ""
    type: str = AUTO
    days: float | None = Field(default=None, ge=0)
    tolerance: float | None = Field(
        default=None, ge=0, validation_alias=AliasChoices("tolerance", "amount", "plus_minus")
    )
    percent: float = Field(default=0, ge=0, lt=90)
    before: float | None = Field(default=None, ge=0)
    """How far the right one may be before (below) the left one; after: behind (above) it."""
    after: float | None = Field(default=None, ge=0)
    weight: float = Field(default=1.0, gt=0, le=1000)

    @property
    def tolerated(self) -> Tolerance:
        both = (self.days or 0) or (self.tolerance or 0)
        below = both if self.before is None else self.before
        above = both if self.after is None else self.after
        if self.before is None and self.after is not None and not both:
            below = 0
        return Tolerance(below, above, self.percent / 100)


class Fuzzy(Option):
    threshold: float = Field(default=DEFAULT_THRESHOLD, ge=0, le=100)
    candidate_threshold: float | None = Field(default=None, ge=0, le=100)
    fields: list[str] = Field(default_factory=list[str])
    """Only these keys are compared by likeness; the others must be equal."""
    candidates_per_row: int = Field(default=5, ge=0, le=1000)


def share(number: float) -> float:
    """0.85 and 85 mean the same."""
    return number / 100 if number > 1 else number


def read_keys(given: JsonValue) -> list[LinkKey]:
    """`取引先`, `[{left: 請求先, right: 振込人}]`, `[[請求先, 振込人]]` or `{請求先: 振込人}`."""
    if isinstance(given, dict) and (pairs := _side_by_side(given)) is not None:
        entries: list[JsonValue] = pairs
    elif isinstance(given, dict) and not set(given) & {"left", "right", "field"}:
        entries = [
            {"left": left, **(right if isinstance(right, dict) else {"right": right})}
            for left, right in given.items()
        ]
    else:
        entries = listed(given)
    return [read_as(LinkKey, _key(one), f"keys.{number}") for number, one in enumerate(entries)]


def _key(one: JsonValue) -> JsonValue:
    if isinstance(one, str):
        return {"field": one}
    if isinstance(one, list) and len(one) == 2:
        return {"left": one[0], "right": one[1]}
    return one


def _side_by_side(given: dict[str, JsonValue]) -> list[JsonValue] | None:
    """`{left: [請求先, 請求額], right: [振込人, 入金額]}` as pairs."""
    left, right = given.get("left"), given.get("right")
    if set(given) != {"left", "right"} or not isinstance(left, list | dict):
        return None
    if not isinstance(left, list) or not isinstance(right, list) or len(left) != len(right):
        raise InvalidInput("matching_keys_uneven")
    return [{"left": one, "right": other} for one, other in zip(left, right, strict=True)]


def read_windows(given: JsonValue) -> list[LinkWindow]:
    """One window, a list of them, or `{date: {…}, amount: {…}}`."""
    named = {
        "date": "date",
        "amount": "number",
        "number": "number",
        "日付": "date",
        "金額": "number",
    }
    if isinstance(given, dict) and given and set(given) <= set(named):
        entries: list[JsonValue] = [
            {"type": _NAMED[kind], **(one if isinstance(one, dict) else {"tolerance": one})}
            for kind, one in given.items()
            if one is not None
        ]
    else:
        entries = listed(given) if given != {} else []
    return [read_as(LinkWindow, one, f"window.{number}") for number, one in enumerate(entries)]


def _sides(one: LinkKey | LinkWindow, port: str) -> tuple[str, str]:
    left, right = one.left or one.field or one.right, one.right or one.field or one.left
    if not left:
        raise InvalidInput("matching_key_unnamed", port=port)
    return left, right


def comparisons_of(
    left: Rows,
    right: Rows,
    *,
    strategy: Strategy,
    keys: list[LinkKey],
    fuzzy: Fuzzy,
    windows: list[LinkWindow],
) -> list[Comparison]:
    made = [*_windows(left, right, windows)]
    for number, key in enumerate(keys):
        port = f"keys.{number}"
        names = _sides(key, port)
        columns = column(left, names[0], port), column(right, names[1], port)
        is_fuzzy = strategy in ("fuzzy", "combined", "hybrid") and (
            not fuzzy.fields or bool({*names, key.field} & set(fuzzy.fields))
        )
        kind: Kind = "exact" if key.type == AUTO else kind_of(key.type)
        if is_fuzzy and key.type == AUTO:
            kind = kind_of_values(*columns)
        minimum = 0.0 if is_fuzzy else _INSIDE if key.has_tolerance else 1.0
        if key.threshold is not None:
            minimum = share(key.threshold)
        respect = Respect(_name(*names), kind, *names, weight=key.weight, minimum=minimum)
        if strategy == "exact" and key.type in _AS_WRITTEN:
            made.append(Same(respect, *([_as_written(each) for each in side] for side in columns)))
            continue
        made.append(comparison_of(respect, *columns, key.tolerated))
    return made


def _as_written(value: JsonValue) -> tuple[str, str] | None:
    """Equal as they are; 1001 is 1001.0, and what is empty equals nothing."""
    return None if is_blank(value) else ("text", text_of(value))


def _windows(left: Rows, right: Rows, windows: list[LinkWindow]) -> Iterator[Comparison]:
    for number, window in enumerate(windows):
        port = f"window.{number}"
        names = _sides(window, port)
        columns = column(left, names[0], port), column(right, names[1], port)
        kind = kind_of(window.type) if window.type != AUTO else _kind(window, columns)
        if kind not in ("number", "date"):
            raise InvalidInput("matching_window_kind", field=_name(*names))
        respect = Respect(_name(*names), kind, *names, weight=window.weight, minimum=_INSIDE)
        yield comparison_of(respect, *columns, window.tolerated)


def _kind(window: LinkWindow, columns: tuple[list[JsonValue], list[JsonValue]]) -> Kind:
    if window.days is not None:
        return "date"
    return "number" if window.tolerance is not None else kind_of_values(*columns)


def _name(left: str, right: str) -> str:
    return left if left == right else f"{left} / {right}"
