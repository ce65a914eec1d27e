"""A model's values against the words that it quotes for them: digits and eras slip easily."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import JsonValue

from sanbo.blocks.ai.findings import Conflict, Record
from sanbo.blocks.ai.shapes import Wanted
from sanbo.blocks.ai.values import find_date, plain
from sanbo.language.cells import read_number

_NUMBER = re.compile(
    r"[△▲−-]?\s?[¥$€£]?\s?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:\s?[兆億万千]+(?:[0-9,]*[0-9])?)*"
)
_SEPARATOR = re.compile(r"(?<=[0-9]),(?=[0-9]{3})")
_SENTENCE = re.compile(r"[^\s。][^\n。]*。?")
_SCALES = frozenset({100, 1000, 10**4, 10**6, 10**8})
"""Percent, 千円, 万円, 百万円, 億円: a table's head says so, and the quote does not."""


def unread_dates(
    fields: Sequence[Wanted], said: Mapping[str, JsonValue], values: Mapping[str, JsonValue]
) -> list[Conflict]:
    """What a model has put where a date was asked for, and is none."""
    return [
        Conflict(field=each.name, values=[said[each.name]])
        for each in fields
        if each.kind in ("date", "datetime")
        and said.get(each.name) is not None
        and values.get(each.name) is None
    ]


def checked(fields: Sequence[Wanted], record: Record, text: str) -> Record:
    """Where the quoted words state one value, and the model's stands nowhere: theirs, and told."""
    values, conflicts = dict(record.values), list(record.conflicts)
    for wanted in fields:
        value, place = values.get(wanted.name), record.sources.get(wanted.name)
        if value is None or place is None or place.position is None:
            continue
        stated = _stated(wanted, value, place.text, text)
        if stated is not None:
            values[wanted.name] = stated
            conflicts.append(Conflict(field=wanted.name, values=[value, stated], kept=stated))
    return record.model_copy(update={"values": values, "conflicts": tuple(conflicts)})


@dataclass(frozen=True)
class Sentence:
    """One sentence or line, and what it states."""

    start: int
    text: str
    tight: str
    digits: str
    days: frozenset[str]


def sentences_of(text: str) -> list[Sentence]:
    return [_sentence(each.start(), each.group()) for each in _SENTENCE.finditer(text)]


def stated_at(
    wanted: Wanted, value: JsonValue, quote: str, text: Sequence[Sentence]
) -> Sentence | None:
    """Where a value stands that its quote does not state: models point to the wrong sentence."""
    states = _stating(wanted, value)
    if states is None or (quote and states(_sentence(0, quote))):
        return None
    found = list(islice(filter(states, text), 2))
    return found[0] if len(found) == 1 else None


def _sentence(start: int, text: str) -> Sentence:
    return Sentence(start, text, _tight(text), _unseparated(text), frozenset(_days(text)))


def _tight(text: str) -> str:
    return "".join(plain(text).split())


def _unseparated(text: str) -> str:
    return _SEPARATOR.sub("", plain(text))


def _stating(wanted: Wanted, value: JsonValue) -> Callable[[Sentence], bool] | None:
    """Whether a sentence states this value; None for what no single sentence states."""
    if wanted.kind == "date":
        return lambda each: value in each.days
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        words = _tight(value)
        return lambda each: words in each.tight
    return lambda each: _has_digits(value, each.digits)


def _stated(wanted: Wanted, value: JsonValue, quote: str, text: str) -> JsonValue:
    if wanted.kind == "date" and isinstance(value, str):
        days = set(_days(quote))
        return days.pop() if len(days) == 1 and value not in {*days, *_days(text)} else None
    if wanted.kind not in ("number", "integer") or not isinstance(value, int | float):
        return None
    found = [read_number(each.strip()) for each in _NUMBER.findall(plain(quote))]
    if len(found) != 1 or found[0] is None or _has_digits(value, _unseparated(text)):
        return None
    stated = found[0].value
    is_same = abs(stated) == abs(value) or _is_scaled(abs(stated), abs(value))
    return None if is_same or (wanted.kind == "integer" and stated != int(stated)) else stated


def _days(text: str) -> Iterator[str]:
    for line in text.splitlines():
        rest = plain(line)
        while (found := find_date(rest)) is not None:
            yield str(found.value)
            rest = rest[rest.find(found.text) + len(found.text) :]


def _has_digits(value: float, text: str) -> bool:
    digits = str(abs(int(value)) if value == int(value) else abs(value))
    return (
        digits in text and re.search(rf"(?<![0-9.]){re.escape(digits)}(?![0-9])", text) is not None
    )


def _is_scaled(one: float, other: float) -> bool:
    small, large = sorted((one, other))
    return small > 0 and any(abs(large - small * scale) < 1e-6 * large for scale in _SCALES)
