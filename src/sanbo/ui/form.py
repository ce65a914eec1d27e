"""The one form: every question of every workflow, and the input that starts one.

A widget for each type of field; a change is remembered before anything else happens, and files are
stored when they are chosen, so that a reload still shows them.
"""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

import pandas as pd
import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal, paragraphs
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import APPROVED, RESPONSE, FileRef, JsonObject, Question, Requirement
from sanbo.ui import page_context, session_state
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.page_context import browser_zone, clear_rest, draw_problem, size, slot


def draw_attachments(form: KeptForm, field: Requirement, label: str) -> None:
    turn_key = f"{form.widget_key(field.id)}::turn"
    key = _uploader_key(form, field, turn_key)
    st.file_uploader(
        label,
        type=endings(field.accept) or None,
        accept_multiple_files=_many(field),
        key=key,
        on_change=_store,
        args=(form, field, key, turn_key),
    )
    st.caption(literal(limits(field, page_context.bench().workbench.settings.server.max_upload_mb)))
    files = attached(form.value(field.id))
    for position, file in enumerate(files):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f":material/draft: {literal(file.name)} :gray[{literal(size(file.size))}]",
                width="stretch",
            )
            st.button(
                tell("ui.form.remove_file"),
                icon=":material/close:",
                key=f"{key}::remove::{position}",
                on_click=_remove,
                args=(form, field, position),
                type="tertiary",
            )
    clear_rest(f"{form.key}::{field.id}::rows", len(files))


def limits(field: Requirement, server_limit: float) -> str:
    """Said before a file is chosen, not after it was sent for nothing."""
    own = field.validation.max_size_mb
    told = [tell("ui.upload.limit", limit=f"{min(own or server_limit, server_limit):g}")]
    if field.accept:
        told.insert(0, tell("ui.upload.accept", accept=field.accept.replace(",", " ")))
    return " ・ ".join(told)


def attached(value: JsonValue) -> list[FileRef]:
    entries = value if isinstance(value, list) else [value]
    return [FileRef.model_validate(entry) for entry in entries if isinstance(entry, dict)]


def endings(accept: str) -> list[str]:
    """For the browser's file dialog; empty when the field takes anything or names media types."""
    kinds = [kind.strip().casefold() for kind in accept.split(",") if kind.strip()]
    return kinds if all(kind.startswith(".") for kind in kinds) else []


def with_files(field: Requirement, before: JsonValue, added: Iterable[FileRef]) -> JsonValue:
    """A new file takes the place of a single one; to several it is added, once."""
    fresh = list(added)
    if field.type == "file":
        return _json(fresh[-1]) if fresh else before
    files = attached(before)
    files += [file for file in fresh if file not in files]
    return [_json(file) for file in files]


def without_file(field: Requirement, before: JsonValue, position: int) -> JsonValue:
    files = attached(before)
    del files[position]
    return None if field.type == "file" else [_json(file) for file in files]


def _uploader_key(form: KeptForm, field: Requirement, turn_key: str) -> str:
    return f"{form.widget_key(field.id)}::{st.session_state.get(turn_key, 0)}"


def _many(field: Requirement) -> Any:
    return {"file": False, "files": True, "folder": "directory"}[field.type]


def _store(form: KeptForm, field: Requirement, key: str, turn_key: str) -> None:
    page_context.speak()
    if key != _uploader_key(form, field, turn_key):
        return  # of an uploader whose files are stored: a slow browser still tells of it
    chosen: object = st.session_state[key]
    uploads = cast("list[Any]", chosen if isinstance(chosen, list) else [chosen])
    if not any(uploads):
        return
    try:
        files = [_upload(upload) for upload in uploads]
    except SanboError as error:
        form.fail(error.problem)
        return
    form.remember(field.id, with_files(field, form.value(field.id), files))
    # A fresh uploader: what it held is in the store now, and is listed from there.
    st.session_state[turn_key] = st.session_state.get(turn_key, 0) + 1


