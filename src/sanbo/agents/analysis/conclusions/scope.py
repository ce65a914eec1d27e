"""Which rows a result speaks of, in words: 新宿店の, （売上が1,000,000以上）."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sanbo.agents.analysis.conclusions.reading import RATIO, is_period, period, short, with_unit
from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    Condition,
    Contains,
    Filter,
    Outlying,
)
from sanbo.agents.analysis.spec.words import Scalar
from sanbo.kernel.messages import tell
from sanbo.kernel.text import matching_form
from sanbo.language.cells import parse_boolean

MOST_CONDITIONS = 4


@dataclass(frozen=True)
class Scope:
    of: str = ""
    """新宿店の: before what is spoken of."""
    where: str = ""
    """（…に限ります）: after it."""

    def about(self, what: str) -> str:
        return tell("analysis_conclusion.of", whose=self.of, what=what) if self.of else what


def scope_of(
    result: ResultView, earlier: Mapping[str, ResultView], units: Mapping[str, str]
) -> Scope:
    """All conditions, those of the results it was made from too."""
    filters: list[Filter] = []
    seen: set[str] = set()
    current: ResultView | None = result
    while current is not None and current.result_id not in seen:
        seen.add(current.result_id)
        filters = [*current.spec.filters, *filters]
        current = earlier.get(current.spec.input)
    names = [_short_name(one) for one in filters]
    if filters and len(filters) <= 2 and all(names):
        return Scope(of=tell("analysis_conclusion.key_separator").join(filter(None, names)))
    return Scope(where=_where(filters, units))


def _short_name(condition: Filter) -> str | None:
    """A value that speaks for itself, such as 新宿店."""
    values = condition.value if isinstance(condition, Among) else ()
    if isinstance(condition, Compare) and condition.op == "==":
        values = (condition.value,)
    if any(isinstance(one, str) and parse_boolean(one) is not None for one in values):
        return None  # はいの売上 says nothing
    if isinstance(condition, Compare) and condition.op == "==" and isinstance(condition.value, str):
        return period(condition.value)
    if isinstance(condition, Among) and all(isinstance(one, str) for one in condition.value):
        names = [short(str(one)) for one in condition.value]
        return tell("analysis_conclusion.and").join(names) if len(names) <= 3 else None
    return None


def _where(filters: Sequence[Filter], units: Mapping[str, str]) -> str:
    said = [_said(one, units) for one in filters[:MOST_CONDITIONS]]
    if not said:
        return ""
    if len(filters) > MOST_CONDITIONS:
        said.append("…")
    return tell(
        "analysis_conclusion.where", conditions=tell("analysis_conclusion.comma").join(said)
    )


def _said(condition: Filter, units: Mapping[str, str]) -> str:
    if isinstance(condition, AnyOf):
        parts = [_one(part, units) for part in condition.any_of[:MOST_CONDITIONS]]
        return tell("analysis_conclusion.or").join(parts)
    return _one(condition, units)


def _one(condition: Condition, units: Mapping[str, str]) -> str:
    column, unit = short(condition.col), units.get(condition.col, "")
    match condition:
        case Compare():
            operator = _OPERATORS[condition.op]
            if is_period(condition.value) and operator in _IN_TIME:
                operator += "_time"
            value = _value(condition.value, unit)
            return tell(f"analysis_conclusion.condition.{operator}", column=column, value=value)
        case Among():
            values = [_value(value, unit) for value in condition.value[:5]]
            if len(condition.value) > 5:
                values.append("…")
            value = tell("analysis_conclusion.comma").join(values)
            return tell("analysis_conclusion.condition.among", column=column, value=value)
        case Contains():
            value = short(condition.value)
            return tell("analysis_conclusion.condition.contains", column=column, value=value)
        case Outlying():
            return tell(f"analysis_conclusion.condition.{condition.op}", column=column)
        case _:
            return tell(f"analysis_conclusion.condition.{condition.op}", column=column)


_OPERATORS = {
    "==": "equal",
    "!=": "other",
    ">": "above",
    ">=": "at_least",
    "<": "below",
    "<=": "at_most",
}


_IN_TIME = frozenset({"above", "at_least", "below", "at_most"})


def _value(value: Scalar, unit: str) -> str:
    if matching_form(str(value)) in ("true", "false"):  # also as a model writes it
        is_yes = matching_form(str(value)) == "true"
        return tell(f"analysis_conclusion.answer.{'yes' if is_yes else 'no'}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return period(str(value))
    if unit == RATIO:
        return f"{value * 100:.10g}%"
    return with_unit(f"{value:,}", unit)
