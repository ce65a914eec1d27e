"""A few short documents that come with the workbench, to see at once what a research gives."""

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.service.catalog import DEMOS, RESEARCH, Demo
from sanbo.ui import connection
from sanbo.ui.kept_form import KeptForm


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
