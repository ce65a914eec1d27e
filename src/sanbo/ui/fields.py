"""One widget for each type of field; a change is remembered before anything else happens."""

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.runs.model import FILE_TYPES, Requirement
from sanbo.ui.attachments import draw_attachments
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.safe_markdown import paragraphs, plain
from sanbo.ui.slots import slot

_SHORT_TEXT = 120
# Beyond these a browser can't hold a whole number exactly, and Streamlit refuses to show it.
_EXACT = 2**53 - 1


def draw_field(form: KeptForm, field: Requirement) -> None:
    with st.container(gap="xsmall"):
        if field.type in FILE_TYPES:
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
        st.text_area(plain(label), key=key, height=96, on_change=remember, args=(form, name, key))
        draw_faults(form, name)


def draw_faults(form: KeptForm, name: str) -> None:
    faults = form.faults(name)
    with slot(filled=bool(faults)):
        for message in faults:
            st.markdown(f":red[:small[:material/error: {plain(message)}]]")


def label_of(field: Requirement) -> str:
    """Said in words: a screen reader reads it too."""
    return plain(field.label) + (tell("ui.form.required") if field.required else "")


def _draw_widget(form: KeptForm, field: Requirement) -> None:
    label = label_of(field)
    value = form.value(field.id)
    key = form.widget_key(field.id)
    told: dict[str, Any] = {"key": key, "on_change": remember, "args": (form, field.id, key)}
    match field.type:
        case "boolean":
            prepared(form, field.id, bool(value))
            st.checkbox(label, **told)
        case "number":
            whole = field.validation.integer
            prepared(form, field.id, _number(value, whole))
            # No limits here: a browser would silently cut what was typed; the check tells.
            st.number_input(
                label,
                value=None,
                step=1 if whole else 1.0,
                format="%d" if whole else "%g",
                **told,
            )
        case "select":
            prepared(form, field.id, _position(field, value))
            # By position: options may be numbers, texts or yes/no, and True equals 1.
            values = [option.value for option in field.options]
            labels = [option.label for option in field.options]
            told["args"] = (form, field.id, key, values)
            st.selectbox(
                label,
                range(len(labels)),
                index=None,
                format_func=labels.__getitem__,
                placeholder=tell("ui.form.choose"),
                **told,
            )
        case _:
            prepared(form, field.id, str(value or ""))
            if field.secret:
                st.text_input(label, type="password", autocomplete="new-password", **told)
            elif _is_short(field):
                st.text_input(label, **told)
            else:
                st.text_area(label, height=120 if field.type == "chat" else 96, **told)


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
    return field.type == "text" and (
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
