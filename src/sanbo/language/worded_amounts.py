"""Amounts that are said without a numeral, or with half of one: once, half an hour, over a week, a
grand, in their forties, ふたつ, 半時間."""

import re
from fractions import Fraction

from sanbo.language.figures import MONEY, UNITS, Figure
from sanbo.language.numerals import WORD, amount_of

_DECADES = ("twent", "thirt", "fort", "fift", "sixt", "sevent", "eight", "ninet")
_THINGS = ("ひと", "ふた", "みっ", "よっ")
_WORDS = {
    "once": 1,
    "more than once": 1,
    "twice": 2,
    "thrice": 3,
    **{f"{begun}つ": count for count, begun in enumerate(_THINGS, start=1)},
    **{f"{digit}度": count for count, digit in enumerate("一二三", start=1)},
    **{f"{begun}ies": 10 * tens for tens, begun in enumerate(_DECADES, start=2)},
}
_NOTES = {
    "grand": (1000, ""), "fiver": (5, ""), "tenner": (10, ""), "fortnight": (14, "日"),
}  # fmt: skip
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "three quarters": Fraction(3, 4)}
_NAMES = ("word", "word_only", "word_last", "word_ja")
_FEW = rf"an?|\d{{1,4}}(?:\.\d)?|{WORD}(?:-{WORD})?"
_TIME = "hour|day|week|month|year|minute"
_UNIT = "|".join(sorted((one for one in UNITS if one.isascii() and len(one) > 1), key=len)[::-1])
_FORMS = (
    re.compile(
        rf"\b(?P<word>more than once|twice(?! (?:as|the)\b)|thrice|(?:{'|'.join(_DECADES)})ies)\b"
        r"|(?:(?<=only )|(?<=just )|(?<=least )|(?<=exactly ))(?P<word_only>once)\b"
        r"|(?<!at )\b(?P<word_last>once)(?= only\b|[?.!]*$)"
        r"|(?P<word_ja>(?:(?:ひと|ふた|みっ|よっ)つ|[一二三]度)(?=しか|だけ|以上|のみ)"
        r"|(?:ふた|みっ|よっ)つ(?=の?合計|で(?:全|計|合)|$))"
    ),
    re.compile(rf"\b(?P<part>half|three quarters of|quarter of) an? (?P<unit>{_TIME})\b"),
    re.compile(r"(?P<part>半)(?P<unit>時間|年(?=以|未|超|を|く))"),
    re.compile(
        rf"(?<![\w,.-])(?P<count>{_FEW}) (?:and a half (?P<unit>{_TIME})s"
        rf"|(?P<unit_ahead>{_TIME}) and a half)\b"
    ),
    re.compile(
        rf"(?<![\w,.-])(?P<count>couple of|{_FEW}) (?P<note>{'|'.join(_NOTES)})s?\b(?! total)"
    ),
    # Over an hour, an hour or more; an hour alone is mostly one of many: jobs an hour.
    re.compile(
        r"\b(?:over|under|above|below|than|least|most|within|exceed(?:s|ed|ing)?|takes?|took) "
        rf"(?P<one>an? (?P<unit>{_UNIT}))\b"
    ),
    re.compile(rf"\b(?P<one>an? (?P<unit>{_UNIT})) or (?:more|less|longer|over|under|so)\b"),
)


def worded_amounts(text: str) -> list[Figure]:
    """Of a text in narrow form and small letters, in its order, disjoint."""
    found = [_figure(one) for form in _FORMS for one in form.finditer(text)]
    kept: list[Figure] = []
    for one in sorted(found, key=lambda figure: (figure.start, -figure.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _figure(found: re.Match[str]) -> Figure:
    told = {name: part for name, part in found.groupdict().items() if part}
    start, end = found.span("one") if "one" in told else found.span()
    word = next((told[name] for name in _NAMES if name in told), None)
    if word is not None:
        unit = "" if word.endswith(("ies", "つ")) else "回"
        return Figure(start, end, "count" if unit else "number", Fraction(_WORDS[word]), unit=unit)
    value = _count(told.get("count", "a"))
    unit = UNITS.get(told.get("unit") or told.get("unit_ahead", ""), "")
    if "part" in told:
        value = _PARTS[told["part"].removesuffix(" of").replace("半", "half")]
    elif "note" in told:
        size, unit = _NOTES[told["note"]]
        value *= size
    elif "count" in told:
        value += Fraction(1, 2)
    kind = "money" if unit in MONEY else "count" if unit else "number"
    return Figure(start, end, kind, value, unit=unit)


def _count(word: str) -> Fraction:
    if word in ("a", "an"):
        return Fraction(1)
    count = Fraction(2) if word == "couple of" else amount_of(word)
    assert count is not None, word
    return count
