"""What a run has made, by name: pictures, tables, reports; or that it is gone."""

from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Artifact, Run
from sanbo.ui import connection

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


def _found(run: Run) -> dict[str, tuple[Artifact, Read]]:
    """Of one name the last counts."""
    found: dict[str, tuple[Artifact, Read]] = {}
    for artifact in run.artifacts:
        with suppress(NotFound):
            found[artifact.name] = (artifact, artifact_reader(run.run_id, artifact.artifact_id))
    return found
