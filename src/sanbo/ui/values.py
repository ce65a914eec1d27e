"""JSON for people: texts as text, lists of records as tables, the rest on one line each."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import cast

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import document, literal, paragraphs
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import JsonObject, Requirement
from sanbo.runs.parts import on_one_line
from sanbo.ui.rendering import Table, scalar, table_of_value, value_view

LONGEST = 300


def is_flat(value: JsonValue) -> bool:
    """An object of nothing but single values."""
    return isinstance(value, dict) and not any(
        isinstance(item, dict | list) and item for item in value.values()
    )


def values_table(values: Mapping[str, JsonValue]) -> str:
    """HTML: name and value, nothing of them acting."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(on_one_line(value, LONGEST))}</td></tr>"
        for name, value in values.items()
    )
    return f'<table class="sanbo-values">{rows}</table>'


def draw_context(context: JsonObject) -> None:
    """What stands beside a question."""
    for name, value in context.items():
        draw_value(name, value, name)


def draw_result(result: JsonObject, schema: JsonObject) -> None:
    """Short values side by side first, then each long one under its name."""
    labels = labels_of(schema)
    short = {
        name: value
        for name, value in result.items()
        if isinstance(value, bool | int | float)
        or (isinstance(value, str) and value and len(value) <= 40 and not name.endswith("_md"))
    }
    if short:
        with st.container(horizontal=True, gap="large"):
            for name, value in short.items():
                with st.container(width="content", gap=None):
                    st.caption(literal(labels.get(name, name)))
                    st.markdown(f"**{literal(_word(value))}**")
    for name, value in result.items():
        if name not in short:
            draw_value(name, value, labels.get(name, name))


def draw_fields(values: JsonObject, fields: Sequence[Requirement]) -> None:
    """What was filled in, under the form's own labels."""
    labels = {field.id: field.label for field in fields}
    for name, value in values.items():
        files = file_names(value)
        draw_value(name, "\n".join(files) if files else value, labels.get(name, name))


def file_names(value: JsonValue) -> list[str]:
    entries = value if isinstance(value, list) else [value]
    return [
        str(entry["name"])
        for entry in entries
        if isinstance(entry, dict) and {"file_id", "name"} <= entry.keys()
    ]


def draw_value(name: str, value: JsonValue, label: str) -> None:
    view = value_view(name, value)
    if view == "none":
        return
    if view == "markdown":
        st.markdown(document(cast("str", value)))
        return
    with st.container(gap=None):
        st.caption(literal(label))
        if view == "table":
            table = table_of_value(value)
            assert table is not None
            draw_table(table)
        elif view == "text":
            st.markdown(paragraphs(_word(value)))
        elif isinstance(value, dict) and is_flat(value):
            st.html(values_table(value))
        else:
            st.json(value, expanded=2)


def draw_table(table: Table) -> None:
    columns = {
        name: [row[position] for row in table.rows] for position, name in enumerate(table.columns)
    }
    st.dataframe(columns, hide_index=True)  # pyright: ignore[reportUnknownMemberType]
    if table.total > len(table.rows):
        st.caption(tell("ui.table.cut", shown=len(table.rows), total=table.total))


def labels_of(schema: JsonObject) -> dict[str, str]:
    """The names that a result's model gives its fields, in the current language."""
    properties = schema.get("properties")
    labels: dict[str, str] = {}
    for name, described in (properties if isinstance(properties, dict) else {}).items():
        given = described.get("label") if isinstance(described, dict) else None
        if isinstance(given, Mapping):
            labels[name] = str(given.get(current_language(), name))
    return labels


def _word(value: JsonValue) -> str:
    if isinstance(value, bool):
        return tell("ui.value.affirmed" if value else "ui.value.denied")
    return scalar(value)
