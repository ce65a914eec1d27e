"""How a workbook shows a number: 0.125 as 12.5%, 12 as 0012.

Only formats that change what a person would write down are followed; separators of thousands,
colours and currencies leave the number as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from sanbo.documents.ooxml.xml import Element, local_name

_BUILT_IN = {9: "0%", 10: "0.00%"}
_MOST_DIGITS = 30  # as many as a spreadsheet lets a format ask for
_SHORTEST = 1e21  # from here on digits would be zeros mostly
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|[_*].|\[[^\[\]<>=]*\]')
_PERCENT = re.compile(r"[^#0?.%]*+[#0?,]*+(?:\.(?P<decimals>[#0?]+))?\s*+%[^#0?.%]*")
_MASK = re.compile(r"[0\-/() ]+")
# A spreadsheet rounds halves away from zero, and takes 28.499999999999996 for 28.5.
_HALVES_UP = 1 + 2**-50


@dataclass(frozen=True)
class Percentage:
    decimals: int
    """At most; zeros beyond `shown_always` are left out."""
    shown_always: int

    def show(self, number: float) -> str:
        text = f"{number * 100 * _HALVES_UP:.{self.decimals}f}"
        if text.startswith("-") and not text.strip("-0."):
            text = text[1:]
        if self.decimals > self.shown_always:
            whole, _, decimals = text.partition(".")
            decimals = decimals[: self.shown_always] + decimals[self.shown_always :].rstrip("0")
            text = f"{whole}.{decimals}".rstrip(".")
        return f"{text}%"


@dataclass(frozen=True)
class Padded:
    """Zeros in front, and what stands between digits: 0000, 000-0000."""

    mask: str
    """A NUL for each digit, as a literal may hold any character that is written."""

    def show(self, number: float) -> str:
        whole = int(abs(number) * _HALVES_UP + 0.5) if isinstance(number, float) else abs(number)
        sign = "-" if number < 0 and whole else ""
        width = self.mask.count("\0")
        digits = str(whole).zfill(width)
        more, rest = digits[: len(digits) - width], iter(digits[len(digits) - width :])
        filled = "".join(next(rest) if part == "\0" else part for part in self.mask)
        first = self.mask.index("\0")
        return sign + filled[:first] + more + filled[first:]


NumberFormat = Percentage | Padded


def number_format(code: str) -> NumberFormat | None:
    """None for a format that shows the number itself."""
    code = code[:1000]
    literals: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        literals.append(found[1] or found[2] or "")
        return "\0"

    section = _LITERAL.sub(put_aside, code).partition(";")[0]
    if "[" in section:  # one of several, by the size of the number
        return None
    bare = section.replace("\0", "").strip()
    if found := _PERCENT.fullmatch(bare):
        decimals = (found["decimals"] or "")[:_MOST_DIGITS]
        return Percentage(len(decimals), len(decimals.rstrip("#?")))
    if 2 <= bare.count("0") <= _MOST_DIGITS and _MASK.fullmatch(bare):
        aside = iter(literals)
        parts = ("\0" if part == "0" else part for part in section.replace("\0", "\1"))
        return Padded("".join(next(aside) if part == "\1" else part for part in parts))
    return None


def formats_of_styles(styles: Element) -> dict[str, NumberFormat]:
    """By the number under which cells refer to a style."""
    codes = dict(_BUILT_IN)
    for element in _children(styles, "numFmts"):
        number = element.get("numFmtId") or ""
        if number.isdecimal():
            codes[int(number)] = element.get("formatCode") or ""
    formats: dict[str, NumberFormat] = {}
    known = {number: number_format(code) for number, code in codes.items()}
    for index, style in enumerate(_children(styles, "cellXfs")):
        number = style.get("numFmtId") or ""
        shows = known.get(int(number)) if number.isdecimal() else None
        if shows is not None:
            formats[str(index)] = shows
    return formats


def _children(styles: Element, name: str) -> Iterator[Element]:
    for group in styles:
        if local_name(group) == name:
            yield from group


def plain(number: float) -> str:
    """All digits of a number that is no longer small, and no digits of noise."""
    if 1e15 <= abs(number) < _SHORTEST:
        return format(Decimal(repr(number)).to_integral_value(), "f")
    return format(number, ".15g")  # as many digits as a spreadsheet shows
