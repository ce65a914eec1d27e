"""References: whether what they name is there, and who reads what."""

from collections.abc import Iterator

from pydantic import JsonValue

from sanbo.kernel.nearest import nearest
from sanbo.plans.model import Graph, LoopNode
from sanbo.plans.references import BadExpression, Key, Reference, references_in
from sanbo.plans.validating.plan_texts import suggestion
from sanbo.plans.validating.schemas import Missing, Reached
from sanbo.plans.validating.scope import Found, Scope, Unknown
from sanbo.plans.validating.site import Site
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