def _upload(upload: Any) -> FileRef:
    bench = page_context.bench()
    name = safe_name(str(upload.name))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "upload"
        source.write_bytes(upload.getbuffer())
        work = bench.workbench.upload(page_context.caller(), source, name, str(upload.type or ""))
        return bench.call(work)


def safe_name(name: str) -> str:
    """Of a folder's file with the folders inside it, and never a way out of it."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return "/".join(part for part in parts if part not in ("/", "..", ".")) or "file"


def _remove(form: KeptForm, field: Requirement, position: int) -> None:
    form.remember(field.id, without_file(field, form.value(field.id), position))


def _json(file: FileRef) -> JsonObject:
    return cast("JsonObject", file.model_dump(mode="json"))


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


Send = Callable[[JsonObject], Callable[[], None]]
"""Hands an answer in; returns where to go then."""


def draw_form(form: KeptForm, send: Send, *, send_label: str = "") -> None:
    """What `send` raises is shown, at the fields too, and everything typed stays."""
    question = form.question
    _draw_notices(form)
    with slot(filled=form.problem is not None):
        if form.problem is not None:
            draw_problem(form.problem)
    for line in question.chat:
        with st.chat_message(line.role):
            st.text(line.text)
    for field in question.requirements:
        draw_field(form, field)
    for name in session_state.messages_of(question.mode):
        draw_text(form, name, _label(question, name))
    _draw_buttons(form, send, send_label or tell("ui.form.send"))


def _label(question: Question, name: str) -> str:
    if name == RESPONSE:
        return tell(
            "ui.form.response_required" if question.demands_response else "ui.form.response"
        )
    return tell("ui.form.comment")


def _draw_notices(form: KeptForm) -> None:
    notices = form.state.notices
    if not notices:
        st.empty()
        return
    with st.container(border=True):
        for notice in notices:
            st.markdown(
                f":orange[:material/warning:] "
                f"{literal(tell(f'ui.notice.{notice.change}', label=notice.label))}"
            )
        st.button(
            tell("ui.notice.understood"),
            key=f"{form.key}::understood",
            on_click=form.dismiss_notices,
        )


def _draw_buttons(form: KeptForm, send: Send, send_label: str) -> None:
    key = form.key
    with slot(filled=form.problem is not None):  # what is above a long form may be out of sight
        if form.problem is not None:
            st.markdown(f":red[:material/error: {literal(tell('ui.form.see_above'))}]")
    decides = form.question.mode in ("confirm", "mixed")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if decides:
            if st.button(
                tell("ui.form.approve"),
                key=f"{key}::approve",
                type="primary",
                icon=":material/check:",
            ):
                _send(form, send, {APPROVED: True})
            if st.button(tell("ui.form.reject"), key=f"{key}::reject", icon=":material/undo:"):
                _send(form, send, {APPROVED: False})
        if form.question.mode != "confirm" and st.button(
            tell("ui.form.send_undecided") if decides else send_label,
            key=f"{key}::send",
            type="secondary" if decides else "primary",
            icon=":material/send:",
        ):
            _send(form, send, {})
        with st.popover(tell("ui.form.reset"), icon=":material/restart_alt:", type="tertiary"):
            st.markdown(tell("ui.form.reset_warning"))
            st.button(
                tell("ui.form.reset_confirm"),
                key=f"{key}::reset",
                on_click=form.reset,
                type="primary",
            )
        with slot(filled=form.saved_at is not None):
            _draw_saved(form)


def _draw_saved(form: KeptForm) -> None:
    if form.saved_at is not None:
        time = f"{form.saved_at.astimezone(browser_zone()):%H:%M:%S}"
        st.caption(f":material/cloud_done: {literal(tell('ui.form.saved', time=time))}")


def _send(form: KeptForm, send: Send, decision: Mapping[str, JsonValue]) -> None:
    answer = session_state.answer_of(form.state, form.question, decision)
    try:
        go_on = send(answer)
    except SanboError as error:
        form.fail(error.problem)
        st.rerun()  # the whole page: this may not be a run of the form's part alone
    form.sent()
    go_on()
