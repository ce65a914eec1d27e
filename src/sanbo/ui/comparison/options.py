"""What a person may say besides the two documents: columns of tables, folding, how thorough."""

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.ui import connection
from sanbo.ui.comparison.columns import draw_columns
from sanbo.ui.comparison.given import holds_tables
from sanbo.ui.fields import prepared, remember
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.slots import slot


def draw_options(form: KeptForm) -> None:
    has_tables = holds_tables(form.state.values)
    with slot(filled=has_tables):
        if has_tables:
            draw_columns(form)
    with st.container(horizontal=True, gap="medium"):
        _draw_choice(form, "fold_renumbered")
        if has_model():
            _draw_choice(form, "every_chunk")


def has_model() -> bool:
    try:
        return connection.bench().workbench.engine().provider != "rules"
    except SanboError:  # the start says what is missing
        return False


def _draw_choice(form: KeptForm, name: str) -> None:
    key = prepared(form, name, bool(form.value(name)))
    st.checkbox(
        tell(f"ui.comparison.option.{name}"),
        key=key,
        help=tell(f"ui.comparison.option.{name}_help"),
        on_change=remember,
        args=(form, name, key),
        width="content",
    )
