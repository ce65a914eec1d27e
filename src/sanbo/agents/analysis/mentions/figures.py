"""What a number of the question is in a column: in its unit, where it can be one of its figures."""

import re
from fractions import Fraction

from sanbo.agents.analysis.mentions.lexicon import BRACKETS, set_of, without_unit
from sanbo.agents.analysis.mentions.scene import KnownColumn
from sanbo.agents.analysis.mentions.tokens import forms, narrowed, split_case
from sanbo.language.figures import UNITS as UNITS_OF_FIGURES
from sanbo.language.figures import Figure, english_unit

_FACTORS = {"百万": 1_000_000, "十億": 10**9, "千": 1_000, "万": 10_000, "億": 100_000_000}
_THOUSANDS = re.compile(r"(?<![\d,])000s?\b|[$€£¥]k\b|(?<!per )\bthousands?\b", re.IGNORECASE)
_MILLIONS = re.compile(r"[$€£¥](?:m|mn|mm)\b|(?<!per )\bmillions?\b", re.IGNORECASE)
"""As headings of amounts have them: ($000), £k, USD millions."""


def _fits(figure: Figure, known: KnownColumn) -> bool:
    unit = known.profile.unit
    if figure.kind == "money":
        return known.is_money
    if figure.kind == "share":
        is_rate = known.profile.type == "percent" or known.profile.is_rate
        return is_rate or "%" in narrowed(known.name + unit)
    if figure.unit == "歳":
        return "age" in known.concepts
    return bool(figure.unit) and figure.unit in unit


def in_unit(figure: Figure | None, column: KnownColumn | None) -> int | float | None:
    """In the column's unit: 100万円 is 1,000 where it counts 千円."""
    if figure is None or figure.value is None or column is None:
        return None
    value, unit = figure.value, column.profile.unit
    if figure.unit == "キロ":  # of weight or of length
        is_long = _kind_of(unit) == _kind_of("m")
        figure = figure._replace(unit="km" if is_long else "kg" if _kind_of(unit) == "g" else "")
    told, own = _kind_of(figure.unit), _kind_of(unit) or _kind_of_name(column)
    if figure.unit == "倍" or (told and own and told != own):
        return None  # 3件 is no amount, 30分 no number of cases, 10日 no price
    scale = next((each for each in _SCALES if figure.unit in each), {})
    value *= Fraction(scale.get(figure.unit, 1), scale.get(_unit(unit), scale.get(figure.unit, 1)))
    if figure.kind == "count" and not told and own == "money":
        return None  # 3泊 is no price
    factor = _factor_of(column)
    is_amount = figure.kind == "money" if figure.unit else column.is_money
    if is_amount and (figure.unit or _is_only_there(value / factor, value, column)):
        value = value / Fraction(factor)
    if figure.kind == "share":
        if not _fits(figure, column):
            return None  # 目標の30%: of another number, not a number of this column
        value = value / 100 if column.profile.type == "percent" else value
    if figure.unit in _MINUTES:
        value *= _times_to(_MINUTES[figure.unit], value, column)
    return int(value) if value.denominator == 1 else float(value)


def _factor_of(column: KnownColumn) -> int:
    """One of what its numbers count is so many of the currency."""
    unit = column.profile.unit
    told = next((_FACTORS[prefix] for prefix in _FACTORS if unit.startswith(prefix)), 1)
    if told > 1 or not column.is_money:
        return told
    written = " ".join((unit, *BRACKETS.findall(column.name), column.name.replace("_", " ")))
    return 1_000 if _THOUSANDS.search(written) else 10**6 if _MILLIONS.search(written) else 1


def is_named_by(figure: Figure, column: KnownColumn) -> bool:
    """4人, of 人数; 3 nights, of Nights. Of what is measured (kg, 分) it says nothing."""
    unit = figure.unit
    if figure.kind != "count" or not unit or _kind_of(unit) not in ("", "cases"):
        return False
    name = column.name.casefold()
    return f"{unit}数" in name or unit == column.profile.unit or english_unit(unit) in name.split()


def _kind_of(unit: str) -> str:
    """What a unit counts; empty where any number may be meant."""
    if unit.casefold().rstrip("s") in _TIMES_OF or unit == "秒":
        return "time"
    scale = next((scale for scale in _SCALES if _unit(unit) in scale), None)
    if scale is not None:
        return next(iter(scale))
    return "cases" if unit in set_of("counted") else ""


def kind_of(column: KnownColumn) -> str:
    """What a column of numbers counts; empty where that is not told."""
    known = _kind_of(column.profile.unit)
    return known or ("cases" if "quantity" in column.concepts else _kind_of_name(column))


def _kind_of_name(column: KnownColumn) -> str:
    if _time_of(column) is not None:
        return "time"
    is_cost = without_unit(column.name).strip().endswith(_COSTS)
    return "money" if column.is_money or is_cost else ""


_COSTS = ("費", "費用", "料金", "額", "代金", "手当")


def _time_of(column: KnownColumn) -> str | None:
    """By the unit, or by the name: minutes_spent, Wait min, 実績分; not 時間単価."""
    words = split_case(without_unit(column.name)).casefold().replace("_", " ").split()
    ends = [] if column.profile.unit else [words[:1], words[-1:], forms(column.name)[-1:]]
    said = (column.profile.unit.casefold(), *(word for end in ends for word in end))
    return next((_TIMES_OF[one.rstrip("s")] for one in said if one.rstrip("s") in _TIMES_OF), None)


def _unit(written: str) -> str:
    return UNITS_OF_FIGURES.get(written.casefold(), written.casefold())


_SCALES = (
    {"日": 1, "週": 7}, {"か月": 1, "年間": 12}, {"ml": 1, "l": 1000},
    {"mm": 1, "cm": 10, "m": 1000, "km": 1_000_000}, {"g": 1, "kg": 1000, "t": 1_000_000},
)  # fmt: skip
"""What is told in one of them is so much in another."""


_MINUTES = {"分": Fraction(1), "時間": Fraction(60), "秒": Fraction(1, 60)}
_TIMES_OF = {
    "分": "分", "min": "分", "minute": "分", "時間": "時間", "h": "時間", "hour": "時間",
    "秒": "秒", "sec": "秒", "second": "秒",
}  # fmt: skip


def _times_to(minutes: Fraction, value: Fraction, column: KnownColumn) -> Fraction:
    """Two hours are 120 where minutes are told, by the unit or by what the numbers are like."""
    unit = _time_of(column)
    if unit is not None:
        return minutes / _MINUTES[unit]
    return minutes if _is_only_there(value * minutes, value, column) else Fraction(1)


def _is_only_there(value: Fraction, other: Fraction, column: KnownColumn) -> bool:
    """Within what the column holds, where the other one is not."""
    low, high = column.profile.minimum, column.profile.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return low <= float(value) <= high and not low <= float(other) <= high
