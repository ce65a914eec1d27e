"""What the person wants now: answers complete a question, follow-ups change it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sanbo.agents.analysis.decision import OutOfScope
from sanbo.agents.analysis.rules.drafts import Plan, Unclear
from sanbo.agents.analysis.rules.interpreting import interpret, read
from sanbo.agents.analysis.rules.plans import plan
from sanbo.agents.analysis.rules.reading import Ask, Axis, Measure, Reading
from sanbo.agents.analysis.rules.refusals import scope_of
from sanbo.agents.analysis.rules.scene import Table, scene
from sanbo.agents.analysis.spec.filters import AnyOf, Filter
from sanbo.agents.analysis.spec.words import TimeUnit

MOST_TURNS = 12
"""Of the person, that are read again; older ones no longer matter."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The end of the conversation so far."""

    reading: Reading | None = None
    outcome: Plan | Unclear | None = None
    scope: OutOfScope | None = None


def wanted(questions: Sequence[str], table: Table) -> Wanted:
    """Each turn is read in the light of the one before."""
    state = Wanted()
    for question in questions[-MOST_TURNS:]:
        state = _next(state, question, table)
    return state


def _next(before: Wanted, question: str, table: Table) -> Wanted:
    marked = scene(question, table)
    if scope := scope_of(marked):
        return Wanted(before.reading, None, scope)
    alone = interpret(marked, question, table)
    if alone.unread_selection:  # to be asked anew: nothing may be built on the half of it
        return Wanted(before.reading, plan(alone, table))
    if isinstance(before.outcome, Unclear) and before.reading is not None:
        answered = _answer(before.reading, before.outcome, question, alone, table)
        outcome = plan(answered, table)
        if not _is_complete(alone) and (isinstance(outcome, Plan) or not _is_whole(alone)):
            return Wanted(answered, outcome)
    elif before.reading is not None and before.outcome is not None and _is_follow_up(alone):
        changed = _changed(before.reading, alone)
        outcome = plan(changed, table)
        if isinstance(outcome, Plan) or not _is_whole(alone):
            return Wanted(changed, outcome)
    return Wanted(alone, plan(alone, table))


_NUMBERED = re.compile(
    r"\s*+(?:[(（]\s*+)?([1-9１-９])\s*+(?:[)）.．、]\s*+)?(?:番目?|つ目|つめ|です|で|"
    r"でお願いします)?[。.!]?\s*+"
)


def _answer(
    before: Reading, asked: Unclear, question: str, alone: Reading, table: Table
) -> Reading:
    """Both texts read as one; a number picks from what was offered."""
    picked = _NUMBERED.fullmatch(question)
    if picked and asked.choices and int(picked[1]) <= len(asked.choices):
        question = asked.choices[int(picked[1]) - 1]
    together = read(f"{before.text}\n{question}", table)
    resolved = alone if not picked else read(question, table)
    if resolved.columns_seen or resolved.asks or resolved.values:
        together = replace(
            together, unknown_words=(), unknown_groups=(), unknown_values=resolved.unknown_values
        )
    if together.doubts and resolved.columns_seen and not resolved.doubts:
        together = replace(together, doubts=())
    return together


def _is_whole(reading: Reading) -> bool:
    """Whether it could be a question of its own."""
    return bool(
        (reading.measures or "count" in reading.asks or reading.formula)
        and (reading.axes or reading.unit or reading.aggregates or reading.chart)
    ) or bool(
        reading.asks
        & {
            "missing",
            "duplicates",
            "overview",
            "summary",
            "outliers",
            "correlation",
            "pareto",
            "test",
        }
    )


def _is_complete(reading: Reading) -> bool:
    """Whether it names both what is computed and by what: then it answers nothing before it."""
    return bool((reading.measures or reading.formula) and (reading.axes or reading.unit))


_TOPICS: frozenset[Ask] = frozenset(
    {
        "missing",
        "duplicates",
        "distinct",
        "summary",
        "overview",
        "distribution",
        "outliers",
        "correlation",
        "share",
        "pareto",
        "pivot",
        "cumulative",
        "test",
        "trend",
        "growth",
        "count",
        "difference",
        "rows",
    }
)


