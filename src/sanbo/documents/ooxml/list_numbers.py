"""How automatic numbers look: 1, iv, c, ③, 参, 甲, イ … by the names that Word gives them."""

from collections.abc import Callable

_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_DIGITS = "〇一二三四五六七八九"
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
    return "".join(_DIGITS[int(digit)] for digit in str(number))


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


_counting = _counted(_DIGITS, "十百千", "万", leading_one=False)

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
