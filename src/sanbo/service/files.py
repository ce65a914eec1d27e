"""Files of runs: how they come in and go out, and those that are made when somebody first asks."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from sqlalchemy.exc import IntegrityError

from sanbo.documents.file_formats import media_type_of
from sanbo.kernel.problems import MissingDependency, NotFound
from sanbo.kernel.secrets import redact
from sanbo.runs.model import Artifact, FileRef, Run
from sanbo.runs.workflow import Workflow, Workplace
from sanbo.storage.blobs import Content

__all__ = ["Content", "FileDesk"]

P = ParamSpec("P")
T = TypeVar("T")
AT_ONCE = 8
MOST_REMEMBERED = 1_000
"""What is forgotten, here or by a restart, is made again when it is asked for."""


class Transfers:
    def __init__(self) -> None:
        # Neither the journal's threads nor the loop's own: an object store may be minutes away.
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="transfer")

    async def io(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """With the caller's context: problems speak its language."""
        context = copy_context()

        def done() -> T:
            return context.run(work, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._threads, done)


@dataclass
class _Made:
    sha256: str = ""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Several who ask at the same moment have it made once."""


class FilesOnDemand:
    def __init__(self, place: Workplace, workflows: Mapping[str, Workflow[Any, Any]]) -> None:
        self._place = place
        self._workflows = workflows
        self._made: OrderedDict[tuple[str, str], _Made] = OrderedDict()

    async def find(self, run: Run, artifact: Artifact, find: Callable[[str], T]) -> T:
        """What `find` has for its hash: where its bytes are, say."""
        made = self._remembered((run.run_id, artifact.artifact_id))
        async with made.turn:
            if made.sha256:
                try:
                    return await asyncio.to_thread(find, made.sha256)
                except NotFound:
                    pass  # removed or damaged: it is made anew
            made.sha256 = await self._make(run, artifact)
            return await asyncio.to_thread(find, made.sha256)

    def forget(self, run_id: str) -> None:
        for key in [key for key in self._made if key[0] == run_id]:
            del self._made[key]

    def _remembered(self, key: tuple[str, str]) -> _Made:
        made = self._made.setdefault(key, _Made())
        self._made.move_to_end(key)
        while len(self._made) > MOST_REMEMBERED:
            self._made.popitem(last=False)
        return made

    async def _make(self, run: Run, artifact: Artifact) -> str:
        # In a thread: the first use of a workflow loads its code.
        workflow = await asyncio.to_thread(self._workflows.get, run.workflow)
        if workflow is None:  # of another version of Sanbo
            raise MissingDependency("workflow_not_found", workflow=run.workflow)
        files = self._place.files
        try:
            sources = [await asyncio.to_thread(files.read, each) for each in artifact.made_of]
        except NotFound:
            raise NotFound("artifact_sources_gone", name=artifact.name) from None
        data = await workflow.make_file(run, artifact, sources)
        in_memory = workflow.keeps_in_memory(self._place.settings)
        try:
            return await asyncio.to_thread(files.keep, run.run_id, data, in_memory=in_memory)
        except IntegrityError:  # deleted meanwhile
            raise NotFound("run_not_found", run_id=run.run_id) from None


class FileDesk:
    """What comes in from front ends, and what a run has for them."""

    def __init__(self, place: Workplace, workflows: Mapping[str, Workflow[Any, Any]]) -> None:
        self._place = place
        self._workflows = workflows
        self._on_demand = FilesOnDemand(place, workflows)
        self._transfers = Transfers()

    async def upload(
        self, owner: str, source: Path | bytes, name: str, media_type: str, received: str | None
    ) -> FileRef:
        shown = redact(name)  # names are shown everywhere, and may hold anything
        kind = media_type or media_type_of(name)
        keep = self._place.files.upload
        return await self._transfers.io(keep, owner, source, shown, kind, received)

    async def find(
        self, run: Run, artifact_id: str, find: Callable[[str], T]
    ) -> tuple[Artifact, T]:
        """An artifact of a run, or a picture of its open questions, and what `find` has for it."""
        for artifact in run.artifacts:
            if artifact.artifact_id == artifact_id:
                return artifact, await self._bytes_of(run, artifact, find)
        for picture in (each for asked in run.open_interactions for each in asked.pictures):
            if picture.file_id == artifact_id:
                shown = picture.model_dump(exclude={"file_id"})
                artifact = Artifact(artifact_id=artifact_id, **shown)
                return artifact, await self._bytes_of(run, artifact, find)
        raise NotFound("artifact_not_found", run_id=run.run_id, artifact_id=artifact_id)

    def forget(self, run_id: str) -> None:
        self._on_demand.forget(run_id)

    async def _bytes_of(self, run: Run, artifact: Artifact, find: Callable[[str], T]) -> T:
        if artifact.made_of:
            return await self._on_demand.find(run, artifact, find)
        try:
            return await self._transfers.io(find, artifact.artifact_id)
        except NotFound as gone:
            if gone.problem.text_id == "blob_damaged":
                raise NotFound("artifact_damaged", name=artifact.name, run_id=run.run_id) from None
            workflow = self._workflows.get(run.workflow)
            if workflow is None or not workflow.keeps_in_memory(self._place.settings):
                raise
            raise NotFound("artifact_was_in_memory", name=artifact.name) from None
