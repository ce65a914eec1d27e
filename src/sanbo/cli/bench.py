"""The workbench as the operator at the command line uses it: all runs, one call at a time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import JsonValue

from sanbo.cli.problems import keep_log
from sanbo.cli.root import Everywhere
from sanbo.cli.screen import err, is_live
from sanbo.kernel.messages import set_language, tell
from sanbo.kernel.settings import prepare_workspace
from sanbo.reports.names import ReportFormat
from sanbo.runs.model import (
    Artifact,
    Correction,
    Event,
    FileRef,
    JsonObject,
    Requirement,
    Run,
    RunSummary,
    Status,
)
from sanbo.runs.parts import Parts, PartsUpdate
from sanbo.settings import Settings, load_settings

if TYPE_CHECKING:
    from sanbo.service.access import Access, Caller
    from sanbo.service.analysis import Replayed
    from sanbo.service.bootstrap import BlockingWorkbench
    from sanbo.service.catalog import Demo, WorkflowInfo
    from sanbo.service.cluster_status import ClusterStatus
    from sanbo.service.collections import Collections
    from sanbo.service.deletion import Prunable
    from sanbo.service.reports import ReportFile
    from sanbo.service.run_queue import RunList
    from sanbo.service.workbench import Workbench

T = TypeVar("T")


def read_settings(everywhere: Everywhere) -> Settings:
    """The workspace's settings; from here on its language is spoken, unless `--lang` was given."""
    settings = load_settings(everywhere.workspace)
    if everywhere.language is not None:
        settings = settings.model_copy(update={"language": everywhere.language})
    set_language(settings.language)
    return settings


@contextmanager
def open_bench(everywhere: Everywhere) -> Generator[Bench]:
    settings = read_settings(everywhere)
    prepare_workspace(settings.workspace)
    keep_log(settings.workspace)
    with _says("cli.preparing"):
        # The one place where the command line loads the service, and with it SQLAlchemy: a second
        # that help, `init` and usage errors need not wait. Workflows load when a run needs them.
        from sanbo.service import catalog  # noqa: PLC0415
        from sanbo.service.access import OPERATOR  # noqa: PLC0415
        from sanbo.service.bootstrap import blocking_workbench  # noqa: PLC0415
        from sanbo.service.inputs import check_field  # noqa: PLC0415
    with blocking_workbench(settings, catalog.WORKFLOWS) as blocking:
        yield Bench(blocking, OPERATOR, catalog.DEMOS, check_field)


@contextmanager
def open_shelf(everywhere: Everywhere) -> Generator[Collections]:
    """The collections alone: nothing of runs is loaded."""
    settings = read_settings(everywhere)
    prepare_workspace(settings.workspace)
    keep_log(settings.workspace)
    with _says("cli.preparing"):
        from sanbo.service.collections import open_collections  # noqa: PLC0415 - takes a second
    with open_collections(settings) as collections:
        yield collections


@contextmanager
def open_run_list(everywhere: Everywhere) -> Generator[RunList]:
    """The list of runs alone: no workbench, no workflow."""
    settings = read_settings(everywhere)
    prepare_workspace(settings.workspace)
    keep_log(settings.workspace)
    with _says("cli.preparing"):
        from sanbo.service import run_queue  # noqa: PLC0415 - takes a moment
    with run_queue.open_run_list(settings) as listed:
        yield listed


@contextmanager
def _says(text_id: str) -> Generator[None]:
    console = err()
    if not is_live(console):
        yield
        return
    with console.status(tell(text_id)):
        yield


