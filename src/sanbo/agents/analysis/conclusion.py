"""The conclusion by code: the same few sentences for all operations, from the results' tables."""

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter

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


def _say(text: str, **values: str) -> str:
    return tell(f"analysis_conclusion.{text}", None, **values)


def conclude(view: View) -> str:
    """On each result that no other was made from; charts beside a table are only named."""
    with use_language(view.language):
        done = view.done or view.results[-1:]
        if not done:
            return _say("no_results")
        used = {one.spec.input for one in done}
        finals = [one for one in done if one.result_id not in used]
        has_table = any(one.tables and not isinstance(one.spec, Plot) for one in finals)
        between = "" if view.language == "ja" else " "
        said = [between.join(_sentences(one, view, has_table=has_table)) for one in finals]
        return "\n\n".join(filter(None, said)) or _say("see_tables")


def _sentences(result: ResultView, view: View, *, has_table: bool) -> Iterator[str]:
    is_beside = has_table and isinstance(result.spec, Plot)
    table = _spoken_of(result)
    if table is not None and not is_beside:
        yield from _of_table(table, result)
    yield from (plain(text) for text in result.findings)
    for title in result.figure_titles:
        yield _say("drawn", title=plain(title))
    if not is_beside and (conditions := _conditions(result, view)):
        yield _say("where", conditions=plain(conditions))


def _spoken_of(result: ResultView) -> ResultTable | None:
    """The first, or the one in which a pair stands beside its figure."""
    pairs = [table for table in result.tables if table.columns[0].name == "column_1"]
    return next(iter(pairs or result.tables), None)


def _conditions(result: ResultView, view: View) -> str:
    """Also of the steps that it was made from, the first of them first."""
    results = {one.result_id: one for one in view.results}
    said: list[str] = []
    step: ResultView | None = result
    while step is not None:
        chips = spoken(step.spec, view.language)
        said = [*(chip.text for chip in chips if chip.role in ("condition", "period")), *said]
        step = results.pop(step.spec.input, None)
    return tell("comma").join(dict.fromkeys(said))


def _of_table(table: ResultTable, result: ResultView) -> Iterator[str]:
    if table.row_count == 0:
        yield _say("nothing")
    elif tuple(column.name for column in table.columns) == _PAIRS:
        yield _say("figures", title=plain(table.title), figures=_pairs(table))
    elif table.row_count == 1:
        yield from _of_row(table)
    elif getattr(result.spec, "op", "") == "pivot" and not table.is_cut:
        yield from _of_grid(table)
    else:
        yield from _of_rows(table, result)


def _pairs(table: ResultTable) -> str:
    return tell("comma").join(
        _say("figure", label=_name(row[0]), value=_value(table, 1, row[1]))
        for row in table.rows[:MOST_FIGURES]
    )


def _of_row(table: ResultTable) -> Iterator[str]:
    row = table.rows[0]
    numbers = [at for at in _numeric(table) if row[at] is not None]
    before = range(min(_numeric(table), default=len(table.columns)))
    keys = [at for at in before if row[at] is not None]
    name = _say("separator").join(_key(table, at, row[at]) for at in keys[:2])
    if len(numbers) == 1:
        [at] = numbers
        label, value = plain(table.columns[at].label), _value(table, at, row[at])
        yield _say("one_of" if name else "one", label=label, value=value, name=name)
        return
    figures = tell("comma").join(
        _say(
            "figure",
            label=plain(table.columns[at].label),
            value=_value(table, at, row[at]),
        )
        for at in numbers[:MOST_FIGURES]
    )
    if not figures:
        yield _say("rows", count="1")
        return
    if not name and any(table.columns[at].label not in table.title for at in numbers):
        name = plain(table.title)  # else it would only list what follows
    yield _say("figures" if name else "figures_alone", title=name, figures=figures)


def _of_grid(table: ResultTable) -> Iterator[str]:
    """Of all cells: no column of a cross table is more than another."""
    keys = [at for at in range(len(table.columns)) if at not in _numeric(table)]
    cells = [
        (_number(row[at]), row, at)
        for row in table.rows
        for at in _numeric(table)
        if _is_number(row[at])
    ]
    if not cells:
        yield _say("rows", count=f"{table.row_count:,}")
        return

    def holder(cell: tuple[float, Sequence[JsonCell], int]) -> str:
        number, row, at = cell
        names = [_row_name(table, keys, row), _name(period_text(table.columns[at].label))]
        joined = _say("separator").join(names)
        more = sum(one[0] == number for one in cells) > 1
        return _say("and_more", names=joined) if more else joined

    most, least = max(cells, key=itemgetter(0)), min(cells, key=itemgetter(0))
    title, high = plain(table.title), _value(table, most[2], most[0])
    if most[0] == least[0]:
        yield _say("equal", label=title, value=high)
        return
    yield _say("cells",
        label=title, most=holder(most), high=high,
        least=holder(least), low=_value(table, least[2], least[0]),
    )  # fmt: skip


