"""Months, quarters or years that stand side by side become rows: 4月 | 5月 | 6月 → 月, 売上."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from sanbo.agents.analysis.loading.date_words import FISCAL_START, year_in
from sanbo.agents.analysis.loading.totals import total_columns
from sanbo.agents.analysis.loading.units import is_unit
from sanbo.agents.analysis.loading.word_lists import WORDS, Preparations, ends_with, few, narrow
from sanbo.agents.analysis.profile import NUMERIC
from sanbo.documents.columns import Cell, infer_columns
from sanbo.documents.file_table import FoundTable
from sanbo.documents.number_formats import NumberFormat
from sanbo.documents.table_heads import column_names
from sanbo.kernel.messages import tell
from sanbo.language.cells import parse_date
from sanbo.tables.values import as_month

_FEWEST = 3
_SAMPLE = 200
_JOINT = "_"
_FULL_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = re.compile(r"(\d{1,2})月(?:分|度)?|([a-z]{3,9})\.?", re.ASCII)
_YEAR = re.compile(r"((?:19|20)\d\d)年?")
_FISCAL = re.compile(r"fy ?(\d{4}|\d\d)|.{1,6}年度")
_QUARTER = re.compile(r"q[1-4]|[1-4]q|第?[1-4一二三四]四半期")
_HALF = re.compile(r"上期|下期|上半期|下半期|h[12]|[12]h")
_IN_BRACKETS = re.compile(r"[(（\[【][^()（）\[\]【】]{0,40}[)）\]】]")
_BREAKS = re.compile(r"[\s　:：]+| - ")
_ENDINGS = ("管理表", "集計表", "一覧表", "対比表", "一覧", "推移", "集計", "表")
_NO_TITLE = ("作成", "単位", "unit", "prepared", "thousands", "millions")
_LONGEST_TITLE = 200
_PERIODS = ("day", "year", "fiscal", "half", "quarter", "month")


class _Head(NamedTuple):
    periods: Mapping[str, str | int | date]
    """By kind: month 4, quarter Q1; a day or a month of a year is a `day`."""
    rest: str
    """実績 of 7月_実績."""


def with_periods_as_rows(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Only where every figure belongs to a period: else rows would count several times."""
    if not preparations.wants("periods") or len(found.names) <= _FEWEST or not found.rows:
        return found
    sums = total_columns(found)
    heads = {
        at: head
        for at, name in enumerate(found.names)
        if at not in sums and (head := _head(name)) is not None
    }
    kinds = {tuple(head.periods) for head in heads.values()}
    if len({tuple(head.periods.items()) for head in heads.values()}) < _FEWEST - 1:
        return found
    if len(heads) < _FEWEST or len(kinds) != 1:
        return found
    types = infer_columns(found.rows[:_SAMPLE])
    numeric = [at for at, kind in enumerate(types) if kind in NUMERIC]
    if not all(types[at] in (*NUMERIC, "empty") for at in heads):
        return found
    codes = [at for at in numeric if ends_with(found.names[at], WORDS.identifiers)]
    is_all = set(numeric) <= {*heads, *sums, *codes}
    if not is_all or not all(set(parts) <= set(heads) for parts in sums.values()):
        return found
    return _turned(found, heads, list(sums), preparations)


def _turned(
    found: FoundTable, heads: Mapping[int, _Head], sums: Sequence[int], preparations: Preparations
) -> FoundTable:
    labels = [at for at in range(len(found.names)) if at not in heads and at not in sums]
    kinds = next(iter(heads.values())).periods
    to_cells, titles = _period_cells(found, tuple(kinds))
    rests = list(dict.fromkeys(head.rest for head in heads.values()))
    by_period: dict[tuple[str | int | date, ...], dict[str, int]] = {}
    for at, head in heads.items():
        by_period.setdefault(tuple(head.periods.values()), {})[head.rest] = at
    measures = [rest or _subject(found.above) for rest in rests]
    names = column_names([*(found.names[at] for at in labels), *titles, *measures])
    rows: list[list[Cell]] = []
    numbers: list[int] = []
    formats: dict[int, dict[int, NumberFormat]] = {}
    for number, row in zip(found.row_numbers, found.rows, strict=True):
        for period, places in by_period.items():
            cells = [row[places[rest]] if rest in places else None for rest in rests]
            rows.append([*(row[at] for at in labels), *to_cells(period), *cells])
            numbers.append(number)
    first = len(labels) + len(titles)
    for at, rest in enumerate(rests):
        source = next(place for place, head in heads.items() if head.rest == rest)
        formats[first + at] = dict(found.number_formats.get(source, {}))
    for at, source in enumerate(labels):
        formats[at] = dict(found.number_formats.get(source, {}))
    preparations.say(
        "periods",
        "periods" if not sums else "periods_and_totals",
        count=len(heads),
        heads=few(found.names[at] for at in heads),
        columns=few(names[len(labels) :]),
        sums=few(found.names[at] for at in sums),
    )
    units = {
        name: unit
        for name, rest in zip(names[first:], rests, strict=True)
        for at, head in heads.items()
        if head.rest == rest and (unit := found.units.get(found.names[at]))
    }
    return replace(
        found, names=names, rows=rows, row_numbers=numbers, number_formats=formats, units=units
    )


