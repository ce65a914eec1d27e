"""Units: in a column's name, over a table, under its header, behind its figures."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sanbo.agents.analysis.loading.word_lists import WORDS, Preparations, ends_with, few, narrow
from sanbo.documents.columns import Cell
from sanbo.documents.file_table import FoundTable, TabularColumn
from sanbo.documents.table_heads import ROWS_TO_JUDGE_BY, is_empty
from sanbo.kernel.text import matching_form
from sanbo.tables.values import as_number

_KNOWN = frozenset(map(matching_form, WORDS.units.split()))
_PER_KNOWN = _KNOWN | frozenset(map(matching_form, WORDS.per))
_SCALE = re.compile("(?:[十百千]?[万億兆]|[十百千])")
_BRACKETS_AT_END = re.compile(r"[(（\[［]\s*([^()（）\[\]［］]{1,20})[)）\]］]\s*$")
_LABEL = re.compile(r"^(?:単位|units?)\s*[:：は]?\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[・、,，;；\s]+")
_MOST_BRACKETS = 3
# In thousands; USD millions; thousands of yen; $000.
_MONEY_WORD = r"(?:usd|jpy|eur|gbp|cny|yen|(?:us )?dollars?|euros?|pounds?|us\$|[$¥€£])"
_ENGLISH_SCALE = re.compile(
    rf"(?:in )?(?:{_MONEY_WORD} ?)?(?:in )?(?:(?:hundred|thousand|million|billion)s?|000'?s?)"
    rf"(?: of (?:{_MONEY_WORD}|people|units))?(?: {_MONEY_WORD})?"
)
_ENGLISH_SCALE_IN_LINE = re.compile(
    rf"\bin (?:{_MONEY_WORD} )?(?:thousand|million|billion)s?(?: of {_MONEY_WORD})?\b"
)
_LINE = re.compile(r"(?:単位|units?) ?[:はは]? ?([^()\[\]【】]{1,40})")
_IN_BRACKETS = re.compile(r"[(\[【]([^()\[\]【】]{1,30})[)\]】]")
_MONEY = re.compile(
    r"円|ドル|ユーロ|元|ウォン|[$¥€£]|usd|jpy|eur|gbp|yen|dollar|euro|thousand|million|billion|000"
)
_MEASURED = frozenset(("kg", "km", "cm", "mm", "ml", "kwh"))
"""GROSS_WT_KG; of fewer letters it may be anything (Plan_T)."""
_LONGEST_LINE = 200
_AFTER_NAME = re.compile(r"[\s_・]+")


def unit_in(name: str) -> str:
    """金額（千円） and 金額（単位：千円、税込） are in 千円; empty where the brackets say else.

    上期（千円）_実績, of two rows of headings, too; but not 上期（千円）_達成率.
    """
    above, joined, lowest = name.rpartition("_")
    if joined and not _unit_at_end(name):
        is_other = ends_with(lowest, (*WORDS.identifiers, *WORDS.rates, *WORDS.counts))
        return "" if is_other or not _MONEY.search(matching_form(above)) else unit_in(above)
    return _unit_at_end(name)


def _unit_at_end(name: str) -> str:
    for _ in range(_MOST_BRACKETS):
        found = _BRACKETS_AT_END.search(name)
        if found is None:
            *before, last = _AFTER_NAME.split(name)
            is_told = is_unit(last) and (_MONEY.search(last) or last.casefold() in _MEASURED)
            return last if before and is_told else ""
        inside = _LABEL.sub("", found[1].strip())
        for part in (inside, *_BETWEEN.split(inside)):
            if is_unit(part):
                return part.removeprefix("in ")
        name = name[: found.start()]
    return ""


def is_unit(word: str) -> bool:
    form = matching_form(word)
    if form in _KNOWN or _SCALE.fullmatch(form):
        return True
    if _ENGLISH_SCALE.fullmatch(form):
        return True
    above, *below = form.split("/")
    counted = above in _KNOWN or _SCALE.sub("", above, count=1) in _KNOWN
    return counted and all(part in _PER_KNOWN for part in below)


# Of a whole table


def with_unit_row(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Units that stand in a row of their own under the header are those of its columns."""
    if len(found.rows) < 2 or not found.names or not preparations.wants("unit"):
        return found
    units = {
        name: _bracketless(str(cell))
        for name, cell in zip(found.names, found.rows[0], strict=False)
        if not is_empty(cell)
    }
    is_value = any(_repeats(found, at) for at, name in enumerate(found.names) if name in units)
    if not units or is_value or not all(map(is_unit, units.values())):
        return found
    said = few(f"{name}：{unit}" for name, unit in units.items())
    preparations.say("unit", "unit_row", row=found.row_numbers[0], units=said)
    return replace(found, units=units, rows=found.rows[1:], row_numbers=found.row_numbers[1:])


def _bracketless(text: str) -> str:
    return text.strip().strip("()（）[]［］【】").strip()[:20]


def _repeats(found: FoundTable, at: int) -> bool:
    """人 in a column of 人 and 台 is a value."""
    return any(row[at] == found.rows[0][at] for row in found.rows[1:ROWS_TO_JUDGE_BY])


