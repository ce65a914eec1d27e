"""The foot of the chat: where to look, and the question; and a sample of documents."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.catalog import DEMOS, GRACE, Demo
from sanbo.service.collections import CollectionInfo
from sanbo.ui import connection
from sanbo.ui.boundary import draw_problem
from sanbo.ui.collections.wording import counted
from sanbo.ui.conversations import LONGEST_QUESTION, Refused, begin, forget_refused, refuse
from sanbo.ui.grace import place
from sanbo.ui.presentation import asked_in

NEW = "grace:new"
"""In place of a conversation that has not begun."""
_CHOSEN, _TYPED = "grace_collection", "grace_question"


def usable_collections() -> list[CollectionInfo]:
    """That have something in them, and that plans may search."""
    bench = connection.bench()
    allowed = bench.workbench.settings.grace.collections
    return [
        info
        for info in bench.workbench.collections.all()
        if info.documents and (not allowed or info.name in allowed)
    ]


def key_here() -> str:
    return place.conversation_here() or NEW


def draw_foot(infos: list[CollectionInfo], runs: list[Run]) -> None:
    last = runs[-1] if runs else None
    is_busy = last is not None and not last.status.is_final
    hint = "placeholder"
    if not infos:
        hint = "no_collection"
    elif last is not None and is_busy:
        hint = "waiting" if last.status is Status.WAITING else "busy"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _draw_collections(infos, last)
        st.chat_input(
            tell(f"ui.grace.ask.{hint}"),
            key=_TYPED,
            max_chars=LONGEST_QUESTION,
            disabled=not infos or is_busy,
            on_submit=_submit,
        )


def _draw_collections(infos: list[CollectionInfo], last: Run | None) -> None:
    sizes = {info.name: counted("documents", info.documents) for info in infos}
    options = ["", *sizes]
    chosen = _preferred(list(sizes), last)
    if st.session_state.get(_CHOSEN, chosen) not in options:  # deleted since
        st.session_state.pop(_CHOSEN)
    if _CHOSEN not in st.session_state:
        st.session_state[_CHOSEN] = chosen
    st.selectbox(
        tell("ui.grace.ask.collection"),
        options,
        key=_CHOSEN,
        format_func=lambda name: _option(name, sizes),
        disabled=not infos,
        width=260,
        on_change=_choose,
    )


def _option(name: str, sizes: dict[str, str]) -> str:
    if name:
        return tell("ui.grace.ask.option", name=name, size=sizes[name])
    default = connection.bench().workbench.settings.grace.default_collection
    if default:
        return tell("ui.grace.ask.default", name=default)
    return tell("ui.grace.ask.everywhere")


def _preferred(names: list[str], last: Run | None) -> str:
    """What the address names, or where the conversation looked before; empty: everywhere."""
    before = last.input.get("collection") if last is not None else None
    fitting = [name for name in (place.collection_here(), before) if name in names]
    return str(fitting[0]) if fitting else ""


# ---- callbacks ----


def ask(question: str) -> None:
    """Begins a run, or keeps what stands against it."""
    connection.speak()
    question = question.strip()
    if not question:
        return
    key = key_here()
    forget_refused()
    chosen = st.session_state.get(_CHOSEN)
    given: JsonObject = {"question": question}
    if chosen:
        given["collection"] = str(chosen)
    try:
        place.show_conversation(begin(GRACE, key, given, place.conversation_here()))
    except SanboError as error:
        refuse(Refused(key, question, error.problem))


def choose(name: str) -> None:
    st.session_state[_CHOSEN] = name
    place.choose_collection(name)


def begin_anew() -> None:
    place.leave()
    forget_refused()


def _choose() -> None:
    place.choose_collection(st.session_state[_CHOSEN])


def _submit() -> None:
    ask(str(st.session_state[_TYPED] or ""))


def sample_question() -> Demo | None:
    return next((demo for demo in DEMOS if demo.workflow == GRACE and demo.documents), None)


def draw_sample() -> None:
    """Reads the documents in; the sample's question is then one click away."""
    sample = sample_question()
    if sample is not None and st.button(
        tell("ui.grace.sample.read"), key="grace_sample", icon=":material/science:"
    ):
        with st.spinner(tell("ui.grace.sample.reading")):
            is_read = _read(sample)
        if is_read:
            st.rerun()


def draw_sample_question(names: set[str]) -> None:
    """Where the sample's documents are there."""
    sample = sample_question()
    if sample is None or not names.issuperset(sample.documents):
        return
    question = asked_in(sample.given)
    st.caption(literal(tell("ui.grace.sample.try")))
    st.button(
        literal(question), key="grace_sample_question", on_click=_ask, args=(sample, question)
    )


def _ask(sample: Demo, question: str) -> None:
    choose(next(iter(sample.documents)))
    ask(question)


def _read(sample: Demo) -> bool:
    collections = connection.bench().workbench.collections
    try:
        for name, folder in sample.documents.items():
            for _ in collections.index_paths(name, [folder]):
                pass
    except SanboError as error:
        draw_problem(error.problem)
        return False
    return True
