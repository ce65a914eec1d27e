"""Names: ids of nodes, of the plan and of what it exports; whether what references name is there,
who reads what, and what nothing uses.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from pydantic import JsonValue
from semver import Version

from sanbo.kernel.nearest import nearest
from sanbo.plans.model import RESERVED, BlockNode, Graph, LoopNode, Node, Plan, SubflowNode
from sanbo.plans.references import (
    BadExpression,
    BadReference,
    Key,
    Reference,
    reference_of,
    references_in,
)
from sanbo.plans.validating.plan_texts import UNREADABLE, suggestion
from sanbo.plans.validating.schemas import Missing, Reached, holds_file
from sanbo.plans.validating.scope import VARS, Found, Scope, Site, Unknown, site_of_node
from sanbo.plans.validating.written_values import bad_references
from sanbo.tables.expressions.syntax import ExpressionRefused


def check_references(value: JsonValue, site: Site, *below: Key) -> None:
    """All of a value's references, each told where it stands."""
    for error, path in bad_references(value):
        if isinstance(error, BadExpression):
            tell_refused(error.refused, error.position, site, *below, *path)
        else:
            site.error("bad_reference", *below, *path, text=error.text)
    for reference, path in references_in(value):
        check_reference(reference, site, *below, *path)


def tell_refused(refused: ExpressionRefused, position: int, site: Site, *below: Key) -> None:
    """`position`: of what is wrong in the text that stands there; below 0 where it is unknown."""
    params = {"suggestion": "", **refused.params}
    if refused.code == "unknown_word":
        near = nearest(refused.params["word"], site.scope.names_in_reach())
        params["suggestion"] = suggestion(near[0], [f"${{{near[0]}}}"]) if near else ""
    if position < 0 or not refused.column:
        site.error(refused.code, *below, **params)
    else:
        site.error_inside(refused.code, *below, position=position, **params)


def check_reference(reference: Reference, site: Site, *below: Key) -> None:
    found = site.find(reference)
    if isinstance(found, Unknown):
        _tell_unknown(reference, found, site, below)
        return
    _remember(reference, found)
    if site.node is not None and _is_around(found, site):
        site.error("reads_itself", *below, reference=reference.text, name=found.name)
        return
    match found.value:
        case Missing():
            _tell_missing(reference, found, found.value, site, below)
        case Reached(declared=False):
            field = reference.path.rpartition(".")[2]
            site.warn(
                "doubtful_field",
                *below,
                reference=reference.text,
                field=field,
                suggestion=suggestion(field, found.value.known),
            )
        case _:
            pass


def _remember(reference: Reference, found: Found) -> None:
    match found.origin:
        case "node":
            first = str(reference.keys[0]) if reference.keys else ""
            found.scope.read_outputs.setdefault(found.name, set()).add(first)
        case "vars":
            names = [found.name] if found.name else found.scope.variables_in_reach()
            found.scope.read_variables.update(names)
        case "variable":
            found.scope.read_variables.add(found.name)
        case _:
            pass


def _is_around(found: Found, site: Site) -> bool:
    """Whether a node reads itself, or what the loop gives that it is a part of."""
    if found.node is None:
        return False
    if found.node is site.node:
        return True
    scope: Scope = site.scope
    while scope.outer is not None:
        if found.scope is scope.outer and found.name == scope.within[-1]:
            return True
        scope = scope.outer
    return False


def _tell_unknown(
    reference: Reference, unknown: Unknown, site: Site, below: tuple[Key, ...]
) -> None:
    name = unknown.name
    match unknown.origin:
        case "env":
            site.error("env_not_allowed", *below, reference=reference.text, name=name or "–")
        case "vars":
            site.warn(
                "unknown_var",
                *below,
                reference=reference.text,
                name=name,
                suggestion=suggestion(name, unknown.known),
            )
        case _:
            inside = next(_loops_with(name, site.scope.outermost.graph, ""), "")
            if inside:
                site.error(
                    "reads_inside_loop", *below, reference=reference.text, name=name, loop=inside
                )
                return
            variables = [f"vars.{each}" for each in site.scope.variables_in_reach()]
            exact = [f"vars.{name}"] if f"vars.{name}" in variables else []
            site.error(
                "unknown_node",
                *below,
                reference=reference.text,
                name=name,
                suggestion=suggestion(exact[0] if exact else name, exact or unknown.known),
            )


def _tell_missing(
    reference: Reference, found: Found, missing: Missing, site: Site, below: tuple[Key, ...]
) -> None:
    params = {
        "reference": reference.text,
        "field": missing.key,
        "name": found.name,
        "suggestion": suggestion(missing.key, missing.known),
    }
    if found.origin == "config":
        site.warn("unknown_config", *below, **params)
    elif found.origin == "node" and reference.keys and missing.key is reference.keys[0]:
        site.error("unknown_output", *below, **params)
    else:
        site.warn("unknown_field", *below, **params)


def _loops_with(name: str, graph: Graph, around: str) -> Iterator[str]:
    """Paths of the loops in whose own graph a node of this name stands."""
    for node in graph.graph:
        if isinstance(node, LoopNode) and node.body.plan is not None:
            path = f"{around}{node.id}"
            if any(each.id == name for each in node.body.plan.graph):
                yield path
            yield from _loops_with(name, node.body.plan, f"{path}/")


