"""Nodes of a plan put together: into a plan of their own that is called, or into a loop.

The nodes keep their lines; what they read from outside, and what others read of them, is rewired.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, InvalidInput
from sanbo.plans.dependencies import dependencies, references_of
from sanbo.plans.model import RESERVED, BlockNode, Graph, Node, Plan
from sanbo.plans.references import BadReference, Reference, reference_of
from sanbo.plans.renaming import conditions, listed, plan_written, texts
from sanbo.plans.written_names import in_code, in_text
from sanbo.plans.yaml_page import Page, composed, entry, flow, quoted, span_of

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
