"""What a report may state: the numbers and dates of its tables, its question and its specs."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import cast

from sanbo.agents.analysis.decision import ResultView, View
from sanbo.agents.analysis.outcome import JsonCell, ResultTable, TableColumn
from sanbo.agents.analysis.profile import TableProfile
from sanbo.agents.analysis.spec.operations import AnalysisSpec, Outliers
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.stated_numbers.mentions import Amount, Mention, mentions
from sanbo.language.moments import Moment

_SCALES = (("百万", 10**6), ("千", 10**3), ("万", 10**4), ("億", 10**8))
_RATE = re.compile("率|比|割合|シェア|%|rate|ratio|share|percent|pct|proportion", re.IGNORECASE)
_P_VALUE = re.compile(r"p|p[_ -]?values?|p値|p_adjusted", re.IGNORECASE)
_YEARS = re.compile("年|year", re.IGNORECASE)
_MONTHS = re.compile("月|month", re.IGNORECASE)


@dataclass(frozen=True)
class Grounds:
    numbers: tuple[Fraction, ...] = ()
    """Sorted. A stated number may be one of them, rounded."""
    percents: tuple[Fraction, ...] = ()
    """Sorted: what may be stated with %, 12.3 for a share of 0.123."""
    quoted: frozenset[tuple[Fraction, bool]] = frozenset()
    """From texts, and whether in percent: may be repeated, not rounded."""
    moments: frozenset[Moment] = frozenset()
    p_values: tuple[Fraction, ...] = ()
    most_rows: int = 0
    """Of any table: no rank lies beyond it."""

    def hold(self, mention: Mention) -> bool:
        return (
            any(self._known(moment) for moment in mention.moments)
            or any(self._measured(amount, mention.says_less) for amount in mention.amounts)
            or (mention.is_rank and self._is_rank(mention.amounts))
            or (mention.bound != "" and self._is_bound(mention))
        )

    def _known(self, moment: Moment) -> bool:
        return any(moment.holds_for(known) for known in self.moments)

    def _measured(self, amount: Amount, says_less: bool) -> bool:
        if (amount.value * (amount.sign or 1), amount.is_percent) in self.quoted:
            return True
        if amount.is_spelled and amount.value <= 2:  # “the two”, 二つ: hardly ever a figure
            return True
        if amount.is_percent and amount.value == 100 and amount.step <= 1 and self.percents:
            return True
        pools = [self.percents if amount.is_percent else self.numbers]
        signs = [amount.sign] if amount.sign else [1, -1] if says_less else [1]
        steps = {amount.step, _rough_step(amount)}
        return any(
            _rounds_to(pool, sign * amount.value, step)
            for pool in pools
            for sign in signs
            for step in steps
        )

    def _is_rank(self, amounts: Sequence[Amount]) -> bool:
        return any(
            1 <= amount.value <= self.most_rows and not amount.is_percent and amount.step == 1
            for amount in amounts
        )

    def _is_bound(self, mention: Mention) -> bool:
        below = mention.bound == "<"
        return any(
            (p < amount.value) if below else (p > amount.value)
            for amount in mention.amounts
            for p in self.p_values
        )


def _rough_step(amount: Amount) -> Fraction:
    """約1,200,000 is stated to two digits at least; its zeros may be rounded ones."""
    step = amount.step
    if amount.is_rough and amount.value:
        while amount.value % (step * 10) == 0 and amount.value >= step * 100:
            step *= 10
    return step


def _rounds_to(pool: Sequence[Fraction], stated: Fraction, step: Fraction) -> bool:
    """Whether a number of the pool is what was stated, rounded half up or half to even."""
    first = bisect_left(pool, stated - step / 2)
    last = bisect_right(pool, stated + step / 2)
    return any(_is_rounded(pool[index], stated, step) for index in range(first, last))


def _is_rounded(value: Fraction, stated: Fraction, step: Fraction) -> bool:
    if value == stated:
        return True
    if stated == 0 and step >= 1:  # “no rows” is more than a small number of them
        return False
    distance = abs(value - stated)
    if distance * 2 < step:
        return True
    if abs(stated) > abs(value) or (stated / step) % 2 == 0:
        return True
    # 2.675 as a computer holds it lies just below, and most programs round that down.
    return abs(Fraction(float(value))) < abs(value)


@dataclass
class _Collected:
    numbers: set[Fraction] = field(default_factory=set[Fraction])
    percents: set[Fraction] = field(default_factory=set[Fraction])
    quoted: set[tuple[Fraction, bool]] = field(default_factory=set[tuple[Fraction, bool]])
    moments: set[Moment] = field(default_factory=set[Moment])
    p_values: set[Fraction] = field(default_factory=set[Fraction])
    texts: set[str] = field(default_factory=set[str])
    most_rows: int = 0

    def read(self, text: str) -> set[Moment]:
        """What the text says may be said again. Gives its dates."""
        if text in self.texts:
            return set()
        self.texts.add(text)
        found: set[Moment] = set()
        for mention in mentions(text):
            found.update(mention.moments)
            for amount in mention.amounts:
                self.quoted.add((amount.value * (amount.sign or 1), amount.is_percent))
        self.moments |= found
        self.quoted.update((Fraction(one.year), False) for one in found if one.year is not None)
        return found

    def measure(self, value: JsonCell) -> Fraction | None:
        number = exact(value)
        if number is not None:
            self.numbers.add(number)
        return number

    def table(self, table: ResultTable) -> None:
        self.most_rows = max(self.most_rows, table.row_count)
        for count in (table.row_count, len(table.rows), len(table.columns)):
            self.measure(count)
        self.read(table.title)
        dates: set[Moment] = set()
        for position, column in enumerate(table.columns):
            cells = [row[position] for row in table.rows]
            for text in (column.name, column.label, column.unit):
                dates |= self.read(text)
            texts = {cell for cell in cells if isinstance(cell, str)}
            if texts:
                self.measure(len(texts))
            for text in texts:
                dates |= self.read(text)
            dates |= self._cells(column, cells)
        self._join_dates(dates)

    def _cells(self, column: TableColumn, cells: Sequence[JsonCell]) -> set[Moment]:
        """Numbers of a column; years or months, if that is what they are."""
        names = f"{column.name} {column.label}"
        is_rate = column.kind == "share" or "%" in column.unit
        is_rate = is_rate or (not column.unit and bool(_RATE.search(names)))
        is_p = any(_P_VALUE.fullmatch(name) for name in (column.name, column.label))
        scale = next((by for unit, by in _SCALES if column.unit.startswith(unit)), None)
        found: set[Moment] = set()
        for number in map(self.measure, cells):
            if number is None:
                continue
            if is_rate:
                self.percents.update((number * 100, number) if column.unit else (number * 100,))
            if is_p:
                self.p_values.add(number)
            if scale is not None:
                self.numbers.add(number * scale)
            if number.denominator == 1 and _YEARS.search(names) and 1000 <= number < 3000:
                found.add(Moment(year=int(number)))
            if number.denominator == 1 and _MONTHS.search(names) and 1 <= number <= 12:
                found.add(Moment(month=int(number)))
        self.moments |= found
        return found

    def _join_dates(self, dates: set[Moment]) -> None:
        """Years along one side of a table and months along the other make 2025年4月."""
        years = {one for one in dates if one.only is not None and one.year is not None}
        parts = {
            one
            for one in dates
            if one.only is not None and (one.month or one.quarter or one.half or one.week)
        }
        if len(years) * len(parts) <= 10_000:
            self.moments.update(part._replace(year=year.year) for year in years for part in parts)

    def profile(self, profile: TableProfile) -> None:
        self.measure(profile.rows)
        self.measure(len(profile.columns))
        for column in profile.columns:
            self.read(column.name)
            self.measure(column.missing)
            self.measure(column.distinct)
            for end in (column.minimum, column.maximum):
                if isinstance(end, str):
                    self.read(end)
                else:
                    self.measure(end)

    def spec(self, spec: AnalysisSpec | PlotSpec) -> None:
        """What it asks for. Defaults are nobody's words, but for those that results rest on."""
        if isinstance(spec, Outliers) and spec.threshold is None:
            self.quoted.add((Fraction(3, 2) if spec.method == "iqr" else Fraction(3), False))
        resting = spec.model_dump(mode="json", include={"alpha", "quantiles", "abc"})
        stack: list[object] = [spec.model_dump(mode="json", exclude_defaults=True), resting]
        while stack:
            part = stack.pop()
            if isinstance(part, dict):
                stack.extend(cast("dict[str, object]", part).values())
            elif isinstance(part, list):
                stack.extend(cast("list[object]", part))
            elif isinstance(part, str):
                self.read(part)
            elif (number := exact(cast("JsonCell", part))) is not None:
                self.quoted.add((number, False))
                if abs(number) < 2:  # 0.2 of a column of ratios is said as 20%
                    self.quoted.add((number * 100, True))

    def result(self, result: ResultView) -> None:
        self.spec(result.spec)
        self.read(result.result_id)
        for text in (*result.figure_titles, *result.notes):
            self.read(text)
        for table in result.tables:
            self.table(table)

    def grounds(self) -> Grounds:
        return Grounds(
            _in_order(self.numbers),
            _in_order(self.percents),
            frozenset(self.quoted),
            frozenset(self.moments),
            tuple(sorted(self.p_values)),
            self.most_rows,
        )


