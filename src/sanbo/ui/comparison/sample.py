"""Two short documents that come with the workbench, to see at once what a comparison gives."""

from pathlib import Path
from typing import cast

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import FileRef, JsonObject
from sanbo.service.catalog import COMPARISON, DEMOS
from sanbo.ui import connection
from sanbo.ui.comparison.given import SIDES
from sanbo.ui.kept_form import KeptForm


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
