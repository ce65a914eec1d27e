"""What plans in circulation write in several ways, brought to the one form of the model."""

from typing import cast

from pydantic import JsonValue

Written = dict[str, JsonValue]

_OPENING, _CLOSING = "${", "}"


def normal_plan(plan: Written) -> Written:
    return _graph(plan)


def _graph(graph: Written) -> Written:
    made = _without_nulls(graph)
    if isinstance(made.get("version"), int | float):
        made["version"] = str(made["version"])
    _put(made, "policy", _policy)
    _put(made, "exports", _exports)
    last = made.get("finally")
    if isinstance(last, list) and isinstance(made.get("graph", []), list):
        del made["finally"]
        always = [{**each, "always": True} if isinstance(each, dict) else each for each in last]
        made["graph"] = [*cast("list[JsonValue]", made.get("graph", [])), *always]
    if isinstance(made.get("graph"), list):
        nodes = cast("list[JsonValue]", made["graph"])
        made["graph"] = [_node(node) if isinstance(node, dict) else node for node in nodes]
    return made


_SYNONYMS = {"inputs": "in", "outputs": "out", "while_": "while"}
_KINDS = ("block", "loop", "subflow")


def _node(node: Written) -> Written:
    made = _without_nulls(node)
    for other, name in _SYNONYMS.items():
        if other in made and name not in made:
            made[name] = made.pop(other)
    is_other = isinstance(made.get("type"), str) and made["type"] not in _KINDS
    if "type" not in made or (is_other and "block" in made):
        made["type"] = _type_of(made)
    _put(made, "policy", _policy)
    made = _with_condition(made, "when")
    if made["type"] == "loop":
        return _loop(made)
    if made["type"] == "subflow":
        _put(made, "call", _call)
        _put(made, "out", _subflow_out)
    return made


def _call(call: Written) -> Written:
    """A plan may be named by its file: `designs/common/check.yaml` is `common/check`."""
    name = call.get("plan_id")
    if not isinstance(name, str):
        return call
    bare = next((name.removesuffix(end) for end in _ENDINGS if name.endswith(end)), "")
    return {**call, "plan_id": bare.removeprefix("./").removeprefix(_FOLDER)} if bare else call


_ENDINGS = (".yaml", ".yml", ".json")
_FOLDER = "designs/"


def _type_of(node: Written) -> str:
    if "foreach" in node or "while" in node or "body" in node:
        return "loop"
    return "subflow" if "call" in node and "block" not in node else "block"


def _loop(loop: Written) -> Written:
    if isinstance(repeat := loop.get("while"), dict):
        loop["while"] = _with_condition(_without_nulls(repeat), "condition")
    if isinstance(each := loop.get("foreach"), dict):
        loop["foreach"] = _without_nulls(each)
    _put(loop, "body", _body)
    _put(loop, "out", _collected)
    return loop


_OF_WHOLE_PLANS = ("apiVersion", "ui", "title", "description")


def _body(body: Written) -> Written:
    made = _without_nulls(body)
    if "graph" in made and "plan" not in made:
        made = cast("Written", {"plan": made})
    if isinstance(plan := made.get("plan"), dict):
        # A whole plan written inside: what only a plan on its own has says nothing here.
        whole = {key: value for key, value in plan.items() if key not in _OF_WHOLE_PLANS}
        made["plan"] = _graph(whole)
    _put(made, "call", _call)
    return made


def _collected(out: Written) -> Written:
    collect = out.get("collect")
    return {**out, "collect": [collect]} if isinstance(collect, str) else out


def _subflow_out(out: Written) -> Written:
    """`{passed: is_valid}` is short for an export of `passed` as `is_valid`."""
    if "exports" in out:
        return {"exports": _exports(out["exports"])}
    return {"exports": [{"from": name, "as": alias} for name, alias in out.items()]}


def _exports(exports: JsonValue) -> JsonValue:
    if isinstance(exports, dict):
        exports = [{"from": source, "as": name} for name, source in exports.items()]
    if not isinstance(exports, list):
        return exports
    return [
        {**export, "from": _bare(export["from"])}
        if isinstance(export, dict) and isinstance(export.get("from"), str)
        else export
        for export in exports
    ]


def _bare(reference: JsonValue) -> JsonValue:
    text = cast("str", reference).strip()
    if text.startswith(_OPENING) and text.endswith(_CLOSING) and text.count(_OPENING) == 1:
        return text[2:-1].strip()
    return text


def _policy(policy: Written) -> Written:
    made = _without_nulls(policy)
    if made.get("on_error") == "stop":
        made["on_error"] = "halt"
    _put(made, "concurrency", _without_nulls)
    return made


def _with_condition(holder: Written, key: str) -> Written:
    """`when: ${a.b}` and `when: true` are short for an expression."""
    condition = holder.get(key)
    if isinstance(condition, bool):
        return {**holder, key: {"expr": "true" if condition else "false"}}
    if isinstance(condition, str):
        return {**holder, key: {"expr": condition}}
    if isinstance(condition, dict) and isinstance(condition.get("expr"), bool):
        return {**holder, key: {**condition, "expr": "true" if condition["expr"] else "false"}}
    return holder


def _without_nulls(part: Written) -> Written:
    return {key: value for key, value in part.items() if value is not None}


def _put(holder: Written, key: str, change: object) -> None:
    value = holder.get(key)
    if isinstance(value, dict) or (key == "exports" and value is not None):
        holder[key] = change(value)  # pyright: ignore[reportCallIssue, reportUnknownVariableType]
