"""The conclusion by code: the same few sentences for all operations, from the results' tables."""

import math
from collections.abc import Iterator, Sequence

from sanbo.agents.analysis.decision import ResultView, View
from sanbo.agents.analysis.outcome import JsonCell, ResultTable
from sanbo.agents.analysis.report.content import shower
from sanbo.agents.analysis.spec.chips import spoken
from sanbo.agents.analysis.spec.phrases import period_text
from sanbo.agents.analysis.spec.plots import Plot
from sanbo.kernel.markdown import plain
from sanbo.kernel.messages import current_language, tell, use_language

MOST_FIGURES = 6
"""Said of one row."""
MOST_FIRST = 3
"""Rows said of a list in order."""
LONGEST_NAME = 60
_PAIRS = ("item", "value")
_NUMBERS = ("integer", "number", "share")


def conclude(view: View) -> str:
    """On each result that no other was made from; charts are named after them."""
    with use_language(view.language):
        done = view.done or view.results[-1:]
        if not done:
            return tell("analysis_conclusion.no_results")
        used = {one.spec.input for one in done}
        finals = [one for one in done if one.result_id not in used]
        said = [text for one in finals if (text := " ".join(_sentences(one)).strip())]
        return "\n\n".join(said) or tell("analysis_conclusion.see_tables")


def _sentences(result: ResultView) -> Iterator[str]:
    table = _spoken_of(result)
    if table is not None:
        yield from _of_table(table, result)
    yield from (plain(text) for text in result.findings)
    for title in result.figure_titles:
        yield tell("analysis_conclusion.drawn", title=plain(title))
    if conditions := _conditions(result):
        yield tell("analysis_conclusion.where", conditions=plain(conditions))


def _spoken_of(result: ResultView) -> ResultTable | None:
    """The first, or the one in which a pair stands beside its figure."""
    pairs = [table for table in result.tables if table.columns[0].name == "column_1"]
    return next(iter(pairs or result.tables), None)


def _conditions(result: ResultView) -> str:
    chips = spoken(result.spec, current_language())
    said = [chip.text for chip in chips if chip.role in ("condition", "period")]
    return tell("comma").join(dict.fromkeys(said))


def _of_table(table: ResultTable, result: ResultView) -> Iterator[str]:
    if table.row_count == 0:
        yield tell("analysis_conclusion.nothing")
    elif tuple(column.name for column in table.columns) == _PAIRS:
        yield tell("analysis_conclusion.figures", title=plain(table.title), figures=_pairs(table))
    elif table.row_count == 1:
        yield from _of_row(table)
    else:
        yield from _of_rows(table, result)


def _pairs(table: ResultTable) -> str:
    return tell("comma").join(
        tell("analysis_conclusion.figure", label=_name(row[0]), value=_value(table, 1, row[1]))
        for row in table.rows[:MOST_FIGURES]
    )


def _of_row(table: ResultTable) -> Iterator[str]:
    row = table.rows[0]
    numbers = [at for at in _numeric(table) if row[at] is not None]
    keys = [
        at for at in range(len(table.columns)) if at not in _numeric(table) and row[at] is not None
    ]
    name = tell("analysis_conclusion.separator").join(_key(table, at, row[at]) for at in keys[:2])
    if len(numbers) == 1:
        label, value = (
            plain(table.columns[numbers[0]].label),
            _value(table, numbers[0], row[numbers[0]]),
        )
        text = "analysis_conclusion.one_of" if name else "analysis_conclusion.one"
        yield tell(text, label=label, value=value, name=name)
        return
    figures = tell("comma").join(
        tell(
            "analysis_conclusion.figure",
            label=plain(table.columns[at].label),
            value=_value(table, at, row[at]),
        )
        for at in numbers[:MOST_FIGURES]
    )
    yield tell("analysis_conclusion.figures", title=name or plain(table.title), figures=figures)


