"""What stands among a table's rows and is none: notes, headers, names of groups."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, pairwise

from sanbo.agents.analysis.loading.word_lists import WORDS, Preparations, few, narrow
from sanbo.documents.columns import Cell
from sanbo.documents.file_table import FoundTable
from sanbo.documents.table_heads import column_names, is_empty
from sanbo.kernel.messages import tell
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


_SIGNS = " \u3000■□◆◇●○▼▽◎【】<>＜＞[]［］《》"
_SURE = 0.5
_DOUBTFUL = 0.2
_LOOKED_AT = 1000
_MOST_COLUMNS = 3
"""Levels of groups, from the left."""


def with_groups_filled(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Each row under its group's name; where gaps are too few to be sure, people are told."""
    if not preparations.wants("groups") or len(found.rows) < 3:
        return found
    rows = found.rows
    for at in range(min(_MOST_COLUMNS, len(rows[0]) - 1)):
        if not any(is_empty(row[at]) for row in rows[:_LOOKED_AT]):
            break
        names = [row[at] for row in rows]
        said = [name for name in names if not is_empty(name)]
        gaps = len(names) - len(said)
        if not gaps or not _are_groups(names, said):
            break
        name = found.names[at] if at < len(found.names) else str(at + 1)
        if gaps < len(names) * _DOUBTFUL:
            break
        if gaps < len(names) * _SURE:
            preparations.say("groups", "groups_left", is_done=False, column=name, count=gaps)
            break
        preparations.say("groups", "groups", column=name, count=gaps, values=few(said))
        if rows is found.rows:
            rows = [list(row) for row in rows]
        last: Cell = None
        for row in rows:
            last = row[at] = last if is_empty(row[at]) else row[at]
    return replace(found, rows=rows)


def with_sections(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Rows that only name what stands below them, ■関東, become a column of their own."""
    if not preparations.wants("groups") or not found.names or not found.rows:
        return found
    if not _names_a_section(found.rows[0]):
        return found
    sections = [at for at, row in enumerate(found.rows) if _names_a_section(row)]
    is_followed = all(
        after - before > 1 for before, after in pairwise([*sections, len(found.rows)])
    )
    if len(sections) < 2 or not is_followed:
        return found
    *names, section = column_names([*found.names, tell("analysis_ready.section")])
    said = [str(found.rows[at][0]).strip(_SIGNS) for at in sections]
    preparations.say("groups", "sections", count=len(said), column=section, values=few(said))
    rows: list[list[Cell]] = []
    for name, (start, stop) in zip(said, pairwise([*sections, len(found.rows)]), strict=True):
        rows += [[*row, name] for row in found.rows[start + 1 : stop]]
    gone = frozenset(sections)
    numbers = [number for at, number in enumerate(found.row_numbers) if at not in gone]
    return replace(found, names=[*names, section], rows=rows, row_numbers=numbers)


def _names_a_section(row: Sequence[Cell]) -> bool:
    return (
        isinstance(row[0], str)
        and bool(row[0].strip())
        and all(map(is_empty, row[1:]))
        and len(row) > 1
    )


def _are_groups(names: list[Cell], said: list[Cell]) -> bool:
    """Words, the first over the first row, and no group begins twice."""
    is_begun = not is_empty(names[0]) and len(said) > 1
    return is_begun and all(isinstance(name, str) for name in said) and len(set(said)) == len(said)
