"""The form: a question and where to look for its answer; kept while it is typed."""

import time

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import current_language, tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import JsonObject, Question, Requirement, Run
from sanbo.service.catalog import DEMOS, RESEARCH, Demo
from sanbo.service.collections import CollectionInfo
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_collections
from sanbo.ui.boundary import draw_problem
from sanbo.ui.collections.wording import counted
from sanbo.ui.fields import prepared, remember
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import asked_in, slot
from sanbo.ui.research import place


def draw_sample(form: KeptForm) -> None:
    sample = sample_research()
    if sample is not None and st.button(
        tell("ui.research.sample"), key=f"{form.key}::sample", icon=":material/science:"
    ):
        with st.spinner(tell("ui.research.sample_reading")):
            _take(form, sample)
        st.rerun()


def sample_research() -> Demo | None:
    return next((demo for demo in DEMOS if demo.workflow == RESEARCH and demo.documents), None)


def _take(form: KeptForm, sample: Demo) -> None:
    collections = connection.bench().workbench.collections
    try:
        for name, folder in sample.documents.items():
            for _ in collections.index_paths(name, [folder]):
                pass
    except SanboError as error:
        form.fail(error.problem)
        return
    form.refill(dict(sample.given))


SAME_CLICK_SECONDS = 3.0
_STARTED = "research_started"


def start(question: str, collection: str, session: str = "") -> str:
    """Gives the run's id. With `session`, it goes on in that one."""
    asked = (question, collection, session)
    last = st.session_state.get(_STARTED)
    if last is not None and last[0] == asked and time.monotonic() - last[2] < SAME_CLICK_SECONDS:
        return last[1]
    given: JsonObject = {"question": question, "collection": collection}
    bench = connection.bench()
    work = bench.workbench.start(
        connection.caller(),
        RESEARCH,
        given,
        conversation_id=session or None,
        language=current_language(),
    )
    run_id = bench.call(work).run_id
    st.session_state[_STARTED] = (asked, run_id, time.monotonic())
    return run_id


LONGEST_QUESTION = 2000
QUESTION_HEIGHT = 100
_QUESTION, _COLLECTION = "question", "collection"


def draw_asking(run: Run | None = None) -> None:
    """A fragment: what is typed here draws nothing else again. With `run`, to go on after it."""
    infos = [info for info in connection.bench().workbench.collections.all() if info.documents]
    form = kept_form(run)
    if not infos:
        _draw_no_collection(form)
        return
    with slot(filled=form.problem is not None):
        if form.problem is not None:
            draw_problem(form.problem)
    question = _draw_question(form, is_further=run is not None)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        collection = _draw_collections(form, infos, run)
        if st.button(
            tell("ui.research.ask.start"),
            key=f"{form.key}::start",
            type="primary",
            icon=":material/travel_explore:",
        ):
            _ask(form, question, collection, run)
    lacking = st.session_state.get(_tried(form)) and _lacking(question, collection)
    with slot(filled=bool(lacking)):
        if lacking:
            st.markdown(f":red[:small[:material/error: {literal(lacking)}]]")


def kept_form(run: Run | None) -> KeptForm:
    fields = tuple(
        Requirement(id=name, type="text", label=name) for name in (_QUESTION, _COLLECTION)
    )
    question = Question(mode="collect", message=RESEARCH, requirements=fields)
    drafts, owner = connection.bench().workbench.drafts, connection.caller().owner
    if run is None:
        return KeptForm(question, "research:start::form", owner, drafts)
    if run.result is not None:
        return KeptForm(question, f"research:{run.conversation_id}::form", owner, drafts)
    form = KeptForm(question, f"research:{run.run_id}::form", owner, drafts)
    if drafts.load(owner, form.key) is None:  # nothing came of it: it starts from what was asked
        form.refill({_QUESTION: asked_in(run.input)})
    return form


def _draw_no_collection(form: KeptForm) -> None:
    if form.problem is not None:
        draw_problem(form.problem)
    st.info(literal(tell("ui.research.no_collection")), icon=":material/library_books:")
    link_to_collections(tell("ui.research.to_collections"), ":material/library_books:")
    draw_sample(form)


def _draw_question(form: KeptForm, *, is_further: bool) -> str:
    key = prepared(form, _QUESTION, str(form.value(_QUESTION) or ""))
    kind = "further" if is_further else "question"
    typed = st.text_area(
        tell(f"ui.research.ask.{kind}"),
        key=key,
        height=QUESTION_HEIGHT,
        max_chars=LONGEST_QUESTION,
        placeholder=tell(f"ui.research.ask.{kind}_example"),
        label_visibility="collapsed" if is_further else "visible",  # the heading above says it
        on_change=remember,
        args=(form, _QUESTION, key),
    )
    return (typed or "").strip()


def _draw_collections(form: KeptForm, infos: list[CollectionInfo], run: Run | None) -> str:
    sizes = {info.name: counted("documents", info.documents) for info in infos}
    names = list(sizes)
    key = prepared(form, _COLLECTION, _preferred(form, names, run))
    if st.session_state[key] not in names:  # deleted since
        st.session_state[key] = _preferred(form, names, run)
    chosen = st.selectbox(
        tell("ui.research.ask.collection"),
        names,
        index=None,
        key=key,
        format_func=lambda name: tell("ui.research.ask.option", name=name, size=sizes[name]),
        placeholder=tell("ui.research.ask.choose"),
        on_change=remember,
        args=(form, _COLLECTION, key),
    )
    return chosen or ""


def _preferred(form: KeptForm, names: list[str], run: Run | None) -> str | None:
    """What the link names, what was chosen, what the session looked in, or the only one."""
    before = run.input.get(_COLLECTION) if run is not None else None
    wanted = (place.collection_here(), form.value(_COLLECTION), before)
    fitting = [str(name) for name in wanted if name in names]
    return fitting[0] if fitting else names[0] if len(names) == 1 else None


def _lacking(question: str, collection: str) -> str:
    """Why this can't be researched yet, in words; empty when it can."""
    if not question:
        return tell("ui.research.ask.blank")
    return "" if collection else tell("ui.research.ask.choose")


def _tried(form: KeptForm) -> str:
    return f"{form.key}::tried"


def _ask(form: KeptForm, question: str, collection: str, run: Run | None) -> None:
    st.session_state[_tried(form)] = True
    if _lacking(question, collection):
        st.rerun()
    try:
        run_id = start(question, collection, run.conversation_id if run else "")
    except SanboError as error:
        form.fail(error.problem)
        st.rerun()
    st.session_state.pop(_tried(form), None)
    form.reset()  # the run holds the question
    form.remember(_COLLECTION, collection)
    place.show_run(run_id)
    st.rerun()
