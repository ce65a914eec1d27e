"""Numbers as they are written: 十二, １２, 1.5億, 壱百萬, ⑫, XII, (b), イ."""

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

KANJI = "〇一二三四五六七八九十百千"
NUMERAL = rf"(?:[{KANJI}]+|[0-9０-９]+)"
"""A whole number in kanji or digits, as a pattern."""

_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0}
_FORMAL = str.maketrans("壱壹弐貳参參肆伍拾佰陌阡仟萬", "一一二二三三四五十百百千千万")
"""As amounts are written where nobody shall alter them: 金壱百萬円."""
_SMALL_UNITS = {"十": 10, "百": 100, "千": 1_000}
_LARGE_UNITS = {"万": 10**4, "億": 10**8, "兆": 10**12}
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile(r"m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラム"
_AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノ"
_PARTS = re.compile(r"[0-9]+(?:\.[0-9]+)?|[〇零一二三四五六七八九]|[十百千]|[万億兆]")
LONGEST = 300
"""No number that anybody means is longer."""


@lru_cache(maxsize=4096)
def number_of(text: str) -> int | None:
    """What `十二`, `１２`, `二〇`, `⑫`, `⑴` count; None where it is no whole number."""
    narrow = unicodedata.normalize("NFKC", text).strip("()")
    value = _by_units(narrow)
    return int(value) if value is not None and value.denominator == 1 else None


@lru_cache(maxsize=4096)
def amount_of(text: str) -> Fraction | None:
    """What `1,200`, `1.5億`, `120万`, `一億二千万`, `壱百萬`, `二〇二五` amount to."""
    narrow = unicodedata.normalize("NFKC", text).replace(",", "").replace(" ", "")
    return _by_units(narrow.translate(_FORMAL))


def _by_units(text: str) -> Fraction | None:
    """Digits, and units that stand after them: `千二百三万四十`, `1億2000万`."""
    parts = _PARTS.findall(text[:LONGEST])
    if not parts or sum(map(len, parts)) != len(text):
        return None
    total = below_large = Fraction(0)
    pending: Fraction | None = None
    for part in parts:
        if part in _SMALL_UNITS:
            below_large += (1 if pending is None else pending) * _SMALL_UNITS[part]
            pending = None
        elif part in _LARGE_UNITS:
            total += ((below_large + (pending or 0)) or 1) * _LARGE_UNITS[part]
            below_large, pending = Fraction(0), None
        elif part in _DIGITS:
            pending = (pending or 0) * 10 + Fraction(_DIGITS[part])
        else:
            pending = Fraction(part)
    return total + below_large + (pending or 0)


def roman_number(text: str) -> int | None:
    """What `iv` or `XII` counts."""
    narrow = unicodedata.normalize("NFKC", text).casefold()
    if not narrow or not _ROMAN.fullmatch(narrow):
        return None
    values = [_ROMAN_VALUES[letter] for letter in narrow]
    return sum(
        -value if value < following else value
        for value, following in zip(values, (*values[1:], 0), strict=True)
    )


def letter_number(text: str) -> int | None:
    """`b` is 2; `ロ` is 2 in the order of イロハ, `ウ` is 3 in the order of アイウ."""
    letter = unicodedata.normalize("NFKC", text)
    if len(letter) != 1:
        return None
    if letter.isascii() and letter.isalpha():
        return ord(letter.casefold()) - ord("a") + 1
    # イ and カ stand in both orders; laws use the first, so it is tried first.
    for order in (_IROHA, _AIUEO):
        if letter in order:
            return order.index(letter) + 1
    return None
