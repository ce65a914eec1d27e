"""Plans made at random, and a naive runner that knows what must come out of them.

The runner goes through the nodes one by one, in an order in which everything is there before it is
read. An engine, on whatever executor, must export the same.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from hypothesis import strategies as st

JSON = Any
Outputs = dict[str, JSON] | None
SKIPPED: dict[str, JSON] = {}
"""The outputs of a node whose condition did not hold, or that needs one of which it did not."""

POLICY = {"on_error": "continue", "concurrency": {"default_max_workers": 3}}


@dataclass(frozen=True)
class Made:
    """A plan, the plans that it calls, and what comes out."""

    text: str
    called: Mapping[str, str]
    exports: dict[str, JSON]


# ---- the naive runner ----------------------------------------------------------------------


class Naive:
    def __init__(self, called: Mapping[str, dict[str, JSON]]) -> None:
        self._called = called

    def exports(self, graph: dict[str, JSON], around: dict[str, JSON]) -> dict[str, JSON]:
        values = self.run(graph, around)
        return {each["as"]: _walk(values, each["from"]) for each in graph["exports"]}

    def run(self, graph: dict[str, JSON], around: dict[str, JSON]) -> dict[str, JSON]:
        """Outputs by node, and what was there before."""
        values = dict(around)
        # Names tell the order in which they were made, whatever order they stand in.
        for node in sorted(graph["graph"], key=lambda node: int(node["id"].rpartition("n")[2])):
            values[node["id"]] = self._node(node, values)
        return values

    def _node(self, node: dict[str, JSON], values: dict[str, JSON]) -> Outputs:
        when = node.get("when")
        if when is not None:
            same = _same(_resolved(when["left"], values), when["right"])
            if same != (when["op"] == "eq"):
                return SKIPPED
        if any(_is_lost(each, values) for each in _needed(node)):
            return SKIPPED
        match node.get("type"):
            case "loop":
                return self._loop(node, values)
            case "subflow":
                given = _resolved(node["call"]["inputs"], values)
                plan = self._called[node["call"]["plan_id"]]
                return self.exports(plan, {"vars": {**plan["vars"], **given}})
            case _:
                return _block(node["block"], _resolved(node["in"], values))

    def _loop(self, node: dict[str, JSON], values: dict[str, JSON]) -> Outputs:
        body = node["body"]["plan"]
        results: list[JSON] = []
        items = _resolved(node["foreach"]["input"], values)
        if not isinstance(items, list):
            return None
        for item in cast("list[JSON]", items):
            inside = {**values, node["foreach"]["itemVar"]: item}
            results.append(self.exports(body, inside))
        collected = {name: [result[name] for result in results] for name in node["out"]["collect"]}
        return {"results": results, "iterations": len(results), **collected}


def _needed(node: dict[str, JSON]) -> list[JSON]:
    """What it can't do without; called plans declare their variables without values."""
    match node.get("type"):
        case "loop":
            return [node["foreach"]["input"]]
        case "subflow":
            return list(node["call"]["inputs"].values())
        case _:
            return [node["in"].get("a")]  # all that `test.work` takes is optional


def _is_lost(value: JSON, values: dict[str, JSON]) -> bool:
    """Whether it stands for nothing but a skipped node: of a list all, of an object one entry."""
    if isinstance(value, str) and value.startswith("${") and value.endswith("}"):
        return values.get(value[2:-1].partition(".")[0]) is SKIPPED
    if isinstance(value, list):
        entries = cast("list[JSON]", value)
        return bool(entries) and all(_is_lost(each, values) for each in entries)
    if isinstance(value, dict):
        return any(_is_lost(each, values) for each in cast("dict[str, JSON]", value).values())
    return False


def _block(block: str, given: dict[str, JSON]) -> Outputs:
    if block == "test.work":
        return None if given.get("fail") else {"value": given["value"]}
    a = given["a"]
    if isinstance(a, bool) or not isinstance(a, int | float):
        return None
    return {"sum": float(a) + given["b"]}


