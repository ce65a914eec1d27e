"""GRACE as a workflow: a question in; an answer that knows how sure it is, or a question back."""

import asyncio
from typing import Any, ClassVar, cast

from langgraph.graph import StateGraph
from pydantic import BaseModel, Field, JsonValue, field_validator
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import override

from sanbo.agents.grace.answer_text import allowed, written
from sanbo.agents.grace.calibration.calibrations import Calibrations
from sanbo.agents.grace.graph import MOST_NODES, Nodes, build
from sanbo.agents.grace.model_thinking import ModelThinking
from sanbo.agents.grace.present import present
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import ExecutionResult, PlanStep
from sanbo.agents.grace.searxng import web_search_of
from sanbo.agents.grace.state import GraceState, StepTask
from sanbo.agents.grace.thinking import Calibration, KnownCollection, Surroundings, Thinking
from sanbo.evidence.finding import Finder, Searches
from sanbo.evidence.model import LONGEST_QUESTION, asked
from sanbo.kernel.messages import Language, tell
from sanbo.llm.settings import LlmSettings
from sanbo.runs.fold import Snapshot
from sanbo.runs.graphs import GraphWorkflow, State
from sanbo.runs.model import Run
from sanbo.runs.parts import Parts
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workplace
from sanbo.settings import Settings


class GraceInput(BaseModel):
    question: str = Field(
        min_length=1,
        max_length=LONGEST_QUESTION,
        json_schema_extra={
            "label": {"ja": "質問", "en": "Question"},
            "help": {
                "ja": "例：宿泊費の上限はいくらですか",
                "en": "For example: what is the most that may be spent on a hotel?",
            },
        },
    )
    collection: str | None = Field(
        default=None,
        max_length=100,
        json_schema_extra={
            "label": {"ja": "コレクション", "en": "Collection"},
            "help": {
                "ja": "答えを探すコレクションの名前。省くと、設定に従うか、すべてから探します。",
                "en": "Where the answer is looked for. Left out: as the settings say, or in all.",
            },
        },
    )

    @field_validator("question")
    @classmethod
    def _says_something(cls, question: str) -> str:
        """A SanboError passes through Pydantic as it is."""
        return asked(question)

    @field_validator("collection")
    @classmethod
    def _blank_is_none(cls, collection: str | None) -> str | None:
        return (collection or "").strip() or None


Context = RunContext[GraceInput]
MOST_TURNS = 5
"""Of a conversation: a follow-up rarely goes further back."""


class Grace(GraphWorkflow[GraceInput, ExecutionResult]):
    name = "grace"
    titles: ClassVar = {"ja": "GRACE（確信度つき回答）", "en": "GRACE (answers with confidence)"}
    descriptions: ClassVar = {
        "ja": "文書から答えを探し、どのくらい確かかを示します。確かでないときは人に確認します。",
        "en": "Answers from documents, says how sure it is, and asks a person where it is not.",
    }
    input_model = GraceInput
    result_model = ExecutionResult
    called_apart = ("sanbo.agents.grace.rules_thinking",)
    recursion_limit = MOST_NODES

    def __init__(self) -> None:
        self._searches = Searches()

    @override
    def close(self) -> None:
        self._searches.close()

    @override
    async def forget(self, run: Run) -> None:
        self._searches.forget(run.conversation_id)

    @override
    def llm_settings(self, settings: Settings) -> LlmSettings:
        own = {"model": settings.grace.model, "temperature": settings.grace.temperature}
        given = {name: value for name, value in own.items() if value is not None}
        return settings.llm.model_copy(update=given)

    @override
    def node_title(self, node: str, language: Language) -> str:
        return tell(f"grace.node.{node}", language)

    @override
    def task_title(self, node: str, given: object, language: Language) -> str:
        """A step of the plan is told in the plan's own words."""
        if node != "step":
            return self.node_title(node, language)
        step = PlanStep.model_validate(cast("StepTask", given)["step"])
        return f"{step.step_id}. {step.description}"

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        return present(seen, language)

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        return build(Nodes(self._surroundings))

    @override
    async def advance(self, context: Context) -> Finished[ExecutionResult] | Waiting:
        if not context.fold.steps:  # before any step: a name that was misspelt
            await self._collections(context)
        return await super().advance(context)

    @override
    def initial_state(self, context: Context) -> State:
        state: GraceState = {"asked": context.input.question, "question": context.input.question}
        return dict(state)

    @override
    def result(self, state: State, context: Context) -> ExecutionResult:
        return ExecutionResult.model_validate(state["result"])

    @override
    def outputs(self, node: str, update: object, place: Workplace) -> JsonValue:
        """What pages show of a step; the passages' texts stay in the checkpoint."""
        return cast("GraceState", update or {}).get("shown")

    async def _collections(self, context: Context) -> tuple[KnownCollection, ...]:
        return await asyncio.to_thread(
            allowed,
            context.place.library,
            context.place.settings.grace,
            context.input.collection,
            context.language,
        )

    async def _surroundings(self, context: Context) -> Surroundings:
        library, settings = context.place.library, context.place.settings
        session, language = context.run.conversation_id, context.language
        thinking: Thinking
        if context.engine.provider == "rules":
            thinking = RulesThinking(language)
        else:
            model = await context.model(self.llm_settings(settings))
            thinking = ModelThinking(model, language, settings.grace)

        async def calibration() -> Calibration:
            calibrations = Calibrations(context.place.database)
            try:
                current = await asyncio.to_thread(calibrations.current, settings.grace, language)
            except SQLAlchemyError as error:
                raise context.place.database.failure(error) from error
            return Calibration(current.fitted, current.thresholds)

        async def asked_before() -> tuple[str, ...]:
            turns = await context.earlier_turns()
            own = [turn for turn in turns if turn.workflow == self.name]
            return tuple(str(turn.input.get("question", "")) for turn in own[-MOST_TURNS:])

        async def keep(result: ExecutionResult) -> None:
            title = tell("grace.file", language)
            text = written(result, language).encode()
            await context.keep(f"{title}.md", "text/markdown", text, title=title, at=("finish",))

        return Surroundings(
            run_id=context.run_id,
            thinking=thinking,
            settings=settings.grace,
            language=language,
            finder=lambda name: Finder(self._searches, session, lambda: library.open(name)),
            collections=lambda: self._collections(context),
            calibration=calibration,
            asked_before=asked_before,
            web=web_search_of(settings.grace),
            say=lambda text: context.say(text, "finish"),
            keep=keep,
        )


WORKFLOW = Grace
