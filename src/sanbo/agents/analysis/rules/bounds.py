"""What rows are held against: operators, a condition on a column, a stretch of values."""

from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.spec.filters import AnyOf, Compare, Condition, Filter
from sanbo.agents.analysis.spec.words import TimeUnit

OPS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "equals": "=="}
OPPOSITE = {"==": "!=", ">=": "<", ">": "<=", "<=": ">", "<": ">=", "!=": "=="}
UNITS: tuple[TimeUnit, ...] = ("month", "year", "fiscal_year", "quarter", "week", "day")
PERIODS = tuple(f"unit.{unit}" for unit in UNITS)


def compare(column: str, op: str, value: object) -> Compare:
    return Compare.model_validate({"col": column, "op": op, "value": value})


def either(conditions: list[Condition]) -> Filter:
    return conditions[0] if len(conditions) == 1 else AnyOf(any_of=tuple(conditions))


def stretch(
    items: Items, role: str, span: tuple[int, int], column: str, ends: tuple[object, object]
) -> None:
    """From one end to the other; what lies outside, where it is said to be left out."""
    first, last = span
    negation, after = items.exclusion(first, last), items.after(last)
    items.use(role, negation, *range(first, last + 1))
    is_below = after is not None and items.is_word(after, "lt") and items.all[after].is_japanese
    items.use(role, after if is_below else None)
    upper = "<" if is_below or items.text(last) == "代" else "<="
    for at in (items.before(first), after):
        if items.is_word(at, "ge", "le", "between"):
            items.use(role, at)
    ops = (">=", upper) if negation is None else ("<", OPPOSITE[upper])
    made = [compare(column, op, end) for op, end in zip(ops, ends, strict=True)]
    items.condition(first, *(made if negation is None else [either([*made])]))
