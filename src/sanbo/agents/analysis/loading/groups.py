"""Names of groups that stand once, over the rows that they are for: 関東 beside the first only."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sanbo.agents.analysis.loading.preparations import Preparations, few
from sanbo.documents.columns import Cell
from sanbo.documents.found_table import FoundTable
from sanbo.documents.table_heads import column_names, is_empty
from sanbo.kernel.messages import tell

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
