"""Numbers as they are written: 十二, １２, 1.5億, 壱百萬, forty-five, 1.5 million.

And numbers of items (1, iv, c, ③, 参, 甲, イ …), by the names that Word gives them, and read again.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_ROUND.split(), start=2)
}
_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0}
_FORMAL = str.maketrans("壱壹弐貳参參肆伍拾佰陌阡仟萬", "一一二二三三四五十百百千千万")
"""As amounts are written where nobody shall alter them: 金壱百萬円."""
_SMALL_UNITS = {"十": 10, "百": 100, "千": 1_000}
_ADDED = {word: Fraction(value) for word, value in _WORDS.items()} | {"half": Fraction(1, 2)}
_TIMES = {"hundred": 100, "dozen": 12}
_LARGE_UNITS = {
    "万": 10**4, "億": 10**8, "兆": 10**12, "thousand": 10**3, "million": 10**6, "billion": 10**9,
    "trillion": 10**12, "mn": 10**6, "bn": 10**9, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12,
}  # fmt: skip

# ---- As patterns -----------------------------------------------------------------------------

DIGIT = "[0-9０-９]"
KANJI_DIGITS = "一二三四五六七八九"
KANJI = f"〇{KANJI_DIGITS}十百千"
KANJI_LARGE = f"{KANJI}万億兆"
FORMAL = "壱壹弐貳参參肆伍拾佰阡仟萬"
NUMERAL = rf"(?:[{KANJI}]+|[0-9０-９]+)"
"""A whole number in kanji or digits."""
SMALL = f"(?:[0-9]{{1,2}}|[{KANJI_DIGITS}十]{{1,3}})"
"""Of a calendar or a clock."""
DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
PLAIN = rf"(?:{DIGITS}(?:\.[0-9]+)?)"
# 千葉, 千代田 and 千歳 are places.
SIZE = "(?:[十百千]?[万億兆]|[百千])(?![葉代歳])"
COMPOUND = (
    rf"(?:{PLAIN}[ ]?{SIZE}(?:{PLAIN}[ ]?{SIZE})*(?:{DIGITS}(?![.0-9])|[{KANJI_LARGE}]{{1,12}})?)"
)
"""1億2,000万, 3万5千, 1億二千万."""
WORD = f"(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
SCALE_WORD = "(?:thousand|million|billion|trillion)"
_ANY_WORD = f"(?:{WORD[3:-1]}|hundred|dozen|{SCALE_WORD[3:-1]})"
_HALF = f"(?<!and )(?<!and a )half (?:an? )?(?=hundred|dozen|{SCALE_WORD[3:-1]})"
WORDS = rf"(?:(?:{_HALF})?{_ANY_WORD}(?:[ -](?:and )?{_ANY_WORD})*)"
"""Two hundred and forty-five thousand; case is the caller's."""

_PARTS = re.compile(
    r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+|[〇零一二三四五六七八九]|[十百千]|[万億兆]|[a-z]+"
)
_HALF_OF = re.compile(r"\bhalf an? ")
_NOTHING_BEFORE = re.compile("(?:^|[万億兆])[〇零]*[万億兆]")  # 万一
LONGEST = 300
"""No number that anybody means is longer."""


class Reading(NamedTuple):
    value: Fraction
    step: Fraction
    """What one more in the last digit that is written would add: of 1.2億 ten millions."""


def narrow(text: str) -> str:
    """Full-width figures and letters as half-width ones: what figures are found in."""
    return unicodedata.normalize("NFKC", text)


def number_of(text: str) -> int | None:
    """What `十二`, `１２`, `二〇`, `⑫`, `⑴` count; None where it is no whole number."""
    read = reading(narrow(text).strip("()"))
    return int(read.value) if read is not None and read.value.denominator == 1 else None


def amount_of(text: str) -> Fraction | None:
    """What `1,200`, `1.5億`, `120万`, `一億二千万`, `壱百萬`, `forty-five` amount to."""
    read = reading(narrow(text).translate(_FORMAL))
    return None if read is None else read.value


