"""Analyses: each operation with its own fields, told apart by `op`."""

from typing import Annotated, Any, ClassVar, Literal, cast, get_args

from pydantic import BeforeValidator, Field, model_validator
from typing_extensions import override

from sanbo.agents.analysis.spec.expressions import Expression, check_size
from sanbo.agents.analysis.spec.filters import Filters, OutlierMethod
from sanbo.agents.analysis.spec.words import (
    Aggregate,
    ColumnName,
    DateColumn,
    Ddof,
    Metrics,
    NumberColumn,
    OnTable,
    PeriodUnit,
    Scalar,
    Sort,
    TimeUnit,
)


class Analysis(OnTable):
    """A subclass is the one record of its operation: its fields, its executor, and when to take it.

    The executor is the function of the operation's name in `execution.<module>`, which the parent
    process never loads. A model is told what stands in the class's docstring.
    """

    module: ClassVar[str] = ""
    type: Literal["analysis"] = "analysis"
    filters: Filters = ()
    sample: int | None = Field(default=None, ge=1)
    """So many rows of the input, drawn by a fixed seed, where all are too many."""

    def __init_subclass__(cls, *, module: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.module = module

    @property
    @override
    def modules(self) -> tuple[str, ...]:
        return (f"sanbo.agents.analysis.execution.{self.module}",)

    @classmethod
    def prompt(cls) -> str:
        """When to choose it, and its fields."""
        return " ".join((cls.__doc__ or "").split())


# ---- looking at a table ----


class DatasetOverview(Analysis, module="looking"):
    """what the table holds (rows, columns, types, gaps). No fields."""

    op: Literal["dataset_overview"] = "dataset_overview"


class Missingness(Analysis, module="looking"):
    """how many cells are missing. columns."""

    op: Literal["missingness"] = "missingness"
    columns: tuple[ColumnName, ...] = ()
    """All, if none is named."""


class ColumnSummary(Analysis, module="looking"):
    """count, mean, quartiles … of numbers, frequencies of words. columns, top_k."""

    # Numbers: count, mean, std, quartiles, sum. Words: how often each stands there.
    op: Literal["column_summary"] = "column_summary"
    columns: tuple[ColumnName, ...] = ()
    top_k: int = Field(default=20, ge=1, le=1000)
    """Values listed of a column of words."""
    ddof: Ddof = 1


class DuplicateCheck(Analysis, module="looking"):
    """which rows repeat each other. columns (all if none)."""

    op: Literal["duplicate_check"] = "duplicate_check"
    columns: tuple[ColumnName, ...] = ()
    """Rows alike in these; whole rows, if none is named."""
    top_k: int = Field(default=20, ge=1, le=1000)


MOST_ROWS = 100_000
"""All of them, as people take it."""


class TopRows(Analysis, module="ordering"):
    """rows as they are, in an order; on a result of groupby_agg with per: the best n of each
    group. by, ascending, n, per, columns.
    """

    # Rows as they are: the first `n` in an order, or those that the filters leave.
    op: Literal["top_rows"] = "top_rows"
    by: tuple[ColumnName, ...] = ()
    ascending: bool = False
    n: int = Field(default=10, ge=1, le=MOST_ROWS)
    per: ColumnName | None = None
    """The first `n` in each of these, not over all."""
    columns: tuple[ColumnName, ...] = ()


# ---- aggregation ----


class GroupbyAgg(Analysis, module="grouping"):
    """totals, averages, counts … overall or by group. group_cols, metrics, sort {by, ascending},
    top_k.
    """

    # No `group_cols`: one row over all. No `metrics`: the number of rows.
    op: Literal["groupby_agg"] = "groupby_agg"
    group_cols: tuple[ColumnName, ...] = ()
    metrics: Metrics = Field(default_factory=dict[ColumnName, tuple[Aggregate, ...]])
    sort: Sort | None = None
    top_k: int | None = Field(default=None, ge=1)
    ddof: Ddof = 1


class ShareRatio(Analysis, module="grouping"):
    """each group's part of the whole, cumulated, ABC. group_col, value_col (none: rows), within,
    top_k.
    """

    # Composition, cumulative share and ABC classes, largest first.
    op: Literal["share_ratio"] = "share_ratio"
    group_col: ColumnName
    value_col: NumberColumn | None = None
    """Summed; without it rows are counted."""
    within: ColumnName | None = None
    """Shares add up to 100 % in each of these, not over all."""
    zeros: bool = False
    """A row also for what a group `within` has none of."""
    abc: tuple[float, float] = (0.7, 0.9)
    """Cumulative shares up to which a group is A, then B."""
    top_k: int | None = Field(default=None, ge=1)
    """Those after it become one row, その他."""


class Pivot(Analysis, module="pivoting"):
    """cross table of two columns. rows, columns, value, agg, row_unit, column_unit, totals,
    share.
    """

    op: Literal["pivot"] = "pivot"
    rows: tuple[ColumnName, ...] = Field(min_length=1)
    columns: ColumnName
    value: ColumnName | None = None
    """Without it rows are counted."""
    agg: Aggregate = "sum"
    row_unit: TimeUnit | None = None
    """For a date as the only row."""
    column_unit: TimeUnit | None = None
    """For a date as the columns."""
    fiscal_start: int = Field(default=4, ge=1, le=12)
    totals: bool = False
    share: Literal["all", "row", "column"] | None = None
    """Cells as shares instead of values."""


class Unpivot(Analysis, module="pivoting"):
    """columns of numbers under each other, for one chart of them. columns, name,
    value_name.
    """

    op: Literal["unpivot"] = "unpivot"
    columns: tuple[NumberColumn, ...] = Field(min_length=2, max_length=12)
    name: str = Field(default="item", min_length=1, max_length=200)
    """Of the column that tells which number it is."""
    value_name: str = Field(default="value", min_length=1, max_length=200)


class Resample(Analysis, module="grouping"):
    """a trend by month, weekday … date_col, unit, metrics, by, fill_gaps, sort, top_k."""

    # By period of a date column, and by groups beside it.
    op: Literal["resample"] = "resample"
    date_col: DateColumn
    unit: TimeUnit
    metrics: Metrics = Field(default_factory=dict[ColumnName, tuple[Aggregate, ...]])
    by: tuple[ColumnName, ...] = ()
    fiscal_start: int = Field(default=4, ge=1, le=12)
    fill_gaps: bool = False
    """Periods without rows stand in the table too: sums and counts 0, others empty."""
    sort: Sort | None = None
    """By time, unless told."""
    top_k: int | None = Field(default=None, ge=1)
    ddof: Ddof = 1


class ComparePeriods(Analysis, module="time_comparison"):
    """one period against another. date_col, unit, column (none: rows), agg, by, against previous
    or year_before, period (none: the latest), only increased or decreased, sort, top_k.
    """

    # A period beside the one before it, or beside the same one a year before.
    op: Literal["compare_periods"] = "compare_periods"
    date_col: DateColumn
    unit: PeriodUnit
    column: ColumnName | None = None
    """Without it rows are counted."""
    agg: Aggregate = "sum"
    by: tuple[ColumnName, ...] = ()
    against: Literal["previous", "year_before"] = "previous"
    period: str | None = Field(default=None, min_length=1, max_length=40)
    """2025-04, 2025-Q1, 2025年度; the latest in the data unless told."""
    only: Literal["increased", "decreased"] | None = None
    sort: Literal["difference_desc", "difference_asc", "rate_desc", "rate_asc"] | None = None
    """The largest change first where `only` or `top_k` asks for one, else by group."""
    top_k: int | None = Field(default=None, ge=1)
    fiscal_start: int = Field(default=4, ge=1, le=12)


class Cohort(Analysis, module="time_comparison"):
    """who came again after their first period. id_col, date_col, unit, value_col, as_share."""

    # By the period in which each `id_col` came first: how many came again after 1, 2 … periods.
    op: Literal["cohort"] = "cohort"
    id_col: ColumnName
    date_col: DateColumn
    unit: PeriodUnit = "month"
    value_col: NumberColumn | None = None
    """Summed; without it different ids are counted."""
    as_share: bool = False
    """Of the first period's figure."""
    fiscal_start: int = Field(default=4, ge=1, le=12)


# ---- along an order ----


class Cumulative(Analysis, module="ordering"):
    """running total, count, maximum or share. column, order_by, by, kind."""

    op: Literal["cumulative"] = "cumulative"
    column: ColumnName
    order_by: ColumnName | None = None
    """As the rows stand, if none is named."""
    by: tuple[ColumnName, ...] = ()
    kind: Literal["sum", "count", "max", "min", "share"] = "sum"
    name: str | None = Field(default=None, min_length=1, max_length=200)
    """Of the new column; 売上_cumulative unless told."""


class Lag(Analysis, module="ordering"):
    """change and rate from row to row of a sorted table or a resample result. column, order_by,
    by, periods.
    """

    # Beside each row the value `periods` before it, the difference and the rate of change. Along
    # periods (2025-04 …) these are periods, also where some have no row; else rows.
    op: Literal["lag"] = "lag"
    column: NumberColumn
    order_by: ColumnName | None = None
    by: tuple[ColumnName, ...] = ()
    periods: int = Field(default=1, ge=1, le=10_000)


class Rolling(Analysis, module="ordering"):
    """moving average, sum … of the last rows of a sorted table or a resample result. column,
    window, agg, order_by, by.
    """

    # Beside each row a figure of it and the `window` - 1 rows before it; none before that many.
    op: Literal["rolling"] = "rolling"
    column: NumberColumn
    window: int = Field(ge=2, le=10_000)
    agg: Literal["mean", "sum", "min", "max", "std", "median"] = "mean"
    order_by: ColumnName | None = None
    by: tuple[ColumnName, ...] = ()
    name: str | None = Field(default=None, min_length=1, max_length=200)
    """Of the new column; 売上_mean_3 unless told."""
    ddof: Ddof = 1


# ---- statistics ----


def _several(value: object) -> object:
    """One name alone, or none, as runs and recipes of earlier versions have it."""
    return () if value is None else (value,) if isinstance(value, str) else value


class Distribution(Analysis, module="distributions"):
    """spread, quantiles, skewness, normality test. columns, by, quantiles, normality."""

    op: Literal["distribution"] = "distribution"
    columns: tuple[NumberColumn, ...] = Field(min_length=1)
    by: Annotated[tuple[ColumnName, ...], BeforeValidator(_several)] = ()
    quantiles: tuple[Annotated[float, Field(ge=0, le=1)], ...] = (0.25, 0.5, 0.75)
    ddof: Ddof = 1
    """Of variance and standard deviation."""
    bias: bool = True
    """Skewness and kurtosis of the sample as it is (True), or corrected for its size (False)."""
    normality: Literal["auto", "shapiro", "dagostino", "jarque_bera", "ks"] = "auto"
    """`auto`: Shapiro–Wilk up to 5,000 values, above that D'Agostino–Pearson. `ks`: against the
    normal distribution of the sample's own mean and standard deviation."""
    alpha: float = Field(default=0.05, gt=0, lt=1)


class Outliers(Analysis, module="distributions"):
    """numbers far out, with their rows. column, method, threshold, by. (To leave them out use the
    filter not_outlier.)
    """

    op: Literal["outliers"] = "outliers"
    column: NumberColumn
    method: OutlierMethod = "iqr"
    threshold: float | None = Field(default=None, gt=0)
    """1.5 interquartile ranges or 3 standard deviations unless told."""
    by: ColumnName | None = None
    ddof: Ddof = 1
    top_k: int = Field(default=50, ge=1, le=10_000)
    """Rows shown, the most extreme first."""


class CorrelationMatrix(Analysis, module="comparisons"):
    """r, p and n of pairs of columns. columns, only_named, method, by."""

    op: Literal["correlation_matrix"] = "correlation_matrix"
    columns: tuple[NumberColumn, ...] = ()
    """Always in; filled up to `top_n` with the numeric columns of the largest variance."""
    only_named: bool = False
    """Nothing is filled up: just these columns."""
    top_n: int = Field(default=10, ge=2, le=100)
    method: Literal["pearson", "spearman", "kendall"] = "pearson"
    by: ColumnName | None = None
    """Pairs in each of these groups, instead of the matrix."""


class CompareGroups(Analysis, module="comparisons"):
    """a test whether groups differ (t, Welch, U, ANOVA …) or two columns are related (chi2).
    value_col, group_col, groups, test, alternative.
    """

    # Whether groups differ in a number, or (chi2) whether two columns of words are related.
    op: Literal["compare_groups"] = "compare_groups"
    value_col: ColumnName
    group_col: ColumnName
    groups: tuple[Scalar, ...] = ()
    """Just these values of the group column."""
    test: Literal["auto", "t", "welch", "mann_whitney", "anova", "kruskal", "ks", "chi2"] = "auto"
    """`auto`: chi2 for words, Welch for two groups, ANOVA for more."""
    alternative: Literal["two-sided", "less", "greater"] = "two-sided"
    alpha: float = Field(default=0.05, gt=0, lt=1)


# ---- steps that make another table ----


class Derive(Analysis, module="deriving"):
    """all columns and a new one from them. name, expression."""

    op: Literal["derive"] = "derive"
    name: str = Field(min_length=1, max_length=200)
    expression: Annotated[Expression, BeforeValidator(check_size)]


class Cast(Analysis, module="cleaning"):
    """text to numbers, dates … column, to, unreadable."""

    # Text to values: 1,234円, 12%, ▲5, １２３, 9:05, 令和7年4月1日.
    op: Literal["cast"] = "cast"
    column: ColumnName
    to: Literal["number", "integer", "date", "datetime", "minutes", "text", "boolean"]
    unreadable: Literal["error", "null"] = "error"
    name: str | None = Field(default=None, min_length=1, max_length=200)
    """Into a column of this name; in place unless told."""


ImputeMethod = Literal["mean", "median", "mode", "constant", "forward", "drop_rows"]


class Impute(Analysis, module="cleaning"):
    """missing cells filled or their rows dropped. columns and method (value for constant), or
    methods [{column, method}].
    """

    # All `columns` by one `method`, or each by its own in `methods`.
    op: Literal["impute"] = "impute"
    columns: tuple[ColumnName, ...] = ()
    method: ImputeMethod | None = None
    value: Scalar | None = None
    methods: dict[ColumnName, ImputeMethod] = Field(default_factory=dict[ColumnName, ImputeMethod])

    @property
    def by_column(self) -> dict[str, ImputeMethod]:
        if self.method is None:
            return dict(self.methods)
        return {**dict[str, ImputeMethod].fromkeys(self.columns, self.method), **self.methods}

    @model_validator(mode="after")
    def _fit(self) -> "Impute":
        if not self.by_column or bool(self.columns) != (self.method is not None):
            raise ValueError("columns with a method, or methods by column")
        if ("constant" in self.by_column.values()) != (self.value is not None):
            raise ValueError("value belongs to the method constant, and it needs one")
        return self


class Normalize(Analysis, module="deriving"):
    """z-scores, 0–1 or shares as new columns. columns, method, by."""

    # New columns beside the old: 売上_zscore, 売上_minmax (0 to 1), 売上_share.
    op: Literal["normalize"] = "normalize"
    columns: tuple[NumberColumn, ...] = Field(min_length=1)
    method: Literal["zscore", "minmax", "share"] = "zscore"
    by: ColumnName | None = None
    """Within each of these groups."""
    ddof: Ddof = 1


class Dedup(Analysis, module="cleaning"):
    """repeated rows taken out. columns, keep."""

    op: Literal["dedup"] = "dedup"
    columns: tuple[ColumnName, ...] = ()
    keep: Literal["first", "last"] = "first"


AnalysisSpec = Annotated[
    DatasetOverview | Missingness | ColumnSummary | DuplicateCheck | TopRows | GroupbyAgg
    | ShareRatio | Pivot | Unpivot | Resample | ComparePeriods | Cohort | Cumulative | Lag | Rolling
    | Distribution | Outliers | CorrelationMatrix | CompareGroups | Derive | Cast | Impute
    | Normalize | Dedup,
    Field(discriminator="op"),
]  # fmt: skip

OPERATIONS: dict[str, type[Analysis]] = {
    str(model.model_fields["op"].default): model
    for model in cast("tuple[type[Analysis], ...]", get_args(get_args(AnalysisSpec)[0]))
}
