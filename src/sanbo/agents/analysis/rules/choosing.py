"""What a reading asks for, where one word alone does not say it."""

from sanbo.agents.analysis.rules.drafts import Draft
from sanbo.agents.analysis.rules.measures import names_rows
from sanbo.agents.analysis.rules.reading import Reading
from sanbo.agents.analysis.spec.filters import Compare


def is_aggregated(reading: Reading) -> bool:
    return bool(reading.axes and any(one.aggregate for one in reading.measures)) or bool(
        reading.unit
    )


def is_ratio(reading: Reading) -> bool:
    return bool(reading.formula and reading.formula.fn == "divide")


def is_share(draft: Draft) -> bool:
    reading = draft.reading
    if "pareto" in reading.asks:
        return True
    if "share" not in reading.asks or (reading.formula and reading.formula.fn == "divide"):
        return False
    # 不良率は？ names a column; its share is not asked for.
    named_rate = any(
        one.column and draft.columns.roles.get(one.column) == "level" for one in reading.measures
    )
    bounds = any(
        isinstance(one, Compare) and draft.columns.is_numeric(one.col) for one in reading.filters
    )
    return not named_rate or bool(reading.values) or bounds


def is_frequency(draft: Draft) -> bool:
    """How many by weight: the only thing named is a number with many values."""
    reading = draft.reading
    if any(axis.width is not None for axis in reading.axes):
        return False
    if (
        "count" not in reading.asks
        or reading.unit
        or reading.aggregates
        or reading.filters
        or reading.chart in ("line", "pie")
    ):
        return False
    named = [axis.column for axis in reading.axes] + [
        one.column for one in reading.measures if one.column
    ]
    if len(set(named)) != 1 or any(one.aggregate for one in reading.measures):
        return False
    others = [
        name
        for name in reading.columns_seen
        if name != named[0]
        and not draft.columns.is_unique(name)
        and draft.columns.roles.get(name) != "id"
    ]
    return (
        draft.columns.is_measure(named[0])
        and draft.columns.is_numeric(named[0])
        and not draft.columns.is_few(named[0])
        and not others
    )


def _ranks_groups(draft: Draft) -> bool:
    """List the top 5 products by quantity: products come back in many rows."""
    reading = draft.reading
    return bool(reading.top and reading.measures) and any(
        draft.columns.roles.get(name) in ("category", "id") and not draft.columns.is_row_name(name)
        for name in reading.columns_seen
    )


def is_rows(draft: Draft) -> bool:  # noqa: PLR0911 - one sign after the other
    """Single rows are wanted: a list, or the first ones by a column where nothing is grouped."""
    reading = draft.reading
    if (
        reading.axes
        or reading.unit
        or reading.aggregates
        or any(one.aggregate not in (None, "max", "min") for one in reading.measures)
    ):
        return _is_of_unique(draft)
    if "count" in reading.asks or "trend" in reading.asks:
        return False
    if "rows" in reading.asks and not reading.wants_chart and not _ranks_groups(draft):
        return True
    is_selection = (
        reading.filters
        and not reading.measures
        and not reading.values[1:]
        and "share" not in reading.asks
    )
    if is_selection and not reading.wants_chart and names_rows(draft):
        return True
    if "only_missing" in reading.asks or (reading.contrast and not reading.measures):
        return True
    if (reading.top or reading.extreme or reading.order) and not reading.chart:
        seen = [
            name
            for name in reading.columns_seen
            if draft.columns.roles.get(name) in ("category", "cycle", "year")
            or (draft.columns.roles.get(name) == "id" and not draft.columns.is_unique(name))
        ]
        if not seen:
            return bool(reading.measures or reading.date_column) or not draft.columns.dimensions
        return draft.columns.is_row_name(seen[0])
    return False


def _is_of_unique(draft: Draft) -> bool:
    """Which employee earns most: each has a row of their own."""
    reading = draft.reading
    if (
        not (reading.top or reading.extreme or reading.order)
        or reading.unit
        or len(reading.axes) != 1
    ):
        return False
    if (
        any(one.aggregate in ("mean", "sum", "median") for one in reading.measures)
        or reading.aggregates
    ):
        return False
    return draft.columns.is_row_name(reading.axes[0].column) and bool(reading.measures)