@lru_cache(maxsize=4096)
def reading(text: str) -> Reading | None:
    """Of a numeral in narrow form: `千二百三万四十`, `1億2,000万`, `1.5 million`, `thirty-five`."""
    text = _HALF_OF.sub("half ", text.replace(",", "").casefold())
    parts = _PARTS.findall(text[:LONGEST])
    if not parts or sum(map(len, parts)) != len(re.sub("[ -]", "", text)):
        return None
    total = Fraction(0)
    below: Fraction | None = None
    step = Fraction(1)
    pending: Fraction | None = None
    least = 10**16
    for before, part in zip(("", *parts), parts, strict=False):
        if (part[0] in ".0123456789" and before[-1:].isdigit()) or (
            len(part) < 3 and part.isascii() and part.isalpha() and pending is None
        ):
            return None  # 1.2.3, m
        if part in _SMALL_UNITS:
            step = _SMALL_UNITS[part] * (Fraction(1) if pending is None else step)
            counted = (1 if pending is None else pending) * _SMALL_UNITS[part]
            below = counted + Fraction(below or 0)
            pending = None
        elif part in _LARGE_UNITS:
            if _LARGE_UNITS[part] >= least:
                return None  # 1万2億
            least = _LARGE_UNITS[part]
            above = _sum(below, pending)
            step = _LARGE_UNITS[part] * (Fraction(1) if above is None else step)
            total += (1 if above is None else above) * _LARGE_UNITS[part]
            below = pending = None
        elif part in _DIGITS:
            pending, step = (pending or 0) * 10 + Fraction(_DIGITS[part]), Fraction(1)
        elif part in _ADDED:
            step = Fraction(1, 2) if part == "half" else Fraction(1)
            below = (_sum(below, pending) or 0) + _ADDED[part]
            pending = None
        elif part in _TIMES:
            above = _sum(below, pending)
            below = (Fraction(1) if above is None else above) * _TIMES[part]
            step, pending = step * _TIMES[part], None
        elif part[0].isalpha():
            if part != "and" or not before:
                return None
        else:
            pending, step = Fraction(part), Fraction(1, 10 ** len(part.partition(".")[2]))
    return Reading(total + (_sum(below, pending) or 0), step)


def _sum(below: Fraction | None, pending: Fraction | None) -> Fraction | None:
    return pending if below is None else below + (pending or 0)


# ---- Found in a text -------------------------------------------------------------------------


class Numeral(NamedTuple):
    start: int
    end: int
    value: Fraction
    step: Fraction
    writing: Literal["digits", "kanji", "words"]


_NUMERALS = re.compile(
    rf"(?P<digits>{COMPOUND}"
    rf"|(?:{PLAIN}|(?<![\w.])\.[0-9]+)(?:[ ]?(?:{SCALE_WORD}|mn|bn)\b|(?:k|(?-i:[MBT]))(?![a-z]))?)"
    rf"|(?P<kanji>[零{KANJI_LARGE}]+)|\b(?P<words>{WORDS})(?:\b|(?=fold\b))",
    re.IGNORECASE | re.ASCII,
)


_PIECE = re.compile(rf"{PLAIN}(?:[ ]?{SIZE})?|[{KANJI_LARGE}]+")


def numerals(text: str) -> Iterator[Numeral]:
    """Every numeral of a text in narrow form, whatever it counts."""
    for found in _NUMERALS.finditer(text):
        if found["kanji"] and _NOTHING_BEFORE.search(found["kanji"]):
            continue
        writing = "digits" if found["digits"] else "kanji" if found["kanji"] else "words"
        # Of one that is too long, the beginning: that, too, is no number of anybody.
        read = reading(found[0][:LONGEST])
        if read is not None:
            yield Numeral(found.start(), found.end(), *read, writing)
        else:  # 1万2億: two numbers
            for piece in _PIECE.finditer(found[0]):
                if read := reading(piece[0][:LONGEST]):
                    start, end = piece.span()
                    yield Numeral(found.start() + start, found.start() + end, *read, writing)


_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_IDEOGRAPHS = f"〇{KANJI_DIGITS}"
_LEGAL_DIGITS = "零壱弐参四五六七八九"
_AIUEO = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)
_AIUEO_HALF = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_IROHA = (
    "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
)
_IROHA_HALF = "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽ"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_GANADA = "가나다라마바사아자차카타파하"
_CIRCLED_IDEOGRAPHS = "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
# Beyond ム no law counts: ウ is the third of アイウ.
_MOST_ITEMS = 23
_ROMAN_NUMBER = re.compile(r"m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")


def roman_number(text: str) -> int | None:
    """What `iv` or `XII` counts."""
    narrow = unicodedata.normalize("NFKC", text).casefold()
    if not narrow or not _ROMAN_NUMBER.fullmatch(narrow):
        return None
    values = dict((letters, value) for value, letters in _ROMAN)
    return sum(values[part] for part in re.findall("cm|cd|xc|xl|ix|iv|[mdclxvi]", narrow))