DESIGNS = "designs"
FINAL = "final_workbooks"
"""A variable that no node reads: it says which files are the plan's results."""


def check_plan_names(plan: Plan, site: Site, plan_id: str) -> None:
    if not Version.is_valid(plan.version):
        site.warn("bad_version", "version", version=plan.version)
    called, _, version = plan_id.partition("@")  # one that is kept, by `id@version`
    expected = (called if version == plan.version else plan_id) or _id_by_file(
        site.scope.notes.file
    )
    last = expected.rpartition("/")[2]
    if last and plan.id not in (last, expected, UNREADABLE):
        site.warn("plan_id_differs", "id", plan_id=plan.id, expected=last)


def _id_by_file(file: str) -> str:
    """Only in the folder where a file's name is the plan's id."""
    path = PurePosixPath(file)
    return path.stem if DESIGNS in path.parts[:-1] else ""


def check_node_ids(site: Site) -> None:
    seen: dict[str, int] = {}
    scope = site.scope
    for position, node in enumerate(scope.graph.graph):
        here = site_of_node(scope, position)
        if node.id in RESERVED:
            here.error("reserved_name", "id", name=node.id)
        elif node.id in seen:
            line = scope.notes.marks.at(*scope.place_of(seen[node.id]))[0]
            here.error("duplicate_node", "id", name=node.id, first=line)
        elif scope.outer is not None and node.id in scope.outer.names_in_reach():
            here.warn("name_hides", "id", name=node.id)
        seen.setdefault(node.id, position)
        for index, before in enumerate(node.after):
            if before == node.id:
                here.error("reads_itself", "after", index, reference=before, name=before)
            elif before not in scope.nodes:
                here.error(
                    "unknown_after",
                    "after",
                    index,
                    name=before,
                    suggestion=suggestion(before, scope.nodes),
                )


def check_exports(site: Site) -> None:
    names: set[str] = set()
    for position, export in enumerate(site.scope.graph.exports):
        where = ("exports", position, export.as_)  # a list, or by name
        try:
            reference = reference_of(export.from_)
        except BadReference:
            site.error("bad_reference", *where, "from", text=export.from_)
        else:
            check_reference(reference, site, *where, "from")
        if not export.as_.strip():
            site.error("bad_name", *where, "as", key="as", value=export.as_)
        elif export.as_ in names:
            site.error("duplicate_export", *where, "as", name=export.as_)
        names.add(export.as_)


_DOES_SOMETHING = ("ui.", "flow.", "agent.", "notifier.", "external.", "evidence.")


def check_unused(site: Site) -> None:
    scope = site.scope
    awaited = {name for node in scope.graph.graph for name in node.after}
    is_last_shown = not scope.graph.exports
    for position, node in enumerate(scope.graph.graph):
        read = scope.read_outputs.get(node.id, set())
        here = site_of_node(scope, position)
        if read or (node.id in awaited and not is_last_shown):
            _tell_unused_outputs(node, read, here)
        elif not is_last_shown and not _does_something(node, scope):
            here.warn("unused_node", "id", name=node.id)
    for name in scope.graph.vars:
        if name not in scope.read_variables and name != FINAL:
            site.warn("unused_var", VARS, name, name=name)


def _tell_unused_outputs(node: Node, read: set[str], site: Site) -> None:
    if "" in read:
        return
    match node:
        case BlockNode():
            for port, name in node.out.items():
                if name != port and name not in read and port not in read:
                    site.warn("unused_output", "out", port, name=name)
        case LoopNode():
            for position, name in enumerate(node.out.collect):
                if name not in read:
                    site.warn("unused_output", "out", "collect", position, name=name)
        case SubflowNode():
            for position, export in enumerate(node.out.exports):
                if export.as_ not in read and export.from_ not in read:
                    site.warn("unused_output", "out", "exports", position, "as", name=export.as_)


def _does_something(node: Node, scope: Scope) -> bool:
    match node:
        case BlockNode():
            spec = scope.surroundings.spec(node.block)
            if spec is None:
                return True
            return spec.id.startswith(_DOES_SOMETHING) or any(
                holds_file(port.schema_) for port in spec.outputs.values()
            )
        case LoopNode():
            return any(_does_something(each, inside) for each, inside in _inside(node, scope))
        case SubflowNode():
            called = scope.called.get(node.call.plan_id)
            return called is None or _plan_does_something(called, frozenset())


def _inside(loop: LoopNode, scope: Scope) -> Iterator[tuple[Node, Scope]]:
    inside = scope.bodies.get(loop.id)
    if inside is not None:
        yield from ((node, inside) for node in inside.graph.graph)


def _plan_does_something(scope: Scope, seen: frozenset[int]) -> bool:
    if id(scope) in seen:
        return False
    return any(
        _plan_does_something(scope.called[node.call.plan_id], seen | {id(scope)})
        if isinstance(node, SubflowNode) and node.call.plan_id in scope.called
        else _does_something(node, scope)
        for node in scope.graph.graph
    )
