"""Where a table really begins: below its title lines, at its header if it has one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.documents.columns import Cell, ColumnType, infer_columns
from sanbo.documents.values import parse_boolean, parse_date, parse_number
from sanbo.kernel.messages import tell

_MOST_TITLE_LINES = 30
ROWS_TO_JUDGE_BY = 200
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Head:
    title_lines: int
    """Rows above the table: its title, a date of printing, a period."""
    has_header: bool


def find_head(rows: Sequence[Sequence[Cell]]) -> Head:
    """`rows` without empty ones, from the top of the file or sheet."""
    begin = first_full_row(rows)
    return Head(begin, begin < len(rows) and is_header(rows[begin], rows[begin + 1 :]))


def first_full_row(rows: Sequence[Sequence[Cell]]) -> int:
    """The first row that fills about as many cells as the rows below it do."""
    filled = [_filled(row) for row in rows[:ROWS_TO_JUDGE_BY]]
    usual = _usual(filled)
    if usual < 2:
        return 0
    enough = max(2, usual // 2 + 1)
    for number, count in enumerate(filled[: _MOST_TITLE_LINES + 1]):
        if count >= enough:
            return number
    return 0


def _filled(row: Sequence[Cell]) -> int:
    return sum(1 for cell in row if not is_empty(cell))


def is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _usual(filled: Sequence[int]) -> int:
    """The commonest number of cells; of equally common ones, the larger."""
    return max(Counter(filled).items(), key=lambda item: (item[1], item[0]))[0] if filled else 0


def is_header(row: Sequence[Cell], body: Sequence[Sequence[Cell]], *, surely: bool = False) -> bool:
    """`surely`: only where the kinds of values below show it."""
    names = [cell for cell in row if not is_empty(cell)]
    if not body or not names or not all(_is_name(cell) for cell in names):
        return False
    if len(names) <= len(row) / 2 or len(set(map(str, names))) < len(names) / 2:
        return False
    sample = body[:ROWS_TO_JUDGE_BY]
    if any(_is_year(cell) and _are_years(sample, column) for column, cell in enumerate(row)):
        return False
    types = infer_columns(sample)
    if any(_differs(cell, kind) for cell, kind in zip(row, types, strict=False)):
        return True
    if surely or len(row) == 1:
        return False  # a list of words, of which the first is one
    # Text all over: names stand once, values may stand again.
    return not any(
        cell == other[column]
        for other in sample
        for column, cell in enumerate(row)
        if column < len(other) and not is_empty(cell)
    )


def _is_name(cell: Cell) -> bool:
    """Words; or a year, as in the columns 科目, 2023, 2024."""
    if _is_year(cell):
        return True
    if not isinstance(cell, str):
        return False
    text = cell.strip()
    return len(text) <= _LONGEST_NAME and parse_number(text) is None and parse_date(text) is None


def _is_year(cell: Cell) -> bool:
    value = parse_number(cell) if isinstance(cell, str) else cell
    return isinstance(value, int) and 1900 <= value <= 2100


def _are_years(rows: Sequence[Sequence[Cell]], column: int) -> bool:
    return all(_is_year(row[column]) for row in rows if column < len(row))


def _differs(cell: Cell, kind: ColumnType) -> bool:
    if kind in ("text", "empty") or not isinstance(cell, str) or not cell.strip():
        return False
    if kind == "boolean":
        return parse_boolean(cell) is None
    return parse_number(cell) is None and parse_date(cell) is None


def column_names(header: Sequence[str]) -> list[str]:
    """Every column named, no two alike: 列3 for an empty name, 金額_2 for the second 金額."""
    written = [" ".join(name.split()) for name in header]
    taken = set(written)
    counts: Counter[str] = Counter()
    names: list[str] = []
    for number, name in enumerate(written, start=1):
        counts[name] += 1
        if name and counts[name] == 1:
            names.append(name)
            continue
        wanted = name or tell("column_unnamed", number=number)
        free = wanted
        while free in taken:
            counts[wanted] += 1
            free = f"{wanted}_{max(2, counts[wanted])}"
        taken.add(free)
        names.append(free)
    return names
