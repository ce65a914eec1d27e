"""Research as a workflow: a question and a collection in, a cited report out."""

import asyncio
from typing import Any, ClassVar, cast

from langgraph.graph import StateGraph
from pydantic import BaseModel, Field, JsonValue, field_validator
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from typing_extensions import override

from sanbo.agents.research.model import ResearchResult
from sanbo.agents.research.model_thinking import ModelThinking
from sanbo.agents.research.nodes import Nodes, ResearchState, build
from sanbo.agents.research.notes import Note, Notes
from sanbo.agents.research.present import present
from sanbo.agents.research.rules_thinking import RulesThinking
from sanbo.agents.research.thinking import About, Surroundings, Thinking
from sanbo.evidence.finding import Finder, Searches
from sanbo.evidence.model import LONGEST_QUESTION, asked
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot
from sanbo.runs.graphs import GraphWorkflow, State
from sanbo.runs.journal import LeaseLost
from sanbo.runs.model import Run
from sanbo.runs.parts import Parts
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workplace


class ResearchInput(BaseModel):
    question: str = Field(
        min_length=1,
        max_length=LONGEST_QUESTION,
        json_schema_extra={
            "label": {"ja": "質問", "en": "Question"},
            "help": {
                "ja": "例：在宅勤務の手当はいくらで、誰が申請できますか",
                "en": "For example: how much is the remote work allowance, and who may apply?",
            },
        },
    )
    collection: str = Field(
        min_length=1,
        max_length=100,
        json_schema_extra={
            "label": {"ja": "コレクション", "en": "Collection"},
            "help": {
                "ja": "答えを探す文書のコレクションの名前。",
                "en": "The collection of documents in which the answer is looked for.",
            },
        },
    )

    @field_validator("question")
    @classmethod
    def _says_something(cls, question: str) -> str:
        """A SanboError passes through Pydantic as it is."""
        return asked(question)


Context = RunContext[ResearchInput]


class Research(GraphWorkflow[ResearchInput, ResearchResult]):
    name = "research"
    titles: ClassVar = {"ja": "リサーチ", "en": "Research"}
    descriptions: ClassVar = {
        "ja": "文書のコレクションを調べ、出典の付いた調査報告を書きます。",
        "en": "Looks through a collection of documents and writes a report with citations.",
    }
    input_model = ResearchInput
    result_model = ResearchResult
    called_apart = ("sanbo.agents.research.rules_thinking",)

    def __init__(self) -> None:
        self._searches = Searches()

    @override
    def close(self) -> None:
        self._searches.close()

    @override
    async def forget(self, run: Run) -> None:
        self._searches.forget(run.conversation_id)

    @override
    def node_title(self, node: str, language: Language) -> str:
        return tell(f"research.node.{node}", language)

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        return present(seen, language)

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        return build(Nodes(self._surroundings))

    @override
    async def advance(self, context: Context) -> Finished[ResearchResult] | Waiting:
        if not context.fold.steps:  # before any step: a name that was misspelt
            await asyncio.to_thread(context.place.library.info, context.input.collection)
        return await super().advance(context)

    @override
    def initial_state(self, context: Context) -> State:
        state: ResearchState = {
            "question": context.input.question,
            "retrieved_docs": [],
            "search_queries": [],
            "cycle_count": 0,
            "final_answer": "",
            "next_queries": [],
            "decisions": [],
            "stop_reason": None,
        }
        return dict(state)

    @override
    def result(self, state: State, context: Context) -> ResearchResult:
        return ResearchResult.model_validate(state["result"])

    @override
    def outputs(self, node: str, update: object, place: Workplace) -> JsonValue:
        """What pages show of a step; the passages' texts stay in the checkpoint."""
        return cast("ResearchState", update or {}).get("step")

    async def _surroundings(self, context: Context) -> Surroundings:
        library, name = context.place.library, context.input.collection
        session = context.run.conversation_id
        settings = context.place.settings.research
        notes = Notes(context.place.database)
        engine = context.engine
        is_rules = engine.provider == "rules"
        thinking: Thinking
        if is_rules:
            thinking = RulesThinking(context.language, settings.queries_per_cycle)
        else:
            thinking = ModelThinking(await context.model(), context.language, settings)

        async def keep(result: ResearchResult) -> None:
            is_markdown = settings.report_style == "markdown"
            title = tell("research.report_file", context.language)
            await context.keep(
                f"{title}.{'md' if is_markdown else 'txt'}",
                "text/markdown" if is_markdown else "text/plain",
                result.report_md.encode(),
                title=title,
                at=("answer",),
            )

        async def note(written: Note) -> None:
            try:
                await asyncio.to_thread(notes.write, written)
            except IntegrityError:
                raise LeaseLost(context.run_id) from None  # the run was deleted meanwhile
            except SQLAlchemyError as error:
                raise context.place.database.failure(error) from error

        return Surroundings(
            about=About(
                session=session,
                run_id=context.run_id,
                collection=name,
                engine=tell("research.rules", context.language)
                if is_rules
                else f"{engine.provider} {engine.model}",
            ),
            finder=Finder(self._searches, session, lambda: library.open(name)),
            thinking=thinking,
            thinker="rules" if is_rules else "model",
            parameters=settings,
            language=context.language,
            say=lambda text: context.say(text, "answer"),
            note=note,
            keep=keep,
            usage=lambda: context.usage,
        )


WORKFLOW = Research