def _is_follow_up(reading: Reading) -> bool:
    """A fragment: it has no subject of its own, or points back to what was said."""
    if reading.is_empty:
        return "follow_up" in reading.asks
    has_subject = bool(
        reading.measures
        or reading.formula
        or reading.period_mean
        or {"count", "distinct"} & reading.asks
    )
    has_groups = bool(reading.axes or reading.unit)
    own = reading.asks & {
        "missing",
        "duplicates",
        "overview",
        "summary",
        "outliers",
        "correlation",
        "test",
        "rows",
    }
    if own:
        return False
    if not has_subject:
        return True
    if has_subject and not has_groups:
        return "follow_up" in reading.asks and len(reading.text) <= 24 and not reading.aggregates
    return False


def _changed(before: Reading, new: Reading) -> Reading:
    adds = "additive" in new.asks
    topics = new.asks & _TOPICS
    asks = before.asks
    if topics:
        kept = asks if adds else asks - (_TOPICS - {"count", "distinct"})
        asks = kept | topics
    asks |= new.asks & {
        "normalized",
        "without_missing",
        "without_outliers",
        "without_duplicates",
        "compare",
        "versus",
    }
    same_measures = (
        before.measures
        if not new.measures
        else (*before.measures, *new.measures)
        if adds
        else new.measures
    )
    if new.measures and not adds:
        asks -= {"count", "distinct"}
    if new.aggregates and not new.measures:
        same_measures = tuple(
            replace(one, aggregate=new.aggregates[0])
            for one in dict.fromkeys(replace(one, aggregate=None) for one in before.measures)
        )
    if adds and "count" in new.asks and before.measures and before.measures[0].column:
        same_measures = (*same_measures, Measure(before.measures[0].column, "count"))
        asks -= {"count"}
    axes, unit = _grouped(before, new, adds=adds)
    return replace(
        before,
        text=f"{before.text} {new.text}",
        asks=asks,
        measures=same_measures,
        aggregates=new.aggregates or before.aggregates,
        axes=axes,
        unit=unit,
        filters=_joined(before.filters, new.filters),
        weekdays=new.weekdays or before.weekdays,
        values=(
            *(one for one in before.values if one[0] not in {column for column, _ in new.values}),
            *new.values,
        ),
        chart=new.chart or before.chart if not topics or new.chart or adds else None,
        wants_chart=new.wants_chart or before.wants_chart,
        wants_table_only=new.wants_table_only,
        color=new.color or (before.color if not new.axes else None),
        facet=new.facet or (before.facet if not new.axes else None),
        is_horizontal=before.is_horizontal if new.is_horizontal is None else new.is_horizontal,
        bins=new.bins or before.bins,
        order=new.order or before.order,
        top=new.top or (before.top if not new.axes else None),
        extreme=new.extreme or (None if new.top or new.order else before.extreme),
        growth=new.growth or before.growth,
        period_mean=new.period_mean or (before.period_mean if not new.growth else None),
        per=new.per or before.per,
        formula=new.formula or before.formula,
        having=new.having or before.having,
        duration=new.duration or before.duration,
        test=new.test or before.test,
        method=new.method or before.method,
        doubts=new.doubts,
        unknown_values=new.unknown_values,
        unknown_groups=new.unknown_groups,
        unknown_words=(),
        assumptions=tuple(dict.fromkeys((*before.assumptions, *new.assumptions))),
        columns_seen=_seen(before, new, adds=adds),
        date_column=new.date_column or before.date_column,
    )


def _grouped(
    before: Reading, new: Reading, *, adds: bool
) -> tuple[tuple[Axis, ...], TimeUnit | None]:
    if adds:
        return tuple(dict.fromkeys((*before.axes, *new.axes))), new.unit or before.unit
    if new.axes or new.unit:
        return new.axes, new.unit
    return before.axes, before.unit


def _seen(before: Reading, new: Reading, *, adds: bool) -> tuple[str, ...]:
    """Columns that the earlier question only named go when another grouping comes."""
    if (new.axes or new.unit or new.measures) and not adds:
        replaced = {axis.column for axis in before.axes}
        measures = {one.column for one in before.measures} if new.measures else set[str | None]()
        kept = tuple(
            name for name in before.columns_seen if name not in replaced and name not in measures
        )
        return tuple(dict.fromkeys((*kept, *new.columns_seen)))
    return tuple(dict.fromkeys((*before.columns_seen, *new.columns_seen)))


def _joined(before: Sequence[Filter], new: Sequence[Filter]) -> tuple[Filter, ...]:
    """A new condition on a column takes the place of the old ones."""
    columns = {one.col for one in new if not isinstance(one, AnyOf)}
    kept = [one for one in before if isinstance(one, AnyOf) or one.col not in columns]
    return (*kept, *new)
