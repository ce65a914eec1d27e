"""Dates that are written as words: months, 4月 under a title with a year, days among words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime

from sanbo.agents.analysis.loading.word_lists import Preparations, few, narrow
from sanbo.documents.columns import Cell
from sanbo.documents.file_table import FoundTable, TabularColumn
from sanbo.documents.table_heads import column_names
from sanbo.kernel.messages import tell
from sanbo.language.cells import parse_date
from sanbo.language.eras import NAMES, western
from sanbo.language.moments import FULL_MONTHS, MONTHS, month_number
from sanbo.tables.values import as_month

_LOOKED_AT = 1000
_MOST_DIFFERENT = 5000
_LONGEST = 64
_READABLE = 0.5
_SURE = 0.95
_PLAIN = re.compile(r"\s*\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T].{1,30})?\s*", re.ASCII)
_MONTH = re.compile(r"(\d{1,2})月(?:分|度)?", re.ASCII)
_YEAR_AND_MONTH = re.compile(r"(?:\d{4}[-/.]\d{1,2}|.{2,8}年\d{1,2}月(?:分|度)?)", re.ASCII)
_ENGLISH = re.compile(
    rf"(?P<name>{FULL_MONTHS}|{'|'.join(MONTHS)})\.?,?(?:[-'/]?(?P<year>20\d\d|(?<=[-'/])\d\d))?",
    re.ASCII | re.IGNORECASE,
)
_YEAR = re.compile(
    rf"(?<!\d)(?:((?:19|20)\d\d)|({NAMES})(元|\d{{1,2}}))(?:(年)(度)?|(?=$|[ /_\-)]))", re.ASCII
)
FISCAL_START = 4


def with_dates(
    found: FoundTable, columns: Sequence[TabularColumn], preparations: Preparations
) -> list[TabularColumn]:
    """Columns of words that are dates become dates; what is so in part stays, and it is said."""
    if not preparations.wants("dates"):
        return list(columns)
    made: list[TabularColumn] = []
    for at, column in enumerate(columns):
        read = column
        if column.type in ("date", "datetime"):
            _say_read(found, at, column, preparations)
        elif column.type == "text":
            read = _read(found, column, preparations)
        made.append(replace(read, is_month=read.type == "date" and _are_months(found, at)))
    return made


def _are_months(found: FoundTable, at: int) -> bool:
    words = [row[at] for row in found.rows[:_LOOKED_AT] if row[at] not in (None, "")]
    return bool(words) and all(
        isinstance(word, str) and _YEAR_AND_MONTH.fullmatch("".join(narrow(word).split()))
        for word in words
    )


_PARTS = {
    "year": ("year", "年", "西暦"),
    "month": ("month", "月"),
    "day": ("day", "date", "日"),
}


def with_joined_dates(
    columns: Sequence[TabularColumn], preparations: Preparations
) -> list[TabularColumn]:
    """年, 月 and 日 in columns of their own are one date too; they stay."""
    by_name = {narrow(one.name).strip().lower(): one for one in columns if one.type == "integer"}
    parts = {
        part: next((by_name[name] for name in names if name in by_name), None)
        for part, names in _PARTS.items()
    }
    year, month, day = parts["year"], parts["month"], parts["day"]
    is_dated = any(column.type in ("date", "datetime") for column in columns)
    if year is None or month is None or is_dated or not preparations.wants("dates"):
        return list(columns)
    days = day.cells if day else (1,) * len(year.cells)
    numbers = zip(year.cells, month.cells, days, strict=True)
    made = [_day(*each) for each in numbers]
    if not any(made) or made.count(None) > len(made) * (1 - _SURE):
        return list(columns)
    title = tell(f"analysis_ready.period.{'date' if day else 'day'}")
    *_, name = column_names([*(column.name for column in columns), title])
    said = few(one.name for one in (year, month, day) if one is not None)
    preparations.say("dates", "dates_joined", columns=said, column=name)
    return [*columns, TabularColumn(name, "date", made)]


def _day(year: Cell, month: Cell, day: Cell) -> date | None:
    if not (isinstance(year, int) and isinstance(month, int) and isinstance(day, int)):
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def dates_in_words(found: FoundTable, columns: Sequence[TabularColumn]) -> list[int]:
    """Places of columns whose dates are words in the file, for whoever wants them as they are."""
    return [
        at
        for at, column in enumerate(columns)
        if column.type in ("date", "datetime")
        and any(isinstance(row[at], str) for row in found.rows)
    ]


def _say_read(
    found: FoundTable, at: int, column: TabularColumn, preparations: Preparations
) -> None:
    """Not of 2025-04-01 in a CSV file, which can't be written otherwise."""
    is_workbook = bool(found.sheet.strip("#0123456789"))
    words = (row[at] for row in found.rows[:_LOOKED_AT])
    odd = [
        cell
        for cell in words
        if isinstance(cell, str) and cell.strip() and (is_workbook or not _PLAIN.fullmatch(cell))
    ]
    if odd:
        count = sum(cell is not None for cell in column.cells)
        preparations.say("dates", "dates", column=column.name, count=count, example=few(odd[:1]))


