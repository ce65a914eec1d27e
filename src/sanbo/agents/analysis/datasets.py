"""The registry of this process: tables by id, and what was computed from them. Nothing on disk.

Results are a cache: each is known by how it was made, and is made again when it was forgotten.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sanbo.agents.analysis.jobs import WORKER, CsvJob, Executed, ExecuteJob, Job, LoadJob
from sanbo.agents.analysis.profile import DatasetProfile, TableProfile
from sanbo.agents.analysis.sandbox.client import Sandbox
from sanbo.agents.analysis.sandbox.limits import Limits
from sanbo.agents.analysis.sandbox.memory import Memory
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.kernel.problems import NotFound
from sanbo.kernel.settings import AnalysisSettings

LOADING = Limits(seconds=120, memory_bytes=4 << 30, output_bytes=4 << 30)

Spec = AnalysisSpec | PlotSpec


@dataclass(frozen=True)
class Step:
    """A spec that was executed, under the id by which later ones name it."""

    result_id: str
    spec: Spec


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

    def close(self) -> None:
        self.sandbox.close()
        with self._lock:
            self._held.clear()

    # ---- tables ----

    def load(self, sha256: str, name: str, sheet: str, read: Callable[[], bytes]) -> DatasetProfile:
        """The table of a file; read once, however often it is asked about."""
        key = f"{sha256}:{sheet}"
        held = self._find(key)
        if held is None:
            answer = self.sandbox.run(
                _job(load=LoadJob(name=name, sheet=sheet, sha256=sha256)),
                [Memory.of([read()])],
                LOADING,
            )
            assert answer.output is not None
            profile = DatasetProfile.model_validate_json(answer.report)
            held = _Held(answer.output, profile)
            self._hold(key, held)
            self._hold(profile.dataset_id, held)
        assert isinstance(held.profile, DatasetProfile)
        return held.profile

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
        answer = self.sandbox.run(job, [table], self._limits)
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
            while len(self._held) > 1 and self._size() > self._limit:
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
