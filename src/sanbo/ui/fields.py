"""One widget for each type of field; a change is remembered before anything else happens."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import pandas as pd
import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.runs.model import Requirement
from sanbo.ui.attachments import draw_attachments
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import slot

_SHORT_TEXT = 120
# Beyond these a browser can't hold a whole number exactly, and Streamlit refuses to show it.
_EXACT = 2**53 - 1


def draw_field(form: KeptForm, field: Requirement) -> None:
    with st.container(gap="xsmall"):
        if field.kind.widget == "files":
            draw_attachments(form, field, label_of(field))
        else:
            _draw_widget(form, field)
        if field.description:
            st.caption(paragraphs(field.description))
        draw_faults(form, field.id)


def draw_text(form: KeptForm, name: str, label: str) -> None:
    """A free text that the mode itself asks for: comment, response."""
    key = prepared(form, name, str(form.value(name) or ""))
    with st.container(gap="xsmall"):
        st.text_area(literal(label), key=key, height=96, on_change=remember, args=(form, name, key))
        draw_faults(form, name)


def draw_faults(form: KeptForm, name: str) -> None:
    faults = form.faults(name)
    with slot(filled=bool(faults)):
        for message in faults:
            st.markdown(f":red[:small[:material/error: {literal(message)}]]")


def label_of(field: Requirement) -> str:
    """Said in words: a screen reader reads it too."""
    return literal(field.label) + (tell("ui.form.required") if field.required else "")


def _draw_widget(form: KeptForm, field: Requirement) -> None:
    draw = _OF_ONE_TYPE.get(field.type) or _WIDGETS[field.kind.widget]
    key = form.widget_key(field.id)
    draw(form, field, {"key": key, "on_change": remember, "args": (form, field.id, key)})


def _draw_checkbox(form: KeptForm, field: Requirement, told: dict[str, Any]) -> None:
    prepared(form, field.id, bool(form.value(field.id)))
    st.checkbox(label_of(field), **told)


def _draw_number(form: KeptForm, field: Requirement, told: dict[str, Any]) -> None:
    whole = field.validation.integer
    prepared(form, field.id, _number(form.value(field.id), whole))
    # No limits here: a browser would silently cut what was typed; the check tells.
    step, written = (1, "%d") if whole else (1.0, "%g")
    st.number_input(label_of(field), value=None, step=step, format=written, **told)


def _draw_choice(form: KeptForm, field: Requirement, told: dict[str, Any]) -> None:
    prepared(form, field.id, _position(field, form.value(field.id)))
    # By position: options may be numbers, texts or yes/no, and True equals 1.
    values = [option.value for option in field.options]
    labels = [option.label for option in field.options]
    told["args"] = (*told["args"], values)
    st.selectbox(
        label_of(field),
        range(len(labels)),
        index=None,
        format_func=labels.__getitem__,
        placeholder=tell("ui.form.choose"),
        **told,
    )


def _draw_words(form: KeptForm, field: Requirement, told: dict[str, Any]) -> None:
    prepared(form, field.id, str(form.value(field.id) or ""))
    if field.secret:
        st.text_input(label_of(field), type="password", autocomplete="new-password", **told)
    elif _is_short(field):
        st.text_input(label_of(field), **told)
    else:
        height = 96 if field.kind.widget == "line" else 120
        st.text_area(label_of(field), height=height, **told)


def _draw_grid(form: KeptForm, field: Requirement, told: dict[str, Any]) -> None:
    """Cells are texts, but for choices and yes or no: the check reads them as people write them."""
    st.markdown(label_of(field))
    key = told["key"]
    # A grid is given the rows that it began with: what was changed since, it adds itself.
    if f"{key}::rows" not in st.session_state:
        st.session_state[f"{key}::rows"] = _frame(field, form.value(field.id))
    edited = cast("Any", st).data_editor(
        st.session_state[f"{key}::rows"],
        key=key,
        num_rows="dynamic",
        hide_index=True,
        column_config={column.id: _column(column) for column in field.columns},
    )
    rows = [_row(field, row) for row in edited.to_dict("records")]
    if rows != form.value(field.id):
        form.remember(field.id, cast("JsonValue", rows))


def _frame(field: Requirement, value: JsonValue) -> pd.DataFrame:
    given = cast("list[dict[str, JsonValue]]", value if isinstance(value, list) else [])
    ids = pd.Index([column.id for column in field.columns])
    frame = pd.DataFrame([_row(field, row) for row in given], columns=ids)
    boxes = [each.id for each in field.columns if each.kind.widget == "checkbox"]
    return frame.astype({name: "bool" if name in boxes else "object" for name in ids})


def _row(field: Requirement, row: Mapping[Any, Any]) -> dict[str, JsonValue]:
    cells: dict[str, JsonValue] = {}
    for column in field.columns:
        cell = row.get(column.id)
        if column.kind.widget == "checkbox":
            cells[column.id] = cell is True
        else:
            cells[column.id] = None if pd.isna(cell) else str(cell)
    return cells


def _column(column: Requirement) -> Any:
    label = column.label + (tell("ui.form.required") if column.required else "")
    config = st.column_config
    if column.kind.widget == "checkbox":
        return config.CheckboxColumn(label, help=column.description or None)
    if column.kind.has_options:
        options = [str(option.value) for option in column.options]
        return config.SelectboxColumn(label, help=column.description or None, options=options)
    return config.TextColumn(label, help=column.description or None)


def prepared(form: KeptForm, name: str, value: object) -> str:
    """Gives a widget that the browser does not know yet the value that was kept."""
    key = form.widget_key(name)
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def remember(
    form: KeptForm, name: str, key: str, values: Sequence[JsonValue] | None = None
) -> None:
    """`values`: what the widget's positions stand for."""
    if key != form.widget_key(name):
        return  # of a widget that a reset has replaced: a slow browser still tells of it
    chosen = cast("JsonValue", st.session_state[key])
    form.remember(name, values[chosen] if values and isinstance(chosen, int) else chosen)


def _is_short(field: Requirement) -> bool:
    limit = field.validation.max_length
    return field.kind.widget == "line" and (
        field.validation.pattern is not None or (limit is not None and limit <= _SHORT_TEXT)
    )


def _number(value: JsonValue, whole: bool) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _EXACT:
        return None
    return int(value) if whole and float(value).is_integer() else float(value)


def _position(field: Requirement, value: JsonValue) -> int | None:
    for position, option in enumerate(field.options):
        if option.value == value and isinstance(option.value, bool) == isinstance(value, bool):
            return position
    return None


_Draw = Callable[[KeptForm, Requirement, dict[str, Any]], None]
_WIDGETS: Mapping[str, _Draw] = {
    "checkbox": _draw_checkbox,
    "number": _draw_number,
    "choice": _draw_choice,
    "line": _draw_words,
    "area": _draw_words,
    "grid": _draw_grid,
}
_OF_ONE_TYPE: Mapping[str, _Draw] = {}
"""A widget that one type of field alone has."""
