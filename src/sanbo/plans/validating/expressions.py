"""What an expression gives, as far as it can be known before the plan runs."""

from collections.abc import Callable

from sanbo.blocks.spec import Schema
from sanbo.plans.references import Computed, Reference, reference_of
from sanbo.plans.validating.schemas import ANY, TEXT, kind_of, kinds_of, one_of, without_null
from sanbo.tables.expressions.functions import FUNCTIONS
from sanbo.tables.expressions.operations import finished
from sanbo.tables.expressions.syntax import (
    Call,
    Choice,
    Fields,
    Given,
    Items,
    Literal,
    Macro,
    Negative,
    Not,
    Operation,
    Template,
    Tree,
)

OfReference = Callable[[Reference], Schema]
_NUMBER: Schema = {"type": "number"}
_TRUTH: Schema = {"type": "boolean"}
_LIST: Schema = {"type": "array"}


def schema_of_computed(computed: Computed, of_reference: OfReference) -> Schema:
    return _schema(computed.expression.tree, of_reference)


def _schema(tree: Tree, of_reference: OfReference) -> Schema:  # noqa: PLR0911 - one for each kind
    match tree:
        case Literal(value):
            return {"type": kind_of(finished(value))}
        case Template():
            return TEXT
        case Given(root=root, text=text) if root:
            return of_reference(reference_of(text))
        case Call(name=name):
            gives = FUNCTIONS[name].gives
            return ANY if gives == "any" else {"type": gives}
        case Negative():
            return _NUMBER
        case Not() | Macro(kind="all" | "exists" | "exists_one"):
            return _TRUTH
        case Items() | Macro():
            return _LIST
        case Fields():
            return {"type": "object"}
        case Choice(_, yes, no):
            return one_of([_schema(each, of_reference) for each in (yes, no)])
        case Operation():
            return _operation(tree, of_reference)
        case _:
            return ANY


def _operation(tree: Operation, of_reference: OfReference) -> Schema:
    if tree.operator in ("-", "*", "/", "%"):
        return _NUMBER
    if tree.operator != "+":
        return _TRUTH
    for side in (tree.left, tree.right):  # a sum is of one kind
        kinds = kinds_of(without_null(_schema(side, of_reference)))
        if kinds <= {"number", "integer"}:
            return _NUMBER
        if kinds == frozenset({"string"}):
            return TEXT
        if kinds == frozenset({"array"}):
            return _LIST
    return ANY
