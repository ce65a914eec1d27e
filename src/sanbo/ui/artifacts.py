"""What a run has made, each drawn by its media type and with a download."""

import hashlib
import json

import streamlit as st

from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Artifact, JsonObject, Run
from sanbo.ui.made_files import artifact_reader
from sanbo.ui.presentation import size
from sanbo.ui.rendering import table_of_csv, table_of_value, view_of
from sanbo.ui.values import draw_table

_ICONS = {
    "markdown": ":material/article:",
    "table": ":material/table:",
    "json": ":material/data_object:",
    "image": ":material/image:",
    "text": ":material/notes:",
    "download": ":material/draft:",
}


def draw_artifacts(run: Run) -> None:
    shown_in_result = _digests(run.result)
    for position, artifact in enumerate(run.artifacts):
        repeats = artifact.artifact_id in shown_in_result
        _draw_artifact(run, artifact, f"{run.run_id}:{position}", repeats=repeats)


def _draw_artifact(run: Run, artifact: Artifact, key: str, *, repeats: bool) -> None:
    view = view_of(artifact)
    try:
        read = artifact_reader(run.run_id, artifact.artifact_id)
    except NotFound as gone:  # it was kept in memory only, or is damaged
        st.caption(f"{_ICONS[view]} {literal(artifact.name)}: {literal(gone.problem.message)}")
        return
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            title = f"{_ICONS[view]} **{literal(artifact.title or artifact.name)}**"
            detail = size(artifact.size)
            if artifact.title:
                detail = f"{artifact.name} · {detail}"
            st.markdown(f"{title}  \n:gray[{literal(detail)}]", width="stretch")
            st.download_button(
                tell("ui.artifact.download"),
                read,
                file_name=artifact.name.rsplit("/", 1)[-1],
                mime=artifact.media_type,
                icon=":material/download:",
                key=f"download:{key}",
                on_click="ignore",
            )
        if view != "download" and not repeats:
            _draw_content(artifact, read())


def _draw_content(artifact: Artifact, data: bytes) -> None:
    match view_of(artifact):
        case "markdown":
            st.markdown(document(data.decode("utf-8", errors="replace")))
        case "table":
            tabs = artifact.media_type.startswith("text/tab")
            draw_table(table_of_csv(data, "\t" if tabs else ","))
        case "json":
            value = json.loads(data)
            table = table_of_value(value)
            if table is not None:
                draw_table(table)
            else:
                st.json(value, expanded=1)
        case "image":
            st.image(data, caption=literal(artifact.title or artifact.name))
        case "text":
            st.code(data.decode("utf-8", errors="replace"), language=None, wrap_lines=True)
        case "download":
            pass


def _digests(result: JsonObject | None) -> set[str]:
    """Of the result's texts: an artifact with the same bytes need not be shown twice."""
    texts = (value for value in (result or {}).values() if isinstance(value, str))
    return {hashlib.sha256(text.encode()).hexdigest() for text in texts}
