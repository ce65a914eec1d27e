"""Every number that a text states, with all the ways in which a reader may take it."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from sanbo.language.moments import Moment, Stated, find_moments
from sanbo.language.numerals import KANJI_DIGITS, KANJI_LARGE, Numeral, amount_of, numerals

_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_SIGN = re.compile(
    r"(?P<sign>[-+]|[▲△][ ]?|マイナス[ ]?|プラス[ ]?|\b(?:minus|plus)[ ])?"
    r"(?:[¥$€£](?P<inner>[-▲△])?)?$"
)
_SIGN_LENGTH = 8
_POWER = re.compile(
    r"[eE](?P<exponent>[-+]?\d{1,3})(?![\w.])"
    r"|[ ]?[×x*][ ]?10(?:\^\{?\(?(?P<power>-?\d{1,3})\)?\}?|(?P<super>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))",
    re.ASCII,
)
_PERCENT = re.compile(
    r"[ ]?(?:%|パーセント|(?i:percent\b|per[ ]cent\b|pct\b))"
    rf"|(?P<tenths>割)(?:(?P<hundredths>[\d{KANJI_DIGITS}])分)?"
    r"|[ ]?(?:ポイント|(?i:percentage[ ]points?|points?|ppt?|pts?)\b)",
    re.ASCII,
)
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

# ---- Numerals in words ----

_COUNTER = re.compile(
    "店舗|店|件|つ|個|社|名|人|か月|ヶ月|カ月|箇月|年間|年|月|日間|日|回|種類|種|地域|商品|品目|グループ|群"
    "|列|行|倍|位|番目|円|パーセント|割|拠点|部門|項目|区分|期|四半期|%"
)
_KANJI_BEFORE = re.compile("[一-鿿〇]$")
# After another character of a word (売上三億円) only where it can be nothing but an amount: names
# such as 四日市 and 第三四半期 are none.
_COUNTER_INSIDE = re.compile("円|割|倍|パーセント|%")
_PART_OF_WORD = re.compile(f"[第数何{KANJI_LARGE}]$")
_WORD_END = re.compile(
    r"[ ](?P<percent>percent|per cent|%)|(?P<fold>[ -]?fold|[ ]times)\b|\b(?=[ -][a-z]|[.,;]|$)",
    re.IGNORECASE,
)
_KANJI_FRACTION = re.compile(f"(?P<below>[{KANJI_DIGITS}十])分の(?P<above>[{KANJI_DIGITS}])")
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PART = re.compile(
    r"\b(?P<above>an?|one|two|three|four)[ -]"
    r"(?P<below>thirds?|quarters?|fifths?|tenths?)\b(?= of\b)"
    r"|\b(?P<two_thirds>two|three)[ -](?P<below2>thirds|quarters)\b",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"(?P<more>過半数|(?:半分|半数)(?:以上|超|を(?:超|上回)))|半分|半数|(?P<halved>半減)"
    r"|(?P<more_en>\b(?:more than|over|above) (?:a |one )?half\b|\bmajority of\b)"
    r"|(?<!first )(?<!second )(?<!other )(?<!latter )\b(?:half of|half the|by half)\b(?! year)"
    r"|(?P<halved_en>\bhalv(?:ed|es|ing)\b)",
    re.IGNORECASE,
)
_TIMES = {"倍": 2, "doubl": 2, "twice": 2, "twofold": 2, "tripl": 3, "threefold": 3, "quadrupl": 4}
_TIMES_WORD = re.compile(
    rf"(?:(?P<ja>倍)増|(?<![0-9{KANJI_DIGITS}十数何])(?P<ja2>倍)に(?:なり|増|達))"
    r"|\b(?P<times>doubl|tripl|quadrupl)(?:e[ds]?|ing)\b|\b(?P<word>twice|twofold|threefold)\b",
    re.IGNORECASE,
)
_ROUGH = Fraction(10)  # points of percent within which people say half
_ROUGH_PART = Fraction(4)


class Amount(NamedTuple):
    value: Fraction
    """Of 12.3% it is 12.3."""
    step: Fraction
    """What one more in the last stated digit would add."""
    is_percent: bool = False
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
    small = text.lower()
    for signs, pattern, read in _IN_WORDS:
        for match in pattern.finditer(text) if any(sign in small for sign in signs) else ():
            if readings := read(match):
                yield Found(match.start(), match.end(), readings)
    end = 0
    for numeral in numerals(text):
        if numeral.start < end:  # the power of 1.5e6
            continue
        read = {"digits": _digits, "kanji": _kanji, "words": _words}[numeral.writing]
        found = read(text, numeral)
        if found is not None:
            end = found.end
            yield found


def _digits(text: str, numeral: Numeral) -> Found:
    start, end, value, step, _ = numeral
    written = _SIGN.search(text, max(0, start - _SIGN_LENGTH), start)
    assert written is not None  # at least of nothing
    sign, is_sure = _sign(text, written)
    power = _POWER.match(text, end)
    if power is not None:
        exponent = power["exponent"] or power["power"] or power["super"].translate(_SUPERSCRIPT)
        scale = Fraction(10) ** int(exponent if exponent.strip("-") else 0)
        value, step, end = value * scale, step * scale, power.end()
    percent = _PERCENT.match(text, end)
    if percent is not None:
        value, step, end = *_tenths(percent, value, step), percent.end()
    before = written.start() if sign else written.start() + len(written["sign"] or "")
    is_rough = bool(
        _ROUGHLY_BEFORE.search(text, max(0, written.start() - 16), written.start())
        or _ROUGHLY_AFTER.match(text, end)
    )
    amount = Amount(value, step, is_percent=percent is not None, is_rough=is_rough)
    return Found(before, end, (amount._replace(sign=sign), *(() if is_sure else (amount,))))


def _sign(text: str, found: re.Match[str]) -> tuple[int, bool]:
    """-1, 0 or 1, and whether that is sure: 売上-5% may be a minus, 10-20 and A-5 are none."""
    written = (found["inner"] or found["sign"] or "").strip()
    if not written:
        return 0, True
    before = text[found.start() - 1 : found.start()] if found.start() else ""
    if written in ("-", "+") and not found["inner"]:
        if before.isascii() and (before.isalnum() or before in (")", "%", "_")) and before:
            return 0, True
        return (1 if written == "+" else -1), not before.isalnum()
    return (1 if written in ("プラス", "plus") else -1), True


def _tenths(percent: re.Match[str], value: Fraction, step: Fraction) -> tuple[Fraction, Fraction]:
    """3割 is 30 %, 3割2分 32 %."""
    if not percent["tenths"]:
        return value, step
    if percent["hundredths"]:
        return value * 10 + (amount_of(percent["hundredths"]) or 0), Fraction(1)
    return value * 10, step * 10


def _kanji(text: str, numeral: Numeral) -> Found | None:
    start, end, value, _, _ = numeral
    inside = _KANJI_BEFORE.search(text, max(0, start - 1), start) is not None
    by = (_COUNTER_INSIDE if inside else _COUNTER).match(text, end)
    if by is None or (inside and _PART_OF_WORD.search(text, max(0, start - 1), start)):
        return None
    percent = _PERCENT.match(text, end) if by[0] in ("割", "パーセント", "%") else None
    if percent is not None:
        value, step = _tenths(percent, value, Fraction(1))
        return Found(start, end, (Amount(value, step, is_percent=True),))
    if value <= 1:
        return None
    return Found(start, end, _times(value) if by[0] == "倍" else (_spelled(value),))


def _words(text: str, numeral: Numeral) -> Found | None:
    ending = _WORD_END.match(text, numeral.end)
    if ending is None:
        return None
    start, end, value = numeral.start, ending.end(), numeral.value
    if ending["percent"]:
        return Found(start, end, (Amount(value, Fraction(1), is_percent=True),))
    if value <= 1:
        return None
    return Found(start, end, _times(value) if ending["fold"] else (_spelled(value),))


def _spelled(value: Fraction) -> Amount:
    return Amount(value, Fraction(1), is_spelled=True)


def _slashed(match: re.Match[str]) -> tuple[Amount, ...]:
    above = int(match["above"] or match["above_slash"])
    below = int(match["below"] or match["below_slash"])
    if not below:
        return ()
    return (Amount(Fraction(round(Fraction(above * 100, below))), Fraction(1), is_percent=True),)


def _kanji_part(match: re.Match[str]) -> tuple[Amount, ...]:
    return _part(amount_of(match["above"]) or Fraction(0), amount_of(match["below"]) or 1)


def _english_part(match: re.Match[str]) -> tuple[Amount, ...]:
    above = (match["above"] or match["two_thirds"]).lower()
    below = (match["below"] or match["below2"]).lower().rstrip("s")
    return _part(Fraction(1) if above in ("a", "an") else amount_of(above), _PARTS[below])


def _part(above: Fraction | None, below: Fraction | int) -> tuple[Amount, ...]:
    return (Amount((above or 0) * Fraction(100) / below, _ROUGH_PART, is_percent=True),)


def _halves(match: re.Match[str]) -> tuple[Amount, ...]:
    if match["more"] or match["more_en"]:  # anything from one half to the whole
        return (Amount(Fraction(75), Fraction(50), is_percent=True),)
    half = Amount(Fraction(50), _ROUGH, is_percent=True)
    return (half, half._replace(sign=-1)) if match["halved"] or match["halved_en"] else (half,)


def _times(value: Fraction) -> tuple[Amount, ...]:
    """Known as a ratio of 2 or 200 %, or as a change of +100 %."""
    ratio = Amount(value, Fraction(1, 5))
    percents = (value * 100, (value - 1) * 100)
    return (ratio, *(Amount(each, Fraction(20), is_percent=True) for each in percents))


def _multiplied(match: re.Match[str]) -> tuple[Amount, ...]:
    word = next(part for part in match.groups() if part)
    return _times(Fraction(_TIMES[word.lower()]))


_IN_WORDS: tuple[
    tuple[tuple[str, ...], re.Pattern[str], Callable[[re.Match[str]], tuple[Amount, ...]]], ...
] = (
    (("分の", "/"), _FRACTION, _slashed),
    (("分の",), _KANJI_FRACTION, _kanji_part),
    (tuple(_PARTS), _PART, _english_part),
    (("半", "half", "halv", "majority"), _HALF, _halves),
    (tuple(_TIMES), _TIMES_WORD, _multiplied),
)
"""Each with signs, of which one is in every text that it fits."""


@dataclass(frozen=True)
class Mention:
    spelling: str
    amounts: tuple[Amount, ...] = ()
    moments: tuple[Moment, ...] = ()
    is_rank: bool = False
    """3位, 上位3件, the 2nd: a place among the rows that are listed."""
    bound: str = ""
    """`<` or `>` where a p-value is set against it: p < 0.05."""
    says_less: bool = False
    """Its sentence speaks of a decrease, so that a minus may be left out."""


# Headings and list items of Markdown may be numbered. Not more than two digits: an amount is no
# item's number.
_LIST_NUMBER = re.compile(
    r"^[\s>#*|-]{0,60}+\(?(\d{1,2})[.)](?!\d)(?=\s|\*|[^\x00-\x7f])", re.MULTILINE
)
_NAMES = re.compile(
    r"第[123]四分位|(?:chi-?|カイ|χ|R)\^?2(?:乗)?(?!\d)|[12]標本|(?:両|片)側|[12]-(?:sample|sided|tailed)"
)
_RANK_BEFORE = re.compile(
    r"(?:第|上位|下位|トップ|ワースト|ベスト|\b(?:top|bottom|rank|no\.?|#))[ の]?$", re.IGNORECASE
)
_RANK_AFTER = re.compile(r"[ ]?(?:位|番目|番手|st\b|nd\b|rd\b|th\b)")
_RANGE = re.compile(r"[ ]?(?:[〜~\-]|から|to)[ ]?", re.IGNORECASE)
_BOUND = re.compile(r"(?:p|p値|P|P値|p[- ]values?)(?:は|が| is)?[ ]?(?P<sign>[<>]|＜|＞)[ ]?$")
_SENTENCE = re.compile(r"[^。\n]*?(?:[。\n]|[.!?](?=\s)|$)")
_LESS = re.compile(
    r"減|低下|下回|下落|下が|落ち|縮小|悪化|マイナス|赤字|少な[いく]|負の|▲|逆相関"
    r"|decreas|declin|drop|fell|fall|down|lower|loss|less|negative|shr[iau]nk|below|reduc",
    re.IGNORECASE,
)


_MAY_STATE = re.compile("[0-9一二三四五六七八九十百千万億元半倍]|[a-z]{3}", re.IGNORECASE)


def mentions(text: str) -> list[Mention]:
    """In the order of the text."""
    text = narrowed(text)
    if not _MAY_STATE.search(text):
        return []
    # Blanked, not cut out: what stands around them must not grow together.
    text = _LIST_NUMBER.sub(lambda found: " " * len(found[0]), text)
    text = _NAMES.sub(lambda found: " " * len(found[0]), text)
    moments = find_moments(text)
    amounts = [
        found
        for found in _longest(find_amounts(text))
        if not any(one.start < found.end and found.start < one.end for one in moments)
    ]
    parts = sorted([*moments, *amounts], key=lambda one: one.start)
    less = [found.span() for found in _SENTENCE.finditer(text) if _LESS.search(found[0])]
    return [
        _mention(text, part, after, any(start <= part.start < end for start, end in less))
        for part, after in zip(parts, [*parts[1:], None], strict=False)
    ]


def _longest(found: Iterator[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _mention(text: str, part: Stated | Found, after: Stated | Found | None, less: bool) -> Mention:
    spelling = text[part.start : part.end].strip()
    if isinstance(part, Stated):
        only = part.moment.only
        is_spelled = re.search("[0-9元]", spelling) is None
        one = Amount(Fraction(only or 0), Fraction(1), is_spelled=is_spelled)
        amounts = () if only is None else (one,)
        if found := re.fullmatch(r"(\d{1,6})/(\d{1,6})", spelling):
            amounts = tuple(amount for one in find_amounts(found[0]) for amount in one.readings)
        return Mention(spelling, amounts, (part.moment,), says_less=less)
    before = text[max(0, part.start - 12) : part.start]
    bound = _BOUND.search(before)
    amounts, moments = list(part.readings), list[Moment]()
    if after is not None and _RANGE.fullmatch(text, part.end, after.start):
        _take_unit(text[after.start : after.end], spelling, after, amounts, moments)
    return Mention(
        spelling,
        tuple(amounts),
        tuple(moments),
        is_rank=bool(_RANK_BEFORE.search(before) or _RANK_AFTER.match(text, part.end)),
        bound={"＜": "<", "＞": ">"}.get(bound["sign"], bound["sign"]) if bound else "",
        says_less=less,
    )


def _take_unit(
    after: str, spelling: str, end: Stated | Found, amounts: list[Amount], moments: list[Moment]
) -> None:
    """In 4〜6月 and 10〜20% the first number has the second one's unit."""
    number = re.search(r"\d[\d,.]*", after)
    if number is None:
        return
    whole = after[: number.start()] + spelling + after[number.end() :]
    if isinstance(end, Stated):
        moments.extend(one.moment for one in find_moments(whole))
    else:
        amounts.extend(amount for one in _longest(find_amounts(whole)) for amount in one.readings)
