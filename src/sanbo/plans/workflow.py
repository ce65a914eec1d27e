"""Plans as a workflow: a procedure in; what it exports, and how each of its nodes ended, out."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path as FolderPath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import PydanticCustomError
from typing_extensions import override

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput, NotFound, PermissionDenied, Problem
from sanbo.plans.dependencies import calls_in
from sanbo.plans.executors.executors import Executors
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource
from sanbo.plans.present import present
from sanbo.plans.presets import LONGEST_NAME, Presets, answers_in
from sanbo.plans.running.engine import Engine
from sanbo.plans.running.log import LogFile, LogLines, log_path
from sanbo.plans.running.masks import kept_answer, kept_payload
from sanbo.plans.running.outcomes import Ended, stored_export
from sanbo.plans.running.plan import PreparedGraph, PreparedPlans, pinned_versions, plan_of
from sanbo.plans.running.replay import Edition, kept_events
from sanbo.plans.running.scope import Environment
from sanbo.plans.running.surroundings import UnwrittenOfRuns
from sanbo.plans.settings import PlanSettings
from sanbo.plans.store import Designs, DesignsAndVersions, source_named
from sanbo.plans.validating.forms import picture_names, store_pictures
from sanbo.plans.validating.validator import (
    refuse_invalid,
    refuse_unknown_node,
    refuse_unknown_variables,
    refuse_written_secrets,
)
from sanbo.plans.version_store import (
    PlanVersions,
    RunVersion,
    digest_of,
)
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import (
    LOCAL_OWNER,
    Event,
    FileRef,
    JsonObject,
    Path,
    Payload,
    Run,
    RunStart,
)
from sanbo.runs.parts import Parts
from sanbo.runs.settings import RunSettings
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow, Workplace
from sanbo.settings import Settings

_AGENT_BLOCKS = ("agent.", "table.pandas_agent")
SHORT = 8
"""Characters of a plan's hash that people are shown."""
DESIGNS = "designs"
"""In a workspace: its plans."""


_EXECUTORS = ("threads", "processes", "dask")


def _known_executor(name: str) -> str:
    if not name or name in _EXECUTORS or name.removeprefix("dask://") not in ("", name):
        return name
    expected = ", ".join((*_EXECUTORS, "dask://host:port"))
    raise PydanticCustomError("literal_error", "{expected}", {"expected": expected})


class PlanInput(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    plan_id: str = Field(
        default="",
        max_length=1000,
        json_schema_extra={"label": {"ja": "プランのID", "en": "Plan id"}},
    )
    """Of a plan in the workspace, or `id@version` of one that was kept; or else `source`."""
    source: PlanSource | None = Field(
        default=None, json_schema_extra={"label": {"ja": "プランの内容", "en": "Plan text"}}
    )
    vars: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue],
        json_schema_extra={"label": {"ja": "変数の値", "en": "Values of variables"}},
    )
    executor: Annotated[str, AfterValidator(_known_executor)] = Field(
        default="",
        json_schema_extra={
            "label": {"ja": "計算の場所", "en": "Executor"},
            "pattern": r"^(threads|processes|dask(://.+)?)?$",
        },
    )
    """Empty: as the settings say."""
    blocks: dict[str, str] = Field(
        default_factory=dict[str, str],
        json_schema_extra={"label": {"ja": "ブロックの版", "en": "Versions of blocks"}},
    )
    """By reference, the exact versions that the run began with; filled in when it starts."""
    pictures: dict[str, FileRef] = Field(
        default_factory=dict[str, FileRef],
        json_schema_extra={"label": {"ja": "説明の画像", "en": "Pictures"}},
    )
    """Those that its forms show, by name; filled in when it starts."""
    version: RunVersion | None = Field(
        default=None, json_schema_extra={"label": {"ja": "プランの版", "en": "Version"}}
    )
    """Which version it is, by id, version and digest; filled in when it starts."""
    until: str = Field(
        default="",
        max_length=200,
        json_schema_extra={"label": {"ja": "ここまで実行", "en": "Run up to"}},
    )
    """A node of the plan: only what that needs is run, and what it gives is the result."""
    preset: str = Field(
        default="",
        max_length=LONGEST_NAME,
        json_schema_extra={"label": {"ja": "入力プリセット", "en": "Preset"}},
    )
    """The name of answers that were kept for this plan."""
    proposed: dict[str, JsonObject] = Field(
        default_factory=dict[str, JsonObject],
        json_schema_extra={"label": {"ja": "入力欄の初めの値", "en": "Proposed answers"}},
    )
    """What forms show in their fields at first, by the path of their node; filled in from the
    preset, and where a run is done again, from what was answered in it."""


class NodeResult(BaseModel):
    model_config = ConfigDict(frozen=True)

    status: Literal["succeeded", "skipped", "failed"]
    outputs: JsonValue
    duration_ms: int
    problem: Problem | None = None
    """Of one that failed, and without which the run went on."""


class PlanResult(BaseModel):
    model_config = ConfigDict(frozen=True)

    exports: dict[str, JsonValue]
    nodes: dict[str, NodeResult]


