"""Any plan with secrets, stopped anywhere and replayed, ends as if nothing had happened."""

import asyncio
import json
from collections.abc import Generator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sanbo.kernel.problems import Conflict
from sanbo.plans.workflow import Plans
from sanbo.runs.model import Interaction, JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from tests.examples import examples
from tests.patience import PATIENCE_SECONDS
from tests.workflows import planning
from tests.workflows.planning import events, everything_written, exports, settings_of, stopped_after

SECRET = "茶柱-wasabi"
"""Long enough to be masked by its value too; every form is told another one."""

PATIENT = 0.3
"""How often an answer comes only when nothing else is at work."""

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
    """Some take their time: others are answered, and killed, meanwhile."""
    read = draw(st.sampled_from([*graph.secret, *graph.plain]))
    seconds = draw(st.sampled_from([0, 0, 0.03]))
    given = {"value": f"値${{{read}}}", "seconds": seconds}
    node: Node = {"id": name, "block": "test.work", "in": given}
    match draw(st.sampled_from(["", "", "continue", "retry", "when", "timeout"])):
        case "continue":
            node["in"]["fail"] = True
            node["policy"] = {"on_error": "continue"}
        case "retry":
            node["in"] |= {"raises": "x"}
            node["policy"] = {"on_error": "continue", "retries": 1, "backoff": {"seconds": 0.01}}
        case "when":
            node["when"] = {"expr": f"${{{read}}} != 'nobody'"}
        case "timeout":
            node["policy"] = {"timeout_ms": 20_000}
        case _:
            pass
    graph.nodes.append(node)
    graph.plain.append(f"{name}.value")


def _fill(draw: st.DrawFn, graph: Graph, most: int, *, inside: bool = False) -> Graph:
    _form(draw, graph, "n0")
    for number in range(1, draw(st.integers(2, most))):
        kinds = [_form, _confirmation, _login, _work]
        kinds += [] if inside else [_loop, _until, _subflow]
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


def _until(draw: st.DrawFn, graph: Graph, name: str) -> None:
    """Whether it is repeated, what was typed in secret says: once more, then it is enough."""
    inner = _inner(draw)
    again = {"condition": {"expr": "${n0.e.code} != 'nobody'"}}
    body = {"graph": inner.nodes, "exports": _exports(inner)}
    node: Node = {"id": name, "type": "loop", "while": again | {"max_iterations": 2}}
    graph.nodes.append({**node, "body": {"plan": body}})
    graph.secret.append(f"{name}.x0")
    graph.plain.append(f"{name}.iterations")


def _subflow(draw: st.DrawFn, graph: Graph, name: str) -> None:
    """Where it is given up, whoever is asked inside it is asked no more."""
    plan_id = draw(st.sampled_from(["part", "hopeless"]))
    node: Node = {"id": name, "type": "subflow", "call": {"plan_id": plan_id}}
    graph.nodes.append(node)
    if plan_id == "part":
        graph.secret.append(f"{name}.x0")
    else:
        node["policy"] = {"on_error": "continue"}
        graph.plain.append(f"{name}.failed")


def _text(graph: Graph, plan_id: str, exported: list[Node], last: Sequence[Node] = ()) -> str:
    head = {"apiVersion": "v1", "id": plan_id, "version": "1.0.0", "finally": list(last)}
    return json.dumps({**head, "graph": graph.nodes, "exports": exported}, ensure_ascii=False)


def _hopeless() -> str:
    field = {"id": "code", "type": "text", "label": "c", "secret": True}
    given = {"mode": "collect", "requirements": [field]}
    form: Node = {"id": "n0", "block": "ui.interactive_input", "in": given}
    login = {"id": "login", "block": "test.login", "in": {"password": "${n0.collected_data.code}"}}
    bad = {"id": "bad", "block": "test.work", "in": {"seconds": 0.03, "fail": True}}
    return _text(Graph([form, login, bad], [], []), "hopeless", [])


class Made(NamedTuple):
    text: str
    part: str
    """The plan that it calls."""
    nodes: list[str]
    executor: str


@st.composite
def plans(draw: st.DrawFn) -> Made:
    part = _inner(draw)
    graph = _fill(draw, Graph([], [], []), 5)
    read = draw(st.sampled_from([*graph.secret, *graph.plain]))
    last = {"id": "last", "block": "test.work", "in": {"value": f"${{{read}}}"}}
    return Made(
        _text(graph, "made", _exports(graph), [last] if draw(st.booleans()) else []),
        _text(part, "part", _exports(part)),
        graph.names,
        draw(st.sampled_from(["threads", "threads", "threads", "processes"])),
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


async def _to_the_end(bench: Workbench, run_id: str, chance: Random) -> Run:
    """Answers whatever is open, at any moment, also while others work."""
    while True:
        if chance.random() < PATIENT:
            await bench.wait(LOCAL, run_id)
        now = await bench.get(LOCAL, run_id)
        if now.status.is_final:
            return now
        if not now.open_interactions:
            await asyncio.sleep(0.01)
            continue
        asked = chance.choice(now.open_interactions)
        with suppress(Conflict):  # given up meanwhile, with what it was asked for
            await bench.answer(LOCAL, run_id, _answer(asked), asked.interaction_id)


@settings(
    max_examples=examples(10),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data(), made=plans(), seed=st.integers(0, 10_000))
def test_any_plan_with_secrets_ends_the_same_wherever_it_is_stopped(
    opened: tuple[asyncio.Runner, Workbench, Path],
    data: st.DataObject,
    made: Made,
    seed: int,
) -> None:
    runner, bench, workspace = opened
    chance = Random(seed)  # not drawn from Hypothesis: how often it is asked is a matter of time

    async def work() -> None:
        called = {"part": made.part, "hopeless": _hopeless()}
        begun = await planning.start(bench, made.text, called=called, executor=made.executor)
        ended = await _to_the_end(bench, begun.run_id, chance)
        assert ended.status is Status.SUCCEEDED, ended.problem
        expected = exports(ended)
        for _ in range(2):  # a run that was stopped is stopped again
            history = await events(bench, ended)
            seq = 1 + int(data.draw(st.floats(0, 0.999), "stopped after") * (len(history) - 1))
            run_id = await stopped_after(bench, history, seq)
            ended = await _to_the_end(bench, run_id, chance)
            assert ended.status is Status.SUCCEEDED, ended.problem
            assert exports(ended) == expected
        node = data.draw(st.sampled_from(made.nodes), "replayed from")
        copy = await bench.replay(LOCAL, ended.run_id, (node,))
        ended = await _to_the_end(bench, copy.run_id, chance)
        assert ended.status is Status.SUCCEEDED, ended.problem
        assert exports(ended) == expected

    runner.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
    assert SECRET not in everything_written(workspace)
