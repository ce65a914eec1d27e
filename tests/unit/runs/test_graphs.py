"""The traps of LangGraph, and what the adapter makes of graphs that are not the simplest."""

import asyncio
import operator
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict, TypeVar

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import override

from sanbo.kernel.problems import Code, Conflict, StorageUnavailable
from sanbo.runs.checkpoints import LeasedSaver
from sanbo.runs.graphs import GraphWorkflow, ask
from sanbo.runs.model import NodeComplete, NodeStart, Question, Requirement, Status
from sanbo.runs.workflow import RunContext, Workflow
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS

T = TypeVar("T")


class Given(BaseModel):
    text: str = ""


class Words(BaseModel):
    words: list[str]


class State(TypedDict, total=False):
    words: Annotated[list[str], operator.add]


Nodes = Sequence[tuple[str, Callable[..., Any]]]


class Chain(GraphWorkflow[Given, Words]):
    """Nodes one after the other; the result is all their words."""

    name = "chain"
    titles: ClassVar = {"ja": "鎖", "en": "Chain"}
    descriptions: ClassVar = {"ja": "鎖", "en": "Chain"}
    input_model = Given
    result_model = Words

    def __init__(self, *nodes: Callable[..., Any]) -> None:
        self.nodes = nodes

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        return _chain(*self.nodes)

    @override
    def initial_state(self, context: RunContext[Given]) -> dict[str, Any]:
        return {"words": [context.input.text]}

    @override
    def result(self, state: dict[str, Any], context: RunContext[Given]) -> Words:
        return Words(words=state["words"])


def _chain(*nodes: Callable[..., Any]) -> StateGraph[Any, Any, Any, Any]:
    graph = StateGraph[Any, Any, Any, Any](State)
    before = START
    for node in nodes:
        name = getattr(node, "__name__", "inner")
        graph.add_node(name, node)
        graph.add_edge(before, name)
        before = name
    graph.add_edge(before, END)
    return graph


def on_bench(
    folder: Path, workflow: Workflow[Any, Any], work: Callable[[Workbench], Awaitable[T]]
) -> T:
    async def opened() -> T:
        settings = load_settings(folder, {"SANBO_LLM__PROVIDER": "rules"})
        async with open_workbench(settings, [workflow]) as bench:
            return await work(bench)

    return asyncio.run(opened())


def _question(text: str) -> Question:
    return Question(
        mode="collect",
        message=text,
        requirements=(Requirement(id="word", type="text", label="言葉"),),
    )


async def two_questions(_: State) -> State:
    first = ask(_question("一つめ"))
    second = ask(_question("二つめ"))
    return {"words": [str(first["word"]), str(second["word"])]}


def test_an_answer_to_a_nodes_first_question_is_never_taken_for_its_second(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {"text": "始"})
        run = await bench.wait(LOCAL, run.run_id)
        [first] = run.open_interactions
        assert first.message == "一つめ"
        await bench.answer(LOCAL, run.run_id, {"word": "甲"}, first.interaction_id)
        run = await bench.wait(LOCAL, run.run_id)
        [second] = run.open_interactions
        assert second.message == "二つめ"
        assert second.interaction_id != first.interaction_id
        with pytest.raises(Conflict):
            await bench.answer(LOCAL, run.run_id, {"word": "丙"}, first.interaction_id)
        await bench.answer(LOCAL, run.run_id, {"word": "乙"}, second.interaction_id)
        run = await bench.wait(LOCAL, run.run_id)
        assert run.result == {"words": ["始", "甲", "乙"]}
        starts = [
            e for e in await bench.events(LOCAL, run.run_id) if e.payload.event == "node_start"
        ]
        assert len(starts) == 1, "a node that asks runs again from its top, but is one step"

    on_bench(tmp_path, Chain(two_questions), work)


