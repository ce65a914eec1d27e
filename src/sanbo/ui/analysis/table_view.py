"""The table that questions are about: its size, sheets, first rows and columns."""

from collections.abc import Sequence

import streamlit as st

from sanbo.agents.analysis.outcome import JsonCell
from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.service.analysis import ColumnPreview, TablePreview
from sanbo.ui.analysis.answers import draw_grid
from sanbo.ui.analysis.place import ChosenTable
from sanbo.ui.analysis.upload import choose_sheet, draw_upload, upload_turn
from sanbo.ui.rendering import scalar

FIRST_ROWS = 10
EXAMPLES = 3


def draw_table_panel(table: ChosenTable, preview: TablePreview, *, folded: bool) -> None:
    if not folded:
        with st.container(border=True, key="analysis-table"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                name = f":material/table: **{literal(preview.name)}**"
                st.markdown(f"{name} &ensp; {literal(size(preview))}", width="stretch")
                _draw_switch()
            _draw_sheets(table, preview)
            _draw_table(preview)
        return
    label = f"{literal(table_name(preview.name, preview.sheet))} ・ {literal(size(preview))}"
    with st.expander(label, icon=":material/table:", key=f"analysis-table-{preview.dataset_id}"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _draw_sheets(table, preview)
            _draw_switch()
        _draw_table(preview)


def table_name(name: str, sheet: str) -> str:
    return tell("ui.analysis.table.with_sheet", name=name, sheet=sheet) if sheet else name


def size(preview: TablePreview) -> str:
    columns = len(preview.columns)
    return tell("ui.analysis.table.size", rows=f"{preview.rows:,}", columns=f"{columns:,}")


def _draw_table(preview: TablePreview) -> None:
    for warning in preview.warnings:
        st.warning(paragraphs(warning), icon=":material/warning:")
    sample = preview.sample[:FIRST_ROWS]
    rows, columns = st.tabs(
        [
            tell("ui.analysis.table.first_rows", count=len(sample)),
            tell("ui.analysis.table.columns"),
        ]
    )
    with rows:
        names = [column.name for column in preview.columns]
        draw_grid(names, sample, alt=preview.name)
    with columns:
        headings = [tell(f"ui.analysis.table.{part}") for part in _PARTS]
        lines = [column_line(column, preview.rows) for column in preview.columns]
        draw_grid(headings, lines, alt=tell("ui.analysis.table.columns"))


def _draw_sheets(table: ChosenTable, preview: TablePreview) -> None:
    if len(preview.sheets) < 2:
        return
    key = f"analysis_sheet:{table.file.file_id}:{upload_turn()}"
    st.selectbox(
        tell("ui.analysis.table.sheet"),
        preview.sheets,
        index=preview.sheets.index(preview.sheet) if preview.sheet in preview.sheets else 0,
        key=key,
        on_change=choose_sheet,
        args=(table.file, key),
        width=280,
    )


def _draw_switch() -> None:
    with st.popover(
        tell("ui.analysis.upload.other"),
        icon=":material/swap_horiz:",
        key=f"analysis_other:{upload_turn()}",
    ):
        draw_upload("other")


_PARTS = ("column", "kind", "unit", "missing", "distinct", "values")


def column_line(column: ColumnPreview, rows: int) -> list[JsonCell]:
    return [
        column.name,
        tell(f"ui.analysis.type.{column.type}"),
        column.unit,
        missing(column.missing, rows),
        column.distinct,
        values(column),
    ]


def missing(count: int, rows: int) -> str:
    if not count or not rows:
        return "0"
    share = 100 * count / rows
    # One in a million is not none, and all but one are not all.
    shown = "<0.1%" if share < 0.1 else ">99.9%" if 99.9 < share < 100 else f"{share:.1f}%"
    return tell("ui.analysis.table.missing_share", count=f"{count:,}", share=shown)


def values(column: ColumnPreview) -> str:
    if column.minimum is not None and column.maximum is not None:
        ends = (scalar(column.minimum), scalar(column.maximum))
        return tell("ui.analysis.table.range", minimum=ends[0], maximum=ends[1])
    return _examples(column.examples, column.distinct)


def _examples(examples: Sequence[str], distinct: int) -> str:
    shown = tell("ui.analysis.table.separator").join(
        example if len(example) <= 30 else f"{example[:29]}…" for example in examples[:EXAMPLES]
    )
    if shown and distinct > EXAMPLES:
        return tell("ui.analysis.table.examples_more", examples=shown)
    return shown
