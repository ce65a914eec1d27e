"""What came out of a plan: files to take along, tables, figures; whatever it calls them."""

import json
from collections.abc import Mapping

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import JsonObject, Run
from sanbo.runs.parts import readable
from sanbo.ui.artifacts import artifact_reader
from sanbo.ui.presentation import size
from sanbo.ui.rendering import Table, table_of_value
from sanbo.ui.values import draw_result, draw_table, is_flat, values_table

_FILE = {"file_id", "name", "size"}


def draw_exports(run: Run) -> None:
    exports = exports_of(run)
    if not exports:
        st.caption(tell("ui.plans.run.no_exports"))
        return
    files = {name: found for name, value in exports.items() if (found := files_in(value))}
    for name, listed in files.items():
        for position, file in enumerate(listed):
            _draw_file(run, name, file, f"{run.run_id}:{name}:{position}")
    others = {name: value for name, value in exports.items() if name not in files}
    draw_result({name: value for name, value in others.items() if _is_short(value)}, {})
    long = {name: value for name, value in others.items() if not _is_short(value)}
    for name in sorted(long, key=lambda name: not isinstance(long[name], list)):  # tables first
        draw_value(name, long[name])


def exports_of(run: Run) -> JsonObject:
    exports = (run.result or {}).get("exports")
    return exports if isinstance(exports, dict) else {}


def files_in(value: JsonValue) -> list[JsonObject]:
    """A file, or a list of nothing but files."""
    listed = value if isinstance(value, list) else [value]
    files = [each for each in listed if isinstance(each, dict) and each.keys() >= _FILE]
    return files if files and len(files) == len(listed) else []


def draw_value(name: str, value: JsonValue) -> None:
    """A long value under its name; nested ones as a table too, where they are records."""
    with st.container(gap=None):
        st.caption(literal(name))
        if value is None or value in ("", [], {}):
            st.markdown(f":gray[{literal(tell('none'))}]")
        elif (table := _table(value)) is not None:
            draw_table(table)
        elif isinstance(value, dict):
            st.html(values_table(value))
            if not is_flat(value):  # what is cut off above
                st.json(readable(value), expanded=False)
        elif isinstance(value, list):
            st.json(readable(value), expanded=1)
        else:
            st.text(str(value))


def _table(value: JsonValue) -> Table | None:
    shown = readable(value)
    if isinstance(shown, list) and shown and all(isinstance(row, dict) and row for row in shown):
        records = [row for row in shown if isinstance(row, dict)]
        flat = [{name: _cell(item) for name, item in row.items()} for row in records]
        return table_of_value(flat)  # type: ignore[arg-type]
    return table_of_value(shown)


def _cell(value: JsonValue) -> JsonValue:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return value


def _is_short(value: JsonValue) -> bool:
    return isinstance(value, bool | int | float) or (
        isinstance(value, str) and 0 < len(value) <= 40
    )


def _draw_file(run: Run, name: str, file: Mapping[str, JsonValue], key: str) -> None:
    title = str(file["name"]).rsplit("/", 1)[-1]
    detail = f"{name} ・ {size(int(str(file['size'])))}"
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", gap="small", key=f"file-{key}"
    ):
        st.markdown(
            f":material/draft: **{literal(title)}**  \n:gray[{literal(detail)}]", width="stretch"
        )
        try:
            read = artifact_reader(run.run_id, str(file["file_id"]))
        except NotFound as gone:  # it was given, not made; or it is gone
            st.caption(literal(gone.problem.message))
            return
        st.download_button(
            tell("ui.artifact.download"),
            read,
            file_name=title,
            mime=str(file.get("media_type") or "application/octet-stream"),
            icon=":material/download:",
            key=f"export:{key}",
            on_click="ignore",
            type="primary",
        )
