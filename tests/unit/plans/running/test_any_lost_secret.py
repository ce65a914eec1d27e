"""Any plan with secrets, stopped anywhere and replayed, ends as if nothing had happened."""

import asyncio
import json
from collections.abc import Generator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sanbo.plans.workflow import Plans
from sanbo.runs.model import Interaction, JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from tests.examples import examples
from tests.workflows import planning
from tests.workflows.planning import events, everything_written, exports, settings_of, stopped_after

SECRET = "茶柱-wasabi"
"""Long enough to be masked by its value too; every form is told another one."""

Node = dict[str, Any]


@dataclass
class Graph:
    nodes: list[Node]
    secret: list[str]
    """References to secrets."""
    plain: list[str]

    @property
    def names(self) -> list[str]:
        return [node["id"] for node in self.nodes]


def _form(draw: st.DrawFn, graph: Graph, name: str) -> None:
    fields: list[Node] = [
        {"id": "user", "type": "text", "label": "u"},
        {"id": "code", "type": "text", "label": "c", "secret": True},
        {"id": "spare", "type": "text", "label": "s", "secret": True, "required": False},
    ]
    mode = draw(st.sampled_from(["collect", "mixed"]))
    given = {"mode": mode, "message": "m", "requirements": fields}
    block = "ui.interactive_input"
    graph.nodes.append({"id": name, "block": block, "in": given, "out": {"collected_data": "e"}})
    graph.secret.append(f"{name}.e.code")
    graph.plain.append(f"{name}.e.user")


def _confirmation(draw: st.DrawFn, graph: Graph, name: str) -> None:
    message = draw(st.sampled_from(["可", *(f"可${{{each}}}" for each in graph.plain)]))
    given = {"mode": "confirm", "message": message}
    graph.nodes.append({"id": name, "block": "ui.interactive_input", "in": given})
    graph.plain.append(f"{name}.approved")


def _login(draw: st.DrawFn, graph: Graph, name: str) -> None:
    password = f"${{{draw(st.sampled_from(graph.secret))}}}"
    graph.nodes.append({"id": name, "block": "test.login", "in": {"password": password}})
    graph.secret.append(f"{name}.token")
    graph.plain.append(f"{name}.length")


def _work(draw: st.DrawFn, graph: Graph, name: str) -> None:
    read = draw(st.sampled_from([*graph.secret, *graph.plain]))
    node = {"id": name, "block": "test.work", "in": {"value": f"値${{{read}}}"}}
    graph.nodes.append(node)
    graph.plain.append(f"{name}.value")


def _fill(draw: st.DrawFn, graph: Graph, most: int, *, inside: bool = False) -> Graph:
    _form(draw, graph, "n0")
    for number in range(1, draw(st.integers(2, most))):
        kinds = [_form, _confirmation, _login, _work] + ([] if inside else [_loop, _subflow])
        before = graph.names
        draw(st.sampled_from(kinds))(draw, graph, f"n{number}")
        if draw(st.booleans()):
            graph.nodes[-1]["after"] = [draw(st.sampled_from(before))]
    return graph


def _exports(graph: Graph) -> list[Node]:
    return [{"from": each, "as": f"x{n}"} for n, each in enumerate([*graph.secret, *graph.plain])]


def _inner(draw: st.DrawFn) -> Graph:
    return _fill(draw, Graph([], [], []), 4, inside=True)


def _loop(draw: st.DrawFn, graph: Graph, name: str) -> None:
    inner = _inner(draw)
    has_exports = draw(st.booleans())
    body = {"graph": inner.nodes, "exports": _exports(inner) if has_exports else []}
    foreach = {"input": ["甲", "乙"], "itemVar": "x", "max_concurrency": draw(st.integers(1, 2))}
    node: Node = {"id": name, "type": "loop", "foreach": foreach, "body": {"plan": body}}
    if has_exports:
        node["out"] = {"collect": ["x0"]}
        graph.secret.append(f"{name}.x0.1")
    graph.nodes.append(node)
    graph.plain.append(f"{name}.iterations")


def _subflow(draw: st.DrawFn, graph: Graph, name: str) -> None:
    graph.nodes.append({"id": name, "type": "subflow", "call": {"plan_id": "part"}})
    graph.secret.append(f"{name}.x0")


def _text(graph: Graph, plan_id: str, exported: list[Node]) -> str:
    head = {"apiVersion": "v1", "id": plan_id, "version": "1.0.0"}
    return json.dumps({**head, "graph": graph.nodes, "exports": exported}, ensure_ascii=False)


@st.composite
def plans(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """A plan, the one that it calls, and its nodes."""
    part = _inner(draw)
    graph = _fill(draw, Graph([], [], []), 5)
    return (
        _text(graph, "made", _exports(graph)),
        _text(part, "part", _exports(part)),
        graph.names,
    )


@pytest.fixture(scope="module")
def opened(
    tmp_path_factory: pytest.TempPathFactory,
) -> Generator[tuple[asyncio.Runner, Workbench, Path]]:
    """One workbench for all examples."""
    workspace: Path = tmp_path_factory.mktemp("workspace")
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        bench = runner.run(
            stack.enter_async_context(open_workbench(settings_of(workspace), (Plans(),)))
        )
        yield runner, bench, workspace
        runner.run(stack.aclose())


def _answer(asked: Interaction) -> JsonObject:
    """The same to the same question, however often and for whatever of it it is asked."""
    known: JsonObject = {"user": "山田", "code": f"{SECRET}{'/'.join(asked.path)}"}
    said: JsonObject = {field.id: known[field.id] for field in asked.requirements if field.required}
    return said | ({"approved": True} if asked.mode != "collect" else {})


async def _to_the_end(bench: Workbench, run_id: str) -> Run:
    while True:
        now = await bench.wait(LOCAL, run_id)
        if now.status.is_final:
            return now
        asked = now.open_interactions[-1]  # the last first: what is asked again comes late
        await bench.answer(LOCAL, run_id, _answer(asked), asked.interaction_id)


@settings(
    max_examples=examples(10),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data(), made=plans())
def test_any_plan_with_secrets_ends_the_same_wherever_it_is_stopped(
    opened: tuple[asyncio.Runner, Workbench, Path],
    data: st.DataObject,
    made: tuple[str, str, list[str]],
) -> None:
    runner, bench, workspace = opened
    text, part, nodes = made

    async def work() -> None:
        begun = await planning.start(bench, text, called={"part": part})
        ended = await _to_the_end(bench, begun.run_id)
        assert ended.status is Status.SUCCEEDED, ended.problem
        expected = exports(ended)
        for _ in range(2):  # a run that was stopped is stopped again
            history = await events(bench, ended)
            seq = data.draw(st.integers(1, len(history) - 1), "stopped after")
            ended = await _to_the_end(bench, await stopped_after(bench, history, seq))
            assert ended.status is Status.SUCCEEDED, ended.problem
            assert exports(ended) == expected
        node = data.draw(st.sampled_from(nodes), "replayed from")
        copy = await bench.replay(LOCAL, ended.run_id, (node,))
        ended = await _to_the_end(bench, copy.run_id)
        assert ended.status is Status.SUCCEEDED, ended.problem
        assert exports(ended) == expected

    runner.run(asyncio.wait_for(work(), 60))
    assert SECRET not in everything_written(workspace)
