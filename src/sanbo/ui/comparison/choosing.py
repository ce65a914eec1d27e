"""The form: two documents in one of three ways, what is wanted, and the button that compares."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.ui.comparison import place
from sanbo.ui.comparison.collection_pair import draw_collection_pair
from sanbo.ui.comparison.given import SIDES, SOURCES, Source, missing, source_of, swapped
from sanbo.ui.comparison.options import draw_options
from sanbo.ui.comparison.sample import draw_sample
from sanbo.ui.comparison.starting import start
from sanbo.ui.fields import draw_field, prepared, remember
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.problem_view import draw_problem
from sanbo.ui.slots import slot

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
