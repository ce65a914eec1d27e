"""What is computed: the columns that a question names, or the only one it can mean."""

import re

from sanbo.agents.analysis.rules.axes import listed, short
from sanbo.agents.analysis.rules.drafts import Draft, NotClear
from sanbo.agents.analysis.rules.reading import Measure
from sanbo.agents.analysis.spec.words import NUMERIC_AGGREGATES
from sanbo.kernel.messages import tell

_ROWS = Measure(None)
_PLAIN_COUNT = re.compile(r"件数|何件|行数|レコード|データ数|rows|records|(?<![a-z])counts?(?![a-z])")


def measures(draft: Draft, *, may_count: bool = True) -> tuple[Measure, ...]:
    """At least one; `Measure(None)` counts rows. Asks where several columns could be meant."""
    reading = draft.reading
    if draft.made and reading.formula and reading.formula.fn != "divide":
        name = next(name for name, role in draft.made.items() if role == "amount")
        return tuple(Measure(name, aggregate) for aggregate in reading.aggregates or ("sum",))
    if "count" in reading.asks and may_count and not _is_computed(draft):
        return (counted(draft),)
    if reading.measures:
        return reading.measures
    if "distinct" in reading.asks and (things := _things(draft)):
        return (Measure(things[0], "nunique"),)
    return assumed(draft, may_count=may_count)


def _is_computed(draft: Draft) -> bool:
    """売上の合計と件数 names a number beside the count; 売上100以上の件数 does not."""
    named = [one for one in draft.reading.measures if one.aggregate not in (None, "count")]
    return bool(named)


def counted(draft: Draft) -> Measure:
    """Rows, or how many different things where the thing comes back in several rows."""
    if "distinct" in draft.reading.asks and (things := _things(draft)):
        return Measure(things[0], "nunique")
    for column in _things(draft):
        profile = draft.columns[column]
        if _PLAIN_COUNT.search(draft.reading.text.lower()) and draft.columns.roles[column] != "id":
            continue
        if draft.columns.is_unique(column):
            return _ROWS
        if any(axis.column == column for axis in draft.reading.axes):
            continue
        draft.assume(tell("analysis_rules.assumed.distinct", column=short(profile.name)))
        return Measure(column, "nunique")
    return _ROWS


def _things(draft: Draft) -> tuple[str, ...]:
    """Named columns of words or ids that nothing else is said of."""
    reading, columns = draft.reading, draft.columns
    taken = {axis.column for axis in reading.axes} | {reading.color, reading.facet, reading.per}
    taken |= {column for column, _ in reading.values}
    return tuple(
        column for column in reading.columns_seen if column not in taken and columns.roles.get(column) in ("category", "id")
    )


def assumed(draft: Draft, *, may_count: bool = True) -> tuple[Measure, ...]:
    """No column is named: the only one there is, or a question."""
    reading, columns = draft.reading, draft.columns
    aggregates = reading.aggregates or (None,)
    filtered = [
        one.col for one in reading.filters if hasattr(one, "col") and one.col in columns and columns.is_measure(one.col)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    ]
    candidates = columns.amounts or columns.measures
    if reading.aggregates and not set(reading.aggregates) & NUMERIC_AGGREGATES and not candidates:
        return (_ROWS,)
    if filtered and reading.aggregates:
        candidates = tuple(dict.fromkeys(filtered))
    if reading.unknown_words and not filtered:
        _ask_for(draft, candidates, reading.unknown_words[0])
    if len(candidates) == 1:
        draft.assume(tell("analysis_rules.assumed.only_measure", column=short(candidates[0])))
        return tuple(Measure(candidates[0], aggregate) for aggregate in aggregates)
    if not candidates and may_count:
        return (_ROWS,)
    _ask_for(draft, candidates or tuple(columns.measures), "")
    raise AssertionError


def _ask_for(draft: Draft, candidates: tuple[str, ...], word: str) -> None:
    choices = (*candidates[:6], tell("analysis_rules.row_count"))
    options = listed(choices)
    if word:
        raise NotClear(tell("analysis_rules.ask.unknown", word=short(word), columns=options), choices)
    raise NotClear(tell("analysis_rules.ask.measure", columns=options), choices)