def _in_order(numbers: set[Fraction]) -> tuple[Fraction, ...]:
    """Fractions compare slowly; sorted by float first, they need hardly any comparison."""
    try:
        nearly = sorted(numbers, key=float)
    except OverflowError:
        nearly = list(numbers)
    return tuple(sorted(nearly))


def exact(value: JsonCell) -> Fraction | None:
    """A float as it is printed: 0.1 is one tenth."""
    if value is None or isinstance(value, str | bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    return Fraction(Decimal(repr(value))) if math.isfinite(value) else None


def grounds_of(
    view: View, tables: Iterable[ResultTable] = (), texts: Iterable[str] = ()
) -> Grounds:
    """Of a conversation: what its results, its dataset and the person's questions say.

    `tables` are further ones, such as those behind the figures; `texts` further notes.
    """
    collected = _Collected()
    for turn in view.turns:
        if turn.role == "user":
            collected.read(turn.text)
    if view.dataset is not None:
        collected.profile(view.dataset)
        collected.read(view.dataset.name)
        collected.read(view.dataset.sheet)
    for result in view.results:
        collected.result(result)
    for table in tables:
        collected.table(table)
    for text in texts:
        collected.read(text)
    return collected.grounds()


def table_grounds(tables: Iterable[ResultTable], texts: Iterable[str] = ()) -> Grounds:
    """Of tables alone."""
    collected = _Collected()
    for table in tables:
        collected.table(table)
    for text in texts:
        collected.read(text)
    return collected.grounds()