def _of_rows(table: ResultTable, result: ResultView) -> Iterator[str]:
    at = _measure(table, result)
    if at is None:
        yield tell("analysis_conclusion.rows", count=f"{table.row_count:,}")
        return
    keys = [place for place in range(at) if _is_key(table, place)] or [0]
    rows = [row for row in table.rows if _is_number(row[at])]
    if not rows or keys == [at]:
        yield tell("analysis_conclusion.rows", count=f"{table.row_count:,}")
        return
    label = plain(table.columns[at].label)

    def said(row: Sequence[JsonCell]) -> dict[str, str]:
        return {"name": _row_name(table, keys, row), "value": _value(table, at, row[at])}

    if table.is_cut or _is_in_order(result):
        first = tell("comma").join(
            tell("analysis_conclusion.place", **said(row)) for row in rows[:MOST_FIRST]
        )
        yield tell(
            "analysis_conclusion.first", label=label, first=first, count=f"{table.row_count:,}"
        )
        return
    if _is_time(result):
        first, last = said(rows[0]), said(rows[-1])
        yield tell(
            "analysis_conclusion.course",
            label=label, first=first["name"], start=first["value"], last=last["name"], end=last["value"],
        )  # fmt: skip
    most = max(rows, key=lambda row: _number(row[at]))
    least = min(rows, key=lambda row: _number(row[at]))
    if row_equal(most, least, at):
        yield tell("analysis_conclusion.equal", label=label, value=_value(table, at, most[at]))
        return
    yield tell(
        "analysis_conclusion.extremes",
        label=label, most=_holders(table, keys, rows, most, at), high=_value(table, at, most[at]),
        least=_holders(table, keys, rows, least, at), low=_value(table, at, least[at]),
        count=f"{table.row_count:,}",
    )  # fmt: skip


def row_equal(one: Sequence[JsonCell], other: Sequence[JsonCell], at: int) -> bool:
    return _number(one[at]) == _number(other[at])


def _holders(
    table: ResultTable,
    keys: Sequence[int],
    rows: Sequence[Sequence[JsonCell]],
    chosen: Sequence[JsonCell],
    at: int,
) -> str:
    """All that share the place, the first ones of many."""
    names = [_row_name(table, keys, row) for row in rows if row[at] == chosen[at]]
    joined = tell("comma").join(names[:MOST_FIRST])
    more = len(names) > MOST_FIRST
    return tell("analysis_conclusion.and_more", names=joined) if more else joined


def _measure(table: ResultTable, result: ResultView) -> int | None:
    """The column that is spoken of: what the spec orders by, else the first figure."""
    names = [column.name for column in table.columns]
    spec = result.spec
    wanted = [getattr(getattr(spec, "sort", None), "by", None), *getattr(spec, "by", ())]
    named = [getattr(spec, name, None) for name in ("column", "y")]
    for name in ("share", "difference", "r", "missing", *[n for n in (*wanted, *named) if n]):
        if name in names and table.columns[names.index(name)].kind in _NUMBERS:
            return names.index(name)
    numbers = [at for at in _numeric(table) if at > 0]
    return numbers[0] if numbers and not _is_listing(result) else None


def _is_listing(result: ResultView) -> bool:
    """Rows as they stand: their figures are not compared."""
    spec = result.spec
    return not isinstance(spec, Plot) and spec.op == "top_rows" and not spec.by


def _is_key(table: ResultTable, at: int) -> bool:
    return table.columns[at].kind not in _NUMBERS or at == 0


def _is_in_order(result: ResultView) -> bool:
    spec = result.spec
    return bool(getattr(spec, "sort", None)) or (
        not isinstance(spec, Plot)
        and spec.op in ("top_rows", "share_ratio", "compare_periods", "missingness")
    )


def _is_time(result: ResultView) -> bool:
    spec = result.spec
    unit = getattr(spec, "unit", None) or getattr(spec, "x_unit", None)
    return unit is not None and not getattr(spec, "by", ()) and not getattr(spec, "color", None)


# ---- how cells are said ----


def _numeric(table: ResultTable) -> list[int]:
    return [at for at, column in enumerate(table.columns) if column.kind in _NUMBERS]


def _is_number(cell: JsonCell) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell)


def _number(cell: JsonCell) -> float:
    assert isinstance(cell, int | float)
    return cell


def _row_name(table: ResultTable, keys: Sequence[int], row: Sequence[JsonCell]) -> str:
    return tell("analysis_conclusion.separator").join(_key(table, at, row[at]) for at in keys[:3])


def _key(table: ResultTable, at: int, cell: JsonCell) -> str:
    if cell is None:
        return tell("analysis_conclusion.blank")
    if isinstance(cell, str):
        return _name(period_text(cell))
    column = table.columns[at]
    return _name(str(cell)) + column.unit if column.kind == "integer" else _value(table, at, cell)


def _name(cell: JsonCell) -> str:
    line = " ".join(str(cell).split())
    return plain(line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1]}…")


def _value(table: ResultTable, at: int, cell: JsonCell) -> str:
    """With its unit, with the digits that this one needs."""
    column = table.columns[at]
    shown = shower(column, [cell])(cell)
    if column.kind == "share" or not column.unit or not shown or isinstance(cell, str):
        return plain(shown)
    space = "" if current_language() == "ja" or column.unit == "%" else " "
    return plain(f"{shown}{space}{column.unit}")