class Bench:
    """Every call waits for its end; Ctrl-C ends the call."""

    def __init__(
        self,
        blocking: BlockingWorkbench,
        caller: Caller,
        demos: tuple[Demo, ...],
        check_field: Callable[[Requirement, JsonValue], JsonValue],
    ) -> None:
        self.demos = demos
        self.check_field = check_field
        self._blocking = blocking
        self._workbench = blocking.workbench
        self._caller = caller

    @property
    def settings(self) -> Settings:
        return self._workbench.settings

    @property
    def access(self) -> Access:
        return self._workbench.access

    @property
    def collections(self) -> Collections:
        return self._workbench.collections

    def workflows(self) -> list[WorkflowInfo]:
        return self._workbench.workflows()

    def workflow(self, name: str) -> WorkflowInfo:
        return self._workbench.workflow(name)

    def start(self, workflow: str, given: JsonObject, conversation_id: str | None = None) -> Run:
        return self._blocking.call(
            self._workbench.start(self._caller, workflow, given, conversation_id=conversation_id)
        )

    def get(self, run_id: str) -> Run:
        return self._blocking.call(self._workbench.get(self._caller, run_id))

    def list(
        self,
        *,
        workflow: str | None,
        status: Status | None = None,
        conversation_id: str | None = None,
        limit: int,
    ) -> list[RunSummary]:
        work = self._workbench.list(
            self._caller,
            workflow=workflow,
            status=status,
            conversation_id=conversation_id,
            limit=limit,
        )
        return self._blocking.call(work)

    def interrupted(self, run_ids: Iterable[str]) -> frozenset[str]:
        """Those that say that they are at work, while nobody works on them."""
        return self._blocking.call(self._workbench.interrupted(run_ids))

    # pyrefly: ignore[unsupported-operation]
    def events(self, run_id: str, after: int = 0) -> list[Event]:
        return self._blocking.call(self._workbench.events(self._caller, run_id, after))

    def follow(self, run_id: str, after: int = 0) -> Generator[Event]:
        """Stored events, then live ones, until the run has ended."""
        yield from self._blocking.each(
            self._workbench.follow(self._caller, run_id, after, while_it_can=True)
        )

    def parts(self, run_id: str) -> Parts:
        """What a person is shown of a run."""
        return self._blocking.call(self._workbench.parts(self._caller, run_id))

    def report(self, run_id: str, form: ReportFormat) -> ReportFile:
        """What a run came to, as a file."""
        from sanbo.service.reports import report_of  # noqa: PLC0415 - takes a moment

        return self._blocking.call(report_of(self._workbench, self._caller, run_id, form))

    def follow_to_stop(self, run_id: str, since: int) -> Generator[PartsUpdate]:
        """What there was to see after `since`, then what changes, until the run has ended or waits
        for a person."""
        updates = self._blocking.each(
            self._workbench.follow_parts(self._caller, run_id, since=since, while_it_can=True)
        )
        with closing(updates):
            for change in updates:
                if change is None:
                    continue
                update = change.update
                yield update
                if update.status.is_final or update.status is Status.WAITING:
                    head = self._blocking.call(self._workbench.head(self._caller, run_id))
                    if head.last_seq <= update.seq:
                        return

    def wait(self, run_id: str) -> Run:
        return self._blocking.call(self._workbench.wait(self._caller, run_id))

    def answer(self, run_id: str, answer: object, interaction_id: str | None = None) -> Run:
        return self._blocking.call(
            self._workbench.answer(self._caller, run_id, answer, interaction_id)
        )

    def resume(self, run_id: str, change: JsonObject | None = None) -> Run:
        return self._blocking.call(self._workbench.resume(self._caller, run_id, change))

    def replay(self, run_id: str, step: tuple[str, ...], change: JsonObject | None = None) -> Run:
        return self._blocking.call(self._workbench.replay(self._caller, run_id, step, change))

    def correction(self, run_id: str, change: JsonObject | None = None) -> Correction | None:
        return self._blocking.call(self._workbench.correction(self._caller, run_id, change))

    def cancel(self, run_id: str) -> Run:
        return self._blocking.call(self._workbench.cancel(self._caller, run_id))

    def prunable(self, days: int | None, file_days: int | None) -> Prunable:
        from sanbo.service.deletion import prunable  # noqa: PLC0415

        return self.call(lambda bench, caller: prunable(bench, caller, days, file_days))

    def prune(self, found: Prunable) -> Prunable:
        from sanbo.service.deletion import prune  # noqa: PLC0415

        return self.call(lambda bench, caller: prune(bench, caller, found))

    def delete(self, run_id: str) -> None:
        self._blocking.call(self._workbench.delete(self._caller, run_id))

    def cluster_status(self, address: str | None = None) -> ClusterStatus:
        return self._blocking.call(self._workbench.cluster_status(address))

    def upload(self, source: Path | bytes, name: str) -> FileRef:
        return self._blocking.call(self._workbench.upload(self._caller, source, name))

    def keeps_in_memory(self, workflow: str) -> bool:
        return self._workbench.keeps_in_memory(workflow)

    def replay_analysis(self, file: FileRef, recipe: bytes) -> Replayed:
        return self._blocking.call(self._workbench.analysis.replay(self._caller, file, recipe))

    def call(self, work: Callable[[Workbench, Caller], Coroutine[Any, Any, T]]) -> T:
        """What a workflow offers beside its runs."""
        return self._blocking.call(work(self._workbench, self._caller))

    def artifact(self, run_id: str, artifact_id: str) -> tuple[Artifact, Path | bytes]:
        return self._blocking.call(self._workbench.artifact(self._caller, run_id, artifact_id))
