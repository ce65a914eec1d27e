"""Numbers that tell about a person are masked by what they are: My Number, card numbers.

A number counts when its check digit is right, or when a word beside it says what it is.
"""

import re
import unicodedata

from pydantic import JsonValue

from sanbo.kernel.secrets import MASK

_LABEL = re.compile(
    r"マイナンバー|個人番号|my[\s_]?number|カード番号|クレジットカード|card[\s_]?(?:number|no)",
    re.IGNORECASE,
)
# Not inside a word: digests of files and registration numbers (T and 13 digits) are none.
_DIGITS = re.compile(
    r"(?<![0-9０-９A-Za-z])[0-9０-９](?:[-‐−ー－ 　]?[0-9０-９]){11,18}(?![0-9０-９A-Za-z])"
)
# By length and first digits: codes of goods and of companies have 13 digits.
_CARDS = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|5\d\d)\d{12}|62\d{14,17}"
    r"|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
)
_NEAR = 20
_MY_NUMBER = 12
_CARD = range(13, 20)


_LONG = re.compile(r"[0-9０-９](?:[-‐−ー－ 　]?[0-9０-９]){11}")
"""Also behind a letter: in JSON that may be the end of a line break."""


def might_hold(text: str) -> bool:
    """Quick, for texts and JSON that hold no such number at all."""
    return _LONG.search(text) is not None


def masked_personal(value: JsonValue, label: str = "", *, only_labelled: bool = False) -> JsonValue:
    """`only_labelled`: without those of which the check digit alone tells, perhaps by chance."""
    match value:
        case str():
            return _masked_text(value, label, only_labelled=only_labelled)
        case bool():
            return value
        case int() | float():  # a column of a workbook is one of floats
            digits = str(int(value)) if value == value // 1 else ""
            shown = _masked_text(digits, label, only_labelled=only_labelled)
            return MASK if shown == MASK else value
        case list():
            return [masked_personal(item, label, only_labelled=only_labelled) for item in value]
        case dict():
            return {
                _masked_text(name, label, only_labelled=only_labelled): masked_personal(
                    item, name, only_labelled=only_labelled
                )
                for name, item in value.items()
            }
        case _:
            return value


def _masked_text(text: str, label: str, *, only_labelled: bool) -> str:
    def replace(found: re.Match[str]) -> str:
        before = text[max(0, found.start() - _NEAR) : found.start()]
        digits = re.sub(r"[^0-9]", "", unicodedata.normalize("NFKC", found[0]))
        is_labelled = bool(_LABEL.search(label) or _LABEL.search(before))
        if only_labelled and not is_labelled:
            return found[0]
        return MASK if _is_personal(digits, is_labelled=is_labelled) else found[0]

    return _DIGITS.sub(replace, text)


def _is_personal(digits: str, *, is_labelled: bool) -> bool:
    if len(digits) == _MY_NUMBER:
        return is_labelled or is_my_number(digits)
    return len(digits) in _CARD and (is_labelled or _is_card(digits))


def is_my_number(digits: str) -> bool:
    """Twelve digits, by the check digit (平成26年総務省令第85号, article 5)."""
    total = sum(
        int(digit) * (place + 1 if place <= 6 else place - 5)
        for place, digit in enumerate(reversed(digits[:11]), start=1)
    )
    left = total % 11
    return int(digits[11]) == (0 if left <= 1 else 11 - left)


def _is_card(digits: str) -> bool:
    """By the check digit of ISO/IEC 7812, and how the numbers of its kind begin."""
    if not _CARDS.fullmatch(digits):
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0