async def ask_then_fail(_: State) -> State:
    answer = ask(_question("数を入れてください"))
    return {"words": [str(1 // int(str(answer["word"])))]}


def test_a_node_that_fails_on_an_answer_fails_the_run_with_a_problem(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {})
        run = await bench.wait(LOCAL, run.run_id)
        await bench.answer(LOCAL, run.run_id, {"word": "0"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.FAILED
        assert run.problem is not None
        assert run.problem.code is Code.INTERNAL_ERROR
        assert "ZeroDivisionError" in run.problem.message
        [step] = run.steps
        assert (step.status, step.problem) == ("failed", run.problem)

    on_bench(tmp_path, Chain(ask_then_fail), work)


async def left(_: State) -> State:
    return {"words": [str(ask(_question("左"))["word"])]}


async def right(_: State) -> State:
    return {"words": [str(ask(_question("右"))["word"])]}


class Fork(Chain):
    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph[Any, Any, Any, Any](State)
        nodes: list[Any] = [left, right]
        for node in nodes:
            graph.add_node(node.__name__, node)
            graph.add_edge(START, node.__name__)
            graph.add_edge(node.__name__, END)
        return graph


def test_questions_side_by_side_are_open_together_and_answered_in_any_order(
    tmp_path: Path,
) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {"text": "始"})
        run = await bench.wait(LOCAL, run.run_id)
        asked = {question.message: question for question in run.open_interactions}
        assert asked.keys() == {"左", "右"}
        await bench.answer(LOCAL, run.run_id, {"word": "R"}, asked["右"].interaction_id)
        run = await bench.wait(LOCAL, run.run_id)
        assert [question.message for question in run.open_interactions] == ["左"]
        await bench.answer(LOCAL, run.run_id, {"word": "L"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.result == {"words": ["始", "L", "R"]}
        assert [step.status for step in run.steps] == ["succeeded", "succeeded"]

    on_bench(tmp_path, Fork(), work)


async def inside(_: State) -> State:
    return {"words": ["中"]}


async def after(_: State) -> State:
    return {"words": ["後"]}


class Nested(Chain):
    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        inner: Any = _chain(inside).compile()

        async def run_inner(state: State) -> State:
            done = await inner.ainvoke({"words": []})
            return {"words": done["words"]}

        return _chain(run_inner, after)


def test_steps_of_a_subgraph_stand_under_the_step_that_runs_it(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {"text": "始"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.result == {"words": ["始", "中", "後"]}
        assert {step.path: step.status for step in run.steps} == {
            ("run_inner",): "succeeded",
            ("run_inner", "inside"): "succeeded",
            ("after",): "succeeded",
        }

    on_bench(tmp_path, Nested(), work)


async def forever(_: State) -> State:
    return {"words": ["又"]}


class Endless(Chain):
    recursion_limit = 7

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph[Any, Any, Any, Any](State)
        node: Any = forever
        graph.add_node("forever", node)
        graph.add_edge(START, "forever")
        graph.add_edge("forever", "forever")
        return graph


def test_a_graph_without_an_end_is_stopped_at_its_limit(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.problem is not None
        assert run.problem.code is Code.RESOURCE_LIMIT
        assert "7" in run.problem.message

    on_bench(tmp_path, Endless(), work)


class Private(Chain):
    in_memory = True


def test_a_workflow_in_memory_leaves_no_checkpoint_on_disk(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {"text": "社外秘の数字"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.WAITING
        for file in tmp_path.glob("checkpoints.db*"):
            assert "社外秘の数字".encode() not in file.read_bytes()
        await bench.answer(LOCAL, run.run_id, {"word": "丁"})
        run = await bench.wait(LOCAL, run.run_id)
        await bench.answer(LOCAL, run.run_id, {"word": "戊"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.result == {"words": ["社外秘の数字", "丁", "戊"]}

    on_bench(tmp_path, Private(two_questions), work)


class Talk(Chain):
    continues_conversation = True


def test_runs_of_one_conversation_go_on_from_each_other(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        first = await bench.start(LOCAL, "chain", {"text": "一"})
        first = await bench.wait(LOCAL, first.run_id)
        second = await bench.start(
            LOCAL, "chain", {"text": "二"}, conversation_id=first.conversation_id
        )
        second = await bench.wait(LOCAL, second.run_id)
        assert second.result == {"words": ["一", "後", "二", "後"]}
        await bench.delete(LOCAL, first.run_id)
        third = await bench.start(
            LOCAL, "chain", {"text": "三"}, conversation_id=first.conversation_id
        )
        third = await bench.wait(LOCAL, third.run_id)
        assert third.result == {"words": ["一", "後", "二", "後", "三", "後"]}

    on_bench(tmp_path, Talk(after), work)


async def sees_the_run(_: State, runtime: Runtime[Any]) -> State:
    context: RunContext[Given] = runtime.context
    return {"words": [context.input.text, context.engine.provider]}


def test_nodes_reach_their_run_through_the_runtime(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {"text": "始"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.result == {"words": ["始", "始", "rules"]}
        [start] = [
            event.payload
            for event in await bench.events(LOCAL, run.run_id)
            if isinstance(event.payload, NodeStart)
        ]
        assert start.key, "the idempotency key of the step"

    on_bench(tmp_path, Chain(sees_the_run), work)


def sync_node(_: State) -> State:
    return {"words": ["同期"]}


def test_plain_functions_are_nodes_too(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {"text": "始"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.result == {"words": ["始", "同期"]}

    on_bench(tmp_path, Chain(sync_node), work)


@pytest.mark.parametrize("fails_at", range(1, 5))
def test_a_store_that_fails_between_two_steps_leaves_neither_out_nor_does_one_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    """What a step has said is stored before the state that it leads to."""
    put, asked, done = LeasedSaver.aput, 0, list[str]()

    def first(_: State) -> State:
        done.append("一")
        return {"words": ["一"]}

    def second(_: State) -> State:
        done.append("二")
        return {"words": ["二"]}

    async def fails_once(self: LeasedSaver, *given: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == fails_at:
            raise StorageUnavailable("database_unreachable", place="x", reason="y")
        return await put(self, *given)

    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {"text": "始"})
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (run := await bench.get(LOCAL, run.run_id)).status.is_final:
                await asyncio.sleep(0.05)
        assert run.result == {"words": ["始", "一", "二"]}
        ended = [
            event.path
            for event in await bench.events(LOCAL, run.run_id)
            if isinstance(event.payload, NodeComplete)
        ]
        assert ended == [("first",), ("second",)]

    monkeypatch.setattr(LeasedSaver, "aput", fails_once)
    on_bench(tmp_path, Chain(first, second), work)
    assert asked > fails_at
    assert done == ["一", "二"]


def test_a_run_is_cancelled_at_once_even_while_a_plain_function_works(tmp_path: Path) -> None:
    may_end = threading.Event()

    def slow_in_a_thread(_: State) -> State:
        may_end.wait(PATIENCE_SECONDS)
        return {"words": ["遅"]}

    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {})
        async for event in bench.follow(LOCAL, run.run_id):
            if isinstance(event.payload, NodeStart):
                break
        run = await asyncio.wait_for(bench.cancel(LOCAL, run.run_id), PATIENCE_SECONDS / 2)
        assert run.status is Status.CANCELLED
        may_end.set()

    on_bench(tmp_path, Chain(slow_in_a_thread), work)
