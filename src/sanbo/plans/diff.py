"""What differs between two plans in meaning: nodes, wires, inputs, forms, conditions, policies.

How a plan is written, in which order its nodes stand and what its comments say is no difference.
People see the differences as sentences, parts and a coloured graph.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from sanbo.kernel.messages import Language, tell
from sanbo.plans.drawing.figure import ChangeStatus, Figure, Mark, figure_of
from sanbo.plans.load import load
from sanbo.plans.model import (
    BlockNode,
    Body,
    Graph,
    LoopNode,
    Node,
    NodeBase,
    Plan,
    PlanSource,
    SubflowNode,
)
from sanbo.plans.present import graph_part
from sanbo.plans.progress import loaded_plans
from sanbo.plans.references import Reference, references_in, rewritten
from sanbo.plans.running.plan import plan_of
from sanbo.runs.model import Path
from sanbo.runs.parts import ChangeItem, Changes, Parts, Side, Tone, on_one_line

ChangeKind = Literal[
    "added",
    "removed",
    "renamed",
    "block",
    "rewired",
    "input",
    "form",
    "condition",
    "policy",
    "order",
    "output",
    "loop",
    "call",
    "words",
    "variable",
    "exports",
    "layout",
    "called",
]
Leaves = dict[str, JsonValue]
_FORM, _FIELDS = "ui.interactive_input", "requirements"


class PlanChange(BaseModel):
    model_config = ConfigDict(frozen=True)

    kind: ChangeKind
    node: Path = ()
    """Node ids from the plan down; empty for what is the whole plan's."""
    name: str = ""
    """The input, field, key or variable that it is about."""
    before: JsonValue = None
    after: JsonValue = None


def changes_between(old: PlanSource, new: PlanSource) -> tuple[PlanChange, ...]:
    before, after = plan_of(old.plan), plan_of(new.plan)
    found = [*_plans(before, after), *_graphs(before, after, ())]
    for name in sorted(old.called.keys() | new.called.keys()):
        texts = [each.called.get(name) for each in (old, new)]
        plans = [load(text).plan if text else None for text in texts]
        if plans[0] != plans[1]:
            versions = [plan.version if plan else None for plan in plans]
            found.append(
                PlanChange(kind="called", name=name, before=versions[0], after=versions[1])
            )
    return tuple(found)


def _plans(old: Plan, new: Plan) -> Iterator[PlanChange]:
    for name in ("title", "description"):
        yield from _differing("words", (), {name: _data(old, name)}, {name: _data(new, name)})
    yield from _differing("layout", (), {"": _data(old, "ui")}, {"": _data(new, "ui")})


def _graphs(old: Graph, new: Graph, at: Path) -> Iterator[PlanChange]:
    yield from _differing("variable", at, dict(old.vars), dict(new.vars))
    yield from _differing(
        "policy", at, _leaves(_data(old, "policy")), _leaves(_data(new, "policy"))
    )
    names = renamed_nodes(old, new)
    olds = {node.id: node for node in old.graph}
    news = {node.id: node for node in new.graph}
    for name in olds.keys() - news.keys() - names.keys():
        yield PlanChange(kind="removed", node=(*at, name), before=_about(olds[name]))
    back = {after: before for before, after in names.items()}
    for name, node in news.items():
        here = (*at, name)
        if name in back:
            yield PlanChange(kind="renamed", node=here, before=back[name], after=name)
        elif name in olds:
            yield from _nodes(olds[name], node, here, names)
        else:
            yield PlanChange(kind="added", node=here, after=_about(node))
    exports = [{each.as_: _renamed(each.from_, names) for each in old.exports}]
    exports.append({each.as_: each.from_ for each in new.exports})
    yield from _differing("exports", at, dict(exports[0]), dict(exports[1]))


def renamed_nodes(old: Graph, new: Graph) -> dict[str, str]:
    """Nodes that have another id and nothing else that is new."""
    olds = {node.id: node for node in old.graph}
    news = {node.id: node for node in new.graph}
    names: dict[str, str] = {}
    for name in [name for name in olds if name not in news]:
        same = [
            other
            for other, node in news.items()
            if other not in olds
            and other not in names.values()
            and olds[name].model_copy(update={"id": other}) == node
        ]
        if len(same) == 1:
            names[name] = same[0]
    return names


