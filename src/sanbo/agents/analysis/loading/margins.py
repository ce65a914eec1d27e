"""What stands in a table's rows and is none of them: notes under it, its header once more."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

from sanbo.agents.analysis.loading.preparations import Preparations, few
from sanbo.agents.analysis.loading.word_lists import WORDS, narrow
from sanbo.documents.columns import Cell
from sanbo.documents.found_table import FoundTable
from sanbo.documents.table_heads import is_empty
from sanbo.tables.values import as_number

_NOTE = re.compile(
    f"(?:{'|'.join(map(re.escape, WORDS.notes.signs))})"
    f"|[(\\[【〔]?(?:{'|'.join(map(re.escape, WORDS.notes.words))})(?:[ \\d:)\\]】〕.、]|$)"
)
_SIGN = re.compile(r"[※*†‡]|[(\[【〔]?注[ \d:)\]】〕.、]")
_MOST_NOTES = 200
_LONGEST = 200


def without_rows(found: FoundTable, dropped: Sequence[int]) -> FoundTable:
    gone = frozenset(dropped)
    kept = [number not in gone for number in range(len(found.rows))]
    return replace(
        found,
        rows=list(compress(found.rows, kept)),
        row_numbers=list(compress(found.row_numbers, kept)),
    )


# Headers


def with_one_header(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Without its header's repetitions, as printed pages have them; says how it was read."""
    if found.above:
        preparations.say("header", "titles", count=len(found.above), lines=few(found.above))
    if not preparations.wants("header"):
        return found
    if len(found.heads) > 1:
        joined = [name for name in found.names if "_" in name]
        preparations.say("header", "levels", count=len(found.heads), names=few(joined))
    again = _headers_again(found)
    if again:
        numbers = few(found.row_numbers[row] for row in again)
        preparations.say("header", "repeated", count=len(again), rows=numbers)
    if found.pages > 1:
        preparations.say("header", "pages", count=found.pages)
    return without_rows(found, again) if again else found


def _headers_again(found: FoundTable) -> list[int]:
    again: list[int] = []
    for head in found.heads:
        filled = [at for at, cell in enumerate(head) if not is_empty(cell)]
        if len(filled) < min(2, len(head)):
            continue
        # One look a row: only where a cell is the header's own are the others compared.
        for at in filled[:2]:
            again += [
                number
                for number, row in enumerate(found.rows)
                if row[at] == head[at] and _is_head(row, head, len(filled))
            ]
    titles = {line.strip() for line in found.above}
    rows = sorted(set(again))
    for number in rows[:_MOST_NOTES]:  # the title, which stands over each page's header
        above = number - 1
        if above >= 0 and above not in again and _only_text(found.rows[above]) in titles:
            again.append(above)
    return sorted(set(again))


def _is_head(row: Sequence[Cell], head: Sequence[Cell], filled: int) -> bool:
    same = [is_empty(cell) or cell == name for cell, name in zip(row, head, strict=True)]
    return all(same) and sum(not is_empty(cell) for cell in row) * 2 > filled


# Notes


def without_notes(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Without the lines under the table: they fill one cell and say so, or stand below a gap."""
    if not preparations.wants("notes"):
        return found
    last = first = len(found.rows)
    while last and first - last < _MOST_NOTES:
        row = found.rows[last - 1]
        words = _first_words(row)
        if not words:
            break
        last -= 1
        alone = _only_text(row)
        is_note = (_NOTE if alone else _SIGN).match(words)
        if is_note or (alone and _is_below_a_gap(found, last)):
            first = last
    if first == len(found.rows) or not first:
        return found
    notes = range(first, len(found.rows))
    lines = [" ".join(str(cell) for cell in found.rows[n] if not is_empty(cell)) for n in notes]
    preparations.say("notes", "notes", count=len(lines), lines=few(lines))
    return replace(without_rows(found, notes), below=(*lines, *found.below))


def _first_words(row: Sequence[Cell]) -> str:
    """Of a row with hardly a cell in it, and no figure."""
    filled = [cell for cell in row if not is_empty(cell)]
    if not filled or len(filled) > max(1, min(2, len(row) - 1)):
        return ""
    if any(not isinstance(cell, str) or as_number(cell) is not None for cell in filled):
        return ""
    return narrow(str(filled[0])[:_LONGEST]).strip().lower()


def _only_text(row: Sequence[Cell]) -> str:
    filled = [cell for cell in row if not is_empty(cell)]
    return filled[0].strip() if len(filled) == 1 < len(row) and isinstance(filled[0], str) else ""


def _is_below_a_gap(found: FoundTable, at: int) -> bool:
    if not at:
        return False
    lines = 1 + max(
        (cell.count("\n") for cell in found.rows[at - 1] if isinstance(cell, str)), default=0
    )
    return found.row_numbers[at] - found.row_numbers[at - 1] > lines
