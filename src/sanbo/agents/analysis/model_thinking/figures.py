"""Cells of results as a person would write them, so that a model can copy and need not convert."""

from sanbo.agents.analysis.outcome import JsonCell, TableColumn

_MOST_DECIMALS = 4


def written(cell: JsonCell, column: TableColumn) -> str:
    """33,210,000円, 12.3%, 2025-04."""
    if cell is None:
        return ""
    if isinstance(cell, bool | str):
        return str(cell)
    if column.kind == "share":
        return f"{_plain(cell * 100, 1)}%"
    unit = column.unit if column.kind in ("integer", "number") else ""
    return f"{_plain(cell, _decimals(cell))}{unit}"


def _decimals(value: float) -> int:
    """Small numbers keep what matters of them: 0.00012 is not 0."""
    if value == 0 or abs(value) >= 1:
        return 2
    digits = f"{value:.3e}"
    return max(_MOST_DECIMALS, 2 - int(digits.split("e")[1]))


def _plain(value: float, decimals: int) -> str:
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    text = f"{value:,.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