def letter_number(text: str) -> int | None:
    """`b` is 2; `ロ` is 2 in the order of イロハ, `ウ` is 3 in the order of アイウ."""
    letter = unicodedata.normalize("NFKC", text)
    if len(letter) != 1:
        return None
    if letter.isascii() and letter.isalpha():
        return ord(letter.casefold()) - ord("a") + 1
    # イ and カ stand in both orders; laws use the first, so it is tried first.
    for order in (_IROHA[:_MOST_ITEMS], _AIUEO):
        if letter in order:
            return order.index(letter) + 1
    return None


def numeral(number: int, style: str) -> str:
    """A style that is not known, or that can't say this number, gives plain digits."""
    if style in ("none", "bullet"):
        return ""
    if number < 0 or number > 999_999:
        return str(number)
    return _STYLES.get(style, str)(number) or str(number)


def circled(number: int) -> str:
    for first, last, start in ((1, 20, 0x2460), (21, 35, 0x3251), (36, 50, 0x32B1)):
        if first <= number <= last:
            return chr(start + number - first)
    return "⓪" if number == 0 else ""


def _roman(number: int) -> str:
    if number > 9999:
        return ""
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def _letters(number: int) -> str:
    """a … z, then aa, bb … as Word counts."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1) if 0 < number < 999 else ""


def _cycle(signs: str) -> Callable[[int], str]:
    return lambda number: signs[(number - 1) % len(signs)] if number else ""


def _once(signs: str) -> Callable[[int], str]:
    return lambda number: signs[number - 1] if 0 < number <= len(signs) else ""


def _run(start: int, count: int) -> Callable[[int], str]:
    return lambda number: chr(start + number - 1) if 0 < number <= count else ""


def _positional(number: int) -> str:
    return "".join(_IDEOGRAPHS[int(digit)] for digit in str(number))


def _counted(
    digits: str, units: str, ten_thousand: str, *, leading_one: bool
) -> Callable[[int], str]:
    def below_ten_thousand(number: int) -> str:
        text = ""
        for place in (3, 2, 1, 0):
            digit = number // 10**place % 10
            if not digit:
                continue
            unit = units[place - 1] if place else ""
            text += unit if unit and digit == 1 and not leading_one else digits[digit] + unit
        return text

    def counted(number: int) -> str:
        if number == 0:
            return digits[0]
        high, low = divmod(number, 10_000)
        text = below_ten_thousand(high) + ten_thousand if high else ""
        return text + below_ten_thousand(low)

    return counted


def _ordinal(number: int) -> str:
    ending = (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{ending}"


_counting = _counted(_IDEOGRAPHS, "十百千", "万", leading_one=False)

_STYLES: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02}",
    "decimalHalfWidth": str,
    "decimalFullWidth": lambda number: str(number).translate(_FULL_WIDTH),
    "decimalFullWidth2": lambda number: str(number).translate(_FULL_WIDTH),
    "decimalEnclosedCircle": circled,
    "decimalEnclosedCircleChinese": circled,
    "decimalEnclosedParen": _run(0x2474, 20),
    "decimalEnclosedFullstop": _run(0x2488, 20),
    "numberInDash": lambda number: f"- {number} -",
    "hex": lambda number: f"{number:X}",
    "ordinal": _ordinal,
    "upperRoman": lambda number: _roman(number).upper(),
    "lowerRoman": _roman,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerLetter": _letters,
    "aiueo": _cycle(_AIUEO_HALF),
    "aiueoFullWidth": _cycle(_AIUEO),
    "iroha": _cycle(_IROHA_HALF),
    "irohaFullWidth": _cycle(_IROHA),
    "ideographDigital": _positional,
    "japaneseDigitalTenThousand": _positional,
    "taiwaneseDigital": _positional,
    "japaneseCounting": _counting,
    "chineseCounting": _counting,
    "chineseCountingThousand": _counting,
    "taiwaneseCounting": _counting,
    "taiwaneseCountingThousand": _counting,
    "japaneseLegal": _counted(_LEGAL_DIGITS, "拾百阡", "萬", leading_one=True),
    "ideographTraditional": _cycle(_STEMS),
    "ideographZodiac": _cycle(_BRANCHES),
    "ideographZodiacTraditional": lambda number: (
        _STEMS[(number - 1) % 10] + _BRANCHES[(number - 1) % 12] if number else ""
    ),
    "ideographEnclosedCircle": _once(_CIRCLED_IDEOGRAPHS),
    "ganada": _cycle(_GANADA),
}
