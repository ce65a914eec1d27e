"""What a look at a table says: its size, what is missing, what its columns hold."""

from collections.abc import Sequence

from sanbo.agents.analysis.conclusions.tables import Reading, period, short
from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.spec.operations import Cast, Dedup, Derive, DuplicateCheck, Impute
from sanbo.kernel.messages import tell

MOST_COLUMNS = 3
"""That are spoken of one by one."""
_LISTED = 5


def dataset_overview(tables: Sequence[Reading]) -> list[str]:
    if not tables:
        return []
    values = _values(tables[0])
    if len(values) < 3:
        return []
    said = [tell("analysis_conclusion.overview.size", rows=values[0], columns=values[1])]
    if len(values) > 3:
        said.append(
            tell("analysis_conclusion.overview.gaps", missing=values[2], duplicates=values[3])
        )
    else:
        said.append(tell("analysis_conclusion.overview.missing", missing=values[2]))
    return [*said, *_span(tables[1])] if len(tables) > 1 else said


def _values(reading: Reading) -> list[str]:
    """Of a table of items: its second column, from top to bottom."""
    return [reading.value(1, row[1]) for row in reading.rows] if len(reading.names) > 1 else []


def _span(columns: Reading) -> list[str]:
    """From when to when, by the first column of dates."""
    kinds = {tell("analysis_result.kind.date"), tell("analysis_result.kind.datetime")}
    for row in columns.rows:
        first, last = columns.text(row, "min"), columns.text(row, "max")
        if columns.text(row, "type") in kinds and first and last:
            name = columns.at(row, "column")
            return [
                tell(
                    "analysis_conclusion.overview.span",
                    column=name, first=period(first), last=period(last),
                )
            ]  # fmt: skip
    return []


def missingness(reading: Reading) -> list[str]:
    rows = [row for row in reading.rows if reading.number(row, "missing")]
    if not rows:
        return [tell("analysis_conclusion.missing.none")]
    items = [
        tell(
            "analysis_conclusion.missing.item",
            column=reading.at(row, "column"),
            count=reading.at(row, "missing"),
            share=reading.at(row, "missing_share"),
        )
        for row in rows[:_LISTED]
    ]
    joined = tell("analysis_conclusion.comma").join(items)
    kind = "some" if len(rows) <= _LISTED else "many"
    return [tell(f"analysis_conclusion.missing.{kind}", items=joined)]


def column_summary(tables: Sequence[Reading]) -> list[str]:
    said: list[str] = []
    for reading in tables[:MOST_COLUMNS]:
        if "mean" in reading.names:
            said += _numbers(reading)
        elif "distinct" in reading.names:
            said += _dates(reading)
        elif reading.rows:
            said += _words(reading)
    return said


def _numbers(reading: Reading) -> list[str]:
    said: list[str] = []
    for row in reading.rows[:MOST_COLUMNS]:
        column, unit = reading.at(row, "column"), reading.text(row, "unit")
        if reading.number(row, "mean") is None:
            said.append(tell("analysis_conclusion.no_values", what=column))
            continue
        said.append(
            tell(
                "analysis_conclusion.summary.numbers",
                column=column,
                mean=reading.at(row, "mean", unit),
                median=reading.at(row, "median", unit),
                low=reading.at(row, "min", unit),
                high=reading.at(row, "max", unit),
                count=reading.at(row, "count"),
            )
        )
    return said


def _dates(reading: Reading) -> list[str]:
    return [
        tell(
            "analysis_conclusion.overview.span",
            column=reading.at(row, "column"),
            first=period(reading.text(row, "min")),
            last=period(reading.text(row, "max")),
        )
        for row in reading.rows[:MOST_COLUMNS]
        if reading.text(row, "min")
    ]


def _words(reading: Reading) -> list[str]:
    row = reading.rows[0]
    return [
        tell(
            "analysis_conclusion.summary.words",
            column=reading.label(0),
            value=reading.name(row, [0]),
            count=reading.at(row, "count"),
            share=reading.at(row, "share"),
        )
    ]


def duplicate_check(spec: DuplicateCheck, reading: Reading) -> list[str]:
    values = _values(reading)
    if len(values) < 4:
        return []
    columns = tell("analysis_conclusion.comma").join(short(name) for name in spec.columns[:_LISTED])
    of = tell("analysis_conclusion.duplicates.of", columns=columns) if columns else ""
    too_many = reading.rows[3][1]
    kind = "some" if too_many else "none"
    return [
        tell(
            f"analysis_conclusion.duplicates.{kind}",
            of=of, rows=values[0], repeated=values[1], alike=values[2], again=values[3],
        )
    ]  # fmt: skip


def prepared(result: ResultView) -> list[str]:
    match result.spec:
        case Derive() as spec:
            return [tell("analysis_conclusion.prepared.derive", column=short(spec.name))]
        case Cast() as spec:
            return [tell(f"analysis_conclusion.prepared.cast_{spec.to}", column=short(spec.column))]
        case Impute() as spec:
            columns = tell("analysis_conclusion.comma").join(short(name) for name in spec.columns)
            return [tell(f"analysis_conclusion.prepared.impute_{spec.method}", columns=columns)]
        case Dedup():
            rows = f"{result.tables[0].row_count:,}" if result.tables else ""
            kind = "dedup_rows" if rows else "dedup"
            return [tell(f"analysis_conclusion.prepared.{kind}", rows=rows)]
        case _:
            return []
