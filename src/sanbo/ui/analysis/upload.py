"""A table on its way in: taken from the browser or the samples, read, and only then chosen."""

import tempfile
from pathlib import Path
from typing import Any

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Problem, SanboError
from sanbo.runs.model import FileRef
from sanbo.service.analysis import TablePreview
from sanbo.service.catalog import ANALYSIS, DEMOS
from sanbo.ui import connection
from sanbo.ui.analysis.place import ChosenTable, Place
from sanbo.ui.attachments import endings, safe_name
from sanbo.ui.boundary import draw_problem

_TURN, _PENDING, _PROBLEM = "analysis_upload_turn", "analysis_pending", "analysis_upload_problem"


def preview_of(table: ChosenTable) -> TablePreview:
    bench = connection.bench()
    return bench.call(
        bench.workbench.analysis.preview(connection.caller(), table.file, table.sheet)
    )


def upload_turn() -> int:
    """Counts what was taken: widgets that show an earlier choice are replaced by fresh ones."""
    return int(st.session_state.get(_TURN, 0))


def draw_upload(name: str, *, with_sample: bool = False) -> None:
    workbench = connection.bench().workbench
    settings = workbench.settings
    workbench.analysis.prepare()
    key = f"analysis_upload:{name}:{upload_turn()}"
    st.file_uploader(
        tell("ui.analysis.upload.label"),
        type=endings(_accepted()) or None,
        key=key,
        on_change=_take_upload,
        args=(key,),
    )
    kept = "persisted" if settings.analysis.persist else "in_memory"
    limit = tell("ui.analysis.upload.limit", limit=settings.server.max_upload_mb)
    st.caption(f"{literal(limit)} ・ {literal(tell(f'ui.analysis.upload.{kept}'))}")
    sample = sample_table()
    if with_sample and sample is not None:
        st.button(
            tell("ui.analysis.upload.sample"),
            icon=":material/science:",
            key="analysis_sample",
            on_click=_take_sample,
            args=(sample,),
        )


def settle_upload(here: Place) -> None:
    """Reads what was taken; a table that can't be read changes nothing but this problem."""
    pending = st.session_state.get(_PENDING)
    if isinstance(pending, ChosenTable):
        with st.spinner(tell("ui.analysis.upload.reading")):
            try:
                preview = preview_of(pending)
            except SanboError as error:
                st.session_state[_PROBLEM] = error.problem
            else:
                here.choose(ChosenTable(file=pending.file, sheet=preview.sheet))
                st.session_state.pop(_PROBLEM, None)
        st.session_state.pop(_PENDING, None)
    problem = st.session_state.get(_PROBLEM)
    if isinstance(problem, Problem):
        draw_problem(problem)


def choose_sheet(file: FileRef, key: str) -> None:
    """A widget's callback."""
    _take(ChosenTable(file=file, sheet=str(st.session_state[key])))


def forget_upload() -> None:
    for name in (_PENDING, _PROBLEM):
        st.session_state.pop(name, None)


def sample_table() -> Path | None:
    for demo in DEMOS:
        if demo.workflow == ANALYSIS and "file" in demo.files:
            return demo.files["file"]
    return None


def _accepted() -> str:
    fields = connection.bench().workbench.workflow(ANALYSIS).requirements
    return next(field.accept for field in fields if field.id == "file")


def _take_upload(key: str) -> None:
    upload: Any = st.session_state.get(key)
    if upload is not None:
        _store(upload.getvalue(), safe_name(str(upload.name)), str(upload.type or ""))


def _take_sample(path: Path) -> None:
    _store(path.read_bytes(), path.name, "")


def _store(data: bytes, name: str, media_type: str) -> None:
    connection.speak()
    forget_upload()
    try:
        file = _upload(data, name, media_type)
    except SanboError as error:
        st.session_state[_PROBLEM] = error.problem
    else:
        _take(ChosenTable(file=file))


def _upload(data: bytes, name: str, media_type: str) -> FileRef:
    bench = connection.bench()
    caller = connection.caller()
    if bench.workbench.keeps_in_memory(ANALYSIS):
        return bench.call(bench.workbench.upload(caller, data, name, media_type))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "upload"
        source.write_bytes(data)
        return bench.call(bench.workbench.upload(caller, source, name, media_type))


def _take(table: ChosenTable) -> None:
    st.session_state[_PENDING] = table
    st.session_state[_TURN] = upload_turn() + 1
