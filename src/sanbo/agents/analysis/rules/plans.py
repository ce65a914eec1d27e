"""From a reading to a plan: which of the plans there are answers the question."""

from dataclasses import replace

from sanbo.agents.analysis.rules import grouping, looking, sharing, statistics, timing
from sanbo.agents.analysis.rules.choosing import (
    is_aggregated,
    is_frequency,
    is_ratio,
    is_rows,
    is_share,
)
from sanbo.agents.analysis.rules.drafts import Draft, NotClear, Plan, Unclear
from sanbo.agents.analysis.rules.measures import dated, listed, short
from sanbo.agents.analysis.rules.reading import Axis, Measure, Reading
from sanbo.agents.analysis.rules.scene import Table
from sanbo.kernel.messages import tell


def plan(reading: Reading, table: Table) -> Plan | Unclear:
    try:
        _refuse_guesses(reading, table)
        draft = Draft(reading, table)
        draft.prepare()
        if draft.reading.weekdays:
            date_column = draft.reading.date_column or next(iter(table.columns.times), None)
            if date_column is None:
                raise NotClear(
                    tell("analysis_rules.ask.no_date", columns=listed(tuple(table.columns.roles)))
                )
            _of_weekdays(draft, date_column)
        if contrast := draft.reading.contrast:
            condition = draft.only_contrasted(contrast)
            rest = tuple(
                one
                for one in draft.reading.measures
                if one.column not in (contrast.left, contrast.right)
            )
            seen = tuple(
                name
                for name in draft.reading.columns_seen
                if name not in (contrast.left, contrast.right)
            )
            draft.reading = replace(
                draft.reading,
                filters=(*draft.reading.filters, *condition),
                measures=rest,
                columns_seen=seen,
                asks=draft.reading.asks - {"compare", "versus"},
            )
        _build(draft)
    except NotClear as not_clear:
        return not_clear.unclear
    return draft.done()


def _of_weekdays(draft: Draft, date_column: str) -> None:
    """土日だけ leaves rows out; 土日と平日 compares the two."""
    reading = draft.reading
    if set(reading.weekdays) >= {1, 2, 3, 4, 5, 6, 7}:
        axis = Axis(draft.weekends(date_column))
        draft.reading = replace(reading, axes=(*reading.axes, axis))
        return
    condition = draft.only_weekdays(date_column)
    draft.reading = replace(reading, filters=(*reading.filters, *condition))


def _refuse_guesses(reading: Reading, table: Table) -> None:
    """What can't be told is asked, never guessed."""
    if reading.is_empty:
        raise NotClear(
            tell("analysis_rules.ask.not_understood", columns=listed(tuple(table.columns.roles)))
        )
    if reading.unread_selection:
        word = short(reading.unread_selection[0])
        raise NotClear(tell("analysis_rules.ask.selection", word=word, values=_some_values(table)))
    if "from_mean" in reading.asks:
        raise NotClear(tell("analysis_rules.ask.from_mean"))
    if "top_percent" in reading.asks and "pareto" not in reading.asks:
        raise NotClear(tell("analysis_rules.ask.top_percent"))
    for doubt in reading.doubts:
        raise NotClear(
            tell(
                "analysis_rules.ask.which_column",
                words=short(doubt.words),
                columns=listed(doubt.columns),
            ),
            doubt.columns,
        )
    if reading.unknown_values:
        word = reading.unknown_values[0]
        raise NotClear(
            tell("analysis_rules.ask.unknown_value", word=short(word), values=_some_values(table))
        )
    if reading.unknown_groups:
        names = table.columns.dimensions
        raise NotClear(
            tell(
                "analysis_rules.ask.unknown",
                word=short(reading.unknown_groups[0]),
                columns=listed(names),
            ),
            names[:6],
        )
    _refuse_unknown(reading, table)


def _refuse_unknown(reading: Reading, table: Table) -> None:
    """A noun that the table does not have would change the answer, were it left out."""
    if reading.unknown_words:
        names = tuple(table.columns.roles)
        raise NotClear(
            tell(
                "analysis_rules.ask.unknown",
                word=short(reading.unknown_words[0]),
                columns=listed(names),
            ),
            names[:6],
        )


def _some_values(table: Table) -> str:
    lines = [
        tell(
            "analysis_rules.values_of",
            column=short(name),
            values=listed(table.columns[name].values, 6),
        )
        for name in table.columns.dimensions[:3]
    ]
    return tell("analysis_rules.semicolon").join(lines)