def _read(found: FoundTable, column: TabularColumn, preparations: Preparations) -> TabularColumn:
    words = [str(cell) for cell in column.cells if cell is not None and str(cell).strip()]
    different = list(dict.fromkeys(words[:_LOOKED_AT]))
    if not different or not any(map(_may_be, different)):
        return column
    different = list(dict.fromkeys(words))
    if len(different) > _MOST_DIFFERENT or any(len(word) > _LONGEST for word in different):
        return column
    days = _months(found, column.cells, different)
    if days is not None:
        example = different[0]
        preparations.say("dates", "dates", column=column.name, count=len(words), example=example)
        return replace(column, type="date", cells=days)
    read = _days(found, different) or _slashed(different)
    if read is not None:
        example = different[0]
        preparations.say("dates", "dates", column=column.name, count=len(words), example=example)
        return replace(column, type="date", cells=[read.get(str(cell)) for cell in column.cells])
    unread = {word: None for word in different if parse_date(word) is None}
    count = sum(word in unread for word in words)
    if 0 < count <= len(words) * _READABLE:
        preparations.say(
            "dates",
            "dates_in_part",
            is_done=False,
            column=column.name,
            count=count,
            all=len(words),
            cells=few(unread),
        )
    return column


_MONTH_AND_DAY = re.compile(r"(\d{1,2})(?:月|/|-)(\d{1,2})日?", re.ASCII)


def _days(found: FoundTable, different: Sequence[str]) -> dict[str, date] | None:
    """Days in several spellings, also 20250401, and 4月1日 where the title has the year."""
    said = year_in((*found.above, found.sheet))
    made: dict[str, date] = {}
    for word in different:
        day = parse_date(word, compact=True)
        if (
            day is None
            and said is not None
            and (form := _MONTH_AND_DAY.fullmatch(narrow(word).strip()))
        ):
            month, number = int(form[1]), int(form[2])
            year, is_fiscal = said
            try:
                day = date(year + int(is_fiscal and month < FISCAL_START), month, number)
            except ValueError:
                return None
        if day is None:
            return None
        made[word] = day.date() if isinstance(day, datetime) else day
    return made if all(1900 <= day.year <= 2100 for day in made.values()) else None


_SLASHED = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})", re.ASCII)


def _slashed(different: Sequence[str]) -> dict[str, date] | None:
    """31/01/2025 and 01/31/2025: which comes first is told by days after the twelfth."""
    forms = {word: _SLASHED.fullmatch(narrow(word).strip()) for word in different}
    parts = {word: [int(part) for part in form.groups()] for word, form in forms.items() if form}
    is_day_first = any(first > 12 for first, _, _ in parts.values())
    is_month_first = any(second > 12 for _, second, _ in parts.values())
    if len(parts) < len(forms) or is_day_first == is_month_first:
        return None
    days = {
        word: _day(year, second if is_day_first else first, first if is_day_first else second)
        for word, (first, second, year) in parts.items()
    }
    return {word: day for word, day in days.items() if day} if all(days.values()) else None


def _may_be(word: str) -> bool:
    form = "".join(narrow(word).split())
    is_written = _SLASHED.fullmatch(form) is not None or _ENGLISH.fullmatch(form) is not None
    return is_written or "月" in word or word[:4].isdecimal() or parse_date(word) is not None


def _months(
    found: FoundTable, cells: Sequence[Cell], different: Sequence[str]
) -> list[date | None] | None:
    forms = {word: "".join(narrow(word).split()) for word in different}
    if all(map(_YEAR_AND_MONTH.fullmatch, forms.values())):
        read = {word: as_month(form) for word, form in forms.items()}
        if all(day and 1900 <= day.year <= 2100 for day in read.values()):
            return [read.get(str(cell)) for cell in cells]
    if all(map(_MONTH.fullmatch, forms.values())):
        return _of_year(found, cells, {w: int(f.partition("月")[0]) for w, f in forms.items()})
    english = {word: _ENGLISH.fullmatch(form) for word, form in forms.items()}
    told = {word: (form, month_number(form["name"])) for word, form in english.items() if form}
    if len(told) < len(forms):
        return None
    if all(form["year"] for form, _ in told.values()):
        days = {word: _day(int(f["year"][-2:]) + 2000, n, 1) for word, (f, n) in told.items()}
        return [days.get(str(cell)) for cell in cells]
    is_bare = not any(form["year"] for form, _ in told.values()) and len(told) > 1
    return _of_year(found, cells, {word: n for word, (_, n) in told.items()}) if is_bare else None


def _of_year(
    found: FoundTable, cells: Sequence[Cell], numbers: dict[str, int]
) -> list[date | None] | None:
    """The months of the one year that the title or the sheet's name tells."""
    said = year_in((*found.above, found.sheet))
    if said is None or not all(1 <= number <= 12 for number in numbers.values()):
        return None
    year, is_fiscal = said
    days: list[date | None] = []
    last, later = 0, 0
    for cell in cells:
        number = numbers.get(str(cell))
        if number is None:
            days.append(None)
            continue
        if is_fiscal:
            later = int(number < FISCAL_START)
        elif number < last == 12 and not later:
            later = 1  # 11月, 12月, 1月: the year goes on
        last = number
        days.append(date(year + later, number, 1))
    return days


def year_in(lines: Iterable[str]) -> tuple[int, bool] | None:
    """The one year that they tell, and whether it is a fiscal one; 2025年度 before 2025/10/6."""
    found = {
        (
            int(year) if year else western(era, 1 if count == "元" else int(count)),
            bool(fiscal),
            bool(word),
        )
        for line in lines
        for year, era, count, word, fiscal in _YEAR.findall(narrow(line))
    }
    said = {one[:2] for one in found if one[2]} or {one[:2] for one in found}
    return said.pop() if len(said) == 1 else None
