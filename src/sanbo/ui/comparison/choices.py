"""The form: two documents in one of three ways, what is wanted, and the button that compares."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import streamlit as st
from pydantic import JsonValue

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import FileRef, JsonObject
from sanbo.service.catalog import COMPARISON, DEMOS
from sanbo.ui import connection
from sanbo.ui.attachments import attached
from sanbo.ui.boundary import draw_problem
from sanbo.ui.comparison import place
from sanbo.ui.comparison.collection_pair import draw_collection_pair
from sanbo.ui.comparison.given import (
    COLUMNS,
    SIDES,
    SOURCES,
    Source,
    holds_tables,
    input_of,
    is_table,
    missing,
    source_of,
    swapped,
)
from sanbo.ui.fields import draw_faults, draw_field, prepared, remember
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import slot

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


def draw_sample(form: KeptForm) -> None:
    sample = sample_pair()
    if sample:
        st.button(
            tell("ui.comparison.sample"),
            key=f"{form.key}::sample",
            icon=":material/science:",
            on_click=_take,
            args=(form, sample),
        )


def sample_pair() -> dict[str, Path]:
    """By side; empty where there is none."""
    for demo in DEMOS:
        if demo.workflow == COMPARISON and set(SIDES["files"]) <= demo.files.keys():
            return {name: demo.files[name] for name in SIDES["files"]}
    return {}


def _take(form: KeptForm, sample: dict[str, Path]) -> None:
    connection.speak()
    try:
        files = {name: _stored(path) for name, path in sample.items()}
    except SanboError as error:
        form.fail(error.problem)
        return
    form.refill({"source": "files", **{name: [file] for name, file in files.items()}})


def _stored(path: Path) -> JsonObject:
    bench = connection.bench()
    work = bench.workbench.upload(connection.caller(), path, path.name)
    file: FileRef = bench.call(work)
    return cast("JsonObject", file.model_dump(mode="json"))


SAME_CLICK_SECONDS = 3.0
_STARTED = "comparison_started"


def start(values: Mapping[str, JsonValue]) -> str:
    """Gives the run's id."""
    given = input_of(values)
    last = st.session_state.get(_STARTED)
    if last is not None and last[0] == given and time.monotonic() - last[2] < SAME_CLICK_SECONDS:
        return last[1]
    bench = connection.bench()
    work = bench.workbench.start(
        connection.caller(), COMPARISON, given, language=current_language()
    )
    run_id = bench.call(work).run_id
    st.session_state[_STARTED] = (given, run_id, time.monotonic())
    return run_id


TEXT_HEIGHT = 260


def draw_choosing(form: KeptForm) -> None:
    """A fragment: what is typed here draws nothing else again."""
    with slot(filled=form.problem is not None):
        if form.problem is not None:
            draw_problem(form.problem)
    source = source_of(form.state.values)
    labels = [tell(f"ui.comparison.source.{name}") for name in SOURCES]
    key = f"{form.key}::tabs"
    if st.session_state.get(key) != labels[SOURCES.index(source)]:
        st.session_state[key] = labels[SOURCES.index(source)]
    tabs = st.tabs(labels, key=key, on_change=_turn, args=(form, key, labels))
    for name, tab in zip(SOURCES, tabs, strict=True):
        with tab:
            if name == source:
                _draw_sides(form, source)
    draw_options(form)
    _draw_buttons(form)


def _draw_sides(form: KeptForm, source: Source) -> None:
    match source:
        case "files":
            fields = {field.id: field for field in form.question.requirements}
            for name, column in zip(SIDES[source], st.columns(2, gap="medium"), strict=True):
                with column:
                    draw_field(form, fields[name])
            st.caption(literal(tell("ui.comparison.files_help")))
        case "text":
            for name, column in zip(SIDES[source], st.columns(2, gap="medium"), strict=True):
                with column:
                    _draw_text(form, name)
        case "collection":
            draw_collection_pair(form)


def _draw_text(form: KeptForm, name: str) -> None:
    key = prepared(form, name, str(form.value(name) or ""))
    st.text_area(
        tell(f"ui.comparison.text_{name.removesuffix('_text')}"),
        key=key,
        height=TEXT_HEIGHT,
        placeholder=tell("ui.comparison.text_hint"),
        on_change=remember,
        args=(form, name, key),
    )


def _draw_buttons(form: KeptForm) -> None:
    reason = missing(form.state.values)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.button(
            tell("ui.comparison.compare"),
            key=f"{form.key}::compare",
            type="primary",
            icon=":material/compare:",
            disabled=bool(reason),
            help=reason or None,
        ):
            _compare(form)
        st.button(
            tell("ui.comparison.swap"),
            key=f"{form.key}::swap",
            icon=":material/swap_horiz:",
            on_click=_swap,
            args=(form,),
            disabled=not any(form.value(name) for name in SIDES[source_of(form.state.values)]),
        )
        draw_sample(form)
        with st.popover(tell("ui.form.reset"), icon=":material/restart_alt:", type="tertiary"):
            st.markdown(tell("ui.form.reset_warning"))
            if st.button(tell("ui.form.reset_confirm"), key=f"{form.key}::reset", type="primary"):
                form.reset()
                place.leave()
                st.rerun()
    with slot(filled=bool(reason)):
        if reason:
            st.caption(f":material/info: {literal(reason)}")


def _compare(form: KeptForm) -> None:
    try:
        run_id = start(form.state.values)
    except SanboError as error:
        form.fail(error.problem)
        st.rerun()
    form.reset()  # the run holds what was given: its page gives it back
    place.show_run(run_id)
    st.rerun()


# ---- callbacks ----


def _turn(form: KeptForm, key: str, labels: list[str]) -> None:
    chosen = st.session_state[key]
    if chosen in labels:
        form.remember("source", SOURCES[labels.index(chosen)])


def _swap(form: KeptForm) -> None:
    form.refill(swapped(form.state.values))
