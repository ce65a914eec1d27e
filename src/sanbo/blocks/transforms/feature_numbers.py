"""Features of amounts: sums, differences, shares, ranks, and what an auditor looks for."""

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext

from pydantic import JsonValue

from sanbo.blocks.transforms.feature import Column, Feature
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.aggregates import EXACT, exact_sum, plain
from sanbo.tables.casting import rounded
from sanbo.tables.rows import Rows, grouped, shared_key
from sanbo.tables.values import as_number

Numeric = int | float | None
Numbers = list[Numeric]
_ROUND_UNIT = 1000
_LEAST_OUTLIERS = 2


def _numbers(column: Column) -> Numbers:
    return [as_number(value) for value in column]


def _combined(
    least: int, most: int | None, make: Callable[[Sequence[Decimal]], Decimal | None]
) -> Callable[[Rows, Feature], Column]:
    """A figure of several fields of a row; None where one of them is no number."""

    def made(rows: Rows, feature: Feature) -> Column:
        columns = [_numbers(column) for column in feature.columns(rows, least=least, most=most)]
        return [_figure(values, feature, make) for values in zip(*columns, strict=True)]

    return made


def _figure(
    values: Sequence[Numeric],
    feature: Feature,
    make: Callable[[Sequence[Decimal]], Decimal | None],
) -> JsonValue:
    numbers = [Decimal(repr(value)) for value in values if value is not None]
    if len(numbers) < len(values):
        return None
    with localcontext(EXACT):
        found = make(numbers)
    if found is None:
        return None
    whole = plain(found)
    return whole if feature.decimals is None else rounded(whole, feature.decimals, feature.rounding)


def _product(numbers: Sequence[Decimal]) -> Decimal:
    return math.prod(numbers, start=Decimal(1))


def _quotient(numbers: Sequence[Decimal]) -> Decimal | None:
    return numbers[0] / numbers[1] if numbers[1] else None


def _change_rate(numbers: Sequence[Decimal]) -> Decimal | None:
    return (numbers[0] - numbers[1]) / abs(numbers[1]) if numbers[1] else None


def _total(rows: Rows, feature: Feature) -> Column:
    """What is empty counts as nothing, unless everything is."""
    columns = [_numbers(column) for column in feature.columns(rows, least=1)]
    made: Column = []
    for values in zip(*columns, strict=True):
        filled = [value for value in values if value is not None]
        made.append(exact_sum(filled) if filled else None)
    return made


def _round(rows: Rows, feature: Feature) -> Column:
    return [
        None if number is None else rounded(number, feature.decimals or 0, feature.rounding)
        for number in _numbers(feature.column(rows))
    ]


def _absolute(rows: Rows, feature: Feature) -> Column:
    return [None if number is None else abs(number) for number in _numbers(feature.column(rows))]


def _is_round(rows: Rows, feature: Feature) -> Column:
    """A multiple of 1,000, or of `value`: estimates and invented amounts often are."""
    unit = as_number(feature.value) or _ROUND_UNIT
    return [
        None if number is None else number != 0 and number % unit == 0
        for number in _numbers(feature.column(rows))
    ]


def _first_digit(rows: Rows, feature: Feature) -> Column:
    return [
        int(f"{abs(number):e}"[0]) if number else None for number in _numbers(feature.column(rows))
    ]


def _bucket(rows: Rows, feature: Feature) -> Column:
    """Which of the ranges between the bins; a bin belongs to the range above it."""
    bins = sorted(feature.bins)
    labels = feature.labels or _range_labels(bins)
    if not bins or len(labels) != len(bins) + 1:
        raise InvalidInput("transform_feature_bins", name=feature.name, wanted=len(bins) + 1)
    return [
        None if number is None else labels[sum(number >= edge for edge in bins)]
        for number in _numbers(feature.column(rows))
    ]


def _range_labels(bins: Sequence[float]) -> list[str]:
    edges = [f"{edge:,g}" if edge < 1e6 else f"{edge:,.0f}" for edge in bins]
    inner = [f"{low}–{high}" for low, high in itertools.pairwise(edges)]
    return [f"<{edges[0]}", *inner, f"≥{edges[-1]}"] if edges else []


Within = Callable[[Numbers, Feature], Numbers]


def _grouped(make: Within) -> Callable[[Rows, Feature], Column]:
    """A figure of a row among the rows of its group."""

    def made(rows: Rows, feature: Feature) -> Column:
        numbers = _numbers(feature.column(rows))
        groups = grouped(shared_key(row, feature.by) for row in rows)
        column: Column = [None] * len(rows)
        for places in groups.values():
            found = make([numbers[place] for place in places], feature)
            for place, value in zip(places, found, strict=True):
                column[place] = value
        return column

    return made


def _filled(numbers: Numbers) -> list[int | float]:
    return [number for number in numbers if number is not None]


def _share(numbers: Numbers, feature: Feature) -> Numbers:
    total = exact_sum(_filled(numbers))
    shares = [None if number is None or not total else number / total for number in numbers]
    if feature.decimals is None:
        return [*shares]
    return [None if share is None else rounded(share, feature.decimals) for share in shares]


def _cumulative(numbers: Numbers, feature: Feature) -> Numbers:
    _ = feature
    total = Decimal(0)
    made: Numbers = []
    with localcontext(EXACT):
        for number in numbers:
            total += Decimal(repr(number or 0))
            made.append(plain(total))
    return made


def _rank(numbers: Numbers, feature: Feature) -> Numbers:
    """From 1; the same number has the same rank."""
    ordered = sorted(_filled(numbers), reverse=feature.order == "desc")
    places: dict[int | float, int] = {}
    for place, number in enumerate(ordered, 1):
        places.setdefault(number, place)
    return [None if number is None else places[number] for number in numbers]


def _z_score(numbers: Numbers, feature: Feature) -> Numbers:
    """How many standard deviations above the mean."""
    filled = _filled(numbers)
    spread = statistics.pstdev(filled) if len(filled) >= _LEAST_OUTLIERS else 0.0
    if not spread:
        return [None if number is None else 0.0 for number in numbers]
    mean = statistics.fmean(filled)
    decimals = 6 if feature.decimals is None else feature.decimals
    return [
        None if number is None else rounded((number - mean) / spread, decimals)
        for number in numbers
    ]


OF_NUMBERS: Mapping[str, Callable[[Rows, Feature], Column]] = {
    "add": _total,
    "subtract": _combined(2, 2, lambda numbers: numbers[0] - numbers[1]),
    "difference": _combined(2, 2, lambda numbers: abs(numbers[0] - numbers[1])),
    "multiply": _combined(2, None, _product),
    "divide": _combined(2, 2, _quotient),
    "change_rate": _combined(2, 2, _change_rate),
    "round": _round,
    "abs": _absolute,
    "is_round": _is_round,
    "first_digit": _first_digit,
    "bucket": _bucket,
    "share": _grouped(_share),
    "cumulative": _grouped(_cumulative),
    "rank": _grouped(_rank),
    "z_score": _grouped(_z_score),
}
