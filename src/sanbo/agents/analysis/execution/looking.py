"""Looking at a table: what its columns hold, what is missing, what stands there twice."""

from collections.abc import Mapping, Sequence

import pandas as pd

from sanbo.agents.analysis.execution.aggregates import key_text, statistic
from sanbo.agents.analysis.execution.filters import Work, looks_alike_note
from sanbo.agents.analysis.execution.frames import listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    count_unit,
    counts,
    figure,
    note,
    number_kind,
    row_count_label,
    title,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.words import Aggregate
from sanbo.kernel.messages import tell
from sanbo.tables.columns import total
from sanbo.tables.rows import free_name

MOST_CELLS_COMPARED = 10_000_000
"""Of a table whose whole rows are compared with each other without being asked to."""
_COUNT = "\0rows"  # a name that no column of a file has


def _items(heading: str, items: Mapping[str, int]) -> Sheet:
    names = [tell(f"analysis_result.item.{name}") for name in items]
    columns = [figure("item", names, "text"), figure("value", list(items.values()), "integer")]
    return Sheet.of(tell(f"analysis_result.{heading}"), columns)


def dataset_overview(_: op.DatasetOverview, work: Work) -> Result:
    rows = work.rows(work.frame.names, may_be_none=not work.filters)
    missing = {str(name): int(rows[name].isna().sum()) for name in rows.columns}
    items = {
        "rows": len(rows),
        "columns": len(rows.columns),
        "missing_cells": sum(missing.values()),
    }
    notes: list[Note] = []
    if rows.size <= MOST_CELLS_COMPARED:
        items["duplicate_rows"] = int(rows.duplicated().sum())
    else:
        notes.append(note("duplicates_not_counted"))
    whole = _items("overview_title", items)
    ends = [_ends(rows[name], work.kinds[name]) for name in missing]
    columns = [
        figure("column", list(missing), "text"),
        figure(
            "type", [tell(f"analysis_result.kind.{work.kinds[one]}") for one in missing], "text"
        ),
        figure("unit", [work.units[name] for name in missing], "text"),
        *_missing(list(missing.values()), len(rows)),
        figure("distinct", [int(rows[name].nunique()) for name in missing], "integer"),
        figure("min", [low for low, _ in ends], "text"),
        figure("max", [high for _, high in ends], "text"),
    ]
    return Result((whole, Sheet.of(tell("analysis_result.columns_title"), columns)), tuple(notes))


def _missing(missing: Sequence[int], rows: int) -> list[ResultColumn]:
    shares = [count / rows if rows else None for count in missing]
    return [counts("missing", missing), figure("missing_share", shares, "percent")]


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


