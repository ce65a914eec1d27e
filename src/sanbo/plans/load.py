"""A plan out of its YAML: the model, where each part stands, and what is wrong with its form.

What plans in circulation write in several ways is brought to the one form of the model first.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast, get_args

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from sanbo.blocks.contract.yaml_tree import Marks, Path, YamlRefused, read_tree
from sanbo.kernel.messages import Language, current_language, tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.text import with_unseen_shown
from sanbo.plans.model import UNSEEN, Finding, Plan, PlanText, Severity, finding

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
_NODE_KINDS = ("block", "loop", "subflow")


def _node(node: Written) -> Written:
    made = _without_nulls(node)
    for other, name in _SYNONYMS.items():
        if other in made and name not in made:
            made[name] = made.pop(other)
    is_other = isinstance(made.get("type"), str) and made["type"] not in _NODE_KINDS
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
        # pyrefly: ignore[not-callable]
        holder[key] = change(value)


MOST_FINDINGS = 100
_MOST_KEPT = 200_000
"""Characters: what was read takes many times as much."""


@dataclass(frozen=True)
class Loaded:
    plan: Plan | None
    """None where its form is wrong: then `findings` says how."""
    findings: tuple[Finding, ...]
    marks: Marks


def load(source: PlanText) -> Loaded:
    """On its way to a run the same text is asked for several times; it is read once."""
    if len(source.text) > _MOST_KEPT:
        return _read(source)
    return _kept(source.text, source.file, current_language())


@lru_cache(maxsize=8)
def _kept(text: str, file: str, language: Language) -> Loaded:
    _ = language  # of the findings
    return _read(PlanText(text=text, file=file))


def _read(source: PlanText) -> Loaded:
    try:
        tree = read_tree(source.text)
    except YamlRefused as refused:
        found = finding(refused.code, file=source.file, at=refused.place, params=refused.params)
        return Loaded(None, (found,), Marks())
    findings = [
        finding(
            "duplicate_key",
            file=source.file,
            at=tree.marks.at(*path),
            node=_node_of(tree.value, path),
            key=str(path[-1]),
        )
        for path in tree.repeated
    ]
    if not isinstance(tree.value, dict):
        findings.append(finding("plan_not_mapping", file=source.file, at=tree.marks.at()))
        return Loaded(None, tuple(findings), tree.marks)
    written = normal_plan(tree.value)
    plan = None
    try:
        plan = Plan.model_validate(written)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        lacking = {each["loc"] for each in errors if each["type"] == "missing"}
        findings += [
            _explain(each, written, tree.marks, source.file, lacking)
            for each in _without_misspelt(errors, written)
        ]
        if all(each["type"] == "extra_forbidden" for each in errors):
            plan = _without_unknown_keys(written, errors)
    if any(each.severity == "error" for each in findings):
        plan = None
    return Loaded(plan, tuple(dict.fromkeys(findings)), tree.marks)


# ---- what is wrong with the form -----------------------------------------------------------

_CONDITION_KINDS = ("expression", "comparison")
_KINDS = {
    "string": "text",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "mapping",
    "mapping": "mapping",
    "model": "mapping",
    "list": "list",
    "tuple": "list",
    "json": "json",
}


def _without_misspelt(errors: list[ErrorDetails], written: JsonValue) -> list[ErrorDetails]:
    """A key that is missing because it is misspelt is told once."""
    misspelt = {
        (*error["loc"][:-1], nearest)
        for error in errors
        if error["type"] == "extra_forbidden"
        for nearest in _nearest(error["loc"], written)
    }
    return [
        error for error in errors if not (error["type"] == "missing" and error["loc"] in misspelt)
    ][:MOST_FINDINGS]


def _without_unknown_keys(written: Written, errors: list[ErrorDetails]) -> Plan:
    """What a key says that nobody knows changes nothing; that it is there was told."""
    without = deepcopy(written)
    for each in errors:
        holder: JsonValue = without
        for step in list(_without_alternatives(each["loc"]))[:-1]:
            holder = _inside(holder, step)
        assert isinstance(holder, dict)
        holder.pop(str(each["loc"][-1]), None)
    return Plan.model_validate(without)


def _nearest(location: tuple[int | str, ...], written: JsonValue) -> list[str]:
    known = _known_keys(location, written)
    return nearest(str(location[-1]), known, least=0.5)


def _explain(  # noqa: PLR0911 - one for each kind of error
    error: ErrorDetails,
    written: JsonValue,
    marks: Marks,
    file: str,
    lacking: set[tuple[int | str, ...]],
) -> Finding:
    path = _path(error["loc"], written)
    if error["type"] == "union_tag_invalid":
        path = (*path, "type")
    # A key without a value counts as missing, but it stands somewhere.
    beyond = error["loc"][-1:] if error["type"] == "missing" else ()
    place = marks.at(*_in_file(path, written), *beyond)
    node = _node_of(written, path)
    name = _name(error, path)
    context: dict[str, Any] = error.get("ctx", {})

    def found(code: str, severity: Severity = "error", **params: object) -> Finding:
        given = {"key": name, **params}
        return finding(code, severity=severity, file=file, at=place, node=node, params=given)

    match error["type"]:
        case "missing":
            return found("missing_key")
        case "extra_forbidden":
            if nearest := _nearest(error["loc"], written):
                is_meant = any((*error["loc"][:-1], each) in lacking for each in nearest)
                severity = "error" if is_meant else "warning"
                return found("unknown_key_near", severity, nearest=nearest[0])
            known = _known_keys(error["loc"], written)
            return found("unknown_key", "warning", known="、".join(known) or "–")
        case "literal_error":
            return found("wrong_value", choices=_choices(context["expected"]))
        case "union_tag_invalid":
            return found("wrong_value", choices=_choices(context["expected_tags"]))
        case "greater_than_equal" | "greater_than":
            return found("too_small", limit=context.get("ge", context.get("gt")))
        case "less_than_equal" | "less_than":
            return found("too_large", limit=context.get("le", context.get("lt")))
        case kind if kind == UNSEEN:
            return found(UNSEEN, unseen=context["unseen"])
        case "string_pattern_mismatch":
            return found("bad_name", value=str(error["input"])[:100])
        case kind if kind.split("_")[0] in _KINDS:
            expected = tell(f"plan_findings.kinds.{_KINDS[kind.split('_')[0]]}")
            return found("wrong_type", expected=expected)
        case _:
            return found("wrong_form", reason=error["msg"])


def _name(error: ErrorDetails, path: Path) -> str:
    """What a person calls the part: its key, or where it stands in a list."""
    if error["type"] in ("missing", "extra_forbidden"):
        return str(error["loc"][-1])
    last = path[-1] if path else ""
    return f"{path[-2]}[{last}]" if isinstance(last, int) and len(path) > 1 else str(last)


def _choices(expected: str) -> str:
    return "、".join(
        part.strip(" '") for part in expected.replace(" or ", ",").split(",") if part.strip(" '")
    )


def _path(location: tuple[int | str, ...], written: JsonValue) -> Path:
    """Pydantic's location without the names of alternatives, which the file does not have."""
    path: Path = ()
    part: JsonValue = written
    for step in _without_alternatives(location):
        inside = _inside(part, step)
        if inside is not None:
            part, path = inside, (*path, step)
        elif _is_empty_at(part, step):  # the last step
            path = (*path, step)
    return path