def _build(draft: Draft) -> None:  # noqa: PLR0912 - a table of what is asked, in order of precedence
    reading = draft.reading
    asks, chart = reading.asks, reading.chart
    numbers = [one for one in reading.measures if one.column]
    if "missing" in asks and not reading.aggregates:
        looking.missing(draft)
    elif "duplicates" in asks:
        looking.duplicates(draft)
    elif "outliers" in asks:
        looking.outliers(draft)
    elif "test" in asks and not is_ratio(reading):
        statistics.test(draft)
    elif chart == "box":
        statistics.boxes(draft)
    elif (
        chart == "scatter"
        or (
            "versus" in asks
            and len(numbers) > 1
            and not is_aggregated(reading)
            and not is_ratio(reading)
        )
        or ("correlation" in asks and not reading.period_mean and "trend" not in asks)
    ):
        statistics.correlation(draft)
    elif reading.period_mean and not reading.growth:
        grouping.period_mean(draft)
    elif reading.growth or ("growth" in asks and not ("trend" in asks and not numbers)):
        timing.growth(draft)
    elif "pivot" in asks or chart == "heatmap":
        grouping.pivot(draft)
    elif "cumulative" in asks and "pareto" not in asks and chart not in ("bar", "stacked"):
        timing.running(draft)
    elif is_share(draft):
        sharing.share(draft)
    elif reading.per and (numbers or reading.aggregates or "count" in asks):
        grouping.mean_per(draft)
    elif "summary" in asks and not reading.axes and not reading.unit and not reading.aggregates:
        if "overview" in asks and not reading.columns_seen:
            looking.overview(draft)
        else:
            looking.summary(draft)
    elif (
        is_frequency(draft)
        or chart == "hist"
        or ("distribution" in asks and not reading.aggregates and not reading.unit)
    ):
        _distribution(draft)
    elif is_rows(draft):
        looking.rows(draft)
    elif "overview" in asks and not numbers and not reading.axes and not reading.unit:
        looking.overview(draft)
    else:
        _aggregate(draft)


def _distribution(draft: Draft) -> None:
    """A histogram of a number that has an aggregate, or of words, is a bar chart."""
    reading = draft.reading
    if any(one.aggregate for one in reading.measures) and reading.axes:
        draft.reading = replace(reading, chart="bar")
        grouping.aggregate(draft)
        return
    classed = next((axis for axis in reading.axes if axis.width), None)
    if classed and draft.columns.is_numeric(classed.column):
        low, high = draft.columns[classed.column].minimum, draft.columns[classed.column].maximum
        bins = None
        if isinstance(low, int | float) and isinstance(high, int | float) and classed.width:
            bins = max(1, min(500, round((high - low) / classed.width)))
        measure = Measure(classed.column)
        others = tuple(axis for axis in reading.axes if axis != classed)
        draft.reading = replace(
            reading, axes=others, measures=(measure,), bins=bins, chart="hist", wants_chart=True
        )
    statistics.distribution(draft)


def _aggregate(draft: Draft) -> None:
    """Words that nothing is said of are the groups, when something is computed or drawn."""
    reading = draft.reading
    columns = draft.columns
    taken = {axis.column for axis in reading.axes} | {reading.color, reading.facet, reading.per}
    seen = [
        name
        for name in reading.columns_seen
        if name not in taken
        and columns.roles.get(name) in ("category", "cycle", "year", "id")
        and name not in {column for column, _ in reading.values}
    ]
    wants_groups = (
        reading.extreme
        or reading.order
        or reading.top
        or "compare" in reading.asks
        or "versus" in reading.asks
    )
    is_thing = {"count", "distinct"} & reading.asks
    extra: list[str] = []
    if seen and not reading.axes and is_thing and len(seen) == 1 and not wants_groups:
        extra = [] if _counts_things(draft, seen[0]) else seen
    elif seen and is_thing and (reading.axes or dated(draft)):
        extra = []
    elif seen:
        ranks = reading.extreme or reading.order or reading.top
        alone = (
            not reading.axes
            and len(seen) == 1
            and (ranks or not (reading.measures or reading.aggregates))
        )
        extra = [
            name
            for name in seen
            if (alone and columns.roles[name] != "id")
            or (ranks and not columns.is_unique(name))
            or (columns.roles[name] != "id" and not columns.is_row_name(name))
        ]
    if (
        extra
        and not is_thing
        and not reading.measures
        and not reading.axes
        and not wants_groups
        and not reading.aggregates
        and not reading.wants_chart
        and not reading.unit
        and "trend" not in reading.asks
        and not reading.formula
    ):
        draft.reading = replace(reading, asks=reading.asks | {"count"})
    if extra:
        draft.reading = replace(
            draft.reading, axes=(*draft.reading.axes, *(Axis(name) for name in extra))
        )
    _versus_measure(draft)
    grouping.aggregate(draft)


def _counts_things(draft: Draft, column: str) -> bool:
    """How many stores are there? The stores, not the rows of each."""
    reading = draft.reading
    return (
        "distinct" in reading.asks or draft.columns.roles[column] == "id" or not reading.wants_chart
    )


def _versus_measure(draft: Draft) -> None:
    """A number with few values that stands beside another number is a group: mpg and cylinders."""
    reading = draft.reading
    if len(reading.measures) != 2 or reading.axes or reading.unit:
        return
    few = [
        one
        for one in reading.measures
        if one.column and draft.columns.can_group(one.column) and not one.aggregate
    ]
    other = [one for one in reading.measures if one not in few]
    if (
        len(few) == 1
        and len(other) == 1
        and (
            "compare" in reading.asks
            or "versus" in reading.asks
            or other[0].aggregate
            or reading.chart == "bar"
        )
    ):
        column = few[0].column
        assert column is not None
        draft.reading = replace(reading, measures=tuple(other), axes=(Axis(column),))
