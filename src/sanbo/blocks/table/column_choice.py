"""Columns that a plan names: one or several, and all of them there."""

from collections.abc import Sequence

from sanbo.kernel.problems import InvalidInput

Names = str | list[str]


def chosen(names: Names, columns: Sequence[str], port: str) -> list[str]:
    """Each once. A table without rows has no columns to compare with."""
    wanted = [names] if isinstance(names, str) else names
    for name in wanted:
        if columns and name not in columns:
            known = "、".join(columns)
            raise InvalidInput("table_column_unknown", port=port, column=name, known=known)
    return list(dict.fromkeys(wanted))
