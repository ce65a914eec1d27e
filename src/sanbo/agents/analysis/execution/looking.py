"""Looking at a table: what its columns hold, what is missing, what stands there twice."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Sequence

import pandas as pd

from sanbo.agents.analysis.execution.aggregates import key_text, statistic
from sanbo.agents.analysis.execution.distributions import number_kind
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    convention,
)
from sanbo.agents.analysis.execution.wording import count_unit, row_count_label, title
from sanbo.agents.analysis.execution.work import Work, looks_alike_note
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec.operations import (
    ColumnSummary,
    DatasetOverview,
    DuplicateCheck,
    Missingness,
)
from sanbo.kernel.messages import tell
from sanbo.tables.columns import total
from sanbo.tables.rows import free_name

MOST_CELLS_COMPARED = 10_000_000
"""Of a table whose whole rows are compared with each other without being asked to."""


def _column(
    name: str, values: Sequence[object], kind: ValueType, unit: str = "", dtype: str | None = None
) -> ResultColumn:
    dtypes = {"text": "str", "integer": "Int64", "number": "float64", "percent": "float64"}
    label = tell(f"analysis_result.column.{name}")
    series = pd.Series(list(values), dtype=dtype or dtypes[kind])
    return ResultColumn(name, series, kind, unit, label)


def dataset_overview(_: DatasetOverview, work: Work) -> Result:
    rows = work.rows(work.frame.names, may_be_none=not work.filters)
    missing = {name: int(rows[name].isna().sum()) for name in rows.columns}
    items = [
        ("rows", len(rows)),
        ("columns", len(rows.columns)),
        ("missing_cells", sum(missing.values())),
    ]
    notes: list[Note] = []
    if rows.size <= MOST_CELLS_COMPARED:
        items.append(("duplicate_rows", int(rows.duplicated().sum())))
    else:
        notes.append(convention(tell("analysis_result.note.duplicates_not_counted")))
    whole = Sheet.of(
        tell("analysis_result.overview_title"),
        [
            _column("item", [tell(f"analysis_result.item.{name}") for name, _ in items], "text"),
            _column("value", [count for _, count in items], "integer"),
        ],
    )
    return Result((whole, _columns_sheet(rows, missing, work)), tuple(notes))


def _columns_sheet(rows: pd.DataFrame, missing: dict[str, int], work: Work) -> Sheet:
    names = [str(name) for name in rows.columns]
    ends = [_ends(rows[name], work.kinds[name]) for name in names]
    count = len(rows)
    return Sheet.of(
        tell("analysis_result.columns_title"),
        [
            _column("column", names, "text"),
            _column(
                "type", [tell(f"analysis_result.kind.{work.kinds[name]}") for name in names], "text"
            ),
            _column("unit", [work.units[name] for name in names], "text"),
            _column("missing", list(missing.values()), "integer", count_unit()),
            _column(
                "missing_share",
                [part / count if count else None for part in missing.values()],
                "percent",
            ),
            _column("distinct", [int(rows[name].nunique()) for name in names], "integer"),
            _column("min", [low for low, _ in ends], "text"),
            _column("max", [high for _, high in ends], "text"),
        ],
    )


def _ends(values: pd.Series, kind: ValueType) -> tuple[str | None, str | None]:
    """The smallest and largest of numbers and dates; of words nothing."""
    present = values.dropna()
    if present.empty or (kind not in NUMERIC and kind not in TEMPORAL):
        return None, None
    return _written(present.min(), kind), _written(present.max(), kind)


def _written(value: object, kind: ValueType) -> str:
    if kind == "percent":
        return f"{float(str(value)) * 100:.10g}%"
    if kind in NUMERIC:
        number = float(str(value))
        return f"{int(number):,}" if number.is_integer() else f"{number:,.10g}"
    return key_text(value)


def missingness(spec: Missingness, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    counts = sorted(
        ((name, int(rows[name].isna().sum())) for name in names), key=lambda pair: -pair[1]
    )
    complete = int(rows.notna().all(axis=1).sum())
    sheet = Sheet.of(
        tell("analysis_result.missing_title"),
        [
            _column("column", [name for name, _ in counts], "text"),
            _column("missing", [count for _, count in counts], "integer", count_unit()),
            _column("missing_share", [count / len(rows) for _, count in counts], "percent"),
            _column("present", [len(rows) - count for _, count in counts], "integer", count_unit()),
        ],
    )
    text = tell("analysis_result.note.complete", complete=f"{complete:,}", all=f"{len(rows):,}")
    return Result((sheet,), (convention(text),))


def column_summary(spec: ColumnSummary, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    numeric = [name for name in names if work.kinds[name] in NUMERIC]
    dates = [name for name in names if work.kinds[name] in TEMPORAL]
    words = [name for name in names if name not in numeric and name not in dates]
    sheets: list[Sheet] = []
    notes: list[Note] = []
    if numeric:
        sheets.append(_numbers_sheet(rows, numeric, spec.ddof, work))
        notes.append(convention(tell("analysis_result.note.ddof", ddof=spec.ddof)))
        notes.append(convention(tell("analysis_result.note.quantiles")))
    if dates:
        sheets.append(_dates_sheet(rows, dates))
    for name in words:
        sheet, more = _frequencies(rows[name], name, spec.top_k, work)
        sheets.append(sheet)
        notes.extend(more)
    return Result(tuple(sheets), tuple(dict.fromkeys(notes)))


def _numbers_sheet(rows: pd.DataFrame, names: Sequence[str], ddof: int, work: Work) -> Sheet:
    present = {name: rows[name].dropna() for name in names}
    numbers = {
        "mean": [statistic(present[name], "mean") for name in names],
        "std": [statistic(present[name], "std", ddof) for name in names],
        "min": [_extreme(present[name], largest=False) for name in names],
        "q25": [statistic(present[name], "q25") for name in names],
        "median": [statistic(present[name], "median") for name in names],
        "q75": [statistic(present[name], "q75") for name in names],
        "max": [_extreme(present[name], largest=True) for name in names],
        "sum": [float(total(present[name])) for name in names],
    }
    kind = number_kind([work.kinds[name] for name in names])
    return Sheet.of(
        tell("analysis_result.summary_title", columns=listed(names[:4])),
        [
            _column("column", names, "text"),
            _column("unit", [_unit(name, work) for name in names], "text"),
            _column("count", [len(present[name]) for name in names], "integer", count_unit()),
            _column(
                "missing",
                [len(rows) - len(present[name]) for name in names],
                "integer",
                count_unit(),
            ),
            *(_column(name, values, kind) for name, values in numbers.items()),
        ],
    )


def _unit(name: str, work: Work) -> str:
    """Ratios beside other numbers stand as they are: 0.123 is not 0.123 %."""
    return "" if work.kinds[name] == "percent" else work.units[name]


def _extreme(values: pd.Series, *, largest: bool) -> float | None:
    if values.empty:
        return None
    return float(values.max() if largest else values.min())


def _dates_sheet(rows: pd.DataFrame, names: Sequence[str]) -> Sheet:
    present = {name: rows[name].dropna() for name in names}
    ends = [_ends(rows[name], "date") for name in names]
    return Sheet.of(
        tell("analysis_result.summary_title", columns=listed(names[:4])),
        [
            _column("column", names, "text"),
            _column("count", [len(present[name]) for name in names], "integer", count_unit()),
            _column(
                "missing",
                [len(rows) - len(present[name]) for name in names],
                "integer",
                count_unit(),
            ),
            _column("distinct", [int(present[name].nunique()) for name in names], "integer"),
            _column("min", [low for low, _ in ends], "text"),
            _column("max", [high for _, high in ends], "text"),
        ],
    )


def _frequencies(values: pd.Series, name: str, top_k: int, work: Work) -> tuple[Sheet, list[Note]]:
    """The commonest values, equally common ones in their own order."""
    counts = values.dropna().value_counts(sort=False).sort_index()
    counts = counts.sort_values(ascending=False, kind="stable")
    shown = counts.head(top_k)
    missing = int(values.isna().sum())
    notes = looks_alike_note(pd.Series(counts.index), name)
    if missing:
        text = tell("analysis_result.note.missing", column=name, count=f"{missing:,}")
        notes.append(convention(text))
    if len(counts) > top_k:
        text = tell("analysis_result.note.cut", shown=f"{top_k:,}", all=f"{len(counts):,}")
        notes.append(convention(text))
    present = int(counts.sum())
    count, share = (free_name(part, [name]) for part in ("count", "share"))
    sheet = Sheet.of(
        title([row_count_label()], [name]),
        [
            ResultColumn(name, pd.Series(shown.index), work.kinds[name], work.units[name]),
            ResultColumn(
                count, pd.Series(shown.tolist()), "integer", count_unit(), row_count_label()
            ),
            ResultColumn(
                share,
                pd.Series([few / present for few in shown], dtype="float64"),
                "percent",
                "",
                tell("analysis_result.column.share"),
            ),
        ],
    )
    return sheet, notes


def duplicate_check(spec: DuplicateCheck, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    alike = rows.duplicated(keep=False)
    again = int(rows.duplicated().sum())
    repeated = rows[alike]
    groups = repeated.groupby(list(names), sort=False, dropna=False, observed=True)
    sizes = groups.size().sort_values(ascending=False, kind="stable") if again else None
    whole = Sheet.of(
        tell("analysis_result.duplicates_title"),
        [
            _column(
                "item",
                [
                    tell(f"analysis_result.item.{item}")
                    for item in ("rows", "repeated_values", "rows_alike", "rows_too_many")
                ],
                "text",
            ),
            _column(
                "value",
                [len(rows), 0 if sizes is None else len(sizes), int(alike.sum()), again],
                "integer",
            ),
        ],
    )
    columns = tell("analysis_result.all_columns") if not spec.columns else listed(names)
    note = convention(tell("analysis_result.note.duplicates", columns=columns))
    if sizes is None:
        return Result((whole,), (note,))
    return Result((whole, _examples(repeated, names, sizes, spec.top_k, work)), (note,))


def _examples(
    repeated: pd.DataFrame, names: Sequence[str], sizes: pd.Series, top_k: int, work: Work
) -> Sheet:
    number = repeated.groupby(list(names), sort=False, dropna=False, observed=True).ngroup()
    counts = number.map(number.value_counts())
    firsts = repeated.assign(**{_COUNT: counts})[~number.duplicated()]
    firsts = firsts.sort_values(_COUNT, ascending=False, kind="stable").head(top_k)
    return Sheet.of(
        tell("analysis_result.duplicate_values_title", shown=len(firsts), all=len(sizes)),
        [
            *(
                ResultColumn(name, firsts[name], work.kinds[name], work.units[name])
                for name in names
            ),
            ResultColumn(
                free_name("rows", names),
                firsts[_COUNT],
                "integer",
                count_unit(),
                row_count_label(),
            ),
        ],
    )


_COUNT = "\0rows"
"""A name that no column of a file has."""