def _nodes(old: Node, new: Node, at: Path, names: Mapping[str, str]) -> Iterator[PlanChange]:
    if old.type != new.type:
        yield PlanChange(kind="block", node=at, before=_about(old), after=_about(new))
        return
    for name in ("title", "description"):
        yield from _differing("words", at, {name: _data(old, name)}, {name: _data(new, name)})
    conditions = _written(_data(old, "when"), names), _data(new, "when")
    yield from _differing("condition", at, {"": conditions[0]}, {"": conditions[1]})
    yield from _differing(
        "policy", at, _leaves(_data(old, "policy")), _leaves(_data(new, "policy"))
    )
    order = sorted(names.get(each, each) for each in old.after), sorted(new.after)
    yield from _differing("order", at, {"": list(order[0])}, {"": list(order[1])})
    yield from _parts("output", "out", old, new, at)
    match old, new:
        case BlockNode(), BlockNode():
            yield from _differing("block", at, {"": old.block}, {"": new.block})
            yield from _inputs(dict(old.in_), dict(new.in_), at, names)
        case SubflowNode(), SubflowNode():
            yield from _differing("call", at, {"": old.call.plan_id}, {"": new.call.plan_id})
            yield from _inputs(dict(old.call.inputs), dict(new.call.inputs), at, names)
        case LoopNode(), LoopNode():
            for name in ("foreach", "while_"):
                leaves = _leaves(_written(_data(old, name), names)), _leaves(_data(new, name))
                yield from _differing("loop", at, *leaves)
            yield from _bodies(old.body, new.body, at, names)
        case _:
            pass


def _bodies(old: Body, new: Body, at: Path, names: Mapping[str, str]) -> Iterator[PlanChange]:
    yield from _graphs(old.plan or Graph(), new.plan or Graph(), at)
    calls = [each.call.plan_id if each.call else None for each in (old, new)]
    yield from _differing("call", at, {"": calls[0]}, {"": calls[1]})
    inputs = [dict(each.call.inputs) if each.call else {} for each in (old, new)]
    yield from _inputs(inputs[0], inputs[1], at, names)


def _inputs(old: Leaves, new: Leaves, at: Path, names: Mapping[str, str]) -> Iterator[PlanChange]:
    fields = [_fields(each.get(_FIELDS)) for each in (old, new)]
    if fields[0] is not None and fields[1] is not None:
        yield from _differing("form", at, fields[0], fields[1])
        old, new = ({k: v for k, v in each.items() if k != _FIELDS} for each in (old, new))
    before, after = _leaves(_written(old, names)), _leaves(new)
    for change in _differing("input", at, before, after):
        wires = [_wires(each) for each in (change.before, change.after)]
        rewired = wires[0] != wires[1]
        yield change.model_copy(update={"kind": "rewired"}) if rewired else change


def _fields(written: JsonValue) -> Leaves | None:
    """A form's fields by their ids."""
    if not isinstance(written, list):
        return None
    fields = [each for each in written if isinstance(each, dict)]
    return {str(each.get("id")): each for each in fields}


def _differing(kind: ChangeKind, at: Path, old: Leaves, new: Leaves) -> Iterator[PlanChange]:
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if before != after:
            yield PlanChange(kind=kind, node=at, name=name, before=before, after=after)


def _parts(
    kind: ChangeKind, name: str, old: BaseModel, new: BaseModel, at: Path
) -> Iterator[PlanChange]:
    yield from _differing(kind, at, _leaves(_data(old, name)), _leaves(_data(new, name)))


def _leaves(value: JsonValue, above: str = "") -> Leaves:
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    if not inside:
        return {above: value} if value is not None and value not in ({}, []) else {}
    found: Leaves = {}
    for name, item in inside:
        found |= _leaves(item, f"{above}.{name}" if above else str(name))
    return found


def _data(part: BaseModel, name: str) -> JsonValue:
    dumped = part.model_dump(mode="json", by_alias=True, include={name}, exclude_defaults=True)
    return next(iter(dumped.values()), None)


def _about(node: Node) -> JsonValue:
    match node:
        case BlockNode():
            return node.block
        case SubflowNode():
            return node.call.plan_id
        case LoopNode():
            return node.type


def _wires(value: JsonValue) -> list[str]:
    return sorted(found.path for found, _ in references_in(value))