class Plans(Workflow[PlanInput, PlanResult]):
    name = "plan"
    titles: ClassVar = {"ja": "プラン（業務手順）", "en": "Plan (business procedure)"}
    descriptions: ClassVar = {
        "ja": "YAMLで書いた業務手順を検証してから実行し、必要なところで人に確認します。",
        "en": "Checks and runs a procedure written as YAML, and asks people where it says so.",
    }
    input_model = PlanInput
    result_model = PlanResult
    has_branches = True

    def __init__(
        self,
        agents: Mapping[str, Workflow[Any, Any]] | None = None,
        samples: Sequence[FolderPath] = (),
    ) -> None:
        """`agents`: the workflows that are also blocks, by name; `samples`: more folders of plans,
        which the workspace's own go before."""
        self._agents = agents or {}
        self._samples = tuple(samples)
        self._executors: tuple[PlanSettings, Executors] | None = None
        self._unwritten = UnwrittenOfRuns()
        self._prepared = PreparedPlans()

    @override
    def close(self) -> None:
        if self._executors is not None:
            self._executors[1].close()
            self._executors = None

    # ---- before a run ----

    @override
    def complete_input(self, given: JsonObject, place: Workplace, owner: str) -> JsonObject:
        """The plan as it is now, validated: a run never looks at the folder again."""
        Environment(place.settings.plans).protect_all()
        asked = PlanInput.model_validate(given)
        _refuse_other_clusters(asked.executor, place.settings.plans, owner)
        source = self._whole(asked.source, place) or self._source(asked.plan_id, place)
        catalog = Catalog.load(place.settings.workspace)
        refuse_invalid(source, catalog, place.settings.plans)
        plan = plan_of(source.plan)
        refuse_unknown_node(asked.until, plan)
        if asked.preset and not asked.blocks:  # not again where a run goes on in another's place
            preset = Presets(place.database).named(plan.id, asked.preset, owner)
            asked = asked.model_copy(
                update={
                    "vars": {**preset.vars_of(plan), **asked.vars},
                    "proposed": {**preset.answers, **asked.proposed},
                }
            )
        refuse_unknown_variables(asked.vars, plan.vars)
        refuse_written_secrets(source, asked.vars)
        version = PlanVersions(place.database).run_version(plan, source, place.settings.plans)
        pinned = pinned_versions(source, catalog)
        self._prepared.of(source, catalog, pinned)
        filled: dict[str, object] = {
            "plan_id": plan.id,
            "source": source,
            "blocks": pinned,
            "version": version,
        }
        if missing := picture_names(source) - asked.pictures.keys():
            designs = Designs([place.settings.workspace / DESIGNS, *self._samples])
            stored = store_pictures(missing, source, designs, place.files, owner)
            filled["pictures"] = {**asked.pictures, **stored}
        return asked.model_copy(update=filled).model_dump(mode="json")

    @override
    def title_of(self, given: JsonObject, language: Language) -> str:
        known = PlanInput.model_validate(given)
        source = known.source
        assert source is not None
        plan = plan_of(source.plan)
        title = text_of(plan.title, language) or plan.id
        if not known.until:
            return title
        titles = {node.id: text_of(node.title, language) for node in plan.graph}
        node = titles.get(known.until) or known.until
        return tell("plan_parts.until", language, title=title, node=node)

    def _whole(self, given: PlanSource | None, place: Workplace) -> PlanSource | None:
        """With the plans that it calls, where they did not come with it."""
        if given is None:
            return None
        plans = [load(text).plan for text in (given.plan, *given.called.values())]
        called = {call.plan_id for each in plans if each for call in calls_in(each)}
        if called <= given.called.keys():
            return given
        designs = Designs([place.settings.workspace / DESIGNS, *self._samples])
        known = DesignsAndVersions(designs, PlanVersions(place.database))
        return known.source(given.plan, given.called)

    def _source(self, plan_id: str, place: Workplace) -> PlanSource:
        if not plan_id:
            raise InvalidInput("plan_not_named")
        designs = Designs([place.settings.workspace / DESIGNS, *self._samples])
        return source_named(plan_id, designs, PlanVersions(place.database))

    # ---- running ----

    @override
    async def advance(self, context: RunContext[PlanInput]) -> Finished[PlanResult] | Waiting:
        given = context.input
        settings = context.place.settings
        environment = Environment(settings.plans)
        environment.protect_all()
        assert given.source is not None
        plan = await asyncio.to_thread(self._ready, given.source, settings, given.blocks)
        plan = plan.up_to(given.until) if given.until else plan
        log = self._log(context, plan)
        engine = Engine(
            context,
            plan,
            given.vars,
            executors=self._computing(settings.plans, settings.runs),
            executor=given.executor or settings.plans.executor,
            loop_executor=self._loop_executor(context),
            environment=environment,
            agents=self._agents,
            unwritten=self._unwritten.of(context.run_id),
        )
        if (waiting := await engine.run()) is not None:
            await context.settle()
            await asyncio.to_thread(log.flush)
            return waiting
        self._unwritten.forget(context.run_id)
        return Finished(await _result(engine, context))

    def _loop_executor(self, context: RunContext[PlanInput]) -> str:
        """A cluster's, where nothing may be sent there that is written nowhere else; who has said
        where it computes means all of it."""
        settings, answers = context.place.settings, context.place.secret_answers
        stays = self.keeps_in_memory(settings) or answers.knows(context.run_id)
        return "" if context.input.executor or stays else settings.runs.cluster

    def _ready(
        self, source: PlanSource, settings: Settings, pinned: Mapping[str, str]
    ) -> PreparedGraph:
        if any(block.startswith(_AGENT_BLOCKS) for block in pinned):
            # Now, for loading them takes longer than some nodes are given.
            for name in self._agents:
                _ = self._agents[name]
        return self._prepared.of(source, Catalog.load(settings.workspace), pinned)

    def _computing(self, settings: PlanSettings, runs: RunSettings) -> Executors:
        if self._executors is None or self._executors[0] != settings:
            self.close()
            needs = runs.cluster_needs.get(self.name)
            self._executors = (settings, Executors(settings, runs.cluster, needs))
        return self._executors[1]

    def _log(self, context: RunContext[PlanInput], plan: PreparedGraph) -> LogFile:
        path = log_path(context.place.settings.workspace, plan.plan_id, context.fold.created_at)
        persist = context.place.settings.plans.persist
        log = LogFile(path, LogLines(plan, context.run_id, persist), context.history)
        # In a cluster it would lie on a worker, where nobody looks for it or deletes it.
        log.is_kept = not context.place.settings.runs.cluster
        context.copy_events(log.add)
        return log

    # ---- afterwards ----

    @override
    def keeps_in_memory(self, settings: Settings) -> bool:
        return settings.plans.persist == "none"

    @override
    def kept(self, payload: Payload, settings: Settings) -> Payload:
        return kept_payload(payload, settings.plans.persist)

    @override
    def kept_answer(self, answer: JsonObject, settings: Settings) -> JsonObject:
        return kept_answer(answer, settings.plans.persist)

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        return present(seen, language)

    @override
    def kept_in_replay(
        self, history: Sequence[Event], step: Path, given: JsonObject
    ) -> list[Event]:
        start = history[0].payload
        assert isinstance(start, RunStart)
        return kept_events(_edition(start.input), _edition(given), history, step)

    @override
    def proposing(self, given: JsonObject, history: Sequence[Event]) -> JsonObject:
        proposed: dict[str, JsonValue] = {**answers_in(history)}
        return {**given, "proposed": proposed}

    @override
    def edition_of(self, given: JsonObject) -> str:
        source = _edition(given).source
        plan = plan_of(source.plan)
        return f"{plan.id}@{plan.version}#{digest_of(source)[:SHORT]}"

    @override
    def newest(self, given: JsonObject, place: Workplace) -> JsonObject:
        """The plan as it is in the workspace now, if that is where it was read from."""
        before = PlanInput.model_validate(given)
        try:
            source = self._source(before.plan_id, place)
        except (InvalidInput, NotFound):
            return {}
        if before.source is None or source.plan.file != before.source.plan.file:
            return {}  # another one of the same name: a file's, or a sample
        texts = [each.plan.text for each in (source, before.source)]
        called = [each.called for each in (source, before.source)]
        is_same = texts[0] == texts[1] and called[0] == called[1]
        # Its pictures are those that stand beside it now.
        return {} if is_same else {"source": source.model_dump(mode="json"), "pictures": {}}

    @override
    async def remove_files(self, run: Run, place: Workplace) -> None:
        given = PlanInput.model_validate(run.input)
        path = log_path(place.settings.workspace, given.plan_id, run.created_at)
        await asyncio.to_thread(path.unlink, missing_ok=True)
        self._unwritten.forget(run.run_id)


def _edition(given: JsonObject) -> Edition:
    known = PlanInput.model_validate(given)
    assert known.source is not None
    return Edition(known.source, known.blocks, known.vars)


def _refuse_other_clusters(executor: str, settings: PlanSettings, owner: str) -> None:
    """A cluster gets the run's data, and what it sends back is unpacked here."""
    is_chosen = executor.startswith("dask://") and executor != settings.executor
    if is_chosen and owner != LOCAL_OWNER:
        raise PermissionDenied("plan_cluster_refused", executor=executor)


async def _result(engine: Engine, context: RunContext[Any]) -> PlanResult:
    exports: dict[str, JsonValue] = {}
    for name, value in engine.scope.shown_exports().items():
        exports[name] = await stored_export(context, name, value)
    # Neither checked again nor copied: all of it is in the journal already.
    return PlanResult.model_construct(
        exports=exports,
        nodes={name: _node_result(engine.ended[name]) for name in engine.scope.prepared.nodes},
    )


def _node_result(ended: Ended) -> NodeResult:
    return NodeResult.model_construct(
        status=ended.status,
        outputs=ended.recorded,
        duration_ms=ended.duration_ms,
        problem=ended.problem,
    )