def _of_rows(table: ResultTable, result: ResultView) -> Iterator[str]:
    at = _measure(table, result)
    if at is None:
        yield _say("rows", count=f"{table.row_count:,}")
        return
    keys = [place for place in range(at) if _is_key(table, place)] or [0]
    rows = [row for row in table.rows if _is_number(row[at])]
    if not rows and result.findings:
        return  # they say why there is none
    if not rows or keys == [at]:
        yield _say("rows", count=f"{table.row_count:,}")
        return
    label = plain(table.columns[at].label)

    def name(row: Sequence[JsonCell]) -> str:
        return _row_name(table, keys, row)

    def value(row: Sequence[JsonCell]) -> str:
        return _value(table, at, row[at])

    most = max(rows, key=lambda row: _number(row[at]))
    least = min(rows, key=lambda row: _number(row[at]))
    if most[at] == least[at] and not table.is_cut:
        yield _say("equal", label=label, value=value(most))
        return
    if _is_in_order(result):
        first = tell("comma").join(
            _say("place", name=name(row), value=value(row)) for row in rows[:MOST_FIRST]
        )
        text = "first_of_top" if _is_limited(result) else "first"
        count = f"{table.row_count:,}"
        yield _say(text, label=label, first=first, count=count)
        return
    if table.is_cut:  # the largest may stand among the rows that are not here
        yield _say("rows", count=f"{table.row_count:,}")
        return
    if _is_time(result):
        first, last = rows[0], rows[-1]
        yield _say("course",
            label=label, first=name(first), start=value(first), last=name(last), end=value(last),
        )  # fmt: skip
    yield _say("extremes",
        label=label, most=_holders(table, keys, rows, most, at), high=_value(table, at, most[at]),
        least=_holders(table, keys, rows, least, at), low=_value(table, at, least[at]),
        count=f"{table.row_count:,}",
    )  # fmt: skip


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
    return _say("and_more", names=joined) if more else joined


def _measure(table: ResultTable, result: ResultView) -> int | None:
    """The column that is spoken of: what the operation is about, else the first figure."""
    spec = result.spec
    numbers = [at for at in _numeric(table) if at > 0]
    if isinstance(spec, Plot):
        wanted = ["share", getattr(spec, "y", None)]
    elif spec.op in _ROWS or (spec.op == "top_rows" and not spec.by):
        return None
    elif spec.op in _ADDING:
        made = [at for at in numbers if table.columns[at].name.endswith(_ADDING[spec.op])]
        return made[-1] if made else None
    elif spec.op == "compare_periods":
        wanted = ["rate" if (spec.sort or "").startswith("rate") else "difference"]
    elif spec.op == "top_rows":
        wanted = [*spec.by]
    else:
        sort = getattr(spec, "sort", None)
        wanted = [_ABOUT.get(spec.op), getattr(sort, "by", None)]
    names = {table.columns[at].name: at for at in numbers}
    found = [names[name] for name in wanted if name in names]
    return next(iter(found or numbers), None)


_ABOUT = {"share_ratio": "share", "correlation_matrix": "r", "missingness": "missing"}
_ADDING = {"cumulative": "", "rolling": "", "derive": "", "normalize": "", "lag": "_difference"}
"""Operations that put columns behind the table's own, by how the one spoken of ends."""
_ROWS = ("impute", "dedup", "cast", "unpivot")
"""Operations that give rows as they stand: their figures are not compared."""


def _is_key(table: ResultTable, at: int) -> bool:
    return table.columns[at].kind not in _NUMBERS or at == 0


def _is_in_order(result: ResultView) -> bool:
    spec = result.spec
    return getattr(spec, "sort", None) not in (None, "none") or (
        not isinstance(spec, Plot) and spec.op in ("top_rows", "share_ratio", "missingness")
    )


def _is_limited(result: ResultView) -> bool:
    """To the first ones: how many there are beside them, its table does not say."""
    spec = result.spec
    if not isinstance(spec, Plot) and spec.op in ("top_rows", "share_ratio"):
        return spec.op == "top_rows"  # a share gathers the rest in a row of its own
    return getattr(spec, "top_k", None) is not None


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
    return _say("separator").join(_key(table, at, row[at]) for at in keys[:3])


def _key(table: ResultTable, at: int, cell: JsonCell) -> str:
    if cell is None:
        return _say("blank")
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
