"""How much: numbers in a question, with their units, and what is said of them (以上, over …)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.agents.analysis.spec.filters import CompareOp
from sanbo.language.cells import parse_number

_DIGITS = r"\d[\d,]{0,30}+(?:\.\d{1,20}+)?+"
_SIZE = "兆|千億|百億|億|千万|百万|万|千"
_ENGLISH_SIZE = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
}
_UNIT = (
    r"円|ドル|%|パーセント|歳|才|個|件|人|名|点|時間|分間?|日間?|年間?|か月|kg|km|cm|"
    r"mm|m2|平米|平方メートル|回|本|枚|台|度|yen|jpy|dollars?|usd|hours?|minutes?|"
    r"mins?|days?|years?(?: old)?|percent|points?|units?|items?|people"
)
_AFTER: dict[str, CompareOp] = {
    "以上": ">=",
    "以下": "<=",
    "未満": "<",
    "超": ">",
    "を超え": ">",
    "を超える": ">",
    "を上回": ">",
    "より多": ">",
    "より大き": ">",
    "より高": ">",
    "より長": ">",
    "以内": "<=",
    "を下回": "<",
    "より少な": "<",
    "より小さ": "<",
    "より低": "<",
    "より安": "<",
    "より短": "<",
    "より上": ">",
    "より下": "<",
    "or more": ">=",
    "or less": "<=",
    "or over": ">=",
    "or above": ">=",
    "or under": "<=",
    "or higher": ">=",
    "or lower": "<=",
    "or older": ">=",
    "or younger": "<=",
    "or fewer": "<=",
    "and above": ">=",
    "and over": ">=",
    "and older": ">=",
    "and up": ">=",
    "+": ">=",
}
_BEFORE: dict[str, CompareOp] = {
    "over": ">",
    "above": ">",
    "more than": ">",
    "greater than": ">",
    "higher than": ">",
    "larger than": ">",
    "bigger than": ">",
    "longer than": ">",
    "older than": ">",
    "exceeding": ">",
    "exceeds": ">",
    "exceed": ">",
    "exceeded": ">",
    "at least": ">=",
    "no less than": ">=",
    "not less than": ">=",
    "minimum of": ">=",
    "from": ">=",
    "at most": "<=",
    "no more than": "<=",
    "not more than": "<=",
    "up to": "<=",
    "maximum of": "<=",
    "under": "<",
    "below": "<",
    "less than": "<",
    "lower than": "<",
    "smaller than": "<",
    "fewer than": "<",
    "shorter than": "<",
    "younger than": "<",
    "cheaper than": "<",
    ">=": ">=",
    "<=": "<=",
    ">": ">",
    "<": "<",
    "≥": ">=",
    "≦": "<=",
    "≧": ">=",
    "≤": "<=",
    "=": "==",
    "equal to": "==",
    "equals": "==",
    "exactly": "==",
}


def _amount(number: int | str = "") -> str:
    """Its groups have this number in their names; 千億 is not read again as 千 and 億."""
    return (
        rf"(?P<minus{number}>[-−▲])?(?P<before{number}>[¥$€£])?"
        rf"(?P<number{number}>{_DIGITS}(?:(?:{_SIZE})(?:\d[\d,]{{0,30}}+)?+){{0,8}}+)"
        rf"(?:\s?(?P<size{number}>k|thousand|mn?|million|bn?|billion)(?![a-z]))?"
        rf"\s?(?P<unit{number}>{_UNIT})?"
    )


def _either(options: dict[str, CompareOp]) -> str:
    return "|".join(re.escape(one) for one in sorted(options, key=len, reverse=True))


_AFTERWARDS = re.compile(r"(?<!\d)" + _amount() + rf"\s?(?P<op>{_either(_AFTER)})")
_BEFOREHAND = re.compile(rf"(?<![a-z])(?P<op>{_either(_BEFORE)})\s?" + _amount())
_EQUALS = re.compile(r"(?<=[がはも■])" + _amount() + r"(?=の(?!間)|で|だ|と)")
_BETWEEN = re.compile(
    rf"(?<!\d){_amount(1)}(?:以上)?(?:から|〜|-|~|"
    rf"、)\s?{_amount(2)}(?P<end>まで|以下|未満|の間|台)?"
    rf"|between\s{_amount(3)}\s(?:and|to|-)\s{_amount(4)}"
    rf"|from\s{_amount(5)}\sto\s{_amount(6)}"
)
_DECADE = re.compile(r"(?P<n>[1-9]0)代(?!別)|(?<![a-z])(?:in (?:their|his|her) )(?P<e>[1-9]0)s")


_FROM_ROUND = re.compile(r"(?<![\d,.])" + _amount() + r"(?<=[円歳才点%分度ルト間g])台(?!数|帳)")


def _last_place(number: int) -> int:
    """80点台 ends before 90, 300円台 before 400."""
    step = 1
    while number % (step * 10) == 0:
        step *= 10
    return step


@dataclass(frozen=True, slots=True)
class Amount:
    value: int | float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """A number and how rows are compared with it; the column is found around it."""

    start: int
    end: int
    op: CompareOp
    amount: Amount


def bounds(text: str) -> Iterator[Bound]:
    """In the order of the text; a stretch gives two at the same place."""
    taken: list[tuple[int, int]] = []
    for found in _DECADE.finditer(text):
        low = int(found["n"] or found["e"])
        taken.append(found.span())
        yield Bound(*found.span(), ">=", Amount(low, "歳"))
        yield Bound(*found.span(), "<", Amount(low + 10, "歳"))
    for found in _FROM_ROUND.finditer(text):
        amount = _read(found, "")
        if amount and amount.value > 0 and amount.value == int(amount.value):
            taken.append(found.span())
            yield Bound(*found.span(), ">=", amount)
            step = _last_place(int(amount.value))
            yield Bound(*found.span(), "<", Amount(amount.value + step, amount.unit))
    for found in _BETWEEN.finditer(text):
        pair = _pair(found)
        if pair is None or _overlaps(found, taken):
            continue
        taken.append(found.span())
        low, high = pair
        yield Bound(*found.span(), ">=", low)
        yield Bound(*found.span(), "<" if found["end"] == "未満" else "<=", high)
    for expression, ops in ((_AFTERWARDS, _AFTER), (_BEFOREHAND, _BEFORE), (_EQUALS, None)):
        for found in expression.finditer(text):
            amount = _read(found, "")
            if amount is None or _overlaps(found, taken):
                continue
            taken.append(found.span())
            yield Bound(*found.span(), ops[found["op"]] if ops else "==", amount)


def _overlaps(found: re.Match[str], taken: list[tuple[int, int]]) -> bool:
    return any(found.start() < end and start < found.end() for start, end in taken)


def _pair(found: re.Match[str]) -> tuple[Amount, Amount] | None:
    for one, other in (("1", "2"), ("3", "4"), ("5", "6")):
        if found[f"number{one}"]:
            low, high = _read(found, one), _read(found, other)
            if low is None or high is None:
                return None
            is_marked = (
                bool(found["end"]) or one != "1" or "から" in found.group() or "〜" in found.group()
            )
            if not is_marked or low.value > high.value:
                return None
            return Amount(low.value, low.unit or high.unit), high
    return None


def _read(found: re.Match[str], which: str) -> Amount | None:
    value = parse_number(found[f"number{which}"].rstrip(","))
    if value is None:
        return None
    if size := found[f"size{which}"]:
        value = value * _ENGLISH_SIZE[size]
        value = int(value) if value == int(value) else value
    if found[f"minus{which}"]:
        value = -value
    if not found[f"unit{which}"] and re.search(r"older|younger", found.group()):
        return Amount(value, "歳")
    unit = found[f"unit{which}"] or {"¥": "円", "$": "ドル"}.get(found[f"before{which}"] or "", "")
    return Amount(value, _UNITS.get(unit, unit))


_UNITS = {
    "yen": "円",
    "jpy": "円",
    "dollar": "ドル",
    "dollars": "ドル",
    "usd": "ドル",
    "パーセント": "%",
    "percent": "%",
    "才": "歳",
    "year old": "歳",
    "years old": "歳",
    "名": "人",
    "people": "人",
    "分間": "分",
    "minute": "分",
    "minutes": "分",
    "min": "分",
    "mins": "分",
    "hour": "時間",
    "hours": "時間",
    "日間": "日",
    "day": "日",
    "days": "日",
    "year": "年",
    "years": "年",
    "年間": "年",
    "平米": "m2",
    "平方メートル": "m2",
    "point": "点",
    "points": "点",
}
