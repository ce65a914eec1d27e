"""Files in a form: stored when they are chosen, so that a reload still shows them."""

import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, cast

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import FileRef, JsonObject, Requirement
from sanbo.ui import connection
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import clear_rest, size


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
    st.caption(literal(limits(field, connection.bench().workbench.settings.server.max_upload_mb)))
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
    connection.speak()
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
    bench = connection.bench()
    name = safe_name(str(upload.name))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "upload"
        source.write_bytes(upload.getbuffer())
        work = bench.workbench.upload(connection.caller(), source, name, str(upload.type or ""))
        return bench.call(work)


def safe_name(name: str) -> str:
    """Of a folder's file with the folders inside it, and never a way out of it."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return "/".join(part for part in parts if part not in ("/", "..", ".")) or "file"


def _remove(form: KeptForm, field: Requirement, position: int) -> None:
    form.remember(field.id, without_file(field, form.value(field.id), position))


def _json(file: FileRef) -> JsonObject:
    return cast("JsonObject", file.model_dump(mode="json"))
