"""Who is skipped with a node that was: whoever needs something of it and has nothing instead."""

from collections.abc import Callable, Iterable, Mapping

from pydantic import JsonValue

from sanbo.blocks.spec import BlockSpec
from sanbo.plans.model import BlockNode, LoopNode, Node, SubflowNode
from sanbo.plans.references import read_by, whole_part


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
