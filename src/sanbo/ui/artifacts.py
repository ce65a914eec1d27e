"""What a run has made, each drawn by its media type and with a download."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import streamlit as st

from sanbo.kernel.markdown import document, literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Artifact, JsonObject, Run
from sanbo.ui import connection
from sanbo.ui.presentation import size
from sanbo.ui.rendering import table_of_csv, table_of_value, view_of
from sanbo.ui.values import draw_table

Read = Callable[[], bytes]


class MadeFiles:
    """Those that are still there: after a restart what was kept in memory is not."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._found = _found(run)

    @property
    def is_whole(self) -> bool:
        return {artifact.name for artifact in self._run.artifacts} == self._found.keys()

    def read(self, name: str) -> bytes | None:
        found = self._found.get(name)
        return None if found is None else found[1]()

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def draw_download(
        self,
        name: str,
        label: str,
        *,
        icon: str = ":material/download:",
        type: Literal["secondary", "tertiary"] = "tertiary",
    ) -> None:
        if name not in self._found:
            return
        artifact, read = self._found[name]
        st.download_button(
            label,
            read,
            file_name=artifact.name.rsplit("/", 1)[-1],
            mime=artifact.media_type,
            icon=icon,
            key=f"download:{self._run.run_id}:{name}",
            on_click="ignore",
            type=type,
            help=tell("ui.artifact.download"),
        )


def artifact_reader(run_id: str, artifact_id: str) -> Read:
    """Reads it when it is asked for: a page with many large files holds none of them.

    `NotFound` here and now where it is gone, and later where it has been damaged meanwhile.
    """
    bench, caller = connection.bench(), connection.caller()
    _, content = bench.call(bench.workbench.artifact(caller, run_id, artifact_id))
    if isinstance(content, bytes):
        return lambda: content
    return lambda: bench.call(bench.workbench.artifact_bytes(caller, run_id, artifact_id))


def _reader_of(run: Run, artifact: Artifact) -> Read:
    """One that is made when asked for is not made by showing that there is one."""
    if not artifact.made_of:
        return artifact_reader(run.run_id, artifact.artifact_id)
    for source in artifact.made_of:
        artifact_reader(run.run_id, source)  # gone, where it can't be made any more
    bench, caller = connection.bench(), connection.caller()
    made = bench.workbench.artifact_bytes
    return lambda: bench.call(made(caller, run.run_id, artifact.artifact_id))


def _found(run: Run) -> dict[str, tuple[Artifact, Read]]:
    """Of one name the last counts."""
    found: dict[str, tuple[Artifact, Read]] = {}
    for artifact in run.artifacts:
        with suppress(NotFound):
            found[artifact.name] = (artifact, _reader_of(run, artifact))
    return found


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
        read = _reader_of(run, artifact)
    except NotFound as gone:  # it was kept in memory only, or is damaged
        st.caption(f"{_ICONS[view]} {literal(artifact.name)}: {literal(gone.problem.message)}")
        return
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            title = f"{_ICONS[view]} **{literal(artifact.title or artifact.name)}**"
            known = (artifact.name if artifact.title else "", _size_of(artifact))
            detail = " · ".join(each for each in known if each)
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


def _size_of(artifact: Artifact) -> str:
    return tell("ui.artifact.on_demand") if artifact.made_of else size(artifact.size)


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