def missingness(spec: op.Missingness, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    missing = {name: int(rows[name].isna().sum()) for name in names}
    names = sorted(names, key=lambda name: -missing[name])
    columns = [
        figure("column", names, "text"),
        *_missing([missing[name] for name in names], len(rows)),
        counts("present", [len(rows) - missing[name] for name in names]),
    ]
    complete = int(rows.notna().all(axis=1).sum())
    sheet = Sheet.of(tell("analysis_result.missing_title"), columns)
    return Result((sheet,), (note("complete", complete=complete, all=len(rows)),))


def column_summary(spec: op.ColumnSummary, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    numeric = [name for name in names if work.kinds[name] in NUMERIC]
    dates = [name for name in names if work.kinds[name] in TEMPORAL]
    sheets: list[Sheet] = []
    notes: list[Note] = []
    if numeric:
        sheets.append(_summary(rows, numeric, _figures(rows, numeric, spec.ddof, work)))
        notes += [note("ddof", ddof=spec.ddof), note("quantiles")]
    if dates:
        ends = [_ends(rows[name], "date") for name in dates]
        columns = [
            figure("distinct", [int(rows[name].nunique()) for name in dates], "integer"),
            figure("min", [low for low, _ in ends], "text"),
            figure("max", [high for _, high in ends], "text"),
        ]
        sheets.append(_summary(rows, dates, columns))
    for name in names:
        if name not in numeric and name not in dates:
            sheet, more = _frequencies(rows[name], name, spec.top_k, work)
            sheets.append(sheet)
            notes.extend(more)
    return Result(tuple(sheets), tuple(dict.fromkeys(notes)))


def _summary(rows: pd.DataFrame, names: Sequence[str], columns: Sequence[ResultColumn]) -> Sheet:
    present = [int(rows[name].notna().sum()) for name in names]
    heading = tell("analysis_result.summary_title", columns=listed(names[:4]))
    first = [
        figure("column", names, "text"),
        counts("count", present),
        counts("missing", [len(rows) - count for count in present]),
    ]
    return Sheet.of(heading, [*first, *columns])


def _figures(rows: pd.DataFrame, names: Sequence[str], ddof: int, work: Work) -> list[ResultColumn]:
    kind = number_kind([work.kinds[name] for name in names])
    # Ratios beside other numbers stand as they are: 0.123 is not 0.123 %.
    units = ["" if work.kinds[name] == "percent" else work.units[name] for name in names]
    present = [rows[name].dropna() for name in names]
    return [
        figure("unit", units, "text"),
        *(
            figure(word, [_figure(values, word, ddof) for values in present], kind)
            for word in _SUMMARY
        ),
    ]


_SUMMARY: tuple[Aggregate, ...] = ("mean", "std", "min", "q25", "median", "q75", "max", "sum")


def _figure(values: pd.Series, word: Aggregate, ddof: int) -> float | None:
    if word == "sum":
        return float(total(values))
    if word in ("min", "max"):
        return float(getattr(values, word)()) if len(values) else None
    return statistic(values, word, ddof)


def _frequencies(values: pd.Series, name: str, top_k: int, work: Work) -> tuple[Sheet, list[Note]]:
    """The commonest values, equally common ones in their own order."""
    found = values.dropna().value_counts(sort=False).sort_index()
    found = found.sort_values(ascending=False, kind="stable")
    shown = found.head(top_k)
    notes = looks_alike_note(pd.Series(found.index), name)
    if missing := int(values.isna().sum()):
        notes.append(note("missing", column=name, count=missing))
    if len(found) > top_k:
        notes.append(note("cut", shown=top_k, all=len(found)))
    share = figure("share", shown.to_numpy() / found.sum(), "percent")
    columns = [
        ResultColumn(name, pd.Series(shown.index), work.kinds[name], work.units[name]),
        counts("count", shown.tolist(), taken=[name]),
        ResultColumn(free_name("share", [name]), share.values, "percent", "", share.label),
    ]
    return Sheet.of(title([row_count_label()], [name]), columns), notes


def duplicate_check(spec: op.DuplicateCheck, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    alike = rows.duplicated(keep=False)
    number = rows[alike].groupby(list(names), sort=False, dropna=False, observed=True).ngroup()
    items = {
        "rows": len(rows),
        "repeated_values": int(number.nunique()),
        "rows_alike": int(alike.sum()),
        "rows_too_many": int(rows.duplicated().sum()),
    }
    whole = _items("duplicates_title", items)
    columns = tell("analysis_result.all_columns") if not spec.columns else listed(names)
    notes = (note("duplicates", columns=columns),)
    if number.empty:
        return Result((whole,), notes)
    firsts = rows[alike].assign(**{_COUNT: number.map(number.value_counts())})
    firsts = firsts[~number.duplicated()].sort_values(_COUNT, ascending=False, kind="stable")
    firsts = firsts.head(spec.top_k)
    heading = tell(
        "analysis_result.duplicate_values_title", shown=len(firsts), all=items["repeated_values"]
    )
    again = ResultColumn(
        free_name("rows", names), firsts[_COUNT], "integer", count_unit(), row_count_label()
    )
    return Result((whole, Sheet.of(heading, [*work.own(firsts, names), again])), notes)
