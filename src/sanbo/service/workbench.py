"""The workbench: what front ends can do with runs. A caller sees its own, and no others."""

import asyncio
import secrets
import time
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, aclosing
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sanbo.agents.research.notes import Notes
from sanbo.documents.model import Source
from sanbo.kernel.messages import Language, current_language, tell
from sanbo.kernel.problems import (
    Conflict,
    InvalidInput,
    NotFound,
    RunBusy,
    SanboError,
)
from sanbo.kernel.secrets import redact, redact_value
from sanbo.llm.engine import Engine, choose_engine
from sanbo.llm.settings import LlmSettings
from sanbo.plans.presets import Presets
from sanbo.plans.version_store import PlanVersions
from sanbo.runs.fields import file_refs
from sanbo.runs.files import RunFiles
from sanbo.runs.fold import RunFold, Snapshot
from sanbo.runs.interactions import check_answer
from sanbo.runs.journal import Head, Journal, Kept, Lease, line_of, recorded
from sanbo.runs.model import (
    Artifact,
    Correction,
    Event,
    FileRef,
    Interaction,
    JsonObject,
    NodeComplete,
    NodeSkipped,
    NodeStart,
    ReplayOf,
    Run,
    RunStart,
    RunSummary,
    Status,
)
from sanbo.runs.model import Path as StepPath
from sanbo.runs.parts import Parts
from sanbo.runs.secret_values import secret_fields
from sanbo.runs.workflow import Workflow, Workplace
from sanbo.runs.writer import STARTED
from sanbo.service.access import Access, Caller, RunGuard, may_answer
from sanbo.service.catalog import WorkflowInfo, describe
from sanbo.service.collections import Collections
from sanbo.service.deletion import Deletion
from sanbo.service.feed import BYTES_A_READ, Feed, Shared, Streams
from sanbo.service.files import FileDesk
from sanbo.service.health import Metrics, StorageCheck
from sanbo.service.inputs import Drafts, check_input, which_question
from sanbo.service.notices import Notices
from sanbo.service.presentations import EVENTS_A_READ, Change, FoldCache, Presentations
from sanbo.service.run_queue import RunQueue
from sanbo.service.runner import Runner
from sanbo.service.triggers import TriggerDesk
from sanbo.settings import Settings
from sanbo.storage.blobs import Content

if TYPE_CHECKING:
    from sanbo.agents.analysis.workflow import Analysis
    from sanbo.agents.grace.calibration.calibrations import Calibrations
    from sanbo.service.analysis import AnalysisDesk
    from sanbo.service.cluster import ClusterIndexing
    from sanbo.service.cluster_status import ClusterStatus

TROUBLE_SECONDS = 0.5
LONGEST_TITLE = 200
DAY = 86_400


