"""Plans that look at the table as it is: overview, missing cells, rows, outliers."""

from sanbo.agents.analysis.rules.drafts import Draft, NotClear
from sanbo.agents.analysis.rules.measures import assumed, listed, measures
from sanbo.agents.analysis.spec.operations import (
    ColumnSummary,
    DatasetOverview,
    DuplicateCheck,
    Missingness,
    Outliers,
    TopRows,
)
from sanbo.agents.analysis.spec.plots import Box, Hist
from sanbo.kernel.messages import tell

MOST_OUTLIER_COLUMNS = 4


def overview(draft: Draft) -> None:
    draft.add(DatasetOverview(input=draft.input, filters=draft.filters))


def missing(draft: Draft) -> None:
    draft.add(
        Missingness(input=draft.input, columns=draft.reading.columns_seen, filters=draft.filters)
    )


def duplicates(draft: Draft) -> None:
    draft.add(
        DuplicateCheck(input=draft.input, columns=draft.reading.columns_seen, filters=draft.filters)
    )


def summary(draft: Draft) -> None:
    draft.add(
        ColumnSummary(input=draft.input, columns=draft.reading.columns_seen, filters=draft.filters)
    )


def rows(draft: Draft) -> None:
    """Rows as they are, in an order where one is said."""
    reading = draft.reading
    by = tuple(dict.fromkeys(one.column for one in reading.measures if one.column))[:1]
    if draft.made and reading.formula and reading.formula.fn != "divide":
        by = tuple(one.column for one in measures(draft)[:1] if one.column)
    if not by and reading.date_column and (reading.order or reading.top or reading.extreme):
        by = (reading.date_column,)
    if not by and (reading.top or reading.extreme) and not reading.filters:
        by = tuple(one.column for one in assumed(draft, may_count=False)[:1] if one.column)
    count = reading.top or (5 if reading.extreme else 100 if reading.filters else 20)
    draft.add(
        TopRows(
            input=draft.input,
            by=by,
            ascending=reading.order == "asc" or reading.extreme == "min",
            n=count,
            filters=draft.filters,
        )
    )


def outliers(draft: Draft) -> None:
    reading = draft.reading
    columns = [one.column for one in reading.measures if one.column]
    if not columns:
        columns = list(draft.columns.amounts or draft.columns.measures)
        columns = [name for name in columns if draft.columns.is_numeric(name)]
        if reading.unknown_words:
            raise NotClear(
                tell(
                    "analysis_rules.ask.unknown",
                    word=reading.unknown_words[0],
                    columns=listed(tuple(columns)),
                ),
                tuple(columns[:6]),
            )
        if len(columns) > 1:
            draft.assume(
                tell(
                    "analysis_rules.assumed.several",
                    columns=listed(tuple(columns[:MOST_OUTLIER_COLUMNS])),
                )
            )
    if not columns:
        raise NotClear(tell("analysis_rules.ask.no_number"))
    by = next(
        (axis.column for axis in reading.axes if axis.unit is None and axis.width is None), None
    )
    method = "zscore" if reading.method == "zscore" else "iqr"
    for column in dict.fromkeys(columns[:MOST_OUTLIER_COLUMNS]):
        plot = None
        if reading.wants_chart:
            plot = (
                Hist(input=draft.input, x=column, filters=draft.filters)
                if reading.chart == "hist"
                else Box(input=draft.input, y=column, x=by, filters=draft.filters)
            )
        draft.add(
            Outliers(input=draft.input, column=column, method=method, by=by, filters=draft.filters),
            plot,
        )
