"""Another id for a node: whatever names it names it anew, and all else stays byte for byte."""

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound
from sanbo.plans.dependencies import dependencies, references_of
from sanbo.plans.load import load
from sanbo.plans.model import RESERVED, Graph, LoopNode, Plan, PlanText
from sanbo.plans.written_names import OPENING, in_code, in_text
from sanbo.plans.yaml_page import Page, composed, entry, flow, shown, span_of

SOURCE = "exports/from"
"""A path that needs no `${…}`."""


def renamed(text: str, path: Sequence[str], to: str) -> str:
    """`path`: ids from the plan down to the node. Refused where a name would mean another thing."""
    before = plan_written(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n")
    old, to = path[-1], to.strip()
    around, holder, scope = _found(before, composed(text), path)
    if to == old:
        return text.replace("\n", newline)
    if to in _names(before) | RESERVED:
        raise Conflict("plan_node_taken", node=to)
    if not to.replace("_", "a").isalnum() or to[0].isdigit():
        raise InvalidInput("plan_rename_refused", node=old, to=to)
    page = Page(text)
    for scalar in _where_named(holder, scope, old):
        page.edits[span_of(scalar)] = flow(to)
    for scalar in texts(scope, old, holder):
        start, end = span_of(scalar)
        raw = text[start:end]
        made = in_text(raw, old, to)
        if (start, end) not in page.edits and made != raw:
            page.edits[start, end] = made
    # A condition is an expression as a whole.
    for scalar in conditions(scope, old, holder):
        start, end = span_of(scalar)
        page.edits[start, end] = in_code(text[start:end], old, to)
    after = _inner(plan_written(made := page.edited()), (*path[:-1], to))
    needs = {_new(node, old, to): {_new(each, old, to) for each in wanted}
             for node, wanted in dependencies(around).items()}  # fmt: skip
    is_same = {node: set(wanted) for node, wanted in dependencies(after).items()} == needs
    if not is_same or any(each.root == old for node in after.graph for each in references_of(node)):
        raise InvalidInput("plan_rename_refused", node=old, to=to)
    return made.replace("\n", newline)


def _new(name: str, old: str, to: str) -> str:
    return to if name == old else name


def plan_written(text: str) -> Plan:
    """A problem that says where, for what is none."""
    loaded = load(PlanText(text=text))
    if loaded.plan is None:
        first = loaded.findings[0]
        raise InvalidInput("plan_migration_unreadable", line=first.line, reason=first.message)
    return loaded.plan


def _names(graph: Graph) -> set[str]:
    """All that a reference may begin with: another of the same name would be hidden, or hide it."""
    found: set[str] = set()
    for node in graph.graph:
        found.add(node.id)
        if isinstance(node, LoopNode):
            for each in (node.foreach, node.while_):
                found |= {each.index_var} if each and each.index_var else set()
            found |= {node.foreach.item_var} if node.foreach else set()
            found |= _names(node.body.plan) if node.body.plan else set()
    return found


def _inner(graph: Graph, path: Sequence[str]) -> Graph:
    for name in path[:-1]:
        loop = next((node for node in graph.graph if node.id == name), None)
        if not isinstance(loop, LoopNode) or loop.body.plan is None:
            raise NotFound("plan_node_unknown", node="/".join(path), known=name)
        graph = loop.body.plan
    if path[-1] not in (ids := [node.id for node in graph.graph]):
        known = "、".join(nearest(path[-1], ids, 3, least=0.4) or ids[:10])
        raise NotFound("plan_node_unknown", node="/".join(path), known=known)
    return graph


def _found(graph: Graph, root: Any, path: Sequence[str]) -> tuple[Graph, Any, Any]:
    """The graph that a node stands in, what holds it in the text, and where it can be named."""
    around = _inner(graph, path)
    holder = scope = root
    for name in path[:-1]:
        scope = next(each for each in listed(holder) if entry(each, "id").value == name)
        body = entry(scope, "body")
        holder = entry(body, "plan") or body
    return around, holder, scope


def listed(holder: Any) -> Iterator[Any]:
    for name in ("graph", "finally"):
        listed = entry(holder, name)
        yield from listed.value if isinstance(listed, yaml.SequenceNode) else ()


# ---- where it is named ---------------------------------------------------------------------


def _where_named(holder: Any, scope: Any, old: str) -> Iterator[Any]:
    """As a name by itself: the node's id, who comes after it, the order of forms, its limits."""
    lists = [entry(entry(holder, "ui"), "layout")]
    for each in listed(holder):
        if entry(each, "id").value == old:
            yield entry(each, "id")
        lists.append(entry(each, "after"))
    for names in lists:
        if isinstance(names, yaml.SequenceNode):
            yield from (each for each in names.value if each.value == old)
        elif isinstance(names, yaml.ScalarNode) and names.value == old:
            yield names
    for policy in {id(each): entry(each, "policy") for each in (holder, scope)}.values():
        limits = entry(entry(policy, "concurrency"), "per_node")
        for key, _ in limits.value if isinstance(limits, yaml.MappingNode) else ():
            if key.value == old:
                yield key


def texts(scope: Any, old: str, holder: Any) -> Iterator[Any]:
    """Texts that may hold references to it, and exports that begin with its name."""
    for key, scalar in _reachable(scope, old, holder, ""):
        if key == SOURCE or (key != "expr" and OPENING in shown(scalar.value)):
            yield scalar


def conditions(scope: Any, old: str, holder: Any) -> Iterator[Any]:
    return (scalar for key, scalar in _reachable(scope, old, holder, "") if key == "expr")


def _reachable(node: Any, old: str, holder: Any, key: str) -> Iterator[tuple[str, Any]]:
    """Not where a loop has a node of that name itself."""
    if isinstance(node, yaml.ScalarNode):
        yield key, node
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _reachable(each, old, holder, f"{key}[]")
    elif isinstance(node, yaml.MappingNode):
        body = entry(node, "body")
        inner = entry(body, "plan") or body
        own = {entry(each, "id").value for each in listed(inner)} if inner is not holder else ()
        for name, value in node.value:
            if name.value == "out" or (name.value == "body" and old in own):
                continue
            is_source = key == "exports" or (key == "exports[]" and name.value == "from")
            yield from _reachable(value, old, holder, SOURCE if is_source else name.value)
