"""Rows and columns as a grid that sorts by value and shows numbers as the report does."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from sanbo.agents.analysis.outcome import CellKind, JsonCell
from sanbo.service.analysis import cell_shower

WHOLE_ROWS = 12
"""Up to so many are shown without scrolling."""
_LARGEST = 2**63 - 1

Rows = Sequence[Sequence[JsonCell]]


def draw_grid(
    names: Sequence[str], rows: Rows, *, kinds: Sequence[CellKind] = (), alt: str = ""
) -> None:
    """With `kinds` cells are shown as those of a result, else as they are."""
    shown: Any = shown_frame(names, rows, kinds) if kinds and rows else frame_of(names, rows)
    height = "content" if len(rows) <= WHOLE_ROWS else "auto"
    st.dataframe(shown, hide_index=True, height=height, alt=alt or None)  # pyright: ignore[reportUnknownMemberType]


def shown_frame(names: Sequence[str], rows: Rows, kinds: Sequence[CellKind]) -> Styler:
    """Sorted by its values, read by its texts."""
    frame = frame_of(names, rows)
    showers = {
        heading: _shower(kind, [row[position] for row in rows])
        for position, (heading, kind) in enumerate(zip(frame.columns, kinds, strict=True))
    }
    return frame.style.format(cast("Any", showers))


def frame_of(names: Sequence[str], rows: Rows) -> pd.DataFrame:
    headings = distinct_names(names)
    return pd.DataFrame(
        {
            heading: _series([row[position] for row in rows])
            for position, heading in enumerate(headings)
        }
    )


def distinct_names(names: Sequence[str]) -> list[str]:
    """A frame takes no name twice."""
    distinct: list[str] = []
    for name in names:
        heading, number = name, 1
        while heading in distinct:
            number += 1
            heading = f"{name} ({number})"
        distinct.append(heading)
    return distinct


def _series(cells: Sequence[JsonCell]) -> "pd.Series[Any]":
    """Numbers stay numbers, so that the grid sorts them; a mixture is text."""
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, int) and not isinstance(cell, bool) for cell in present):
        if all(abs(int(cell)) <= _LARGEST for cell in present):
            return pd.Series(list(cells), dtype="Int64")
    elif present and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in present
    ):
        return pd.Series(list(cells), dtype="float64")
    return pd.Series([None if cell is None else _text(cell) for cell in cells], dtype="object")


def _text(cell: JsonCell) -> str:
    return cell_shower("boolean", [cell])(cell) if isinstance(cell, bool) else str(cell)


def _shower(kind: CellKind, cells: Sequence[JsonCell]) -> Callable[[Any], str]:
    show = cell_shower(kind, cells)

    def shown(cell: Any) -> str:
        # The grid hands out NumPy's numbers.
        return show(cell.item() if hasattr(cell, "item") else cell)

    return shown