def _written(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    """With the names that nodes have now."""

    def change(reference: Reference) -> str | None:
        name = names.get(reference.root)
        return name and reference.text.replace(reference.root, name, 1)

    match value:
        case str():
            return rewritten(value, change)
        case list():
            return [_written(item, names) for item in value]
        case dict():
            return {key: _written(item, names) for key, item in value.items()}
        case _:
            return value


def _renamed(path: str, names: Mapping[str, str]) -> str:
    root, dot, rest = path.partition(".")
    return f"{names.get(root, root)}{dot}{rest}"


# ---- as one graph --------------------------------------------------------------------------


def merged(old: Graph, new: Graph) -> Graph:
    """The new one, with the nodes that are gone."""
    names = renamed_nodes(old, new)
    olds = {node.id: node for node in old.graph}
    nodes = [_merged_node(olds.get(node.id), node) for node in new.graph]
    known = {node.id for node in new.graph} | names.keys()
    nodes += [node for node in old.graph if node.id not in known]
    return new.model_copy(update={"graph": tuple(nodes)})


def _merged_node(old: NodeBase | None, new: Node) -> Node:
    if not isinstance(old, LoopNode) or not isinstance(new, LoopNode):
        return new
    if old.body.plan is None or new.body.plan is None:
        return new
    body = new.body.model_copy(update={"plan": merged(old.body.plan, new.body.plan)})
    return new.model_copy(update={"body": body})


def status_of(path: Path, changes: tuple[PlanChange, ...]) -> ChangeStatus:
    """What is inside a node that is new or gone is so too."""
    for change in changes:
        if change.kind in ("added", "removed") and path[: len(change.node)] == change.node:
            return "added" if change.kind == "added" else "removed"
    is_changed = any(change.node == path for change in changes)
    return "changed" if is_changed else "same"


LONGEST = 120
_TONES: dict[str, Tone] = {"added": "good", "removed": "bad"}
SIGNS: dict[str, str] = {"added": "＋", "removed": "－"}
CHANGED = "～"


def sentence(change: PlanChange, language: Language | None = None) -> str:
    said = tell(
        f"plan_diff.{change.kind}",
        language,
        name=change.name or tell("plan_diff.whole", language),
        before=on_one_line(change.before, LONGEST),
        after=on_one_line(change.after, LONGEST),
    )
    node = "/".join(change.node)
    return tell("plan_diff.of_node", language, node=node, said=said) if node else said


def sign(change: PlanChange) -> str:
    return SIGNS.get(change.kind, CHANGED)


def marked(
    old: PlanSource, new: PlanSource, changes: tuple[PlanChange, ...]
) -> tuple[Plan, Mapping[str, Plan], dict[Path, Mark]]:
    """Both plans as one, and what has become of each node."""
    (before, called_before), (after, called) = loaded_plans(old), loaded_plans(new)
    both = Plan.model_validate(merged(before, after), from_attributes=True)
    known = {**called_before, **called}
    figure = figure_of(both, known)
    marks = {item.path: Mark(status_of(item.path, changes)) for item in figure.everything()}
    return both, known, marks


def diff_parts(
    old: PlanSource, new: PlanSource, changes: tuple[PlanChange, ...], language: Language
) -> Parts:
    both, called, marks = marked(old, new, changes)
    figure = figure_of(both, called, language)
    return (
        Changes(
            id="changes",
            title=tell("plan_diff.title", language),
            old_name=name_of(old),
            new_name=name_of(new),
            items=tuple(_item(number, each, language) for number, each in enumerate(changes)),
            total_items=len(changes),
        ),
        _graph(figure, marks, language),
    )


def name_of(source: PlanSource) -> str:
    plan, _ = loaded_plans(source)
    return f"{plan.id}@{plan.version}"


def _item(number: int, change: PlanChange, language: Language) -> ChangeItem:
    place = "/".join(change.node)
    sides = [
        None if value is None else Side(place=place, text=on_one_line(value, 10 * LONGEST))
        for value in (change.before, change.after)
    ]
    return ChangeItem(
        id=str(number),
        change=change.kind,
        label=tell(f"plan_diff.kinds.{change.kind}", language),
        old=sides[0],
        new=sides[1],
        explanation=sentence(change, language),
        tone=_TONES.get(change.kind, "caution"),
    )


def _graph(figure: Figure, marks: Mapping[Path, Mark], language: Language):
    drawn = graph_part(figure, {}, language)
    nodes = [node.model_copy(update={"change": marks[node.path].status}) for node in drawn.nodes]
    return drawn.model_copy(update={"nodes": tuple(nodes), "is_aside": False})
