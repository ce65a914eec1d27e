"""Numbers that tell about a person are masked in logs by what they are: My Number, card numbers.

A number counts when its check digit is right, or when a word beside it says what it is.
"""

import re
import unicodedata
from collections.abc import Mapping

from pydantic import JsonValue

from sanbo.kernel.secrets import MASK

_LABEL = re.compile(
    r"マイナンバー|個人番号|my[\s_]?number|カード番号|クレジットカード|card[\s_]?(?:number|no)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![0-9０-９])[0-9０-９](?:[-‐−ー－ 　]?[0-9０-９]){11,18}(?![0-9０-９])")
_NEAR = 20
_MY_NUMBER = 12
_CARD = range(13, 20)


def might_hold(text: str) -> bool:
    """Quick, for lines that hold no such number at all."""
    return _DIGITS.search(text) is not None


def masked_personal(value: JsonValue, label: str = "") -> JsonValue:
    match value:
        case str():
            return _masked_text(value, is_labelled=bool(_LABEL.search(label)))
        case bool():
            return value
        case int() if _is_personal(str(value), is_labelled=bool(_LABEL.search(label))):
            return MASK
        case list():
            return [masked_personal(item, label) for item in value]
        case dict():
            return {name: masked_personal(item, name) for name, item in value.items()}
        case _:
            return value


def masked_line(line: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: masked_personal(value, name) for name, value in line.items()}


def _masked_text(text: str, *, is_labelled: bool) -> str:
    def replace(found: re.Match[str]) -> str:
        before = text[max(0, found.start() - _NEAR) : found.start()]
        digits = re.sub(r"[^0-9]", "", unicodedata.normalize("NFKC", found[0]))
        labelled = is_labelled or _LABEL.search(before) is not None
        return MASK if _is_personal(digits, is_labelled=labelled) else found[0]

    return _DIGITS.sub(replace, text)


def _is_personal(digits: str, *, is_labelled: bool) -> bool:
    if len(digits) == _MY_NUMBER:
        return is_labelled or _is_my_number(digits)
    return len(digits) in _CARD and (is_labelled or _is_card(digits))


def _is_my_number(digits: str) -> bool:
    """By its check digit (平成26年総務省令第85号, article 5)."""
    total = sum(
        int(digit) * (place + 1 if place <= 6 else place - 5)
        for place, digit in enumerate(reversed(digits[:11]), start=1)
    )
    left = total % 11
    return int(digits[11]) == (0 if left <= 1 else 11 - left)


def _is_card(digits: str) -> bool:
    """By the check digit of ISO/IEC 7812, and a first digit that cards have."""
    if digits[0] not in "3456":
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0
