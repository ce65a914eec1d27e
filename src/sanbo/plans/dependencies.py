"""Which node needs which: by what it reads, by `when`, by `after`, and by what its body reads.

Whoever needs something of a node that was skipped, and has nothing instead, is skipped with it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from pydantic import JsonValue

from sanbo.blocks.spec import BlockSpec
from sanbo.plans.model import (
    BlockNode,
    Call,
    Comparison,
    Condition,
    Graph,
    LoopNode,
    Node,
    SubflowNode,
)
from sanbo.plans.references import (
    BadReference,
    Reference,
    parse,
    read_by,
    reference_of,
    references_in,
    whole_part,
)


def required_values(
    node: Node, spec: BlockSpec | None, called: Mapping[str, JsonValue]
) -> tuple[JsonValue, ...]:
    """What a node can't do without, as written; `called`: the variables of the plan it calls."""
    match node:
        case BlockNode():
            ports = spec.inputs.items() if spec else ()
            needed = [name for name, port in ports if port.required and not port.has_default]
            either = [
                [node.in_[name] for name in group if node.in_.get(name) is not None]
                for group in (spec.one_of if spec else ())
            ]
            return (*(node.in_.get(name) for name in needed), *either)
        case LoopNode():
            return (node.foreach.input,) if node.foreach else ()
        case SubflowNode():  # what the called plan leaves to its caller
            given = node.call.inputs.items()
            return tuple(value for name, value in given if called.get(name) is None)


def lost_among(values: Iterable[JsonValue], is_skipped: Callable[[str], bool]) -> str:
    """The first reference that stands for nothing, or none."""
    return next((lost for each in values if (lost := _lost(each, is_skipped))), "")


def _lost(value: JsonValue, is_skipped: Callable[[str], bool]) -> str:
    """Of a list one entry is enough: of two branches, the other may have been taken."""
    match value:
        case str():
            whole = whole_part(value)
            reads = read_by(whole) if whole is not None else ()
            return value if reads and all(is_skipped(each.root) for each in reads) else ""
        case dict():
            return lost_among(value.values(), is_skipped)
        case list() if value:
            lost = [_lost(each, is_skipped) for each in value]
            return lost[0] if all(lost) else ""
        case _:
            return ""


def dependencies(graph: Graph) -> dict[str, frozenset[str]]:
    """By node id; only ids of this graph. What can't be read is for the validator to tell."""
    ids = frozenset(node.id for node in graph.graph)
    before_last = frozenset(node.id for node in graph.graph if not node.always)
    needs: dict[str, frozenset[str]] = {}
    for node in graph.graph:
        named = frozenset((*(each.root for each in references_of(node)), *node.after))
        needs[node.id] = ((named & ids) | (before_last if node.always else named)) & (
            ids - {node.id}
        )
    return needs


def find_cycle(needs: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Node ids in a circle, the first one again at the end; nothing where there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return tuple(reversed(error.args[1]))
    return ()


def references_of(node: Node) -> Iterator[Reference]:
    """The references that this node, with all inside it, makes to the outside."""
    if node.when is not None:
        yield from references_of_condition(node.when)
    match node:
        case BlockNode():
            yield from _references(dict(node.in_))
        case SubflowNode():
            yield from _references(dict(node.call.inputs))
        case LoopNode():
            yield from _references_of_loop(node)


def _references_of_loop(loop: LoopNode) -> Iterator[Reference]:
    if loop.foreach is not None:
        yield from _references(loop.foreach.input)
    inside = names_inside(loop)
    found: list[Reference] = []
    if loop.while_ is not None:
        condition = loop.while_.condition
        found.extend(references_of_condition(condition) if condition else ())
    if loop.body.call is not None:
        found.extend(_references(dict(loop.body.call.inputs)))
    if loop.body.plan is not None:
        found.extend(_references_of_graph(loop.body.plan))
    yield from (each for each in found if each.root not in inside)


def _references_of_graph(graph: Graph) -> Iterator[Reference]:
    yield from _references(dict(graph.vars))
    for node in graph.graph:
        yield from references_of(node)
    for export in graph.exports:
        try:
            yield reference_of(export.from_)
        except BadReference:
            continue


def names_inside(loop: LoopNode) -> frozenset[str]:
    """What a loop's body can name that is not there outside: its own nodes and variables."""
    names = {node.id for node in loop.body.plan.graph} if loop.body.plan else set[str]()
    for each in (loop.foreach, loop.while_):
        if each is not None and each.index_var is not None:
            names.add(each.index_var)
    if loop.foreach is not None:
        names.add(loop.foreach.item_var)
    return frozenset(names)


def aliases_of(node: Node, exports_of_called: Iterable[str]) -> tuple[str, ...]:
    """The names that a node gives to what comes out of it."""
    match node:
        case BlockNode():
            return tuple(node.out.values())
        case LoopNode():
            return node.out.collect
        case SubflowNode():
            renamed = tuple(each.as_ for each in node.out.exports)
            return renamed or tuple(exports_of_called)


def references_of_condition(condition: Condition) -> Iterator[Reference]:
    if isinstance(condition, Comparison):
        yield from (found for found, _ in references_in([condition.left, condition.right]))
        return
    try:
        yield from (found for part in parse(condition.expr) for found in read_by(part))
    except BadReference:
        return


def calls_in(graph: Graph) -> Iterator[Call]:
    """Every call of another plan, also inside loops."""
    for node in graph.graph:
        match node:
            case SubflowNode():
                yield node.call
            case LoopNode():
                if node.body.call is not None:
                    yield node.body.call
                if node.body.plan is not None:
                    yield from calls_in(node.body.plan)
            case BlockNode():
                pass


def _references(value: JsonValue) -> Iterator[Reference]:
    return (found for found, _ in references_in(value))
