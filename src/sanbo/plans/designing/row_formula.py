"""What an instruction computes of each row: 単価×数量, subtract cost from price."""

import re
from typing import NamedTuple

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.plans.designing.vocabulary import plain

_SIGNS = {"×": "*", "*": "*", "x": "*", "÷": "/", "/": "/", "+": "+", "-": "-", "−": "-"}
_WORDS: tuple[tuple[str, str, bool], ...] = (
    # The pattern between and behind two operands, the sign, and whether they change places.
    (r"{a}\s?(?:に|と)、?\s?{b}\s?を?\s?(?:掛け|かけ|乗じ)", "*", False),
    (r"{a}\s?から、?\s?{b}\s?を?\s?(?:引|差し引)", "-", False),
    (r"{a}\s?を、?\s?{b}\s?で\s?(?:割|除)", "/", False),
    (r"{a}\s?(?:に|と)、?\s?{b}\s?を?\s?(?:足|加え|たし)", "+", False),
    (r"{a}\s?と、?\s?{b}\s?の差", "-", False),
    (r"{a}\s?と、?\s?{b}\s?の(?:合計|和)", "+", False),
    (r"{a}\s?と、?\s?{b}\s?の積", "*", False),
    (r"multipl[a-z]{{1,6}} (?:the )?{a} (?:by|with|and) (?:the )?{b}", "*", False),
    (r"(?:product of )(?:the )?{a} and (?:the )?{b}", "*", False),
    (r"{a} (?:times|multiplied by) (?:the )?{b}", "*", False),
    (r"subtract[a-z]{{0,3}} (?:the )?{a} from (?:the )?{b}", "-", True),
    (r"{a} (?:minus|less) (?:the )?{b}", "-", False),
    (r"divid[a-z]{{1,3}} (?:the )?{a} by (?:the )?{b}", "/", False),
    (r"{a} divided by (?:the )?{b}", "/", False),
    (r"add[a-z]{{0,3}} (?:the )?{a} (?:to|and) (?:the )?{b}", "+", False),
    (r"{a} plus (?:the )?{b}", "+", False),
)
_NUMBER = r"\d{1,12}(?:\.\d{1,6})?%?"
_NAMES = (
    re.compile(r"「([^「」]{1,30})」"),
    re.compile(r"[\"“]([^\"“”]{1,30})[\"”]"),
    re.compile(
        r"([^\s、。をはがにとで×*+\-÷/()（）「」]{1,20})(?:とし|とする|という列|の列|列)(?:を|"
        r"に|で|"
        r"計算|追加|加え)?"
    ),
    re.compile(
        r"(?:as|called|named|column|into) (?:a |an |the )?(?:new )?(?:column )?(?:called |"
        r"named )?([a-z_][a-z_ ]{0,30}?)(?:$|,| column| for| of| in| and|\()"
    ),
    re.compile(
        r"([^\s、。をはがにとで×*+\-÷/()（）「」]{1,20})(?:を|は)(?:計算|算出|求め|出し|"
        r"[(（]?[^\s]{1,20}[×*+\-÷/])"
    ),
    re.compile(
        r"(?:calculate|compute|add|find) (?:the |a |an )?(?:new )?([a-z_][a-z_ ]{0,30}?)(?: as|"
        r" by| =| \(|:| from| for| of|$)"
    ),
    re.compile(r"([^\s、。をはがにとで×*+\-÷/()（）「」]{1,20})\s?[=(（:：]"),
)


class RowFormula(NamedTuple):
    name: str
    expression: str


def formula_in(text: str, profile: DatasetProfile) -> RowFormula | None:
    said = plain(text)
    names = {plain(one.name): one.name for one in profile.columns}
    operands = sorted(names, key=len, reverse=True)
    one = "(?:" + "|".join([*map(re.escape, operands), _NUMBER]) + ")"
    found = _raised(said, one) or _signed(said, one) or _worded(said, one)
    if found is None:
        return None
    span, parts = found
    expression = "".join(_operand(part, names) for part in parts)
    if not any(part in names for part in parts):
        return None
    rest = said[: span[0]] + " ( " + said[span[1] :]
    return RowFormula(_name(rest, parts), expression)


_RAISED = (
    r"{a}\s?に(?:消費税|税)?(?:率)?の?\s?(?P<p>\d{{1,2}})%\s?の?(?:消費税|税)?を?\s?(?:加え|足|上乗せ|かけ)",
    r"{a} (?:plus|with|including) (?P<p>\d{{1,2}})% (?:tax|vat)",
    r"(?:add|adding) (?P<p>\d{{1,2}})% (?:tax|vat|consumption tax|sales tax) to (?:the )?{a}",
)


def _raised(text: str, one: str) -> tuple[tuple[int, int], list[str]] | None:
    """With a tax: 税抜金額に消費税10%を加えた."""
    for raised in _RAISED:
        match = re.search(raised.format(a=f"(?P<a>{one})"), text)
        if match is not None:
            return match.span(), [match["a"], "*", str(1 + int(match["p"]) / 100)]
    return None


def _signed(text: str, one: str) -> tuple[tuple[int, int], list[str]] | None:
    signs = "[" + re.escape("".join(_SIGNS)) + "]"
    match = re.search(rf"{one}(?:\s?{signs}\s?{one}){{1,4}}", text)
    if match is None:
        return None
    pieces = re.findall(rf"{one}|{signs}", match[0])
    return match.span(), [_SIGNS.get(str(piece), str(piece)) for piece in pieces]


def _worded(text: str, one: str) -> tuple[tuple[int, int], list[str]] | None:
    for pattern, sign, is_turned in _WORDS:
        match = re.search(pattern.format(a=f"(?P<a>{one})", b=f"(?P<b>{one})"), text)
        if match is not None:
            left, right = (match["b"], match["a"]) if is_turned else (match["a"], match["b"])
            return match.span(), [left, sign, right]
    return None


def _operand(part: str, names: dict[str, str]) -> str:
    if part in "+-*/":
        return f" {part} "
    if part in names:
        name = names[part]
        return name if re.fullmatch(r"[^\W\d]\w*", name) else f'row["{name}"]'
    if part.endswith("%"):
        return str(float(part[:-1]) / 100)
    return part


def _name(rest: str, parts: list[str]) -> str:
    for pattern in _NAMES:
        for match in pattern.finditer(rest):
            name = match[1].strip().removeprefix("column ").removeprefix("new ")
            name = name.removesuffix(" column")
            if name and name not in parts and name not in ("新しい", "新", "それ", "結果", "値"):
                return name
    return "".join({"*": "×", "/": "÷"}.get(part, part) for part in parts)
