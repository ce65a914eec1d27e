"""Graphs as real agents are: questions in subgraphs, failures beside questions, lost leases."""

import asyncio
import operator
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from sqlalchemy.exc import OperationalError
from typing_extensions import override

from sanbo.kernel.problems import Code, Conflict
from sanbo.runs.graphs import ask
from sanbo.runs.leases import Leases
from sanbo.runs.model import NodeComplete, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS
from tests.unit.runs.test_graphs import (
    Chain,
    Private,
    State,
    Talk,
    _chain,
    _question,
    after,
    on_bench,
    two_questions,
)

ENVIRONMENT = {"SANBO_LLM__PROVIDER": "rules"}


async def _waiting(bench: Workbench, **given: str) -> Run:
    run = await bench.start(LOCAL, "chain", dict(given))
    run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
    assert run.status is Status.WAITING, run.problem
    return run


async def asks_inside(_: State) -> State:
    return {"words": [str(ask(_question("中の質問"))["word"])]}


class AskingSubgraph(Chain):
    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph[Any, Any, Any, Any](State)
        inner: Any = _chain(asks_inside).compile()
        graph.add_node("outer", inner)
        graph.add_edge(START, "outer")
        graph.add_edge("outer", END)
        return graph


def test_a_question_inside_a_subgraph_waits_and_its_answer_goes_on(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await _waiting(bench, text="始")
        assert [question.message for question in run.open_interactions] == ["中の質問"]
        await bench.answer(LOCAL, run.run_id, {"word": "答"})
        run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
        assert run.status is Status.SUCCEEDED, run.problem
        assert run.result is not None
        assert "答" in str(run.result["words"])
        assert {step.status for step in run.steps} == {"succeeded"}

    on_bench(tmp_path, AskingSubgraph(), work)


failures: list[str] = []


async def fails_once(_: State) -> State:
    if failures:
        raise RuntimeError(failures.pop())
    return {"words": ["直"]}


class QuestionBesideFailure(Chain):
    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph[Any, Any, Any, Any](State)
        nodes: list[Any] = [asks_inside, fails_once]
        for node in nodes:
            graph.add_node(node.__name__, node)
            graph.add_edge(START, node.__name__)
        graph.add_edge("fails_once", END)
        return graph


def test_a_failed_step_beside_an_open_question_is_retried_on_resume(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        failures.append("一度だけ")
        run = await bench.start(LOCAL, "chain", {"text": "始"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.FAILED
        await bench.resume(LOCAL, run.run_id)
        run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
        assert run.status is Status.WAITING, run.problem
        await bench.answer(LOCAL, run.run_id, {"word": "答"})
        run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
        assert run.status is Status.SUCCEEDED, run.problem
        assert run.result is not None
        assert set(run.result["words"]) == {"始", "答", "直"}  # type: ignore[arg-type]

    on_bench(tmp_path, QuestionBesideFailure(), work)


async def asks_then_fails_once(_: State) -> State:
    answer = ask(_question("一度だけ聞きます"))
    if failures:
        raise RuntimeError(failures.pop())
    return {"words": [str(answer["word"])]}


def test_a_node_that_failed_after_its_answer_goes_on_with_it_and_asks_nothing_again(
    tmp_path: Path,
) -> None:
    async def work(bench: Workbench) -> None:
        run = await _waiting(bench, text="始")
        failures.append("回答の後")
        await bench.answer(LOCAL, run.run_id, {"word": "答"})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.FAILED
        await bench.resume(LOCAL, run.run_id)
        run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
        assert run.result == {"words": ["始", "答"]}
        asked = [event.payload.event for event in await bench.events(LOCAL, run.run_id)]
        assert asked.count("interaction_open") == 1

    on_bench(tmp_path, Chain(asks_then_fails_once), work)


def test_turns_of_one_conversation_never_mix_even_when_one_still_waits(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        first = await _waiting(bench, text="一")
        second = await bench.start(
            LOCAL, "chain", {"text": "二"}, conversation_id=first.conversation_id
        )
        second = await bench.wait(LOCAL, second.run_id)
        for run, word in ((first, "甲"), (second, "乙")):
            await bench.answer(LOCAL, run.run_id, {"word": word})
            await bench.wait(LOCAL, run.run_id)
            await bench.answer(LOCAL, run.run_id, {"word": word})
            await bench.wait(LOCAL, run.run_id)
        assert (await bench.get(LOCAL, first.run_id)).result == {"words": ["一", "甲", "甲"]}
        assert (await bench.get(LOCAL, second.run_id)).result == {"words": ["二", "乙", "乙"]}
        third = await bench.start(
            LOCAL, "chain", {"text": "三"}, conversation_id=first.conversation_id
        )
        third = await bench.wait(LOCAL, third.run_id)
        await bench.delete(LOCAL, third.run_id)

    on_bench(tmp_path, Talk(two_questions), work)


async def slow_then_ask(_: State) -> State:
    await asyncio.sleep(1.2)
    return {"words": ["遅"]}


def _asleep(_: Leases) -> None:
    pass


def test_a_process_that_lost_its_lease_undoes_nothing_of_the_one_that_took_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = Chain(slow_then_ask, asks_inside, after)
    short = load_settings(tmp_path, ENVIRONMENT | {"SANBO_RUNS__LEASE_SECONDS": "0.2"})

    async def work() -> None:
        monkeypatch.setattr(Leases, "renew", _asleep)
        async with open_workbench(short, [workflow]) as sleepy:
            run = await sleepy.start(LOCAL, "chain", {"text": "始"})
            await asyncio.sleep(0.5)
            async with open_workbench(load_settings(tmp_path, ENVIRONMENT), [workflow]) as awake:
                run = await awake.wait(LOCAL, run.run_id)
                assert run.status is Status.WAITING, run.problem
                await asyncio.sleep(1.5)  # the sleeper's node ends now
                await awake.answer(LOCAL, run.run_id, {"word": "答"})
                run = await asyncio.wait_for(awake.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
                assert run.result == {"words": ["始", "遅", "答", "後"]}
                events = await awake.events(LOCAL, run.run_id)
        asked = [event.payload.event for event in events]
        assert asked.count("interaction_open") == 1
        ended = [e.payload.key for e in events if isinstance(e.payload, NodeComplete)]
        assert len(ended) == len(set(ended))

    asyncio.run(work())


def test_a_workflow_in_memory_says_after_a_restart_that_its_state_is_gone(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, ENVIRONMENT)
    workflow = Private(after, two_questions)

    async def before() -> Run:
        async with open_workbench(settings, [workflow]) as bench:
            return await _waiting(bench, text="社外秘")

    async def again(run: Run) -> None:
        async with open_workbench(settings, [workflow]) as bench:
            await bench.answer(LOCAL, run.run_id, {"word": "答"})
            ended = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
            assert ended.problem is not None
            assert ended.problem.code is Code.DEPENDENCY_NOT_FOUND
            assert [step.attempt for step in ended.steps] == [1, 1]

    asyncio.run(again(asyncio.run(before())))


class Many(TypedDict, total=False):
    waits: bool
    words: Annotated[list[str], operator.add]


one_is_through = asyncio.Event()


async def waits(state: Many) -> Many:
    if state.get("waits"):
        await one_is_through.wait()
    return {"words": ["始"]}


async def last(_: Many) -> Many:
    return {"words": ["終"]}


class FanOut(Chain):
    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        inner = StateGraph[Any, Any, Any, Any](Many)
        nodes: list[Any] = [waits, last]
        for node in nodes:
            inner.add_node(node.__name__, node)
        inner.add_edge(START, "waits")
        inner.add_edge("waits", "last")
        graph = StateGraph[Any, Any, Any, Any](State)
        compiled: Any = inner.compile()
        graph.add_node("work", compiled)
        graph.add_conditional_edges(START, _fan, ["work"])
        return graph


def _fan(_: State) -> list[Send]:
    return [Send("work", {"waits": True}), Send("work", {"waits": False})]


def test_steps_of_parallel_subgraphs_end_each_in_its_own_time(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {})

        async def ended() -> list[str]:
            return [
                event.path[-1]
                for event in await bench.events(LOCAL, run.run_id)
                if isinstance(event.payload, NodeComplete) and len(event.path) == 2
            ]

        async with asyncio.timeout(60):
            while "last" not in await ended():  # the other one waits until this is told
                await asyncio.sleep(0.01)
        one_is_through.set()
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.SUCCEEDED, run.problem
        assert await ended() == ["waits", "last", "waits", "last"]

    on_bench(tmp_path, FanOut(), work)


visits: list[float] = []


async def own_database_is_away(_: State) -> State:
    visits.append(time.time())
    raise OperationalError("SELECT", {}, Exception("another database"))


def test_a_node_whose_own_database_is_away_fails_once_like_any_other(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        visits.clear()
        run = await bench.start(LOCAL, "chain", {})
        run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
        assert run.status is Status.FAILED
        assert len(visits) == 1

    on_bench(tmp_path, Chain(own_database_is_away), work)


async def cancels_itself(_: State) -> State:
    inner = asyncio.ensure_future(asyncio.sleep(10))
    inner.cancel()
    await inner
    return {}


def test_a_step_that_lets_a_cancellation_escape_fails_and_frees_the_run(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "chain", {})
        run = await asyncio.wait_for(bench.wait(LOCAL, run.run_id), PATIENCE_SECONDS)
        assert run.status is Status.FAILED, run.status
        await bench.delete(LOCAL, run.run_id)

    on_bench(tmp_path, Chain(cancels_itself), work)


def test_a_cancel_that_comes_with_the_end_leaves_one_end(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        for delay in (0.0, 0.01, 0.02, 0.03, 0.05):
            run = await bench.start(LOCAL, "chain", {})
            await asyncio.sleep(delay)
            with suppress(Conflict):
                await bench.cancel(LOCAL, run.run_id)
            run = await bench.wait(LOCAL, run.run_id)
            events = [event.payload.event for event in await bench.events(LOCAL, run.run_id)]
            assert events.count("run_complete") == 1
            assert run.status in (Status.CANCELLED, Status.SUCCEEDED)

    on_bench(tmp_path, Chain(after), work)
