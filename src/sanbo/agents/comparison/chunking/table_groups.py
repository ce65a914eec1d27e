"""Which columns of a table say under what its rows stand: the chapter, the department."""

import re
from collections.abc import Iterator
from itertools import groupby

from sanbo.documents.model import Table

_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff]{2}")
_FEWEST_ROWS = 4


def group_columns(table: Table) -> Iterator[int]:
    """Columns of words in which rows with the same value stand together."""
    if len(table.rows) < _FEWEST_ROWS:
        return
    for place in range(len(table.columns or ())):
        cells = [row[place].strip() if place < len(row) else "" for row in table.rows]
        runs = sum(1 for _ in groupby(cells))
        is_grouped = 2 * runs <= len(cells) and runs <= 2 * len(set(cells))
        if is_grouped and 2 * sum(map(_is_name, cells)) > len(cells):
            yield place


def _is_name(cell: str) -> bool:
    return _WORD.search(cell) is not None
