"""The registry of this process: tables by id, and what was computed from them. Nothing on disk.

Results are a cache: each is known by how it was made, and is made again when it was forgotten.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from sanbo.agents.analysis.jobs import WORKER, CsvJob, Executed, ExecuteJob, Job, LoadJob
from sanbo.agents.analysis.profile import DatasetProfile, PreparationKind, TableProfile
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import NotFound
from sanbo.sandbox.client import Sandbox, StoppableThreads
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory

LOADING = Limits(seconds=120, memory_bytes=4 << 30, output_bytes=4 << 30)

MOST_HELD = 256
"""Tables and results: each is an open descriptor, of which a process has about a thousand."""
Spec = AnalysisSpec | PlotSpec
T = TypeVar("T")


@dataclass(frozen=True)
class Step:
    """A spec that was executed, under the id by which later ones name it."""

    result_id: str
    spec: Spec


@dataclass(frozen=True)
class Wanted:
    """The table of a file, as somebody wants it read."""

    sha256: str
    name: str
    sheet: str = ""
    as_written: tuple[PreparationKind, ...] = ()

    @property
    def key(self) -> str:
        """Its warnings are in somebody's language; some formats are told by the name's end."""
        left = ",".join(sorted(set(self.as_written)))
        ending = PurePath(self.name).suffix.lower()
        return f"{self.sha256}:{current_language()}:{ending}:{left}:{self.sheet}"


@dataclass(frozen=True)
class _Held:
    table: Memory
    profile: TableProfile


class Datasets:
    def __init__(self, settings: AnalysisSettings) -> None:
        self._limit = settings.memory_mb << 20
        self._limits = Limits(
            seconds=settings.action_seconds, memory_bytes=settings.action_memory_mb << 20
        )
        self.sandbox = Sandbox(WORKER, self._limits)
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._lock = threading.Lock()
        self._threads = StoppableThreads(self.sandbox.at_once, "analysis")

    def close(self) -> None:
        self.sandbox.close()
        self._threads.close()
        with self._lock:
            self._held.clear()

    async def apart(self, work: Callable[[], T]) -> T:
        """In a thread of the registry's own; cancelled, it also ends the action that is at work."""
        return await self._threads.run(work)

    # ---- tables ----

    async def load_apart(
        self, wanted: Wanted, read: Callable[[], Awaitable[bytes]]
    ) -> DatasetProfile:
        """As `load`, but the bytes are there before a thread is taken: none waits for another."""
        held = self._find(wanted.key)
        if held is not None:
            return self._known(held, wanted.name)
        data = await read()
        return await self.apart(lambda: self.load(wanted, lambda: data))

    def load(self, wanted: Wanted, read: Callable[[], bytes]) -> DatasetProfile:
        """The table of a file; read once, however often it is asked about."""
        held = self._find(wanted.key)
        if held is None:
            job = LoadJob(
                name=wanted.name,
                sheet=wanted.sheet,
                sha256=wanted.sha256,
                as_written=wanted.as_written,
            )
            answer = self.sandbox.run(_job(load=job), [Memory.of([read()])], LOADING)
            assert answer.output is not None
            profile = DatasetProfile.model_validate_json(answer.report)
            held = _Held(answer.output, profile)
            self._hold(wanted.key, held)
        return self._known(held, wanted.name)

    def _known(self, held: _Held, name: str) -> DatasetProfile:
        assert isinstance(held.profile, DatasetProfile)
        # Also when it was found: under its id it may have been forgotten as too long unused.
        self._hold(held.profile.dataset_id, held)
        # Others may have sent the same bytes: what they call them is not this caller's business.
        return held.profile.model_copy(update={"name": name})

    # ---- results ----

    def execute(self, dataset_id: str, earlier: Sequence[Step], spec: Spec) -> Executed:
        """`earlier` are the conversation's steps: the spec may name one as its input."""
        table = self._table(dataset_id, earlier, spec.input)
        executed, output = self._run(table, spec)
        if output is not None:
            key = _key(dataset_id, earlier, spec)
            self._hold(key, _Held(output, executed.profile))
        return executed

    def csv(
        self,
        dataset_id: str,
        earlier: Sequence[Step],
        spec: Spec,
        *,
        labels: Sequence[str],
        rows: int,
    ) -> bytes:
        """The first rows of the first table of a result that `execute` has given."""
        table = self._result(dataset_id, earlier, spec)
        answer = self.sandbox.run(
            _job(csv=CsvJob(labels=tuple(labels), rows=rows)), [table], self._limits
        )
        return b"" if answer.output is None else bytes(answer.output.view())

    def _table(self, dataset_id: str, earlier: Sequence[Step], name: str) -> Memory:
        if name == DATASET:
            held = self._find(dataset_id)
            if held is None:
                raise NotFound("analysis_dataset_gone")
            return held.table
        position = next(n for n, step in enumerate(earlier) if step.result_id == name)
        return self._result(dataset_id, earlier[:position], earlier[position].spec)

    def _result(self, dataset_id: str, earlier: Sequence[Step], spec: Spec) -> Memory:
        key = _key(dataset_id, earlier, spec)
        held = self._find(key)
        if held is not None:
            return held.table
        table = self._table(dataset_id, earlier, spec.input)
        executed, output = self._run(table, spec)
        assert output is not None
        self._hold(key, _Held(output, executed.profile))
        return output

    def _run(self, table: Memory, spec: Spec) -> tuple[Executed, Memory | None]:
        job = _job(execute=ExecuteJob(spec=spec))
        answer = self.sandbox.run(job, [table], self._limits, preload=spec.modules)
        return Executed.model_validate_json(answer.report), answer.output

    # ---- memory ----

    def _find(self, key: str) -> _Held | None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def _hold(self, key: str, held: _Held) -> None:
        with self._lock:
            self._held[key] = held
            self._held.move_to_end(key)
            # A table is held under its file and under its id, but takes memory once.
            while len(self._held) > 1 and (
                len(self._held) > MOST_HELD or self._size() > self._limit
            ):
                self._held.popitem(last=False)

    def _size(self) -> int:
        return sum({id(held.table): held.table.size for held in self._held.values()}.values())


def _key(dataset_id: str, earlier: Sequence[Step], spec: Spec) -> str:
    """How the result is made: the spec, and the specs that its input is made by."""
    made = [spec.model_dump_json(exclude={"input"})]
    steps = {step.result_id: step.spec for step in earlier}
    name = spec.input
    while name != DATASET:
        source = steps[name]
        made.append(source.model_dump_json(exclude={"input"}))
        name = source.input
    digest = hashlib.sha256("\n".join(made).encode()).hexdigest()
    return f"{dataset_id}:{digest}"


def _job(**todo: LoadJob | ExecuteJob | CsvJob) -> bytes:
    return Job.model_validate(todo).model_dump_json().encode()
