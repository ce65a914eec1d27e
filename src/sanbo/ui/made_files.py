"""What a run has made, by name: pictures, tables, reports; or that it is gone."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import streamlit as st

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Artifact, Run
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench
from sanbo.ui import connection

Read = Callable[[], bytes]


class MadeFiles:
    """Those that are still there: after a restart what was kept in memory is not."""

    def __init__(self, run: Run) -> None:
        self._run = run
        bench = connection.bench()
        self._found = bench.call(_locate(bench.workbench, connection.caller(), run))

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


async def _locate(
    workbench: Workbench, caller: Caller, run: Run
) -> dict[str, tuple[Artifact, Read]]:
    """In one go: a conversation has many files. Of one name the last counts."""
    found: dict[str, tuple[Artifact, Read]] = {}
    for artifact in run.artifacts:
        try:
            _, content = await workbench.artifact(caller, run.run_id, artifact.artifact_id)
        except NotFound:
            continue
        found[artifact.name] = (artifact, _reader(content))
    return found


def _reader(content: Path | bytes) -> Read:
    return (lambda: content) if isinstance(content, bytes) else content.read_bytes