def _head(name: str) -> _Head | None:
    periods: dict[str, str | int | date] = {}
    rest: list[str] = []
    for part in name.split(_JOINT):
        read = _period(part)
        if read is None:
            rest.append(part)
        elif read[0] in periods:
            return None
        else:
            periods[read[0]] = read[1]
    if not periods:
        return None
    ordered = {kind: periods[kind] for kind in _PERIODS if kind in periods}
    return _Head(ordered, _JOINT.join(rest))


def _period(text: str) -> tuple[str, str | int | date] | None:
    form = narrow(text).strip().lower()
    if found := _MONTH.fullmatch(form):
        number = int(found[1]) if found[1] else _english_month(found[2])
        return ("month", number) if number and 1 <= number <= 12 else None
    if found := _YEAR.fullmatch(form):
        return "year", int(found[1])
    for kind, shape in (("fiscal", _FISCAL), ("quarter", _QUARTER), ("half", _HALF)):
        if shape.fullmatch(form):
            return kind, text.strip()
    is_dated = form[:1].isdecimal() or "年" in form
    day = (as_month(form) or parse_date(form)) if is_dated else None
    return None if day is None else ("day", date(day.year, day.month, day.day))


def _english_month(word: str) -> int | None:
    return next((at for at, month in enumerate(_FULL_MONTHS, 1) if month.startswith(word)), None)


def _period_cells(
    found: FoundTable, kinds: tuple[str, ...]
) -> tuple[Callable[[tuple[str | int | date, ...]], list[Cell]], list[str]]:
    """Months become dates where the year is told: beside them, or once over the table."""
    heads = found.names if kinds == ("fiscal", "month") else ()
    is_told = kinds == ("year", "month") or any("年度" in name for name in heads)
    if kinds == ("month",) or is_told:
        said = None if is_told else year_in((*found.above, found.sheet))
        if is_told or said is not None:
            return lambda period: [_month(period, said)], [tell("analysis_ready.period.day")]
    if kinds == ("month",):  # a name, as nobody adds months up
        is_japanese = any("月" in name for name in found.names)
        return lambda period: [_named(period[0], is_japanese=is_japanese)], [
            tell("analysis_ready.period.month")
        ]
    return list, [tell(f"analysis_ready.period.{kind}") for kind in kinds]


def _named(month: str | int | date, *, is_japanese: bool) -> str:
    assert isinstance(month, int)
    return f"{month}月" if is_japanese else _FULL_MONTHS[month - 1][:3].title()


def _month(period: tuple[str | int | date, ...], said: tuple[int, bool] | None) -> Cell:
    if said is None:
        before, month = period
        read = (before, False) if isinstance(before, int) else year_in((str(before),))
        if read is None:
            return None
        said = read
    else:
        (month,) = period
    assert isinstance(month, int)
    year, is_fiscal = said
    return date(year + int(is_fiscal and month < FISCAL_START), month, 1)


def _subject(lines: Sequence[str]) -> str:
    """売上実績 of 支店別 売上実績表（千円）: what the figures are, by the title next to them."""
    for line in reversed(lines):
        text = _IN_BRACKETS.sub(" ", narrow(line[:_LONGEST_TITLE])).strip()
        if not text or is_unit(text) or any(word in text.lower() for word in _NO_TITLE):
            continue
        if text.isascii():
            said = text.rpartition(" - ")[2].partition(" by ")[0].strip()
        else:
            said = _BREAKS.split(text)[-1].rpartition("別")[2]
            said = next((said.removesuffix(end) for end in _ENDINGS if said.endswith(end)), said)
        is_period = _period(said) is not None or year_in((said,)) is not None
        if said and not is_period and not said.isdecimal():
            return said
    return tell("analysis_ready.period.value")