def units_of_title(
    found: FoundTable, columns: Sequence[TabularColumn], preparations: Preparations
) -> Mapping[str, str]:
    """（単位：千円） over a table holds for its figures, but not for counts and rates."""
    if not preparations.wants("unit"):
        return found.units
    said = list(
        dict.fromkeys(unit for line in (*found.above, *found.below) for unit in _said_in(line))
    )
    money = [unit for unit in said if _MONEY.search(matching_form(unit))]
    others = [unit for unit in said if unit not in money and unit not in ("%", "％")]
    given: dict[str, str] = {}
    for column in columns:
        if column.type not in ("integer", "number") or unit_in(column.name):
            continue
        if column.name in found.units:
            continue
        if ends_with(column.name, (*WORDS.identifiers, *WORDS.rates)) or _are_years(column):
            continue
        counts = ends_with(column.name, WORDS.counts) and not _is_month(column.name)
        fitting = others if (counts and money) or not money else money
        if len(fitting) == 1:
            given[column.name] = fitting[0]
    for unit in dict.fromkeys(given.values()):
        names = [name for name, each in given.items() if each == unit]
        preparations.say("unit", "unit_of_title", unit=unit, count=len(names), columns=few(names))
    return {**given, **found.units}


def _said_in(line: str) -> Iterator[str]:
    """By 単位：; in brackets alone only money, as （年） says something else."""
    if len(line) > _LONGEST_LINE:
        return
    form = " ".join(narrow(line).split())
    if found := _LINE.search(form.lower()):
        inside = form[found.start(1) : found.end(1)]
        parts = [inside, *_BETWEEN.split(inside)]
        units = (
            [parts[0].strip()]
            if is_unit(parts[0].strip())
            else [p for p in parts[1:] if is_unit(p)]
        )
        yield from units
        return
    for found in _IN_BRACKETS.finditer(form):
        if is_unit(found[1].strip()) and _MONEY.search(found[1].lower()):
            yield found[1].strip().removeprefix("in ")
            return
    if found := _ENGLISH_SCALE_IN_LINE.search(form.lower()):
        yield form[found.start() : found.end()][len("in ") :]


def _are_years(column: TabularColumn) -> bool:
    numbers = [cell for cell in column.cells[:ROWS_TO_JUDGE_BY] if cell is not None]
    return all(isinstance(cell, int) and 1900 <= cell <= 2100 for cell in numbers) and ends_with(
        column.name, ("年", "年度", "year", "fy")
    )


def _is_month(name: str) -> bool:
    """4月 or 売上_4月 holds amounts of that month."""
    return bool(re.search(r"\d月$", narrow(name)))


_FIGURE = re.compile(r"([-+▲△]?[\d,]+(?:\.\d+)?) ?([^\d\s.,]{1,8})?", re.ASCII)
_NOTE = re.compile(r" ?[(]?(?:※|\*|注)\d{0,2}[)]?$", re.ASCII)
_LONGEST = 30
# 3年 and 4月 are times, and 2日 a day.
_TIMES = frozenset("年月日週時分秒")
# 1組 and 2階 are names, of which nothing is added up; 予約組数 counts them.
_NAMES = frozenset("組階号番期位級類便班課区棟室代") | {"年生", "回生", "号室", "丁目", "番線"}


def with_figures_alone(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Where all cells of a column are so, with one unit; it becomes the column's."""
    if not preparations.wants("unit"):
        return found
    for at, name in enumerate(found.names):
        cells = [row[at] for row in found.rows[:ROWS_TO_JUDGE_BY] if not is_empty(row[at])]
        if not any(map(_is_dressed, cells)) or not all(map(_read, cells)):
            continue
        nothing: tuple[Cell, str] = (None, "")
        read = [nothing if is_empty(row[at]) else _read(row[at]) for row in found.rows]
        whole = [each for each in read if each is not None]
        units = {unit for _, unit in whole if unit}
        is_named = not units.isdisjoint(_NAMES) and "数" not in name
        if len(units) > 1 or len(whole) < len(read) or is_named:
            continue
        dressed = [row[at] for row in found.rows if _is_dressed(row[at])]
        preparations.say(
            "unit", "figures", column=name, count=len(dressed), example=few(dressed[:1])
        )
        rows = [
            [*row[:at], figure, *row[at + 1 :]]
            for row, (figure, _) in zip(found.rows, whole, strict=True)
        ]
        unit = next(iter(units), "")
        found = replace(found, rows=rows, units={**found.units, name: unit})
    return found


def _is_dressed(cell: Cell) -> bool:
    return isinstance(cell, str) and as_number(cell) is None and _read(cell) is not None


def _read(cell: Cell) -> tuple[Cell, str] | None:
    """The figure, and its unit if it has one; None of what is no figure."""
    if not isinstance(cell, str):
        return (cell, "") if isinstance(cell, int | float) else None
    if len(cell) > _LONGEST:
        return None
    if as_number(cell) is not None:
        return cell, ""
    found = _FIGURE.fullmatch(_NOTE.sub("", narrow(cell).strip()))
    number = None if found is None else as_number(found[1])
    if found is None or number is None:
        return None
    unit = found[2] or ""
    return (number, unit) if not unit or (is_unit(unit) and unit not in _TIMES) else None