def _resolved(value: JSON, values: dict[str, JSON]) -> JSON:
    if isinstance(value, str) and value.startswith("${") and value.endswith("}"):
        return _walk(values, value[2:-1])
    if isinstance(value, str) and "${" in value:
        before, _, rest = value.partition("${")
        path, _, after = rest.partition("}")
        return before + _written(_walk(values, path)) + _resolved(after, values)
    if isinstance(value, list):
        return [_resolved(each, values) for each in cast("list[JSON]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, JSON]", value)
        return {name: _resolved(each, values) for name, each in pairs.items()}
    return value


def _walk(values: dict[str, JSON], path: str) -> JSON:
    found: JSON = values
    for name in path.split("."):
        if found is None or found is SKIPPED:
            return None
        found = found[name]
    return found


def _written(value: JSON) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _same(left: JSON, right: JSON) -> bool:
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    return left == right


# ---- plans at random -----------------------------------------------------------------------

_constants = st.one_of(
    st.integers(-5, 5), st.sampled_from(["甲", "", "a b"]), st.none(), st.booleans()
)


@st.composite
def plans(draw: st.DrawFn, most_nodes: int = 7) -> Made:
    count = iter(range(1000))
    called = {name: _called_plan(draw, count) for name in ("p0", "p1") if draw(st.booleans())}
    graph = _graph(draw, count, [], most_nodes, depth=0, callable_=tuple(called))
    plan = {"apiVersion": "v1", "id": "made", "version": "1.0.0", "policy": POLICY, **graph}
    texts = {name: json.dumps(each, ensure_ascii=False) for name, each in called.items()}
    exports = Naive(called).exports(graph, {})
    return Made(json.dumps(plan, ensure_ascii=False), texts, exports)


def _called_plan(draw: st.DrawFn, count: Any) -> dict[str, JSON]:
    variables = {"x": None, "y": None}  # of no type: whatever is given fits
    graph = _graph(draw, count, ["vars.x", "vars.y"], 3, depth=1, callable_=())
    head = {"apiVersion": "v1", "id": "called", "version": "1.0.0", "policy": POLICY}
    return {**head, "vars": variables, **graph}


def _graph(
    draw: st.DrawFn,
    count: Any,
    known: list[str],
    most: int,
    *,
    depth: int,
    callable_: tuple[str, ...],
) -> dict[str, JSON]:
    """`known`: what can be read from around it."""
    listed = f"n{next(count)}"
    items = draw(st.lists(_constants, max_size=3))
    nodes: list[dict[str, JSON]] = [{"id": listed, "block": "test.work", "in": {"value": items}}]
    readable = list(known)
    made: list[str] = [f"{listed}.value"]
    for _ in range(draw(st.integers(1, most))):
        node, gives = _node(draw, count, readable, depth, callable_=callable_, listed=listed)
        if readable and draw(st.integers(0, 3)) == 0:
            left = f"${{{draw(st.sampled_from(readable))}}}"
            node["when"] = {
                "left": left,
                "op": draw(st.sampled_from(["eq", "ne"])),
                "right": draw(st.integers(-5, 5)),
            }
        nodes.append(node)
        readable += gives
        made += gives
    exports = [{"from": path, "as": f"e{number}"} for number, path in enumerate(made)]
    return {"graph": draw(st.permutations(nodes)), "exports": exports}


def _maybe_numbers(known: list[str]) -> list[str]:
    """What a validator can't tell to be no number: of no type, or a number."""
    return [path for path in known if path.rpartition(".")[2] in ("value", "sum", "iterations")]


def _node(
    draw: st.DrawFn,
    count: Any,
    known: list[str],
    depth: int,
    *,
    callable_: tuple[str, ...],
    listed: str,
) -> tuple[dict[str, JSON], list[str]]:
    kinds = ["work", "work", "add"]
    kinds += ["loop"] if depth < 2 else []
    kinds += ["call"] if callable_ else []
    name = f"n{next(count)}"
    match draw(st.sampled_from(kinds)):
        case "add":
            given = {"a": _reading(draw, _maybe_numbers(known)), "b": draw(st.integers(-3, 3))}
            return {"id": name, "block": "test.add", "in": given}, [f"{name}.sum"]
        case "loop":
            return _loop(draw, name, count, known, depth=depth, listed=listed)
        case "call":
            plan_id = draw(st.sampled_from(callable_))
            call = {"plan_id": plan_id, "inputs": {"x": _reading(draw, known)}}
            # What a called plan exports is not known here: read as a whole by its first.
            return {"id": name, "type": "subflow", "call": call}, [f"{name}.e0"]
        case _:
            given = {"value": _value(draw, known)}
            if draw(st.integers(0, 5)) == 0:
                given["fail"] = True
            return {"id": name, "block": "test.work", "in": given}, [f"{name}.value"]


def _loop(
    draw: st.DrawFn, name: str, count: Any, known: list[str], *, depth: int, listed: str
) -> tuple[dict[str, JSON], list[str]]:
    item = f"item{name}"
    body = _graph(draw, count, [*known, item], 2, depth=depth + 1, callable_=())
    node = {
        "id": name,
        "type": "loop",
        "foreach": {
            "input": f"${{{listed}.value}}",
            "itemVar": item,
            "max_concurrency": draw(st.integers(1, 3)),
        },
        "body": {"plan": body},
        "out": {"collect": [body["exports"][0]["as"]]},
    }
    return node, [f"{name}.{body['exports'][0]['as']}", f"{name}.results", f"{name}.iterations"]


def _reading(draw: st.DrawFn, known: list[str]) -> JSON:
    if known and draw(st.integers(0, 3)):
        return f"${{{draw(st.sampled_from(known))}}}"
    return draw(st.integers(-5, 5))


def _value(draw: st.DrawFn, known: list[str]) -> JSON:
    match draw(st.integers(0, 3)):
        case 0:
            return draw(_constants)
        case 1:
            return [_reading(draw, known), {"k": _reading(draw, known)}]
        case 2 if known:
            return f"値は${{{draw(st.sampled_from(known))}}}です"
        case _:
            return _reading(draw, known)
