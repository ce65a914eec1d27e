"""The columns of tables that are compared row by row, chosen by the headings in the files."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import FileRef
from sanbo.ui import connection
from sanbo.ui.attachments import attached
from sanbo.ui.comparison.given import COLUMNS, SIDES, is_table
from sanbo.ui.fields import draw_faults, prepared, remember
from sanbo.ui.kept_form import KeptForm

LARGEST = 5_000_000
"""Larger files are not read just to offer their headings; those can be typed."""
MOST_FILES = 4
_HEADINGS = "comparison_headings"


def draw_columns(form: KeptForm) -> None:
    is_open = any(form.value(name) for name in COLUMNS)
    with st.expander(
        tell("ui.comparison.option.tables"), icon=":material/table_rows:", expanded=is_open
    ):
        st.caption(literal(tell("ui.comparison.option.tables_help")))
        offered = _offered(form)
        for name, column in zip(COLUMNS, st.columns(2, gap="medium"), strict=True):
            with column:
                _draw_column(form, name, offered)


def _draw_column(form: KeptForm, name: str, offered: list[str]) -> None:
    chosen = str(form.value(name) or "")
    key = prepared(form, name, chosen or None)
    st.selectbox(
        tell(f"ui.comparison.option.{name}"),
        [*offered, *([chosen] if chosen and chosen not in offered else [])],
        index=None,
        key=key,
        accept_new_options=True,
        placeholder=tell("ui.comparison.option.column_choose"),
        on_change=remember,
        args=(form, name, key),
    )
    draw_faults(form, name)


def _offered(form: KeptForm) -> list[str]:
    """Headings of all tables; what can't be read is told when it is compared."""
    files = [file for side in SIDES["files"] for file in attached(form.value(side))]
    tables = [file for file in files if is_table(file) and file.size <= LARGEST]
    known: dict[str, tuple[str, ...]] = st.session_state.setdefault(_HEADINGS, {})
    for file in tables[:MOST_FILES]:
        if file.file_id not in known:
            known[file.file_id] = _headings(file)
    return list(dict.fromkeys(name for file in tables for name in known.get(file.file_id, ())))


def _headings(file: FileRef) -> tuple[str, ...]:
    bench = connection.bench()
    try:
        return bench.call(bench.workbench.headings(connection.caller(), file))
    except SanboError:
        return ()
