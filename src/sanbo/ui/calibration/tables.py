"""Small tables of figures: our own tags around escaped words, narrow enough for a phone."""

from collections.abc import Sequence
from html import escape

import streamlit as st


def draw_figures(headings: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str) -> None:
    st.html(figures_table(headings, rows, caption=caption))


def figures_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str) -> str:
    """The first cell of a row names it."""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return (
        f'<div class="sanbo-figures"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[str]) -> str:
    first = f'<th scope="row">{escape(row[0])}</th>'
    return first + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
