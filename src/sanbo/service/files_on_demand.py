"""Files that runs offer: made when somebody first asks for them, then kept with the run."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.exc import IntegrityError

from sanbo.kernel.problems import MissingDependency, NotFound
from sanbo.runs.model import Artifact, Run
from sanbo.runs.workflow import Workflow, Workplace

T = TypeVar("T")
MOST_REMEMBERED = 1_000
"""What is forgotten, here or by a restart, is made again when it is asked for."""


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