def _in_file(path: Path, written: JsonValue) -> Path:
    """Nodes of `finally`, which the model has behind the others, stand in a list of their own."""
    found: list[int | str] = []
    part: JsonValue = written
    for step in path:
        inside = _inside(part, step)
        if found[-1:] == ["graph"] and isinstance(part, list) and _is_last(inside):
            found[-1] = "finally"
            found.append(cast("int", step) - sum(not _is_last(each) for each in part))
        else:
            found.append(step)
        part = inside
    return tuple(found)


def _is_last(node: JsonValue) -> bool:
    return isinstance(node, dict) and node.get("always") is True


def _is_empty_at(part: JsonValue, step: int | str) -> bool:
    if isinstance(part, list):
        return isinstance(step, int) and step < len(part)
    return isinstance(part, dict) and step in part


def _without_alternatives(location: tuple[int | str, ...]) -> Iterator[int | str]:
    """After a node's position Pydantic names its type, after a condition its kind."""
    before: tuple[int | str, ...] = ()
    for step in location:
        is_type = len(before) > 1 and before[-2] == "graph" and isinstance(before[-1], int)
        is_kind = before[-1:] in (("when",), ("condition",)) and step in _CONDITION_KINDS
        if not is_type and not is_kind:
            yield step
        before = (*before, step)


def _inside(part: JsonValue, step: int | str) -> JsonValue:
    if isinstance(part, dict):
        return part.get(str(step))
    if isinstance(part, list) and isinstance(step, int) and step < len(part):
        return part[step]
    return None


def _known_keys(location: tuple[int | str, ...], written: JsonValue) -> list[str]:
    """The keys that can stand where this one stands."""
    models: list[type[BaseModel]] = [Plan]
    part: JsonValue = written
    for step in list(_without_alternatives(location))[:-1]:
        part = _inside(part, step)
        if isinstance(step, str):
            models = [inner for model in models for inner in _within(model, step)]
        elif (kind := _inside(part, "type")) is not None:
            models = [model for model in models if _is_type(model, kind)]
    known = {field.alias or key for model in models for key, field in model.model_fields.items()}
    return sorted(known - {location[-1]})  # one that is known elsewhere is no help


def _within(model: type[BaseModel], key: str) -> Iterator[type[BaseModel]]:
    for name, field in model.model_fields.items():
        if key == (field.alias or name):
            yield from _alternatives(field.annotation)


def _alternatives(annotation: Any) -> Iterator[type[BaseModel]]:
    parts = get_args(annotation)
    for part in parts:
        yield from _alternatives(part)
    if not parts and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation


def _is_type(model: type[BaseModel], kind: JsonValue) -> bool:
    declared = model.model_fields.get("type")
    return declared is not None and declared.default == kind


def _node_of(written: JsonValue, path: Path) -> str:
    """The ids of the nodes around a part, outermost first."""
    ids: list[str] = []
    part = written
    for position, step in enumerate(path):
        part = _inside(part, step)
        if isinstance(step, int) and position > 0 and path[position - 1] == "graph":
            name = _inside(part, "id")
            ids.append(with_unseen_shown(name) if isinstance(name, str) else f"#{step}")
    return "/".join(ids)