class Workbench:
    """Lives on one event loop; from other threads, use `BlockingWorkbench`."""

    def __init__(
        self,
        workflows: Mapping[str, Workflow[Any, Any]],
        journal: Journal,
        *,
        runner: Runner,
        feed: Feed,
        place: Workplace,
        collections: Collections,
        now: Callable[[], float] = time.time,
    ) -> None:
        settings = place.settings
        self.collections = collections
        self.access = Access(journal.database)
        self._guard = RunGuard(self.access, journal, runner.io)
        self.drafts = Drafts(journal.database)
        self.plan_versions = PlanVersions(journal.database)
        self.presets = Presets(journal.database)
        self.storage = StorageCheck(journal.database, place.files.blobs, settings.workspace)
        self.streams = Streams(settings.server.max_streams)
        self.notes = Notes(journal.database)
        self._workflows = workflows
        self._journal = journal
        self._runner = runner
        self._feed = feed
        self._place = place
        self._answering = asyncio.Lock()
        self._presentations = Presentations(workflows)
        self._folds = FoldCache(journal, runner, self._presentations.is_followed)
        self._desk = FileDesk(place, workflows)
        self.queue = RunQueue(journal.database, settings.runs)
        self._deletion = Deletion(
            journal, runner, place, workflows, self.drafts, forget=self._forget
        )
        self.notices = Notices(journal.database, settings, runner.io)
        self.metrics = Metrics(journal.database, runner, self.storage, self.streams)
        self.triggers = TriggerDesk(self, journal.database, runner.leases, runner.io, now)

    # ---- workflows ----

    def workflows(self) -> list[WorkflowInfo]:
        return [describe(workflow) for workflow in self._workflows.values()]

    def workflow(self, name: str) -> WorkflowInfo:
        return describe(self._find_workflow(name))

    def _find_workflow(self, name: str) -> Workflow[Any, Any]:
        if name not in self._workflows:
            known = "、".join(self._workflows) or tell("none")
            raise NotFound("workflow_unknown", workflow=name, known=known)
        return self._workflows[name]

    @property
    def runner(self) -> Runner:
        return self._runner

    @property
    def settings(self) -> Settings:
        return self._place.settings

    def think_with(self, llm: LlmSettings) -> None:
        """In runs that start from now on; what is under way stays with whom it began."""
        self._place.settings = self.settings.model_copy(update={"llm": llm})

    def engine(self) -> Engine:
        """Who would think in a run that starts now; a problem when the settings don't suffice."""
        return choose_engine(self.settings.llm)

    # What only some workflows need is loaded with them: their code takes its time.

    @cached_property
    def analysis(self) -> "AnalysisDesk":
        """Tables before they are asked about."""
        workflow = self._find_workflow("analysis")
        from sanbo.service.analysis import AnalysisDesk  # noqa: PLC0415

        return AnalysisDesk(cast("Analysis", workflow), self._files, self.settings)

    @cached_property
    def calibrations(self) -> "Calibrations":
        """What people's verdicts have made of GRACE's score."""
        from sanbo.agents.grace.calibration.calibrations import Calibrations  # noqa: PLC0415

        return Calibrations(self._journal.database)

    def keeps_in_memory(self, workflow: str) -> bool:
        """Whether files for this workflow should be uploaded as bytes, to stay in memory."""
        return self._find_workflow(workflow).keeps_in_memory(self.settings)

    # ---- runs ----

    async def start(
        self,
        caller: Caller,
        workflow: str,
        given: JsonObject,
        *,
        conversation_id: str | None = None,
        language: Language | None = None,
        run_id: str | None = None,
    ) -> Run:
        """Begins a run and returns at once; it advances on the pool.

        `run_id`: of one that must not begin twice; the database refuses the second.
        """
        chosen = self._find_workflow(workflow)
        if self.queue.is_limited:
            await self._io(self.queue.check, caller.owner, workflow)
        checked = await self.check(caller, workflow, given)
        files = file_refs(checked)
        if conversation_id is not None:
            await self._guard.check_conversation(caller, conversation_id)
        language = language or current_language()
        start = RunStart(
            workflow=workflow,
            conversation_id=conversation_id or _new_id("conv", time.time()),
            title=_on_one_line(chosen.title_of(checked, language)),
            input=checked,
            engine=choose_engine(chosen.llm_settings(self.settings)),
            language=language,
            owner=caller.owner,
            edition=chosen.edition_of(checked),
        )
        return await self._open(run_id or await self._new_run_id(), start, [], files)

    async def check(self, caller: Caller, workflow: str, given: JsonObject) -> JsonObject:
        """The input as a run of this caller would begin with it, or why it could not."""
        chosen = self._find_workflow(workflow)
        checked = await self._in_thread(check_input, workflow, chosen.input_model, given)
        checked = await self._in_thread(chosen.complete_input, checked, self._place, caller.owner)
        await self._io(self._files.check, caller.owner, file_refs(checked))
        return checked

    async def _open(
        self,
        run_id: str,
        start: RunStart,
        history: list[Event],
        files: list[FileRef],
        seed: Callable[[], Awaitable[None]] | None = None,
    ) -> Run:
        opening = [recorded(run_id, 1, (), start)]
        opening += [
            event.model_copy(
                update={
                    "run_id": run_id,
                    "seq": position,
                    # What the first run has paid for is not counted again.
                    "payload": event.payload.model_copy(update={"calls": ()}),
                }
            )
            for position, event in enumerate(history, start=2)
        ]
        fold = RunFold.of(opening, for_viewing=True)
        leases = self._runner.leases
        lease = leases.for_new_run(run_id, start.owner, start.workflow)
        with self._runner.holding(run_id):
            kept = await self._kept(start.workflow)
            await self._io(self._journal.create, lease, leases.until, opening, fold.status, kept)
            await self._io(self._files.adopt, run_id, start.owner, files)
            if seed is not None:
                await seed()
            STARTED.add(start.workflow)
            self._folds.remember(run_id, fold)
            self._runner.schedule(run_id, lease, opening)
        return fold.run

    async def get(self, caller: Caller, run_id: str) -> Run:
        run = (await self._fold(caller, run_id)).run
        if all(may_answer(asked, caller) for asked in run.open_interactions):
            return run
        if await self._io(self.access.answers_all, caller):
            return run
        asked = tuple(
            each.model_copy(update={"for_me": may_answer(each, caller)})
            for each in run.open_interactions
        )
        return run.model_copy(update={"open_interactions": asked})

    async def parts(self, caller: Caller, run_id: str, language: Language | None = None) -> Parts:
        """What a person is shown of a run."""
        seen = (await self._fold(caller, run_id)).snapshot()
        return await self._presentations.of(seen, language or current_language())

    async def report_parts(self, caller: Caller, run_id: str, language: Language) -> Parts:
        """The same for a file that is handed on."""
        seen = (await self._fold(caller, run_id)).snapshot()
        return await self._presentations.report(seen, language)

    async def follow_parts(
        self,
        caller: Caller,
        run_id: str,
        silence: float | None = None,
        *,
        since: int = 0,
        while_it_can: bool = False,
    ) -> AsyncGenerator[Change | None]:
        """What there is to see, then what changes, until the run has ended; None where nothing
        has come for so long. With `since`, first what there was after that event. `while_it_can`:
        as in `follow`."""

        async def look(new: Sequence[Shared]) -> Snapshot:
            """At what has just come, where that is all; whoever is behind looks at the end."""
            self._folds.keep_up(run_id, [shared.event for shared in new])
            fold = self._folds.get(run_id)
            if fold is None or not new or fold.last_seq < self._feed.newest(run_id):
                fold = await self._folds.read(run_id)
            return fold.snapshot()

        def before() -> Snapshot:
            return self._runner.folds.whole(run_id, for_viewing=True, last=since).snapshot()

        head = await self.head(caller, run_id)
        changes = self._presentations.follow(
            partial(self._feed.batches, run_id, head.last_seq),
            look,
            current_language(),
            run_id=run_id,
            at_least=head.last_seq,
            first=await self._io(before) if since else None,
            silence=TROUBLE_SECONDS if while_it_can else silence,
        )
        async with aclosing(changes):
            async for change in changes:
                yield change
                if while_it_can and change is None and run_id in self._runner.trouble:
                    raise self._runner.trouble[run_id]

    async def events(
        self, caller: Caller, run_id: str, after: int = 0, *, in_parts: bool = False
    ) -> list[Event]:
        """Stored ones; `in_parts`: a few, none only where there are no more."""
        await self._guard.check_visible(caller, run_id)
        limits = (EVENTS_A_READ, BYTES_A_READ) if in_parts else ()
        return await self._io(self._journal.read, run_id, after, *limits)

    async def head(self, caller: Caller, run_id: str) -> Head:
        """How far a run has come, without reading its journal."""
        heads = await self._io(self._journal.heads, [run_id])
        await self._guard.check_sees(
            caller, run_id, heads[run_id].owner if run_id in heads else None
        )
        return heads[run_id]

    async def follow(
        self, caller: Caller, run_id: str, after: int = 0, *, while_it_can: bool = False
    ) -> AsyncGenerator[Event]:
        """Stored events after `after`, then live ones, until the run has ended.

        `while_it_can`: raises what keeps the run from going on, where that does not pass.
        """
        together = self.follow_together(caller, run_id, after, while_it_can=while_it_can)
        async with aclosing(together) as batches:
            async for events in batches:
                for event in events:
                    yield event

    async def follow_together(
        self, caller: Caller, run_id: str, after: int = 0, *, while_it_can: bool = False
    ) -> AsyncGenerator[Sequence[Event]]:
        """The same, those that have come together in one."""
        silence = TROUBLE_SECONDS if while_it_can else None
        async with aclosing(self.follow_batches(caller, run_id, after, silence)) as batches:
            async for batch in batches:
                if batch:
                    events = [shared.event for shared in batch]
                    self._folds.keep_up(run_id, events)
                    yield events
                elif run_id in self._runner.trouble:
                    raise self._runner.trouble[run_id]

    async def follow_batches(
        self,
        caller: Caller,
        run_id: str,
        after: int = 0,
        silence: float | None = None,
        head: Head | None = None,
    ) -> AsyncGenerator[Sequence[Shared]]:
        """The same, a few at a time; an empty batch where nothing has come for so long. `head`:
        where the caller has just looked how far the run is."""
        head = head or await self.head(caller, run_id)
        # A position that the run never had would otherwise never be passed.
        after = min(after, head.last_seq)
        async with aclosing(self._feed.batches(run_id, after, silence)) as batches:
            async for batch in batches:
                yield batch

    async def answer(
        self,
        caller: Caller,
        run_id: str,
        answer: object,
        interaction_id: str | None = None,
    ) -> Run:
        """Answers the one open question, or the one named; what does not fit changes nothing."""
        fold = await self._fold(caller, run_id)
        interaction = which_question(fold, interaction_id)
        await self._guard.check_addressee(caller, interaction)
        # In a thread: a form may hold a pattern that takes its time.
        checked = await self._in_thread(check_answer, interaction, answer)
        # What the form itself proposes is the run's already, whoever has uploaded it.
        proposed = [ref for field in interaction.requirements for ref in file_refs(field.default)]
        files = [each for each in file_refs(checked) if each not in proposed]
        await self._io(self._files.check, caller.owner, files)
        assert fold.start is not None
        workflow = self._find_workflow(fold.start.workflow)
        kept = partial(workflow.kept_answer, settings=self.settings)
        is_masked = secret_fields(interaction) or redact_value(kept(checked)) != checked
        with self._runner.holding(run_id):
            lease = await self._lease_for_secrets(run_id) if is_masked else None
            await self._io(self._files.adopt, run_id, caller.owner, files)
            event = await self._record_answer(run_id, interaction, checked, caller.owner, kept)
            self._feed.publish(event)
            self._runner.schedule(run_id, lease, is_urgent=True)
        return await self.get(caller, run_id)

    async def _record_answer(
        self,
        run_id: str,
        interaction: Interaction,
        answer: JsonObject,
        by: str,
        kept: Callable[[JsonObject], JsonObject],
    ) -> Event:
        secrets, question = self._place.secret_answers, interaction.interaction_id
        async with self._answering:  # one after the other, so that one that is refused leaves none
            before = secrets.kept(run_id, question)
            given = secrets.keep(run_id, interaction, answer, by, kept)
            try:
                if given.sealed:
                    await self._io(secrets.seal, run_id, given)
                return await self._io(self._journal.answer, run_id, given)
            except SanboError:
                secrets.restore(run_id, question, before)
                raise

    async def _lease_for_secrets(self, run_id: str) -> Lease | None:
        """A password that is nowhere else: it must be this process that goes on with it."""
        if self._place.secret_answers.are_shared or self._runner.works_on(run_id):
            return None
        return await self._acquire_soon(run_id, tries=5)  # it may be about to be given back

    async def cancel(self, caller: Caller, run_id: str) -> Run:
        await self._guard.check_own(caller, run_id)
        run = await self.get(caller, run_id)
        if run.status.is_final:
            raise Conflict("run_ended", run_id=run_id, status=run.status)
        await self._runner.cancel(run_id)
        return await self.get(caller, run_id)

    async def resume(
        self,
        caller: Caller,
        run_id: str,
        change: JsonObject | None = None,
        step: StepPath = (),
    ) -> Run:
        """Takes up a run that failed, or that a dead process has left; finished steps stand.

        With a `change` of its input, for example a corrected plan, or back at a `step`, what that
        leaves as it was stands in a new run, which goes on in its place.
        """
        await self._guard.check_own(caller, run_id)
        fold = await self._fold(caller, run_id)
        run = fold.run
        if (change or step) and run.status not in (Status.SUCCEEDED, Status.CANCELLED):
            return await self._correct(caller, fold, change, step)
        if run.status is Status.WAITING and run_id not in await self._io(
            self._runner.leases.orphans
        ):
            raise Conflict("run_waiting", run_id=run_id)
        if run.status in (Status.SUCCEEDED, Status.CANCELLED):
            raise Conflict("run_ended", run_id=run_id, status=run.status)
        if run_id in self._runner.tasks:
            return run
        with self._runner.holding(run_id):
            lease = await self._io(self._runner.leases.acquire, run_id)
            if run.status is Status.FAILED:
                assert fold.start is not None
                again = fold.start.model_copy(update={"resumed": True, "calls": ()})
                event = recorded(run_id, fold.last_seq + 1, (), again)
                await self._io(self._runner.leases.forget_cancel, run_id)
                line = line_of(event, await self._kept(run.workflow))
                await self._io(self._journal.append, lease, [line], Status.QUEUED)
                self._feed.publish(event)
            self._runner.schedule(run_id, lease)
        return await self.get(caller, run_id)

    async def _correct(
        self, caller: Caller, fold: RunFold, change: JsonObject | None, step: StepPath
    ) -> Run:
        """In the place of a run that has not come to its end."""
        run_id = fold.run.run_id
        if fold.completion is None:
            if fold.status is not Status.WAITING and not await self.interrupted([run_id]):
                raise RunBusy("run_busy", run_id=run_id)
            # Refused before anything is stopped.
            given = await self._changed_input(caller, fold, change)
            workflow = self._find_workflow(fold.run.workflow)
            history = await self._io(self._journal.read, run_id)
            await asyncio.to_thread(workflow.kept_in_replay, history, step, given)
            await self._runner.cancel(run_id)
        return await self.replay(caller, run_id, step, change)

    async def correction(
        self, caller: Caller, run_id: str, change: JsonObject | None = None
    ) -> Correction | None:
        """What going on with this change would do; without one, with what is the newest where the
        run's input came from. None where that is as it was."""
        await self._guard.check_own(caller, run_id)
        fold = await self._fold(caller, run_id)
        assert fold.start is not None
        workflow = self._find_workflow(fold.start.workflow)
        before = fold.start.input
        change = change or await self._in_thread(workflow.newest, before, self._place)
        if not change:
            return None
        given = await self._changed_input(caller, fold, change)
        history = await self._io(self._journal.read, run_id)
        kept = await asyncio.to_thread(workflow.kept_in_replay, history, (), given)
        ended, standing = _ended_steps(history), _ended_steps(kept)
        return Correction(
            before=workflow.edition_of(before),
            after=workflow.edition_of(given),
            change=change,
            again=tuple("/".join(path) for path in ended if path not in standing),
            kept=tuple("/".join(path) for path in ended if path in standing),
        )

    async def _changed_input(
        self, caller: Caller, fold: RunFold, change: JsonObject | None
    ) -> JsonObject:
        assert fold.start is not None
        if not change:
            return fold.start.input
        name = fold.start.workflow
        workflow = self._find_workflow(name)
        if not workflow.edition_of(fold.start.input):
            raise InvalidInput("run_not_correctable", workflow=name)
        given = {**fold.start.input, **change}
        checked = await self._in_thread(check_input, name, workflow.input_model, given)
        return await self._in_thread(workflow.complete_input, checked, self._place, caller.owner)

    async def replay(
        self, caller: Caller, run_id: str, step: StepPath, change: JsonObject | None = None
    ) -> Run:
        """A new run that keeps what was finished before `step` and does the rest again.

        With a `change` of the input also what that makes different; then `step` may be left out.
        """
        await self._guard.check_own(caller, run_id)
        fold = await self._fold(caller, run_id)
        assert fold.start is not None
        workflow = self._find_workflow(fold.start.workflow)
        given = await self._changed_input(caller, fold, change)
        target = await self._new_run_id()
        history = await self._io(self._journal.read, run_id)
        given = await asyncio.to_thread(workflow.proposing, given, history)
        before = fold.start.edition or workflow.edition_of(fold.start.input)
        start = fold.start.model_copy(
            update={
                "input": given,
                "title": _on_one_line(workflow.title_of(given, fold.start.language)),
                "edition": workflow.edition_of(given),
                "owner": caller.owner,
                "conversation_id": fold.start.conversation_id
                if fold.start.owner == caller.owner
                else _new_id("conv", time.time()),
                "replay_of": ReplayOf(run_id=run_id, step=step),
                "resumed": False,
                "calls": (),
            }
        )
        kept = await asyncio.to_thread(workflow.kept_in_replay, history, step, given)
        if start.edition != before:
            kept = [_under(before, event) for event in kept]

        async def seed() -> None:
            await self._io(self._files.share, run_id, target)
            await workflow.seed_replay(history, step, target, self._place)

        shared = await self._io(self._files.of_run, run_id)
        new = {each.file_id: each for each in file_refs(given) if each.file_id not in shared}
        await self._io(self._files.check, caller.owner, list(new.values()))
        return await self._open(target, start, kept, list(new.values()), seed)

    async def delete(self, caller: Caller, run_id: str) -> None:
        """Removes a run with its artifacts, checkpoints and notes; one that works is cancelled."""
        await self._guard.check_own(caller, run_id)
        if not (await self.head(caller, run_id)).status.is_final:
            await self._runner.cancel(run_id)
        with self._runner.holding(run_id):
            await self._acquire_soon(run_id)
            await self._deletion.delete([run_id])

    async def delete_months(self, caller: Caller, runs: Iterable[RunSummary]) -> set[str]:
        """Of these runs that have ended, those that were all there was of a month, and are deleted
        with it; none where the caller does not see everybody's."""
        if not caller.sees_all:
            return set()
        return await self._deletion.drop_months({run.run_id for run in runs})

    def _forget(self, run_id: str) -> None:
        self._runner.leases.forget_deleted(run_id)
        self._folds.forget(run_id)
        self._presentations.forget(run_id)
        self._desk.forget(run_id)

    async def ended_before(self, caller: Caller, days: int) -> list[RunSummary]:
        """Runs that have ended more than so many days ago."""
        owner = None if caller.sees_all else caller.owner
        return await self._io(self._journal.ended_before, days * DAY, owner)

    async def file_count(self, caller: Caller, run_id: str) -> int:
        await self._guard.check_visible(caller, run_id)
        return len(await self._io(self._files.of_run, run_id))

    async def delete_files(self, caller: Caller, run_id: str) -> None:
        """Of a run that has ended: what people gave to it and what it made; its record stays."""
        await self._guard.check_own(caller, run_id)
        run = await self.get(caller, run_id)
        if not run.status.is_final:
            raise Conflict("run_not_ended", run_id=run_id)
        await self._io(self._files.let_go, [run_id])
        self._desk.forget(run_id)

    async def interrupted(self, run_ids: Iterable[str]) -> frozenset[str]:
        """Those of these that nobody has ended and no process works on: `resume` takes them up."""
        orphans: list[str] = await self._io(self._runner.leases.orphans)
        return frozenset(orphans).intersection(run_ids).difference(self._runner.tasks)

    async def wait(self, caller: Caller, run_id: str) -> Run:
        """Until the run has ended or waits for a person."""
        while True:
            fold = await self._fold(caller, run_id)
            seen = fold.last_seq
            if task := self._runner.tasks.get(run_id):
                await asyncio.wait([task])
            elif fold.status.is_final or fold.status is Status.WAITING:
                return fold.run
            else:
                async for event in self._feed.follow(run_id, seen):
                    if event.seq is not None:
                        break

    def indexing(self, name: str) -> "Collections | ClusterIndexing":
        """Who indexes uploads into a collection: the cluster's workers, where there are some and
        they reach it. Blocking."""
        cluster = self._runner.cluster
        if cluster is None or not self.collections.is_shared(name):
            return self.collections
        from sanbo.service.cluster import ClusterIndexing  # noqa: PLC0415 - an extra, slow

        return ClusterIndexing(self.collections, cluster, self._runner.loop)

    async def cluster_status(self, address: str | None = None) -> "ClusterStatus":
        from sanbo.service.cluster_status import cluster_status  # noqa: PLC0415 - an extra, slow

        runs, cluster = self.settings.runs, self._runner.cluster
        known = cluster.failure if cluster is not None and address is None else None
        return await cluster_status(address or runs.cluster, runs.cluster_needs, self.queue, known)

    # ---- files ----

    async def upload(
        self,
        caller: Caller,
        source: Path | bytes,
        name: str,
        media_type: str = "",
        received: str | None = None,
    ) -> FileRef:
        """A file on disk is stored there; bytes stay in memory, and go with the process.

        `received`: the hash of one that was written to `incoming`, and may be moved.
        """
        return await self._desk.upload(caller.owner, source, name, media_type, received)

    def incoming(self) -> AbstractContextManager[Path]:
        """Where a file that comes in may be written; what is left of it goes at the end."""
        return self._files.blobs.incoming()

    async def headings(self, caller: Caller, file: FileRef) -> tuple[str, ...]:
        """Of the columns of all tables in an uploaded file."""
        await self._io(self._files.check, caller.owner, [file])
        source = Source(name=file.name, data=await self._io(self._files.read, file.file_id))
        document = await self._place.readers.read_apart(source)
        return tuple(
            dict.fromkeys(name for table in document.tables for name in table.columns or () if name)
        )

    async def artifact(
        self, caller: Caller, run_id: str, artifact_id: str
    ) -> tuple[Artifact, Path | bytes]:
        """An artifact of a run, or a picture of its open questions, and where its bytes are or,
        kept in memory, themselves."""
        run = await self.get(caller, run_id)
        return await self._desk.find(run, artifact_id, self._files.locate)

    async def content(
        self, caller: Caller, run_id: str, artifact_id: str
    ) -> tuple[Artifact, Content]:
        """The same for who hands the bytes on, a piece at a time."""
        run = await self.get(caller, run_id)
        return await self._desk.find(run, artifact_id, self._files.content)

    async def artifact_bytes(self, caller: Caller, run_id: str, artifact_id: str) -> bytes:
        _, content = await self.artifact(caller, run_id, artifact_id)
        if isinstance(content, bytes):
            return content
        return await asyncio.to_thread(content.read_bytes)

    @property
    def accepts_runs(self) -> bool:
        return not self._runner.is_stopping

    # ---- inside ----

    @property
    def _files(self) -> RunFiles:
        return self._place.files

    async def _kept(self, name: str) -> Kept:
        """What of a workflow's events may be written."""
        # In a thread: the first use of a workflow loads its code.
        workflow = await asyncio.to_thread(self._find_workflow, name)
        return partial(workflow.kept, settings=self.settings)

    async def _new_run_id(self) -> str:
        """By the database's clock: turns of one conversation may begin on different machines."""
        return _new_id("run", await self._io(self._journal.database.time))

    async def _io(self, work: Any, *args: object) -> Any:
        return await self._runner.io(work, *args)

    async def _in_thread(self, work: Callable[..., JsonObject], *args: object) -> JsonObject:
        """With the caller's context: problems speak its language."""
        return await asyncio.to_thread(work, *args)

    async def _acquire_soon(self, run_id: str, tries: int = 20) -> Lease:
        """The lease of a run whose holder is about to let go: it may take a moment."""
        for _ in range(tries):
            try:
                return await self._io(self._runner.leases.acquire, run_id)
            except RunBusy:
                await asyncio.sleep(0.2)
        return await self._io(self._runner.leases.acquire, run_id)

    async def _fold(self, caller: Caller, run_id: str) -> RunFold:
        await self._guard.check_visible(caller, run_id)
        return await self._folds.read(run_id)

    async def list(
        self,
        caller: Caller,
        *,
        workflow: str | None = None,
        status: Status | None = None,
        conversation_id: str | None = None,
        containing: str = "",
        before: str | None = None,
        limit: int = 50,
    ) -> list[RunSummary]:
        """`containing`: words that the title has, whatever their case."""
        answers_all = await self._io(self.access.answers_all, caller)
        return await asyncio.to_thread(
            self._journal.list,
            owner=None if caller.sees_all else caller.owner,
            who=None if answers_all else caller.who,
            workflow=workflow,
            status=status,
            conversation_id=conversation_id,
            containing=containing,
            before=before,
            limit=limit,
        )


def _ended_steps(history: Sequence[Event]) -> dict[StepPath, None]:
    """Of the procedure itself, in order: not what is inside of one, or a turn of a loop."""
    ended = (NodeComplete, NodeSkipped)
    return {
        event.path: None
        for event in history
        if len(event.path) == 1 and isinstance(event.payload, ended)
    }


def _under(edition: str, event: Event) -> Event:
    """Says of a step that stands by which edition it was done, unless it is said already."""
    payload = event.payload
    if not isinstance(payload, NodeStart) or payload.edition:
        return event
    told = payload.model_copy(update={"edition": edition})
    return event.model_copy(update={"payload": told})


def _on_one_line(title: str) -> str:
    # Masked before it is cut: half a secret would no longer be known as one.
    line = " ".join(redact(title).split())
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1]}…"


def _new_id(kind: str, now: float) -> str:
    """Begins with its time, so that ids sort by age."""
    return f"{kind}_{int(now * 1000):012x}{secrets.token_hex(6)}"
