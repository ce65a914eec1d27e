"""Nodes of a plan under another id, or put together: into a plan that is called, or into a loop.

The nodes keep their lines, and all else stays byte for byte; whatever names them names them anew,
what they read from outside and what others read of them is rewired.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound
from sanbo.plans.dependencies import dependencies, references_of
from sanbo.plans.load import load
from sanbo.plans.model import RESERVED, BlockNode, Graph, LoopNode, Node, Plan, PlanText
from sanbo.plans.references import BadReference, Reference, reference_of
from sanbo.plans.yaml_page import (
    OPENING,
    Page,
    composed,
    entry,
    flow,
    in_code,
    in_text,
    quoted,
    shown,
    span_of,
)

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


Why = Literal["unknown", "flow", "last", "order", "between", "whole", "over", "rewired"]
ITEM = "item"
FIRST_VERSION = "1.0.0"


class Grouped(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str
    called_id: str = ""
    called: str = ""
    """The text of the plan that is called now; empty for a loop."""


def into_subflow(text: str, nodes: Sequence[str], name: str, plan_id: str) -> Grouped:
    """`name`: of the node that calls them; `plan_id`: of the plan that they become."""
    group = _Group.of(text, nodes, name)
    inputs = group.read_outside()
    variables = group.variables()
    if taken := variables & {each.removeprefix("vars.") for each in inputs.values()}:
        raise Conflict("plan_node_taken", node=min(taken))
    outputs = group.read_inside()
    given = {new.removeprefix("vars."): f"${{{old}}}" for old, new in inputs.items()}
    given |= {each: f"${{vars.{each}}}" for each in sorted(variables)}
    defaults = {each: group.plan.vars.get(each) for each in sorted(variables)}
    kept = {**dict.fromkeys(given), **defaults}
    called = f"{plan_id}@{FIRST_VERSION}"
    lines = [
        "apiVersion: v1",
        f"id: {flow(plan_id)}",
        f"version: {FIRST_VERSION}",
        *([f"vars: {flow(dict(kept))}"] if kept else []),
        "graph:",
        *group.moved(inputs),
        *_exports(outputs, ""),
    ]
    node = [
        f"id: {flow(name)}",
        "type: subflow",
        f"call: {{plan_id: {quoted(called)}, inputs: {flow(dict(given))}}}",
    ]
    made = group.written(node, {old: f"{name}.{alias}" for old, alias in outputs.items()})
    inner = "\n".join(lines) + "\n"
    group.check(made, plan_written(inner), name)
    return Grouped(text=made, called_id=called, called=inner)


def into_loop(text: str, nodes: Sequence[str], name: str, over: str) -> Grouped:
    """`over`: `node.key` of the list that they are repeated for; they get each item of it."""
    group = _Group.of(text, nodes, name)
    if over not in group.read_outside():
        raise _refused("over", over=over)
    outputs = group.read_inside()
    node = [
        f"id: {flow(name)}",
        "type: loop",
        f"foreach: {{input: {quoted(f'${{{over}}}')}, itemVar: {ITEM}}}",
        "body:",
        "  plan:",
        "    graph:",
        *group.inside({over: ITEM}),
        *_exports(outputs, "    "),
        f"out: {{collect: {flow([*outputs.values()])}}}",
    ]
    made = group.written(node, {old: f"{name}.{alias}" for old, alias in outputs.items()})
    group.check(made, None, name)
    return Grouped(text=made)


def _exports(outputs: Mapping[str, str], indent: str) -> list[str]:
    lines = [
        f"{indent}  - {{from: {quoted(old)}, as: {flow(new)}}}" for old, new in outputs.items()
    ]
    return [f"{indent}exports:", *lines] if lines else []


def _refused(why: Why, **named: str) -> InvalidInput:
    reason = tell(f"plan_grouping.{why}", None, **named)
    return InvalidInput("plan_group_refused", reason=reason)


@dataclass(frozen=True)
class _Group:
    page: Page
    root: Any
    plan: Plan
    chosen: tuple[Node, ...]
    newline: str

    @classmethod
    def of(cls, text: str, nodes: Sequence[str], name: str) -> "_Group":
        plan = plan_written(text)
        newline = "\r\n" if "\r\n" in text else "\n"
        page = Page(text.replace("\r\n", "\n"))
        chosen = tuple(node for node in plan.graph if node.id in nodes)
        if not chosen or len(chosen) < len(set(nodes)):
            raise _refused("unknown")
        ids = {node.id for node in chosen}
        if name in RESERVED or name in {node.id for node in plan.graph if node.id not in ids}:
            raise Conflict("plan_node_taken", node=name)
        if any(node.always for node in chosen):
            raise _refused("last")
        if any(set(node.after) - ids for node in chosen):
            raise _refused("order")
        group = cls(page, composed(page.text), plan, chosen, newline)
        group._refuse_between(ids)
        if entry(group.root, "graph").flow_style:
            raise _refused("flow")
        return group

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(node.id for node in self.chosen)

    def _refuse_between(self, ids: set[str]) -> None:
        """One that needs some of them, and that others of them need, can stand nowhere."""
        needs = dependencies(self.plan)
        after = _reached(ids, {node: {n for n, w in needs.items() if node in w} for node in needs})
        if between := (after & _reached(ids, needs)) - ids:
            raise _refused("between", node=min(between))

    # ---- what is read across its border ----

    def read_outside(self) -> dict[str, str]:
        """`node.key` of others, and the variable that it becomes."""
        others = {node.id for node in self.plan.graph} - self.ids
        found: dict[str, str] = {}
        for each in self._references(self.chosen):
            if each.root in others:
                key = _key(each)
                found.setdefault(f"{each.root}.{key}", f"vars.{each.root}_{key}")
        return found

    def variables(self) -> set[str]:
        return {_key(each) for each in self._references(self.chosen) if each.root == "vars"}

    def read_inside(self) -> dict[str, str]:
        """`node.key` of these, and the name under which it goes out."""
        others = [node for node in self.plan.graph if node.id not in self.ids]
        read = [*self._references(others), *_exported(self.plan)]
        found = dict.fromkeys((each.root, _key(each)) for each in read if each.root in self.ids)
        if not self.plan.exports:  # what has an alias goes out by itself
            named = (node for node in self.chosen if isinstance(node, BlockNode))
            found |= dict.fromkeys(
                (node.id, alias) for node in named for alias in node.out.values()
            )
        keys = [key for _, key in found]
        return {
            f"{root}.{key}": key if keys.count(key) == 1 else f"{root}_{key}" for root, key in found
        }

    def _references(self, nodes: Iterable[Node]) -> list[Reference]:
        return [each for node in nodes for each in references_of(node)]

    # ---- writing ----

    def moved(self, names: Mapping[str, str]) -> list[str]:
        """Their lines, with what they read from outside under its new names."""
        made: list[str] = []
        for place in self._places():
            start, end = self._lines(place)
            part = Page(self.page.text[start:end])
            for span, new in self._rewritten(place, names).items():
                part.edits[span[0] - start, span[1] - start] = new
            made += part.edited().split("\n")
        return made

    def inside(self, names: Mapping[str, str]) -> list[str]:
        """The same as lines of a node that holds them."""
        column = self._column()
        return [f"      {line[column:]}" if line.strip() else "" for line in self.moved(names)]

    def written(self, node: Sequence[str], names: Mapping[str, str]) -> str:
        """The plan with one node in their place, and others that read it instead."""
        first, *rest = [self._lines(place) for place in self._places()]
        inside = [first, *rest]
        for span, new in self._rewritten(self.root, names).items():
            if not any(start <= span[0] < end for start, end in inside):
                self.page.edits[span] = new
        for scalar in self._named_after():
            self.page.edits[span_of(scalar)] = node[0].removeprefix("id: ")
        column = " " * self._column()
        lines = [f"{column}- {node[0]}", *(f"{column}  {line}".rstrip() for line in node[1:])]
        self.page.edits[first] = "\n".join(lines)
        for start, end in rest:
            self.page.edits[start, end + 1] = ""
        return self.page.edited().replace("\n", self.newline)

    def _places(self) -> list[Any]:
        return [place for place in listed(self.root) if entry(place, "id").value in self.ids]

    def _column(self) -> int:
        return entry(self.root, "graph").start_mark.column

    def _lines(self, place: Any) -> tuple[int, int]:
        """With the comments that stand above it."""
        start, end = self.page.lines_of(place)
        text = self.page.text
        while start > 0:
            above = text.rfind("\n", 0, start - 1) + 1
            line = text[above : start - 1]
            if not line.strip().startswith("#") or line[: self._column()].strip():
                break
            start = above
        return start, end

    def _rewritten(self, place: Any, names: Mapping[str, str]) -> dict[tuple[int, int], str]:
        found: dict[tuple[int, int], str] = {}
        for is_code, scalars in ((False, texts), (True, conditions)):
            for scalar in scalars(place, "", self.root):
                start, end = span_of(scalar)
                raw = made = self.page.text[start:end]
                for old, new in names.items():
                    made = in_code(made, old, new) if is_code else in_text(made, old, new)
                if made != raw:
                    found[start, end] = made
        return found

    def _named_after(self) -> list[Any]:
        found: list[Any] = []
        for place in listed(self.root):
            after = entry(place, "after")
            if entry(place, "id").value not in self.ids and after is not None:
                found += [each for each in after.value if each.value in self.ids]
        return found

    def check(self, made: str, called: Plan | None, name: str) -> None:
        """Everything needs what it needed, with the one in the place of these."""
        before, after = dependencies(self.plan), dependencies(plan_written(made))
        expected: dict[str, set[str]] = {}
        for node, wanted in before.items():
            at = name if node in self.ids else node
            new = {name if each in self.ids else each for each in wanted}
            expected[at] = expected.get(at, set()) | (new - {at})
        is_same = {node: set(wanted) for node, wanted in after.items()} == expected
        if called is not None:
            within = {node: before[node] & self.ids for node in self.ids}
            is_same &= dict(dependencies(called)) == within
        if not is_same:
            raise _refused("rewired")


def _reached(begin: Iterable[str], ways: Mapping[str, Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(begin)
    while waiting:
        for each in ways[waiting.pop()]:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def _key(reference: Reference) -> str:
    if not reference.keys or not isinstance(key := reference.keys[0], str):
        raise _refused("whole", reference=reference.text)
    return key


def _exported(graph: Graph) -> list[Reference]:
    found: list[Reference] = []
    for each in graph.exports:
        try:
            found.append(reference_of(each.from_))
        except BadReference:
            continue
    return found
