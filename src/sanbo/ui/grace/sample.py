"""A few short documents that come with the workbench, to see at once what GRACE does."""

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.service.catalog import DEMOS, GRACE, Demo
from sanbo.ui import connection
from sanbo.ui.grace.asking import ask, choose
from sanbo.ui.presentation import asked_in
from sanbo.ui.problem_view import draw_problem


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
