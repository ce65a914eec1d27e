"""Numbers along an axis: in 万 or 億, as fine as needed, as a reader expects."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sanbo.agents.analysis.outcome import CellKind
from sanbo.kernel.messages import current_language, tell

# From ten of them on: 15 万 reads better than 150,000, but 1.5 億 not better than 15,000 万.
_LARGE_JA = ((1e13, 1e12, "cho"), (1e9, 1e8, "oku"), (1e5, 1e4, "man"))
_LARGE_EN = ((2e12, 1e12, "trillion"), (2e9, 1e9, "billion"), (2e6, 1e6, "million"))
_COUNTS_IN_LARGE = re.compile(r"^(?:[十百千万億兆]|thousand|million|billion|k|m|bn)", re.IGNORECASE)
_YEAR = re.compile(r"年|year|fy", re.IGNORECASE)
_UNIT_WORDS = {"円": "yen", "千円": "thousand_yen", "百万円": "million_yen"}
_SMALLEST_WRITTEN_OUT, _LARGEST_WRITTEN_OUT = 1e-6, 1e15


@dataclass(frozen=True)
class Scale:
    """What a value is divided by to be shown, and the unit it then has."""

    divisor: float = 1.0
    unit: str = ""
    is_grouped: bool = True
    """Thousands are separated; years are not."""

    def written(self, value: float) -> str:
        """1,234,567円."""
        number = value / self.divisor
        if number and not _SMALLEST_WRITTEN_OUT <= abs(number) < _LARGEST_WRITTEN_OUT:
            text = f"{number:.4g}"
        else:
            text = f"{number:,.{_decimals(number)}f}"
            text = text if self.is_grouped else text.replace(",", "")
        # Words in Latin letters stand after a space, 円 and % right after the number.
        is_word = self.unit[:1].isascii() and self.unit[:1].isalpha()
        return f"{text} {self.unit}" if is_word else f"{text}{self.unit}"


def scale_for(values: Iterable[float], kind: CellKind, unit: str, name: str = "") -> Scale:
    """For all of these values, which stand along one axis."""
    finite = [abs(value) for value in values if math.isfinite(value)]
    largest = max(finite, default=0.0)
    if kind == "share":
        return Scale(0.01, "%")
    is_year = kind == "integer" and _YEAR.search(name) and min(finite, default=0) >= 1000
    if is_year and largest < 3000:
        return Scale(is_grouped=False)
    shown = shown_unit(unit)
    if unit == "%" or _COUNTS_IN_LARGE.match(shown):
        return Scale(unit=shown)
    for least, divisor, word in _LARGE_JA if current_language() == "ja" else _LARGE_EN:
        if largest >= least:
            return Scale(divisor, tell(f"chart.large.{word}", unit=shown).strip())
    return Scale(unit=shown)


def exact(value: float, kind: CellKind, unit: str) -> str:
    """A single value in words: 1,234,567円, 12.5%."""
    scale = Scale(0.01, "%") if kind == "share" else Scale(unit=shown_unit(unit))
    return scale.written(value)


def shown_unit(unit: str) -> str:
    """Units of money by their word where English is read."""
    if current_language() == "en" and unit in _UNIT_WORDS:
        return tell(f"chart.unit_word.{_UNIT_WORDS[unit]}")
    return unit


def _decimals(number: float) -> int:
    """Whole and large numbers have none, others about four digits that count."""
    size = abs(number)
    if size >= 1000 or math.isclose(number, round(number), abs_tol=1e-12):
        return 0
    places = min(max(3 - math.floor(math.log10(size)), 1), 10)
    return len(f"{number:.{places}f}".rstrip("0").partition(".")[2])
