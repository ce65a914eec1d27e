"""Numbers in a text with the precision at which they are stated: 1.2億円, ▲5, 12.3%, 1.5e6."""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

_SIZES = {
    "兆": 12,
    "千億": 11,
    "百億": 10,
    "十億": 9,
    "億": 8,
    "千万": 7,
    "百万": 6,
    "十万": 5,
    "万": 4,
    "千": 3,
    "百": 2,
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "mn": 6,
    "bn": 9,
    "k": 3,
    "m": 6,
    "b": 9,
    "t": 12,
}
_JA_SIZE = "|".join(size for size in _SIZES if not size.isascii()) + r"(?![葉代歳])"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?![\d])|\d+)"
_PLAIN = rf"(?:{_DIGITS}(?:\.\d+)?|(?<![\w.])\.\d+)"
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_AMOUNT = re.compile(
    rf"""
    (?P<sign>[-+](?=[¥$€£.\d])|[▲△][ ]?|マイナス[ ]?|プラス[ ]?|\bminus[ ]|\bplus[ ])?
    [¥$€£]?(?P<inner>(?<=[¥$€£])[-▲△])?
    (?:
      (?P<compound>{_PLAIN}[ ]?(?:{_JA_SIZE})(?:{_PLAIN}[ ]?(?:{_JA_SIZE}))*(?:{_DIGITS}(?![.\d]))?)
      | (?P<plain>{_PLAIN})
        (?:[eE](?P<exponent>[-+]?\d{{1,3}})(?![\w.])
          | [ ]?[×x*][ ]?10
            (?:\^\{{?\(?(?P<power>-?\d{{1,3}})\)?\}}?|(?P<super>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,4}}))
          | (?:[ ]?(?P<word>(?i:thousand|million|billion|trillion|mn|bn))|(?P<letter>[kKMBT]))
            (?![A-Za-z])
        )?
    )
    (?:[ ]?(?P<percent>%|パーセント|(?i:percent\b|per[ ]cent\b|pct\b))
      | (?P<tenths>割)(?:(?P<hundredths>\d)分)?
      | [ ]?(?P<points>ポイント|(?i:percentage[ ]points?|points?|ppt?|pts?)\b))?
    """,
    re.VERBOSE | re.ASCII,
)
_PART = re.compile(rf"({_PLAIN}) ?({_JA_SIZE})?", re.ASCII)
_FRACTION = re.compile(
    r"(?<![\d.,/])(?:(?P<below>\d{1,3})分の(?P<above>\d{1,3})"
    r"|(?P<above_slash>\d{1,6})/(?P<below_slash>\d{1,6}))(?![\d/]|[.,]\d)",
    re.ASCII,
)
_ROUGHLY_BEFORE = re.compile(
    r"(?:約|およそ|おおよそ|おおむね|概ね|ほぼ|ざっと|[~〜≈≒]"
    r"|\b(?:about|around|roughly|approximately|approx\.?|nearly|almost))[ ]?[¥$€£]?$",
    re.IGNORECASE,
)
_ROUGHLY_AFTER = re.compile(r"[円人件個%]{0,2}(?:ほど|程度|前後|弱|強|余り|あまり|台)")


class Amount(NamedTuple):
    value: Fraction
    """Of 12.3% it is 12.3."""
    step: Fraction
    """What one more in the last stated digit would add."""
    is_percent: bool = False
    is_share: bool = False
    """Stated as 1/3 or 3割, of something that may be known in percent or as a ratio."""
    sign: int = 0
    """-1 or 1 where one is written."""
    is_rough: bool = False
    """約, about: zeros at the end may be rounded ones."""
    is_spelled: bool = False
    """三店舗, three stores."""


class Found(NamedTuple):
    start: int
    end: int
    readings: tuple[Amount, ...]


def narrowed(text: str) -> str:
    """Digits and signs of any width as ASCII; invisible characters and Markdown's escapes gone."""
    text = re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", text)
    return text if text.isascii() else "".join(map(_narrow, text))


_NARROW = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys("−‐‑–﹣－", "-")
    | dict.fromkeys("\u3000\xa0\u2009\u202f", " ")
    | {"￥": "¥"}
)


def _narrow(character: str) -> str:
    if character < "\x7f":
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    return "" if unicodedata.category(character) == "Cf" else character.translate(_NARROW)


def find_amounts(text: str) -> Iterator[Found]:
    """In a narrowed text; what else a date could be is for others to say."""
    for match in _FRACTION.finditer(text):
        if readings := tuple(_fraction(match)):
            yield Found(match.start(), match.end(), readings)
    for match in _AMOUNT.finditer(text):
        sign, is_sure = _sign(match, text)
        amount = _amount(match, text)
        start = match.start() if sign else match.start() + len(match["sign"] or "")
        readings = [amount._replace(sign=sign)] + ([] if is_sure else [amount])
        yield Found(start, match.end(), tuple(readings))


def _sign(match: re.Match[str], text: str) -> tuple[int, bool]:
    """-1, 0 or 1, and whether that is sure: 売上-5% may be a minus, 10-20 and A-5 are none."""
    written = (match["inner"] or match["sign"] or "").strip()
    if not written:
        return 0, True
    before = text[match.start() - 1 : match.start()] if match.start() else ""
    if written in ("-", "+") and not match["inner"]:
        if before.isascii() and (before.isalnum() or before in (")", "%", "_")) and before:
            return 0, True
        return (1 if written == "+" else -1), not before.isalnum()
    return (1 if written in ("プラス", "plus") else -1), True


def _amount(match: re.Match[str], text: str) -> Amount:
    if match["compound"]:
        value, step = _compound(match["compound"])
    else:
        value, step = _decimal(match["plain"])
        power = (
            match["exponent"] or match["power"] or (match["super"] or "").translate(_SUPERSCRIPT)
        )
        size = (match["word"] or match["letter"] or "").lower()
        exponent = _SIZES[size] if size else int(power) if power.strip("-+") else 0
        scale = Fraction(10) ** exponent
        value, step = value * scale, step * scale
    if match["tenths"]:
        value, step = value * 10, step * 10
        if match["hundredths"]:
            value, step = value + int(match["hundredths"]), Fraction(1)
    is_rough = bool(
        _ROUGHLY_BEFORE.search(text[max(0, match.start() - 16) : match.start()])
        or _ROUGHLY_AFTER.match(text, match.end())
    )
    return Amount(
        value,
        step,
        is_percent=bool(match["percent"] or match["tenths"] or match["points"]),
        is_share=bool(match["tenths"]),
        is_rough=is_rough,
    )


def _decimal(text: str) -> tuple[Fraction, Fraction]:
    digits = text.replace(",", "")
    decimals = len(digits.partition(".")[2])
    return Fraction(Decimal(digits)), Fraction(1, 10**decimals)


def _compound(text: str) -> tuple[Fraction, Fraction]:
    """123万4,567 is stated to the last one, 3万5千 to a thousand."""
    total, step = Fraction(0), Fraction(1)
    for digits, size in _PART.findall(text):
        value, unit = _decimal(digits)
        scale = Fraction(10) ** _SIZES.get(size, 0)
        total, step = total + value * scale, unit * scale
    return total, step


def _fraction(match: re.Match[str]) -> Iterator[Amount]:
    above = int(match["above"] or match["above_slash"])
    below = int(match["below"] or match["below_slash"])
    if below:
        value = Fraction(above * 100, below)
        yield Amount(Fraction(round(value)), Fraction(1), is_percent=True, is_share=True)
