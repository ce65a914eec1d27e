"""Numbers as Japanese laws write them: 三十八, ２, ②."""

_DIGITS = "〇一二三四五六七八九"
_UNITS = {"十": 10, "百": 100, "千": 1000}
KANJI = _DIGITS + "".join(_UNITS)
_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
_MOST_CIRCLED = 20


def from_kanji(text: str) -> int:
    total = pending = 0
    for character in text:
        if character in _UNITS:
            total += max(pending, 1) * _UNITS[character]
            pending = 0
        else:
            pending = pending * 10 + _DIGITS.index(character)
    return total + pending


def to_kanji(number: int) -> str:
    written = ""
    for unit, value in (("千", 1000), ("百", 100), ("十", 10)):
        count, number = divmod(number, value)
        if count:
            written += ("" if count == 1 else _DIGITS[count]) + unit
    return written + (_DIGITS[number] if number else "")


def to_wide(number: int) -> str:
    return str(number).translate(_WIDE)


def to_circled(number: int) -> str:
    return chr(ord("①") + number - 1) if number <= _MOST_CIRCLED else f"（{to_wide(number)}）"
