"""Names of groups that stand once, over the rows that they are for: 関東 beside the first only."""

from dataclasses import replace

from sanbo.agents.analysis.loading.preparations import Preparations, few
from sanbo.documents.columns import Cell
from sanbo.documents.found_table import FoundTable
from sanbo.documents.table_heads import is_empty

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


def _are_groups(names: list[Cell], said: list[Cell]) -> bool:
    """Words, the first over the first row, and no group begins twice."""
    is_begun = not is_empty(names[0]) and len(said) > 1
    return is_begun and all(isinstance(name, str) for name in said) and len(set(said)) == len(said)
