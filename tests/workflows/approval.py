"""A graph: two drafts side by side, a question, a second one when rejected, then an end."""

import asyncio
import operator
from typing import Annotated, Any, ClassVar, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import override

from sanbo.kernel.problems import InvalidInput
from sanbo.runs.graphs import GraphWorkflow, ask
from sanbo.runs.model import Question, Requirement
from sanbo.runs.workflow import RunContext
from tests.workflows.trace import note


class ApprovalInput(BaseModel):
    topic: str = Field(min_length=1, json_schema_extra={"label": {"ja": "件名", "en": "Topic"}})
    step_seconds: float = 0.0
    fail_at: str = ""
    trace: str = ""


class ApprovalResult(BaseModel):
    text: str
    rounds: int
    log: list[str]


class ApprovalState(TypedDict, total=False):
    topic: str
    drafts: Annotated[list[str], operator.add]
    log: Annotated[list[str], operator.add]
    approved: bool
    rounds: int
    text: str


Run = Runtime[Any]  # holds RunContext[ApprovalInput]; LangGraph types it for dataclasses only


async def _work(step: str, runtime: Run) -> None:
    given: ApprovalInput = runtime.context.input
    note(given.trace, step)
    if given.step_seconds:
        await asyncio.sleep(given.step_seconds)
    if given.fail_at == step:
        raise InvalidInput("input_invalid", workflow="approval", reasons=f"{step}.")


async def plan(state: ApprovalState, runtime: Run) -> ApprovalState:
    await _work("plan", runtime)
    return {"log": ["plan"], "rounds": 0}


async def formal(state: ApprovalState, runtime: Run) -> ApprovalState:
    await _work("formal", runtime)
    return {
        "drafts": [f"{state.get('topic')}につき、ご承認をお願い申し上げます。"],
        "log": ["formal"],
    }


async def short(state: ApprovalState, runtime: Run) -> ApprovalState:
    await _work("short", runtime)
    return {"drafts": [f"{state.get('topic')}の承認をお願いします。"], "log": ["short"]}


async def merge(state: ApprovalState, runtime: Run) -> ApprovalState:
    await _work("merge", runtime)
    text = "\n".join(sorted(state.get("drafts", [])))
    await runtime.context.keep("draft.md", "text/markdown", text.encode(), at=("merge",))
    for line in text.splitlines():
        runtime.context.say(line, "merge")
    return {"text": text, "log": ["merge"]}


async def review(state: ApprovalState) -> ApprovalState:
    answer = ask(
        Question(
            mode="confirm",
            message="この案でよろしいですか。",
            requirements=(Requirement(id="note", type="text", label="修正の指示", required=False),),
        )
    )
    return {
        "approved": bool(answer["approved"]),
        "rounds": state.get("rounds", 0) + 1,
        "log": [f"review:{answer['approved']}"],
    }


async def revise(state: ApprovalState, runtime: Run) -> ApprovalState:
    await _work("revise", runtime)
    return {"text": f"{state.get('text')}（改訂{state.get('rounds')}）", "log": ["revise"]}


async def finish(state: ApprovalState, runtime: Run) -> ApprovalState:
    await _work("finish", runtime)
    return {"log": ["finish"]}


def _next(state: ApprovalState) -> str:
    return "finish" if state.get("approved") else "revise"


class Approval(GraphWorkflow[ApprovalInput, ApprovalResult]):
    name = "approval"
    titles: ClassVar = {"ja": "稟議書の案", "en": "Approval letter"}
    descriptions: ClassVar = {
        "ja": "稟議書の案を作り、承認されるまで直します。",
        "en": "Drafts a letter and revises it until it is approved.",
    }
    input_model = ApprovalInput
    result_model = ApprovalResult
    node_titles: ClassVar = {"plan": "構成を決める", "review": "確認を得る"}

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph[Any, Any, Any, Any](ApprovalState)
        nodes: list[Any] = [plan, formal, short, merge, review, revise, finish]
        for node in nodes:
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "plan")
        graph.add_edge("plan", "formal")
        graph.add_edge("plan", "short")
        graph.add_edge(["formal", "short"], "merge")
        graph.add_edge("merge", "review")
        graph.add_conditional_edges("review", _next, ["finish", "revise"])
        graph.add_edge("revise", "review")
        graph.add_edge("finish", END)
        return graph

    @override
    def initial_state(self, context: RunContext[ApprovalInput]) -> dict[str, Any]:
        return {"topic": context.input.topic}

    @override
    def result(self, state: dict[str, Any], context: RunContext[ApprovalInput]) -> ApprovalResult:
        return ApprovalResult(text=state["text"], rounds=state["rounds"], log=state["log"])
