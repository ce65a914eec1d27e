"""Plan design as a workflow: an instruction and documents in; out comes a plan that was validated
and rehearsed on samples, with its outline, its open points and what is still wrong.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from sanbo.agents.analysis.datasets import Datasets
from sanbo.blocks.contract.catalog import Catalog
from sanbo.documents.model import Source
from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import Language, tell, use_language
from sanbo.kernel.problems import InvalidInput, SanboError
from sanbo.llm.engine import RULES
from sanbo.plans import store
from sanbo.plans.designing.composition import (
    compose,
    refuse_unread,
    whole_instruction,
    with_approvers,
)
from sanbo.plans.designing.draft import Attempt, Draft, Outline
from sanbo.plans.designing.model_drafting import ModelDrafting, context_of, nearest
from sanbo.plans.designing.sources import Material, read_material
from sanbo.plans.designing.wording import language_of
from sanbo.plans.diff import changes_between, sentence
from sanbo.plans.dry_running import dry_run
from sanbo.plans.load import load
from sanbo.plans.model import Finding, PlanSource, PlanText, is_valid
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating import validate
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import FileRef, JsonObject, Run
from sanbo.runs.parts import Column, Fact, Facts, Part, Parts, Table, Text
from sanbo.runs.presentation import whole
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow


def tried(text: str, catalog: Catalog, settings: PlanSettings) -> Attempt:
    source = PlanSource(plan=PlanText(text=text))
    findings = validate(source, catalog, settings)
    if not is_valid(findings):
        return Attempt(text=text, findings=findings, stage="validate")
    report = dry_run(source, catalog, settings)
    return Attempt(text=text, findings=report.findings, stage="dry_run")


_COLUMNS = ("title", "who", "files", "gives")


def present(seen: Snapshot, language: Language) -> Parts:
    return whole(seen.run, language, _parts(seen.run, language))


def _parts(run: Run, language: Language) -> Iterator[Part]:
    result = run.result
    if not isinstance(result, dict):
        return
    outline = Outline.model_validate(result["outline"])
    yield _steps(outline, language)
    if outline.open_points:
        lines = [f"- {literal(point)}" for point in outline.open_points]
        title = tell("plan_design.shown.open_points", language)
        yield Text(id="open_points", title=title, markdown="\n".join(lines))
    yield _verdict(result, language)
    title = tell("plan_design.shown.text", language)
    yield Text(id="text", title=title, markdown=str(result["text"]), is_plain=True, is_aside=True)


def _steps(outline: Outline, language: Language) -> Table:
    columns = [Column(name=tell(f"plan_design.shown.{name}", language)) for name in _COLUMNS]
    comma = tell("plan_design.comma", language)
    rows = [(step.title, step.who, comma.join(step.files), step.gives) for step in outline.steps]
    return Table(
        id="outline",
        title=tell("plan_design.shown.outline", language),
        columns=tuple(columns),
        rows=tuple(rows),
        total_rows=len(rows),
    )


def _verdict(result: Mapping[str, object], language: Language) -> Facts:
    def fact(name: str, *, holds: bool) -> Fact:
        said = tell("plan_design.shown.good" if holds else "plan_design.shown.bad", language)
        label = tell(f"plan_design.shown.{name}", language)
        return Fact(label=label, value=said, tone="good" if holds else "bad")

    rounds = tell("plan_design.shown.rounds", language)
    return Facts(
        id="verdict",
        items=(
            fact("valid", holds=bool(result["is_valid"])),
            fact("dry_run", holds=bool(result["is_dry_run"])),
            Fact(label=rounds, value=str(result["rounds"])),
        ),
    )


MOST_ROUNDS = 4
_LONGEST_ID = 32


T = TypeVar("T", bound=BaseModel)
_NO_NAME = re.compile(r"[\W_]+")


def plan_id_of(question: str) -> str:
    """A name for a plan that was given none, out of the first words of its instruction."""
    return _NO_NAME.sub("_", question).strip("_")[:_LONGEST_ID].strip("_") or "plan"


def _changes(before: str, after: str) -> tuple[str, ...]:
    if not before:
        return ()
    old, new = (PlanSource(plan=PlanText(text=text)) for text in (before, after))
    try:
        return tuple(sentence(each) for each in changes_between(old, new))
    except SanboError:  # the best attempt can't be read as a plan; its findings say why
        return ()


class DesignInput(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(
        min_length=1,
        max_length=8000,
        json_schema_extra={"label": {"ja": "作りたい手順", "en": "What the plan should do"}},
    )
    documents: tuple[FileRef, ...] = Field(
        default=(),
        max_length=30,
        json_schema_extra={
            "label": {"ja": "参考にするファイル", "en": "Documents"},
            "help": {
                "ja": "手順書、入力ファイルの見本、ひな形",
                "en": "The manual, samples of the input files, templates",
            },
        },
    )
    outline: Outline | None = Field(
        default=None, json_schema_extra={"label": {"ja": "直した概要", "en": "A changed outline"}}
    )
    plan_text: str = Field(
        default="",
        max_length=200_000,
        json_schema_extra={
            "label": {"ja": "直すプラン（YAML）", "en": "The plan to change (YAML)"}
        },
    )
    """With it, the question says what is to change in it."""
    plan_id: str = Field(
        default="",
        max_length=100,
        json_schema_extra={"label": {"ja": "プランのID", "en": "Plan id"}},
    )


class DesignResult(BaseModel):
    model_config = ConfigDict(frozen=True)

    outline: Outline
    plan_id: str
    text: str
    """The best attempt."""
    is_valid: bool
    is_dry_run: bool
    findings: tuple[Finding, ...]
    rounds: int
    method: Literal["rules", "model"]
    changes: tuple[str, ...] = ()
    """Of a plan that was changed: what differs in meaning, a sentence each."""


class Designs(Workflow[DesignInput, DesignResult]):
    name = "design"
    titles: ClassVar = {"ja": "プランの作成", "en": "Plan design"}
    descriptions: ClassVar = {
        "ja": "やりたいことの説明と資料から、検証と試し実行を済ませたプランを作ります。",
        "en": "Makes a procedure, validated and dry-run, of a description and documents.",
    }
    input_model = DesignInput
    result_model = DesignResult

    def __init__(self) -> None:
        self._datasets: Datasets | None = None

    @override
    def close(self) -> None:
        if self._datasets is not None:
            self._datasets.close()
            self._datasets = None

    @override
    async def advance(self, context: RunContext[DesignInput]) -> Finished[DesignResult] | Waiting:
        given = context.input
        language = context.language
        plan_id = given.plan_id or plan_id_of(given.question)
        sources = [
            Source(name=file.name, data=await context.read(file)) for file in given.documents
        ]
        material = await asyncio.to_thread(read_material, sources, context.place.readers)
        if given.plan_text:
            known = load(PlanText(text=given.plan_text)).plan
            if known is None:
                raise InvalidInput("plan_unreadable_for_change")
            plan_id = known.id or plan_id
        with use_language(language):
            if given.plan_text and context.engine == RULES:
                return await self._changed_by_rules(context, material, plan_id)
            draft = await self._composed(context, given.question, material)
            if context.engine == RULES:
                return await self._by_rules(context, draft, plan_id)
            return await self._by_model(context, material, draft, plan_id)

    async def _composed(
        self, context: RunContext[DesignInput], instruction: str, material: Material
    ) -> Draft:
        return await asyncio.to_thread(
            compose,
            instruction,
            material,
            context.place.readers,
            self._tables(context),
            context.input.outline,
        )

    async def _changed_by_rules(
        self, context: RunContext[DesignInput], material: Material, plan_id: str
    ) -> Finished[DesignResult]:
        given = context.input
        text = with_approvers(given.plan_text, given.question, language_of(given.question))
        outline = Outline(title=given.question, steps=())
        if text is None:
            if not material.files:
                raise InvalidInput("plan_change_unread", change=given.question)
            draft = await self._composed(
                context, whole_instruction(given.plan_text, given.question), material
            )
            refuse_unread(given.question, draft.open_points)
            text, outline = draft.text(plan_id), draft.outline()

        async def attempted() -> Attempt:
            return await self._tried(context, text)

        attempt = await self._step(context, "round-1", attempted, Attempt)
        return await self._finish(context, plan_id, outline, (attempt,), "rules")

    async def _by_rules(
        self, context: RunContext[DesignInput], draft: Draft, plan_id: str
    ) -> Finished[DesignResult]:
        if not draft.nodes:
            raise InvalidInput("plan_design_nothing_to_work_on")

        async def outlined() -> Outline:
            return draft.outline()

        async def attempted() -> Attempt:
            return await self._tried(context, draft.text(plan_id))

        outline = await self._step(context, "outline", outlined, Outline)
        attempt = await self._step(context, "round-1", attempted, Attempt)
        return await self._finish(context, plan_id, outline, (attempt,), "rules")

    async def _by_model(
        self, context: RunContext[DesignInput], material: Material, draft: Draft, plan_id: str
    ) -> Finished[DesignResult]:
        given = context.input
        catalog = Catalog.load(context.place.settings.workspace)
        known = await asyncio.to_thread(
            context_of, given.question, material, catalog, draft, plan_id
        )
        known |= {"nearest_plans": await asyncio.to_thread(self._nearest, context)}
        if given.plan_text:
            known |= {"plan_to_change": given.plan_text}
        drafting = ModelDrafting(await context.model(), known)
        outline = given.outline or (
            Outline(title=given.question, steps=())
            if given.plan_text
            else await self._step(context, "outline", drafting.outline, Outline)
        )
        attempts: list[Attempt] = []

        async def attempted() -> Attempt:
            return await self._tried(context, await drafting.draft(outline, attempts))

        for number in range(1, MOST_ROUNDS + 1):
            attempts.append(await self._step(context, f"round-{number}", attempted, Attempt))
            if not attempts[-1].errors:
                break
        return await self._finish(context, plan_id, outline, attempts, "model")

    async def _tried(self, context: RunContext[DesignInput], text: str) -> Attempt:
        settings = context.place.settings
        catalog = Catalog.load(settings.workspace)
        return await asyncio.to_thread(tried, text, catalog, settings.plans)

    async def _step(
        self,
        context: RunContext[DesignInput],
        name: str,
        work: Callable[[], Awaitable[T]],
        model: type[T],
    ) -> T:
        kind, _, number = name.partition("-")
        title = tell(f"plan_design.step.{kind}", context.language, number=number)
        return await context.step(name, work, returns=model.model_validate, title=title)

    async def _finish(
        self,
        context: RunContext[DesignInput],
        plan_id: str,
        outline: Outline,
        attempts: Sequence[Attempt],
        method: Literal["rules", "model"],
    ) -> Finished[DesignResult]:
        best = min(attempts, key=lambda each: (each.errors, each.stage == "validate"))
        await context.keep(f"{plan_id}.yaml", "application/yaml", best.text.encode())
        return Finished(
            DesignResult(
                outline=outline,
                plan_id=plan_id,
                text=best.text,
                is_valid=best.stage == "dry_run" or not best.errors,
                is_dry_run=best.stage == "dry_run" and not best.errors,
                findings=best.findings,
                rounds=len(attempts),
                method=method,
                changes=_changes(context.input.plan_text, best.text),
            )
        )

    def _nearest(self, context: RunContext[DesignInput]) -> list[dict[str, str]]:
        folder = context.place.settings.workspace / "designs"
        plans = {
            each.plan_id: each.file.read_text("utf-8", "replace")
            for each in store.Designs((folder,)).list()
        }
        return nearest(context.input.question, plans)

    def _tables(self, context: RunContext[DesignInput]) -> Datasets:
        if self._datasets is None:
            self._datasets = Datasets(context.place.settings.analysis)
        return self._datasets

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        return present(seen, language)

    @override
    def title_of(self, given: JsonObject, language: Language) -> str:
        _ = language
        return str(given.get("question", ""))
